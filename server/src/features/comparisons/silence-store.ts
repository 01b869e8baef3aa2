/** When the devices of a deployment were heard of last. */
import { sql } from 'kysely'
import type { Db } from '../../platform/db/connect.ts'
import { drawn, hasRunBefore } from './due-store.ts'
import type { Contact } from './silence.ts'
import type { DeploymentKey } from './store.ts'

/**
 * Devices that began the update or were told of it, whatever became of them, and those whose phase has not begun; so many of each at most, always the same
 * ones. One that is connected is heard of now.
 */
export async function listContacts(
  db: Db,
  { workspaceId, deploymentId }: DeploymentKey,
  { now, since, limit }: { now: Date; since: Date | null; limit: number },
): Promise<Contact[]> {
  const heardAt = sql`case when device.connected then ${now}::timestamptz else device.last_seen_at end`
  // One that dies at once never says that it began.
  const ranAt = sql`case when updates.state = 'succeeded' then updates.finished_at
      else coalesce(updates.started_at, updates.offered_at) end`
  const { rows } = await sql<Contact>`
    (select updates.device_id, true as is_updated, ${ranAt} as at, ${heardAt} as heard_at
    from device_updates as updates
    join devices as device on device.workspace_id = updates.workspace_id and device.id = updates.device_id
    where updates.workspace_id = ${workspaceId} and updates.deployment_id = ${deploymentId}
      and updates.state <> 'cancelled' and updates.released_at is not null and ${ranAt} is not null
      and (${since}::timestamptz is null or ${ranAt} > ${since})
      and device.last_seen_at is not null and not ${hasRunBefore(workspaceId, deploymentId)}
    order by ${drawn} limit ${limit})
    union all
    (select updates.device_id, false as is_updated, null as at, ${heardAt} as heard_at
    from device_updates as updates
    join devices as device on device.workspace_id = updates.workspace_id and device.id = updates.device_id
    where updates.workspace_id = ${workspaceId} and updates.deployment_id = ${deploymentId}
      and updates.state = 'pending' and updates.released_at is null
      and device.last_seen_at is not null and not ${hasRunBefore(workspaceId, deploymentId)}
    order by ${drawn} limit ${limit})`.execute(db)
  return rows
}
