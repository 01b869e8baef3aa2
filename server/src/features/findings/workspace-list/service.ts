/* eslint-disable max-lines -- the three lists and their counts read one scope */
/** Lists the findings of a workspace: a row for each vulnerability and package, for each vulnerability, or for each component. */
import type { Assessment } from '../../../formats/assessments.ts'
import type { WorkspaceSortColumn } from '../schemas.ts'
import { encodeFindingId, type FindingKey } from '../../../formats/finding-id.ts'
import type { AppContext } from '../../../platform/context.ts'
import type { Db } from '../../../platform/db/connect.ts'
import { MOST_COUNTED, openPage } from '../../../platform/http/paging.ts'
import { SEVERITIES } from '../../../formats/advisories/model.ts'
import { addDeclaredNames } from '../../components/index.ts'
import { addDiscussions } from '../../discussions/index.ts'
import {
  findOutcomeBounds,
  asksOutcomes,
  findOutcomes,
  listContexts,
  readDecidingTree,
} from '../../ssvc/index.ts'
import { addOwners, findOwned, type HoldingRule } from '../../owners/index.ts'
import { withSwitches } from '../list/service.ts'
import {
  describeRows,
  describeVulnerabilities,
  nameComponents,
  type RowDescription,
} from './describe-store.ts'
import {
  countDevicesOfPackages,
  countHeldVersions,
  listDeviceMagnitudes,
} from './device-counts-store.ts'
import type { WorkspaceFindingFilter } from '../list/schemas.ts'
import {
  type FilterScope,
  isHeldInVersions,
  isOfAllVersions,
  type ListScope,
} from './filter-store.ts'
import {
  type ComponentSortColumn,
  countGroups,
  listComponentRows,
  listVulnerabilityRows,
  type VulnerabilitySortColumn,
} from './groups-store.ts'
import { findDeclared, findNamed, findOfPackages, listSelectedKeys } from './match-sets-store.ts'
import {
  countRows,
  countRowsBySeverity,
  isReadByOrder,
  listRows,
  type WorkspaceRow,
} from './rows-store.ts'
import { addOutcomes, readDueDates } from './ssvc-service.ts'

interface ListRequest<SortColumn> {
  workspaceId: string
  sortColumn?: SortColumn
  ascending?: boolean
  limit?: number
  cursor?: string
  filter?: WorkspaceFindingFilter
}
type ListWorkspaceFindings = ListRequest<WorkspaceSortColumn>

/**
 * Opens a page of a list over the workspace. A page after the first shows rows as they are now, from the cursor on, so that it
 * repeats nothing but the number of rows.
 */
async function openWorkspaceList<SortColumn extends string>(
  ctx: AppContext,
  name: string,
  {
    workspaceId,
    sortColumn = 'Risk',
    ascending = false,
    ...input
  }: ListRequest<SortColumn | 'Risk'>,
) {
  const filter = await withSwitches(ctx, workspaceId, input.filter ?? {})
  const page = openPage(ctx, [name, workspaceId, sortColumn, ascending, filter], input)
  const scope = await readScope(
    ctx,
    { workspaceId, filter },
    { isByRisk: sortColumn === 'Risk', isBySsvc: sortColumn === 'Ssvc' },
  )
  const query = { ...scope, sortColumn, ascending, limit: page.rowLimit, after: page.after }
  const cut = <Row extends { sortValues: (string | number)[] }>(
    rows: readonly Row[],
    count: (most: number) => Promise<number>,
  ) => page.cutAndCount(rows, ({ sortValues }) => sortValues, count)
  return { page, query, cut }
}

/** Looks up what parts of the filter stand for. */
async function readScope(
  { db, now, config: { fewMatches } }: Pick<AppContext, 'db' | 'now' | 'config'>,
  { workspaceId, filter }: Pick<FilterScope, 'workspaceId' | 'filter'>,
  { isByRisk, isBySsvc = false }: { isByRisk: boolean; isBySsvc?: boolean },
): Promise<ListScope> {
  const { name, components, packageIds, affectedDevicesOnly } = filter
  const sets = [
    ...(name ? [await findNamed(db, { workspaceId, fewMatches }, name)] : []),
    ...(components ? [await findDeclared(db, workspaceId, components)] : []),
    ...(packageIds ? [await findOfPackages(db, workspaceId, packageIds)] : []),
  ]
  const dated = await readDueDates(db, { workspaceId, filter }, now())
  const ssvc =
    isBySsvc || asksOutcomes(filter) ? await readSsvcScope(db, { workspaceId, filter }) : undefined
  const owned = await readOwned(db, { workspaceId, filter })
  const scope = { workspaceId, sets, ...dated, ...(ssvc && { ssvc }), ...owned }
  if (isOfAllVersions(scope) || (!isByRisk && affectedDevicesOnly !== true)) return scope
  return { ...scope, magnitudes: await listDeviceMagnitudes(db, scope) }
}

async function readOwned(db: Db, scope: Pick<FilterScope, 'workspaceId' | 'filter'>) {
  const { owners } = scope.filter
  if (!owners) return {}
  const { workspaceId } = scope
  return { owned: await findOwned(db, { workspaceId, owners, among: isHeldInVersions(scope) }) }
}

