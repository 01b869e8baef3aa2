import { Type } from 'typebox'
import { Nullable, Shape, Timestamp } from '../../platform/http/schemas.ts'
import { QUOTAS } from './quotas.ts'

export const WorkspaceUsage = Shape('WorkspaceUsage', {
  quotas: Type.Array(
    Shape('QuotaUsage', {
      name: Type.Enum([...QUOTAS]),
      used: Type.Integer({
        description:
          'What is there now, or was used in the present window. Requests are counted in steps of up to 100. Of registrations: by the key that made most',
      }),
      limit: Nullable(Type.Integer(), { description: 'null: none' }),
      isDefault: Type.Boolean({ description: 'The limit is the default of this service' }),
      windowSeconds: Nullable(Type.Integer(), {
        description: 'Length of the windows, by the clock (UTC); null: what is there at a time',
      }),
      resetsAt: Nullable(Timestamp, { description: 'When the present window ends' }),
      refused: Type.Integer({
        description: 'What was refused, left out or put off in the present window',
      }),
      isNear: Type.Boolean({ description: 'At least 80 % of the limit is used' }),
    }),
  ),
})
