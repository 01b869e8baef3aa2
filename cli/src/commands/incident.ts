import type { Command } from 'commander'
import {
  type AlertIncident,
  type AlertIncidentChanges,
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
import { findRuleId } from '../named.ts'
import { readPositiveInteger, collect } from '../option-values.ts'
import { notePage } from '../portal-page.ts'
import { note, printJson, printLine } from '../print.ts'
import { type ConnectionOptions, withConnection, openSession, type Session } from '../session.ts'
import { type Column, writeTable } from '../table.ts'
import { getTerminal } from '../terminal.ts'
import { addIncidentActs } from './incident-acts.ts'
import { addSilenceCommands, describeSilence, listSilences } from './incident-silence.ts'
import { addIncidentUndo } from './incident-bulk.ts'
import { addIncidentWatch } from './incident-watch.ts'
import { findMember } from './member.ts'

type Filter = NonNullable<BodyOf<'listAlertIncidents'>['filter']>

const INCIDENTS = '/workspaces/{workspaceId}/alert-incidents'
const INCIDENT = `${INCIDENTS}/{incidentId}` as const
const NOBODY = 'nobody'

interface ListOptions extends Listed {
  open?: boolean
  rule?: string[]
  assignee?: string
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
    .option('--assignee <member>', `that this member looks after, or "${NOBODY}"`)
    .option(
      '--from <time>',
      'started at this time or later (a time, or a duration ago)',
      (text: string) => parseInstant(text),
    )
    .option('--to <time>', 'started before this time', (text: string) => parseInstant(text))
    .action(listIncidents)
  withConnection(incident.command('show').argument('<incident>', 'its id'))
    .description('Show an incident and what fired in it')
    .option('--limit <count>', 'the largest number to show', readPositiveInteger, 100)
    .action(showIncident)
  addIncidentWatch(incident)
  addIncidentActs(incident)
  addIncidentUndo(incident)
  addSilenceCommands(incident)
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
  { title: 'SILENCED UNTIL (UTC)', value: ({ silencedUntil }) => formatTime(silencedUntil) },
  { title: 'LOOKED AFTER BY', value: ({ assignee }) => assignee?.email ?? null },
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
  session: Session,
  { open, rule, assignee, from, to }: ListOptions,
): Promise<Filter> {
  const ids = rule && (await Promise.all(rule.map((one) => findRuleId(session, one))))
  return {
    ...(open !== undefined && { isOpen: open }),
    ...(ids && { alertRuleIds: ids }),
    ...(assignee === NOBODY && { assigned: false }),
    ...(assignee !== undefined &&
      assignee !== NOBODY && { assigneeIds: [(await findMember(session, assignee)).id] }),
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
  const silences = await listSilences(session, { alertIncidentId: incidentId })
  const changed = await client.get(`${INCIDENT}/changes`, { params: { workspaceId, incidentId } })
  if (options.json) {
    printJson({ ...incident, series, hasMoreSeries: hasMore, silences, changed })
    return
  }
  printFacts([...listFacts(incident), ...silences.map(describeSilence)])
  printLine('')
  writeTable(getTerminal().stdout, SERIES, series)
  if (hasMore) note(`There are more than ${options.limit}: see --limit.`)
  printChanges(changed)
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

function printChanges({ areDevices, changes, from }: AlertIncidentChanges): void {
  if (!areDevices) return
  const since = `since ${formatTime(from)}`
  if (changes.length === 0) return printLine(`\nNothing else is known to have changed ${since}.`)
  printLine(`\nWhat else changed on its devices ${since}:`)
  writeTable(getTerminal().stdout, CHANGES, changes)
}

const CHANGES: readonly Column<AlertIncidentChanges['changes'][number]>[] = [
  { title: 'WHAT', value: ({ kind, state }) => [kind, state].filter(Boolean).join(', ') },
  { title: 'NAME', value: ({ name }) => name },
  { title: 'DEVICES', value: ({ deviceCount }) => deviceCount },
  { title: 'FIRST (UTC)', value: ({ firstAt }) => formatTime(firstAt) },
  { title: 'LAST (UTC)', value: ({ lastAt }) => formatTime(lastAt) },
]

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
  const { note: text, notedByEmail, assignee, silencedUntil } = incident
  const end = endedAt && [formatTime(endedAt), endedCause].filter(Boolean).join(', ')
  const by = [formatTime(acknowledgedAt), acknowledgedByEmail].filter(Boolean).join(' by ')
  return [
    ['Incident', id],
    ['Rule', `${alertRule.name} (${alertRule.id})`],
    ['Began', formatTime(beganAt)],
    ['Ended', end ?? 'lasts'],
    ['Acknowledged', by],
    ['Looked after by', assignee?.email ?? NOBODY],
    ['Silenced until', formatTime(silencedUntil)],
    ['Note', text && [text, notedByEmail].filter(Boolean).join(', by ')],
    ['Firing', `${firingSeriesCount} of ${seriesCount}`],
  ]
}
