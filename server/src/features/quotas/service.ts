/** Uses quotas of workspaces, refuses what is over them, and tells what is used. */
import type { Actor } from '../../platform/actor.ts'
import type { AppContext } from '../../platform/context.ts'
import type { Db, Tx } from '../../platform/db/connect.ts'
import {
  addDifferences,
  findDifferences,
  readSnapshot,
  type WorkspaceCheck,
} from '../../platform/doctor/check.ts'
import type { AppError } from '../../platform/errors.ts'
import type { NodeMemory } from '../../platform/node-memory.ts'
import { addDays } from '../../formats/instants.ts'
import { recordAudit } from '../audit/index.ts'
import { listWorkspaceIds } from '../workspaces/index.ts'
import { createRefusal } from './problems.ts'
import {
  isNear,
  isWindowQuota,
  type KeptQuota,
  NO_LIMIT,
  type Quota,
  QUOTAS,
  USUAL_LIMITS,
  WARNING_SHARE,
  computeRequestsAtOnce,
  findWindow,
  type WindowQuota,
} from './quotas.ts'
import * as store from './store.ts'

type Settings = Pick<AppContext, 'config'>

/** What holds where the operator has set nothing for the workspace. */
function usualLimit({ config }: Settings, quota: Quota): number {
  if (quota === 'metricSeries') return config.telemetry.metricSeriesPerWorkspace
  return USUAL_LIMITS[quota]
}

/** `NO_LIMIT`: none. */
export async function readLimit(
  ctx: Settings,
  db: Db,
  { workspaceId, quota }: { workspaceId: string; quota: Quota },
): Promise<number> {
  const limits = await store.listLimits(db, workspaceId)
  const own = limits.find((one) => one.quota === quota)?.most
  return own ?? usualLimit(ctx, quota)
}

interface QuotaAmount {
  workspaceId: string
  quota: KeptQuota
  amount: number
}

/** Uses as much as fits, and answers how much that is. */
export async function takeWhatFits(
  ctx: Settings & Pick<AppContext, 'memory'>,
  tx: Tx,
  { workspaceId, quota, amount }: QuotaAmount,
): Promise<number> {
  const limit = usualLimit(ctx, quota)
  const granted = await store.takeKept(tx, { workspaceId, quota, amount, limit })
  if (granted < amount) forget(ctx.memory, workspaceId)
  return granted
}

/** Refuses when not all of it fits; the transaction has to be rolled back then. */
export async function takeAll(
  ctx: Settings & Pick<AppContext, 'memory'>,
  tx: Tx,
  kept: QuotaAmount,
): Promise<void> {
  const granted = await takeWhatFits(ctx, tx, kept)
  if (granted < kept.amount) throw await describeRefusal(ctx, tx, kept)
}

/** Before locks that others take while they hold the row. */
export const holdUsage = (tx: Tx, kept: Omit<QuotaAmount, 'amount'>): Promise<void> =>
  store.lockKept(tx, kept)

/** After something was deleted. Last in the transaction, as many share the row. */
export async function giveBack(tx: Tx, { workspaceId, quota, amount }: QuotaAmount): Promise<void> {
  if (amount !== 0) await store.takeKept(tx, { workspaceId, quota, amount: -amount, limit: null })
}

/** Versions are about to be deleted, and their files with them. */
export async function giveBackBytesOfVersions(
  tx: Tx,
  {
    workspaceId,
    firmwareVersionIds,
  }: { workspaceId: string; firmwareVersionIds: readonly string[] },
): Promise<void> {
  const amount = await store.sumBytesOfVersions(tx, workspaceId, firmwareVersionIds)
  await giveBack(tx, { workspaceId, quota: 'storedBytes', amount })
}

/** Refuses a file that would not fit, before it is read. Its bytes are used when it is stored. */
export async function requireRoom(
  ctx: Settings & Pick<AppContext, 'db'>,
  { workspaceId, bytes }: { workspaceId: string; bytes: number },
): Promise<void> {
  const limit = await readLimit(ctx, ctx.db, { workspaceId, quota: 'storedBytes' })
  if (limit >= NO_LIMIT) return
  const usage = await store.listUsage(ctx.db, workspaceId, [])
  const used = usage.find(({ quota }) => quota === 'storedBytes')?.used ?? 0
  if (used + bytes > limit) throw createRefusal({ quota: 'storedBytes', limit, used })
}

