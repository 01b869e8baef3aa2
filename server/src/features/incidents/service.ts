/** Begins and ends incidents, and lets people read and acknowledge them. */
import { addMs, parseInstant, parseOptionalInstant } from '../../formats/instants.ts'
import type { Actor } from '../../platform/actor.ts'
import type { AppContext } from '../../platform/context.ts'
import { announce } from '../../platform/db/announcements.ts'
import type { Db, Tx } from '../../platform/db/connect.ts'
import { AppError, notFound } from '../../platform/errors.ts'
import { openPage, type PageRequested } from '../../platform/http/paging.ts'
import { isUuid } from '../../platform/ids.ts'
import { recordAudit } from '../audit/index.ts'
import {
  describeCondition,
  listReferencedNames,
  type RepeatIntervalChanged,
  type RuleCondition,
  type RuleInterrupted,
} from '../alert-rules/index.ts'
import { formatSeriesValue } from './notices/notice.ts'
import { notifyIncidents } from './notices/service.ts'
import * as store from './store.ts'

type ReadContext = Pick<AppContext, 'db' | 'now' | 'signingKey'>

type ListIncidents = PageRequested & {
  workspaceId: string
  filter?: { alertRuleIds?: string[]; isOpen?: boolean; from?: string; to?: string }
}

export async function listIncidents(ctx: ReadContext, input: ListIncidents) {
  const { workspaceId, filter = {} } = input
  const { after, rowLimit, cut } = openPage(ctx, ['alert-incidents', workspaceId, filter], input)
  const rows = await store.listIncidents(ctx.db, workspaceId, {
    // A text that is not a UUID cannot be the id of a rule.
    ruleIds: filter.alertRuleIds,
    isOpen: filter.isOpen,
    from: parseOptionalInstant(filter.from, '/filter/from'),
    to: parseOptionalInstant(filter.to, '/filter/to'),
    before: after && { beganAt: String(after[0]), id: String(after[1]) },
    limit: rowLimit,
  })
  const { page, next } = cut(rows, ({ beganAt, id }) => [beganAt.toISOString(), id])
  return { incidents: await toResponses(ctx.db, workspaceId, page), ...next }
}

export async function getIncident(db: Db, workspaceId: string, incidentId: string) {
  const row = await find(store.findIncident, { db, workspaceId, incidentId })
  const [incident] = await toResponses(db, workspaceId, [row])
  if (!incident) throw notFound('alert incident', incidentId)
  return incident
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

async function toResponses(db: Db, workspaceId: string, rows: readonly store.IncidentRow[]) {
  const names = await listReferencedNames(db, workspaceId, rows)
  return rows.map(({ ruleId, ruleName, ruleType, ...incident }) => ({
    ...incident,
    // The cast is safe: the type and the condition are copied from one rule.
    conditionText: describeCondition({ ...incident, type: ruleType } as RuleCondition, names),
    alertRule: { id: ruleId, name: ruleName, type: ruleType },
  }))
}

type ListIncidentSeries = PageRequested & { workspaceId: string; incidentId: string }

/** Firing series come first. A series that stops firing between two pages is listed again among the ended ones. */
export async function listIncidentSeries(ctx: ReadContext, input: ListIncidentSeries) {
  const { workspaceId } = input
  const {
    id: incidentId,
    ruleId,
    ruleType,
  } = await find(store.findRuleOfIncident, { db: ctx.db, ...input })
  const { after, rowLimit, cut } = openPage(ctx, ['alert-series', workspaceId, incidentId], input)
  const [isEnded, series, since] = after ?? [false]
  const last = series === undefined ? undefined : { series: String(series), since: String(since) }
  const firing =
    isEnded === true
      ? []
      : await store.listFiringSeries(ctx.db, workspaceId, {
          incidentId,
          ruleId,
          after: last,
          limit: rowLimit,
        })
  const ended = await store.listEndedSeries(ctx.db, workspaceId, {
    incidentId,
    after: isEnded === true ? last : undefined,
    limit: rowLimit - firing.length,
  })
  const { page, next } = cut([...firing, ...ended], (row) => [
    row.until !== null,
    row.series,
    row.since.toISOString(),
  ])
  const described = page.map((row) => ({
    ...row,
    valueText: row.value === null ? null : formatSeriesValue(ruleType, row.value),
  }))
  return { series: described, ...next }
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

interface UndoAcknowledgement extends AcknowledgeIncident {
  /** Names the acknowledgement: that of somebody else stays. */
  acknowledgedAt: string
}

export async function undoAcknowledgement(
  ctx: Pick<AppContext, 'db' | 'now'>,
  { workspaceId, incidentId, actor, ...input }: UndoAcknowledgement,
) {
  const acknowledgedAt = parseInstant(input.acknowledgedAt, '/acknowledgedAt')
  return ctx.db.transaction().execute(async (tx) => {
    const { id } = await find(store.findRuleOfIncident, { db: tx, workspaceId, incidentId })
    const named = { id, acknowledgedAt, now: ctx.now() }
    if (!(await store.deleteAcknowledgement(tx, workspaceId, named)))
      throw new AppError(
        'conflict',
        'alert-incident-not-acknowledged',
        'It is not acknowledged since then: somebody took that back or acknowledged it again. Nothing was changed.',
      )
    await recordAudit(ctx, tx, {
      workspaceId,
      actor,
      action: 'alert-incident.unacknowledge',
      resourceType: 'alert-incident',
      resourceId: id,
      before: { acknowledgedAt: input.acknowledgedAt },
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
  await announce(tx, workspaceId, ['alerts'])
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
  await announce(tx, workspaceId, ['alerts'])
  const incidentIds = ended.map(({ id }) => id)
  await notifyIncidents(ctx, tx, { workspaceId, incidentIds, event: 'Resolved' })
}

/** Ends the open incident of a rule that is changed, disabled or deleted. */
export async function endInterruptedIncident(
  ctx: Pick<AppContext, 'now'>,
  tx: Tx,
  { workspaceId, rule, cause }: RuleInterrupted,
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
  { workspaceId, rule, repeatIntervalSeconds: seconds }: RepeatIntervalChanged,
): Promise<void> {
  if (rule.incidentId === null) return
  const reminderAt = seconds === null ? null : addMs(ctx.now(), seconds * 1_000)
  await store.updateReminder(tx, workspaceId, { id: rule.incidentId, reminderAt })
}
