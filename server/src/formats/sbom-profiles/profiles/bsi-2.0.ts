/** BSI TR-03183-2, version 2.0.0, which version 2.1.0 followed. It has no mapping to formats; that of 2.1.0 is used where it fits. */
import { defineComponentElements, defineDocumentElements, type SbomProfile } from '../profile.ts'

export const BSI_2_0: SbomProfile = {
  id: 'bsi-2.0',
  title: 'BSI TR-03183-2 v2.0',
  document:
    'BSI TR-03183-2, Cyber Resilience Requirements, part 2: SBOM, version 2.0.0, 2024-09-20',
  url: 'https://www.bsi.bund.de/SharedDocs/Downloads/EN/BSI/Publications/TechGuidelines/TR03183/BSI-TR-03183-2-2_0_0.pdf',
  elements: [
    {
      id: 'format',
      title: 'Format: CycloneDX 1.5, SPDX 2.2.1 or later, in JSON or XML',
      section: '4',
      level: 'required',
      of: 'format',
      lowest: { cycloneDx: '1.5', spdx: '2.2.1' },
    },
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
      'associated-licences': ['Associated licences', 'licence'],
      'deployable-hash': [
        'Hash value of the deployable component (SHA-512)',
        'sha512',
        'deployableHash',
      ],
      executable: ['Executable property', 'executable'],
      archive: ['Archive property', 'archive'],
      structured: ['Structured property', 'structured'],
    }),
    ...defineDocumentElements('5.3.1', 'ifExists', { 'sbom-uri': ['SBOM-URI', 'uri'] }),
    ...defineComponentElements('5.3.2', 'ifExists', {
      'source-uri': ['Source code URI', 'sourceUri'],
      'deployable-uri': ['URI of the deployable form of the component', 'deployableUri'],
      identifiers: ['Other unique identifiers', 'identifier'],
      'concluded-licences': ['Concluded licences', 'concludedLicence'],
    }),
    ...defineComponentElements('5.4.1', 'optional', {
      'declared-licences': ['Declared licences', 'declaredLicence'],
      'source-hash': ['Hash value of the source code of the component', 'sourceHash'],
    }),
  ],
  outside: [
    {
      title: 'Level of detail: each path down to the first component not delivered',
      section: '5.1',
    },
  ],
}
