/** Lists device updates: of one deployment, and of one device. */
import type { AppContext } from '../../../platform/context.ts'
import { openPage, type PageRequested } from '../../../platform/http/paging.ts'
import { getDevice } from '../../devices/index.ts'
import { type DeploymentNamed, getDeployment } from '../service.ts'
import type { UpdateState } from './state.ts'
import * as store from './store.ts'

export interface ListDeviceUpdates extends DeploymentNamed, PageRequested {
  filter?: { states?: UpdateState[]; reasons?: string[] }
}

export async function listDeviceUpdates(
  ctx: Pick<AppContext, 'db' | 'now' | 'signingKey'>,
  input: ListDeviceUpdates,
) {
  const { workspaceId, filter = {} } = input
  const { id: deploymentId } = await getDeployment(ctx.db, input)
  const page = openPage(ctx, ['device-updates', workspaceId, deploymentId, filter], input)
  const after = page.after && String(page.after[0])
  const { states, reasons } = filter
  const query = { deploymentId, states, reasons, after, limit: page.rowLimit }
  // An empty list of states matches nothing, but the query builder would write invalid SQL for it.
  const rows = states?.length === 0 ? [] : await store.findUpdatePage(ctx.db, workspaceId, query)
  const { page: deviceUpdates, next } = page.cut(rows, ({ deviceId }) => [deviceId])
  return { deviceUpdates, ...next }
}

/** Newest first: an attempt that follows another one counts as new. */
export async function listUpdatesOfDevice(
  ctx: Pick<AppContext, 'db' | 'now' | 'signingKey'>,
  input: { workspaceId: string; deviceId: string } & PageRequested,
) {
  const { workspaceId } = input
  const { id: deviceId } = await getDevice(ctx.db, workspaceId, input.deviceId)
  const page = openPage(ctx, ['updates-of-device', workspaceId, deviceId], input)
  const before = page.after && Number(page.after[0])
  const query = { deviceId, before, limit: page.rowLimit }
  const rows = await store.listUpdatesOfDevice(ctx.db, workspaceId, query)
  const { page: shown, next } = page.cut(rows, ({ number }) => [number])
  return { deviceUpdates: shown.map(withoutNumber), ...next }
}

function withoutNumber(row: store.UpdateOfDevice) {
  const { number: _, ...update } = row
  return update
}
