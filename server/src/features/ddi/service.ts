/** The hawkBit door. Its actions are device updates; its feedback becomes reports like those of any other door. */
import { createHash } from 'node:crypto'
import { addMs, DAY_MS } from '../../formats/instants.ts'
import { isImageAttribute } from '../../formats/provenance/image-hash.ts'
import type { AppContext } from '../../platform/context.ts'
import { AppError, notFound } from '../../platform/errors.ts'
import {
  CANCEL_NOTICE_MS,
  type ChosenArtifact,
  isPart,
  listChosenArtifacts,
  readClientAbility,
  offerUpdate,
} from '../deployments/index.ts'
import type { DeviceDoors, DeviceReport } from '../devices/index.ts'
import {
  type Action,
  type Consent,
  isOpen,
  mayBegin,
  computeModuleId,
  selectOpenAction,
  parseModuleId,
  parseNumber,
  nameStatus,
  chooseTerms,
  waitsForConfirmation,
} from './actions.ts'
import type { Chunk, Controller, Deployment, OpenAction, Poll } from './answers.ts'
import {
  applyConfigData,
  type Attributes,
  hashCrash,
  readConfigData,
  readCrash,
  readReportedFirmware,
} from './attributes.ts'
import * as store from './store.ts'

export interface DdiContext extends AppContext {
  doors: DeviceDoors
}

/** The authenticated device. */
export interface Caller extends store.DeviceKey {
  /** The user agent. */
  client: string | undefined
}

export async function report(
  ctx: DdiContext,
  { workspaceId, deviceId, client }: Caller,
  message: DeviceReport['message'],
): Promise<void> {
  await ctx.doors.intake.receive({
    workspaceId,
    deviceId,
    door: 'Ddi',
    ...(client !== undefined && { client }),
    receivedAt: ctx.now(),
    message,
  })
}

/** A poll counts as a contact: the device is seen, and an update that it already runs succeeds. */
export async function poll(ctx: DdiContext, caller: Caller): Promise<Poll> {
  await report(ctx, caller, { kind: 'contact' })
  const device = await getDevice(ctx, caller)
  const actions = await listOpenActions(ctx, caller)
  return {
    sleepSeconds: jitter(device, caller.deviceId),
    wantsAttributes: wantsAttributes(device, actions, ctx.now()),
    action: await recordOffer(ctx, caller, selectOpenAction(actions, device, ctx.now())),
    installedNumber: await store.findInstalledNumber(ctx.db, caller),
  }
}

/**
 * The interval of this device: the same at each poll, so that clients which have the answer already are told so, and another one than
 * that of most other devices, so that those which were switched on together do not stay together.
 */
function jitter(
  { pollingSeconds, pollingJitterPercent }: store.DdiDevice,
  deviceId: string,
): number {
  if (pollingJitterPercent === 0) return pollingSeconds
  const share = createHash('sha256').update(deviceId).digest().readUInt32BE() / 2 ** 32
  return Math.round(pollingSeconds * (1 + ((2 * share - 1) * pollingJitterPercent) / 100))
}

async function listOpenActions(
  { db, now }: Pick<AppContext, 'db' | 'now'>,
  key: store.DeviceKey,
): Promise<Action[]> {
  return store.listOpenActions(db, key, addMs(now(), -CANCEL_NOTICE_MS))
}

/** Records the offer before answering: a device that saw an update must also see its cancellation. */
async function recordOffer(
  ctx: Pick<AppContext, 'db' | 'now'>,
  { workspaceId, deviceId }: store.DeviceKey,
  action: OpenAction | undefined,
): Promise<OpenAction | undefined> {
  if (!action || action.kind === 'cancel') return action
  const offered = await offerUpdate(ctx, workspaceId, deviceId)
  return offered?.number === action.number ? action : undefined
}

export async function getDevice(
  ctx: Pick<AppContext, 'db'>,
  key: store.DeviceKey,
): Promise<store.DdiDevice> {
  const device = await store.findDdiDevice(ctx.db, key)
  if (!device) throw notFound('device', key.deviceId)
  return device
}

const REFRESH_MS = DAY_MS
const SOONEST_MS = 10_000

