/** The overview of a workspace in one request. It reads kept counts, and no finding one by one. */
import { SEVERITIES } from '../../../formats/advisories/model.ts'
import { OPEN_ASSESSMENTS } from '../../../formats/assessments.ts'
import { addDays } from '../../../formats/instants.ts'
import type { AppContext } from '../../../platform/context.ts'
import type { Principal, Scope } from '../../auth/index.ts'
import { countOpenProposals } from '../../decision-proposals/index.ts'
import { countBlindSpots } from '../../devices/index.ts'
import { getSourceFreshness } from '../../feeds/index.ts'
import type { WorkspaceFindingFilter } from '../../findings/index.ts'
import { listMarks, listPastSupport, UNKNOWN_MARK } from '../../firmware/index.ts'
import { countFindings } from '../../vulnerabilities/index.ts'
import { readPresentRisks } from '../exposure/store.ts'
import { sumExposure } from '../exposure/worst.ts'
import {
  type CountedFilter,
  type FindingNeeds,
  sortNeeds,
  type Need,
  describeFiringAlerts,
  describeStalledDeployment,
  describeFailedSboms,
  describeStaleSource,
  describePastSupport,
  describeOtherImages,
  describeUnknownFirmware,
  needsOfFindings,
} from './needs.ts'
import * as store from './store.ts'

const MOST_VERSIONS = 10
const TREND_WEEKS = 13

/** The days of a trend, oldest first, without today. */
export function listTrendDays(at: Date): string[] {
  return Array.from({ length: TREND_WEEKS }, (_, index) =>
    addDays(at, -7 * (TREND_WEEKS - index))
      .toISOString()
      .slice(0, 10),
  )
}

export const countSeverities = (counts: store.FieldedVersion['counts']) =>
  SEVERITIES.map((severity) => ({
    severity,
    count: counts[severity.toLowerCase() as Lowercase<typeof severity>],
  }))

type OverviewReader = Pick<Principal, 'workspaceId' | 'scopes'>

export interface ReadOverview extends OverviewReader {
  /** Since when a finding is new. */
  newSince?: string
}

export async function readOverview(ctx: AppContext, asked: ReadOverview) {
  const { workspaceId } = asked
  const { db } = ctx
  const at = ctx.now()
  const exposure = sumExposure(await readPresentRisks(db, workspaceId))
  const weekAgo = await store.findExposureOfWeekAgo(db, workspaceId, at)
  const totals = await store.readTotals(db, workspaceId)
  const blind = await countBlindSpots(db, workspaceId)
  const sources = await getSourceFreshness(ctx)
  const counts = await countNeeds(ctx, asked)
  const others = await readOthers(ctx, asked)
  const ofFindings = needsOfFindings({ ...counts, exploitedDevices: exposure.exploited })
  return {
    devices: {
      total: totals.devices,
      ...exposure,
      exploitedWeekAgo: weekAgo ?? null,
      withUnknownFirmware: blind.unknownVersionDevices,
      withOtherImage: blind.otherImageDevices,
    },
    needsYou: sortNeeds([
      ...ofFindings,
      ...describeOthers(others, blind),
      ...sources.flatMap(({ source, lastCompleteAt, isStale }) =>
        isStale ? [describeStaleSource(source, lastCompleteAt)] : [],
      ),
    ]),
    waiting: {
      findings: counts.toDecide.totalCount,
      findingsIsLowerBound: counts.toDecide.totalCountIsLowerBound,
      proposals: await countOpenProposals(db, workspaceId),
      deployments: others.deployments && (others.deployments[0]?.total ?? 0),
      alerts: others.alerts && others.alerts.count,
      devices: others.mayReadDevices ? blind.blindSpotDevices : null,
    },
    firmwareVersions: await showVersions(ctx, workspaceId, at),
    firmwareVersionCount: totals.firmwareVersions,
    setup: {
      hasSources: sources.some(({ lastCompleteAt }) => lastCompleteAt !== null),
      hasFirmware: totals.firmwareVersions > 0,
      hasSbom: totals.hasSbom,
      hasDevice: totals.devices > 0,
      hasDecision: totals.hasDecision,
      hasDeployment: totals.hasDeployment,
    },
    sources,
  }
}

const NONE: CountedFilter = { filter: {}, totalCount: 0, totalCountIsLowerBound: false }

interface Counts extends Omit<FindingNeeds, 'exploitedDevices'> {
  toDecide: CountedFilter
}

interface RememberedCounts {
  state: string
  at: Date
  counts: Counts
}
const makeRemembered = () => new Map<string, RememberedCounts>()
const MOST_REMEMBERED = 1_000
/** Time alone changes what is new and what is overdue. */
const REMEMBERED_MS = 60_000

/** Counting reads what a workspace keeps of thousands of vulnerabilities: once a minute, or when findings changed. */
async function countNeeds(
  ctx: AppContext,
  { workspaceId, newSince = addDays(ctx.now(), -1).toISOString() }: ReadOverview,
): Promise<Counts> {
  const remembered = ctx.memory.of(makeRemembered)
  const at = ctx.now()
  const asked = { workspaceId, newSince }
  const state = `${await store.readFindingState(ctx.db, workspaceId)} ${newSince.slice(0, 13)}`
  const known = remembered.get(workspaceId)
  if (known?.state === state && at.getTime() - known.at.getTime() < REMEMBERED_MS)
    return known.counts
  const counts = await countFresh(ctx, asked)
  remembered.delete(workspaceId)
  remembered.set(workspaceId, { state, at, counts })
  const [oldest] = remembered.keys()
  if (remembered.size > MOST_REMEMBERED && oldest !== undefined) remembered.delete(oldest)
  return counts
}

