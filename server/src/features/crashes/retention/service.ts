/** Workers delete crashes that are older than the retention: reports as log lines, counts as metrics. */
import { addDays } from '../../../formats/instants.ts'
import type { AppContext } from '../../../platform/context.ts'
import * as store from './store.ts'

/** Groups and their counts by version stay, so that a crash that comes back is known. Several workers may do it at once. */
export async function maintainCrashes({ db, now }: Pick<AppContext, 'db' | 'now'>): Promise<void> {
  for (const one of await store.listCrashRetentions(db)) {
    const { workspaceId, logRetentionDays, metricRetentionDays } = one
    await store.deleteReports(db, workspaceId, addDays(now(), -logRetentionDays))
    await store.deleteCounts(db, workspaceId, addDays(now(), -metricRetentionDays))
  }
}
