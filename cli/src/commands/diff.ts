import { SEVERITY, type FirmwareVersionDiff } from '../../../api-client/src/index.ts'
import { type Command, Option } from 'commander'
import { diffVersions } from '../diff.ts'
import { styleSeverity } from '../findings-table.ts'
import { findStatedVersionId } from '../firmware-version.ts'
import { isForPeople, type ListOptions, printListing, withListOptions } from '../listing.ts'
import { readOneOf } from '../option-values.ts'
import { formatCount, printLine } from '../print.ts'
import { openSession } from '../session.ts'
import { type Column, writeTable } from '../table.ts'
import { getTerminal } from '../terminal.ts'

export function addDiffCommand(program: Command): void {
  withListOptions(program.command('diff'))
    .description('Compare components and findings of two firmware versions')
    .argument('<older>', 'id of a version, or slug@name')
    .argument('<newer>', 'id of a version, or slug@name')
    .option('--components', 'also list the components that changed')
    .option('--exploited', 'list only those that CISA names as exploited')
    .option('--sort <column>', `by: ${SORTS.join(', ')}`, readOneOf(SORTS), 'Risk')
    .addOption(new Option('--all', 'the same as --components').hideHelp())
    .action(diff)
}

const SORTS = ['Risk', 'Severity', 'CvssScore', 'CveId', 'ComponentName'] as const

interface DiffOptions extends ListOptions {
  components?: boolean
  all?: boolean
  exploited?: boolean
  sort: (typeof SORTS)[number]
}

async function diff(older: string, newer: string, options: DiffOptions): Promise<void> {
  const session = await openSession(options)
  const base = await findStatedVersionId(session, older)
  const answer = await diffVersions(session, base, await findStatedVersionId(session, newer))
  if (isForPeople(options)) printCounts(answer)
  printListing(options, {
    rows: listChangedFindings(answer, options),
    columns: FINDINGS,
    nameOf: ({ cveId }) => cveId,
    noun: options.exploited ? 'exploited finding' : 'finding',
    answer: () => answer,
  })
  if (isForPeople(options))
    printChanges(listChanges(answer), (options.components ?? options.all) === true)
}

interface Change {
  change: string
  name: string
  from: string | null
  to: string | null
}

const CHANGES: readonly Column<Change>[] = [
  { title: 'CHANGE', value: ({ change }) => change },
  { title: 'COMPONENT', value: ({ name }) => name },
  { title: 'FROM', value: ({ from }) => from },
  { title: 'TO', value: ({ to }) => to },
]

type Finding = FirmwareVersionDiff['fixed']['findings'][number] & { change: string }

const FINDINGS: readonly Column<Finding>[] = [
  { title: 'CHANGE', value: ({ change }) => change },
  {
    title: 'SEVERITY',
    value: ({ severity }) => severity,
    style: ({ severity }) => styleSeverity(severity),
  },
  { title: 'CVE', value: ({ cveId }) => cveId },
  { title: 'KEV', value: ({ isKnownCisaExploit }) => (isKnownCisaExploit ? 'yes' : '') },
  { title: 'COMPONENT', value: ({ componentName }) => componentName },
  { title: 'VERSION', value: ({ componentVersion }) => componentVersion },
  { title: 'NAME', value: ({ name }) => name },
]

/** What is new comes first. */
function listChangedFindings(
  { introduced, fixed }: FirmwareVersionDiff,
  { exploited, sort }: DiffOptions,
): Finding[] {
  const chosen = (all: readonly Omit<Finding, 'change'>[]) =>
    all
      .filter(({ isKnownCisaExploit }) => !exploited || isKnownCisaExploit)
      .toSorted((one, other) => compareBy(ORDERS[sort], one, other))
  return [
    ...chosen(introduced.findings).map((finding) => ({ ...finding, change: 'introduced' })),
    ...chosen(fixed.findings).map((finding) => ({
      ...finding,
      change: finding.finding ? 'assessed' : 'fixed',
    })),
  ]
}

type Key = (finding: Omit<Finding, 'change'>) => number | string

const bySeverity: Key = (finding) => SEVERITY.indexOf(finding.severity)
const byScore: Key = ({ cvssScore }) => -(cvssScore ?? -1)
const byCve: Key = ({ cveId }) => cveId
const byComponent: Key = ({ componentName }) => componentName

