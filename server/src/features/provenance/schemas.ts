import { Type } from 'typebox'
import { STATEMENT_KINDS } from '../../formats/provenance/statement.ts'
import { Exactly, Nullable, OneOf, Shape, Timestamp } from '../../platform/http/schemas.ts'

export const MOST_STATEMENT_BYTES = 8 * 1024 * 1024

export const AddProvenanceStatementCommand = Exactly(
  {
    fileName: Type.String({
      minLength: 1,
      maxLength: 200,
      pattern: '\\S',
      examples: ['gateway-2.4.2.intoto.jsonl'],
    }),
    statement: Type.String({
      minLength: 2,
      maxLength: MOST_STATEMENT_BYTES,
      description:
        'The text of an in-toto statement (v0.1 or v1), of a DSSE envelope that holds one, or of a bundle of Sigstore (`cosign attest-blob --bundle`). At most 8 MiB',
    }),
  },
  {
    examples: [
      {
        fileName: 'gateway-2.4.2.intoto.json',
        statement:
          '{"_type":"https://in-toto.io/Statement/v1","subject":[{"name":"gateway-2.4.2.swu","digest":{"sha256":"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"}}],"predicateType":"https://slsa.dev/provenance/v1","predicate":{"buildDefinition":{"buildType":"https://example.com/yocto"},"runDetails":{"builder":{"id":"https://ci.example.com"}}}}',
      },
    ],
  },
)

export const STATEMENT_STATES = [
  'Verified',
  'Untrusted',
  'NotChecked',
  'NotSigned',
  'Broken',
] as const

const NamedFile = Shape('ProvenanceFile', {
  name: Type.String({ examples: ['gateway-2.4.2.swu'] }),
  hashes: Type.Array(Type.String(), {
    description: 'SHA-256, SHA-384 or SHA-512, in hexadecimal',
  }),
})

const Build = Shape('ProvenanceBuild', {
  builderId: Nullable(Type.String({ examples: ['https://ci.example.com'] })),
  buildType: Nullable(Type.String()),
  materials: Type.Array(Type.String(), { description: 'What it was built from; the first 20' }),
  materialCount: Type.Integer(),
})

export const ProvenanceStatement = Shape('ProvenanceStatement', {
  id: Type.String(),
  fileName: Type.String(),
  sha256: Type.String({ description: 'Of what was uploaded, in hexadecimal' }),
  sizeBytes: Type.Integer(),
  kind: OneOf('ProvenanceKind', STATEMENT_KINDS),
  predicateType: Type.String({ examples: ['https://slsa.dev/provenance/v1'] }),
  subjects: Type.Array(NamedFile, { description: 'The files that it is about; the first 20' }),
  subjectCount: Type.Integer(),
  build: Nullable(Build, { description: 'null: it says nothing of a build' }),
  holdsSbom: Type.Boolean({ description: 'Whether an SBOM is inside' }),
  state: {
    ...OneOf('ProvenanceState', STATEMENT_STATES),
    description:
      'With the keys that are trusted now. `Verified`: a trusted key signed it. `Untrusted`: signed, by no trusted key. `NotChecked`: signed, and not all trusted keys were tried. `Broken`: a signature is not valid',
  },
  reason: Type.String({ description: 'Why it has this state, as a sentence' }),
  keyName: Nullable(Type.String(), { description: 'The trusted key that signed it' }),
  createdAt: Timestamp,
  createdByEmail: Nullable(Type.String()),
})

export const ProvenanceStatementList = Shape('ProvenanceStatementList', {
  statements: Type.Array(ProvenanceStatement),
})

export const ProvenanceStatementText = Shape('ProvenanceStatementText', {
  fileName: Type.String(),
  statement: Type.String({ description: 'As it was uploaded' }),
})
