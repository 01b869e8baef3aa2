/** Decides whether a firmware version passes, and whether enough is known to decide. */
import { InvalidArgumentError } from 'commander'
import {
  SEVERITY,
  type Coverage,
  type Sbom,
  type VulnerabilityFinding,
  type VulnerabilitySource,
} from '../../api-client/src/index.ts'
import {
  isOverLimit,
  type NotJudgedLimit,
  describeNotJudged,
  describeNotMatchedYet,
  describeUndecided,
  describeUnknown,
} from './coverage.ts'
import { EXIT, type ExitCode } from './exit-codes.ts'
import { isActive, type Severity } from './findings.ts'
import { readOneOf } from './option-values.ts'
import { formatCount } from './print.ts'
import type { Session } from './session.ts'
import { readSbomState } from './wait.ts'
import { findMax } from './largest.ts'

export type SourceName = VulnerabilitySource['source']

export async function readSources({
  client,
  workspaceId,
}: Session): Promise<VulnerabilitySource[]> {
  const path = '/workspaces/{workspaceId}/vulnerability-sources'
  return (await client.get(path, { params: { workspaceId } })).sources
}

export interface Threshold {
  severities: readonly Severity[]
  knownExploits: boolean
  /** Outcomes of SSVC, each with all more urgent ones. */
  outcomes: readonly string[]
}

/** Those of CISA need no prefix; the service says whether the tree of the workspace has them. */
const OUTCOMES = ['track', 'track*', 'attend', 'act']

function readOutcome(word: string): string | undefined {
  const lower = word.toLowerCase()
  if (lower.startsWith('ssvc:')) return word.slice('ssvc:'.length)
  return OUTCOMES.includes(lower) ? lower : undefined
}

/**
 * `high` means high and above, so that failing on medium also fails on critical. `unknown` is not a level: it counts only
 * where it is named.
 */
export function parseThreshold(text: string): Threshold {
  const all = text.split(',').map((word) => word.trim())
  const words = all.filter((word) => readOutcome(word) === undefined)
  const named = words.filter((word) => word.toLowerCase() !== 'kev').map(readSeverity)
  const levels = SEVERITY.filter((severity) => severity !== 'Unknown')
  const lowest = findMax(
    named.map((severity) => levels.findIndex((one) => one === severity)),
    -1,
  )
  return {
    severities: [
      ...levels.slice(0, lowest + 1),
      ...(named.includes('Unknown') ? (['Unknown'] as const) : []),
    ],
    knownExploits: named.length < words.length,
    outcomes: all.flatMap((word) => readOutcome(word) ?? []),
  }
}

/** Sources that must be current: without them an empty result says little. */
export function listNeededSources({ knownExploits }: Threshold): SourceName[] {
  return ['cvelist', 'nvd', 'osv', ...(knownExploits ? (['kev'] as const) : [])]
}

function readSeverity(word: string): Severity {
  try {
    return readOneOf(SEVERITY)(word)
  } catch {
    throw new InvalidArgumentError(
      `${JSON.stringify(word)} is not a threshold. Use one of: ${SEVERITY.join(', ').toLowerCase()}, kev, ${OUTCOMES.join(', ')}, or ssvc: with an outcome of your tree.`,
    )
  }
}

export function isOver(
  { severities, knownExploits }: Omit<Threshold, 'outcomes'>,
  finding: VulnerabilityFinding,
): boolean {
  const { severity, exploitedSources } = finding
  const counts = severities.includes(severity) || (knownExploits && exploitedSources.length > 0)
  return counts && isActive(finding)
}

export interface Facts {
  sboms: readonly Sbom[]
  sources: readonly VulnerabilitySource[]
  requiredSources: readonly SourceName[]
  /** Findings over the threshold. */
  findings: readonly VulnerabilityFinding[]
  coverage: Coverage
  maxNotJudged: NotJudgedLimit
  now: Date
  /** undefined: as old as the service allows. */
  maxSourceAgeDays: number | undefined
  /** The largest age of what a source published; undefined: old data only makes a warning. */
  maxSnapshotAgeDays: number | undefined
  allowStaleSources: boolean
}

interface Reason {
  exitCode: ExitCode
  text: string
}

export interface Verdict {
  exitCode: ExitCode
  reasons: Reason[]
  /** Warnings that do not fail the check. */
  warnings: string[]
}

/** Reasons for an incomplete answer come first: a pipeline may tolerate findings, but not unseen ones. */
export function judge(facts: Facts): Verdict {
  const required = facts.requiredSources.map((name) => ({
    name,
    source: facts.sources.find(({ source }) => source === name),
  }))
  const old = required.flatMap(({ source }) => (source ? oldSnapshot(source, facts) : []))
  const stale = [
    ...required.flatMap(({ name, source }) => staleness(name, source, facts)),
    ...(facts.maxSnapshotAgeDays === undefined ? [] : old),
  ]
  const reasons = [
    ...sbomFaults(facts.sboms),
    ...(facts.allowStaleSources
      ? []
      : stale.map((text) => ({ exitCode: EXIT.sourceStale, text }) as const)),
    ...notMatchedYet(facts),
    ...notJudged(facts),
    ...overThreshold(facts.findings),
  ]
  return {
    exitCode: reasons[0]?.exitCode ?? EXIT.ok,
    reasons,
    warnings: [
      ...(facts.allowStaleSources ? stale : []),
      ...(facts.maxSnapshotAgeDays === undefined ? old : []),
      ...unseen(facts),
    ],
  }
}

