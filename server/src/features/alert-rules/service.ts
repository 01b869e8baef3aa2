/** Alert rules as people and keys make and change them. A rule is locked before it changes: no evaluation comes between. */
import { isDeepStrictEqual } from 'node:util'
import type { Actor } from '../../platform/actor.ts'
import type { AppContext } from '../../platform/context.ts'
import type { Db, Tx } from '../../platform/db/connect.ts'
import { AppError, invalid, notFound } from '../../platform/errors.ts'
import { decodeCursor, encodeCursor } from '../../platform/http/cursor.ts'
import { DEFAULT_LIMIT } from '../../platform/http/schemas.ts'
import { isUuid, newId } from '../../platform/ids.ts'
import { recordAudit } from '../audit/index.ts'
import { durationSeconds, formatDuration } from './duration.ts'
import { readRule, readTargets, type RuleCommand } from './command-service.ts'
import { listWarnings } from './warnings-service.ts'
import { scheduledAfter } from './schedule.ts'
import * as store from './store.ts'

interface Change {
  workspaceId: string
  actor: Actor
}
type ChangeOfRule = Change & { alertRuleId: string; reactions: RuleReactions }

/** Why the incident of a rule ends although its condition is still met. */
type InterruptionCause = 'RuleChanged' | 'RuleDisabled' | 'RuleDeleted'

interface RuleWithIncident {
  id: string
  incidentId: string | null
}

/** What follows from a change of a rule. The row of the rule is locked and not changed yet. */
export interface RuleReactions {
  ruleInterrupted: (
    ctx: Pick<AppContext, 'now'>,
    tx: Tx,
    change: { workspaceId: string; rule: RuleWithIncident; cause: InterruptionCause },
  ) => Promise<void>
  repeatIntervalChanged: (
    ctx: Pick<AppContext, 'now'>,
    tx: Tx,
    change: { workspaceId: string; rule: RuleWithIncident; repeatIntervalSeconds: number | null },
  ) => Promise<void>
}

const MOST_RULES = 1_000

export async function listAlertRules(
  ctx: AppContext,
  { workspaceId, state }: { workspaceId: string; state?: store.RuleState },
) {
  const rules = await store.listRules(ctx.db, workspaceId, { state })
  const warnings = await listWarnings(ctx.db, workspaceId, rules)
  return rules.map((rule) => asShown(rule, warnings.get(rule.id)))
}

export async function getAlertRule(db: Db, workspaceId: string, alertRuleId: string) {
  const rule = await findRule(db, workspaceId, alertRuleId)
  const warnings = await listWarnings(db, workspaceId, [rule])
  return asShown(rule, warnings.get(rule.id))
}

export async function createAlertRule(
  ctx: AppContext,
  { workspaceId, actor, ...command }: Change & RuleCommand,
) {
  const id = newId()
  return ctx.db.transaction().execute(async (tx) => {
    await store.lockAdding(tx, workspaceId)
    if ((await store.countRules(tx, workspaceId)) >= MOST_RULES)
      throw new AppError(
        'conflict',
        'too-many-alert-rules',
        `A workspace may have ${MOST_RULES} alert rules. Delete one, or let one mean more devices.`,
      )
    const fields = await readRule(tx, workspaceId, { state: 'Enabled', ...command })
    const targets = await readTargets(tx, workspaceId, command.targets)
    const createdAt = ctx.now()
    await store.insertRule(tx, {
      workspaceId,
      id,
      ...fields,
      createdAt,
      createdByEmail: actor.email ?? null,
      nextEvaluationAt: firstTurn(fields, createdAt),
    })
    await store.replaceTargets(tx, { workspaceId, ruleId: id }, targets)
    const after = { ...fields, targets: targets.map(idOfTarget) }
    await recordAudit(ctx, tx, {
      ...resource(workspaceId, id),
      actor,
      action: 'alert-rule.create',
      after,
    })
    return getAlertRule(tx, workspaceId, id)
  })
}

export async function updateAlertRule(
  ctx: AppContext,
  { workspaceId, actor, alertRuleId, reactions, ...command }: ChangeOfRule & RuleCommand,
) {
  return ctx.db.transaction().execute(async (tx) => {
    const before = await lockRule(tx, workspaceId, alertRuleId)
    const { id } = before
    if (command.type !== before.type)
      throw invalid(
        `The type of a rule stays what it is, ${before.type}: create another rule.`,
        '/type',
      )
    const after = await readRule(tx, workspaceId, { state: before.state, ...command })
    const targets = await readTargets(tx, workspaceId, command.targets)
    // Those who were told of an incident are told of its end.
    await applyChange(ctx, tx, { workspaceId, reactions, before, after })
    await store.updateRule(tx, { workspaceId, id, ...after, updatedAt: ctx.now() })
    await store.replaceTargets(tx, { workspaceId, ruleId: id }, targets)
    await recordAudit(ctx, tx, {
      ...resource(workspaceId, id),
      actor,
      action: 'alert-rule.update',
      before: fieldsOf(before),
      after: { ...after, targets: targets.map(idOfTarget) },
    })
    return getAlertRule(tx, workspaceId, id)
  })
}

export async function setAlertRuleState(
  ctx: AppContext,
  { workspaceId, actor, alertRuleId, reactions, state }: ChangeOfRule & { state: store.RuleState },
) {
  return ctx.db.transaction().execute(async (tx) => {
    const before = await lockRule(tx, workspaceId, alertRuleId)
    const { id } = before
    if (before.state !== state) {
      const after = { ...before, state }
      await applyChange(ctx, tx, { workspaceId, reactions, before, after })
      await store.updateState(tx, { workspaceId, id, state, updatedAt: ctx.now() })
      const action = state === 'Enabled' ? 'alert-rule.enable' : 'alert-rule.disable'
      await recordAudit(ctx, tx, { ...resource(workspaceId, id), actor, action })
    }
    return getAlertRule(tx, workspaceId, id)
  })
}