interface InWindow {
  workspaceId: string
  quota: WindowQuota
  /** Who has the limit for itself; default: the workspace as a whole. */
  subject?: string
  amount: number
}

type WindowContext = Pick<AppContext, 'config' | 'now' | 'memory'>

/** Uses as much of the present window as fits, and answers how much; the rest is counted as refused. */
export async function takeInWindow(
  ctx: WindowContext,
  db: Db,
  { workspaceId, quota, subject = '', amount }: InWindow,
): Promise<number> {
  const { beganAt } = findWindow(quota, ctx.now())
  const limit = usualLimit(ctx, quota)
  const taking = { workspaceId, quota, subject, beganAt, amount, limit }
  const granted = await store.takeInWindow(db, taking)
  if (granted < amount) forget(ctx.memory, workspaceId)
  return granted
}

/** Refuses when not all of it fits. */
export async function takeAllInWindow(ctx: WindowContext, tx: Tx, asked: InWindow): Promise<void> {
  if ((await takeInWindow(ctx, tx, asked)) < asked.amount)
    throw await describeRefusal(ctx, tx, asked)
}

export async function describeRefusal(
  ctx: Settings & Partial<Pick<AppContext, 'now'>>,
  db: Db,
  { workspaceId, quota }: { workspaceId: string; quota: Quota },
): Promise<AppError> {
  const limit = await readLimit(ctx, db, { workspaceId, quota })
  const now = ctx.now?.()
  if (!now || !isWindowQuota(quota)) return createRefusal({ quota, limit })
  return createRefusal({ quota, limit, now, endsAt: findWindow(quota, now).endsAt })
}

export interface QuotaUsage {
  name: Quota
  used: number
  /** null: none. */
  limit: number | null
  /** Whether the limit is the default of this service. */
  isDefault: boolean
  /** The length of the window; null: the quota limits what is there at a time. */
  windowSeconds: number | null
  resetsAt: Date | null
  /** What was refused or left out in the present window. */
  refused: number
  isNear: boolean
}

export async function readUsage(
  ctx: Pick<AppContext, 'config' | 'now' | 'db'>,
  workspaceId: string,
): Promise<QuotaUsage[]> {
  const now = ctx.now()
  const rows = await store.listUsage(ctx.db, workspaceId, presentWindows(now))
  const limits = await store.listLimits(ctx.db, workspaceId)
  return QUOTAS.map((name) => {
    const own = limits.find(({ quota }) => quota === name)?.most
    const most = own ?? usualLimit(ctx, name)
    const row = rows.find(({ quota }) => quota === name)
    return shownUsage({ name, row, most, isDefault: own === undefined }, now)
  })
}

interface OneUsage {
  name: Quota
  row: store.QuotaRow | undefined
  most: number
  isDefault: boolean
}

function shownUsage({ name, row, most, isDefault }: OneUsage, now: Date): QuotaUsage {
  const limit = most >= NO_LIMIT ? null : most
  const { used, refused } = row ?? { used: 0, refused: 0 }
  const window = isWindowQuota(name) ? findWindow(name, now) : undefined
  return {
    name,
    used,
    limit,
    isDefault,
    windowSeconds: window ? (window.endsAt.getTime() - window.beganAt.getTime()) / 1_000 : null,
    resetsAt: window?.endsAt ?? null,
    refused,
    isNear: isNear(used, limit),
  }
}

const presentWindows = (now: Date) =>
  QUOTAS.filter(isWindowQuota).map((quota) => ({ quota, beganAt: findWindow(quota, now).beganAt }))

/** Lists for operators what any workspace has used up to the share or more, most first. */
export async function listNearLimits(
  ctx: Pick<AppContext, 'config' | 'now' | 'db'>,
  share = WARNING_SHARE,
) {
  const defaults = QUOTAS.map((quota) => ({ quota, most: usualLimit(ctx, quota) }))
  const windows = presentWindows(ctx.now())
  return store.listNearLimits(ctx.db, { defaults, windows, share })
}

/** `null`: no limit. */
export type Limits = Partial<Record<Quota, number | null>>

export async function setLimits(
  ctx: AppContext,
  {
    workspaceId,
    limits,
    isReset,
    actor,
  }: { workspaceId: string; limits: Limits; isReset: boolean; actor: Actor },
): Promise<void> {
  await ctx.db.transaction().execute(async (tx) => {
    if (isReset) await store.deleteLimits(tx, workspaceId)
    for (const [quota, limit] of Object.entries(limits) as [Quota, number | null][])
      await store.upsertLimit(tx, { workspaceId, quota, most: limit ?? NO_LIMIT })
    const entry = { workspaceId, actor, resourceType: 'workspace', resourceId: workspaceId }
    await recordAudit(ctx, tx, { ...entry, action: 'workspace.limit', after: { isReset, limits } })
  })
}

