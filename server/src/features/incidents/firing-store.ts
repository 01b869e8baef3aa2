/** What is firing now, in a few numbers. */
import { sql } from 'kysely'
import type { AppContext } from '../../platform/context.ts'
import type { FiringAlerts } from '../reports/index.ts'
import { selectSilencedUntil } from './silences/store.ts'

export async function summariseFiringAlerts(
  { db, now }: Pick<AppContext, 'db' | 'now'>,
  { workspaceId }: { workspaceId: string },
): Promise<FiringAlerts> {
  const silencedUntil = selectSilencedUntil({ workspaceId, now: now() })
  const { rows } = await sql<FiringAlerts>`
    select count(*) over ()::int as count, count(${silencedUntil}) over ()::int as silenced,
      incident.id as incident_id, incident.rule_name
    from alert_incidents as incident
    where incident.workspace_id = ${workspaceId} and incident.ended_at is null
    order by incident.began_at desc, incident.id desc limit 1`.execute(db)
  return rows[0] ?? { count: 0, silenced: 0, incidentId: null, ruleName: null }
}
