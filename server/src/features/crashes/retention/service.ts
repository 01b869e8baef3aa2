/** Workers mark the days of devices that report crashes, and delete what is older than the retention: reports as log lines, counts as metrics. */
import { addDays } from '../../../formats/instants.ts'
import type { AppContext } from '../../../platform/context.ts'
import { forgetOldCrashes, markDeviceDays } from '../reporting/service.ts'
import { deleteAgedCrashes } from '../totals/service.ts'
import * as store from './store.ts'

/** Groups and their counts by version stay, so that a crash that comes back is known. Several workers may do it at once. */
export async function maintainCrashes({ db, now }: Pick<AppContext, 'db' | 'now'>): Promise<void> {
  await forgetOldCrashes({ db, now })
  await markDeviceDays({ db, now })
  for (const one of await store.listCrashRetentions(db)) {
    const { workspaceId, logRetentionDays, metricRetentionDays } = one
    await store.deleteReports(db, workspaceId, addDays(now(), -logRetentionDays))
    const before = addDays(now(), -metricRetentionDays)
    await deleteAgedCrashes({ db }, { workspaceId, before })
    await store.deleteDeviceCounts(db, workspaceId, before)
  }
}
