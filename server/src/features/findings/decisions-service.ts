/** How decisions come to be written, whoever made them: a person, a VEX statement, an earlier version. */
import type { AppContext } from '../../platform/context.ts'
import type { Tx } from '../../platform/db/connect.ts'
import { newId } from '../../platform/ids.ts'
import { lockFirmwareVersion } from '../firmware/index.ts'
import { type DecisionRow, lockPackagesShared, writeDecisions } from './decisions-store.ts'

export type Decision = Omit<DecisionRow, 'id'>

/** Decisions on one finding come one after another, the last one wins, and each has its entry in the timeline. */
export async function recordDecisions(
  ctx: Pick<AppContext, 'now'>,
  tx: Tx,
  { workspaceId, decisions }: { workspaceId: string; decisions: readonly Decision[] },
): Promise<void> {
  const idsOf = (name: 'firmwareVersionId' | 'packageId') =>
    [...new Set(decisions.map((decision) => decision[name]))].toSorted()
  for (const id of idsOf('firmwareVersionId')) await lockFirmwareVersion(tx, workspaceId, id)
  await lockPackagesShared(tx, idsOf('packageId'))
  await writeLocked(ctx, tx, { workspaceId, decisions })
}

/** For those who hold the locks already. */
export async function writeLocked(
  { now }: Pick<AppContext, 'now'>,
  tx: Tx,
  { workspaceId, decisions }: { workspaceId: string; decisions: readonly Decision[] },
): Promise<void> {
  const rows = decisions.map((decision) => ({ id: newId(), ...decision }))
  await writeDecisions(tx, { workspaceId, rows, at: now() })
}
