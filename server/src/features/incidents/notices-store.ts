/** What notices say of incidents, for many at a time. */
import { sql } from 'kysely'
import type { Db, Tx } from '../../platform/db/connect.ts'
import type { RuleCondition } from '../alert-rules/index.ts'
import type { ToldSeries } from './notice.ts'
import type { EndCause } from './store.ts'

export interface TellableIncident {
  id: string
  ruleId: string
  ruleName: string
  ruleType: RuleCondition['type']
  condition: RuleCondition['condition']
  beganAt: Date
  endedAt: Date | null
  endedCause: EndCause | null
  workspaceName: string
  seriesCount: number
  firingCount: number
  notificationTargetIds: string[]
  webhookIds: string[]
}

export interface Telling {
  incidentIds: readonly string[]
  /** Ends are told to those who want to know, of what they were told of. */
  isEnd: boolean
}

/** Those whose rules name anybody. */
export async function listTellable(
  db: Db,
  workspaceId: string,
  { incidentIds, isEnd }: Telling,
): Promise<TellableIncident[]> {
  const { rows } = await sql<TellableIncident>`
    select incident.id, incident.rule_id, incident.rule_name, incident.rule_type, incident.condition, incident.began_at,
      incident.ended_at, incident.ended_cause, workspace.name as workspace_name, held.*, named.*
    from alert_incidents as incident
      join workspaces as workspace on workspace.id = incident.workspace_id
      join alert_rules as rule on rule.workspace_id = incident.workspace_id and rule.id = incident.rule_id
      cross join lateral (
        select array_agg(link.notification_target_id order by link.position)
            filter (where link.notification_target_id is not null) as notification_target_ids,
          array_agg(link.webhook_id order by link.position) filter (where link.webhook_id is not null) as webhook_ids
        from alert_rule_targets as link
        where link.workspace_id = incident.workspace_id and link.rule_id = incident.rule_id
      ) as named
      cross join lateral (
        select count(distinct series)::int as series_count, (count(*) filter (where until is null))::int as firing_count
        from alert_series as one
        where one.workspace_id = incident.workspace_id and one.incident_id = incident.id
      ) as held
    where incident.workspace_id = ${workspaceId} and incident.id = any(${incidentIds}::uuid[])
      and (named.notification_target_ids is not null or named.webhook_ids is not null)
      ${isEnd ? sql`and rule.notify_resolved and incident.announced_at is not null` : sql``}
    order by incident.id`.execute(db)
  return rows.map((row) => ({
    ...row,
    notificationTargetIds: listOf(row.notificationTargetIds),
    webhookIds: listOf(row.webhookIds),
  }))
}

function listOf(ids: string[] | null): string[] {
  return ids ?? []
}

export interface WorstOf {
  /** 1: the highest are the worst; -1: the lowest. */
  sign: number
  incidentId: string
}

const SHOWN = 20

/** Of those that fire now, or of all that fired; each once, with its worst value. */
export async function listWorstSeries(
  db: Db,
  workspaceId: string,
  { of, isFiring }: { of: readonly WorstOf[]; isFiring: boolean },
): Promise<Map<string, ToldSeries[]>> {
  const { rows } = await sql<Omit<ToldSeries, 'since'> & { incidentId: string; since: Date }>`
    select told.incident_id, worst.series, worst.label, worst.value * told.sign as value, worst.since
    from unnest(
      ${of.map(({ incidentId }) => incidentId)}::uuid[], ${of.map(({ sign }) => sign)}::float8[]
    ) as told (incident_id, sign)
    cross join lateral (
      select series, max(label) as label, max(value * told.sign) as value, min(since) as since
      from alert_series
      where workspace_id = ${workspaceId} and incident_id = told.incident_id ${isFiring ? sql`and until is null` : sql``}
      group by series order by max(value * told.sign) desc nulls last, series limit ${SHOWN}
    ) as worst`.execute(db)
  const byIncident = Map.groupBy(rows, ({ incidentId }) => incidentId)
  return new Map(
    [...byIncident].map(([id, found]) => [
      id,
      found.map(({ series, label, value, since }) => ({
        series,
        label,
        value,
        since: since.toISOString(),
      })),
    ]),
  )
}

/** What people call cohorts and firmwares. */
export async function listNames(
  db: Db,
  workspaceId: string,
  { cohortIds, firmwareIds }: { cohortIds: readonly string[]; firmwareIds: readonly string[] },
): Promise<Map<string, string>> {
  if (cohortIds.length + firmwareIds.length === 0) return new Map()
  const { rows } = await sql<{ id: string; name: string }>`
    select id, name from deployment_cohorts where workspace_id = ${workspaceId} and id = any(${cohortIds}::uuid[])
    union all
    select id, name from firmwares where workspace_id = ${workspaceId} and id = any(${firmwareIds}::uuid[])`.execute(
    db,
  )
  return new Map(rows.map(({ id, name }) => [id, name]))
}

/** Of these, the incidents that anybody can hear of. */
export async function recordAnnounced(
  tx: Tx,
  workspaceId: string,
  { incidentIds, at }: { incidentIds: readonly string[]; at: Date },
): Promise<void> {
  await sql`
    update alert_incidents as incident set announced_at = ${at}
    where incident.workspace_id = ${workspaceId} and incident.id = any(${incidentIds}::uuid[])
      and incident.announced_at is null and exists (
        select from notifications where notifications.workspace_id = ${workspaceId}
          and notifications.incident_id = incident.id)`.execute(tx)
}
