/** Until when the components of a firmware version get fixes. */
import { writeCsvTable } from '../../formats/csv.ts'
import { addMs, DAY_MS } from '../../formats/instants.ts'
import { decideState, formatDay, type SupportState } from '../../formats/support/states.ts'
import type { AppContext } from '../../platform/context.ts'
import type { Db } from '../../platform/db/connect.ts'
import { getSourceFreshness } from '../feeds/index.ts'
import { getFirmwareVersion } from '../firmware/index.ts'
import { explainSupport } from './standing.ts'
import * as store from './store.ts'

interface Version {
  workspaceId: string
  firmwareVersionId: string
}

type VersionSupport = Awaited<ReturnType<typeof readVersionSupport>>

export async function getVersionSupport(
  ctx: Pick<AppContext, 'db' | 'config' | 'now'>,
  input: Version,
) {
  const { workspaceId } = input
  const { id, name, firmware } = await getFirmwareVersion(
    ctx.db,
    workspaceId,
    input.firmwareVersionId,
  )
  const version = { workspaceId, firmwareVersionId: id }
  const sources = await getSourceFreshness(ctx)
  const { supportEndsOn, deviceCount } = await store.readVersionFacts(ctx.db, version)
  return {
    firmwareVersion: { id, name, firmware },
    deviceCount,
    source: sources.find(({ source }) => source === 'endoflife') ?? null,
    ...(await readVersionSupport(ctx.db, { ...version, day: formatDay(ctx.now()), supportEndsOn })),
  }
}

/** In a few numbers. `ended` names what is out of support. */
export async function summariseSupport(
  { db, now }: Pick<AppContext, 'db' | 'now'>,
  version: Version,
) {
  const at = now()
  const terms = { ...version, day: formatDay(at), supportEndsOn: null }
  const { entries, counts } = await readVersionSupport(db, terms)
  const soon = formatDay(addMs(at, SOON_DAYS * DAY_MS))
  return {
    withinDays: SOON_DAYS,
    endedCount: counts.ended,
    endingCount: countChanged(entries, [], soon).endingCount,
    notKnownCount: counts.notKnown + counts.notListed,
    ended: entries
      .filter(({ state }) => state === 'Ended')
      .slice(0, MOST_FAILING)
      .map(({ label, cycle, endsOn }) => ({ label, cycle, endsOn })),
  }
}

type ListedEntry = VersionSupport['entries'][number]
type ListedPackage = store.SupportedPackage & { entry: ListedEntry | undefined }

const TABLE = writeCsvTable<ListedPackage>([
  'componentName',
  'componentVersion',
  ['state', ({ entry }) => entry?.state ?? 'NotListed'],
  ['source', ({ entry }) => entry?.source ?? null],
  ['product', ({ entry }) => entry?.label ?? null],
  ['cycle', ({ entry }) => entry?.cycle ?? null],
  ['endsOn', ({ entry }) => entry?.endsOn ?? null],
  ['extendedEndsOn', ({ entry }) => entry?.extendedEndsOn ?? null],
  ['endsBeforePromise', ({ entry }) => entry?.endsBeforePromise ?? null],
  ['why', ({ entry }) => entry?.why ?? null],
])

/** A line for each component, also of those that nothing is known of. */
export async function exportVersionSupport(ctx: Pick<AppContext, 'db' | 'now'>, input: Version) {
  const { workspaceId } = input
  const found = await getFirmwareVersion(ctx.db, workspaceId, input.firmwareVersionId)
  const version = { workspaceId, firmwareVersionId: found.id }
  const { supportEndsOn } = await store.readVersionFacts(ctx.db, version)
  const terms = { day: formatDay(ctx.now()), supportEndsOn }
  const lines = (await store.listSupportOfVersion(ctx.db, version)).map((row) => {
    const [entry] = isListed(row) ? describeGroup([row], terms) : []
    return TABLE.line({ ...row, entry })
  })
  const fileName = `${found.firmware.slug}-${found.name}-support.csv`
  return { content: TABLE.header + lines.join(''), fileName }
}

const isListed = ({ product, statementId }: store.SupportedPackage) =>
  product !== null || statementId !== null

