/** The overview of a workspace in one request. It reads kept counts, and no finding one by one. */
import { SEVERITIES, type Severity } from '../../../formats/advisories/model.ts'
import { addDays } from '../../../formats/instants.ts'
import type { AppContext } from '../../../platform/context.ts'
import type { Principal, Scope } from '../../auth/index.ts'
import { getSources } from '../../feeds/index.ts'
import { listMarks, UNKNOWN_MARK } from '../../firmware/index.ts'
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

export async function readOverview(ctx: AppContext, asked: OverviewReader) {
  const { workspaceId } = asked
  const { db } = ctx
  const at = ctx.now()
  const exposure = sumExposure(await readPresentRisks(db, workspaceId))
  const weekAgo = await store.findExposureOfWeekAgo(db, workspaceId, at)
  const totals = await store.readTotals(db, workspaceId)
  const sources = (await getSources(ctx)).sources.map(({ source, lastSuccessAt, isStale }) => ({
    source,
    lastCompleteAt: lastSuccessAt,
    isStale,
  }))
  const counts = await countNeeds(ctx, workspaceId)
  const ofFindings = needsOfFindings({ ...counts, exploitedDevices: exposure.exploited })
  return {
    devices: {
      total: totals.devices,
      ...exposure,
      exploitedWeekAgo: weekAgo ?? null,
      withUnknownFirmware: totals.withUnknownFirmware,
    },
    needsYou: sortNeeds([
      ...ofFindings,
      ...(await otherNeeds(ctx, asked, totals)),
      ...sources.flatMap(({ source, lastCompleteAt, isStale }) =>
        isStale ? [describeStaleSource(source, lastCompleteAt)] : [],
      ),
    ]),
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

interface RememberedCounts {
  state: string
  at: Date
  counts: Omit<FindingNeeds, 'exploitedDevices'>
}
const makeRemembered = () => new Map<string, RememberedCounts>()
const MOST_REMEMBERED = 1_000
/** Time alone changes what is new and what is overdue. */
const REMEMBERED_MS = 60_000

/** Counting reads what a workspace keeps of thousands of vulnerabilities: once a minute, or when findings changed. */
async function countNeeds(
  ctx: AppContext,
  workspaceId: string,
): Promise<Omit<FindingNeeds, 'exploitedDevices'>> {
  const remembered = ctx.memory.of(makeRemembered)
  const state = await store.readFindingState(ctx.db, workspaceId)
  const at = ctx.now()
  const known = remembered.get(workspaceId)
  if (known?.state === state && at.getTime() - known.at.getTime() < REMEMBERED_MS)
    return known.counts
  const counts = await countFresh(ctx, workspaceId)
  remembered.delete(workspaceId)
  remembered.set(workspaceId, { state, at, counts })
  const [oldest] = remembered.keys()
  if (remembered.size > MOST_REMEMBERED && oldest !== undefined) remembered.delete(oldest)
  return counts
}

async function countFresh(
  ctx: AppContext,
  workspaceId: string,
): Promise<Omit<FindingNeeds, 'exploitedDevices'>> {
  const chips = ['exploited', 'overdue', 'recheck'] as const
  const all = await countFindings(ctx, { workspaceId, chips })
  const ofSeverity = async (severity: Severity, chip: 'newSince' | 'toDecide') => {
    const filter = { severities: [severity] }
    return (await countFindings(ctx, { workspaceId, filter, chips: [chip] }))[chip] ?? NONE
  }
  return {
    exploited: all.exploited ?? NONE,
    newCritical: await ofSeverity('Critical', 'newSince'),
    newHigh: await ofSeverity('High', 'newSince'),
    undecidedCritical: await ofSeverity('Critical', 'toDecide'),
    overdue: all.overdue ?? NONE,
    recheck: all.recheck ?? NONE,
  }
}

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

/** What the principal may not read elsewhere is left out. */
async function otherNeeds(
  { db }: AppContext,
  { workspaceId, scopes }: OverviewReader,
  { withUnknownFirmware }: store.Totals,
): Promise<Need[]> {
  const may = (scope: Scope) => scopes.has(scope)
  const deployments = may('Deployments: read')
    ? await store.listStalledDeployments(db, workspaceId)
    : []
  return [
    ...deployments.map(describeStalledDeployment),
    ...(may('Alerts: read')
      ? [describeFiringAlerts(await store.findFiringAlerts(db, workspaceId))]
      : []),
    ...(may('SBOMs: read')
      ? [describeFailedSboms(await store.findFailedSboms(db, workspaceId))]
      : []),
    ...(may('Devices: read') ? [describeUnknownFirmware(withUnknownFirmware)] : []),
  ]
}

async function showVersions({ db }: AppContext, workspaceId: string, at: Date) {
  const versions = await store.listRiskiestVersions(db, workspaceId, MOST_VERSIONS)
  const ids = versions.map(({ id }) => id)
  const marks = await listMarks(db, workspaceId, ids)
  const past = await store.listDailyDevices(db, { workspaceId, ids, days: listTrendDays(at) })
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
