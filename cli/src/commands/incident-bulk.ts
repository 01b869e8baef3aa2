/** What is done to many incidents at once, and the way back. */
import type { Command } from 'commander'
import type { BodyOf } from '../../../api-client/src/index.ts'
import { confirm, type ConfirmOptions, withConfirmation } from '../confirm.ts'
import { printDone } from '../done.ts'
import { usageError } from '../failure.ts'
import { findRuleId } from '../named.ts'
import { collect } from '../option-values.ts'
import { formatCount } from '../print.ts'
import { type ConnectionOptions, openSession, type Session, withConnection } from '../session.ts'

const BULK = '/workspaces/{workspaceId}/alert-incidents/bulk-handle'

export interface SelectionOptions extends ConnectionOptions, ConfirmOptions {
  all?: boolean
  ofRule?: string[]
  dryRun?: boolean
}

/** Of a command on one incident, several, or all open ones. */
export function withSelection(command: Command): Command {
  return withConfirmation(withConnection(command))
    .argument('[incident...]', 'their ids')
    .option('--all', 'all open ones, instead of ids; asks first')
    .option('--of-rule <rule>', 'with --all: of the alert rule with this id or name', collect)
    .option('--dry-run', 'tell how many would change')
}

type Act = Pick<BodyOf<'handleAlertIncidents'>, 'acknowledge' | 'assign' | 'silence'>

/** Asks with the number that would change, and changes nothing if it is another by then. */
export async function handleMany(
  alertIncidentIds: readonly string[],
  options: SelectionOptions,
  { verb, act }: { verb: string; act: Act },
): Promise<void> {
  if (!options.all && alertIncidentIds.length === 0)
    throw usageError('Say which: ids of incidents, or --all.')
  if (options.all && alertIncidentIds.length > 0)
    throw usageError('Say either ids of incidents or --all.')
  const session = await openSession(options)
  const { client, workspaceId } = session
  const selected = options.all
    ? { filter: await readFilter(session, options) }
    : { alertIncidentIds: [...alertIncidentIds] }
  const params = { workspaceId }
  const preview = await client.post(BULK, {
    params,
    body: { ...selected, ...act, dryRun: true },
  })
  const { matched, changed } = preview
  const extent = `${formatCount(changed, 'incident')} of ${matched} that match`
  if (options.dryRun || changed === 0)
    return printDone(options, { answer: preview, text: `${extent} would change` })
  if (options.all) await confirm(`${verb} ${extent}?`, options)
  const body = { ...selected, ...act, expectedChanged: changed }
  const answer = await client.post(BULK, { params, body })
  const id = answer.alertIncidentBatchId
  const done = `${formatCount(answer.changed, 'incident')} changed`
  const wayBack = id === null ? '' : `\nTake it back with: plimsoll incident undo ${id}`
  printDone(options, { answer, ...(id !== null && { id }), text: `${done}${wayBack}` })
}

async function readFilter(session: Session, { ofRule }: SelectionOptions) {
  const ids = ofRule?.map((one) => findRuleId(session, one))
  return { isOpen: true, ...(ids && { alertRuleIds: await Promise.all(ids) }) }
}

export function addIncidentUndo(incident: Command): void {
  withConnection(incident.command('undo'))
    .description('Take back what was done to several incidents, for seven days')
    .argument('<batch>', 'its id, as the command printed it')
    .action(undo)
}

async function undo(alertIncidentBatchId: string, options: ConnectionOptions): Promise<void> {
  const { client, workspaceId } = await openSession(options)
  const params = { workspaceId, alertIncidentBatchId }
  const answer = await client.post(`${BULK}/{alertIncidentBatchId}/undo`, { params })
  const { restored, left } = answer
  const back = `${formatCount(restored, 'incident')} ${restored === 1 ? 'is' : 'are'} as before`
  const rest = `${formatCount(left, 'incident')} left, changed since`
  printDone(options, { answer, text: left === 0 ? back : `${back}\n${rest}` })
}