/** The part that depends on the database and the day alone. */
async function readVersionSupport(
  db: Db,
  input: Version & { day: string; supportEndsOn: string | null },
) {
  const { day, supportEndsOn, ...version } = input
  const rows = await store.listSupportOfVersion(db, version)
  const known = rows.filter(isListed)
  const entries = [...Map.groupBy(known, nameGroup).values()].flatMap((group) =>
    describeGroup(group, { day, supportEndsOn }),
  )
  const count = (state: SupportState) =>
    entries.reduce((sum, one) => sum + (one.state === state ? one.componentCount : 0), 0)
  return {
    day,
    supportEndsOn,
    entries: entries.toSorted(compareEntries),
    counts: {
      ended: count('Ended'),
      ending: count('Ending'),
      endingBeforePromise: entries.reduce(
        (sum, one) => sum + (one.endsBeforePromise ? one.componentCount : 0),
        0,
      ),
      noEndPlanned: count('NoEndPlanned'),
      notKnown: count('NotKnown'),
      notListed: rows.length - known.length,
    },
  }
}

/** Components of one cycle are told together, as are those of one statement. */
const nameGroup = ({ statementId, product, cycle, fault, key, version }: store.SupportedPackage) =>
  statementId ??
  JSON.stringify([product, cycle, fault, cycle === null || isDistribution(key) ? version : null])

const isDistribution = (key: string | null) => key?.startsWith('distribution:') === true

const MOST_NAMED = 50

function describeGroup(
  group: readonly store.SupportedPackage[],
  { day, supportEndsOn }: { day: string; supportEndsOn: string | null },
) {
  const [row] = group
  if (!row) return []
  const facts = row.statementId === null ? readCycle(row) : readStatement(row, row.statementId)
  const state = decideState(facts, day)
  const { endsOn } = facts
  return [
    {
      ...facts,
      state,
      endsBeforePromise:
        state === 'Ending' && supportEndsOn !== null && endsOn !== null && endsOn < supportEndsOn,
      why: explainSupport({ ...row, source: facts.source, label: facts.label }),
      componentCount: group.length,
      components: group.slice(0, MOST_NAMED).map((one) => ({
        name: one.componentName,
        version: one.componentVersion,
      })),
    },
  ]
}

function readCycle(row: store.SupportedPackage) {
  return {
    source: 'endoflife' as const,
    label: row.label ?? row.product ?? '',
    cycle: row.cycle,
    codename: row.codename,
    isLts: row.isLts ?? false,
    endsOn: row.endsOn,
    hasEnded: row.hasEnded,
    extendedEndsOn: row.extendedEndsOn,
    latest: row.latest,
    link: row.productLink,
    note: null,
    statementId: null,
  }
}

function readStatement(row: store.SupportedPackage, statementId: string) {
  return {
    source: 'Statement' as const,
    label: row.statementName ?? '',
    cycle: null,
    codename: null,
    isLts: false,
    endsOn: row.statedEnd,
    // Whoever states no day says that no end is planned.
    hasEnded: row.statedEnd === null ? false : null,
    extendedEndsOn: null,
    latest: null,
    link: row.statementLink,
    note: row.note,
    statementId,
  }
}

const RANKS: Record<SupportState, number> = { Ended: 0, Ending: 1, NotKnown: 2, NoEndPlanned: 3 }

interface Ordered {
  state: SupportState
  endsOn: string | null
  label: string
  cycle: string | null
}

/** What ended first comes first, then what ends next. */
function compareEntries(a: Ordered, b: Ordered): number {
  return (
    RANKS[a.state] - RANKS[b.state] ||
    compareText(a.endsOn ?? '', b.endsOn ?? '') ||
    compareText(a.label, b.label) ||
    compareText(a.cycle ?? '', b.cycle ?? '')
  )
}

const compareText = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)

const MOST_FAILING = 20

export const SUPPORT_VERDICTS = ['Fails', 'NotKnown', 'Passes'] as const

/** Nothing found passes only where everything is known. */
function decideVerdict(known: {
  isFailing: boolean
  isWhole: boolean
}): (typeof SUPPORT_VERDICTS)[number] {
  if (known.isFailing) return 'Fails'
  return known.isWhole ? 'Passes' : 'NotKnown'
}

