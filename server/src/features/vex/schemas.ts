import { Type } from 'typebox'
import { VEX_FORMATS } from '../../formats/vex/model.ts'
import { EXPORT_FORMATS } from '../../formats/vex/write-vex.ts'
import { Exactly, Nullable, OneOf, Shape, Timestamp } from '../../platform/http/schemas.ts'

const NullableText = Nullable(Type.String())
const Format = OneOf('VexFormat', VEX_FORMATS)

export const ImportQuery = Exactly({
  dryRun: Type.Optional(
    Type.Enum(['true', 'false'], {
      default: 'false',
      description: 'Show what would change; change nothing',
    }),
  ),
  forVersion: Type.Optional(
    Type.Enum(['true', 'false'], {
      default: 'false',
      description:
        'The document is about this firmware version, whatever it calls its product ("Unknown Product"), also where it names none. It may name one product at most that is not here',
    }),
  ),
})

export const VexBody = Shape(
  'VexBody',
  {},
  {
    additionalProperties: true,
    description: 'An OpenVEX 0.2, CycloneDX 1.4 to 1.7 or CSAF 2.0 document',
    examples: [
      {
        '@context': 'https://openvex.dev/ns/v0.2.0',
        '@id': 'https://example.com/vex/2024-001',
        author: 'Example PSIRT',
        timestamp: '2024-01-02T03:04:05Z',
        version: 1,
        statements: [
          {
            vulnerability: { name: 'CVE-2021-44228' },
            products: [
              {
                '@id': 'pkg:generic/gateway@1.0.0',
                subcomponents: [{ '@id': 'pkg:maven/org.apache.logging.log4j/log4j-core@2.14.0' }],
              },
            ],
            status: 'not_affected',
            justification: 'vulnerable_code_not_in_execute_path',
          },
        ],
      },
    ],
  },
)

const Verdict = {
  assessment: Type.String({ examples: ['NotAffected'] }),
  justification: NullableText,
  detail: NullableText,
  responses: Type.Array(Type.String()),
}

const FindingChange = Shape('VexFindingChange', {
  findingId: Type.String(),
  cveId: Type.String(),
  componentName: Type.String(),
  componentVersion: NullableText,
  pointer: Type.String({ description: 'JSON pointer of the statement in the document' }),
  from: Type.Object({
    ...Verdict,
    source: NullableText,
    decidedByEmail: NullableText,
    decidedAt: Nullable(Timestamp),
  }),
  to: Type.Object({ ...Verdict, statedAt: Timestamp }),
})

export const ImportOutcome = Shape('VexImport', {
  dryRun: Type.Boolean(),
  document: Type.Object({
    id: Nullable(Type.String(), { description: 'null: nothing of the document was stored' }),
    format: Format,
    specVersion: NullableText,
    documentId: Nullable(Type.String(), { description: 'The id the document states' }),
    author: NullableText,
    statedAt: Nullable(Timestamp),
  }),
  statementCount: Type.Integer({
    description: 'Stored statements: all that are about this firmware version',
  }),
  counts: Type.Object(
    {
      applied: Type.Integer({ description: 'They changed an assessment' }),
      unchanged: Type.Integer({ description: 'Their findings were assessed so already' }),
      waiting: Type.Integer({ description: 'Kept for later: `waiting` has the reasons' }),
      disagreeing: Type.Integer({ description: 'A person has decided otherwise: `conflicts`' }),
      notUnderstood: Type.Integer({
        description: 'Not kept: they name nothing here or cannot be read, see `unmatched`',
      }),
    },
    {
      description: 'What became of the statements. A statement about several findings counts once',
    },
  ),
  changes: Type.Array(FindingChange, { description: 'Findings whose assessment changes' }),
  conflicts: Type.Array(FindingChange, {
    description:
      'Findings that a person has assessed otherwise; that assessment stays until a person changes it',
  }),
  unchangedCount: Type.Integer({ description: 'Findings that already have this assessment' }),
  waiting: Type.Array(
    Type.Object({
      pointer: Type.String(),
      vulnerability: Type.String(),
      reason: Type.String(),
    }),
    { description: 'Stored statements that decide no finding today' },
  ),
  unmatched: Type.Array(
    Type.Object({
      pointer: Type.String(),
      vulnerability: NullableText,
      product: NullableText,
      reason: Type.String(),
      isKept: Type.Boolean({
        description:
          'It is looked up again after each change of the components of the firmware version',
      }),
    }),
  ),
})

export const ExportQuery = Exactly({
  format: Type.Optional(Type.Enum([...EXPORT_FORMATS], { default: 'openvex' })),
})

export const ExportedVex = Shape(
  'VexExport',
  {},
  { additionalProperties: true, description: 'A document in the requested format' },
)

export const VexDocumentList = Shape('VexDocumentList', {
  documents: Type.Array(
    Shape('VexDocument', {
      id: Type.String(),
      sbomId: Nullable(Type.String(), { description: 'The SBOM that contains the statements' }),
      supplierFeedId: Nullable(Type.String(), {
        description: "The supplier's feed that the document comes from",
      }),
      format: Type.Enum([...VEX_FORMATS], {
        description: '`Build`: what the build of the SBOM says about patches, which is no VEX',
      }),
      specVersion: NullableText,
      documentId: NullableText,
      author: NullableText,
      statedAt: Nullable(Timestamp),
      receivedAt: Timestamp,
      receivedByEmail: NullableText,
      statementCount: Type.Integer(),
      waitingCount: Type.Integer({
        description:
          'Statements that decide no finding today: there is no such finding, or another word decides it',
      }),
    }),
  ),
  exportable: Type.Boolean({
    description: 'false: a VEX document about this firmware version would state nothing',
  }),
})
