/** Tells those a rule names of its incidents, in the transaction that begins or ends them. */
import type { AppContext } from '../../platform/context.ts'
import type { Tx } from '../../platform/db/connect.ts'
import { createNotifications } from '../notifications/index.ts'
import { namedBy, type RuleCondition } from '../alert-rules/index.ts'
import { incidentNotice, type ToldIncident } from './notice.ts'
import * as store from './notices-store.ts'

type NoticesContext = Pick<AppContext, 'now'>

interface Announcing {
  workspaceId: string
  incidentIds: readonly string[]
}

export async function announceBegun(
  ctx: NoticesContext,
  tx: Tx,
  { workspaceId, incidentIds }: Announcing,
): Promise<void> {
  await announceEvent(ctx, tx, { workspaceId, incidentIds, event: 'Fired' })
}

export async function announceEnded(
  ctx: NoticesContext,
  tx: Tx,
  { workspaceId, incidentIds }: Announcing,
): Promise<void> {
  await announceEvent(ctx, tx, { workspaceId, incidentIds, event: 'Resolved' })
}

/** Once more, of incidents that last. */
export async function announceReminders(
  ctx: NoticesContext,
  tx: Tx,
  { workspaceId, incidentIds }: Announcing,
): Promise<void> {
  await announceEvent(ctx, tx, { workspaceId, incidentIds, event: 'StillFiring' })
}

type Announced = Announcing & { event: 'Fired' | 'StillFiring' | 'Resolved' }

async function announceEvent(
  ctx: NoticesContext,
  tx: Tx,
  { workspaceId, incidentIds, event }: Announced,
): Promise<void> {
  if (incidentIds.length === 0) return
  const isEnd = event === 'Resolved'
  const rows = await store.listTellable(tx, workspaceId, { incidentIds, isEnd })
  if (rows.length === 0) return
  const rules = new Map(rows.map((row) => [row.id, ruleOf(row)]))
  const worst = await store.listWorstSeries(tx, workspaceId, {
    of: rows.map(({ id, condition }) => ({ incidentId: id, sign: signOf(condition) })),
    isFiring: !isEnd,
  })
  const named = [...rules.values()].map(namedBy)
  const names = await store.listNames(tx, workspaceId, {
    cohortIds: named.flatMap(({ cohortIds }) => cohortIds),
    firmwareIds: named.flatMap(({ firmwareIds }) => firmwareIds),
  })
  const now = ctx.now()
  const events = rows.map((row) => {
    const { id, notificationTargetIds, webhookIds, beganAt, endedAt } = row
    const incident: ToldIncident = {
      ...row,
      workspaceId,
      rule: ruleOf(row),
      series: worst.get(id) ?? [],
    }
    const at = event === 'Fired' ? beganAt : (endedAt ?? now)
    return {
      recipients: { notificationTargetIds, webhookIds },
      incidentId: id,
      eventKey: eventKey(id, event, at),
      notice: incidentNotice(incident, { event, at, names }),
    }
  })
  await createNotifications(ctx, tx, { workspaceId, events })
  if (!isEnd) await store.recordAnnounced(tx, workspaceId, { incidentIds, at: now })
}

/** A column a type: what the type says of the condition holds, as both were written together. */
function ruleOf({ ruleType, ruleName, condition }: store.TellableIncident) {
  return { type: ruleType, condition, name: ruleName } as RuleCondition & { name: string }
}

/** Whether the highest values are the worst, or the lowest. */
function signOf(condition: RuleCondition['condition']): number {
  return 'operator' in condition && condition.operator.startsWith('Less') ? -1 : 1
}

function eventKey(incidentId: string, event: Announced['event'], at: Date): string {
  if (event === 'Fired') return `${incidentId}:fired`
  return event === 'Resolved'
    ? `${incidentId}:resolved`
    : `${incidentId}:reminder:${at.toISOString()}`
}
