/** Deadlines of a workspace's cases, for alerts. */
import type { Db } from '../../platform/db/connect.ts'
import { type Deadline, listDeadlines } from './deadlines.ts'
import { describe } from './service.ts'
import * as store from './store.ts'

/** Of all cases, however many: nothing that is due is left out. */
export async function listCaseDeadlines(
  db: Db,
  { workspaceId, at }: { workspaceId: string; at: Date },
): Promise<Deadline[]> {
  const rows = await store.listCases(db, workspaceId, {})
  const caseIds = rows.map(({ id }) => id)
  const facts = await store.listFacts(db, workspaceId, { caseIds, hasTexts: false })
  const byCase = Map.groupBy(facts, ({ caseId }) => caseId)
  const shown = rows.map((row) => describe({ now: () => at }, row, byCase.get(row.id) ?? []))
  return listDeadlines(shown, at)
}
