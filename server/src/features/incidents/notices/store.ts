/** Reads what notices show of incidents, for many incidents at a time. */
import { sql } from 'kysely'
import type { Db, Tx } from '../../../platform/db/connect.ts'
import type { RuleCondition } from '../../alert-rules/index.ts'
import type { NoticeSeries } from './notice.ts'
import { selectSilencedUntil } from '../silences/store.ts'
import type { EndCause } from '../store.ts'

export interface IncidentToNotify {
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

/** `array_agg` of no row is null. */
type IncidentToNotifyRow = Omit<IncidentToNotify, 'notificationTargetIds' | 'webhookIds'> & {
  notificationTargetIds: string[] | null
  webhookIds: string[] | null
}

interface IncidentFilter {
  incidentIds: readonly string[]
  /** Only incidents whose beginning was notified and whose rule notifies ends. */
  isEnd: boolean
  now: Date
  /** Of rules that tell owners, mail targets get only what belongs to nobody. */
  isUnowned?: boolean
}

/** Leaves out incidents whose rules have no targets, and silenced ones. */
export async function listIncidentsToNotify(
  db: Db,
  workspaceId: string,
  { incidentIds, isEnd, now, isUnowned = false }: IncidentFilter,
): Promise<IncidentToNotify[]> {
  const { rows } = await sql<IncidentToNotifyRow>`
    select incident.id, incident.rule_id, incident.rule_name, incident.rule_type, incident.condition, incident.began_at,
      incident.ended_at, incident.ended_cause, workspace.name as workspace_name, counts.*, targets.*
    from alert_incidents as incident
      join workspaces as workspace on workspace.id = ${workspaceId}
      join alert_rules as rule on rule.workspace_id = ${workspaceId} and rule.id = incident.rule_id
      cross join lateral (
        select array_agg(link.notification_target_id order by link.position)
            filter (where link.notification_target_id is not null and rule.notify_owners = ${isUnowned}) as notification_target_ids,
          array_agg(link.webhook_id order by link.position)
            filter (where link.webhook_id is not null and not ${isUnowned}) as webhook_ids
        from alert_rule_targets as link
        where link.workspace_id = ${workspaceId} and link.rule_id = incident.rule_id
      ) as targets
      cross join lateral (
        select count(distinct series.series)::int as series_count, (count(*) filter (where series.until is null))::int as firing_count
        from alert_series as series
        where series.workspace_id = ${workspaceId} and series.incident_id = incident.id
      ) as counts
    where incident.workspace_id = ${workspaceId} and incident.id = any(${incidentIds}::uuid[])
      and (targets.notification_target_ids is not null or targets.webhook_ids is not null)
      and ${selectSilencedUntil({ workspaceId, now, isFiring: !isEnd })} is null
      ${isEnd ? sql`and rule.notify_resolved and incident.notified_at is not null` : sql``}
    order by incident.id`.execute(db)
  return rows.map((row) => ({
    ...row,
    notificationTargetIds: row.notificationTargetIds ?? [],
    webhookIds: row.webhookIds ?? [],
  }))
}

interface WorstSeriesRequest {
  /** 1: the highest are the worst; -1: the lowest. */
  sign: number
  incidentId: string
}

export const MAX_SERIES_SHOWN = 20

/** Series that fire now, or all that fired: each once, with its worst value. */
export async function listWorstSeries(
  db: Db,
  workspaceId: string,
  { incidents, isFiring }: { incidents: readonly WorstSeriesRequest[]; isFiring: boolean },
): Promise<Map<string, NoticeSeries[]>> {
  const { rows } = await sql<Omit<NoticeSeries, 'since'> & { incidentId: string; since: Date }>`
    select incident.incident_id, worst.series, worst.label, worst.value * incident.sign as value, worst.since
    from unnest(
      ${incidents.map(({ incidentId }) => incidentId)}::uuid[], ${incidents.map(({ sign }) => sign)}::float8[]
    ) as incident (incident_id, sign)
    cross join lateral (
      select series, max(label) as label, max(value * incident.sign) as value, min(since) as since
      from alert_series
      where workspace_id = ${workspaceId} and incident_id = incident.incident_id ${isFiring ? sql`and until is null` : sql``}
      group by series order by max(value * incident.sign) desc nulls last, series limit ${MAX_SERIES_SHOWN}
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

/** Only for incidents with a notification: a target may have no confirmed address. */
export async function recordNotified(
  tx: Tx,
  workspaceId: string,
  { incidentIds, at }: { incidentIds: readonly string[]; at: Date },
): Promise<void> {
  await tx
    .updateTable('alertIncidents as incident')
    .set({ notifiedAt: at })
    .where('incident.workspaceId', '=', workspaceId)
    .where(sql<boolean>`incident.id = any(${incidentIds}::uuid[])`)
    .where('incident.notifiedAt', 'is', null)
    .where((eb) =>
      eb.exists(
        eb
          .selectFrom('notifications')
          .where('notifications.workspaceId', '=', workspaceId)
          .whereRef('notifications.incidentId', '=', 'incident.id'),
      ),
    )
    .execute()
}