async function countFresh(
  ctx: AppContext,
  asked: { workspaceId: string; newSince: string },
): Promise<Counts> {
  const count = async (chip: Chip, filter: WorkspaceFindingFilter = {}) =>
    (await countFindings(ctx, { ...asked, filter, chips: [chip] }))[chip] ?? NONE
  const undecided = { assessments: [...OPEN_ASSESSMENTS] }
  return {
    toDecide: await count('toDecide'),
    exploited: await count('exploited'),
    newCritical: await count('newSince', { ...undecided, severities: ['Critical'] }),
    newHigh: await count('newSince', { ...undecided, severities: ['Critical', 'High'] }),
    undecidedCritical: await count('toDecide', { severities: ['Critical'] }),
    overdue: await count('overdue'),
    recheck: await count('recheck'),
  }
}

type Chip = Exclude<
  keyof Awaited<ReturnType<typeof countFindings>>,
  'bySeverity' | 'bySsvc' | 'bySsvcOutcome' | 'mine'
>

/** Devices that run what is exploited, of all, and those of which nothing is known; now and a week ago. */
export async function readExploitedDevices(
  { db, now }: Pick<AppContext, 'db' | 'now'>,
  workspaceId: string,
) {
  const exposure = sumExposure(await readPresentRisks(db, workspaceId))
  const { deviceCount: devices, exploited, byWorst } = exposure
  const unknown = byWorst.find(({ worst }) => worst === 'NotJudged')?.devices ?? 0
  const weekAgo = await store.findExposureOfWeekAgo(db, workspaceId, now())
  return { devices, exploited, unknown, exploitedWeekAgo: weekAgo?.exploited }
}

/** What needs people besides findings; null: the principal may not read it. */
async function readOthers(ctx: AppContext, { workspaceId, scopes }: OverviewReader) {
  const { db } = ctx
  const may = (scope: Scope) => scopes.has(scope)
  return {
    deployments: may('Deployments: read')
      ? await store.listStalledDeployments(db, workspaceId)
      : null,
    alerts: may('Alerts: read')
      ? await ctx.reactions.summariseFiringAlerts(ctx, { workspaceId })
      : null,
    sboms: may('SBOMs: read') ? await store.listFailedSboms(db, workspaceId) : null,
    pastSupport: may('Devices: read') ? await readPastSupport(ctx, workspaceId) : null,
    mayReadDevices: may('Devices: read'),
  }
}

async function readPastSupport({ db, now }: AppContext, workspaceId: string) {
  const past = await listPastSupport(db, { workspaceId, now: now() })
  const firmwareVersionIds = past.map(({ firmwareVersionId }) => firmwareVersionId)
  const running =
    past.length === 0
      ? { devices: 0, firmwareVersionIds: [] }
      : await store.countRunning(db, { workspaceId, firmwareVersionIds })
  const isRun = new Set(running.firmwareVersionIds)
  const names = past.flatMap(({ firmwareVersionId, names: said }) =>
    isRun.has(firmwareVersionId) ? said : [],
  )
  return { devices: running.devices, names: [...new Set(names)].toSorted() }
}

function describeOthers(
  {
    deployments,
    alerts,
    sboms,
    pastSupport,
    mayReadDevices,
  }: Awaited<ReturnType<typeof readOthers>>,
  { unknownVersionDevices, otherImageDevices }: Awaited<ReturnType<typeof countBlindSpots>>,
): Need[] {
  return [
    ...(deployments ?? []).map(describeStalledDeployment),
    ...(alerts ? [describeFiringAlerts(alerts)] : []),
    ...(sboms ?? []).map(describeFailedSboms),
    ...(pastSupport ? [describePastSupport(pastSupport)] : []),
    ...(mayReadDevices
      ? [describeOtherImages(otherImageDevices), describeUnknownFirmware(unknownVersionDevices)]
      : []),
  ]
}

async function showVersions(ctx: AppContext, workspaceId: string, at: Date) {
  const { db } = ctx
  const versions = await store.listRiskiestVersions(db, workspaceId, MOST_VERSIONS)
  const ids = versions.map(({ id }) => id)
  const marks = await listMarks(ctx, workspaceId, ids)
  const past = await store.listDailyDevices(db, {
    workspaceId,
    of: ids,
    days: listTrendDays(at),
  })
  const byVersion = Map.groupBy(past, ({ id }) => id)
  const today = at.toISOString().slice(0, 10)
  return versions.map(({ id, name, firmware, devices, exploited, counts }) => ({
    firmwareVersion: { id, name, firmware },
    mark: marks.get(id) ?? UNKNOWN_MARK,
    deviceCount: devices,
    exploited,
    countsBySeverity: countSeverities(counts),
    trend: [
      ...(byVersion.get(id) ?? []).map(({ day, devices: count }) => ({ day, devices: count })),
      { day: today, devices },
    ],
  }))
}
