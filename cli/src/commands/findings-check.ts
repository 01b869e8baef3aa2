import { FEED_SOURCE, type Sbom, type VulnerabilityFinding } from '../../../api-client/src/index.ts'
import { type Command, Option } from 'commander'
import { type NotJudgedLimit, parseNotJudgedLimit, readCoverage } from '../coverage.ts'
import { EXIT } from '../exit-codes.ts'
import { type FindingTableOptions, printWorst } from '../findings-table.ts'
import {
  describeSwitchedOff,
  isActive,
  listFindings,
  readFindings,
  UNDECIDED,
} from '../findings.ts'
import { diffVersions } from '../diff.ts'
import {
  findSlug,
  findStatedVersionId,
  findVersionId,
  withVersion,
  type VersionOptions,
} from '../firmware-version.ts'
import { readListOf, readPositive, readPositiveInteger } from '../option-values.ts'
import { notePage } from '../portal-page.ts'
import { note, formatCount, printJson, printLine } from '../print.ts'
import { sanitise } from '../printable.ts'
import { createProgress } from '../progress.ts'
import { type ConnectionOptions, withConnection, openSession, type Session } from '../session.ts'
import { noteSourceFileHints } from '../source-file-hints.ts'
import { getTerminal } from '../terminal.ts'
import {
  type Facts,
  isOver,
  judge,
  parseThreshold,
  readSources,
  type SourceName,
  listNeededSources,
  type Threshold,
  type Verdict,
} from '../verdict.ts'
import { waitUntilReady } from '../wait.ts'

export interface JudgingOptions extends ConnectionOptions, FindingTableOptions {
  failOn: Threshold
  maxSourceAge?: number
  maxSnapshotAge?: number
  maxNotJudged: NotJudgedLimit
  allowStaleSources?: boolean
  sources?: SourceName[]
}

interface CheckOptions extends JudgingOptions, VersionOptions {
  timeout: number
  newSince?: string
  onlyFixed?: boolean
}

const DEFAULT_THRESHOLD = 'critical,high,kev'
const DEFAULT_NOT_JUDGED = '50%'
const DEFAULT_SHOWN = 10

const EXIT_CODES = `
Exit codes, the first that applies:
  ${EXIT.unauthorised}  the API key is missing, not valid, or lacks a scope
  ${EXIT.unavailable}  the service cannot be reached or is not available
  ${EXIT.timedOut}  the SBOMs were not ready in time
  ${EXIT.sbomFailed}  an SBOM could not be read
  ${EXIT.noComponents}  there is no SBOM, or one has no components
  ${EXIT.sourceStale}  a vulnerability source was never read completely, or not lately
  ${EXIT.notJudged}  nothing can be told of more components than --max-not-judged allows
  ${EXIT.findings}  there are findings at or above --fail-on
  ${EXIT.ok}  there are none
  ${EXIT.error}  wrong usage, or any other error`

/** The options by which any check judges. */
export function withJudging(command: Command): Command {
  return withConnection(command)
    .addOption(
      new Option(
        '--fail-on <list>',
        'critical, high, medium, low, none (each with all above it), unknown, kev, or an outcome of SSVC (act, attend …, with all more urgent ones)',
      )
        .argParser(parseThreshold)
        .default(parseThreshold(DEFAULT_THRESHOLD), DEFAULT_THRESHOLD),
    )
    .option(
      '--max-source-age <days>',
      'largest age of the knowledge, in place of the one that the service allows',
      readPositive,
    )
    .option(
      '--max-snapshot-age <days>',
      'also fail when what a source published is older',
      readPositive,
    )
    .addOption(
      new Option(
        '--max-not-judged <limit>',
        'fail when nothing can be told of more components: a number, or a share such as 25%',
      )
        .argParser(parseNotJudgedLimit)
        .default(parseNotJudgedLimit(DEFAULT_NOT_JUDGED), DEFAULT_NOT_JUDGED),
    )
    .option(
      '--sources <list>',
      `require only these: ${FEED_SOURCE.join(', ')}`,
      readListOf(FEED_SOURCE),
    )
    .option('--allow-stale-sources', 'warn of old sources instead of failing')
    .option(
      '--limit <count>',
      'the largest number to list, worst first (--json has all)',
      readPositiveInteger,
      DEFAULT_SHOWN,
    )
    .addOption(
      new Option('--by <what>', 'list components with the counts of their findings').choices([
        'component',
      ]),
    )
    .addHelpText('after', EXIT_CODES)
}

export function addFindingsCheck(findings: Command): void {
  withJudging(withVersion(findings.command('check')))
    .description('Fail when a firmware version has findings over a threshold, or cannot be checked')
    .option('--timeout <seconds>', 'longest time to wait for the SBOMs', readPositive, 600)
    .option(
      '--new-since <version>',
      'only findings another version has not: its name, slug@name or id',
    )
    .option(
      '--only-fixed',
      'only findings for which a record names a version of the component that has the fix',
    )
    .action(check)
}

/** What any check looks at. */
type CheckedFacts = Pick<Facts, 'sboms' | 'sources' | 'findings' | 'coverage'>

/** Sets the exit code. */
export function concludeCheck(options: JudgingOptions, judged: CheckedFacts): Verdict {
  const verdict = judge({
    ...judged,
    requiredSources: options.sources ?? listNeededSources(options.failOn),
    maxNotJudged: options.maxNotJudged,
    now: new Date(),
    maxSourceAgeDays: options.maxSourceAge,
    maxSnapshotAgeDays: options.maxSnapshotAge,
    allowStaleSources: options.allowStaleSources ?? false,
  })
  getTerminal().exitCode = verdict.exitCode
  return verdict
}

