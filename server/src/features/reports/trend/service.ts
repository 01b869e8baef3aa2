import { SEVERITIES } from '../../../formats/advisories/model.ts'
import { addDays } from '../../../formats/instants.ts'
import type { AppContext } from '../../../platform/context.ts'
import { getFirmwareVersion } from '../../firmware/index.ts'
import { listWorkspaceIds } from '../../workspaces/index.ts'
import * as store from './store.ts'

/** Stores the counters of the day for trends. It may run any number of times, on several nodes. */
export async function maintainDailyCounters({
  db,
  now,
}: Pick<AppContext, 'db' | 'now'>): Promise<void> {
  for (const workspaceId of await listWorkspaceIds(db))
    await store.writeDailyCounters(db, { workspaceId, at: now() })
}

const DEFAULT_DAYS = 90

export async function getTrend(
  { db, now }: Pick<AppContext, 'db' | 'now'>,
  input: { workspaceId: string; firmwareVersionId?: string; days?: number },
) {
  const { workspaceId, days = DEFAULT_DAYS } = input
  const firmwareVersionId =
    input.firmwareVersionId === undefined
      ? undefined
      : (await getFirmwareVersion(db, workspaceId, input.firmwareVersionId)).id
  const at = now()
  const since = addDays(at, 1 - days)
  const rows = await store.listTrend(db, { workspaceId, firmwareVersionId, since, at })
  return {
    days: rows.map((row) => {
      const countsBySeverity = SEVERITIES.map((severity) => ({
        severity,
        count: row[severity.toLowerCase() as Lowercase<typeof severity>],
      }))
      const totalActiveIssues = countsBySeverity.reduce((total, { count }) => total + count, 0)
      return { day: row.day, totalActiveIssues, countsBySeverity }
    }),
  }
}
