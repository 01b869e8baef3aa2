import type { Command } from 'commander'
import {
  LOG_SEVERITY,
  readAllPages,
  type DeploymentCohort,
  type DeploymentCohortDevice,
  type DeploymentCohortPatch,
} from '../../../api-client/src/index.ts'
import { confirm, type ConfirmOptions, withConfirmation } from '../confirm.ts'
import { printDone } from '../done.ts'
import { usageError } from '../failure.ts'
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
import { findCohortId, listCohorts } from '../named.ts'
import {
  readOneOf,
  readPercent,
  readPositiveInteger,
  readWholeNumber,
  collect,
} from '../option-values.ts'
import { notePage } from '../portal-page.ts'
import { formatCount, printJson } from '../print.ts'
import { type ConnectionOptions, withConnection, openSession } from '../session.ts'
import type { Column } from '../table.ts'
import { addContacts } from './cohort-contacts.ts'

const COHORTS = '/workspaces/{workspaceId}/deployment-cohorts'
const COHORT = `${COHORTS}/{deploymentCohortId}` as const

interface WriteOptions extends ConnectionOptions {
  name?: string
  description?: string
  tag?: string[]
  anyTag?: string[]
  withoutTag?: string[]
  /** false: none. */
  rule?: boolean
  logSeverity?: (typeof LOG_SEVERITY)[number] | false
  /** Seconds; false: as the workspace has it. */
  polling?: number | false
  pollingJitter?: number
  /** 0: never; false: as the workspace has it. */
  keyRotationDays?: number | false
}

export function addCohortCommands(program: Command): void {
  const cohort = program.command('cohort').description('Cohorts: devices that are updated together')

  withListOptions(cohort.command('list')).description('List the cohorts').action(printCohorts)
  named(cohort.command('show')).description('Show a cohort').action(showCohort)
  withListOptions(cohort.command('devices'))
    .description('List the devices of a cohort')
    .argument('<cohort>', NAME)
    .action(devices)
  writing(withConnection(cohort.command('create')))
    .description('Create a cohort')
    .argument('<name>', 'name of the cohort')
    .action(create)
  writing(named(cohort.command('update')))
    .description('Change a cohort; options that are left out stay')
    .option('--name <name>', 'another name')
    .option('--no-rule', 'devices join it by hand only')
    .option('--no-log-severity', 'as the workspace has it')
    .option('--no-polling', 'its devices poll as the workspace has it')
    .option('--no-key-rotation-days', 'its devices replace keys as the workspace has it')
    .action(update)
  addContacts(named(cohort.command('contacts')))
  withConfirmation(named(cohort.command('delete')))
    .description('Delete a cohort; its devices stay')
    .action(remove)
}

const NAME = 'its id or name'

function named(command: Command): Command {
  return withConnection(command.argument('<cohort>', NAME))
}

function writing(command: Command): Command {
  return command
    .option('--description <text>', 'what it is for')
    .option('--tag <tag>', 'devices with all of these tags join; may be repeated', collect)
    .option('--any-tag <tag>', 'devices with any of these tags join; may be repeated', collect)
    .option('--without-tag <tag>', 'but none with one of these; may be repeated', collect)
    .option(
      '--log-severity <word>',
      `what its devices log: ${LOG_SEVERITY.join(', ')}`,
      readOneOf(LOG_SEVERITY),
    )
    .option('--polling <seconds>', 'how often its hawkBit clients poll', readPositiveInteger)
    .option(
      '--polling-jitter <percent>',
      'by how much the interval of a device may differ, so that not all poll at once',
      readPercent,
    )
    .option(
      '--key-rotation-days <days>',
      'after how many days its devices replace their keys; 0: when somebody asks',
      readWholeNumber,
    )
}

/** The session, and the path of the cohort with this id or name. */
async function openCohort(cohort: string, options: ConnectionOptions) {
  const session = await openSession(options)
  const deploymentCohortId = await findCohortId(session, cohort)
  const { client, workspaceId } = session
  return { session, client, params: { workspaceId, deploymentCohortId } }
}

const COLUMNS: readonly Column<DeploymentCohort>[] = [
  { title: 'NAME', value: ({ name }) => name },
  { title: 'DEVICES', value: ({ deviceCount }) => deviceCount },
  { title: 'RULE', value: ruleText },
  { title: 'ROLL-OUT', value: ({ activeDeploymentId: id }) => (id === null ? '' : 'active') },
  { title: 'LOG SEVERITY', value: ({ logSeverity }) => logSeverity },
  { title: 'DESCRIPTION', value: ({ description }) => description },
  { title: 'ID', value: ({ id }) => id, isSpare: true },
]

/** `all of a, b; none of c` */
function ruleText({ tagRule }: DeploymentCohort): string | null {
  if (tagRule === null) return null
  const { all, any, none } = tagRule
  const parts = Object.entries({ all, any, none })
  return parts
    .flatMap(([word, tags]) => (tags && tags.length > 0 ? [`${word} of ${tags.join(', ')}`] : []))
    .join('; ')
}

async function printCohorts(options: ListOptions): Promise<void> {
  printListing(options, {
    rows: await listCohorts(await openSession(options)),
    columns: COLUMNS,
    nameOf: ({ name }) => name,
    noun: 'cohort',
    answer: (deploymentCohorts) => ({ deploymentCohorts }),
  })
}

