/** What lists over a workspace answer, from all its facts and without SQL: `model.test.ts` compares the lists with it. */
import { sql } from 'kysely'
import { type Assessment, isActive } from '../src/formats/assessments.ts'
import { SEVERITIES, type Severity } from '../src/formats/advisories/model.ts'
import {
  type DecidingTree,
  listVersionContexts,
  readDecidingTree,
} from '../src/features/ssvc/index.ts'
import { ALL_CONTEXTS, CLASS_COUNT } from '../src/formats/ssvc/classes.ts'
import type { Db } from '../src/platform/db/connect.ts'

type Confidence = 'High' | 'Medium' | 'Low'

export interface ModelFilter {
  severities?: Severity[]
  assessments?: Assessment[]
  confidences?: Confidence[]
  ignored?: boolean
  activeOnly?: true
  exploited?: boolean
  detectedSince?: string
  affectedDevicesOnly?: true
  recheck?: boolean
  cveIds?: string[]
  name?: { contains: string }[]
  components?: { packageName: string }[]
  firmwareVersionIds?: string[]
  ssvcOutcomes?: string[]
  overdue?: true
}

export interface ModelList {
  of: 'Finding' | 'Vulnerability' | 'Component'
  sortColumn: string
}

interface Period {
  since: Date
  until: Date | null
}

interface Holding extends Period {
  packageId: string
  firmwareVersionId: string
  componentName: string
  componentVersion: string | null
}

interface Match extends Period {
  packageId: string
  vulnerabilityId: string
  confidence: Confidence
  severity: Severity
  isExploited: boolean
  score: number | null
  name: string
  isKnownExploit: boolean
  epssScore: number
  ssvcClass: number
}

interface Decision {
  packageId: string
  vulnerabilityId: string
  firmwareVersionId: string
  assessment: Assessment
  ignored: boolean
  recheckReason: string | null
}

/** In how many days findings are to be decided; undefined: there is no target. */
export interface Targets {
  bySeverity: Partial<Record<Severity, number>>
  /** By name. */
  byOutcome: Partial<Record<string, number>>
  now: number
}

export interface Facts {
  holdings: Holding[]
  matches: Match[]
  decisions: Decision[]
  /** What devices run, and how many run exactly that. */
  sets: { versions: string[]; devices: number }[]
  /** What SSVC decides, and the contexts of each version. */
  ssvc: { tree: DecidingTree; contexts: ReadonlyMap<string, bigint> }
  /** Where something is asked about overdue findings. */
  targets?: Targets
}

export async function readFacts(db: Db, workspaceId: string): Promise<Facts> {
  const holdings = await sql<Holding>`
    select package_id, firmware_version_id, component_name, component_version, since, until
    from firmware_version_packages where workspace_id = ${workspaceId}`.execute(db)
  const matches = await sql<Match>`
    select match.package_id, match.vulnerability_id, match.confidence, match.severity, match.is_exploited, match.score,
      match.since, match.until, known.name, known.is_known_exploit, coalesce(epss.score, -1) as epss_score,
      known.ssvc_class
    from package_matches as match
    join vulnerabilities as known on known.id = match.vulnerability_id
    left join epss_scores as epss on epss.cve_id = match.vulnerability_id
    where match.package_id in (
      select package_id from firmware_version_packages where workspace_id = ${workspaceId})`.execute(
    db,
  )
  const decisions = await sql<Decision>`
    select package_id, vulnerability_id, firmware_version_id, assessment, ignored, recheck_reason
    from finding_decisions where workspace_id = ${workspaceId}`.execute(db)
  const sets = await sql<Facts['sets'][number]>`
    select firmware_version_ids as versions, devices from firmware_set_device_counts
    where workspace_id = ${workspaceId}`.execute(db)
  return {
    holdings: holdings.rows,
    matches: matches.rows,
    decisions: decisions.rows,
    sets: sets.rows,
    ssvc: {
      tree: await readDecidingTree(db, workspaceId),
      contexts: new Map(
        (await listVersionContexts(db, workspaceId)).map((one) => [
          one.firmwareVersionId,
          one.contexts,
        ]),
      ),
    },
  }
}

interface Row extends Match {
  meets: boolean
  componentName: string
  componentVersion: string
  versionCount: number
  magnitude: number
  detectedAt: number
  outcome: number
}

const holds = ({ until }: Period) => until === null
const rankOf = (severity: Severity) => SEVERITIES.length - SEVERITIES.indexOf(severity)
const greatest = (values: readonly number[], least: number) =>
  values.reduce((most, value) => (value > most ? value : most), least)