/**
 * Asks for attributes at the first poll, after an installation, and once a day, as firmware may change in other ways.
 * Asks more often while an installed update is not seen running, but never at once: Zephyr's client answers and polls in
 * a loop.
 */
function wantsAttributes(
  { attributesWanted, attributesAt, pollingSeconds, statesVersions }: store.DdiDevice,
  actions: readonly Action[],
  now: Date,
): boolean {
  if (attributesWanted || !attributesAt) return true
  const age = now.getTime() - attributesAt.getTime()
  const isAwaited = statesVersions && actions.some((one) => isOpen(one) && one.installedAt)
  return age >= (isAwaited ? Math.max(SOONEST_MS, pollingSeconds * 500) : REFRESH_MS)
}

export async function receiveConfigData(
  ctx: DdiContext,
  caller: Caller,
  body: unknown,
): Promise<void> {
  const sent = readConfigData(body)
  const { versionAttribute, crashHash } = await getDevice(ctx, caller)
  const { before, attributes } = await ctx.db.transaction().execute(async (tx) => {
    const known = await store.lockAttributes(tx, caller)
    const after = applyConfigData(known, sent)
    // Stays wanted until they are reported below, and again if the device installs something meanwhile.
    const change = { attributesAt: null, attributesWanted: false }
    await store.upsertDdiDevice(tx, caller, { attributes: JSON.stringify(after), ...change })
    return { before: known, attributes: after }
  })
  const attributesGone = Object.keys(before).filter((name) => !Object.hasOwn(attributes, name))
  const slug = await store.findOnlyFirmware(ctx.db, caller)
  const firmware = readReportedFirmware(attributes, { versionAttribute, slug })
  const awaitsRestart = await mayAwaitRestart(ctx, caller, firmware)
  const reported = awaitsRestart ? [] : firmware
  const { crash, ...stated } = attributes
  // Before it restarts, it states the hash of the version that it is about to leave.
  const facts = awaitsRestart ? withoutImageHashes(stated) : stated
  const running = { firmware: reported, attributes: facts, attributesGone, unconfirmed: false }
  await report(ctx, caller, { kind: 'running', ...running })
  const told = crash === undefined ? undefined : hashCrash(crash)
  // Clients send all of their attributes again and again.
  if (crash !== undefined && told !== crashHash) await report(ctx, caller, readCrash(crash))
  await store.upsertDdiDevice(ctx.db, caller, {
    statesVersions: firmware.length > 0,
    attributesAt: ctx.now(),
    ...(told !== undefined && { crashHash: told }),
  })
}

const withoutImageHashes = (attributes: Attributes): Attributes =>
  Object.fromEntries(Object.entries(attributes).filter(([name]) => !isImageAttribute(name)))

/**
 * Whether the device installed an update but still names its old versions. It may restart later or may have fallen back;
 * the protocol does not distinguish these. The deadline of the update decides.
 */
async function mayAwaitRestart(
  ctx: Pick<AppContext, 'db' | 'now'>,
  key: store.DeviceKey,
  firmware: readonly { slug: string; version: string }[],
): Promise<boolean> {
  const actions = await listOpenActions(ctx, key)
  if (!actions.some((action) => isOpen(action) && action.installedAt)) return false
  const running = await store.listRunning(ctx.db, key)
  return firmware.every(({ slug, version }) =>
    running.some((one) => one.slug === slug && one.version === version),
  )
}

/** The action if it is released. Throws 410 for an attempt that another one followed. */
export async function getAction(
  ctx: Pick<AppContext, 'db'>,
  key: store.DeviceKey,
  id: string,
): Promise<Action> {
  const number = parseNumber(id)
  const action = number === undefined ? undefined : await store.findAction(ctx.db, key, number)
  if (action?.releasedAt) return action
  // Earlier attempts are known only by their number.
  if (number !== undefined && !action && number < (await store.findNewestNumber(ctx.db, key)))
    throw actionClosed(number)
  throw notFound('action', id)
}

export function actionClosed(number: number): AppError {
  return new AppError('gone', 'action-closed', `The action ${number} is closed.`)
}

