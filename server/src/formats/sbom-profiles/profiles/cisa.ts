/** CISA, 2025 Minimum Elements for a Software Bill of Materials: the draft for public comment of August 2025. */
import { defineComponentElements, defineDocumentElements, type SbomProfile } from '../profile.ts'

const FIELDS = 'Data Fields'
const PRACTICES = 'Practices and Processes'

export const CISA: SbomProfile = {
  id: 'cisa',
  title: 'CISA minimum elements (2025 draft)',
  document:
    'CISA, 2025 Minimum Elements for a Software Bill of Materials (SBOM), draft for public comment, 2025-08',
  url: 'https://www.cisa.gov/sites/default/files/2025-08/2025_CISA_SBOM_Minimum_Elements.pdf',
  elements: [
    {
      id: 'format',
      title: 'Format that programs read',
      section: 'Automation Support',
      level: 'required',
      of: 'format',
    },
    ...defineDocumentElements(FIELDS, 'required', {
      author: ['SBOM author', 'author'],
      'tool-name': ['Tool name', 'tool'],
      timestamp: ['Timestamp', 'timestamp'],
      'generation-context': ['Generation context', 'generationContext'],
    }),
    ...defineComponentElements(FIELDS, 'required', {
      producer: ['Software producer', 'producer'],
      name: ['Component name', 'name'],
      version: ['Component version', 'version'],
      identifiers: ['Software identifiers', 'identifier'],
      hash: ['Component hash', 'hash'],
      relationship: ['Dependency relationship', 'relationship'],
    }),
    // The author "should indicate that license information is unknown" where it is not known (License).
    ...defineComponentElements(FIELDS, 'required', { licence: ['Licence', 'licence'] }).map(
      (element) => ({
        ...element,
        takesUnknown: true,
      }),
    ),
    ...defineDocumentElements(PRACTICES, 'required', {
      'known-unknowns': ['Known unknowns', 'knownUnknowns', 'unknownFacts'],
    }),
  ],
  outside: ['Frequency', 'Coverage', 'Distribution and delivery', 'Accommodation of updates'].map(
    (title) => ({ title, section: PRACTICES }),
  ),
}