/** Its incidents stay to be read. */
export async function deleteAlertRule(
  ctx: AppContext,
  { workspaceId, actor, alertRuleId, reactions }: ChangeOfRule,
): Promise<void> {
  await ctx.db.transaction().execute(async (tx) => {
    const before = await lockRule(tx, workspaceId, alertRuleId)
    await reactions.ruleInterrupted(ctx, tx, { workspaceId, rule: before, cause: 'RuleDeleted' })
    await store.deleteRule(tx, workspaceId, before.id)
    await recordAudit(ctx, tx, {
      ...resource(workspaceId, before.id),
      actor,
      action: 'alert-rule.delete',
      before: fieldsOf(before),
    })
  })
}

export async function listAlertEvaluations(
  ctx: Pick<AppContext, 'db' | 'now' | 'signingKey'>,
  input: { workspaceId: string; alertRuleId: string; limit?: number; cursor?: string },
) {
  const { workspaceId, alertRuleId, limit = DEFAULT_LIMIT, cursor } = input
  const { id: ruleId } = await findRule(ctx.db, workspaceId, alertRuleId)
  const scope = ['alert-evaluations', workspaceId, ruleId]
  const position = cursor === undefined ? undefined : decodeCursor(ctx.signingKey, scope, cursor)
  const before = position && String(position.after[0])
  const rows = await store.listEvaluations(ctx.db, workspaceId, {
    ruleId,
    before,
    limit: limit + 1,
  })
  const evaluations = rows.slice(0, limit)
  const last = evaluations.at(-1)
  if (rows.length <= limit || !last) return { evaluations, hasMore: false }
  const asOf = position?.asOf ?? ctx.now().getTime()
  const next = { after: [last.evaluationScheduledAt], asOf }
  return { evaluations, hasMore: true, nextCursor: encodeCursor(ctx.signingKey, scope, next) }
}

interface Changed {
  workspaceId: string
  reactions: RuleReactions
  before: store.RuleRow
  after: store.RuleFields
}

/** What a change means for the schedule, and for the incident that lasts. */
async function applyChange(
  ctx: AppContext,
  tx: Tx,
  { workspaceId, reactions, before, after }: Changed,
) {
  const cause = causeOf(before, after)
  if (cause === undefined) {
    if (before.repeatIntervalSeconds !== after.repeatIntervalSeconds)
      await reactions.repeatIntervalChanged(ctx, tx, {
        workspaceId,
        rule: before,
        repeatIntervalSeconds: after.repeatIntervalSeconds,
      })
    return
  }
  await reactions.ruleInterrupted(ctx, tx, { workspaceId, rule: before, cause })
  const now = ctx.now()
  // Another node's clock may be ahead: an instant that had its turn does not come again.
  const last = await store.findLastScheduledAt(tx, workspaceId, before.id)
  const nextEvaluationAt = firstTurn(after, last && last > now ? last : now)
  const restart = { workspaceId, id: before.id, effectiveSince: now, nextEvaluationAt }
  await store.restartRule(tx, restart)
}

/** undefined: the rule goes on as it is. */
function causeOf(before: store.RuleFields, after: store.RuleFields): InterruptionCause | undefined {
  if (after.state === 'Disabled') return before.state === 'Enabled' ? 'RuleDisabled' : undefined
  const isSame =
    before.state === 'Enabled' &&
    before.evaluationFrequency === after.evaluationFrequency &&
    isDeepStrictEqual(before.condition, after.condition)
  return isSame ? undefined : 'RuleChanged'
}

function firstTurn(
  { state, evaluationFrequency }: Pick<store.RuleFields, 'state' | 'evaluationFrequency'>,
  after: Date,
): Date | null {
  return state === 'Enabled' ? scheduledAfter(after, durationSeconds(evaluationFrequency)) : null
}

async function lockRule(tx: Tx, workspaceId: string, alertRuleId: string) {
  if (isUuid(alertRuleId)) await store.lockRule(tx, workspaceId, alertRuleId)
  return findRule(tx, workspaceId, alertRuleId)
}

async function findRule(db: Db, workspaceId: string, alertRuleId: string): Promise<store.RuleRow> {
  const [rule] = isUuid(alertRuleId)
    ? await store.listRules(db, workspaceId, { id: alertRuleId })
    : []
  if (!rule) throw notFound('alert rule', alertRuleId)
  return rule
}

function asShown(rule: store.RuleRow, warnings: readonly string[] = []) {
  const { repeatIntervalSeconds: seconds, ...shown } = rule
  return {
    ...shown,
    repeatInterval: seconds === null ? null : formatDuration(seconds),
    hasFiringAlert: rule.incidentId !== null,
    warnings,
  }
}

function idOfTarget({ notificationTargetId, webhookId }: store.RuleTarget) {
  return notificationTargetId ?? webhookId
}

/** What an audit entry keeps of it. */
function fieldsOf(rule: store.RuleRow) {
  const { name, description, state, type, condition, evaluationFrequency } = rule
  const { repeatIntervalSeconds, notifyResolved } = rule
  const targets = rule.targets.map(({ id }) => id)
  const schedule = { evaluationFrequency, repeatIntervalSeconds, notifyResolved }
  return { name, description, state, type, condition, ...schedule, targets }
}

function resource(workspaceId: string, resourceId: string) {
  return { workspaceId, resourceType: 'alert-rule', resourceId }
}
