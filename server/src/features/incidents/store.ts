/** Incidents and their series. */
import { sql } from 'kysely'
import type { Db, Tx } from '../../platform/db/connect.ts'
import type { RuleCondition, RuleType } from '../alert-rules/index.ts'
import type { Colleague } from '../discussions/index.ts'
import { selectSilencedUntil } from './silences/store.ts'

export interface IncidentPath {
  workspaceId: string
  incidentId: string
}

export interface NewIncident {
  id: string
  ruleId: string
  ruleName: string
  ruleType: RuleCondition['type']
  condition: RuleCondition['condition']
  beganAt: Date
  reminderAt: Date | null
}

export async function insertIncidents(
  tx: Tx,
  workspaceId: string,
  incidents: readonly NewIncident[],
): Promise<void> {
  if (incidents.length === 0) return
  const rows = incidents.map(({ condition, ...incident }) => ({
    workspaceId,
    ...incident,
    condition: JSON.stringify(condition),
  }))
  await tx.insertInto('alertIncidents').values(rows).execute()
}

export const END_CAUSES = [
  'Recovered',
  'Decided',
  'NoData',
  'RuleChanged',
  'RuleDisabled',
  'RuleDeleted',
] as const
export type EndCause = (typeof END_CAUSES)[number]

export interface EndedIncident {
  id: string
  endedAt: Date
  endedCause: EndCause
}

export async function endIncidents(
  tx: Tx,
  workspaceId: string,
  ended: readonly EndedIncident[],
): Promise<void> {
  if (ended.length === 0) return
  await sql`
    update alert_incidents as incident
    set ended_at = greatest(ended.ended_at, incident.began_at), ended_cause = ended.ended_cause, reminder_at = null, is_held = false,
      series_count = (
        select count(distinct series) from alert_series as fired
        where fired.workspace_id = ${workspaceId} and fired.incident_id = incident.id)
    from unnest(
      ${ended.map(({ id }) => id)}::uuid[],
      ${ended.map(({ endedAt }) => endedAt.toISOString())}::timestamptz[],
      ${ended.map(({ endedCause }) => endedCause)}::text[]
    ) as ended (id, ended_at, ended_cause)
    where incident.workspace_id = ${workspaceId} and incident.id = ended.id`.execute(tx)
}

/** Ends all firing series of a rule when something other than an evaluation ends its incident. */
export async function endSeries(
  tx: Tx,
  workspaceId: string,
  { ruleId, until }: { ruleId: string; until: Date },
): Promise<void> {
  await tx
    .updateTable('alertSeries')
    .set({ until: sql<Date>`greatest(${until}, since)` })
    .where('workspaceId', '=', workspaceId)
    .where('ruleId', '=', ruleId)
    .where('until', 'is', null)
    .execute()
}

/** Changes nothing if the incident has ended or was acknowledged. */
export async function updateReminder(
  tx: Tx,
  workspaceId: string,
  { id, reminderAt }: { id: string; reminderAt: Date | null },
): Promise<void> {
  await tx
    .updateTable('alertIncidents')
    .set({ reminderAt })
    .where('workspaceId', '=', workspaceId)
    .where('id', '=', id)
    .where('endedAt', 'is', null)
    .where('acknowledgedAt', 'is', null)
    .execute()
}

export interface IncidentRow {
  id: string
  ruleId: string
  ruleName: string
  ruleType: RuleCondition['type']
  condition: RuleCondition['condition']
  beganAt: Date
  endedAt: Date | null
  endedCause: EndCause | null
  acknowledgedAt: Date | null
  acknowledgedByEmail: string | null
  note: string | null
  notedAt: Date | null
  notedByEmail: string | null
  assignee: Colleague | null
  silencedUntil: Date | null
  seriesCount: number
  firingSeriesCount: number
}

