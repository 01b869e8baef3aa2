/** What people do about an incident: acknowledge it, look after it, say something. */
import type { Command } from 'commander'
import { printDone } from '../done.ts'
import { usageError } from '../failure.ts'
import { type ConnectionOptions, openSession, withConnection } from '../session.ts'
import { handleMany, type SelectionOptions, withSelection } from './incident-bulk.ts'
import { findMember } from './member.ts'

const INCIDENT = '/workspaces/{workspaceId}/alert-incidents/{incidentId}'
/** In place of a member. */
const NOBODY = 'nobody'

export function addIncidentActs(incident: Command): void {
  withSelection(incident.command('acknowledge'))
    .description('Acknowledge incidents: ends their reminders')
    .option('--note <text>', 'what is done about it')
    .action(acknowledge)
  withIncident(incident.command('unacknowledge'))
    .description('Take an acknowledgement back: reminders begin again')
    .action(takeBack)
  withIncident(incident.command('note'))
    .description('Say what is done about an incident, or was; "" takes the note away')
    .argument('<text>', 'replaces the note that is there')
    .action(writeNote)
  withSelection(incident.command('assign'))
    .description('Give incidents to a member to look after, or to nobody')
    .requiredOption('--to <member>', `e-mail address or id, or "${NOBODY}"`)
    .action(assign)
}

function withIncident(command: Command): Command {
  return withConnection(command.argument('<incident>', 'its id'))
}

async function acknowledge(
  incidentIds: string[],
  options: SelectionOptions & { note?: string },
): Promise<void> {
  const [incidentId, ...others] = incidentIds
  const body = options.note === undefined ? {} : { note: options.note }
  if (incidentId === undefined || others.length > 0)
    return handleMany(incidentIds, options, { verb: 'Acknowledge', act: { acknowledge: body } })
  const { client, workspaceId } = await openSession(options)
  const params = { workspaceId, incidentId }
  const answer = await client.post(`${INCIDENT}/acknowledge`, { params, body })
  printDone(options, { answer, text: `${answer.alertRule.name}: acknowledged, no more reminders` })
}

async function takeBack(incidentId: string, options: ConnectionOptions): Promise<void> {
  const { client, workspaceId } = await openSession(options)
  const params = { workspaceId, incidentId }
  const { acknowledgedAt } = await client.get(INCIDENT, { params })
  if (acknowledgedAt === null) throw usageError('The incident is not acknowledged.')
  const body = { acknowledgedAt }
  const answer = await client.post(`${INCIDENT}/acknowledge/undo`, { params, body })
  printDone(options, { answer, text: `${answer.alertRule.name}: not acknowledged any more` })
}

async function writeNote(
  incidentId: string,
  text: string,
  options: ConnectionOptions,
): Promise<void> {
  const { client, workspaceId } = await openSession(options)
  const params = { workspaceId, incidentId }
  const body = { note: text.trim() === '' ? null : text }
  const answer = await client.put(`${INCIDENT}/note`, { params, body })
  const done = answer.note === null ? 'has no note any more' : `note: ${answer.note}`
  printDone(options, { answer, text: `${answer.alertRule.name}: ${done}` })
}

async function assign(
  incidentIds: string[],
  options: SelectionOptions & { to: string },
): Promise<void> {
  const session = await openSession(options)
  const { client, workspaceId } = session
  const member = options.to === NOBODY ? null : await findMember(session, options.to)
  const body = { subjectId: member?.id ?? null }
  const [incidentId, ...others] = incidentIds
  if (incidentId === undefined || others.length > 0)
    return handleMany(incidentIds, options, { verb: 'Assign', act: { assign: body } })
  const params = { workspaceId, incidentId }
  const answer = await client.put(`${INCIDENT}/assignee`, { params, body })
  const whom = answer.assignee?.email ?? NOBODY
  printDone(options, { answer, text: `${answer.alertRule.name}: ${whom} looks after it` })
}
