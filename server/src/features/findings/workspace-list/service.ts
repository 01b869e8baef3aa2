/** Lists the findings of a workspace: a row for each vulnerability and package. */
import type { AppContext } from '../../../platform/context.ts'
import type { Db } from '../../../platform/db/connect.ts'
import { openPage } from '../../../platform/http/paging.ts'
import { startTicker, type Ticker } from '../../../platform/ticker.ts'
import { addDays, HOUR_MS } from '../../../formats/instants.ts'
import { listWorkspaceIds, readRemediationTargets } from '../../workspaces/index.ts'
import {
  countDevicesOfPackages,
  findRefreshed,
  listDeviceMagnitudes,
  readDeviceState,
  readKeptMagnitudes,
} from './device-counts-store.ts'
import type { Assessment, WorkspaceSortColumn } from '../assessment.ts'
import { encodeFindingId } from '../finding-id.ts'
import { withSwitches } from '../list/service.ts'
import { KeptOutdated } from '../schemas.ts'
import type { Position } from '../list/store.ts'
import {
  type DeviceMagnitudes,
  findNamed,
  findPackagesOf,
  hasChangedSince,
  hasFewerDecided,
  hasFewerDetected,
  hasFewerMatches,
  RUNNING,
  type Scoped,
} from './facts-store.ts'
import { isWhole, type WorkspaceFindingFilter } from './filter-store.ts'
import { asksKeptDecided } from './finding-filter-store.ts'
import { lockKeptOf } from './kept-store.ts'
import {
  copyNames,
  copyScores,
  listUncopiedNames,
  listUncopiedScores,
  readScoreRevision,
  writeMagnitudes,
} from './copies-store.ts'
import { describeRows, type RowDescription } from './store.ts'
import type { WorkspaceRow } from './rows-store.ts'
import { countWorkspaceRows, listRows } from './staged-rows-store.ts'

interface ListWorkspaceFindings {
  workspaceId: string
  sortColumn?: WorkspaceSortColumn
  ascending?: boolean
  limit?: number
  cursor?: string
  filter?: WorkspaceFindingFilter
}

export async function listWorkspaceFindings(ctx: AppContext, input: ListWorkspaceFindings) {
  const { workspaceId, sortColumn = 'Risk', ascending = false } = input
  const filter = await withSwitches(ctx, workspaceId, input.filter ?? {})
  const scope = ['workspace-findings', workspaceId, sortColumn, ascending, filter]
  const page = openPage(ctx, scope, input)
  const query = {
    workspaceId,
    sortColumn,
    ascending,
    limit: page.rowLimit,
    moment: { at: page.asOf, isPast: false },
    ...(await readState(ctx, { workspaceId, filter }, page)),
    after: page.after,
  }
  const magnitudes: DeviceMagnitudes =
    sortColumn === 'Risk' ? await readMagnitudes(ctx.db, query) : new Map<string, number>()
  const rows = await listRows(ctx.db, { ...query, magnitudes })
  const cut = await page.cutAndCount(
    rows,
    ({ sortValues }) => sortValues,
    (most) => countWorkspaceRows(ctx.db, query, most),
  )
  const shown = cut.page
  const packageIds = shown.map(({ packageId }) => packageId)
  const [descriptions, devices] =
    shown.length === 0
      ? [new Map<number, RowDescription>(), new Map<string, number>()]
      : await Promise.all([
          describeRows(ctx.db, query, shown),
          countDevicesOfPackages(ctx.db, query, packageIds),
        ])
  const findings = shown.flatMap((row, place) => {
    const description = descriptions.get(place)
    const affectedDeviceCount = devices.get(row.packageId) ?? 0
    return description ? [{ ...asListItem(row, description), affectedDeviceCount }] : []
  })
  return { findings, ...cut.next, ...cut.total }
}

/** Numbers of devices by their digits; of the whole workspace as they were counted last. */
export async function readMagnitudes(db: Db, query: Scoped): Promise<DeviceMagnitudes> {
  return isWhole(query)
    ? readKeptMagnitudes(db, query.workspaceId)
    : listDeviceMagnitudes(db, query)
}

/** Whether devices run what they ran when they were counted, and versions hold what they held. */
async function areDevicesCounted(db: Db, workspaceId: string): Promise<boolean> {
  const counted = await findRefreshed(db, workspaceId)
  const at = counted?.devicesCountedAt
  const isSame = counted?.devicesCounted === (await readDeviceState(db, workspaceId))
  return isSame && !!at && !(await hasChangedSince(db, workspaceId, at))
}

