/** Incidents as people read and acknowledge them, and their ends that no evaluation brings. */
import type { Actor } from '../../platform/actor.ts'
import type { AppContext } from '../../platform/context.ts'
import type { Db, Tx } from '../../platform/db/connect.ts'
import { invalid, notFound } from '../../platform/errors.ts'
import { decodeCursor, encodeCursor } from '../../platform/http/cursor.ts'
import { DEFAULT_LIMIT } from '../../platform/http/schemas.ts'
import { isUuid } from '../../platform/ids.ts'
import type { RuleReactions } from '../alert-rules/index.ts'
import { recordAudit } from '../audit/index.ts'
import { announceBegun, announceEnded } from './notices-service.ts'
import * as list from './list-store.ts'
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
  const rows = await list.listIncidents(ctx.db, workspaceId, {
    // What is no id is the id of nothing.
    ruleIds: filter.alertRuleIds?.filter(isUuid),
    isOpen: filter.isOpen,
    from: timeOf('from', filter.from),
    to: timeOf('to', filter.to),
    before: position && { beganAt: String(position.after[0]), id: String(position.after[1]) },
    limit: limit + 1,
  })
  const page = rows.slice(0, limit)
  const incidents = page.map(asShown)
  const last = page.at(-1)
  if (rows.length <= limit || !last) return { incidents, hasMore: false }
  const asOf = position?.asOf ?? ctx.now().getTime()
  const next = { after: [last.beganAt.toISOString(), last.id], asOf }
  return { incidents, hasMore: true, nextCursor: encodeCursor(ctx.signingKey, scope, next) }
}

/** RFC 3339 knows leap seconds, JavaScript does not. */
function timeOf(name: string, text: string | undefined): Date | undefined {
  if (text === undefined) return undefined
  const time = new Date(text)
  if (Number.isNaN(time.getTime()))
    throw invalid(`${name} is no time this service can compare with.`, `/filter/${name}`)
  return time
}

export async function getIncident(db: Db, workspaceId: string, incidentId: string) {
  return asShown(await find(list.findIncident, { db, workspaceId, incidentId }))
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

function asShown({ ruleId, ruleName, ruleType, ...incident }: list.IncidentRow) {
  return { ...incident, alertRule: { id: ruleId, name: ruleName, type: ruleType } }
}

export interface ListIncidentSeries {
  workspaceId: string
  incidentId: string
  limit?: number
  cursor?: string
}

/** Those that fire come first; what ceases meanwhile shows again among the others. */
export async function listIncidentSeries(ctx: ReadContext, input: ListIncidentSeries) {
  const { workspaceId, limit = DEFAULT_LIMIT, cursor } = input
  const { id: incidentId, ruleId } = await find(list.findRuleOfIncident, { db: ctx.db, ...input })
  const scope = ['alert-series', workspaceId, incidentId]
  const position = cursor === undefined ? undefined : decodeCursor(ctx.signingKey, scope, cursor)
  const [isEnded, series, since] = position?.after ?? [false]
  const after = series === undefined ? undefined : { series: String(series), since: String(since) }
  const firing =
    isEnded === true
      ? []
      : await list.listFiringSeries(ctx.db, workspaceId, {
          incidentId,
          ruleId,
          after,
          limit: limit + 1,
        })
  const ended = await list.listEndedSeries(ctx.db, workspaceId, {
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

/** Nobody is reminded of it any more; who did so first stays. */
export async function acknowledgeIncident(
  ctx: Pick<AppContext, 'db' | 'now'>,
  { workspaceId, incidentId, actor }: AcknowledgeIncident,
) {
  return ctx.db.transaction().execute(async (tx) => {
    const { id } = await find(list.findRuleOfIncident, { db: tx, workspaceId, incidentId })
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

/** Stores incidents that an evaluation begins, and notifies the targets of their rules. */
export async function beginIncidents(
  ctx: Pick<AppContext, 'now'>,
  tx: Tx,
  { workspaceId, incidents }: Incidents,
): Promise<void> {
  await store.insertIncidents(tx, workspaceId, incidents)
  await announceBegun(ctx, tx, { workspaceId, incidentIds: incidents.map(({ id }) => id) })
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
  await announceEnded(ctx, tx, { workspaceId, incidentIds: ended.map(({ id }) => id) })
}

/** How incidents follow a change of their rule. */
export const ruleReactions: RuleReactions = {
  async ruleInterrupted(ctx, tx, { workspaceId, rule, cause }) {
    const { id: ruleId, incidentId } = rule
    if (incidentId === null) return
    const endedAt = ctx.now()
    await store.closeSeries(tx, workspaceId, { ruleId, until: endedAt })
    const ended = [{ id: incidentId, endedAt, endedCause: cause }]
    await endIncidents(ctx, tx, { workspaceId, ended })
  },
  /** A new interval counts from when it is set. */
  async repeatIntervalChanged(ctx, tx, { workspaceId, rule, repeatIntervalSeconds }) {
    if (rule.incidentId === null) return
    const reminderAt =
      repeatIntervalSeconds === null
        ? null
        : new Date(ctx.now().getTime() + repeatIntervalSeconds * 1_000)
    await store.updateReminder(tx, workspaceId, { id: rule.incidentId, reminderAt })
  },
}
