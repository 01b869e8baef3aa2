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
/** In one transaction, and one audit entry. */
const MOST_ASKED = 5_000

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

/** A failure is logged, so that it does not keep other workspaces waiting. */
export async function askForOldKeys(ctx: AppContext): Promise<void> {
  for (const workspaceId of await store.listWorkspacesWithAges(ctx.db)) {
    try {
      await ctx.db.transaction().execute((tx) => askWorkspace(ctx, tx, workspaceId))
    } catch (error) {
      ctx.log.error({ err: error, workspaceId }, 'asking devices to replace old keys failed')
    }
  }
}

/** How many devices of so many are asked in one pass, so that all of them take a day. */
const shareOf = (devices: number) => Math.min(MOST_ASKED, Math.ceil(devices / PASSES_A_DAY))

async function askWorkspace(ctx: AppContext, tx: Tx, workspaceId: string): Promise<void> {
  if (!(await store.tryLockAsking(tx, workspaceId))) return
  const query = { workspaceId, now: ctx.now() }
  const cancelled = await store.deleteUnwanted(tx, query)
  if (cancelled.length > 0) {
    await signalDesiredChange(tx, workspaceId, cancelled)
    const counts = { cancelled: cancelled.length, left: 0 }
    const entry = { workspaceId, actor: SERVICE, counts, asked: cancelled }
    await recordBulk(ctx, tx, { ...entry, action: 'device-key.cancel-rotations' })
  }
  // Other nodes have passes of their own, and a node that starts again begins a new one.
  const since = addMs(query.now, -EVERY_MS)
  const { devices, askedSince } = await store.countAskable(tx, { workspaceId, since })
  const most = shareOf(devices) - askedSince
  const deviceIds = most > 0 ? await store.listDueDevices(tx, { ...query, most }) : []
  if (deviceIds.length === 0) return
  const { asked } = await ask(ctx, tx, {
    workspaceId,
    deviceIds,
    actor: SERVICE,
    isScheduled: true,
  })
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
  const since = ctx.now()
  const { devices: askable } = await store.countAskable(db, { workspaceId, since })
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
