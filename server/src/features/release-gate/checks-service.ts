/** What `admin doctor` examines of the release gate: how many findings of versions are kept as urgent. */
import { formatCountOf } from '../../formats/counts.ts'
import {
  readSnapshot,
  summariseFaults,
  type WorkspaceCheck,
  type ExamineOptions,
} from '../../platform/doctor/check.ts'
import type { AppContext } from '../../platform/context.ts'
import { listMiscounted } from './urgency-service.ts'
import { forgetUrgency } from './urgency-store.ts'

/** So many findings are counted again unless the check is a deep one: those of the smallest versions. */
const SAMPLE = 200_000

const find = (ctx: AppContext, workspaceId: string, { isDeep }: ExamineOptions) =>
  readSnapshot(ctx, (db) => listMiscounted(db, workspaceId, isDeep ? Infinity : SAMPLE))

export const gateChecks: readonly WorkspaceCheck[] = [
  {
    scope: 'Workspace',
    name: 'urgent findings',
    meaning: 'the kept numbers of urgent findings of versions are those that are there',
    find: async (ctx, workspaceId, options) => {
      const wrong = await find(ctx, workspaceId, options)
      return summariseFaults(
        wrong.map(
          ({ id, count, now }) =>
            `firmware version ${id} is kept with ${formatCountOf(count ?? 0, 'urgent finding')} instead of ${now}`,
        ),
      )
    },
    // The service counts again what is not kept.
    repair: async (ctx, workspaceId, options) => {
      const wrong = await find(ctx, workspaceId, options)
      await forgetUrgency(
        ctx.db,
        workspaceId,
        wrong.map(({ id }) => id),
      )
    },
  },
]
