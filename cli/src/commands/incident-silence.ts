/** Silences: for a time, nobody is told of what is firing. */
import type { Command } from 'commander'
import { type AlertSilence, readAllPages } from '../../../api-client/src/index.ts'
import { printDone } from '../done.ts'
import { formatTime, parseLaterInstant } from '../instant.ts'
import { type ListOptions, printListing, withListOptions } from '../listing.ts'
import { formatCount } from '../print.ts'
import { type ConnectionOptions, openSession, type Session, withConnection } from '../session.ts'
import type { Column } from '../table.ts'
import { handleMany, type SelectionOptions, withSelection } from './incident-bulk.ts'

const SILENCES = '/workspaces/{workspaceId}/alert-silences'

interface SilenceOptions extends SelectionOptions {
  until: string
  reason: string
  rule?: boolean
}

export function addSilenceCommands(incident: Command): void {
  withSelection(incident.command('silence'))
    .description('Tell nobody for a time of what fired in an incident; it is still recorded')
    .requiredOption('--until <time>', 'a time, or a length of time from now: 4h', (text: string) =>
      parseLaterInstant(text),
    )
    .requiredOption('--reason <text>', 'why; it stands in the list of silences')
    .option('--rule', 'whatever is firing by the rule, not only what fired up to now')
    .action(silence)
  withListOptions(incident.command('silences'))
    .description('List silences that last, newest first')
    .option('--all', 'also those that are over')
    .action(showSilences)
  withConnection(incident.command('end-silence').argument('<silence>', 'its id'))
    .description('End a silence before its time')
    .action(endSilence)
}

async function silence(incidentIds: string[], options: SilenceOptions): Promise<void> {
  const { until, reason, rule = false } = options
  const body = { until, reason, covers: rule ? ('Rule' as const) : ('Series' as const) }
  const [incidentId, ...others] = incidentIds
  if (incidentId === undefined || others.length > 0)
    return handleMany(incidentIds, options, { verb: 'Silence', act: { silence: body } })
  const { client, workspaceId } = await openSession(options)
  const answer = await client.post(
    '/workspaces/{workspaceId}/alert-incidents/{incidentId}/silence',
    {
      params: { workspaceId, incidentId },
      body,
    },
  )
  const { id, alertRule } = answer
  const text = `${alertRule.name}: nobody is told of ${describeCovered(answer)} until ${formatTime(answer.until)} UTC. To end it: incident end-silence ${id}`
  printDone(options, { answer, id, text })
}

const describeCovered = ({ seriesCount }: AlertSilence) =>
  seriesCount === null
    ? 'whatever is firing'
    : `${formatCount(seriesCount, 'series', 'series')} that fired`

/** All, newest first. */
export async function listSilences(
  { client, workspaceId }: Session,
  filter: { isActive?: 'true'; alertIncidentId?: string },
): Promise<AlertSilence[]> {
  const pages = readAllPages((cursor) =>
    client.get(SILENCES, { params: { workspaceId }, query: { ...filter, ...cursor } }),
  )
  const all: AlertSilence[] = []
  for await (const page of pages) for (const one of page.silences) all.push(one)
  return all
}

const COLUMNS: readonly Column<AlertSilence>[] = [
  { title: 'RULE', value: ({ alertRule }) => alertRule.name },
  { title: 'COVERS', value: describeCovered },
  { title: 'UNTIL (UTC)', value: ({ until, endedAt }) => formatTime(endedAt ?? until) },
  { title: 'REASON', value: ({ reason }) => reason },
  { title: 'BY', value: ({ createdByEmail }) => createdByEmail },
  { title: 'ID', value: ({ id }) => id, isWhole: true },
]

async function showSilences(options: ListOptions & { all?: boolean }): Promise<void> {
  const session = await openSession(options)
  const silences = await listSilences(session, options.all ? {} : { isActive: 'true' })
  printListing(options, {
    rows: silences,
    columns: COLUMNS,
    nameOf: ({ id }) => id,
    noun: 'silence',
    answer: (rows) => ({ silences: rows }),
  })
}

async function endSilence(silenceId: string, options: ConnectionOptions): Promise<void> {
  const { client, workspaceId } = await openSession(options)
  const answer = await client.post(`${SILENCES}/{silenceId}/end`, {
    params: { workspaceId, silenceId },
  })
  printDone(options, { answer, text: `${answer.alertRule.name}: people are told again` })
}

/** For the facts of an incident. */
export function describeSilence(one: AlertSilence): [string, string] {
  const { createdAt, until, endedAt, createdByEmail, reason } = one
  const to = formatTime(endedAt ?? until)
  const by = createdByEmail === null ? '' : `, by ${createdByEmail}`
  return ['Silence', `${formatTime(createdAt)} to ${to}, ${describeCovered(one)}: ${reason}${by}`]
}
