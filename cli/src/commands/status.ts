import type { Command } from 'commander'
import {
  type AlertIncident,
  readAllPages,
  ApiProblem,
  type DeviceSummary,
  type FindingCounts,
  type Overview,
} from '../../../api-client/src/index.ts'
import { EXIT, type ExitCode } from '../exit-codes.ts'
import { type Fact, printFacts } from '../facts.ts'
import { formatTime } from '../instant.ts'
import { notePage } from '../portal-page.ts'
import { note, formatCount, printJson, printLine } from '../print.ts'
import { sanitise } from '../printable.ts'
import { type ActiveDeployment, listActive, formatPhase, formatProgress } from '../roll-out.ts'
import { type ConnectionOptions, withConnection, openSession, type Session } from '../session.ts'
import { getTerminal } from '../terminal.ts'

interface StatusOptions extends ConnectionOptions {
  exitCode?: boolean
}

export function addStatusCommand(program: Command): void {
  withConnection(program.command('status'))
    .description('The workspace on one page: sources, findings, devices, roll-outs, incidents')
    .option(
      '--exit-code',
      'exit code 5 if a source is stale, else 2 if exploited findings are open',
    )
    .action(show)
}

/** A part is null where the key lacks its scope. */
interface Status {
  overview: Overview | null
  findings: FindingCounts | null
  devices: DeviceSummary | null
  deployments: ActiveDeployment[] | null
  incidents: AlertIncident[] | null
}

async function show(options: StatusOptions): Promise<void> {
  const session = await openSession(options)
  const startedAt = performance.now()
  const who = await session.whoAmI()
  const answeredInMs = Math.round(performance.now() - startedAt)
  const { status, lacking } = await readStatus(session)
  const { version, workspaceId, workspaceName, warnings } = who
  if (options.json) {
    const service = { url: session.baseUrl, version, answeredInMs, warnings }
    printJson({ ...service, workspaceId, workspaceName, ...status, lacking })
  } else {
    const service = `Plimsoll ${version} at ${session.baseUrl}, answers in ${answeredInMs} ms`
    printLine(sanitise(`${workspaceName}: ${service}`))
    printFacts(listFacts(status))
    for (const { text } of status.overview?.needsYou ?? []) printLine(sanitise(`! ${text}`))
    for (const { detail } of warnings) note(sanitise(`Warning: ${detail}`))
    for (const detail of lacking) note(sanitise(`Not shown: ${detail}`))
    await notePage(session, 'overview', {})
  }
  if (options.exitCode) getTerminal().exitCode = chooseExitCode(status)
}

/** As `findings check` has them. */
function chooseExitCode({ overview, findings }: Status): ExitCode {
  if (overview?.sources.some(({ isStale }) => isStale)) return EXIT.sourceStale
  return (findings?.exploited?.totalCount ?? 0) > 0 ? EXIT.findings : EXIT.ok
}

async function readStatus(session: Session): Promise<{ status: Status; lacking: string[] }> {
  const { client, workspaceId } = session
  const params = { workspaceId }
  const lacking = new Set<string>()
  const orNull = async <Part>(part: Promise<Part>): Promise<Part | null> =>
    part.catch((error: unknown) => {
      if (!(error instanceof ApiProblem) || error.problem.status !== 403) throw error
      lacking.add(error.problem.detail)
      return null
    })
  const body = { filter: { activeOnly: true } }
  const counts = client.post('/workspaces/{workspaceId}/vulnerability-findings/counts', {
    params,
    body,
  })
  const [overview, findings, devices, deployments, incidents] = await Promise.all([
    orNull(client.get('/workspaces/{workspaceId}/overview', { params })),
    orNull(counts),
    orNull(client.get('/workspaces/{workspaceId}/device-summary', { params })),
    orNull(listActive(session)),
    orNull(readOpenIncidents(session)),
  ])
  const status = { overview, findings, devices, deployments, incidents }
  return { status, lacking: [...lacking] }
}

async function readOpenIncidents({ client, workspaceId }: Session): Promise<AlertIncident[]> {
  const incidents: AlertIncident[] = []
  const pages = readAllPages((cursor) =>
    client.post('/workspaces/{workspaceId}/alert-incidents/list', {
      params: { workspaceId },
      body: { filter: { isOpen: true }, limit: 1000, ...cursor },
    }),
  )
  for await (const page of pages) for (const each of page.incidents) incidents.push(each)
  return incidents
}

