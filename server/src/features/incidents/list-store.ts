/** Incidents and their series as they are read. */
import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../platform/db/connect.ts'
import type { RuleCondition } from '../alert-rules/index.ts'
import type { EndCause } from './store.ts'

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
  seriesCount: number
  firingSeriesCount: number
}

/** What is over was counted when it ended. */
const COLUMNS = sql`
  incident.id, incident.rule_id, incident.rule_name, incident.rule_type, incident.condition, incident.began_at,
  incident.ended_at, incident.ended_cause, incident.acknowledged_at, incident.acknowledged_by_email,
  coalesce(incident.series_count, (
    select count(distinct held.series)::int from alert_series as held
    where held.workspace_id = incident.workspace_id and held.incident_id = incident.id)) as series_count,
  case when incident.ended_at is not null then 0 else (
    select count(*)::int from alert_series as held
    where held.workspace_id = incident.workspace_id and held.rule_id = incident.rule_id and held.until is null
  ) end as firing_series_count`

export interface IncidentPage {
  ruleIds: readonly string[] | undefined
  isOpen: boolean | undefined
  from: Date | undefined
  to: Date | undefined
  before: { beganAt: string; id: string } | undefined
  limit: number
}

/** Newest first. */
export async function listIncidents(
  db: Db,
  workspaceId: string,
  { ruleIds, isOpen, from, to, before, limit }: IncidentPage,
): Promise<IncidentRow[]> {
  const { rows } = await sql<IncidentRow>`
    select ${COLUMNS} from alert_incidents as incident
    where incident.workspace_id = ${workspaceId}
      ${when(ruleIds, (ids) => sql`and incident.rule_id = any(${ids}::uuid[])`)}
      ${when(isOpen, (open) => (open ? sql`and incident.ended_at is null` : sql`and incident.ended_at is not null`))}
      ${when(from, (time) => sql`and incident.began_at >= ${time}`)}
      ${when(to, (time) => sql`and incident.began_at < ${time}`)}
      ${when(before, ({ beganAt, id }) => sql`and (incident.began_at, incident.id) < (${beganAt}, ${id}::uuid)`)}
    order by incident.began_at desc, incident.id desc limit ${limit}`.execute(db)
  return rows
}

function when<Value>(
  value: Value | undefined,
  condition: (value: Value) => RawBuilder<unknown>,
): RawBuilder<unknown> {
  return value === undefined ? sql`` : condition(value)
}

export async function findIncident(
  db: Db,
  workspaceId: string,
  id: string,
): Promise<IncidentRow | undefined> {
  const { rows } = await sql<IncidentRow>`
    select ${COLUMNS} from alert_incidents as incident
    where incident.workspace_id = ${workspaceId} and incident.id = ${id}`.execute(db)
  return rows[0]
}

/** What is needed of one whose series are not counted: they may be many. */
export async function findRuleOfIncident(
  db: Db,
  workspaceId: string,
  id: string,
): Promise<{ id: string; ruleId: string } | undefined> {
  return db
    .selectFrom('alertIncidents')
    .select(['id', 'ruleId'])
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

interface SeriesPage {
  incidentId: string
  after: { series: string; since: string } | undefined
  limit: number
}

/** Each as often as it fired: those that fire by their names, in the order of an index. */
export async function listFiringSeries(
  db: Db,
  workspaceId: string,
  { ruleId, after, incidentId, limit }: SeriesPage & { ruleId: string },
): Promise<SeriesRow[]> {
  const { rows } = await sql<SeriesRow>`
    select series, label, since, until, value from alert_series
    where workspace_id = ${workspaceId} and rule_id = ${ruleId} and until is null and incident_id = ${incidentId}
      ${when(after, ({ series }) => sql`and series > ${series}`)}
    order by series limit ${limit}`.execute(db)
  return rows
}

/** The others, likewise. */
export async function listEndedSeries(
  db: Db,
  workspaceId: string,
  { incidentId, after, limit }: SeriesPage,
): Promise<SeriesRow[]> {
  const { rows } = await sql<SeriesRow>`
    select series, label, since, until, value from alert_series
    where workspace_id = ${workspaceId} and incident_id = ${incidentId} and until is not null
      ${when(after, ({ series, since }) => sql`and (series, since) > (${series}, ${since}::timestamptz)`)}
    order by series, since limit ${limit}`.execute(db)
  return rows
}
