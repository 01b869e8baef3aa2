/** Begins and ends incidents, and lets people read them. */
import { addMs, parseOptionalInstant } from '../../formats/instants.ts'
import type { AppContext } from '../../platform/context.ts'
import { announce } from '../../platform/db/announcements.ts'
import type { Db, Tx } from '../../platform/db/connect.ts'
import { notFound } from '../../platform/errors.ts'
import { openPage, type PageRequested } from '../../platform/http/paging.ts'
import { isUuid } from '../../platform/ids.ts'
import {
  describeCondition,
  listReferencedNames,
  type RepeatIntervalChanged,
  type RuleCondition,
  type RuleInterrupted,
  type RuleType,
} from '../alert-rules/index.ts'
import { listRuns } from './changes/store.ts'
import { formatSeriesValue } from './notices/notice.ts'
import { notifyIncidents } from './notices/service.ts'
import { holdSilenced } from './silences/store.ts'
import * as store from './store.ts'

type ReadContext = Pick<AppContext, 'db' | 'now' | 'signingKey'>

export interface AskedFilter {
  alertRuleIds?: string[]
  assigneeIds?: string[]
  assigned?: boolean
  isOpen?: boolean
  from?: string
  to?: string
}

export function readFilter(filter: AskedFilter): store.IncidentFilter {
  return {
    // A text that is not a UUID cannot be the id of a rule.
    ruleIds: filter.alertRuleIds?.filter(isUuid),
    assigneeIds: filter.assigneeIds,
    isAssigned: filter.assigned,
    isOpen: filter.isOpen,
    from: parseOptionalInstant(filter.from, '/filter/from'),
    to: parseOptionalInstant(filter.to, '/filter/to'),
  }
}

type ListIncidents = PageRequested & { workspaceId: string; filter?: AskedFilter }

export async function listIncidents(ctx: ReadContext, input: ListIncidents) {
  const { workspaceId, filter: asked = {} } = input
  const scope = ['alert-incidents', workspaceId, asked]
  const { after, rowLimit, cutAndCount } = openPage(ctx, scope, input)
  const at = { workspaceId, now: ctx.now() }
  const filter = readFilter(asked)
  const rows = await store.listIncidents(ctx.db, at, {
    filter,
    before: after && { beganAt: String(after[0]), id: String(after[1]) },
    limit: rowLimit,
  })
  const { page, next, total } = await cutAndCount(
    rows,
    ({ beganAt, id }) => [beganAt.toISOString(), id],
    (most) => store.countIncidents(ctx.db, workspaceId, { filter, most }),
  )
  return { incidents: await toResponses(ctx.db, workspaceId, page), ...total, ...next }
}

export async function getIncident(ctx: Pick<AppContext, 'db' | 'now'>, path: store.IncidentPath) {
  const incident = await findShownIncident(ctx, path)
  if (!incident) throw notFound('alert incident', path.incidentId)
  return incident
}

export async function findShownIncident(
  { db, now }: Pick<AppContext, 'db' | 'now'>,
  { workspaceId, incidentId }: store.IncidentPath,
) {
  const at = { workspaceId, now: now() }
  const row = isUuid(incidentId) ? await store.findIncident(db, at, incidentId) : undefined
  const [incident] = await toResponses(db, workspaceId, row ? [row] : [])
  return incident
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

/** Finds an incident without counting its series. */
export async function requireIncident(db: Db, { workspaceId, incidentId }: store.IncidentPath) {
  const row = isUuid(incidentId)
    ? await store.findRuleOfIncident(db, workspaceId, incidentId)
    : undefined
  if (!row) throw notFound('alert incident', incidentId)
  return row
}

/** Their series are devices, or all devices together. */
const DEVICE_TYPES: ReadonlySet<RuleType> = new Set([
  'DeviceOffline',
  'MetricFixedThreshold',
  'MetricPercentualThreshold',
])

type ListIncidentSeries = PageRequested & store.IncidentPath

/** Firing series come first. A series that stops firing between two pages is listed again among the ended ones. */
export async function listIncidentSeries(ctx: ReadContext, input: ListIncidentSeries) {
  const { workspaceId } = input
  const { id: incidentId, ruleId, ruleType } = await requireIncident(ctx.db, input)
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
  const deviceIds = DEVICE_TYPES.has(ruleType) ? page.map((row) => row.series) : []
  const runs = await listRuns(ctx.db, workspaceId, deviceIds)
  const described = page.map((row) => ({
    ...row,
    valueText: row.value === null ? null : formatSeriesValue(ruleType, row.value),
    runs: runs.get(row.series) ?? [],
  }))
  return { series: described, ...next }
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
  await holdSilenced(tx, workspaceId, { incidentIds, now: ctx.now() })
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
