/** Offers each device the update it is to install, or tells it to stop one. */
import { addMs } from '../../../formats/instants.ts'
import type { DesiredUpdate } from '../../../formats/device-messages/model.ts'
import type { AppContext } from '../../../platform/context.ts'
import { signArtifactUrl } from '../../artifacts/index.ts'
import { isInWindow } from '../phases.ts'
import * as store from './offers-store.ts'
import { finishUpdates } from './service.ts'
import { CANCEL_NOTICE_MS } from './state.ts'

type OfferContext = Pick<AppContext, 'db' | 'now' | 'log' | 'config' | 'signingKey'>

/**
 * The update for each device; null: none. Records the offers, and finishes the updates of devices that already run the
 * target. A new update replaces the cancel notice of the previous one.
 */
export async function offerUpdates(
  ctx: OfferContext,
  workspaceId: string,
  deviceIds: readonly string[],
): Promise<Map<string, DesiredUpdate | null>> {
  const desired = new Map<string, DesiredUpdate | null>(deviceIds.map((id) => [id, null]))
  await finishUpdates(ctx, workspaceId, deviceIds)
  const since = addMs(ctx.now(), -CANCEL_NOTICE_MS)
  const notices = await store.listCancelNotices(ctx.db, workspaceId, { deviceIds, since })
  for (const { deviceId, updateId } of notices) desired.set(deviceId, { updateId, cancel: true })
  const offers = await listOffers(ctx, workspaceId, deviceIds)
  const deploymentIds = [...new Set(offers.map(({ deploymentId }) => deploymentId))]
  if (offers.length === 0) return desired
  const files = await store.listDeployedArtifacts(ctx.db, workspaceId, deploymentIds)
  for (const { deviceId, deploymentId, updateId } of offers) {
    const artifacts = (files.get(deploymentId) ?? []).map((file) => {
      const { position, slug, version, isMain, fileName, sizeBytes: size, sha256 } = file
      const url = signArtifactUrl(ctx, { workspaceId, updateId, position, fileName })
      return { order: position, slug, version, isMain, url, size, sha256 }
    })
    desired.set(deviceId, { updateId, deploymentId, artifacts })
  }
  return desired
}

async function listOffers(
  ctx: OfferContext,
  workspaceId: string,
  deviceIds: readonly string[],
): Promise<store.OpenUpdate[]> {
  const open = await store.listOpenUpdates(ctx.db, workspaceId, deviceIds)
  const now = ctx.now()
  const due = open.filter(
    ({ state, options }) => state === 'inProgress' || isInWindow(options.maintenanceWindow, now),
  )
  return recordOffers(ctx, workspaceId, due)
}

/** Records the offer before answering: a device that saw an update must also see its cancellation. */
async function recordOffers(
  { db, now }: Pick<AppContext, 'db' | 'now'>,
  workspaceId: string,
  updates: readonly store.OpenUpdate[],
): Promise<store.OpenUpdate[]> {
  const updateIds = updates.flatMap(({ updateId, wasOffered }) => (wasOffered ? [] : updateId))
  if (updateIds.length === 0) return [...updates]
  const marked = new Set(await store.markOffered(db, workspaceId, { updateIds, now: now() }))
  return updates.filter(({ updateId, wasOffered }) => wasOffered || marked.has(updateId))
}

/** Offers one device its update, also outside its maintenance window, and records the offer. */
export async function offerUpdate(
  ctx: Pick<AppContext, 'db' | 'now'>,
  workspaceId: string,
  deviceId: string,
): Promise<store.OpenUpdate | undefined> {
  const open = await store.listOpenUpdates(ctx.db, workspaceId, [deviceId])
  const [update] = await recordOffers(ctx, workspaceId, open)
  return update
}