/** An incident that has ended stores the number of its series. */
const seriesCounts = (workspaceId: string) => [
  sql<number>`coalesce(incident.series_count, (
    select count(distinct fired.series)::int from alert_series as fired
    where fired.workspace_id = ${workspaceId} and fired.incident_id = incident.id))`.as(
    'seriesCount',
  ),
  sql<number>`case when incident.ended_at is not null then 0 else (
    select count(*)::int from alert_series as firing
    where firing.workspace_id = ${workspaceId} and firing.rule_id = incident.rule_id and firing.until is null
  ) end`.as('firingSeriesCount'),
]

const selectOpenSilencedUntil = (at: ReadAt) => sql<Date | null>`
  case when incident.ended_at is null then ${selectSilencedUntil(at)} end`

const assignee = sql<Colleague | null>`(
  select json_build_object('subjectId', person.id, 'email', person.email, 'displayName', person.display_name)
  from people as person where person.id = incident.assignee_id)`

interface ReadAt {
  workspaceId: string
  now: Date
}

function selectIncidents(db: Db, { workspaceId, now }: ReadAt) {
  return db
    .selectFrom('alertIncidents as incident')
    .select(['incident.id', 'incident.ruleId', 'incident.ruleName', 'incident.ruleType'])
    .select(sql<RuleCondition['condition']>`incident.condition`.as('condition'))
    .select(['incident.beganAt', 'incident.endedAt', 'incident.endedCause'])
    .select(['incident.acknowledgedAt', 'incident.acknowledgedByEmail'])
    .select(['incident.note', 'incident.notedAt', 'incident.notedByEmail'])
    .select([
      assignee.as('assignee'),
      selectOpenSilencedUntil({ workspaceId, now }).as('silencedUntil'),
    ])
    .select(seriesCounts(workspaceId))
    .where('incident.workspaceId', '=', workspaceId)
    .$narrowType<Pick<IncidentRow, 'ruleType' | 'endedCause'>>()
}

export interface IncidentFilter {
  incidentIds?: readonly string[] | undefined
  ruleIds?: readonly string[] | undefined
  assigneeIds?: readonly string[] | undefined
  isAssigned?: boolean | undefined
  isOpen?: boolean | undefined
  from?: Date | undefined
  to?: Date | undefined
}

function isSelected(workspaceId: string, filter: IncidentFilter) {
  const { incidentIds, ruleIds, assigneeIds, isAssigned, isOpen, from, to } = filter
  return sql.join(
    [
      sql`incident.workspace_id = ${workspaceId}`,
      ...(incidentIds ? [sql`incident.id = any(${incidentIds}::uuid[])`] : []),
      ...(ruleIds ? [sql`incident.rule_id = any(${ruleIds}::uuid[])`] : []),
      ...(assigneeIds ? [sql`incident.assignee_id::text = any(${assigneeIds}::text[])`] : []),
      ...(isAssigned === undefined
        ? []
        : [isAssigned ? sql`incident.assignee_id is not null` : sql`incident.assignee_id is null`]),
      ...(isOpen === undefined
        ? []
        : [isOpen ? sql`incident.ended_at is null` : sql`incident.ended_at is not null`]),
      ...(from ? [sql`incident.began_at >= ${from}`] : []),
      ...(to ? [sql`incident.began_at < ${to}`] : []),
    ],
    sql` and `,
  )
}

export interface IncidentPage {
  filter: IncidentFilter
  before: { beganAt: string; id: string } | undefined
  limit: number
}

/** Newest first. */
export async function listIncidents(
  db: Db,
  at: ReadAt,
  { filter, before, limit }: IncidentPage,
): Promise<IncidentRow[]> {
  let query = selectIncidents(db, at).where(sql<boolean>`${isSelected(at.workspaceId, filter)}`)
  if (before) {
    const { beganAt, id } = before
    query = query.where(sql<boolean>`(incident.began_at, incident.id) < (${beganAt}, ${id}::uuid)`)
  }
  return query
    .orderBy('incident.beganAt', 'desc')
    .orderBy('incident.id', 'desc')
    .limit(limit)
    .execute()
}

