/** Reads a metric rule, its evaluations and its incidents in the shape of the naive evaluation. */
import type { Db } from '../src/platform/db/connect.ts'
import type { NaiveState } from './naive-alerts.ts'

const iso = (time: Date | null) => time?.toISOString() ?? null

export async function alertState(db: Db, workspaceId: string, id: string): Promise<NaiveState> {
  const rule = await db
    .selectFrom('alertRules')
    .select(['nextEvaluationAt', 'evaluatedUntil', 'incidentId'])
    .where('workspaceId', '=', workspaceId)
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  const evaluations = await db
    .selectFrom('alertEvaluations')
    .select(['scheduledAt', 'evaluatedAt', 'windowStart', 'windowEnd', 'status', 'seriesCount'])
    .select(['valueCount', 'firingCount', 'lowest', 'highest'])
    .where('workspaceId', '=', workspaceId)
    .where('ruleId', '=', id)
    .orderBy('scheduledAt')
    .execute()
  const incidents = await db
    .selectFrom('alertIncidents')
    .select(['id', 'beganAt', 'endedAt', 'endedCause'])
    .where('workspaceId', '=', workspaceId)
    .where('ruleId', '=', id)
    .orderBy('beganAt')
    .execute()
  const series = await db
    .selectFrom('alertSeries')
    .select(['incidentId', 'series', 'since', 'until', 'value'])
    .where('workspaceId', '=', workspaceId)
    .where('ruleId', '=', id)
    .execute()
  const openIncident = incidents.find((incident) => incident.id === rule.incidentId)
  if (rule.incidentId !== null && !openIncident)
    throw new Error('a rule has an incident of another')
  return {
    nextEvaluationAt: iso(rule.nextEvaluationAt) ?? '',
    evaluatedUntil: iso(rule.evaluatedUntil),
    openSince: iso(openIncident?.beganAt ?? null),
    evaluations: evaluations.map((row) => ({
      ...row,
      status: row.status as NaiveState['evaluations'][0]['status'],
      scheduledAt: row.scheduledAt.toISOString(),
      evaluatedAt: row.evaluatedAt.toISOString(),
      windowStart: row.windowStart.toISOString(),
      windowEnd: row.windowEnd.toISOString(),
    })),
    incidents: incidents.map((incident) => ({
      beganAt: incident.beganAt.toISOString(),
      endedAt: iso(incident.endedAt),
      endedCause: incident.endedCause,
      series: series
        .filter(({ incidentId }) => incidentId === incident.id)
        .map(({ incidentId: _id, since, until, ...rest }) => ({
          ...rest,
          since: since.toISOString(),
          until: iso(until),
        }))
        .toSorted(bySeries),
    })),
  }
}

function bySeries(a: { series: string; since: string }, b: { series: string; since: string }) {
  return `${a.series} ${a.since}` < `${b.series} ${b.since}` ? -1 : 1
}

/** Sorts the series of incidents, which are stored without an order. */
export function inOrder(state: NaiveState): NaiveState {
  const incidents = state.incidents.map((incident) => ({
    ...incident,
    series: incident.series.toSorted(bySeries),
  }))
  return { ...state, incidents }
}
