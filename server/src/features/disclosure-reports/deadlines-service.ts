import type { Db } from '../../platform/db/connect.ts'
import type { Deadline } from '../cases/index.ts'
import { listDeadlines } from './deadlines.ts'
import { listAllReports } from './service.ts'

/** Of all reports of the workspace, for alerts. */
export async function listReportDeadlines(
  db: Db,
  { workspaceId, at }: { workspaceId: string; at: Date },
): Promise<Deadline[]> {
  return listDeadlines(await listAllReports({ now: () => at }, db, workspaceId), at)
}