async function showCohort(cohort: string, options: ConnectionOptions): Promise<void> {
  const { session, client, params } = await openCohort(cohort, options)
  const found = await client.get(COHORT, { params })
  if (options.json) {
    printJson(found)
    return
  }
  printFacts(listFacts(found))
  await notePage(session, 'deploymentCohort', params)
}

function listFacts(cohort: DeploymentCohort): Fact[] {
  return [
    ['Cohort', cohort.name],
    ['Id', cohort.id],
    ['Description', cohort.description],
    ['Devices', cohort.deviceCount],
    ['Rule', ruleText(cohort) ?? 'none: devices join by hand'],
    ['Log severity', cohort.logSeverity ?? 'as the workspace has it'],
    ['Polling', describePolling(cohort)],
    ['Keys are replaced', describeKeyDays(cohort)],
    ['Roll-out', cohort.activeDeploymentId],
    ['Created', formatTime(cohort.createdAt)],
  ]
}

function describePolling({ pollingSeconds, pollingJitterPercent }: DeploymentCohort): string {
  const every = pollingSeconds === null ? 'as the workspace has it' : `every ${pollingSeconds} s`
  return pollingJitterPercent === 0 ? every : `${every}, ± ${pollingJitterPercent} %`
}

function describeKeyDays({ keyRotationDays: days }: DeploymentCohort): string {
  if (days === null) return 'as the workspace has it'
  return days === 0 ? 'when somebody asks' : `after ${formatCount(days, 'day')}`
}

const DEVICES: readonly Column<DeploymentCohortDevice>[] = [
  { title: 'DEVICE', value: ({ id }) => id },
  { title: 'JOINED', value: ({ byRule }) => (byRule ? 'by the rule' : 'by hand') },
]

async function devices(cohort: string, options: ListOptions): Promise<void> {
  const { client, params } = await openCohort(cohort, options)
  const limit = readLimit(options)
  const pages = readAllPages((cursor) =>
    client.get(`${COHORT}/devices`, { params, query: { limit: choosePageSize(limit), ...cursor } }),
  )
  const { rows, hasMore } = await readUpTo(limit, pages, (page) => page.devices)
  const { deviceCount } = hasMore ? await client.get(COHORT, { params }) : { deviceCount: 0 }
  printListing(options, {
    rows,
    columns: DEVICES,
    nameOf: ({ id }) => id,
    noun: 'device',
    total: hasMore ? { count: deviceCount } : { hasMore },
    answer: (found) => ({ devices: found, hasMore }),
  })
}

async function create(name: string, options: WriteOptions): Promise<void> {
  const { client, workspaceId } = await openSession(options)
  const { tagRule, ...others } = readChanges(options)
  const body = { ...others, name, ...(tagRule && { tagRule: withoutNulls(tagRule) }) }
  const answer = await client.post(COHORTS, { params: { workspaceId }, body })
  const { id, deviceCount } = answer
  printDone(options, {
    answer,
    id,
    text: `${name}: created, ${formatCount(deviceCount, 'device')}`,
  })
}

function withoutNulls({ all, any, none }: NonNullable<DeploymentCohortPatch['tagRule']>) {
  return { ...(all && { all }), ...(any && { any }), ...(none && { none }) }
}

async function update(cohort: string, options: WriteOptions): Promise<void> {
  const body = readChanges(options)
  if (Object.keys(body).length === 0)
    throw usageError('Say what to change: cohort update --help shows the options.')
  const { client, params } = await openCohort(cohort, options)
  const found = await client.get(COHORT, { params })
  const answer = await client.patch(COHORT, { params, body, ifStill: found })
  const text = `${answer.name}: changed, ${formatCount(answer.deviceCount, 'device')}`
  printDone(options, { answer, text })
}

/** A rule is replaced as a whole. */
function readChanges(options: WriteOptions): DeploymentCohortPatch {
  const { name, description, logSeverity, polling, pollingJitter, keyRotationDays: days } = options
  return {
    ...(name !== undefined && { name }),
    ...(description !== undefined && { description: description === '' ? null : description }),
    ...readRule(options),
    ...(logSeverity !== undefined && { logSeverity: logSeverity || null }),
    ...(polling !== undefined && { pollingSeconds: polling || null }),
    ...(pollingJitter !== undefined && { pollingJitterPercent: pollingJitter }),
    ...(days !== undefined && { keyRotationDays: days === false ? null : days }),
  }
}

function readRule(options: WriteOptions): Pick<DeploymentCohortPatch, 'tagRule'> {
  const { tag: all = null, anyTag: any = null, withoutTag: none = null, rule } = options
  if (rule === false) return { tagRule: null }
  return (all ?? any ?? none) ? { tagRule: { all, any, none } } : {}
}

async function remove(cohort: string, options: ConnectionOptions & ConfirmOptions): Promise<void> {
  const { client, params } = await openCohort(cohort, options)
  const { name, deviceCount } = await client.get(COHORT, { params })
  const theirs = formatCount(deviceCount, 'device')
  await confirm(`Delete the cohort ${name}? Its ${theirs} get no updates then.`, options)
  await client.delete(COHORT, { params })
  printDone(options, { answer: { id: params.deploymentCohortId }, text: `${name}: deleted` })
}
