/** Lists and counts the findings of a firmware version. */
import type { SortColumn } from '../schemas.ts'
import { encodeFindingId } from '../../../formats/finding-id.ts'
import { SEVERITIES } from '../../../formats/advisories/model.ts'
import { parsePastInstant } from '../../../formats/instants.ts'
import type { AppContext } from '../../../platform/context.ts'
import type { Db } from '../../../platform/db/connect.ts'
import { openPage } from '../../../platform/http/paging.ts'
import { getFirmwareVersion, readAffectedDevices } from '../../firmware/index.ts'
import { addDeclaredNames } from '../../components/index.ts'
import { addDiscussions } from '../../discussions/index.ts'
import { addOwners, findOwned } from '../../owners/index.ts'
import type { FindingFilter } from './schemas.ts'
import { listSourceFileHints } from '../proposals-store.ts'
import { isOfVersion } from './orders-store.ts'
import * as list from './store.ts'
import { countNotMatchedYet, readNotJudged } from '../../coverage/index.ts'
import { getSettings } from '../../workspaces/index.ts'
import { asksOutcomes, findOutcomes, readVersionOutcomes } from '../../ssvc/index.ts'
import { invalid } from '../../../platform/errors.ts'
import { readCounters, type SeverityCount } from '../counters-store.ts'

interface ListFindings {
  workspaceId: string
  firmwareVersionId: string
  sortColumn?: SortColumn
  ascending?: boolean
  limit?: number
  cursor?: string
  filter?: FindingFilter
  /** undefined: now. */
  asOf?: string
}

export async function listFindings(ctx: AppContext, input: ListFindings) {
  const { workspaceId, sortColumn = 'Risk', ascending = false, asOf } = input
  const filter = await withSwitches(ctx, workspaceId, input.filter ?? {})
  const areDisputedLast = sortColumn === 'Risk' && (await hasDisputedLast(ctx, workspaceId))
  const past = asOf === undefined ? undefined : parsePastInstant(asOf, ctx.now(), '/asOf')
  const { id: firmwareVersionId } = await getFirmwareVersion(
    ctx.db,
    workspaceId,
    input.firmwareVersionId,
  )
  const asked = ['findings', workspaceId, firmwareVersionId, sortColumn, ascending, filter, past]
  const scope = areDisputedLast ? [...asked, 'disputed last'] : asked
  const page = openPage(ctx, scope, input)
  const moment = { at: past ?? page.asOf, isPast: past !== undefined }
  const version = { workspaceId, firmwareVersionId }
  if (past) refuseSsvcOfPast(sortColumn, filter)
  const outcomes = past ? undefined : await readVersionOutcomes(ctx.db, version)
  const owned = await readOwned(ctx.db, version, filter)
  const query = {
    workspaceId,
    firmwareVersionId,
    filter,
    moment,
    ...owned,
    ...(outcomes && {
      ssvc: { ofClass: outcomes.ofClass, wanted: findOutcomes(outcomes.tree, filter) },
    }),
  }
  const order = { sortColumn, ascending, limit: page.rowLimit, after: page.after, areDisputedLast }
  const rows = await list.listFindings(ctx.db, { ...query, ...order })
  const cut = await page.cutAndCount(
    rows,
    ({ sortValues }) => sortValues,
    (most) => list.countFindings(ctx.db, query, most),
  )
  // Devices are counted as they are now, also for a past instant.
  const { affectedDeviceCount } = await readAffectedDevices(ctx.db, version, ctx.now())
  const named = await addDeclaredNames(ctx.db, workspaceId, cut.page, () => firmwareVersionId)
  const withDevices = named.map((row) => ({
    ...findingListItem(firmwareVersionId, row),
    ...(outcomes?.decide(row) ?? { ssvcOutcome: null, ssvcLeastOutcome: null }),
    affectedDeviceCount,
  }))
  const discussed = await addDiscussions(ctx.db, workspaceId, withDevices)
  const packageIds = new Map(discussed.map(({ id }, place) => [id, named[place]?.packageId]))
  const findings = await addOwners(ctx.db, discussed, {
    workspaceId,
    among: isOfVersion(firmwareVersionId),
    packagesOf: ({ id }) => [packageIds.get(id) ?? []].flat(),
  })
  const switchedOff = { fuzzing: true, assessments: ['NotAssessed' as const] }
  const present = { at: ctx.now(), isPast: false }
  const switchedOffCount =
    filter.withoutFuzzing === true
      ? await list.countFindings(ctx.db, { ...version, moment: present, filter: switchedOff })
      : 0
  const notMatchedYet = await countNotMatchedYet(ctx.db, version)
  return { findings, ...cut.next, ...cut.total, switchedOffCount, notMatchedYet }
}

