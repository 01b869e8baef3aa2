/** Offers each device the update it is to install, or tells it to stop one. */
import { addMs } from '../../../formats/instants.ts'
import type { DesiredUpdate } from '../../../formats/device-messages/model.ts'
import type { AppContext } from '../../../platform/context.ts'
import type { Db } from '../../../platform/db/connect.ts'
import { isPartRole, signArtifactUrl } from '../../artifacts/index.ts'
import { isInWindow } from '../phases.ts'
import { findClientLimitation } from '../readiness/planned-artifacts.ts'
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
  const choose = await readChoices(ctx.db, workspaceId, { offers, files })
  for (const offer of offers) {
    const { deviceId, deploymentId, updateId } = offer
    const artifacts = choose(offer).map((file) => {
      const { position, slug, version, isMain, fileName, sizeBytes: size, sha256, further } = file
      const artifactId = further && { artifactId: further.artifactId }
      const link = { workspaceId, updateId, position, fileName, ...artifactId }
      const url = signArtifactUrl(ctx, link)
      return { order: position, slug, version, isMain, url, size, sha256, ...nameRole(further) }
    })
    desired.set(deviceId, { updateId, deploymentId, artifacts })
  }
  return desired
}

function nameRole(further: ChosenArtifact['further']) {
  if (!further) return undefined
  const { role, baseVersion } = further
  return { role, ...(baseVersion !== null && { baseVersion }) }
}

type Offer = Pick<store.OpenUpdate, 'deviceId' | 'deploymentId' | 'attempt' | 'isRollback'>

/** Chooses the artifacts of each offer. Most versions have one artifact only, and then nothing is read. */
async function readChoices(
  db: Db,
  workspaceId: string,
  {
    offers,
    files,
  }: { offers: readonly Offer[]; files: ReadonlyMap<string, store.DeployedArtifact[]> },
): Promise<(offer: Offer, client?: ClientAbility) => ChosenArtifact[]> {
  const further = await listFurther(db, workspaceId, [...files.values()].flat())
  const versionIds = further.flatMap(({ baseVersionId }) => baseVersionId ?? [])
  const deviceIds = offers.map(({ deviceId }) => deviceId)
  const running =
    versionIds.length === 0
      ? new Map<string, Set<string>>()
      : await store.listRunningOf(db, workspaceId, { deviceIds, versionIds })
  return (offer, client = ABLE) =>
    chooseArtifacts(files.get(offer.deploymentId) ?? [], further, {
      runs: running.get(offer.deviceId) ?? new Set(),
      needsImage: findNeedOfImage(offer, client),
      takesParts: client.takesParts,
    })
}

async function listFurther(
  db: Db,
  workspaceId: string,
  artifacts: readonly store.DeployedArtifact[],
) {
  const versionIds = artifacts.flatMap((one) => (one.hasRoles ? one.firmwareVersionId : []))
  return versionIds.length === 0 ? [] : store.listRoleFiles(db, workspaceId, versionIds)
}

