/** What `admin doctor` examines of incidents: rules, incidents and series agree on what is open. */
import { sql } from 'kysely'
import { summariseFaults, readSnapshot, type WorkspaceCheck } from '../../platform/doctor/check.ts'

export const incidentChecks: readonly WorkspaceCheck[] = [
  {
    scope: 'Workspace',
    name: 'incidents',
    meaning: 'an alert rule names its open incident, and only open incidents have firing series',
    remedy:
      'Switch the rule off and on again: its incident ends, and its next evaluation begins a new one.',
    find: (ctx, workspaceId) =>
      readSnapshot(ctx, async (db) => {
        const { rows } = await sql<{ fault: string }>`
          select 'alert rule ' || rule.id || ' names the incident ' || rule.incident_id || ', which is not open' as fault
          from alert_rules as rule
          left join alert_incidents as incident on incident.workspace_id = rule.workspace_id
            and incident.id = rule.incident_id and incident.rule_id = rule.id and incident.ended_at is null
          where rule.workspace_id = ${workspaceId} and rule.incident_id is not null and incident.id is null
          union all
          select 'incident ' || incident.id || ' is open, and its rule does not name it'
          from alert_incidents as incident
          left join alert_rules as rule on rule.workspace_id = incident.workspace_id
            and rule.id = incident.rule_id and rule.incident_id = incident.id
          where incident.workspace_id = ${workspaceId} and incident.ended_at is null and rule.id is null
          union all
          select 'series ' || series.series || ' is firing in the incident ' || series.incident_id || ', which is not open'
          from alert_series as series
          left join alert_incidents as incident on incident.workspace_id = series.workspace_id
            and incident.id = series.incident_id and incident.ended_at is null
          where series.workspace_id = ${workspaceId} and series.until is null and incident.id is null`.execute(
          db,
        )
        return summariseFaults(rows.map(({ fault }) => fault))
      }),
  },
]
