import type { Db } from '../../../platform/db/connect.ts'
import type { UpdateState } from './state.ts'

export interface UpdatePage {
  deploymentId: string
  states: readonly UpdateState[] | undefined
  after: string | undefined
  limit: number
}

/** In the order of the devices' ids. */
export async function listDeviceUpdates(
  db: Db,
  workspaceId: string,
  { deploymentId, states, after, limit }: UpdatePage,
) {
  return db
    .selectFrom('deviceUpdates')
    .select(['deviceId', 'updateId', 'state', 'attempt', 'reason', 'progress', 'unconfirmed'])
    .select(['createdAt', 'releasedAt', 'startedAt', 'installedAt', 'finishedAt', 'deadlineAt'])
    .where('workspaceId', '=', workspaceId)
    .where('deploymentId', '=', deploymentId)
    .$if(states !== undefined, (query) => query.where('state', 'in', states ?? []))
    .$if(after !== undefined, (query) => query.where('deviceId', '>', after ?? ''))
    .orderBy('deviceId')
    .limit(limit)
    .execute()
}
