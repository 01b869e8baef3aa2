/**
 * Keeps up to date what lists of a workspace are sorted by and what changes outside it: devices that run packages, and names
 * and EPSS scores of vulnerabilities.
 */
import { HOUR_MS } from '../../../formats/instants.ts'
import type { AppContext } from '../../../platform/context.ts'
import type { Db } from '../../../platform/db/connect.ts'
import { startTicker, type Ticker } from '../../../platform/ticker.ts'
import { listWorkspaceIds } from '../../workspaces/index.ts'
import { AcceptancesOutdated, KeptOutdated } from '../schemas.ts'
import {
  hasAcceptanceBy,
  listOutdatedCopies,
  markRefreshed,
  readCopyAges,
  writeCopies,
  writeMagnitudes,
} from './copies-store.ts'
import { listDeviceMagnitudes, readKeptMagnitudes } from './device-counts-store.ts'
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
  for (const workspaceId of await listWorkspaceIds(db)) {
    const { areDevicesOld, areCopiesOld } = await findOutdated(ctx, workspaceId)
    if (areDevicesOld || areCopiesOld)
      await db.transaction().execute((tx) => queue.enqueue(tx, KeptOutdated, { workspaceId }))
  }
}

type Clocked = Pick<AppContext, 'db' | 'now' | 'queue'>

/** Several nodes may have asked for it, one after another. */
export async function refreshKept(ctx: Clocked, workspace: { workspaceId: string }): Promise<void> {
  const { areDevicesOld, areCopiesOld } = await findOutdated(ctx, workspace.workspaceId)
  if (areDevicesOld) await countDevices(ctx, workspace)
  if (areCopiesOld) await refreshCopies(ctx, workspace)
}

/** Sources seldom change names, and say when they change scores. */
async function findOutdated({ db, now }: Clocked, workspaceId: string) {
  const { areDevicesOld, areScoresOld, namesCopiedAt } = await readCopyAges(db, workspaceId)
  const age = now().getTime() - (namesCopiedAt?.getTime() ?? 0)
  return { areDevicesOld, areCopiesOld: areScoresOld || age >= HOUR_MS }
}

/** The revision is read before the scores are. */
export async function refreshCopies(
  { db, now, queue }: Clocked,
  { workspaceId }: { workspaceId: string },
): Promise<void> {
  const namesCopiedAt = now()
  const { scoreRevision } = await readCopyAges(db, workspaceId)
  const copies = await listOutdatedCopies(db, workspaceId)
  await db.transaction().execute(async (tx) => {
    await lockKeptOf(tx, workspaceId)
    await writeCopies(tx, workspaceId, copies)
    await markRefreshed(tx, workspaceId, { namesCopiedAt, scoreRevision })
    if (await hasAcceptanceBy(tx, workspaceId, 'epssAbove'))
      await queue.enqueue(tx, AcceptancesOutdated, { workspaceId })
  })
}

/** Counts the devices that run each package. Waits for whoever changes findings of the workspace. */
export async function countDevices(
  { db, now, queue }: Clocked,
  { workspaceId }: { workspaceId: string },
): Promise<void> {
  const devicesCountedAt = now()
  const { devicesCounted } = await readCopyAges(db, workspaceId)
  const magnitudes = await listDeviceMagnitudes(db, { workspaceId, filter: {} })
  await db.transaction().execute(async (tx) => {
    await lockKeptOf(tx, workspaceId)
    await writeMagnitudes(tx, workspaceId, magnitudes)
    await markRefreshed(tx, workspaceId, { devicesCountedAt, devicesCounted })
    if (await hasAcceptanceBy(tx, workspaceId, 'devicesAbove'))
      await queue.enqueue(tx, AcceptancesOutdated, { workspaceId })
  })
}

/** Packages with another number of devices than was counted. */
export async function listMiscounted(db: Db, workspaceId: string): Promise<string[]> {
  if ((await readCopyAges(db, workspaceId)).areDevicesOld) return []
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
  if ((await readCopyAges(db, workspaceId)).areScoresOld) return []
  const outdated = await listOutdatedCopies(db, workspaceId)
  const faults = outdated
    .filter(({ epssScore, copiedScore }) => epssScore !== copiedScore)
    .map(
      ({ vulnerabilityId, copiedScore, epssScore }) =>
        `${vulnerabilityId} is kept with EPSS score ${copiedScore} instead of ${epssScore}`,
    )
  return [...new Set(faults)]
}
