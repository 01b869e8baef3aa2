/** BSI TR-03183-2, version 2.1.0. Where a document has the facts: its appendix, section 8.2. */
import { defineComponentElements, defineDocumentElements, type SbomProfile } from '../profile.ts'

export const BSI_2_1: SbomProfile = {
  id: 'bsi',
  title: 'BSI TR-03183-2 v2.1',
  document:
    'BSI TR-03183-2, Cyber Resilience Requirements, part 2: SBOM, version 2.1.0, 2025-08-20',
  url: 'https://www.bsi.bund.de/SharedDocs/Downloads/EN/BSI/Publications/TechGuidelines/TR03183/BSI-TR-03183-2_v2_1_0.pdf',
  elements: [
    {
      id: 'format',
      title: 'Format: CycloneDX 1.6, SPDX 3.0.1 or later, in JSON or XML',
      section: '4',
      level: 'required',
      of: 'format',
      lowest: { cycloneDx: '1.6', spdx: '3.0.1' },
    },
    ...defineDocumentElements('3.1', 'required', {
      'no-vulnerabilities': ['No information about vulnerabilities', 'vulnerabilities'],
    }).map((element) => ({ ...element, isForbidden: true })),
    ...defineDocumentElements('5.2.1', 'required', {
      'sbom-creator': ['Creator of the SBOM, by e-mail address or URL', 'authorContact'],
      timestamp: ['Timestamp', 'timestamp'],
    }),
    ...defineComponentElements('5.2.2', 'required', {
      'component-creator': ['Component creator, by e-mail address or URL', 'creatorContact'],
      'component-name': ['Component name', 'name'],
      'component-version': ['Component version', 'version'],
      filename: ['Filename of the component', 'fileName'],
      dependencies: ['Dependencies on other components', 'dependencies'],
      completeness: ['Whether the dependencies are complete', 'completeness'],
      'distribution-licences': ['Distribution licences', 'concludedLicence'],
      'deployable-hash': ['Hash value of the deployable component (SHA-512)', 'deployableHash'],
      executable: ['Executable property', 'executable'],
      archive: ['Archive property', 'archive'],
      structured: ['Structured property', 'structured'],
    }),
    ...defineDocumentElements('5.2.3', 'ifExists', { 'sbom-uri': ['SBOM-URI', 'uri'] }),
    ...defineComponentElements('5.2.4', 'ifExists', {
      'source-uri': ['Source code URI', 'sourceUri'],
      'deployable-uri': ['URI of the deployable form of the component', 'deployableUri'],
      identifiers: ['Other unique identifiers', 'identifier'],
      'original-licences': ['Original licences', 'declaredLicence'],
    }),
    ...defineComponentElements('5.2.5', 'optional', {
      'effective-licence': ['Effective licence', 'effectiveLicence'],
      'source-hash': ['Hash value of the source code of the component', 'sourceHash'],
      'security-txt': ['URL of the security.txt', 'securityTxt'],
    }),
  ],
  outside: [
    {
      title: 'Level of detail: each path down to the first component not delivered',
      section: '5.1',
    },
  ],
}