const smallest = (values: readonly number[]) =>
  values.reduce((least, value) => (value < least ? value : least), Infinity)

/** All rows of the versions asked for, in no order, and whether they meet the filter. */
function rowsOf(facts: Facts, filter: ModelFilter): Row[] {
  const versions = filter.firmwareVersionIds
  const holdings = facts.holdings.filter(
    ({ firmwareVersionId }) => versions?.includes(firmwareVersionId) ?? true,
  )
  return facts.matches.filter(holds).flatMap((match) => {
    const held = holdings.filter(({ packageId }) => packageId === match.packageId)
    const [newest, ...older] = held
      .filter(holds)
      .toSorted((a, b) => (a.firmwareVersionId < b.firmwareVersionId ? 1 : -1))
    if (!newest) return []
    const ids = [newest, ...older].map(({ firmwareVersionId }) => firmwareVersionId)
    const row = {
      ...match,
      componentName: newest.componentName,
      componentVersion: newest.componentVersion ?? '',
      versionCount: ids.length,
      magnitude: magnitudeOf(facts, ids),
      detectedAt: detectedAtOf(facts, held, match),
      outcome: outcomeOf(facts, match, ids),
    }
    return [{ ...row, meets: meetsFilter(facts, filter, row, ids) }]
  })
}

/** The most urgent outcome of the findings in these versions, one after another. */
function outcomeOf(
  { ssvc: { tree, contexts } }: Facts,
  match: Match,
  ids: readonly string[],
): number {
  const ratedClass = match.ssvcClass + (match.isExploited ? CLASS_COUNT : 0)
  const outcomes = ids.map((id) =>
    tree.decisions.decide(ratedClass, contexts.get(id) ?? ALL_CONTEXTS),
  )
  return greatest(outcomes, 0)
}

function magnitudeOf({ sets }: Facts, ids: readonly string[]): number {
  const devices = sets
    .filter(({ versions }) => versions.some((id) => ids.includes(id)))
    .reduce((sum, set) => sum + set.devices, 0)
  return devices === 0 ? 0 : String(devices).length
}

/** The first instant at which a version held the package while it matched. */
function detectedAtOf({ matches }: Facts, held: readonly Holding[], match: Match): number {
  const end = ({ until }: Period) => until?.getTime() ?? Infinity
  const seen = matches.filter(
    ({ packageId, vulnerabilityId }) =>
      packageId === match.packageId && vulnerabilityId === match.vulnerabilityId,
  )
  const starts = seen.flatMap((one) =>
    held.flatMap((fact) => {
      const start = greatest([one.since.getTime(), fact.since.getTime()], 0)
      return start < end(one) && start < end(fact) ? [start] : []
    }),
  )
  return smallest(starts)
}

function meetsFilter(
  facts: Facts,
  filter: ModelFilter,
  row: Omit<Row, 'meets'>,
  ids: readonly string[],
): boolean {
  const { severities, exploited, cveIds, name, components, detectedSince } = filter
  const contains = (text: string) =>
    name?.some((one) => text.toLowerCase().includes(one.contains.toLowerCase()))
  return (
    (severities?.includes(row.severity) ?? true) &&
    (filter.ssvcOutcomes?.includes(facts.ssvc.tree.tree.outcomes[row.outcome]?.name ?? '') ??
      true) &&
    (exploited ?? row.isExploited) === row.isExploited &&
    (cveIds?.includes(row.vulnerabilityId) ?? true) &&
    (!name || [row.name, row.vulnerabilityId, row.componentName].some(contains)) &&
    (components?.some(({ packageName }) => packageName === row.componentName) ?? true) &&
    (detectedSince === undefined || row.detectedAt >= Date.parse(detectedSince)) &&
    (filter.overdue !== true || isOverdue(facts, row)) &&
    ids.some((id) => hasFinding(facts, filter, row, id))
  )
}

const DAY_MS = 86_400_000

type Dated = Pick<Row, 'severity' | 'outcome' | 'detectedAt'>

function hasPassed({ targets }: Facts, days: number | undefined, detectedAt: number): boolean {
  if (!targets) throw new Error('the model needs targets')
  return days !== undefined && detectedAt + days * DAY_MS < targets.now
}
const isOverdueBySeverity = (facts: Facts, { severity, detectedAt }: Dated) =>
  hasPassed(facts, facts.targets?.bySeverity[severity], detectedAt)
const isOverdueByOutcome = (facts: Facts, { outcome, detectedAt }: Dated) => {
  const { name = '' } = facts.ssvc.tree.tree.outcomes[outcome] ?? {}
  return hasPassed(facts, facts.targets?.byOutcome[name], detectedAt)
}

