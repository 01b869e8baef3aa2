import type { AppContext } from '../../../platform/context.ts'
import { decodeCursor, encodeCursor } from '../../../platform/http/cursor.ts'
import { DEFAULT_LIMIT } from '../../../platform/http/schemas.ts'
import { getDeployment } from '../service.ts'
import * as store from './store.ts'
import type { UpdateState } from './state.ts'

export interface ListDeviceUpdates {
  workspaceId: string
  deploymentCohortId: string
  deploymentId: string
  limit?: number
  cursor?: string
  filter?: { states?: UpdateState[] }
}

export async function listDeviceUpdates(
  ctx: Pick<AppContext, 'db' | 'now' | 'signingKey'>,
  input: ListDeviceUpdates,
) {
  const { workspaceId, limit = DEFAULT_LIMIT, cursor, filter = {} } = input
  const { id: deploymentId } = await getDeployment(ctx.db, input)
  const scope = ['device-updates', workspaceId, deploymentId, filter]
  const position = cursor === undefined ? undefined : decodeCursor(ctx.signingKey, scope, cursor)
  const after = position && String(position.after[0])
  // No state at all is met by no update; the query builder would write an empty list, which is no SQL.
  const states = filter.states?.length === 0 ? undefined : filter.states
  const page = { deploymentId, states, after, limit: limit + 1 }
  const isEmpty = filter.states?.length === 0
  const rows = isEmpty ? [] : await store.listDeviceUpdates(ctx.db, workspaceId, page)
  const deviceUpdates = rows.slice(0, limit)
  const last = deviceUpdates.at(-1)
  if (rows.length <= limit || !last) return { deviceUpdates, hasMore: false }
  const next = { after: [last.deviceId], asOf: position?.asOf ?? ctx.now().getTime() }
  const nextCursor = encodeCursor(ctx.signingKey, scope, next)
  return { deviceUpdates, hasMore: true, nextCursor }
}
