import type { Db } from '../../platform/db/connect.ts'
import { readDiscussions } from './store.ts'

/** To rows of vulnerabilities: who looks after each, and how many comments it has. */
export async function addDiscussions<Row extends { cveId: string }>(
  db: Db,
  workspaceId: string,
  rows: readonly Row[],
) {
  if (rows.length === 0) return []
  const ids = rows.map(({ cveId }) => cveId)
  const discussions = await readDiscussions(db, workspaceId, ids)
  return rows.map((row) => {
    const found = discussions.get(row.cveId)
    return { ...row, assignee: found?.assignee ?? null, commentCount: found?.commentCount ?? 0 }
  })
}