interface JudgedSupport {
  /** Whether what ends before the promised day fails, too. */
  untilPromise: boolean
  workspaceId: string
  firmwareVersionIds: readonly string[]
}

/** What of the versions fails a rule about support, counted in each version. Passed has only what is known whole. */
export async function judgeSupport(
  { db, now }: Pick<AppContext, 'db' | 'now'>,
  { untilPromise, workspaceId, firmwareVersionIds }: JudgedSupport,
) {
  const day = formatDay(now())
  const versions: (VersionSupport & { firmwareVersionId: string })[] = []
  for (const firmwareVersionId of firmwareVersionIds) {
    const version = { workspaceId, firmwareVersionId }
    const { supportEndsOn } = await store.readVersionFacts(db, version)
    const support = await readVersionSupport(db, { ...version, day, supportEndsOn })
    versions.push({ firmwareVersionId, ...support })
  }
  const sum = (of: (version: VersionSupport) => number) =>
    versions.reduce((total, version) => total + of(version), 0)
  const endedCount = sum(({ counts }) => counts.ended)
  const endingBeforePromiseCount = sum(({ counts }) => counts.endingBeforePromise)
  const notKnownCount = sum(({ counts }) => counts.notKnown + counts.notListed)
  const withoutPromiseCount = sum(({ supportEndsOn }) => (supportEndsOn === null ? 1 : 0))
  const isFailing = ({ state, endsBeforePromise }: ListedEntry) =>
    state === 'Ended' || (untilPromise && endsBeforePromise)
  const failing = versions.flatMap(({ firmwareVersionId, entries }) =>
    entries.filter(isFailing).map((entry) => ({ firmwareVersionId, ...entry })),
  )
  const isWhole = notKnownCount === 0 && !(untilPromise && withoutPromiseCount > 0)
  return {
    verdict: decideVerdict({ isFailing: failing.length > 0, isWhole }),
    endedCount,
    endingBeforePromiseCount,
    notKnownCount,
    withoutPromiseCount,
    failing: failing
      .toSorted(compareEntries)
      .slice(0, MOST_FAILING)
      .map(({ firmwareVersionId, label, cycle, state, endsOn, componentCount }) => ({
        firmwareVersionId,
        label,
        cycle,
        state,
        endsOn,
        componentCount,
      })),
  }
}

/** As far ahead as the comparison of versions looks. */
const SOON_DAYS = 90

interface ComparedVersions {
  workspaceId: string
  baseId: string
  versionId: string
}

/** What a version brings and leaves of products that are out of support or soon will be. The same cycle in both is no change. */
export async function compareSupport(
  { db, now }: Pick<AppContext, 'db' | 'now'>,
  { workspaceId, baseId, versionId }: ComparedVersions,
) {
  const at = now()
  const day = formatDay(at)
  const soon = formatDay(addMs(at, SOON_DAYS * DAY_MS))
  const read = async (firmwareVersionId: string) => {
    const terms = { workspaceId, firmwareVersionId, day, supportEndsOn: null }
    return (await readVersionSupport(db, terms)).entries
  }
  const [before, after] = [await read(baseId), await read(versionId)]
  return {
    withinDays: SOON_DAYS,
    brought: countChanged(after, before, soon),
    left: countChanged(before, after, soon),
  }
}

/** Components of what the first has and the others have not. */
function countChanged(
  entries: readonly ListedEntry[],
  others: readonly ListedEntry[],
  soon: string,
): { endedCount: number; endingCount: number } {
  const known = new Set(others.map(nameEntry))
  const changed = entries.filter((entry) => !known.has(nameEntry(entry)))
  const sum = (of: (entry: ListedEntry) => boolean) =>
    changed.filter(of).reduce((total, { componentCount }) => total + componentCount, 0)
  return {
    endedCount: sum(({ state }) => state === 'Ended'),
    endingCount: sum(
      ({ state, endsOn }) => state === 'Ending' && endsOn !== null && endsOn <= soon,
    ),
  }
}

const nameEntry = ({ statementId, label, cycle }: ListedEntry) =>
  statementId ?? JSON.stringify([label, cycle])
