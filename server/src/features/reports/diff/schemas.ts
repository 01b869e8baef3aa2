import { Type } from 'typebox'
import { SeveritySchema as Severity } from '../../advisories/index.ts'
import { Exactly, Nullable, Saying, Shape } from '../../../platform/http/schemas.ts'
import { AssessmentSchema as Assessment, VulnerabilityCounts } from '../../findings/index.ts'
import { FirmwareVersionReference } from '../../firmware/index.ts'
import { LicenceChange } from '../../licences/index.ts'
import { SupportChangeSchema } from '../../support/index.ts'

export const DiffQuery = Exactly({
  base: Type.Optional(
    Type.String({
      maxLength: 200,
      description:
        'The firmware version to compare with; its predecessor, else the newest earlier one that has an SBOM, unless stated',
    }),
  ),
})

const component = {
  name: Type.String({ examples: ['xz'] }),
  version: Nullable(Type.String()),
  vendor: Nullable(Type.String()),
  purl: Nullable(Type.String()),
}

const State = Nullable(
  Shape('DiffedFindingState', {
    id: Type.String(),
    assessment: Assessment,
    ignored: Type.Boolean(),
    isActive: Type.Boolean(),
  }),
)

const findings = (description: string) =>
  Type.Object(
    {
      countsBySeverity: VulnerabilityCounts.properties.countsBySeverity,
      findings: Type.Array(
        Shape('DiffedFinding', {
          cveId: Type.String(),
          name: Type.String(),
          severity: Severity,
          cvssScore: Nullable(Type.Number()),
          isKnownCisaExploit: Type.Boolean(),
          componentName: Type.String(),
          componentVersion: Nullable(Type.String()),
          baseFinding: State,
          finding: State,
        }),
      ),
    },
    { description },
  )

const counted = (description: string) =>
  Saying(
    Shape('DiffedCount', {
      findingCount: Type.Integer(),
      exploitedCount: Type.Integer({ description: 'Of these, those in the catalogue of CISA' }),
    }),
    { description },
  )

export const FirmwareVersionDiffCounts = Shape('FirmwareVersionDiffCounts', {
  base: FirmwareVersionReference,
  firmwareVersion: FirmwareVersionReference,
  fixed: counted('Active in the base, and not in the version at all'),
  introduced: counted('Active in the version, and not in the base at all'),
  decidedOtherwise: counted('In both, and in one of them assessed or ignored'),
  remaining: counted('Active in both, also where the component’s version is another'),
  support: SupportChangeSchema,
  licences: Nullable(LicenceChange, { description: 'null: there are no licence rules' }),
})

export const FirmwareVersionDiff = Shape('FirmwareVersionDiff', {
  base: FirmwareVersionReference,
  firmwareVersion: FirmwareVersionReference,
  components: Type.Object({
    added: Type.Array(Shape('DiffedComponent', component)),
    removed: Type.Array(Shape('DiffedComponent', component)),
    changed: Type.Array(
      Type.Object({
        ...component,
        from: Nullable(Type.String({ examples: ['5.4.5'] })),
        to: Nullable(Type.String({ examples: ['5.6.0'] })),
      }),
      { description: 'The same software in another version' },
    ),
  }),
  fixed: findings(
    'Active in the base and not in the version; where finding is not null, it is there, but was assessed or ignored',
  ),
  introduced: findings(
    'Active in the version and not in the base; where baseFinding is not null, it was there, but assessed or ignored',
  ),
  remaining: findings('Active in both, also where the component’s version is another'),
  support: SupportChangeSchema,
  licences: Nullable(LicenceChange, { description: 'null: there are no licence rules' }),
})
