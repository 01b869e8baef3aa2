/** Deletes old evaluations and incidents. */
import type { AppContext } from '../../platform/context.ts'
import * as store from './retention-store.ts'

const DAY_MS = 86_400_000
const EVALUATION_DAYS = 2
const MIN_EVALUATIONS = 100
const INCIDENT_DAYS = 400

/** Several workers may run it at the same time. */
export async function deleteOldAlerts({ db, now }: Pick<AppContext, 'db' | 'now'>): Promise<void> {
  const daysAgo = (days: number) => new Date(now().getTime() - days * DAY_MS)
  const evaluations = { before: daysAgo(EVALUATION_DAYS), keep: MIN_EVALUATIONS }
  const ended = daysAgo(INCIDENT_DAYS)
  for (const workspaceId of await store.listWorkspaceIds(db)) {
    while (await store.deleteOldEvaluations(db, workspaceId, evaluations));
    while (await store.deleteOldSeries(db, workspaceId, ended));
    await store.deleteOldIncidents(db, workspaceId, ended)
  }
}
