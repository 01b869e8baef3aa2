/** Devices are asked to replace keys that are older than the team wants, spread over a day. */
import { formatCountOf, formatNumber } from '../../formats/counts.ts'
import { addMs, DAY_MS } from '../../formats/instants.ts'
import type { Actor } from '../../platform/actor.ts'
import type { AppContext } from '../../platform/context.ts'
import type { Db, Tx } from '../../platform/db/connect.ts'
import { invalid, notFound } from '../../platform/errors.ts'
import { isUuid } from '../../platform/ids.ts'
import { startTicker } from '../../platform/ticker.ts'
import { getCohort } from '../cohorts/index.ts'
import { signalDesiredChange } from '../devices/index.ts'
import { ask, recordBulk } from './service.ts'
import * as store from './key-ages-store.ts'

const EVERY_MS = 5 * 60_000
const PASSES_A_DAY = DAY_MS / EVERY_MS
/** In one pass. */
const MOST_ASKED = 5_000
/** Keys or requests that one turn of a workspace looks at, in one transaction. */
const TURN = 1_000
/** In one pass, of each kind; the next pass goes on where they ended. */
const MOST_TURNS = 20
/** Devices that one statement counts. */
const COUNTED_AT_ONCE = 10_000

const SERVICE: Actor = { type: 'System', id: undefined, email: undefined, requestId: undefined }

export function startKeyAges(ctx: AppContext): () => Promise<void> {
  const { stop } = startTicker({
    everyMs: EVERY_MS,
    work: () => askForOldKeys(ctx),
    log: ctx.log,
    failure: 'asking devices to replace old keys failed',
  })
  return stop
}

/** How far the passes of this node came in a workspace. A node that starts anew begins with the oldest key. */
interface Walk {
  /** In the order of keys by age. */
  keys: store.KeyPosition | undefined
  /** In the order of devices. */
  requests: string
}

const createWalks = () => new Map<string, Walk>()

/** A workspace of which a pass has not seen enough. */
interface Turns {
  workspaceId: string
  fewestDays: number | null
  walk: Walk
  /** Requests that are no longer wanted end first. */
  kind: 'end' | 'ask'
  left: number
  /** Counted once it is needed. */
  share: number | undefined
}

/** Workspaces take turns, so that a large one does not keep the others waiting. A failure ends the turns of one workspace alone. */
export async function askForOldKeys(ctx: AppContext): Promise<void> {
  const walks = ctx.memory.of(createWalks)
  const found = await store.listWorkspacesWithAges(ctx.db)
  const wanted = new Set(found.map(({ workspaceId }) => workspaceId))
  for (const workspaceId of walks.keys()) if (!wanted.has(workspaceId)) walks.delete(workspaceId)
  let waiting = found.map((workspace): Turns => {
    const walk = walks.get(workspace.workspaceId) ?? { keys: undefined, requests: '' }
    walks.set(workspace.workspaceId, walk)
    return { ...workspace, walk, kind: 'end', left: MOST_TURNS, share: undefined }
  })
  while (waiting.length > 0) {
    const again: Turns[] = []
    for (const turns of waiting) if (await takeTurn(ctx, turns)) again.push(turns)
    waiting = again
  }
}

/** Whether the workspace has another one in this pass. */
async function takeTurn(ctx: AppContext, turns: Turns): Promise<boolean> {
  const { workspaceId, kind, walk } = turns
  try {
    if (kind === 'ask') turns.share ??= shareOf(await countKeyOwners(ctx.db, workspaceId))
    const seen = await ctx.db.transaction().execute(async (tx) => {
      if (!(await store.tryLockAsking(tx, workspaceId))) return undefined
      return kind === 'end' ? endUnwanted(ctx, tx, turns) : askDue(ctx, tx, turns)
    })
    if (!seen) return false
    // Only now is it certain that they were asked.
    Object.assign(walk, seen.walk)
    turns.left -= 1
    if (!seen.isAll && turns.left > 0) return true
    if (kind === 'ask' || turns.fewestDays === null) return false
    Object.assign(turns, { kind: 'ask', left: MOST_TURNS })
    return true
  } catch (error) {
    ctx.log.error({ err: error, workspaceId }, 'asking devices to replace old keys failed')
    return false
  }
}

/** What a turn has seen: where the next one begins, and whether nothing is left for this pass. */
interface Seen {
  walk: Partial<Walk>
  isAll: boolean
}

/** How many devices of so many are asked in one pass, so that all of them take a day. */
const shareOf = (devices: number) => Math.min(MOST_ASKED, Math.ceil(devices / PASSES_A_DAY))

async function countKeyOwners(db: Db, workspaceId: string): Promise<number> {
  let counted = 0
  for (let after = ''; ;) {
    const query = { workspaceId, after, limit: COUNTED_AT_ONCE }
    const { devices, lastId } = await store.countKeyOwners(db, query)
    counted += devices
    if (devices < COUNTED_AT_ONCE || lastId === null) return counted
    after = lastId
  }
}

async function endUnwanted(ctx: AppContext, tx: Tx, { workspaceId, walk }: Turns): Promise<Seen> {
  const open = { workspaceId, after: walk.requests, limit: TURN }
  const deviceIds = await store.listOpenScheduled(tx, open)
  const last = deviceIds.length === TURN ? deviceIds.at(-1) : undefined
  const seen = { walk: { requests: last ?? '' }, isAll: last === undefined }
  if (deviceIds.length === 0) return seen
  const ended = await store.deleteUnwanted(tx, { workspaceId, now: ctx.now(), deviceIds })
  if (ended.length === 0) return seen
  await signalDesiredChange(tx, workspaceId, ended)
  const counts = { cancelled: ended.length, left: 0 }
  const entry = { workspaceId, actor: SERVICE, counts, asked: ended }
  await recordBulk(ctx, tx, { ...entry, action: 'device-key.cancel-rotations' })
  return seen
}

