import type { Command } from 'commander'
import {
  type AlertIncident,
  type AlertIncidentSeries,
  allPages,
  type BodyOf,
} from '../../../api-client/src/index.ts'
import { type Fact, printFacts } from '../facts.ts'
import { instant, shownTime } from '../instant.ts'
import {
  limitOf,
  listing,
  type ListOptions as Listed,
  pageSize,
  printListing,
  readUpTo,
} from '../listing.ts'
import { idOfNamed } from '../named.ts'
import { positiveInteger, repeated } from '../option-values.ts'
import { notePage } from '../portal-page.ts'
import { note, printJson, printLine } from '../print.ts'
import { printable } from '../printable.ts'
import { type ConnectionOptions, connecting, openSession, type Session } from '../session.ts'
import { type Column, writeTable } from '../table.ts'
import { terminal } from '../terminal.ts'

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

  listing(incident.command('list'), 100)
    .description('List incidents, newest first')
    .option('--open', 'only open ones')
    .option('--no-open', 'only ended ones')
    .option('--rule <rule>', 'of the alert rule with this id or name; may be repeated', repeated)
    .option(
      '--from <time>',
      'started at this time or later (a time, or a duration ago)',
      (text: string) => instant(text),
    )
    .option('--to <time>', 'started before this time', (text: string) => instant(text))
    .action(list)
  named(incident.command('show'))
    .description('Show an incident and what fired in it')
    .option('--limit <count>', 'the largest number to show', positiveInteger, 100)
    .action(show)
  named(incident.command('acknowledge'))
    .description('Acknowledge an incident: ends its reminders')
    .action(acknowledge)
}

function named(command: Command): Command {
  return connecting(command.argument('<incident>', 'its id'))
}

const COLUMNS: readonly Column<AlertIncident>[] = [
  { title: 'RULE', value: ({ alertRule }) => alertRule.name },
  { title: 'BEGAN (UTC)', value: ({ beganAt }) => shownTime(beganAt) },
  {
    title: 'ENDED (UTC)',
    value: ({ endedAt }) => shownTime(endedAt) ?? 'lasts',
    style: ({ endedAt }) => (endedAt === null ? 'red' : undefined),
  },
  { title: 'CAUSE', value: ({ endedCause }) => endedCause },
  {
    title: 'FIRING',
    value: ({ firingSeriesCount: now, seriesCount: all }) => `${now} of ${all}`,
  },
  { title: 'ACKNOWLEDGED', value: ({ acknowledgedAt }) => shownTime(acknowledgedAt) },
  { title: 'ID', value: ({ id }) => id, isWhole: true },
]

async function list(options: ListOptions): Promise<void> {
  const session = await openSession(options)
  const { client, workspaceId } = session
  const limit = limitOf(options)
  const filter = await filterOf(session, options)
  const pages = allPages((cursor) =>
    client.post(`${INCIDENTS}/list`, {
      params: { workspaceId },
      body: { filter, limit: pageSize(limit), ...cursor },
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

async function filterOf(
  { client, workspaceId }: Session,
  { open, rule, from, to }: ListOptions,
): Promise<Filter> {
  const rules = () =>
    client.get('/workspaces/{workspaceId}/alert-rules', { params: { workspaceId } })
  const ids = rule && (await Promise.all(rule.map((one) => idOfNamed(one, 'alert rule', rules))))
  return {
    ...(open !== undefined && { isOpen: open }),
    ...(ids && { alertRuleIds: ids }),
    ...(from !== undefined && { from }),
    ...(to !== undefined && { to }),
  }
}

async function show(
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
  printFacts(factsOf(incident))
  printLine('')
  writeTable(terminal().stdout, SERIES, series)
  if (hasMore) note(`There are more than ${options.limit}: see --limit.`)
  await notePage(session, 'incident', { incidentId })
}

function readSeries({ client, workspaceId }: Session, incidentId: string, limit: number) {
  const params = { workspaceId, incidentId }
  const pages = allPages((cursor) =>
    client.post(`${INCIDENT}/series/list`, { params, body: { limit: pageSize(limit), ...cursor } }),
  )
  return readUpTo(limit, pages, ({ series }) => series)
}

const SERIES: readonly Column<AlertIncidentSeries>[] = [
  { title: 'FIRED', value: ({ label, series }) => label ?? (series || 'all devices') },
  { title: 'SINCE (UTC)', value: ({ since }) => shownTime(since) },
  {
    title: 'UNTIL (UTC)',
    value: ({ until }) => shownTime(until) ?? 'now',
    style: ({ until }) => (until === null ? 'red' : undefined),
  },
  { title: 'VALUE', value: ({ value }) => value },
]

function factsOf(incident: AlertIncident): Fact[] {
  const { id, alertRule, beganAt, endedAt, endedCause } = incident
  const { acknowledgedAt, acknowledgedByEmail, firingSeriesCount, seriesCount } = incident
  const end = endedAt && [shownTime(endedAt), endedCause].filter(Boolean).join(', ')
  const by = [shownTime(acknowledgedAt), acknowledgedByEmail].filter(Boolean).join(' by ')
  return [
    ['Incident', id],
    ['Rule', `${alertRule.name} (${alertRule.id})`],
    ['Began', shownTime(beganAt)],
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
  else printLine(printable(`${incident.alertRule.name}: acknowledged, no more reminders`))
}