async function readSsvcScope(
  db: Db,
  { workspaceId, filter }: Pick<FilterScope, 'workspaceId' | 'filter'>,
) {
  const deciding = await readDecidingTree(db, workspaceId)
  const wanted = findOutcomes(deciding.tree, filter)
  return findOutcomeBounds(deciding.decisions, await listContexts(db, workspaceId), wanted)
}

export async function listWorkspaceFindings(ctx: AppContext, input: ListWorkspaceFindings) {
  const list = await openWorkspaceList(ctx, 'workspace-findings', input)
  const { page, query } = list
  const count = (most: number) => countRows(ctx.db, query, most)
  const isByOrder = await isReadByOrder(query, () => page.countOnce(count), ctx.config.fewMatches)
  const rows = await listRows(ctx.db, query, isByOrder)
  const cut = await list.cut(rows, count)
  if (cut.page.length === 0) return { findings: [], ...cut.next, ...cut.total }
  const packageIds = cut.page.map(({ packageId }) => packageId)
  const [descriptions, devices] = await Promise.all([
    describeRows(ctx.db, query, cut.page),
    countDevicesOfPackages(ctx.db, query, packageIds),
  ])
  const findings = cut.page.flatMap((row, place) => {
    const description = descriptions.get(place)
    const affectedDeviceCount = devices.get(row.packageId) ?? 0
    return description ? [{ ...findingListItem(row, description), affectedDeviceCount }] : []
  })
  const named = await addDeclaredNames(
    ctx.db,
    input.workspaceId,
    findings,
    ({ firmwareVersions }) => firmwareVersions[0]?.id,
  )
  const decided = await addOutcomes(ctx.db, query, named, ({ packageId }) => [packageId])
  const discussed = await addDiscussions(ctx.db, input.workspaceId, decided)
  const owned = await addOwners(ctx.db, discussed, {
    workspaceId: input.workspaceId,
    among: isHeldInVersions(query),
    packagesOf: ({ packageId }) => [packageId],
  })
  return { findings: owned, ...cut.next, ...cut.total }
}

/** Counts the rows of a list, one more than are counted at the most. */
export async function countListedRows(
  ctx: Pick<AppContext, 'db' | 'now' | 'config'>,
  {
    groupBy,
    ...asked
  }: Pick<FilterScope, 'workspaceId' | 'filter'> & {
    groupBy: 'Finding' | 'Vulnerability' | 'Component'
  },
): Promise<number> {
  const filter = await withSwitches(ctx, asked.workspaceId, asked.filter)
  const scope = await readScope(ctx, { ...asked, filter }, { isByRisk: false })
  return groupBy === 'Finding'
    ? countRows(ctx.db, scope, MOST_COUNTED + 1)
    : countGroups(ctx.db, scope, groupBy)
}

/** Counts the rows of active findings that belong to one owner by these rules; by `none`, to nobody. */
export async function countOwnedRows(
  ctx: Pick<AppContext, 'db' | 'now' | 'config'>,
  {
    workspaceId,
    rules,
    id = 'none',
  }: { workspaceId: string; rules: readonly HoldingRule[]; id: string | undefined },
) {
  const filter = await withSwitches(ctx, workspaceId, { activeOnly: true })
  const scope = { workspaceId, filter, sets: [] }
  const among = isHeldInVersions(scope)
  const owned = await findOwned(ctx.db, { workspaceId, owners: [id], among, rules })
  const countsBySeverity = await countRowsBySeverity(ctx.db, { ...scope, owned })
  const activeCount = countsBySeverity.reduce((sum, { count }) => sum + count, 0)
  return { activeCount, countsBySeverity }
}

/**
 * The findings of the rows that the filter leaves, as far as it leaves the findings. What the workspace switched off is selected
 * only where the filter names it.
 */
export async function listSelectedFindings(
  ctx: Pick<AppContext, 'db' | 'now' | 'config'>,
  asked: Pick<FilterScope, 'workspaceId' | 'filter'>,
  options: { proposed: boolean | undefined; limit: number },
): Promise<FindingKey[]> {
  const { workspaceId } = asked
  const filter = asked.filter.cveIds
    ? asked.filter
    : await withSwitches(ctx, workspaceId, asked.filter)
  const scope = await readScope(ctx, { workspaceId, filter }, { isByRisk: false })
  return listSelectedKeys(ctx.db, scope, options)
}

function findingListItem(
  { packageId, vulnerabilityId }: WorkspaceRow,
  description: RowDescription,
) {
  const { assessments, firmwareVersions, ...shown } = description
  return {
    cveId: vulnerabilityId,
    packageId,
    ...shown,
    assessments: withUndecided(assessments, shown.firmwareVersionCount),
    firmwareVersions: firmwareVersions.map((version) => ({
      ...version,
      findingId: encodeFindingId({ firmwareVersionId: version.id, packageId, vulnerabilityId }),
    })),
  }
}

