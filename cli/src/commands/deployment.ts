import type { Command } from 'commander'
import {
  DEVICE_STATE_NAMES,
  nameDeploymentState,
  readAllPages,
  type Deployment,
  type DeploymentListItem,
  type DeviceUpdate,
} from '../../../api-client/src/index.ts'
import { type Fact, printFacts } from '../facts.ts'
import { formatTime } from '../instant.ts'
import {
  readLimit,
  withListOptions,
  type ListOptions,
  choosePageSize,
  printListing,
  readUpTo,
} from '../listing.ts'
import { withMark } from '../mark.ts'
import { findCohortId } from '../named.ts'
import { readListOf } from '../option-values.ts'
import { notePage } from '../portal-page.ts'
import { formatCount, printJson, printLine } from '../print.ts'
import {
  type CohortOptions,
  DEPLOYMENT,
  DEPLOYMENTS,
  listActive,
  formatVersion,
  openDeployment,
  formatPhase,
  formatProgress,
} from '../roll-out.ts'
import { withConnection, openSession } from '../session.ts'
import { type Column, type Style, writeTable } from '../table.ts'
import { getTerminal } from '../terminal.ts'
import { addDeploymentActs } from './deployment-acts.ts'
import { addDeploymentComparison, listComparisons } from './deployment-comparison.ts'
import { addDeploymentCreate } from './deployment-create.ts'
import { addDeploymentFailures } from './deployment-failures.ts'
import { addDeploymentRetry } from './deployment-retry.ts'
import { addDeploymentRollback } from './deployment-rollback.ts'
import { addDeploymentUpdate } from './deployment-update.ts'
import { addDeploymentWatch } from './deployment-watch.ts'

export function addDeploymentCommands(program: Command): void {
  const deployment = program.command('deployment').description('Roll-outs to cohorts of devices')

  withListOptions(ofCohort(deployment.command('list')))
    .description('List the active deployments, or all of a cohort, newest first')
    .action(listDeployments)
  named(deployment.command('show'))
    .description('Show a deployment, its phase, and devices that failed')
    .action(showDeployment)
  withListOptions(ofCohort(deployment.command('devices')))
    .description('List the devices of a deployment and how far they are')
    .argument('[deployment]', NAME)
    .option('--state <list>', `only those: ${STATES.join(', ')}`, readListOf(STATES))
    .action(devices)
  addDeploymentComparison(named(deployment.command('comparison')))
  addDeploymentFailures(named(deployment.command('failures')))
  addDeploymentCreate(deployment)
  addDeploymentUpdate(named(deployment.command('update')))
  addDeploymentWatch(named(deployment.command('watch')))
  addDeploymentActs((name) => named(deployment.command(name)))
  addDeploymentRetry(named(deployment.command('retry')))
  addDeploymentRollback(named(deployment.command('rollback')))
}

const NAME = 'its id or name (default: the active one of the cohort)'

function ofCohort(command: Command): Command {
  return command.option('--cohort <cohort>', 'id or name of the cohort')
}

function named(command: Command): Command {
  return withConnection(ofCohort(command.argument('[deployment]', NAME)))
}

const STYLES: Record<Deployment['state'], Style | undefined> = {
  Scheduled: undefined,
  Running: 'green',
  Paused: 'yellow',
  Stopped: 'red',
  Superseded: 'dim',
  Cancelled: 'dim',
}

const COLUMNS: readonly Column<DeploymentListItem>[] = [
  { title: 'NAME', value: ({ name }) => name },
  { title: 'STATE', value: nameDeploymentState, style: ({ state }) => STYLES[state] },
  { title: 'CREATED (UTC)', value: ({ createdAt }) => formatTime(createdAt) },
  { title: 'DEVICES', value: formatProgress, isWhole: true },
  { title: 'ID', value: ({ id }) => id, isSpare: true },
]

const readName = ({ id }: DeploymentListItem) => id

async function listDeployments(options: ListOptions & CohortOptions): Promise<void> {
  const session = await openSession(options)
  if (options.cohort === undefined) {
    const rows = await listActive(session)
    const cohortOf = new Map(rows.map(({ id, cohort }) => [id, cohort]))
    const cohort: Column<DeploymentListItem> = {
      title: 'COHORT',
      value: ({ id }) => cohortOf.get(id) ?? null,
    }
    const answer = (deployments: readonly DeploymentListItem[]) => ({ deployments })
    const columns = [cohort, ...COLUMNS]
    printListing(options, { rows, columns, nameOf: readName, noun: 'active deployment', answer })
    return
  }
  const { client, workspaceId } = session
  const limit = readLimit(options)
  const params = { workspaceId, deploymentCohortId: await findCohortId(session, options.cohort) }
  const pages = readAllPages((cursor) =>
    client.get(DEPLOYMENTS, { params, query: { limit: choosePageSize(limit), ...cursor } }),
  )
  const { rows, hasMore } = await readUpTo(limit, pages, ({ deployments }) => deployments)
  printListing(options, {
    rows,
    columns: COLUMNS,
    nameOf: readName,
    noun: 'deployment',
    total: { hasMore },
    answer: (deployments) => ({ deployments }),
  })
}

