import { Type } from 'typebox'
import { Exactly, Timestamp } from '../../../platform/http/schemas.ts'
import { affectedDevicesFields } from '../../firmware/index.ts'
import { VulnerabilityCounts } from '../schemas.ts'

export const VulnerableVersionsQuery = Exactly({
  firmwareId: Type.Optional(
    Type.String({ maxLength: 200, description: 'Only versions of this firmware' }),
  ),
})

export const VulnerableFirmwareVersions = Type.Array(
  Type.Object({
    firmwareId: Type.String(),
    firmwareName: Type.String({ examples: ['Gateway'] }),
    firmwareVersionId: Type.String(),
    firmwareVersionName: Type.String({ examples: ['2.4.1'] }),
    createdAt: Timestamp,
    vulnerabilitySummary: Type.Object({
      ...VulnerabilityCounts.properties,
      ...affectedDevicesFields,
      lastEvaluatedAt: Timestamp,
    }),
  }),
  { description: 'Sorted by the number of critical findings, then of high ones, and so on' },
)
