/** Begins and ends incidents, and lets people read and acknowledge them. */
import type { Actor } from '../../platform/actor.ts'
import type { AppContext, Reactions } from '../../platform/context.ts'
import type { Db, Tx } from '../../platform/db/connect.ts'
import { invalid, notFound } from '../../platform/errors.ts'
import { decodeCursor, encodeCursor } from '../../platform/http/cursor.ts'
import { DEFAULT_LIMIT } from '../../platform/http/schemas.ts'
import { isUuid } from '../../platform/ids.ts'
import { recordAudit } from '../audit/index.ts'
import { notifyIncidents } from './notices-service.ts'
import * as store from './store.ts'

type ReadContext = Pick<AppContext, 'db' | 'now' | 'signingKey'>

export interface ListIncidents {
  workspaceId: string
  limit?: number
  cursor?: string
  filter?: { alertRuleIds?: string[]; isOpen?: boolean; from?: string; to?: string }
}

export async function listIncidents(ctx: ReadContext, input: ListIncidents) {
  const { workspaceId, limit = DEFAULT_LIMIT, cursor, filter = {} } = input
  const scope = ['alert-incidents', workspaceId, filter]
  const position = cursor === undefined ? undefined : decodeCursor(ctx.signingKey, scope, cursor)
  const rows = await store.listIncidents(ctx.db, workspaceId, {
    // A text that is not a UUID cannot be the id of a rule.
    ruleIds: filter.alertRuleIds?.filter(isUuid),
    isOpen: filter.isOpen,
    from: timeOf('from', filter.from),
    to: timeOf('to', filter.to),
    before: position && { beganAt: String(position.after[0]), id: String(position.after[1]) },
    limit: limit + 1,
  })
  const page = rows.slice(0, limit)
  const incidents = page.map(toResponse)
  const last = page.at(-1)
  if (rows.length <= limit || !last) return { incidents, hasMore: false }
  const asOf = position?.asOf ?? ctx.now().getTime()
  const next = { after: [last.beganAt.toISOString(), last.id], asOf }
  return { incidents, hasMore: true, nextCursor: encodeCursor(ctx.signingKey, scope, next) }
}

/** The schema accepts RFC 3339, which allows leap seconds; `Date` does not. */
function timeOf(name: string, text: string | undefined): Date | undefined {
  if (text === undefined) return undefined
  const time = new Date(text)
  if (Number.isNaN(time.getTime()))
    throw invalid(`${name} is not a valid date-time.`, `/filter/${name}`)
  return time
}

export async function getIncident(db: Db, workspaceId: string, incidentId: string) {
  return toResponse(await find(store.findIncident, { db, workspaceId, incidentId }))
}

type Find<Row> = (db: Db, workspaceId: string, id: string) => Promise<Row | undefined>

async function find<Row>(
  findRow: Find<Row>,
  { db, workspaceId, incidentId }: { db: Db; workspaceId: string; incidentId: string },
): Promise<Row> {
  const row = isUuid(incidentId) ? await findRow(db, workspaceId, incidentId) : undefined
  if (!row) throw notFound('alert incident', incidentId)
  return row
}

function toResponse({ ruleId, ruleName, ruleType, ...incident }: store.IncidentRow) {
  return { ...incident, alertRule: { id: ruleId, name: ruleName, type: ruleType } }
}

export interface ListIncidentSeries {
  workspaceId: string
  incidentId: string
  limit?: number
  cursor?: string
}

