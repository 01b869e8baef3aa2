/** Lists the findings of a workspace: a row for each vulnerability and package. */
import type { AppContext } from '../../../platform/context.ts'
import type { Db } from '../../../platform/db/connect.ts'
import { openPage } from '../../../platform/http/paging.ts'
import { addDays } from '../../../formats/instants.ts'
import { readRemediationTargets } from '../../workspaces/index.ts'
import {
  countDevicesOfPackages,
  listDeviceMagnitudes,
  listVulnerabilityMagnitudes,
  readDeviceState,
  type VulnerabilityMagnitudes,
} from './device-counts-store.ts'
import type { Assessment, WorkspaceSortColumn } from '../assessment.ts'
import { encodeFindingId } from '../finding-id.ts'
import { withSwitches } from '../list/service.ts'
import type { Position } from '../list/store.ts'
import {
  type DeviceMagnitudes,
  findNamed,
  findPackagesOf,
  findPackagesOfDevices,
  type Scoped,
} from './facts-store.ts'
import { isWhole, type WorkspaceFindingFilter } from './filter-store.ts'
import { asksKeptDecided } from './finding-filter-store.ts'
import {
  describeRows,
  hasChangedSince,
  hasFewerDecided,
  hasFewerMatches,
  hasFewerSince,
  type RowDescription,
} from './store.ts'
import { countWorkspaceRows, type WorkspaceRow } from './rows-store.ts'
import { listRows } from './staged-rows-store.ts'

export interface ListWorkspaceFindings {
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
  const { ofPackages: magnitudes } =
    sortColumn === 'Risk' ? await readMagnitudes(ctx, query) : NO_MAGNITUDES
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
      ? [[], new Map<string, number>()]
      : await Promise.all([
          describeRows(ctx.db, query, shown),
          countDevicesOfPackages(ctx.db, query, packageIds),
        ])
  const findings = descriptions.flatMap((description, index) => {
    const row = shown[index]
    const affectedDeviceCount = devices.get(row?.packageId ?? '') ?? 0
    return row ? [{ ...asListItem(row, description), affectedDeviceCount }] : []
  })
  return { findings, ...cut.next, ...cut.total }
}

export interface Magnitudes {
  ofPackages: DeviceMagnitudes
  /** undefined: of some versions only, or of a past instant. */
  ofVulnerabilities: VulnerabilityMagnitudes | undefined
}
const NO_MAGNITUDES: Magnitudes = { ofPackages: new Map(), ofVulnerabilities: undefined }

interface Remembered {
  at: Date
  devices: string
  magnitudes: Magnitudes
}
const makeRemembered = () => new Map<string, Remembered>()
/** A megabyte each. */
const MOST_REMEMBERED = 20
/** Devices that move from one version to another change the order by risk within this time. */
const REMEMBERED_MS = 60_000

/**
 * Numbers of devices by their digits. To count them all facts of all versions are read that devices run: once a minute, or
 * when findings or the number of devices changed.
 */
export async function readMagnitudes(
  ctx: Pick<AppContext, 'db' | 'memory' | 'now'>,
  query: Scoped,
): Promise<Magnitudes> {
  const { workspaceId } = query
  if (!isWhole(query))
    return { ...NO_MAGNITUDES, ofPackages: await listDeviceMagnitudes(ctx.db, query) }
  const remembered = ctx.memory.of(makeRemembered)
  const known = remembered.get(workspaceId)
  const [at, devices] = [ctx.now(), await readDeviceState(ctx.db, workspaceId)]
  const isYoung = known?.devices === devices && at.getTime() - known.at.getTime() < REMEMBERED_MS
  if (isYoung && !(await hasChangedSince(ctx.db, workspaceId, known.at))) return known.magnitudes
  const ofPackages = await listDeviceMagnitudes(ctx.db, query)
  const ofVulnerabilities = await listVulnerabilityMagnitudes(ctx.db, workspaceId, ofPackages)
  const magnitudes = { ofPackages, ofVulnerabilities }
  remembered.delete(workspaceId)
  remembered.set(workspaceId, { at, devices, magnitudes })
  const [oldest] = remembered.keys()
  if (remembered.size > MOST_REMEMBERED && oldest !== undefined) remembered.delete(oldest)
  return magnitudes
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
    isFewSince: await hasFewerSince(db, { workspaceId, ...filter }, few),
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
    const named = { packageIds, vulnerabilityIds: [], isBroad: false }
    return { ...rest, named, ...(name && { name }), ...(components && { components }) }
  }
  if (name) {
    const named = await findNamed(db, name, looked)
    return { ...rest, named, ...(components && { components }) }
  }
  if (components) return { ...rest, named: await findPackagesOf(db, components, looked) }
  const run = rest.affectedDevicesOnly === true && (await findPackagesOfDevices(db, looked))
  return run ? { ...rest, named: run } : rest
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
