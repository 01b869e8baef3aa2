/** Request and response of the list of vulnerable components. */
import { Type } from 'typebox'
import { SeveritySchema } from '../../advisories/index.ts'
import {
  Exactly,
  Nullable,
  PageRequest,
  Saying,
  Shape,
  Timestamp,
  totalCountFields,
} from '../../../platform/http/schemas.ts'
import { WorkspaceFindingFilterSchema } from '../../findings/index.ts'

export const COMPONENT_SORT_COLUMNS = [
  'Risk',
  'Severity',
  'EpssScore',
  'DetectedAt',
  'VulnerabilityCount',
  'Name',
  'Ssvc',
] as const

export const ListVulnerableComponentsCommand = Exactly(
  {
    sortColumn: Type.Optional(
      Type.Enum([...COMPONENT_SORT_COLUMNS], {
        default: 'Risk',
        description:
          'Risk: components with a vulnerability that a list of exploitedSources names first, then those that devices run before those that none runs, then by the worst severity, then by the likelihood (highest EPSS score from 50 %, 10 %, 1 %, below), then by the magnitude of the number of devices (1 to 9, 10 to 99, and so on), then by that EPSS score',
      }),
    ),
    ascending: Type.Optional(Type.Boolean({ default: false })),
    ...PageRequest,
    filter: Type.Optional(WorkspaceFindingFilterSchema),
  },
  { examples: [{ limit: 100, filter: { severities: ['Critical'], activeOnly: true } }] },
)

export const VulnerableComponentPage = Shape('VulnerableComponentPage', {
  components: Type.Array(
    Shape('VulnerableComponent', {
      name: Type.String({ examples: ['openssl'] }),
      versions: Type.Array(Type.String(), {
        description: 'Those with findings of the filter, in the order of their texts, at most 5',
      }),
      packageIds: Type.Array(Type.String(), {
        description: 'The packages of the row, for the filter of lists and bulk commands',
      }),
      severity: Saying(SeveritySchema, { description: 'The worst of the findings' }),
      isExploited: Type.Boolean({
        description: 'Whether a list of exploitedSources names one of the vulnerabilities',
      }),
      epssScore: Nullable(Type.Number({ description: 'The highest' })),
      vulnerabilityCount: Type.Integer(),
      detectedAt: { ...Timestamp, description: 'When the newest of the findings was detected' },
      firmwareVersionCount: Type.Integer({
        description: 'Firmware versions that hold one of the packages',
      }),
      affectedDeviceCount: Type.Integer({
        description: 'Number of devices that report one of the firmware versions, each device once',
      }),
      ssvcOutcome: Nullable(Type.String({ examples: ['Attend'] }), {
        description:
          'The most urgent one that the SSVC tree of the workspace decides for the findings of the filter, where the list asks for outcomes: by its order or its filter; else null',
      }),
    }),
  ),
  nextCursor: Type.Optional(Type.String()),
  hasMore: Type.Boolean(),
  ...totalCountFields,
})
