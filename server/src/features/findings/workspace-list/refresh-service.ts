/**
 * Keeps up to date what lists of a workspace are sorted by and what changes outside it: devices that run packages, and names
 * and EPSS scores of vulnerabilities.
 */
import { HOUR_MS } from '../../../formats/instants.ts'
import type { AppContext } from '../../../platform/context.ts'
import type { Db } from '../../../platform/db/connect.ts'
import { startTicker, type Ticker } from '../../../platform/ticker.ts'
import { listWorkspaceIds } from '../../workspaces/index.ts'
import { KeptOutdated } from '../schemas.ts'
import {
  findRefreshed,
  listOutdatedCopies,
  markRefreshed,
  readScoreRevision,
  writeCopies,
  writeMagnitudes,
} from './copies-store.ts'
import {
  hasChangedSince,
  listDeviceMagnitudes,
  readDeviceState,
  readKeptMagnitudes,
} from './device-counts-store.ts'
import { lockKeptOf } from './kept-store.ts'

/** Devices that move from one version to another change orders by risk within this time, and a few seconds. */
const REFRESH_EVERY_MS = 60_000

/** Has counted and copied again what lists need and what may have changed: a job for each of these workspaces. */
export function startKeptRefreshes(ctx: AppContext): Ticker {
  const ticker = startTicker({
    everyMs: REFRESH_EVERY_MS,
    work: () => askForRefreshes(ctx),
    log: ctx.log,
    failure: 'devices were not counted',
  })
  ticker.runNow()
  return ticker
}

export async function askForRefreshes(
  ctx: Pick<AppContext, 'db' | 'queue' | 'now'>,
): Promise<void> {
  const { db, queue } = ctx
  for (const workspaceId of await listWorkspaceIds(db))
    if (await isOutdated(ctx, workspaceId))
      await db.transaction().execute((tx) => queue.enqueue(tx, KeptOutdated, { workspaceId }))
}

async function isOutdated(ctx: Clocked, workspaceId: string): Promise<boolean> {
  if (!(await areDevicesCounted(ctx.db, workspaceId))) return true
  return areCopiesOld(ctx, workspaceId)
}

type Clocked = Pick<AppContext, 'db' | 'now'>

/** Several nodes may have asked for it, one after another. */
export async function refreshKept(ctx: Clocked, workspace: { workspaceId: string }): Promise<void> {
  const { workspaceId } = workspace
  if (!(await areDevicesCounted(ctx.db, workspaceId))) await countDevices(ctx, workspace)
  if (await areCopiesOld(ctx, workspaceId)) await refreshCopies(ctx, workspace)
}

/** Whether devices run what they ran when they were counted, and versions hold what they held. */
async function areDevicesCounted(db: Db, workspaceId: string): Promise<boolean> {
  const counted = await findRefreshed(db, workspaceId)
  const at = counted?.devicesCountedAt
  const isSame = counted?.devicesCounted === (await readDeviceState(db, workspaceId))
  return isSame && !!at && !(await hasChangedSince(db, workspaceId, at))
}

/** Sources seldom change names, and say when they change scores. */
async function areCopiesOld({ db, now }: Clocked, workspaceId: string): Promise<boolean> {
  const copiedAt = (await findRefreshed(db, workspaceId))?.namesCopiedAt?.getTime() ?? 0
  return now().getTime() - copiedAt >= HOUR_MS || areScoresOld(db, workspaceId)
}

async function areScoresOld(db: Db, workspaceId: string): Promise<boolean> {
  const copied = (await findRefreshed(db, workspaceId))?.scoreRevision
  return copied !== (await readScoreRevision(db))
}

/** The revision is read before the scores are. */
export async function refreshCopies(
  { db, now }: Clocked,
  { workspaceId }: { workspaceId: string },
): Promise<void> {
  const mark = { namesCopiedAt: now(), scoreRevision: await readScoreRevision(db) }
  const copies = await listOutdatedCopies(db, workspaceId)
  await db.transaction().execute(async (tx) => {
    await lockKeptOf(tx, workspaceId)
    await writeCopies(tx, workspaceId, copies)
    await markRefreshed(tx, workspaceId, mark)
  })
}

/** Counts the devices that run each package. Waits for whoever changes findings of the workspace. */
export async function countDevices(
  { db, now }: Clocked,
  { workspaceId }: { workspaceId: string },
): Promise<void> {
  const [at, state] = [now(), await readDeviceState(db, workspaceId)]
  const magnitudes = await listDeviceMagnitudes(db, { workspaceId, filter: {} })
  await db.transaction().execute(async (tx) => {
    await lockKeptOf(tx, workspaceId)
    await writeMagnitudes(tx, workspaceId, { magnitudes, state, at })
  })
}

/** Packages with another number of devices than was counted. */
export async function listMiscounted(db: Db, workspaceId: string): Promise<string[]> {
  if (!(await areDevicesCounted(db, workspaceId))) return []
  const now = await listDeviceMagnitudes(db, { workspaceId, filter: {} })
  const kept = await readKeptMagnitudes(db, workspaceId)
  return [...new Set([...now.keys(), ...kept.keys()])]
    .filter((id) => now.get(id) !== kept.get(id))
    .map(
      (id) =>
        `package ${id} is kept with magnitude ${kept.get(id) ?? 0} instead of ${now.get(id) ?? 0}`,
    )
}

/** Copies of EPSS scores that differ, though none changed since they were copied. */
export async function listMiscopied(db: Db, workspaceId: string): Promise<string[]> {
  if (await areScoresOld(db, workspaceId)) return []
  const outdated = await listOutdatedCopies(db, workspaceId)
  const faults = outdated
    .filter(({ epssScore, copiedScore }) => epssScore !== copiedScore)
    .map(
      ({ vulnerabilityId, copiedScore, epssScore }) =>
        `${vulnerabilityId} is kept with EPSS score ${copiedScore} instead of ${epssScore}`,
    )
  return [...new Set(faults)]
}