/** The sooner one of both targets has passed. */
const isOverdue = (facts: Facts, row: Dated) =>
  isOverdueBySeverity(facts, row) || isOverdueByOutcome(facts, row)

/** How many findings of single versions are overdue: by severity since any version had it, by outcome since their own had. */
export function countOverdueFindings(facts: Facts): number {
  return facts.holdings
    .filter((fact) => holds(fact))
    .flatMap((fact) =>
      facts.matches
        .filter((match) => holds(match) && match.packageId === fact.packageId)
        .map((match) => ({ fact, match })),
    )
    .filter(({ fact, match }) => {
      const { firmwareVersionId: id, packageId } = fact
      const held = facts.holdings.filter(
        (one) => one.firmwareVersionId === id && one.packageId === packageId,
      )
      const own = {
        severity: match.severity,
        outcome: outcomeOf(facts, match, [id]),
        detectedAt: detectedAtOf(facts, held, match),
      }
      const anywhere = facts.holdings.filter((one) => one.packageId === packageId)
      const first = { ...own, detectedAt: detectedAtOf(facts, anywhere, match) }
      return (
        hasFinding(facts, { activeOnly: true }, match, id) &&
        (isOverdueBySeverity(facts, first) || isOverdueByOutcome(facts, own))
      )
    }).length
}

/** The finding of the row in the version meets all that the filter asks of findings. */
function hasFinding(facts: Facts, filter: ModelFilter, row: Match, id: string): boolean {
  const decision = facts.decisions.find(
    (one) =>
      one.firmwareVersionId === id &&
      one.packageId === row.packageId &&
      one.vulnerabilityId === row.vulnerabilityId,
  )
  const { assessment = 'NotAssessed', ignored = false, recheckReason = null } = decision ?? {}
  const { affectedDevicesOnly, assessments, confidences, recheck } = filter
  const activeOnly = filter.activeOnly ?? filter.overdue
  return (
    (assessments?.includes(assessment) ?? true) &&
    (confidences?.includes(row.confidence) ?? true) &&
    (filter.ignored ?? ignored) === ignored &&
    (recheck ?? recheckReason !== null) === (recheckReason !== null) &&
    (!activeOnly || isActive({ assessment, ignored, confidence: row.confidence })) &&
    (!affectedDevicesOnly || facts.sets.some(({ versions }) => versions.includes(id)))
  )
}

type Keys = (number | string)[]
/** The id of a row, and what each order compares. */
type Listed = [id: string, orders: Record<string, Keys>]
const flag = (is: boolean) => (is ? 1 : 0)
const scoreOf = ({ score }: Pick<Match, 'score'>) => score ?? -1

function listFindings(rows: readonly Row[]): Listed[] {
  return rows
    .filter(({ meets }) => meets)
    .map((row): Listed => {
      const { vulnerabilityId, packageId, versionCount } = row
      const id = [vulnerabilityId, packageId]
      const severity = rankOf(row.severity)
      const risk = [...riskOf({ ...row, severity, epss: row.epssScore }), scoreOf(row)]
      const orders: Record<string, Keys> = {
        Risk: [...risk, ...id],
        Severity: [severity, scoreOf(row), ...id],
        CvssScore: [scoreOf(row), ...id],
        EpssScore: [row.epssScore, ...id],
        CveId: id,
        Name: [row.name, ...id],
        ComponentName: [row.componentName, ...id],
        ComponentVersion: [row.componentVersion, packageId, vulnerabilityId],
        KnownCisaExploit: [flag(row.isKnownExploit), ...id],
        DetectedAt: [row.detectedAt, ...id],
        FirmwareVersionCount: [versionCount, packageId, vulnerabilityId],
        Ssvc: [row.outcome, severity, scoreOf(row), ...id],
      }
      return [id.join(' '), orders]
    })
}

