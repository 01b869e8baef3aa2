/**
 * Keeps up to date what lists of a workspace are sorted by and what changes outside it: devices that run packages, and names
 * and EPSS scores of vulnerabilities.
 */
import { HOUR_MS, MINUTE_MS } from '../../../formats/instants.ts'
import type { AppContext } from '../../../platform/context.ts'
import type { Db, Tx } from '../../../platform/db/connect.ts'
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
import { countMagnitudes, readHeldVersions, readKeptMagnitudes } from './device-counts-store.ts'
import { listMisplaced, listVersionContexts, writeContexts } from '../../ssvc/index.ts'
import { lockKeptOf } from './kept-store.ts'

/** Devices that move from one version to another change orders by risk within this time, and a few seconds. */
const REFRESH_EVERY_MS = 60_000
/** Devices that move to another cohort change outcomes of SSVC within this time, where cohorts have exposures. */
const COHORTS_EVERY_MS = 5 * MINUTE_MS

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
  const ages = await readCopyAges(db, workspaceId)
  const ageOf = (at: Date | null) => now().getTime() - (at?.getTime() ?? 0)
  const areCohortsOld = ages.areCohortsExposed && ageOf(ages.devicesCountedAt) >= COHORTS_EVERY_MS
  return {
    areDevicesOld: ages.areDevicesOld || areCohortsOld,
    areCopiesOld: ages.areScoresOld || ageOf(ages.namesCopiedAt) >= HOUR_MS,
  }
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

/** Has counted again what a workspace states for SSVC: once the transaction is committed. */
export const askForRefresh = (
  { queue }: Pick<AppContext, 'queue'>,
  tx: Tx,
  workspace: { workspaceId: string },
): Promise<void> => queue.enqueue(tx, KeptOutdated, { workspaceId: workspace.workspaceId })

/** Counts the devices that run each package, and reads in which contexts of SSVC it stands. Waits for whoever changes findings of the workspace. */
export async function countDevices(
  { db, now, queue }: Clocked,
  { workspaceId }: { workspaceId: string },
): Promise<void> {
  const devicesCountedAt = now()
  const { devicesCounted, ssvcInputs } = await readCopyAges(db, workspaceId)
  const held = await readHeldVersions(db, { workspaceId, filter: {} }, undefined)
  const contexts = await listVersionContexts(db, workspaceId)
  await db.transaction().execute(async (tx) => {
    await lockKeptOf(tx, workspaceId)
    await writeMagnitudes(tx, workspaceId, countMagnitudes(held))
    await writeContexts(tx, workspaceId, { held, contexts })
    await markRefreshed(tx, workspaceId, { devicesCountedAt, devicesCounted, ssvcInputs })
    if (await hasAcceptanceBy(tx, workspaceId, 'devicesAbove'))
      await queue.enqueue(tx, AcceptancesOutdated, { workspaceId })
  })
}

/** Packages with another number of devices than was counted, and those that stand in other contexts of SSVC. */
export async function listMiscounted(db: Db, workspaceId: string): Promise<string[]> {
  const { areDevicesOld, areCohortsExposed } = await readCopyAges(db, workspaceId)
  if (areDevicesOld) return []
  const held = await readHeldVersions(db, { workspaceId, filter: {} }, undefined)
  // Devices that moved to another cohort are not told.
  const contexts = areCohortsExposed ? [] : await listVersionContexts(db, workspaceId)
  const standing = areCohortsExposed ? [] : await listMisplaced(db, workspaceId, { held, contexts })
  const now = countMagnitudes(held)
  const kept = await readKeptMagnitudes(db, workspaceId)
  return [...new Set([...now.keys(), ...kept.keys()])]
    .filter((id) => now.get(id) !== kept.get(id))
    .map(
      (id) =>
        `package ${id} is kept with magnitude ${kept.get(id) ?? 0} instead of ${now.get(id) ?? 0}`,
    )
    .concat(standing)
}

/** Copies of EPSS scores and classes of SSVC that differ, though none changed since they were copied. */
export async function listMiscopied(db: Db, workspaceId: string): Promise<string[]> {
  if ((await readCopyAges(db, workspaceId)).areScoresOld) return []
  const outdated = await listOutdatedCopies(db, workspaceId)
  const faults = outdated.flatMap((one) => [
    ...(one.epssScore === one.copiedScore
      ? []
      : [
          `${one.vulnerabilityId} is kept with EPSS score ${one.copiedScore} instead of ${one.epssScore}`,
        ]),
    ...(one.ssvcClass === one.copiedClass
      ? []
      : [
          `${one.vulnerabilityId} is kept in class ${one.copiedClass} of SSVC instead of ${one.ssvcClass}`,
        ]),
  ])
  return [...new Set(faults)]
}