const SEEN_MS = 30_000
const REFUSED_MS = 2_000

interface SeenWorkspace {
  seenAt: number
  /** Names of quotas that are nearly used up, with what is used. */
  warnings: string
  requestLimit: number | null
  window: number
  /** Requests of the window that this node may still answer. */
  left: number
  refusedUntil: number
  asking?: Promise<void> | undefined
}

const seenWorkspaces = () => new Map<string, SeenWorkspace>()

/** The next request sees what is used anew. */
function forget(memory: NodeMemory, workspaceId: string): void {
  const seen = memory.of(seenWorkspaces).get(workspaceId)
  if (seen) seen.seenAt = 0
}

type RequestContext = Pick<AppContext, 'config' | 'now' | 'db' | 'memory'>

/** Counts a request. Answers what the workspace is to be warned of, as of at most 30 seconds ago; '': nothing. */
export async function takeRequest(ctx: RequestContext, workspaceId: string): Promise<string> {
  const seen = await lookAt(ctx, workspaceId)
  const now = ctx.now()
  const { beganAt, endsAt } = findWindow('apiRequestsPerHour', now)
  if (seen.window !== beganAt.getTime())
    Object.assign(seen, { window: beganAt.getTime(), left: 0, refusedUntil: 0 })
  const refused = () =>
    createRefusal({
      quota: 'apiRequestsPerHour',
      limit: seen.requestLimit ?? NO_LIMIT,
      endsAt,
      now,
    })
  if (now.getTime() < seen.refusedUntil) throw refused()
  while (seen.left <= 0) {
    seen.asking ??= takeRequests(ctx, workspaceId, seen).finally(() => (seen.asking = undefined))
    await seen.asking
    if (now.getTime() < seen.refusedUntil) throw refused()
  }
  seen.left -= 1
  return seen.warnings
}

async function takeRequests(
  ctx: RequestContext,
  workspaceId: string,
  seen: SeenWorkspace,
): Promise<void> {
  const asked = { workspaceId, quota: 'apiRequestsPerHour' } as const
  const amount = computeRequestsAtOnce(seen.requestLimit)
  const granted = await takeInWindow(ctx, ctx.db, { ...asked, amount })
  seen.left += granted
  if (granted === 0) seen.refusedUntil = ctx.now().getTime() + REFUSED_MS
}

async function lookAt(ctx: RequestContext, workspaceId: string): Promise<SeenWorkspace> {
  const all = ctx.memory.of(seenWorkspaces)
  const known = all.get(workspaceId)
  const at = ctx.now().getTime()
  if (known && Math.abs(at - known.seenAt) < SEEN_MS) return known
  const usage = await readUsage(ctx, workspaceId)
  const near = usage.filter((one) => one.isNear)
  const warnings = near
    .map(({ name, used, limit }) => `${name};used=${used};limit=${limit}`)
    .join(', ')
  const requestLimit = usage.find(({ name }) => name === 'apiRequestsPerHour')?.limit ?? null
  const fresh = { left: 0, window: 0, refusedUntil: 0 }
  const seen = Object.assign(known ?? fresh, { seenAt: at, warnings, requestLimit })
  all.set(workspaceId, seen)
  return seen
}

/** Windows that ended are of no use; a day's are kept for a while, to look at. */
const KEPT_DAYS = 2

export async function sweepUsageWindows({ db, now }: Pick<AppContext, 'db' | 'now'>) {
  for (const workspaceId of await listWorkspaceIds(db))
    await store.deleteWindowsBefore(db, workspaceId, addDays(now(), -KEPT_DAYS))
}

export const quotaChecks: readonly WorkspaceCheck[] = [
  {
    scope: 'Workspace',
    name: 'usage',
    meaning: 'stored bytes, devices and series are what a recount gives',
    find: (ctx, workspaceId) =>
      readSnapshot(ctx, (db) => findDifferences(db, store.USAGE_ROWS, workspaceId)),
    repair: ({ db }, workspaceId) => addDifferences(db, store.USAGE_ROWS, workspaceId),
  },
]