function listFacts({ overview, findings, devices, deployments, incidents }: Status): Fact[] {
  return [
    ['Sources', overview && sourcesText(overview)],
    ['Vulnerabilities', findings && findingsText(findings)],
    ['Devices', devices && devicesText(devices, overview)],
    ['Not judged', overview && notJudgedText(overview)],
    ...(deployments ? deploymentFacts(deployments) : []),
    ...(incidents ? incidentFacts(incidents) : []),
  ]
}

function sourcesText({ sources }: Overview): string {
  const of = (wanted: SourceState) => sources.filter(({ state }) => state === wanted)
  const names = (wanted: SourceState) => of(wanted).map(({ source }) => source)
  return [
    `${of('Current').length} current`,
    ...named('STALE: ', of('Stale').map(sinceWhen)),
    ...named('NEVER READ: ', names('NeverRead')),
    ...named('off: ', names('Off')),
  ].join('; ')
}

type SourceState = Overview['sources'][number]['state']

const named = (what: string, names: readonly string[]) =>
  names.length === 0 ? [] : [what + names.join(', ')]

function sinceWhen({ source, lastCompleteAt }: Overview['sources'][number]): string {
  const since = formatTime(lastCompleteAt)
  return since === null ? source : `${source} (complete ${since} UTC)`
}

function findingsText({ exploited, bySeverity }: FindingCounts): string {
  const counts = (bySeverity ?? []).map(
    ({ severity, totalCount, totalCountIsLowerBound }) =>
      `${totalCount}${totalCountIsLowerBound ? '+' : ''} ${severity.toLowerCase()}`,
  )
  return [`${exploited?.totalCount ?? 0} exploited`, ...counts].join(', ')
}

function devicesText(devices: DeviceSummary, overview: Overview | null): string {
  const { unknownVersionDevices, otherImageDevices, neverSeen, connected } = devices
  const silent = devices.neverReported + neverSeen
  const known = devices.devices - unknownVersionDevices - silent
  return [
    `${devices.devices}, ${connected} connected`,
    formatCount(known, 'runs a known version', 'run a known version'),
    `${unknownVersionDevices} an unknown one`,
    ...(otherImageDevices > 0
      ? [
          `${formatCount(otherImageDevices, 'reports', 'report')} another image than that of the version`,
        ]
      : []),
    formatCount(silent, 'has not said', 'have not said'),
    ...(overview
      ? [
          formatCount(
            overview.devices.exploited,
            'runs exploited findings',
            'run exploited findings',
          ),
        ]
      : []),
  ].join('; ')
}

/** Silence is no safety. */
function notJudgedText({ devices: { byWorst } }: Overview): string {
  const of = (wanted: string) => byWorst.find(({ worst }) => worst === wanted)?.devices ?? 0
  const unjudged = formatCount(of('NotJudged'), 'device')
  return `${unjudged} of which nothing is known; ${of('Clean')} without active findings`
}

function deploymentFacts(deployments: readonly ActiveDeployment[]): Fact[] {
  if (deployments.length === 0) return [['Deployments', 'none active']]
  return deployments.map((deployment) => {
    const { cohort, name, state } = deployment
    const phase = formatPhase(deployment)
    const at = phase === undefined ? state : `${state}, phase ${phase}`
    return ['Deployment', `${name} to ${cohort}: ${at}: ${formatProgress(deployment)}`]
  })
}

const SHOWN_INCIDENTS = 5

function incidentFacts(incidents: readonly AlertIncident[]): Fact[] {
  if (incidents.length === 0) return [['Incidents', 'none open']]
  const shown = incidents
    .slice(0, SHOWN_INCIDENTS)
    .map(({ alertRule, beganAt, acknowledgedAt, silencedUntil }) => {
      const seen = acknowledgedAt === null ? '' : ', acknowledged'
      const silenced =
        silencedUntil === null ? '' : `, silenced until ${formatTime(silencedUntil)} UTC`
      return [
        'Incident',
        `${alertRule.name} since ${formatTime(beganAt) ?? ''} UTC${seen}${silenced}`,
      ] as const
    })
  const more = incidents.length - shown.length
  return more === 0 ? shown : [...shown, ['Incidents', `${more} more: incident list --open`]]
}