/** More are listed by `deployment devices`. */
const SHOWN_FAILURES = 10

async function showDeployment(text: string | undefined, options: CohortOptions): Promise<void> {
  const { session, client, params } = await openDeployment(text, options)
  const deployment = await client.get(DEPLOYMENT, { params })
  const { failed } = deployment.deviceCounts
  const filter = { deviceStates: ['failed' as const] }
  const body = { limit: SHOWN_FAILURES, filter }
  const { deviceUpdates } =
    failed > 0
      ? await client.post(`${DEPLOYMENT}/device-updates/list`, { params, body })
      : { deviceUpdates: [] }
  if (options.json) {
    printJson({ ...deployment, failedDeviceUpdates: deviceUpdates })
    return
  }
  printFacts(listFacts(deployment))
  if (deviceUpdates.length > 0) {
    printLine('')
    writeTable(getTerminal().stdout, DEVICES, deviceUpdates)
    if (failed > deviceUpdates.length)
      printLine(
        `\nShowing ${deviceUpdates.length} of ${formatCount(failed, 'failed device')}: deployment devices --state failed`,
      )
  }
  await notePage(session, 'deployment', params)
}

/** "2 of 5 report it; failed 1, waiting 2": each device once, as `deployment devices --state` lists them. */
function describeDevices({ deviceCounts }: Deployment): string {
  const { reporting } = deviceCounts
  const others = STATES.slice(1).filter((state) => deviceCounts[state] > 0)
  const total = STATES.reduce((sum, state) => sum + deviceCounts[state], 0)
  const parts = others.map(
    (state) => `${DEVICE_STATE_NAMES[state].toLowerCase()} ${deviceCounts[state]}`,
  )
  return [`${reporting} of ${total} report it`, parts.join(', ')].filter(Boolean).join('; ')
}

function listFacts(deployment: Deployment): Fact[] {
  const { id, name, state, stateReason, createdAt, createdByEmail, endedAt } = deployment
  const { artifacts, failureReasons, startsAt } = deployment
  return [
    ['Deployment', name],
    ['Id', id],
    ['State', [nameDeploymentState(deployment), stateReason].filter(Boolean).join(': ')],
    ['Phase', formatPhase(deployment)],
    ['Comparison', listComparisons(deployment).join('; ')],
    ['Created', [formatTime(createdAt), createdByEmail].filter(Boolean).join(' by ')],
    ['Starts', state === 'Scheduled' ? formatTime(startsAt) : null],
    ['Ended', formatTime(endedAt)],
    [
      'Installs',
      artifacts
        .map(({ firmware }) => withMark(formatVersion(firmware), firmware.firmwareVersion.mark))
        .join(', '),
    ],
    ['Devices', describeDevices(deployment)],
    ['Failures', failureReasons.map(({ reason, count }) => `${count} × ${reason}`).join('; ')],
    ['Note', deployment.note],
    ['Predecessor', deployment.predecessorId],
    ['Rolled back from', deployment.rollbackOfId],
  ]
}

const STATES = [
  'reporting',
  'installing',
  'failed',
  'waiting',
  'cancelled',
  'movedOn',
  'left',
] as const satisfies readonly DeviceUpdate['deviceState'][]

const DEVICE_STYLES: Record<DeviceUpdate['deviceState'], Style | undefined> = {
  reporting: 'green',
  installing: 'yellow',
  failed: 'red',
  waiting: undefined,
  cancelled: 'dim',
  movedOn: 'dim',
  left: 'dim',
}

const DEVICES: readonly Column<DeviceUpdate>[] = [
  { title: 'DEVICE', value: ({ deviceId }) => deviceId },
  {
    title: 'STATE',
    value: ({ deviceState }) => DEVICE_STATE_NAMES[deviceState],
    style: ({ deviceState }) => DEVICE_STYLES[deviceState],
  },
  {
    title: 'REPORTS',
    value: ({ reports }) => reports.map(({ slug, version }) => `${slug} ${version}`).join(', '),
  },
  { title: 'ATTEMPT', value: ({ attempt }) => attempt },
  { title: 'PROGRESS', value: ({ progress }) => (progress === null ? null : `${progress} %`) },
  { title: 'FINISHED (UTC)', value: ({ finishedAt }) => formatTime(finishedAt) },
  { title: 'REASON', value: ({ reason }) => reason },
]

async function devices(
  text: string | undefined,
  options: ListOptions & CohortOptions & { state?: DeviceUpdate['deviceState'][] },
): Promise<void> {
  const { client, params } = await openDeployment(text, options)
  const limit = readLimit(options)
  const filter = options.state ? { deviceStates: options.state } : {}
  const pages = readAllPages((cursor) =>
    client.post(`${DEPLOYMENT}/device-updates/list`, {
      params,
      body: { filter, limit: choosePageSize(limit), ...cursor },
    }),
  )
  const { rows, hasMore } = await readUpTo(limit, pages, ({ deviceUpdates }) => deviceUpdates)
  printListing(options, {
    rows,
    columns: DEVICES,
    nameOf: ({ deviceId }) => deviceId,
    noun: 'device',
    total: { hasMore },
    answer: (deviceUpdates) => ({ deviceUpdates, hasMore }),
  })
}