export async function getDeployment(
  ctx: DdiContext,
  caller: Caller,
  { actionId, actionHistory }: { actionId: string; actionHistory: number },
): Promise<Deployment> {
  const { action, device } = await findActionAndDevice(ctx, caller, actionId)
  const isShown = isOpen(action) && action.isOffered && mayBegin(action, ctx.now())
  if (!isShown || waitsForConfirmation(action, device)) throw notFound('action', actionId)
  return readDeployment(ctx, caller, { action, device, actionHistory })
}

export async function getInstalled(
  ctx: DdiContext,
  caller: Caller,
  { actionId, actionHistory }: { actionId: string; actionHistory: number },
): Promise<Deployment> {
  const { action, device } = await findActionAndDevice(ctx, caller, actionId)
  if (action.state !== 'succeeded') throw notFound('action', actionId)
  return readDeployment(ctx, caller, { action, device, actionHistory })
}

export async function findActionAndDevice(
  ctx: Pick<AppContext, 'db'>,
  key: store.DeviceKey,
  actionId: string,
): Promise<{ action: Action; device: store.DdiDevice }> {
  return { action: await getAction(ctx, key, actionId), device: await getDevice(ctx, key) }
}

export async function readDeployment(
  ctx: Pick<AppContext, 'db' | 'now'>,
  key: store.DeviceKey,
  of: { action: Action; device: store.DdiDevice; actionHistory: number },
): Promise<Deployment> {
  const { action, device, actionHistory } = of
  const { number } = action
  const artifacts = await listArtifacts(ctx, key, action)
  const lines = device.feedbackNumber === number ? device.feedbackLines : []
  // The protocol defines: a negative number means all lines, and the newest line is first.
  const messages = actionHistory < 0 ? lines : lines.slice(-actionHistory)
  return {
    number,
    terms: chooseTerms(action, ctx.now()),
    chunks: artifacts.map((artifact) => createChunk(number, artifact)),
    history:
      actionHistory === 0
        ? undefined
        : { status: nameStatus(action, device), messages: messages.toReversed() },
  }
}

/** The software module, while its action is open. */
export async function getModule(
  ctx: Pick<AppContext, 'db'>,
  key: store.DeviceKey,
  moduleId: string,
): Promise<{ chunk: Chunk; artifact: ChosenArtifact }> {
  const of = parseModuleId(moduleId)
  const missing = notFound('software module', moduleId)
  if (!of) throw missing
  const action = await store.findAction(ctx.db, key, of.number)
  if (!action || !isOpen(action) || !action.isOffered) throw missing
  const artifacts = await listArtifacts(ctx, key, action)
  const artifact = artifacts.find(({ position }) => position === of.position)
  if (!artifact) throw missing
  return { chunk: createChunk(of.number, artifact), artifact }
}

/** The artifacts that the device's client is to install, in the order of installation. */
export async function listArtifacts(
  { db }: Pick<AppContext, 'db'>,
  { workspaceId, deviceId }: store.DeviceKey,
  { deploymentId, attempt, isRollback, client }: Action,
): Promise<ChosenArtifact[]> {
  return listChosenArtifacts(db, workspaceId, {
    deviceId,
    deploymentId,
    attempt,
    isRollback,
    client: readClientAbility(client),
  })
}

function createChunk(number: number, artifact: ChosenArtifact): Chunk {
  const { position, name, version } = artifact
  const { fileName, sizeBytes, sha256, sha1, md5 } = artifact
  const file = { fileName, sizeBytes, sha256, sha1, md5 }
  const part = isPart(artifact) ? (artifact.further?.role ?? artifact.part) : artifact.part
  return { moduleId: computeModuleId(number, position), part, name, version, file }
}

/** What the links in answers for this device need. */
export function createController(
  { config }: Pick<AppContext, 'config'>,
  { workspaceId, deviceId }: store.DeviceKey,
): Controller {
  return { publicUrl: config.publicUrl, workspaceId, deviceId }
}

export async function offerOpenAction(
  ctx: Pick<AppContext, 'db' | 'now'>,
  key: store.DeviceKey,
  device: Consent,
): Promise<OpenAction | undefined> {
  return recordOffer(ctx, key, selectOpenAction(await listOpenActions(ctx, key), device, ctx.now()))
}