/** The artifacts that one device is to install, whichever it takes of each version. */
export async function listChosenArtifacts(
  db: Db,
  workspaceId: string,
  { client, ...offer }: Offer & { client: ClientAbility },
): Promise<ChosenArtifact[]> {
  const files = await store.listDeployedArtifacts(db, workspaceId, [offer.deploymentId])
  const choose = await readChoices(db, workspaceId, { offers: [offer], files })
  return choose(offer, client)
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

export interface ClientAbility {
  takesDeltas: boolean
  /** Whether it takes several artifacts of a version. */
  takesParts: boolean
}

/** Devices with software of their own read what each artifact is. */
export const ABLE: ClientAbility = { takesDeltas: true, takesParts: true }

const SEVERAL = [{ part: 'bApp' }, { part: 'bApp' }]

/** What a hawkBit client takes, known by its user agent. */
export const readClientAbility = (client: string | null): ClientAbility => ({
  // Zephyr's client, which sends no user agent, writes what it gets into a slot.
  takesDeltas: client !== null,
  takesParts: findClientLimitation(client, SEVERAL) === undefined,
})

/** Why a device gets the full image whatever it runs; undefined: a delta may do. */
export function findNeedOfImage(
  { attempt, isRollback }: { attempt: number; isRollback: boolean },
  { takesDeltas }: ClientAbility,
): 'ClientTakesNoDelta' | 'RollBack' | 'AttemptFailed' | undefined {
  if (!takesDeltas) return 'ClientTakesNoDelta'
  // After a failure and on the way back the full image is safer: it does not depend on what is there.
  if (isRollback) return 'RollBack'
  return attempt > 1 ? 'AttemptFailed' : undefined
}

export const OFFER_REASONS = [
  'RunsBase',
  'NoDelta',
  'RunsNoBase',
  'DeployedBefore',
  'AttemptFailed',
  'RollBack',
  'ClientTakesNoDelta',
  'Part',
] as const

export interface ChosenArtifact extends store.DeployedArtifact {
  /** undefined: the full image. */
  further?: { artifactId: string; role: string; baseVersion: string | null }
  reason: (typeof OFFER_REASONS)[number]
}

/** Whether it is beside the image, and not in its place as a delta is. */
export const isPart = ({ further }: ChosenArtifact): boolean => further?.baseVersion === null

interface Taker {
  /** The versions that the device reported to run. */
  runs: ReadonlySet<string>
  needsImage: ReturnType<typeof findNeedOfImage>
  takesParts: boolean
}

/**
 * Of each version the delta from exactly what the device runs, otherwise the full image; behind them the parts. A part has a position
 * of its own. The positions of the others are those of the deployment, whatever is chosen.
 */
export function chooseArtifacts(
  held: readonly store.DeployedArtifact[],
  further: readonly store.RoleFile[],
  taker: Taker,
): ChosenArtifact[] {
  const mains = held.map((image) => chooseMain(image, further, taker))
  const parts = held.flatMap((image) =>
    further
      .filter((one) => one.firmwareVersionId === image.firmwareVersionId && isPartRole(one.role))
      .map((part) => replaceFile(image, part, 'Part')),
  )
  if (!taker.takesParts) return mains
  return [...mains, ...parts.map((part, index) => ({ ...part, position: held.length + index }))]
}

function chooseMain(
  image: store.DeployedArtifact,
  further: readonly store.RoleFile[],
  { runs, needsImage }: Taker,
): ChosenArtifact {
  const deltas = further.flatMap(({ baseVersionId, ...file }) =>
    file.firmwareVersionId === image.firmwareVersionId && baseVersionId !== null
      ? { ...file, baseVersionId }
      : [],
  )
  if (deltas.length === 0) return { ...image, reason: 'NoDelta' }
  if (needsImage) return { ...image, reason: needsImage }
  const delta = deltas.find(({ baseVersionId }) => runs.has(baseVersionId))
  if (!delta) return { ...image, reason: 'RunsNoBase' }
  return isLate(delta, image)
    ? { ...image, reason: 'DeployedBefore' }
    : replaceFile(image, delta, 'RunsBase')
}

/** Whether the deployment was made before the delta was added: what it installs is what the release gate saw. */
const isLate = (
  { offeredFrom }: Pick<store.RoleFile, 'offeredFrom'>,
  { deployedAt }: store.DeployedArtifact,
): boolean => offeredFrom !== null && deployedAt !== null && deployedAt < offeredFrom

function replaceFile(
  image: store.DeployedArtifact,
  file: store.RoleFile,
  reason: ChosenArtifact['reason'],
): ChosenArtifact {
  const { artifactId, role, baseVersion, blobId, fileName, sizeBytes, sha256, sha1, md5 } = file
  const stored = { blobId, fileName, sizeBytes, sha256, sha1, md5 }
  return { ...image, ...stored, further: { artifactId, role, baseVersion }, reason }
}
