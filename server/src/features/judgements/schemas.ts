import { Type } from 'typebox'
import { IsDisputed } from '../advisories/index.ts'
import { ConfidenceSchema } from '../matching/index.ts'
import { ADVISORY_SOURCES } from '../../formats/advisories/model.ts'
import { IDENTITY_RULES } from '../../formats/identity/explanation.ts'
import { Exactly, Nullable, OneOf, Shape } from '../../platform/http/schemas.ts'
import { RECORD_VERDICTS } from '../matching/index.ts'

export const JudgementsQuery = Exactly({
  cveId: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 150,
      examples: ['CVE-2022-37434'],
      description:
        'The vulnerability, by its id or an alias. Without it only the identity of the component is answered',
    }),
  ),
})

const NullableText = Nullable(Type.String())

const Component = Shape('JudgedComponent', {
  id: Type.String(),
  packageName: Type.String({ examples: ['zlib'] }),
  version: NullableText,
  vendor: NullableText,
  purl: NullableText,
  cpes: Type.Array(Type.String()),
  scope: NullableText,
  notMatchedReason: NullableText,
  overrideId: NullableText,
  pathsToRoot: Type.Array(Type.Array(Type.String()), {
    description:
      'The shortest path to a root of its SBOM through each direct parent, at most 20; each from the component up to the root',
    examples: [[['zlib', 'core-image']]],
  }),
  sbom: Shape('SbomReference', { id: Type.String(), fileName: Type.String() }),
})

const Identity = Shape(
  'JudgedIdentity',
  {
    steps: Type.Array(Type.Object({ rule: Type.Enum([...IDENTITY_RULES]), text: Type.String() }), {
      description: 'From what is declared to what is looked up, in this order',
    }),
    names: Type.Array(
      Type.Object({
        key: Type.String({ examples: ['cpe:zlib:zlib'] }),
        version: Type.String({ examples: ['1.2.11'] }),
        identifier: Type.String(),
        isKnown: Type.Boolean({ description: 'Whether any record in the store has this name' }),
        meanings: Type.Array(Type.String(), {
          description: 'Of a name without vendor: what the records say which product it means',
          examples: [['the records know one product named php: php:php']],
        }),
      }),
      { description: 'The names by which records are looked up; empty: nothing is looked up' },
    ),
    advice: Type.Array(Type.String(), {
      description: 'What to declare so that the component is matched, or matched better',
    }),
  },
  { description: 'How the component is identified' },
)

const Comparison = Shape('VersionComparison', {
  key: Type.String({
    examples: ['cpe:zlib:zlib'],
    description: 'The name by which the record was found',
  }),
  identifier: Type.String({ description: 'The identifier of the component that has this name' }),
  version: Type.String(),
  range: Type.String({ examples: ['< 1.2.13'], description: 'As the record has it' }),
  rangeInWords: Type.String({ examples: ['before 1.2.13'] }),
  comparator: Type.String({ examples: ['generic'] }),
  verdict: Type.Enum(['affected', 'unaffected', 'undecided', 'silent']),
  confidence: Nullable(ConfidenceSchema),
  notes: Type.Array(Type.String()),
  outrankedBy: NullableText,
})

const Judgement = Shape('Judgement', {
  source: OneOf('AdvisorySource', ADVISORY_SOURCES),
  advisoryId: Type.String({ examples: ['CVE-2022-37434'] }),
  verdict: Type.Enum([...RECORD_VERDICTS], {
    description:
      '"undecided": it names the component, but cannot be compared; "silent": it names the component and says nothing of this version or release; "other names": it has none of the component’s names; "withdrawn": it counts no more',
  }),
  comparisons: Type.Array(Comparison),
  otherNames: Type.Array(Type.String(), {
    description: 'Names of the record that the component has not, at most 100',
  }),
})

const Vulnerability = Shape('JudgedVulnerability', {
  cveId: Type.String({ examples: ['CVE-2022-37434'] }),
  isDisputed: IsDisputed,
  conclusion: Type.Enum(['affected', 'not affected', 'undecided', 'not named', 'no record']),
  text: Type.String({ description: 'The conclusion in words' }),
  confidence: Nullable(ConfidenceSchema),
  findingId: Nullable(
    Type.String({ description: 'The finding, if the firmware version has it now' }),
  ),
  records: Type.Array(Judgement, { description: 'Every record of the vulnerability in the store' }),
})

export const ComponentJudgements = Shape('ComponentJudgements', {
  component: Component,
  identity: Identity,
  vulnerabilities: Type.Array(Vulnerability, {
    description: 'Usually one. An alias may stand for several vulnerabilities',
  }),
})