async function askDue(ctx: AppContext, tx: Tx, turns: Turns): Promise<Seen> {
  const { workspaceId, walk, fewestDays, share = 0 } = turns
  const now = ctx.now()
  // Other nodes have passes of their own, and a node that starts again begins a new one.
  const asked = await store.countAskedSince(tx, { workspaceId, since: addMs(now, -EVERY_MS) })
  const most = share - asked
  if (most <= 0) return { walk: {}, isAll: true }
  const madeUntil = addMs(now, -(fewestDays ?? 0) * DAY_MS)
  const old = { workspaceId, madeUntil, after: walk.keys, limit: TURN }
  const keys = await store.listOldKeys(tx, old)
  const deviceIds = [...new Set(keys.map(({ deviceId }) => deviceId))]
  const due = await store.listDueDevices(tx, { workspaceId, now, deviceIds, most })
  if (due.length > 0) await askDevices(ctx, tx, workspaceId, due)
  if (due.length === most) return { walk: { keys: due.at(-1) }, isAll: true }
  const last = keys.length === TURN ? keys.at(-1) : undefined
  return { walk: { keys: last }, isAll: last === undefined }
}

async function askDevices(
  ctx: AppContext,
  tx: Tx,
  workspaceId: string,
  due: readonly store.KeyPosition[],
): Promise<void> {
  const deviceIds = due.map(({ deviceId }) => deviceId)
  const asking = { workspaceId, deviceIds, actor: SERVICE, isScheduled: true }
  const { asked } = await ask(ctx, tx, asking)
  const counts = { asked: asked.length, isScheduled: true }
  const entry = { workspaceId, actor: SERVICE, counts, asked }
  await recordBulk(ctx, tx, { ...entry, action: 'device-key.bulk-ask-rotation' })
}

interface AgesAsked {
  workspaceId: string
  /** As if so many days were wanted; undefined: as it is saved. */
  days?: number | undefined
  /** Of the devices of this cohort; undefined: of those that go by the workspace. */
  deploymentCohortId?: string | undefined
}

/** What holds, or what would hold with other days. Changes nothing. */
export async function getKeyAges(ctx: Pick<AppContext, 'now'>, db: Db, asked: AgesAsked) {
  const { workspaceId, days, deploymentCohortId } = asked
  if (days === undefined && deploymentCohortId !== undefined)
    throw invalid('Say which days the cohort would have.', '/days')
  if (deploymentCohortId !== undefined) {
    if (!isUuid(deploymentCohortId)) throw notFound('deployment cohort', deploymentCohortId)
    await getCohort(db, workspaceId, deploymentCohortId)
  }
  const instead = days === undefined ? undefined : { cohortId: deploymentCohortId ?? null, days }
  const rows = await store.countKeyAges(db, { workspaceId, now: ctx.now(), instead })
  const askable = await countKeyOwners(db, workspaceId)
  const count = (state: store.KeyAgeState) => rows.find((row) => row.state === state)?.devices ?? 0
  const oldest = rows
    .flatMap(({ oldestAt }) => (oldestAt ? [oldestAt.getTime()] : []))
    .reduce((one, other) => Math.min(one, other), Number.POSITIVE_INFINITY)
  const ages: Ages = {
    devices: rows.reduce((sum, { devices }) => sum + devices, 0),
    young: count('young'),
    due: count('due'),
    away: count('away'),
    asked: count('asked'),
    told: count('told'),
    fetched: count('fetched'),
    unable: count('unable'),
    hawkbit: count('hawkbit'),
    withoutOwnKey: count('withoutOwnKey'),
    oldestKeyAt: Number.isFinite(oldest) ? new Date(oldest) : null,
    asksPerHour: shareOf(askable) * (PASSES_A_DAY / 24),
  }
  return { ...ages, standing: describeAges(ages) }
}

interface Ages extends Record<store.KeyAgeState, number> {
  devices: number
  oldestKeyAt: Date | null
  asksPerHour: number
}

/** Nobody shall read silence as safety: who cannot replace a key is said with a count. */
function describeAges(ages: Ages): string {
  const { devices, due, away, asked, told, fetched, asksPerHour } = ages
  if (devices === 0) return 'No age is wanted of the keys of any device.'
  const older = due + away + asked + told + fetched + ages.unable
  const sentences = [
    `Own keys that are older than wanted, or being replaced: ${formatNumber(older)} of ${formatCountOf(devices, 'device')}.`,
    due > 0 &&
      `${formatCountOf(due, 'device')} will be asked, at most ${formatNumber(asksPerHour)} an hour.`,
    away > 0 && `Asked once in contact again: ${formatCountOf(away, 'device')}.`,
    describeUnable(ages),
  ]
  return sentences.filter((sentence) => sentence !== false).join(' ')
}

function describeUnable({ unable, hawkbit, withoutOwnKey }: Ages): string | false {
  const cannot = unable + hawkbit + withoutOwnKey
  const kinds = [
    unable > 0 && `${formatNumber(unable)} told in vain`,
    hawkbit > 0 && formatCountOf(hawkbit, 'hawkBit client'),
    withoutOwnKey > 0 && `${formatNumber(withoutOwnKey)} without an own key`,
  ].filter((kind) => kind !== false)
  return (
    cannot > 0 &&
    `Cannot replace a key and keep what they have: ${formatCountOf(cannot, 'device')} (${kinds.join(', ')}).`
  )
}
