/** What else changed on the devices of an incident, from an hour before it began on. */
import { addMs, HOUR_MS } from '../../../formats/instants.ts'
import type { AppContext } from '../../../platform/context.ts'
import type { RuleCondition, RuleType } from '../../alert-rules/index.ts'
import { getIncident } from '../service.ts'
import type { IncidentPath } from '../store.ts'
import * as store from './store.ts'

const MOST = 50

export async function listIncidentChanges(ctx: Pick<AppContext, 'db' | 'now'>, path: IncidentPath) {
  const incident = await getIncident(ctx, path)
  const from = addMs(incident.beganAt, -HOUR_MS)
  const to = incident.endedAt ?? ctx.now()
  const areDevices = isAboutDevices(incident.alertRule.type, incident.condition)
  if (!areDevices) return { from, to, areDevices, changes: [], hasMore: false }
  const asked = { incidentId: incident.id, ruleId: incident.alertRule.id, from, to }
  const rows = await store.listChanges(ctx.db, path.workspaceId, { ...asked, limit: MOST + 1 })
  return { from, to, areDevices, changes: rows.slice(0, MOST), hasMore: rows.length > MOST }
}

/** Whether each series is a device. */
function isAboutDevices(type: RuleType, condition: RuleCondition['condition']): boolean {
  if ('groupBy' in condition) return condition.groupBy === 'Device'
  return type === 'DeviceOffline'
}