/** Firing series come first. A series that stops firing between two pages is listed again among the ended ones. */
export async function listIncidentSeries(ctx: ReadContext, input: ListIncidentSeries) {
  const { workspaceId, limit = DEFAULT_LIMIT, cursor } = input
  const { id: incidentId, ruleId } = await find(store.findRuleOfIncident, { db: ctx.db, ...input })
  const scope = ['alert-series', workspaceId, incidentId]
  const position = cursor === undefined ? undefined : decodeCursor(ctx.signingKey, scope, cursor)
  const [isEnded, series, since] = position?.after ?? [false]
  const after = series === undefined ? undefined : { series: String(series), since: String(since) }
  const firing =
    isEnded === true
      ? []
      : await store.listFiringSeries(ctx.db, workspaceId, {
          incidentId,
          ruleId,
          after,
          limit: limit + 1,
        })
  const ended = await store.listEndedSeries(ctx.db, workspaceId, {
    incidentId,
    after: isEnded === true ? after : undefined,
    limit: limit + 1 - firing.length,
  })
  const rows = [...firing, ...ended]
  const page = rows.slice(0, limit)
  const last = page.at(-1)
  if (rows.length <= limit || !last) return { series: page, hasMore: false }
  const asOf = position?.asOf ?? ctx.now().getTime()
  const next = { after: [last.until !== null, last.series, last.since.toISOString()], asOf }
  return { series: page, hasMore: true, nextCursor: encodeCursor(ctx.signingKey, scope, next) }
}

export interface AcknowledgeIncident {
  workspaceId: string
  incidentId: string
  actor: Actor
}

/** Stops reminders. Only the first acknowledgement is recorded. */
export async function acknowledgeIncident(
  ctx: Pick<AppContext, 'db' | 'now'>,
  { workspaceId, incidentId, actor }: AcknowledgeIncident,
) {
  return ctx.db.transaction().execute(async (tx) => {
    const { id } = await find(store.findRuleOfIncident, { db: tx, workspaceId, incidentId })
    const by = { id, acknowledgedAt: ctx.now(), acknowledgedByEmail: actor.email ?? null }
    if (await store.acknowledge(tx, workspaceId, by))
      await recordAudit(ctx, tx, {
        workspaceId,
        actor,
        action: 'alert-incident.acknowledge',
        resourceType: 'alert-incident',
        resourceId: id,
      })
    return getIncident(tx, workspaceId, id)
  })
}

interface Incidents {
  workspaceId: string
  incidents: readonly store.NewIncident[]
}

export async function beginIncidents(
  ctx: Pick<AppContext, 'now'>,
  tx: Tx,
  { workspaceId, incidents }: Incidents,
): Promise<void> {
  await store.insertIncidents(tx, workspaceId, incidents)
  const incidentIds = incidents.map(({ id }) => id)
  await notifyIncidents(ctx, tx, { workspaceId, incidentIds, event: 'Fired' })
}

interface Ends {
  workspaceId: string
  ended: readonly store.EndedIncident[]
}

export async function endIncidents(
  ctx: Pick<AppContext, 'now'>,
  tx: Tx,
  { workspaceId, ended }: Ends,
): Promise<void> {
  await store.endIncidents(tx, workspaceId, ended)
  const incidentIds = ended.map(({ id }) => id)
  await notifyIncidents(ctx, tx, { workspaceId, incidentIds, event: 'Resolved' })
}

type RuleChange<Name extends 'alertRuleInterrupted' | 'repeatIntervalChanged'> = Parameters<
  Reactions[Name]
>[2]

/** Ends the open incident of a rule that is changed, disabled or deleted. */
export async function endInterruptedIncident(
  ctx: Pick<AppContext, 'now'>,
  tx: Tx,
  { workspaceId, rule, cause }: RuleChange<'alertRuleInterrupted'>,
): Promise<void> {
  const { id: ruleId, incidentId } = rule
  if (incidentId === null) return
  const endedAt = ctx.now()
  await store.endSeries(tx, workspaceId, { ruleId, until: endedAt })
  const ended = [{ id: incidentId, endedAt, endedCause: cause }]
  await endIncidents(ctx, tx, { workspaceId, ended })
}

/** A new interval counts from when it is set. */
export async function rescheduleReminder(
  ctx: Pick<AppContext, 'now'>,
  tx: Tx,
  { workspaceId, rule, repeatIntervalSeconds: seconds }: RuleChange<'repeatIntervalChanged'>,
): Promise<void> {
  if (rule.incidentId === null) return
  const reminderAt = seconds === null ? null : new Date(ctx.now().getTime() + seconds * 1_000)
  await store.updateReminder(tx, workspaceId, { id: rule.incidentId, reminderAt })
}