/** Compares by the first key, then by the next. */
const ORDERS: Record<DiffOptions['sort'], readonly Key[]> = {
  Risk: [({ isKnownCisaExploit }) => (isKnownCisaExploit ? 0 : 1), bySeverity, byScore, byCve],
  Severity: [bySeverity, byScore, byCve],
  CvssScore: [byScore, byCve],
  CveId: [byCve, byComponent],
  ComponentName: [byComponent, bySeverity, byScore, byCve],
}

function compareBy(
  keys: readonly Key[],
  one: Omit<Finding, 'change'>,
  other: Omit<Finding, 'change'>,
): number {
  const key = keys.find((read) => read(one) !== read(other))
  if (!key) return 0
  return key(one) < key(other) ? -1 : 1
}

/** Counts first, then what became of findings. A kernel update alone changes thousands of components. */
function printCounts(answer: FirmwareVersionDiff): void {
  const { fixed, introduced, remaining } = answer
  printLine(describeCounts(introduced, 'introduced'))
  printLine(describeCounts(fixed, 'fixed or closed'))
  printLine(describeCounts(remaining, 'remaining'))
  for (const line of describeSupport(answer.support)) printLine(line)
  for (const line of describeLicences(answer.licences)) printLine(line)
  printLine(`${componentCounts(answer)}\n`)
}

function printChanges(changes: readonly Change[], withComponents: boolean): void {
  if (changes.length === 0) return
  printLine('')
  if (withComponents) writeTable(getTerminal().stdout, CHANGES, changes)
  else printLine('--components lists the components that changed.')
}

function listChanges({ components: { added, removed, changed } }: FirmwareVersionDiff): Change[] {
  return [
    ...added.map(({ name, version }) => ({ change: 'added', name, from: null, to: version })),
    ...removed.map(({ name, version }) => ({ change: 'removed', name, from: version, to: null })),
    ...changed.map(({ name, from, to }) => ({ change: 'changed', name, from, to })),
  ]
}

/** Nothing where nothing changes that is known. */
function describeSupport({ withinDays, brought, left }: FirmwareVersionDiff['support']): string[] {
  const told = ({ endedCount, endingCount }: typeof brought, verb: string) => [
    ...(endedCount > 0 ? [`${verb} ${formatCount(endedCount, 'component')} out of support`] : []),
    ...(endingCount > 0
      ? [
          `${verb} ${formatCount(endingCount, 'component')} whose support ends within ${formatCount(withinDays, 'day')}`,
        ]
      : []),
  ]
  return [...told(brought, 'Brings'), ...told(left, 'Leaves behind')]
}

const LICENCE_WORDS = [
  ['denied', 'with a denied licence'],
  ['unknown', 'whose licence is not known'],
  ['notListed', 'with a licence in no list'],
  ['review', 'with a licence to review'],
] as const

/** Nothing where there are no rules. */
function describeLicences(change: FirmwareVersionDiff['licences']): string[] {
  if (!change) return []
  return (['brought', 'left'] as const).flatMap((side) =>
    LICENCE_WORDS.filter(([outcome]) => change[side][outcome] > 0).map(
      ([outcome, words]) =>
        `${side === 'brought' ? 'Brings' : 'Leaves behind'} ${formatCount(change[side][outcome], 'component')} ${words}`,
    ),
  )
}

/** `3 findings introduced: 1 Critical, 2 High; 1 known to be exploited` */
function describeCounts(
  { findings, countsBySeverity }: FirmwareVersionDiff['fixed'],
  what: string,
): string {
  const total = `${formatCount(findings.length, 'finding')} ${what}`
  const parts = countsBySeverity.flatMap(({ severity, count }) =>
    count > 0 ? [`${count} ${severity}`] : [],
  )
  const known = findings.filter(({ isKnownCisaExploit }) => isKnownCisaExploit).length
  const exploited = known > 0 ? `; ${known} known to be exploited` : ''
  return parts.length > 0 ? `${total}: ${parts.join(', ')}${exploited}` : total
}

function componentCounts({ components: { added, removed, changed } }: FirmwareVersionDiff): string {
  const total = formatCount(added.length + removed.length + changed.length, 'component')
  return `${total} changed: ${added.length} added, ${removed.length} removed, ${changed.length} in another version`
}
