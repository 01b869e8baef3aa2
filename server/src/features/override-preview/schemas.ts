import { Type } from 'typebox'
import { SeveritySchema } from '../advisories/index.ts'
import { ConfidenceSchema } from '../matching/index.ts'
import { Nullable, Shape } from '../../platform/http/schemas.ts'

/** The most rows of each list. The counts beside them are of all. */
export const MOST_LISTED = 100
export const MOST_SHOWN_VERSIONS = 5

const Identity = Shape('OverrideIdentity', {
  names: Type.Array(
    Type.Object({
      key: Type.String({ examples: ['cpe:zephyrproject:zephyr'] }),
      version: Type.String({ examples: ['3.7.0'] }),
    }),
    { description: 'The names by which records are looked up; empty: nothing is looked up' },
  ),
  isKnown: Type.Boolean({ description: 'Whether any record in the store has one of the names' }),
  notMatchedReason: Nullable(Type.String()),
})

const MetPackage = Shape('MetPackage', {
  packageName: Type.String({ examples: ['zephyr-sources'] }),
  version: Nullable(Type.String(), { description: 'The declared version' }),
  componentCount: Type.Integer(),
  firmwareVersionCount: Type.Integer(),
  before: Identity,
  after: Identity,
})

const Change = Shape('OverrideChange', {
  cveId: Type.String({ examples: ['CVE-2024-6258'] }),
  severity: SeveritySchema,
  cvssScore: Nullable(Type.Number()),
  epssScore: Nullable(Type.Number()),
  isExploited: Type.Boolean({ description: 'CISA’s or ENISA’s list names it as exploited' }),
  packageName: Type.String(),
  version: Nullable(Type.String(), { description: 'The declared version' }),
  confidenceBefore: Nullable(ConfidenceSchema, { description: 'null: there is no finding now' }),
  confidenceAfter: Nullable(ConfidenceSchema, { description: 'null: there would be no finding' }),
  firmwareVersionCount: Type.Integer(),
  firmwareVersions: Type.Array(
    Shape('OverriddenFirmwareVersion', {
      id: Type.String(),
      name: Type.String(),
      firmwareId: Type.String(),
      firmwareName: Type.String(),
    }),
    { description: `The newest ones, at most ${MOST_SHOWN_VERSIONS}` },
  ),
})

const decisions = (description: string) =>
  Type.Object({ assessed: Type.Integer(), ignored: Type.Integer() }, { description })

const LostChange = Shape('LostChange', {
  ...Change.properties,
  decisions: decisions('How many of these findings were assessed, and how many were ignored'),
})

const listed = (description: string) => ({
  description: `${description}, worst first, at most ${MOST_LISTED}`,
})

export const OverridePreview = Shape('OverridePreview', {
  componentCount: Type.Integer({ description: 'The number of components it would apply to' }),
  endingComponentCount: Type.Integer({
    description:
      'Components that an override applies to now, and no longer after it is replaced or deleted',
  }),
  firmwareVersionCount: Type.Integer(),
  otherOverrideComponentCount: Type.Integer({
    description:
      'Components that it meets or met, but to which another override would apply, as it is more specific or older',
  }),
  madeFor: Nullable(Type.Array(Type.String()), {
    description:
      'The declared versions that it would hold for; an empty text stands for components without one. null: any, or it meets no component',
  }),
  packageCount: Type.Integer(),
  packages: Type.Array(MetPackage, {
    description: `What it would apply to, or no longer apply to, by name and declared version; the most frequent first, at most ${MOST_LISTED}`,
  }),
  findingCounts: Type.Object(
    {
      appearing: Type.Integer(),
      disappearing: Type.Integer(),
      changing: Type.Integer({ description: 'They would have another confidence' }),
      staying: Type.Integer({ description: 'They would stay as they are' }),
    },
    { description: 'Findings of the components, over all firmware versions' },
  ),
  disappearingDecisions: decisions(
    'How many of the disappearing findings were assessed, and how many were ignored',
  ),
  appearing: Type.Array(Change, listed('Findings that would appear')),
  disappearing: Type.Array(LostChange, listed('Findings that would disappear')),
  changing: Type.Array(Change, listed('Findings that would change their confidence')),
})