/** Counts no further than `most`. */
export async function countIncidents(
  db: Db,
  workspaceId: string,
  { filter, most }: { filter: IncidentFilter; most: number },
): Promise<number> {
  const { rows } = await sql<{ count: number }>`select count(*)::int as count from (
    select from alert_incidents as incident where ${isSelected(workspaceId, filter)} limit ${most}) as counted`.execute(
    db,
  )
  return rows[0]?.count ?? 0
}

export interface LockedIncident {
  id: string
  ruleId: string
  endedAt: Date | null
  acknowledgedAt: Date | null
  note: string | null
  notedAt: Date | null
  notedByEmail: string | null
  assigneeId: string | null
}

/** In the order of their ids, so that two commands do not wait for each other. */
export async function lockIncidents(
  tx: Tx,
  workspaceId: string,
  { filter, limit }: { filter: IncidentFilter; limit: number },
): Promise<LockedIncident[]> {
  const { rows } = await sql<LockedIncident>`
    select incident.id, incident.rule_id, incident.ended_at, incident.acknowledged_at, incident.note, incident.noted_at,
      incident.noted_by_email, incident.assignee_id
    from alert_incidents as incident where ${isSelected(workspaceId, filter)}
    order by incident.id limit ${limit} for update`.execute(tx)
  return rows
}

export async function findIncident(
  db: Db,
  at: ReadAt,
  id: string,
): Promise<IncidentRow | undefined> {
  return selectIncidents(db, at).where('incident.id', '=', id).executeTakeFirst()
}

/** Does not count the series of the incident: an incident may have many. */
export async function findRuleOfIncident(
  db: Db,
  workspaceId: string,
  id: string,
): Promise<{ id: string; ruleId: string; ruleType: RuleType } | undefined> {
  return db
    .selectFrom('alertIncidents')
    .select(['id', 'ruleId', sql<RuleType>`rule_type`.as('ruleType')])
    .where('workspaceId', '=', workspaceId)
    .where('id', '=', id)
    .executeTakeFirst()
}

export interface SeriesRow {
  series: string
  label: string | null
  since: Date
  until: Date | null
  value: number | null
}

const SERIES_COLUMNS = ['series', 'label', 'since', 'until', 'value'] as const

interface SeriesPage {
  incidentId: string
  after: { series: string; since: string } | undefined
  limit: number
}

/** Series that fire now, by name. */
export async function listFiringSeries(
  db: Db,
  workspaceId: string,
  { ruleId, after, incidentId, limit }: SeriesPage & { ruleId: string },
): Promise<SeriesRow[]> {
  return db
    .selectFrom('alertSeries')
    .select(SERIES_COLUMNS)
    .where('workspaceId', '=', workspaceId)
    .where('ruleId', '=', ruleId)
    .where('until', 'is', null)
    .where('incidentId', '=', incidentId)
    .$if(after !== undefined, (query) => query.where('series', '>', after?.series ?? ''))
    .orderBy('series')
    .limit(limit)
    .execute()
}

/** Series that have stopped firing, once for each time they fired, by name. */
export async function listEndedSeries(
  db: Db,
  workspaceId: string,
  { incidentId, after, limit }: SeriesPage,
): Promise<SeriesRow[]> {
  return db
    .selectFrom('alertSeries')
    .select(SERIES_COLUMNS)
    .where('workspaceId', '=', workspaceId)
    .where('incidentId', '=', incidentId)
    .where('until', 'is not', null)
    .$if(after !== undefined, (query) =>
      query.where(sql<boolean>`(series, since) > (${after?.series}, ${after?.since}::timestamptz)`),
    )
    .orderBy('series')
    .orderBy('since')
    .limit(limit)
    .execute()
}
