/** Counters of device updates by state, per deployment. They change in the same transaction as the device updates. */
import { sql } from 'kysely'
import type { Db } from '../../../platform/db/connect.ts'
import type { UpdateState } from './state.ts'

/** Collects changes of counters. Without `from` a device joins; without `to` it leaves. */
export class CounterChanges {
  private readonly byDeployment = new Map<string, Record<UpdateState, number>>()

  move(
    deploymentId: string,
    { from, to, devices = 1 }: { from?: UpdateState; to?: UpdateState; devices?: number },
  ): void {
    const counts = this.byDeployment.get(deploymentId) ?? {
      pending: 0,
      inProgress: 0,
      succeeded: 0,
      failed: 0,
      cancelled: 0,
    }
    if (from) counts[from] -= devices
    if (to) counts[to] += devices
    this.byDeployment.set(deploymentId, counts)
  }

  entries() {
    return [...this.byDeployment]
      .filter(([, counts]) => Object.values(counts).some((count) => count !== 0))
      .toSorted(([one], [other]) => (one < other ? -1 : 1))
  }
}

export async function updateCounters(
  tx: Db,
  workspaceId: string,
  moves: CounterChanges,
): Promise<void> {
  const entries = moves.entries()
  const ids = entries.map(([id]) => id)
  if (ids.length === 0) return
  if (ids.length > 1)
    await tx
      .selectFrom('deployments')
      .select('id')
      .where('workspaceId', '=', workspaceId)
      .where(sql<boolean>`id = any(${ids}::uuid[])`)
      .orderBy('id')
      .forNoKeyUpdate()
      .execute()
  const column = (state: UpdateState) => entries.map(([, counts]) => counts[state])
  await sql`
    update deployments as deployment
    set pending = deployment.pending + moved.pending, in_progress = deployment.in_progress + moved.in_progress,
      succeeded = deployment.succeeded + moved.succeeded, failed = deployment.failed + moved.failed,
      cancelled = deployment.cancelled + moved.cancelled
    from unnest(${ids}::uuid[], ${column('pending')}::integer[], ${column('inProgress')}::integer[],
      ${column('succeeded')}::integer[], ${column('failed')}::integer[], ${column('cancelled')}::integer[])
      as moved (id, pending, in_progress, succeeded, failed, cancelled)
    where deployment.workspace_id = ${workspaceId} and deployment.id = moved.id`.execute(tx)
}
