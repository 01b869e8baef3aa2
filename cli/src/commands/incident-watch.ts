/** Follows incidents: a line for each that begins, changes or ends. */
import type { Command } from 'commander'
import { type AlertIncident, readAllPages } from '../../../api-client/src/index.ts'
import { formatTime } from '../instant.ts'
import { note, printJson, printLine } from '../print.ts'
import { sanitise } from '../printable.ts'
import { type ConnectionOptions, openSession, type Session, withConnection } from '../session.ts'
import { repeatUntilInterrupted } from '../waiting.ts'

const INCIDENTS = '/workspaces/{workspaceId}/alert-incidents'
const PAUSE_MS = 5000

export function addIncidentWatch(incident: Command): void {
  withConnection(incident.command('watch'))
    .description('Follow incidents until Ctrl-C: a line for each that begins, changes or ends')
    .action(watch)
}

type Event = 'open' | 'began' | 'acknowledged' | 'no longer acknowledged' | 'other series' | 'ended'

async function watch(options: ConnectionOptions): Promise<void> {
  const session = await openSession(options)
  let before: Map<string, AlertIncident> | undefined
  const tell = (event: Event, incident: AlertIncident) => {
    if (options.json) printJson({ event, incident })
    else printLine(sanitise(describe(event, incident)))
  }
  await repeatUntilInterrupted(async () => {
    const now = new Map((await listOpen(session)).map((one) => [one.id, one]))
    for (const incident of now.values())
      for (const event of listEvents(before, incident)) tell(event, incident)
    for (const id of before?.keys() ?? [])
      if (!now.has(id)) tell('ended', await readIncident(session, id))
    if (!before && now.size === 0) note('No incident is open. Each that begins is told.')
    before = now
  }, PAUSE_MS)
}

function listEvents(
  before: ReadonlyMap<string, AlertIncident> | undefined,
  incident: AlertIncident,
): Event[] {
  if (!before) return ['open']
  const last = before.get(incident.id)
  if (!last) return ['began']
  const isAcknowledged = incident.acknowledgedAt !== null
  const wasAcknowledged = last.acknowledgedAt !== null
  return [
    ...(isAcknowledged && !wasAcknowledged ? (['acknowledged'] as const) : []),
    ...(wasAcknowledged && !isAcknowledged ? (['no longer acknowledged'] as const) : []),
    ...(incident.firingSeriesCount === last.firingSeriesCount ? [] : (['other series'] as const)),
  ]
}

function describe(event: Event, incident: AlertIncident): string {
  const { id, alertRule, beganAt, endedAt, endedCause, acknowledgedByEmail } = incident
  const { firingSeriesCount: firing, seriesCount } = incident
  const at = event === 'ended' ? endedAt : event === 'began' ? beganAt : new Date().toISOString()
  const more = {
    open: `since ${formatTime(beganAt)} UTC, ${firing} of ${seriesCount} firing`,
    began: `${firing} of ${seriesCount} firing`,
    acknowledged: acknowledgedByEmail === null ? '' : `by ${acknowledgedByEmail}`,
    'no longer acknowledged': '',
    'other series': `${firing} of ${seriesCount} firing`,
    ended: endedCause ?? '',
  }[event]
  return [formatTime(at), event, alertRule.name, id, more].filter(Boolean).join('  ')
}

async function listOpen({ client, workspaceId }: Session): Promise<AlertIncident[]> {
  const pages = readAllPages((cursor) =>
    client.post(`${INCIDENTS}/list`, {
      params: { workspaceId },
      body: { filter: { isOpen: true }, limit: 1000, ...cursor },
    }),
  )
  const all: AlertIncident[] = []
  for await (const page of pages) for (const one of page.incidents) all.push(one)
  return all.toReversed()
}

const readIncident = ({ client, workspaceId }: Session, incidentId: string) =>
  client.get(`${INCIDENTS}/{incidentId}`, { params: { workspaceId, incidentId } })