/** What belongs to a vulnerability is of all its rows; one of them must meet the filter, and all be as new as it asks. */
function listVulnerabilities(
  facts: Facts,
  { detectedSince = dayZero, ...filter }: ModelFilter,
): Listed[] {
  const groups = Map.groupBy(rowsOf(facts, filter), ({ vulnerabilityId }) => vulnerabilityId)
  return [...groups].flatMap(([id, rows]): Listed[] => {
    const detectedAt = smallest(rows.map((row) => row.detectedAt))
    const [first] = rows
    if (!first || !rows.some(({ meets }) => meets) || detectedAt < Date.parse(detectedSince))
      return []
    const severity = greatest(
      rows.map((row) => rankOf(row.severity)),
      0,
    )
    const magnitude = greatest(
      rows.map((row) => row.magnitude),
      0,
    )
    const score = greatest(rows.map(scoreOf), -1)
    const isExploited = flag(rows.some((row) => row.isExploited))
    const count = rows.reduce((sum, { versionCount }) => sum + versionCount, 0)
    const orders: Record<string, Keys> = {
      Risk: [...riskOf({ isExploited, magnitude, severity, epss: first.epssScore }), score, id],
      Severity: [severity, score, id],
      CvssScore: [score, id],
      EpssScore: [first.epssScore, id],
      CveId: [id],
      Name: [first.name, id],
      KnownCisaExploit: [flag(first.isKnownExploit), id],
      DetectedAt: [detectedAt, id],
      FindingCount: [count, id],
      Ssvc: [
        greatest(
          rows.map(({ outcome }) => outcome),
          0,
        ),
        severity,
        score,
        id,
      ],
    }
    return [[id, orders]]
  })
}
const dayZero = '1970-01-01T00:00:00Z'

/** What belongs to a component is of its vulnerabilities of which one row meets the filter. */
function listComponents(facts: Facts, filter: ModelFilter): Listed[] {
  const groups = Map.groupBy(rowsOf(facts, filter), ({ componentName }) => componentName)
  return [...groups].flatMap(([name, all]): Listed[] => {
    const chosen = new Set(
      all.filter(({ meets }) => meets).map(({ vulnerabilityId }) => vulnerabilityId),
    )
    const isNewest = filter.firmwareVersionIds === undefined
    const rows = all.filter(({ vulnerabilityId }) => chosen.has(vulnerabilityId))
    if (rows.length === 0) return []
    const detected = rows.filter(({ meets }) => isNewest || meets)
    const most = (valueOf: (row: Row) => number, of: readonly Row[] = rows) =>
      greatest(of.map(valueOf), -1)
    const severity = most((row) => rankOf(row.severity))
    const epss = most((row) => row.epssScore)
    const magnitude = magnitudeOfComponent(facts, filter, name)
    const orders: Record<string, Keys> = {
      Risk: [
        ...riskOf({ isExploited: most((row) => flag(row.isExploited)), magnitude, severity, epss }),
        name,
      ],
      Severity: [severity, name],
      EpssScore: [epss, name],
      DetectedAt: [most((row) => row.detectedAt, detected), name],
      VulnerabilityCount: [chosen.size, name],
      Name: [name],
      Ssvc: [most((row) => row.outcome), severity, name],
    }
    return [[name, orders]]
  })
}

/** The most of its packages, also of those without findings. */
interface Risk {
  isExploited: boolean | number
  magnitude: number
  severity: number
  epss: number
}

function riskOf({ isExploited, magnitude, severity, epss }: Risk): number[] {
  const likelihood = [0.01, 0.1, 0.5].filter((bound) => epss >= bound).length
  return [Number(isExploited), Number(magnitude > 0), severity, likelihood, magnitude, epss]
}

function magnitudeOfComponent(facts: Facts, filter: ModelFilter, name: string): number {
  const held = facts.holdings.filter(
    (one) => holds(one) && (filter.firmwareVersionIds?.includes(one.firmwareVersionId) ?? true),
  )
  const groups = Map.groupBy(
    held.filter(({ componentName }) => componentName === name),
    ({ packageId }) => packageId,
  )
  const ids = [...groups.values()].map((some) =>
    some.map(({ firmwareVersionId }) => firmwareVersionId),
  )
  return greatest(
    ids.map((some) => magnitudeOf(facts, some)),
    0,
  )
}

function compareKeys(a: Keys, b: Keys): number {
  for (const [index, value] of a.entries()) {
    const other = b[index] ?? value
    if (value !== other) return value < other ? -1 : 1
  }
  return 0
}

/** The rows of all pages, by their ids. */
export function modelOf(
  facts: Facts,
  asked: { filter: ModelFilter; list: ModelList; ascending: boolean },
): string[] {
  const { filter, list, ascending } = asked
  const rows = {
    Finding: () => listFindings(rowsOf(facts, filter)),
    Vulnerability: () => listVulnerabilities(facts, filter),
    Component: () => listComponents(facts, filter),
  }[list.of]()
  const sorted = rows.toSorted(
    ([, a], [, b]) =>
      compareKeys(a[list.sortColumn] ?? [], b[list.sortColumn] ?? []) * (ascending ? 1 : -1),
  )
  return sorted.map(([id]) => id)
}
