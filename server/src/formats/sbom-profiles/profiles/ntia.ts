/** NTIA, The Minimum Elements for a Software Bill of Materials, 12 July 2021. */
import { defineComponentElements, defineDocumentElements, type SbomProfile } from '../profile.ts'

const FIELDS = 'Minimum Elements: Data Fields'
const PRACTICES = 'Minimum Elements: Practices and Processes'

export const NTIA: SbomProfile = {
  id: 'ntia',
  title: 'NTIA minimum elements (2021)',
  document: 'NTIA, The Minimum Elements For a Software Bill of Materials (SBOM), 2021-07-12',
  url: 'https://www.ntia.gov/sites/default/files/publications/sbom_minimum_elements_report_0.pdf',
  elements: [
    {
      id: 'format',
      title: 'Format that programs read',
      section: 'Minimum Elements: Automation Support',
      level: 'required',
      of: 'format',
    },
    ...defineDocumentElements(FIELDS, 'required', {
      // "Some third-party analysis tool" may be the source of the metadata, too (section Data Fields).
      author: ['Author of SBOM data', 'author', 'tool'],
      timestamp: ['Timestamp', 'timestamp'],
    }),
    ...defineComponentElements(FIELDS, 'required', {
      supplier: ['Supplier name', 'producer'],
      name: ['Component name', 'name'],
      version: ['Version of the component', 'version'],
      relationship: ['Dependency relationship', 'relationship'],
    }),
    // "If it exists": a component may have no identifier besides its name.
    ...defineComponentElements(FIELDS, 'ifExists', {
      identifiers: ['Other unique identifiers', 'identifier'],
    }),
    ...defineDocumentElements(PRACTICES, 'required', {
      'known-unknowns': ['Known unknowns', 'knownUnknowns'],
    }),
  ],
  outside: [
    'Frequency',
    'Depth',
    'Distribution and delivery',
    'Access control',
    'Accommodation of mistakes',
  ].map((title) => ({ title, section: PRACTICES })),
}
