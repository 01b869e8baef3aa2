/** Commands on many things at once (batches) can be taken back, each once. */
import { AppError } from '../errors.ts'
import type { Tx } from './connect.ts'

interface Undone {
  undoneAt: Date | null
  undoneByEmail: string | null
}

/** `code`: of the problem, such as `device-batch-undone`. */
export function refuseUndone({ undoneAt, undoneByEmail }: Undone, code: string): void {
  if (undoneAt === null) return
  const who = undoneByEmail === null ? '' : ` by ${undoneByEmail}`
  throw new AppError(
    'conflict',
    code,
    `It was taken back${who} at ${undoneAt.toISOString()}; nothing was changed.`,
  )
}

export async function updateUndone(
  tx: Tx,
  table: 'alertIncidentBatches' | 'deviceBatches',
  { workspaceId, id }: { workspaceId: string; id: string },
  undone: Undone,
): Promise<void> {
  await tx
    .updateTable(table)
    .set(undone)
    .where('workspaceId', '=', workspaceId)
    .where('id', '=', id)
    .execute()
}
