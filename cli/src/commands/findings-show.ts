import type { Command } from 'commander'
import type { FindingDetail } from '../../../api-client/src/index.ts'
import { usageError } from '../failure.ts'
import { type Fact, printFacts } from '../facts.ts'
import { listFindings } from '../findings.ts'
import { findNamedVersionId, type VersionOptions, withVersion } from '../firmware-version.ts'
import { formatTime } from '../instant.ts'
import { asComponent } from '../option-values.ts'
import { notePage } from '../portal-page.ts'
import { formatCount, printJson, printLine } from '../print.ts'
import { sanitise } from '../printable.ts'
import { type ConnectionOptions, withConnection, openSession, type Session } from '../session.ts'
import { type Column, writeTable } from '../table.ts'
import { getTerminal } from '../terminal.ts'

type Event = FindingDetail['timeline'][number]

export interface FindingOptions extends VersionOptions {
  component?: string
}

/** What names a finding: its id, or a vulnerability and a firmware version. */
interface FindingName {
  finding: string
  version: string | undefined
}

export function withFinding(command: Command): Command {
  return withVersion(
    command.argument('<finding>', 'its id; or a CVE id, with the version that has it'),
  ).option('--component <name[@version]>', 'the component, where several have the vulnerability')
}

export function addFindingsShow(findings: Command): void {
  withConnection(withFinding(findings.command('show')))
    .description('Show a finding: what it is, where, who has it, what was decided')
    .action(show)
}

/** CVE-2026-1001, GHSA-…, PYSEC-2026-1: an id of a finding is longer. */
export const isVulnerability = (text: string) => VULNERABILITY.test(text)

const VULNERABILITY = /^[a-z]+-[\w-]{3,40}$/i

/** The id. A vulnerability may be found in several components of a version. */
export async function findFindingId(
  session: Session,
  { finding: text, version }: FindingName,
  options: FindingOptions,
): Promise<string> {
  const { component } = options
  const id = await findNamedVersionId(session, version, options)
  if (id === undefined) {
    if (!isVulnerability(text)) return text
    throw usageError(
      `${text} is a vulnerability: name the version too, such as ${text} gateway@2.4.1.`,
    )
  }
  const filter = {
    name: [{ contains: text }],
    ...(component !== undefined && { components: [asComponent(component)] }),
  }
  const all = await listFindings(session, id, { filter })
  const exact = all.filter(({ cveId }) => cveId.toLowerCase() === text.toLowerCase())
  // An alias, such as that of GitHub, names the vulnerability too.
  const [found, ...others] = exact.length > 0 ? exact : all
  if (!found)
    throw usageError(
      `${version ?? `${options.firmware}@${options.version}`} has no finding of ${text}.`,
    )
  if (others.length > 0)
    throw usageError(
      `${text} is found several times: add --component, one of ${[found, ...others].map(({ componentName: name, componentVersion: at }) => (at === null ? name : `${name}@${at}`)).join(', ')}.`,
    )
  return found.id
}

async function show(
  finding: string,
  version: string | undefined,
  options: ConnectionOptions & FindingOptions,
): Promise<void> {
  const session = await openSession(options)
  const findingId = await findFindingId(session, { finding, version }, options)
  const { client, workspaceId } = session
  const path = '/workspaces/{workspaceId}/vulnerability-findings/{findingId}'
  const detail = await client.get(path, { params: { workspaceId, findingId } })
  if (options.json) {
    printJson(detail)
    return
  }
  printFacts(listFacts(detail))
  printPaths(detail)
  printLine('')
  writeTable(getTerminal().stdout, EVENTS, detail.timeline)
  await notePage(session, 'finding', { findingId })
}

function listFacts(finding: FindingDetail): Fact[] {
  const { cve, component, firmwareVersion, assessment, ignored, isActive, origin } = finding
  const { runningNow, seenLastDay, seenLastWeek } = finding.affectedDevices
  const byBuild = origin === 'Build' && 'by the build'
  const { line, decidedLine } = finding
  const alone = decidedLine && `for the line ${decidedLine.name ?? 'that is gone'} alone`
  const decided = [assessment, byBuild, ignored && 'ignored', alone, !isActive && 'not active']
  return [
    ['Finding', `${cve.id} in ${[component.name, component.version].filter(Boolean).join(' ')}`],
    ['Id', finding.id],
    ['Of', `${firmwareVersion.firmware.slug}@${firmwareVersion.name}`],
    ['Line', line?.name],
    ['Name', finding.name],
    ['Severity', [cve.severity, cve.primaryBaseScore?.toFixed(1)].filter(Boolean).join(' ')],
    ['EPSS', finding.epssScore?.toFixed(3)],
    ['Exploited', finding.exploitedSources.map(({ source }) => source.toUpperCase()).join(', ')],
    ['Disputed', finding.isDisputed ? 'yes, by a record' : null],
    ['Decision', decided.filter(Boolean).join(', ')],
    ['Because', [finding.justification, finding.detail].filter(Boolean).join(': ')],
    ['Response', finding.responses.join(', ')],
    ['Check again', finding.recheckReason],
    ['Due', finding.dueAt && `${formatTime(finding.dueAt)}${finding.overdue ? ', overdue' : ''}`],
    ['Fixed in', finding.fixedVersions.join(', ')],
    [
      'Devices',
      `${finding.affectedDeviceCount}: ${runningNow} now, ${seenLastDay} within a day, ${seenLastWeek} within a week`,
    ],
    ['Confidence', finding.confidence],
    ['Record', cve.sourceUrl],
    ['Description', cve.description],
  ]
}

const SHOWN_PATHS = 3

function printPaths({ sboms }: FindingDetail): void {
  for (const { fileName, pathsToRoot } of sboms) {
    if (pathsToRoot.length === 0) continue
    printLine(`\n${sanitise(`In ${fileName} by:`)}`)
    for (const path of pathsToRoot.slice(0, SHOWN_PATHS))
      printLine(sanitise(`  ${path.join(' < ')}`))
    const rest = pathsToRoot.length - SHOWN_PATHS
    if (rest > 0) printLine(`  and ${formatCount(rest, 'more path')}`)
  }
}

const EVENTS: readonly Column<Event>[] = [
  { title: 'TIME (UTC)', value: ({ timestamp }) => formatTime(timestamp) },
  { title: 'EVENT', value: describeEvent },
  { title: 'BY', value: ({ createdByEmail, source }) => createdByEmail ?? source ?? null },
  { title: 'WHY', value: describeCause },
]

function describeEvent({ type, assessment, isUndo }: Event): string {
  const state = assessment?.assessment ?? type
  return isUndo === true ? `taken back: ${state}` : state
}

/** What was said, and the SBOM that said it. */
function describeCause({ cause, assessment, statedIn }: Event): string | null {
  const said = assessment?.detail ?? assessment?.recheckReason ?? cause ?? null
  const file = statedIn?.sbomFileName ?? null
  return file === null ? said : [said, `(${file})`].filter(Boolean).join(' ')
}
