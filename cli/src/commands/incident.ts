import type { Command } from 'commander'
import {
  type AlertIncident,
  type AlertIncidentSeries,
  readAllPages,
  type BodyOf,
} from '../../../api-client/src/index.ts'
import { type Fact, printFacts } from '../facts.ts'
import { parseInstant, formatTime } from '../instant.ts'
import {
  readLimit,
  withListOptions,
  type ListOptions as Listed,
  choosePageSize,
  printListing,
  readUpTo,
} from '../listing.ts'
import { findIdByName } from '../named.ts'
import { readPositiveInteger, collect } from '../option-values.ts'
import { notePage } from '../portal-page.ts'
import { note, printJson, printLine } from '../print.ts'
import { sanitise } from '../printable.ts'
import { type ConnectionOptions, withConnection, openSession, type Session } from '../session.ts'
import { type Column, writeTable } from '../table.ts'
import { getTerminal } from '../terminal.ts'

type Filter = NonNullable<BodyOf<'listAlertIncidents'>['filter']>

const INCIDENTS = '/workspaces/{workspaceId}/alert-incidents'
const INCIDENT = `${INCIDENTS}/{incidentId}` as const

interface ListOptions extends Listed {
  open?: boolean
  rule?: string[]
  from?: string
  to?: string
}

export function addIncidentCommands(program: Command): void {
  const incident = program.command('incident').description('Incidents of alert rules')

  withListOptions(incident.command('list'), 100)
    .description('List incidents, newest first')
    .option('--open', 'only open ones')
    .option('--no-open', 'only ended ones')
    .option('--rule <rule>', 'of the alert rule with this id or name; may be repeated', collect)
    .option(
      '--from <time>',
      'started at this time or later (a time, or a duration ago)',
      (text: string) => parseInstant(text),
    )
    .option('--to <time>', 'started before this time', (text: string) => parseInstant(text))
    .action(listIncidents)
  named(incident.command('show'))
    .description('Show an incident and what fired in it')
    .option('--limit <count>', 'the largest number to show', readPositiveInteger, 100)
    .action(showIncident)
  named(incident.command('acknowledge'))
    .description('Acknowledge an incident: ends its reminders')
    .action(acknowledge)
}

function named(command: Command): Command {
  return withConnection(command.argument('<incident>', 'its id'))
}

const COLUMNS: readonly Column<AlertIncident>[] = [
  { title: 'RULE', value: ({ alertRule }) => alertRule.name },
  { title: 'BEGAN (UTC)', value: ({ beganAt }) => formatTime(beganAt) },
  {
    title: 'ENDED (UTC)',
    value: ({ endedAt }) => formatTime(endedAt) ?? 'lasts',
    style: ({ endedAt }) => (endedAt === null ? 'red' : undefined),
  },
  { title: 'CAUSE', value: ({ endedCause }) => endedCause },
  {
    title: 'FIRING',
    value: ({ firingSeriesCount: now, seriesCount: all }) => `${now} of ${all}`,
  },
  { title: 'ACKNOWLEDGED', value: ({ acknowledgedAt }) => formatTime(acknowledgedAt) },
  { title: 'ID', value: ({ id }) => id, isWhole: true },
]

async function listIncidents(options: ListOptions): Promise<void> {
  const session = await openSession(options)
  const { client, workspaceId } = session
  const limit = readLimit(options)
  const filter = await readFilter(session, options)
  const pages = readAllPages((cursor) =>
    client.post(`${INCIDENTS}/list`, {
      params: { workspaceId },
      body: { filter, limit: choosePageSize(limit), ...cursor },
    }),
  )
  const { rows, hasMore } = await readUpTo(limit, pages, ({ incidents }) => incidents)
  printListing(options, {
    rows,
    columns: COLUMNS,
    nameOf: ({ id }) => id,
    noun: 'incident',
    total: { hasMore },
    answer: (incidents) => ({ incidents, hasMore }),
  })
}

async function readFilter(
  { client, workspaceId }: Session,
  { open, rule, from, to }: ListOptions,
): Promise<Filter> {
  const rules = () =>
    client.get('/workspaces/{workspaceId}/alert-rules', { params: { workspaceId } })
  const ids = rule && (await Promise.all(rule.map((one) => findIdByName(one, 'alert rule', rules))))
  return {
    ...(open !== undefined && { isOpen: open }),
    ...(ids && { alertRuleIds: ids }),
    ...(from !== undefined && { from }),
    ...(to !== undefined && { to }),
  }
}

async function showIncident(
  incidentId: string,
  options: ConnectionOptions & { limit: number },
): Promise<void> {
  const session = await openSession(options)
  const { client, workspaceId } = session
  const incident = await client.get(INCIDENT, { params: { workspaceId, incidentId } })
  const { rows: series, hasMore } = await readSeries(session, incidentId, options.limit)
  if (options.json) {
    printJson({ ...incident, series, hasMoreSeries: hasMore })
    return
  }
  printFacts(listFacts(incident))
  printLine('')
  writeTable(getTerminal().stdout, SERIES, series)
  if (hasMore) note(`There are more than ${options.limit}: see --limit.`)
  await notePage(session, 'incident', { incidentId })
}

function readSeries({ client, workspaceId }: Session, incidentId: string, limit: number) {
  const params = { workspaceId, incidentId }
  const pages = readAllPages((cursor) =>
    client.post(`${INCIDENT}/series/list`, {
      params,
      body: { limit: choosePageSize(limit), ...cursor },
    }),
  )
  return readUpTo(limit, pages, ({ series }) => series)
}

const SERIES: readonly Column<AlertIncidentSeries>[] = [
  { title: 'FIRED', value: ({ label, series }) => label ?? (series || 'all devices') },
  { title: 'SINCE (UTC)', value: ({ since }) => formatTime(since) },
  {
    title: 'UNTIL (UTC)',
    value: ({ until }) => formatTime(until) ?? 'now',
    style: ({ until }) => (until === null ? 'red' : undefined),
  },
  { title: 'VALUE', value: ({ value }) => value },
]

function listFacts(incident: AlertIncident): Fact[] {
  const { id, alertRule, beganAt, endedAt, endedCause } = incident
  const { acknowledgedAt, acknowledgedByEmail, firingSeriesCount, seriesCount } = incident
  const end = endedAt && [formatTime(endedAt), endedCause].filter(Boolean).join(', ')
  const by = [formatTime(acknowledgedAt), acknowledgedByEmail].filter(Boolean).join(' by ')
  return [
    ['Incident', id],
    ['Rule', `${alertRule.name} (${alertRule.id})`],
    ['Began', formatTime(beganAt)],
    ['Ended', end ?? 'lasts'],
    ['Acknowledged', by],
    ['Firing', `${firingSeriesCount} of ${seriesCount}`],
  ]
}

async function acknowledge(incidentId: string, options: ConnectionOptions): Promise<void> {
  const { client, workspaceId } = await openSession(options)
  const params = { workspaceId, incidentId }
  const incident = await client.post(`${INCIDENT}/acknowledge`, { params })
  if (options.json) printJson(incident)
  else printLine(sanitise(`${incident.alertRule.name}: acknowledged, no more reminders`))
}