async function readOwned(
  db: Db,
  { workspaceId, firmwareVersionId }: { workspaceId: string; firmwareVersionId: string },
  { owners }: FindingFilter,
) {
  if (!owners) return {}
  const among = isOfVersion(firmwareVersionId)
  return { owned: await findOwned(db, { workspaceId, owners, among }) }
}

function refuseSsvcOfPast(sortColumn: SortColumn, filter: FindingFilter): void {
  if (asksOutcomes(filter) || sortColumn === 'Ssvc')
    throw invalid('What SSVC decided in the past is not known.', '/asOf')
}

/** Leaves out what the workspace has switched off, unless the filter asks for it. */
export async function withSwitches<Filter extends FindingFilter>(
  ctx: Pick<AppContext, 'db'>,
  workspaceId: string,
  filter: Filter,
): Promise<Filter> {
  if (filter.fuzzing !== undefined) return filter
  const { listFuzzingFindings } = await getSettings(ctx, workspaceId)
  return listFuzzingFindings ? filter : { ...filter, withoutFuzzing: true }
}

async function hasDisputedLast(ctx: Pick<AppContext, 'db'>, workspaceId: string) {
  const { disputedFindings } = await getSettings(ctx, workspaceId)
  return disputedFindings === 'Last'
}

function findingListItem<Row extends list.FindingRow>(firmwareVersionId: string, row: Row) {
  const { packageId, vulnerabilityId, isKnownExploit, sortValues: _, ssvcClass: __, ...rest } = row
  const { isListed: ___, ...shown } = rest
  return {
    id: encodeFindingId({ firmwareVersionId, packageId, vulnerabilityId }),
    cveId: vulnerabilityId,
    isKnownCisaExploit: isKnownExploit,
    ...shown,
  }
}

export async function summariseFindings(
  ctx: AppContext,
  input: { workspaceId: string; firmwareVersionId: string; asOf?: string },
) {
  const { workspaceId, asOf } = input
  const past = asOf === undefined ? undefined : parsePastInstant(asOf, ctx.now(), '/query/asOf')
  const { id } = await getFirmwareVersion(ctx.db, workspaceId, input.firmwareVersionId)
  const version = { workspaceId, firmwareVersionId: id }
  const countsBySeverity = past
    ? inOrder(await list.countActiveFindings(ctx.db, version, { at: past, isPast: true }))
    : await readCounters(ctx.db, version)
  const totalActiveIssues = countsBySeverity.reduce((total, { count }) => total + count, 0)
  const affected = await readAffectedDevices(ctx.db, version, ctx.now())
  const sourceFileHints = past ? [] : await listSourceFileHints(ctx.db, version)
  const notJudged = await readNotJudged(ctx.db, version)
  const notMatchedYet = await countNotMatchedYet(ctx.db, version)
  const counted = { totalActiveIssues, countsBySeverity, ...affected }
  return { ...counted, sourceFileHints, notJudged, notMatchedYet }
}

/** All six severities, worst first. */
function inOrder(counts: readonly SeverityCount[]): SeverityCount[] {
  const known = new Map(counts.map(({ severity, count }) => [severity, count]))
  return SEVERITIES.map((severity) => ({ severity, count: known.get(severity) ?? 0 }))
}