/** The most frequent first. Findings without a decision have no row, so they are the rest. */
function withUndecided(decided: RowDescription['assessments'], findingCount: number) {
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

const MOST_SHOWN_COMPONENTS = 5

/** Lists the findings grouped by vulnerability. */
export async function listVulnerabilities(
  ctx: AppContext,
  input: ListRequest<VulnerabilitySortColumn>,
) {
  const list = await openWorkspaceList(ctx, 'vulnerabilities', input)
  const { rows, total } = await listVulnerabilityRows(ctx.db, list.query)
  const cut = await list.cut(rows, () => Promise.resolve(total))
  const ids = cut.page.map(({ vulnerabilityId }) => vulnerabilityId)
  const described = await describeListed(ctx, list.query, ids)
  const decided = await addOutcomes(ctx.db, list.query, described, (one) => one.packageIds)
  const discussed = await addDiscussions(ctx.db, input.workspaceId, decided)
  const owned = await addOwners(ctx.db, discussed, {
    workspaceId: input.workspaceId,
    among: isHeldInVersions(list.query),
    packagesOf: ({ packageIds }) => packageIds,
  })
  const vulnerabilities = owned.map((row) => {
    const { packageIds: _, ...shown } = row
    return shown
  })
  return { vulnerabilities, ...cut.next, ...cut.total }
}

/** The vulnerabilities that the list has with this filter, as many as the limit says. */
export async function listVulnerabilityIds(
  ctx: Pick<AppContext, 'db' | 'now' | 'config'>,
  { limit, ...asked }: Pick<FilterScope, 'workspaceId' | 'filter'> & { limit: number },
): Promise<string[]> {
  const filter = await withSwitches(ctx, asked.workspaceId, asked.filter)
  const scope = await readScope(ctx, { ...asked, filter }, { isByRisk: false })
  const query = { ...scope, sortColumn: 'Name', ascending: true, limit, after: undefined } as const
  const { rows } = await listVulnerabilityRows(ctx.db, query)
  return rows.map(({ vulnerabilityId }) => vulnerabilityId)
}

async function describeListed(
  { db }: Pick<AppContext, 'db'>,
  scope: ListScope,
  ids: readonly string[],
) {
  const described = await describeVulnerabilities(db, scope, ids)
  const packageIds = [...new Set(described.flatMap((one) => one.packageIds))]
  const [counts, components] = await Promise.all([
    countHeldVersions(db, scope, new Map(described.map((one) => [one.cveId, one.packageIds]))),
    nameComponents(db, scope, packageIds),
  ])
  const descriptions = new Map(described.map((one) => [one.cveId, one]))
  return ids.flatMap((cveId) => {
    const found = descriptions.get(cveId)
    if (!found) return []
    const { packageIds: held } = found
    return {
      ...found,
      assessments: withUndecided(found.assessments, found.findingCount),
      firmwareVersionCount: counts.get(cveId)?.versions ?? 0,
      affectedDeviceCount: counts.get(cveId)?.devices ?? 0,
      componentCount: held.length,
      components: newestOf(components, new Set(held)),
    }
  })
}

/** `components` are in the order of their newest firmware versions. */
function newestOf(
  components: Awaited<ReturnType<typeof nameComponents>>,
  packageIds: ReadonlySet<string>,
) {
  const chosen = []
  for (const { packageId, name, version } of components) {
    if (!packageIds.has(packageId)) continue
    chosen.push({ name, version })
    if (chosen.length === MOST_SHOWN_COMPONENTS) break
  }
  return chosen
}

async function listOutcomeNames(db: Db, { workspaceId, ssvc }: ListScope): Promise<string[]> {
  if (!ssvc) return []
  const { tree } = await readDecidingTree(db, workspaceId)
  return tree.outcomes.map(({ name }) => name)
}

/** Lists the findings grouped by component. */
export async function listVulnerableComponents(
  ctx: AppContext,
  input: ListRequest<ComponentSortColumn>,
) {
  const list = await openWorkspaceList(ctx, 'vulnerable-components', input)
  const { rows, total } = await listComponentRows(ctx.db, list.query)
  const cut = await list.cut(rows, () => Promise.resolve(total))
  const held = new Map(cut.page.map((row) => [row.name, row.packageIds]))
  const counts = await countHeldVersions(ctx.db, list.query, held)
  const outcomes = await listOutcomeNames(ctx.db, list.query)
  const components = cut.page.map((row) => ({
    name: row.name,
    versions: row.versions,
    packageIds: row.packageIds,
    severity: SEVERITIES.toReversed()[row.severityRank - 1] ?? 'Unknown',
    isExploited: row.isExploited,
    epssScore: row.epssScore,
    vulnerabilityCount: row.vulnerabilityCount,
    detectedAt: row.detectedAt,
    firmwareVersionCount: counts.get(row.name)?.versions ?? 0,
    affectedDeviceCount: counts.get(row.name)?.devices ?? 0,
    ssvcOutcome: row.outcome === null ? null : (outcomes[row.outcome] ?? null),
  }))
  return { components, ...cut.next, ...cut.total }
}