/** Packages with another number of devices than was counted. */
export async function listMiscounted(db: Db, workspaceId: string): Promise<string[]> {
  if (!(await areDevicesCounted(db, workspaceId))) return []
  const now = await listDeviceMagnitudes(db, wholeOf(workspaceId, new Date()))
  const kept = await readKeptMagnitudes(db, workspaceId)
  return [...new Set([...now.keys(), ...kept.keys()])]
    .filter((id) => now.get(id) !== kept.get(id))
    .map(
      (id) =>
        `package ${id} is kept with magnitude ${kept.get(id) ?? 0} instead of ${now.get(id) ?? 0}`,
    )
}

const wholeOf = (workspaceId: string, at: Date) => ({
  workspaceId,
  filter: {},
  moment: { at, isPast: false },
  isCurrent: true,
})

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
  const isOutdated = async (workspaceId: string) =>
    !(await areDevicesCounted(db, workspaceId)) ||
    (await areNamesOld(ctx, workspaceId)) ||
    (await areScoresOld(db, workspaceId))
  for (const workspaceId of await listWorkspaceIds(db))
    if (await isOutdated(workspaceId))
      await db.transaction().execute((tx) => queue.enqueue(tx, KeptOutdated, { workspaceId }))
}

/** Several nodes may have asked for it, one after another. */
export async function refreshKept(
  ctx: Pick<AppContext, 'db' | 'now'>,
  { workspaceId }: { workspaceId: string },
): Promise<void> {
  if (!(await areDevicesCounted(ctx.db, workspaceId))) await countDevices(ctx, { workspaceId })
  await refreshScores(ctx, { workspaceId, isChecked: await areScoresOld(ctx.db, workspaceId) })
  await refreshNames(ctx, { workspaceId })
}

async function refreshNames(
  ctx: Pick<AppContext, 'db' | 'now'>,
  { workspaceId }: { workspaceId: string },
): Promise<void> {
  const checkedAt = (await areNamesOld(ctx, workspaceId)) ? ctx.now() : undefined
  const names = await listUncopiedNames(ctx.db, workspaceId, checkedAt !== undefined)
  if (names.length === 0 && checkedAt === undefined) return
  await ctx.db.transaction().execute(async (tx) => {
    await lockKeptOf(tx, workspaceId)
    await copyNames(tx, workspaceId, { names, checkedAt })
  })
}

/** New names are copied with the next count of devices; sources seldom change the others. */
async function areNamesOld({ db, now }: Pick<AppContext, 'db' | 'now'>, workspaceId: string) {
  const copiedAt = (await findRefreshed(db, workspaceId))?.namesCopiedAt?.getTime() ?? 0
  return now().getTime() - copiedAt >= HOUR_MS
}

async function areScoresOld(db: Db, workspaceId: string): Promise<boolean> {
  const copied = (await findRefreshed(db, workspaceId))?.scoreRevision
  return copied !== (await readScoreRevision(db))
}

/** `isChecked`: compares all scores, and not only those that are new here. The revision is read before the scores are. */
export async function refreshScores(
  { db }: Pick<AppContext, 'db'>,
  { workspaceId, isChecked }: { workspaceId: string; isChecked: boolean },
): Promise<void> {
  const revision = await readScoreRevision(db)
  const scores = await listUncopiedScores(db, workspaceId, isChecked)
  if (scores.length === 0 && !isChecked) return
  await db.transaction().execute(async (tx) => {
    await lockKeptOf(tx, workspaceId)
    await copyScores(tx, workspaceId, { scores, ...(isChecked && { revision }) })
  })
}

/** Copies of EPSS scores that differ, though none changed since they were copied. */
export async function listMiscopied(db: Db, workspaceId: string): Promise<string[]> {
  if (await areScoresOld(db, workspaceId)) return []
  return (await listUncopiedScores(db, workspaceId, true)).flatMap(
    ({ vulnerabilityId, score, keptScore }) =>
      keptScore === null
        ? []
        : [`${vulnerabilityId} is kept with EPSS score ${keptScore} instead of ${score}`],
  )
}

/** Counts the devices that run each package. Waits for whoever changes findings of the workspace. */
export async function countDevices(
  { db, now }: Pick<AppContext, 'db' | 'now'>,
  { workspaceId }: { workspaceId: string },
): Promise<void> {
  const [at, state] = [now(), await readDeviceState(db, workspaceId)]
  const magnitudes = await listDeviceMagnitudes(db, wholeOf(workspaceId, at))
  await db.transaction().execute(async (tx) => {
    await lockKeptOf(tx, workspaceId)
    await writeMagnitudes(tx, workspaceId, { magnitudes, state, at })
  })
}

