/** What a worker does for alerts now and then: retention. */
import type { AppContext } from '../../platform/context.ts'
import * as store from './retention-store.ts'

const DAY_MS = 86_400_000
const EVALUATION_DAYS = 2
const EVALUATIONS_KEPT = 100
const INCIDENT_DAYS = 400

/** Several workers may do it at once. */
export async function keepAlerts({ db, now }: Pick<AppContext, 'db' | 'now'>): Promise<void> {
  const daysAgo = (days: number) => new Date(now().getTime() - days * DAY_MS)
  const evaluations = { before: daysAgo(EVALUATION_DAYS), kept: EVALUATIONS_KEPT }
  const ended = daysAgo(INCIDENT_DAYS)
  for (const workspaceId of await store.listWorkspaceIds(db)) {
    while (await store.deleteOldEvaluations(db, workspaceId, evaluations));
    while (await store.deleteOldSeries(db, workspaceId, ended));
    await store.deleteOldIncidents(db, workspaceId, ended)
  }
}