async function check(version: string | undefined, options: CheckOptions): Promise<void> {
  const session = await openSession(options)
  const firmwareVersionId = await findVersionId(session, version, options)
  const sboms = await awaitSboms(session, firmwareVersionId, options)
  const sources = await readSources(session)
  const over = await findingsOver(session, firmwareVersionId, options.failOn)
  const added = await onlyNew(session, firmwareVersionId, {
    ...options,
    findings: over,
    text: version,
  })
  const findings = options.onlyFixed ? await filterFixed(session, firmwareVersionId, added) : added
  const notFixedCount = added.length - findings.length
  const coverage = await readCoverage(session, firmwareVersionId)
  const verdict = concludeCheck(options, { sboms, sources, findings, coverage })
  const { switchedOffCount } = await readFindings(session, firmwareVersionId, {}, 1)
  const answer = { ...verdict, coverage, findings, switchedOffCount, sboms, sources }
  if (options.json)
    printJson(
      { firmwareVersionId, ...answer, ...(options.onlyFixed && { notFixedCount }) },
      findings,
    )
  else {
    printVerdict(verdict, answer, options)
    if (notFixedCount > 0)
      note(
        `Not counted, as no record names a version with the fix (--only-fixed): ${formatCount(notFixedCount, 'finding')} over the threshold.`,
      )
    await noteSourceFileHints(session, firmwareVersionId, findings.length)
    for (const text of describeSwitchedOff(switchedOffCount)) note(text)
    await notePage(session, 'firmwareVersion', { firmwareVersionId })
  }
}

async function awaitSboms(
  session: Session,
  firmwareVersionId: string,
  { timeout: timeoutSeconds }: CheckOptions,
): Promise<Sbom[]> {
  const { states: onStates, end } = createProgress(getTerminal().stderr)
  try {
    return await waitUntilReady(session, firmwareVersionId, { timeoutSeconds, onStates })
  } finally {
    end()
  }
}

async function findingsOver(
  session: Session,
  firmwareVersionId: string,
  threshold: Threshold,
): Promise<VulnerabilityFinding[]> {
  const { severities, knownExploits, outcomes } = threshold
  // Each list is in the order of risk, in which known exploits come first.
  const filters = [
    ...(knownExploits ? [{ ...UNDECIDED, exploited: true }] : []),
    ...(severities.length > 0 ? [{ ...UNDECIDED, severities: [...severities] }] : []),
  ]
  const found = new Map<string, VulnerabilityFinding>()
  for (const filter of filters)
    for (const finding of await listFindings(session, firmwareVersionId, { filter }))
      if (isOver(threshold, finding)) found.set(finding.id, finding)
  for (const ssvcFrom of outcomes) {
    const filter = { ...UNDECIDED, ssvcFrom }
    for (const finding of await listFindings(session, firmwareVersionId, { filter }))
      if (isActive(finding)) found.set(finding.id, finding)
  }
  return [...found.values()]
}

/** As many as one question may name. */
const FIXES_AT_ONCE = 200

async function filterFixed(
  { client, workspaceId }: Session,
  firmwareVersionId: string,
  findings: readonly VulnerabilityFinding[],
): Promise<VulnerabilityFinding[]> {
  const path =
    '/workspaces/{workspaceId}/firmware-versions/{firmwareVersionId}/vulnerability-findings/fixes'
  const fixed = new Set<string>()
  for (let at = 0; at < findings.length; at += FIXES_AT_ONCE) {
    const findingIds = findings.slice(at, at + FIXES_AT_ONCE).map(({ id }) => id)
    const params = { workspaceId, firmwareVersionId }
    const { fixes } = await client.post(path, { params, body: { findingIds } })
    for (const { findingId, fixedVersions } of fixes)
      if (fixedVersions.length > 0) fixed.add(findingId)
  }
  return findings.filter(({ id }) => fixed.has(id))
}

interface NewFindings extends CheckOptions {
  findings: VulnerabilityFinding[]
  /** What names the newer version. */
  text: string | undefined
}

/** Leaves out findings that the older version has too, in any version of the component. */
async function onlyNew(
  session: Session,
  firmwareVersionId: string,
  { newSince, firmware, findings, text }: NewFindings,
): Promise<VulnerabilityFinding[]> {
  if (newSince === undefined) return findings
  const base = await findStatedVersionId(session, newSince, findSlug(text) ?? firmware)
  const { introduced } = await diffVersions(session, base, firmwareVersionId)
  const introducedOnes = new Set(introduced.findings.map(({ finding }) => finding?.id))
  return findings.filter(({ id }) => introducedOnes.has(id))
}

export function printVerdict(
  { reasons, warnings }: Verdict,
  { findings, coverage }: Pick<CheckedFacts, 'findings' | 'coverage'>,
  options: FindingTableOptions,
): void {
  printWorst(findings, options)
  for (const warning of warnings) note(`Warning: ${sanitise(warning)}`)
  for (const { text } of reasons) note(sanitise(text))
  if (reasons.length > 0) return
  const { judgedCount, notJudgedCount } = coverage
  const judged = `the ${formatCount(judgedCount, 'component')} that could be judged`
  printLine(`No findings over the threshold${notJudgedCount === 0 ? '' : ` in ${judged}`}.`)
}