/**
 * What decides how a page is read. The first one, and if nothing has changed since, is read from what is kept of the
 * workspace; names and components are looked up there first.
 */
export async function readState(
  { db, config }: Pick<AppContext, 'db' | 'config'>,
  { workspaceId, filter: asked }: { workspaceId: string; filter: WorkspaceFindingFilter },
  { after, asOf }: { after: Position; asOf: Date },
) {
  const filter = await withTargets(db, { workspaceId, filter: asked }, asOf)
  const isCurrent = after === undefined || !(await hasChangedSince(db, workspaceId, asOf))
  const few = Math.ceil(config.fewMatches / 4)
  const state = {
    filter,
    isCurrent,
    isSmall: await hasFewerMatches(db, workspaceId, config.fewMatches),
    isFewSince: await hasFewerDetected(db, { workspaceId, filter }, few),
    isFewDecided:
      asksKeptDecided({ filter, isCurrent }) &&
      (await hasFewerDecided(db, { workspaceId, filter }, few)),
  }
  if (!isWhole(state)) return state
  const looked = { workspaceId, fewMatches: config.fewMatches, isSmall: state.isSmall }
  return { ...state, filter: await lookUp(db, state.filter, looked) }
}

/** Only active findings are overdue: once the time that the workspace gives their severity has passed. */
export async function withTargets<Filter extends WorkspaceFindingFilter>(
  db: Db,
  { workspaceId, filter }: { workspaceId: string; filter: Filter },
  now: Date,
): Promise<Filter> {
  if (filter.overdue === undefined) return filter
  const targets = await readRemediationTargets(db, workspaceId)
  const dueBefore = {
    Critical: addDays(now, -targets.Critical),
    High: addDays(now, -targets.High),
    Medium: addDays(now, -targets.Medium),
    Low: addDays(now, -targets.Low),
  }
  return { ...filter, activeOnly: true, dueBefore }
}

/** Takes the packages, or looks up the names, or else the components, or else what devices run. */
async function lookUp(
  db: Db,
  { name, components, packageIds, ...rest }: WorkspaceFindingFilter,
  looked: { workspaceId: string; fewMatches: number; isSmall: boolean },
): Promise<WorkspaceFindingFilter> {
  if (packageIds) {
    const of = { vulnerabilityIds: [], componentNames: [], otherPackageIds: packageIds }
    const named = { packageIds, ...of, isBroad: false }
    return { ...rest, named, ...(name && { name }), ...(components && { components }) }
  }
  if (name) {
    const named = await findNamed(db, name, looked)
    return { ...rest, named, ...(components && { components }) }
  }
  if (components) return { ...rest, named: await findPackagesOf(db, components, looked) }
  const { affectedDevicesOnly, ...others } = rest
  if (affectedDevicesOnly !== true) return rest
  return { ...others, named: RUNNING }
}

function asListItem(row: WorkspaceRow, description: RowDescription) {
  const { vulnerabilityId, sortValues: _, ...chosen } = row
  const { packageId } = chosen
  const { isKnownExploit, assessments, firmwareVersions, ...described } = description
  return {
    cveId: vulnerabilityId,
    ...chosen,
    ...described,
    isKnownCisaExploit: isKnownExploit,
    assessments: withUndecided(assessments, described.firmwareVersionCount),
    firmwareVersions: firmwareVersions.map((version) => ({
      ...version,
      findingId: encodeFindingId({ firmwareVersionId: version.id, packageId, vulnerabilityId }),
    })),
  }
}

/** The most frequent first. Findings without a decision have no row, so they are the rest. */
export function withUndecided(decided: RowDescription['assessments'], findingCount: number) {
  const counts = new Map<Assessment, number>(
    decided.map(({ assessment, count }) => [assessment, count]),
  )
  const undecided = findingCount - decided.reduce((total, { count }) => total + count, 0)
  counts.set('NotAssessed', (counts.get('NotAssessed') ?? 0) + undecided)
  return [...counts]
    .filter(([, count]) => count > 0)
    .map(([assessment, count]) => ({ assessment, count }))
    .toSorted((a, b) => b.count - a.count || (a.assessment < b.assessment ? -1 : 1))
}
