/** Deletes old evaluations and incidents. */
import { addDays } from '../../../formats/instants.ts'
import type { AppContext } from '../../../platform/context.ts'
import { listWorkspaceIds } from '../../workspaces/index.ts'
import * as store from './store.ts'

const EVALUATION_DAYS = 2
const MIN_EVALUATIONS = 100
const INCIDENT_DAYS = 400

/** Several workers may run it at the same time. */
export async function deleteOldAlerts({ db, now }: Pick<AppContext, 'db' | 'now'>): Promise<void> {
  const daysAgo = (days: number) => addDays(now(), -days)
  const evaluations = { before: daysAgo(EVALUATION_DAYS), keep: MIN_EVALUATIONS }
  const ended = daysAgo(INCIDENT_DAYS)
  for (const workspaceId of await listWorkspaceIds(db)) {
    while (await store.deleteOldEvaluations(db, workspaceId, evaluations));
    while (await store.deleteOldSeries(db, workspaceId, ended));
    await store.deleteOldIncidents(db, workspaceId, ended)
  }
}