function sbomFaults(sboms: readonly Sbom[]): Reason[] {
  if (sboms.length === 0)
    return [{ exitCode: EXIT.noComponents, text: 'The firmware version has no SBOM.' }]
  const failed = sboms.filter((sbom) => readSbomState(sbom) === 'failed')
  const empty = sboms.filter((sbom) => readSbomState(sbom) === 'ready' && sbom.componentCount === 0)
  return [
    ...failed.map(({ fileName, parsingError }) => ({
      exitCode: EXIT.sbomFailed,
      text: `The SBOM ${fileName} could not be read: ${parsingError ?? 'no reason is known'}`,
    })),
    ...empty.map(({ fileName }) => ({
      exitCode: EXIT.noComponents,
      text: `The SBOM ${fileName} has no components.`,
    })),
  ]
}

/** However many components may be not judged: of these, nobody has looked yet. */
function notMatchedYet({ coverage }: Facts): Reason[] {
  const text = describeNotMatchedYet(coverage)
  return text === undefined ? [] : [{ exitCode: EXIT.notJudged, text }]
}

/** Too many components of which nothing can be told: no findings in them prove nothing. */
function notJudged({ coverage, maxNotJudged }: Facts): Reason[] {
  const text = describeNotJudged(coverage)
  if (text === undefined || !isOverLimit(coverage, maxNotJudged)) return []
  const { count, isPercent } = maxNotJudged
  const most = `--max-not-judged allows ${count}${isPercent ? '%' : ''}`
  return [{ exitCode: EXIT.notJudged, text: `${text} ${most}.` }]
}

/** Warns of what has no verdict: it may be vulnerable. */
function unseen({ coverage, maxNotJudged }: Facts): string[] {
  const texts = [
    isOverLimit(coverage, maxNotJudged) ? undefined : describeNotJudged(coverage),
    describeUnknown(coverage),
    describeUndecided(coverage),
  ]
  return texts.filter((text) => text !== undefined)
}

const DAY_MS = 24 * 60 * 60 * 1000
const ageInDays = (time: string, now: Date) => (now.getTime() - Date.parse(time)) / DAY_MS

type Ages = Pick<Facts, 'now' | 'maxSourceAgeDays'> & Partial<Pick<Facts, 'maxSnapshotAgeDays'>>

function staleness(name: string, source: VulnerabilitySource | undefined, facts: Ages): string[] {
  const because = source?.lastError ? ` Its last error: ${source.lastError}` : ''
  const off = source?.state === 'Off' ? ' It is off.' : ''
  if (!source?.lastSuccessAt)
    return [`The source ${name} was never read completely.${off}${because}`]
  const { lastSuccessAt } = source
  const age = ageInDays(lastSuccessAt, facts.now)
  const { maxSourceAgeDays: most } = facts
  if (most === undefined ? !source.isStale : age <= most) return []
  const days = formatCount(Math.floor(age), 'day')
  return [`The source ${name} was last read completely ${days} ago (${lastSuccessAt}).${because}`]
}

/** Stale sources, of those that were ever read; for a list, which requires none. */
export function listOldSources(sources: readonly VulnerabilitySource[], now: Date): string[] {
  const read = sources.filter(({ lastSuccessAt }) => lastSuccessAt !== null)
  if (read.length === 0) return ['No vulnerability source was ever read completely.']
  const facts = { now, maxSourceAgeDays: undefined }
  return read.flatMap((source) => {
    const stale = staleness(source.source, source, facts)
    return stale.length > 0 ? stale : oldSnapshot(source, facts)
  })
}

/** Sources that were read lately, but from an old file. */
function oldSnapshot({ source, snapshotAt }: VulnerabilitySource, facts: Ages): string[] {
  const { now, maxSourceAgeDays = 7, maxSnapshotAgeDays = maxSourceAgeDays } = facts
  if (snapshotAt === null) return []
  const age = ageInDays(snapshotAt, now)
  if (age <= maxSnapshotAgeDays) return []
  const days = formatCount(Math.floor(age), 'day')
  return [`The source ${source} is ${days} old: it was read as of ${snapshotAt}.`]
}

function overThreshold(findings: readonly VulnerabilityFinding[]): Reason[] {
  if (findings.length === 0) return []
  const known = findings.filter(({ exploitedSources }) => exploitedSources.length > 0).length
  const counts = SEVERITY.map((severity) => ({
    severity,
    count: findings.filter((finding) => finding.severity === severity).length,
  }))
  const parts = counts
    .filter(({ count }) => count > 0)
    .map(({ severity, count }) => `${count} ${severity}`)
  const exploited = known > 0 ? `; ${known} known to be exploited` : ''
  const text = `${formatCount(findings.length, 'finding')} over the threshold: ${parts.join(', ')}${exploited}.`
  return [{ exitCode: EXIT.findings, text }]
}
