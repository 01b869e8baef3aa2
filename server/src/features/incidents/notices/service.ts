/** Notifies the targets of rules about incidents, in the transaction that begins or ends them. */
import type { AppContext } from '../../../platform/context.ts'
import type { Tx } from '../../../platform/db/connect.ts'
import { newId } from '../../../platform/ids.ts'
import { listReferencedNames, type RuleCondition } from '../../alert-rules/index.ts'
import { createNotifications } from '../../notifications/index.ts'
import { writeIncidentNotice, type NoticeIncident, type NoticeSeries } from './notice.ts'
import * as store from './store.ts'

type IncidentEvent = 'Fired' | 'StillFiring' | 'Resolved'

interface IncidentEvents {
  workspaceId: string
  incidentIds: readonly string[]
  event: IncidentEvent
}

export async function notifyIncidents(
  ctx: Pick<AppContext, 'now'>,
  tx: Tx,
  { workspaceId, incidentIds, event }: IncidentEvents,
): Promise<void> {
  if (incidentIds.length === 0) return
  const isEnd = event === 'Resolved'
  const now = ctx.now()
  const rows = await store.listIncidentsToNotify(tx, workspaceId, { incidentIds, isEnd, now })
  if (rows.length === 0) return
  const worst = await store.listWorstSeries(tx, workspaceId, {
    incidents: rows.map(({ id, condition }) => ({ incidentId: id, sign: chooseSign(condition) })),
    isFiring: !isEnd,
  })
  const names = await listReferencedNames(tx, workspaceId, rows)
  const events = rows.map((row) => {
    const { id, notificationTargetIds, webhookIds, beganAt, endedAt } = row
    const series = worst.get(id) ?? []
    const incident: NoticeIncident = { ...row, workspaceId, rule: readRule(row), series }
    const at = event === 'Fired' ? beganAt : (endedAt ?? now)
    return {
      recipients: { notificationTargetIds, webhookIds },
      incidentId: id,
      eventKey: eventKey(id, event, at),
      notice: writeIncidentNotice(incident, { event, at, names }),
    }
  })
  await createNotifications(ctx, tx, { workspaceId, events })
  if (!isEnd) await store.recordNotified(tx, workspaceId, { incidentIds, at: now })
}

interface UnownedFindings {
  workspaceId: string
  /** By the ids of their incidents, the worst first. */
  series: ReadonlyMap<string, readonly NoticeSeries[]>
}

/** Tells mail targets of findings that belong to nobody, in rules that tell owners of the others. */
export async function notifyOfUnowned(
  ctx: Pick<AppContext, 'now'>,
  tx: Tx,
  { workspaceId, series: found }: UnownedFindings,
): Promise<void> {
  if (found.size === 0) return
  const now = ctx.now()
  const asked = { incidentIds: [...found.keys()], isEnd: false, now, isUnowned: true }
  const rows = await store.listIncidentsToNotify(tx, workspaceId, asked)
  const names = await listReferencedNames(tx, workspaceId, rows)
  const events = rows.map((row) => {
    const series = found.get(row.id) ?? []
    const counts = { seriesCount: series.length, firingCount: series.length }
    const shown = series.slice(0, store.MAX_SERIES_SHOWN)
    const incident = { ...row, ...counts, workspaceId, rule: readRule(row), series: shown }
    const notice = writeIncidentNotice(incident, { event: 'Fired', at: now, names })
    const text = `${notice.text} Nobody owns ${series.length === 1 ? 'it' : 'them'}; owners get mails of what is theirs.`
    return {
      recipients: { notificationTargetIds: row.notificationTargetIds, webhookIds: [] },
      incidentId: row.id,
      eventKey: `${row.id}:unowned:${newId()}`,
      notice: { ...notice, text },
    }
  })
  await createNotifications(ctx, tx, { workspaceId, events })
}

/** The cast is safe: the type and the condition of an incident are copied from one rule. */
function readRule({ ruleType, ruleName, condition }: store.IncidentToNotify) {
  return { type: ruleType, condition, name: ruleName } as RuleCondition & { name: string }
}

/** 1: the highest values are the worst; -1: the lowest. */
function chooseSign(condition: RuleCondition['condition']): number {
  if ('includesDrills' in condition) return -1
  return 'operator' in condition && condition.operator.startsWith('Less') ? -1 : 1
}

function eventKey(incidentId: string, event: IncidentEvent, at: Date): string {
  if (event === 'Fired') return `${incidentId}:fired`
  return event === 'Resolved'
    ? `${incidentId}:resolved`
    : `${incidentId}:reminder:${at.toISOString()}`
}
