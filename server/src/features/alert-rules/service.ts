/** Creates, changes and lists alert rules. A rule is locked before it changes, so that it is not evaluated meanwhile. */
import { isDeepStrictEqual } from 'node:util'
import type { Actor } from '../../platform/actor.ts'
import type { AppContext } from '../../platform/context.ts'
import type { Db, Tx } from '../../platform/db/connect.ts'
import { AppError, invalid, notFound } from '../../platform/errors.ts'
import type { Precondition } from '../../platform/http/editing.ts'
import { openPage, type PageRequested } from '../../platform/http/paging.ts'
import { isUuid, newId } from '../../platform/ids.ts'
import { recordAudit } from '../audit/index.ts'
import { describeCondition } from './conditions/describe.ts'
import { parseDuration, formatDuration } from './duration.ts'
import { findTargets, type RuleCommand, validateCommand } from './command-service.ts'
import { listWarnings } from './warnings/service.ts'
import { findScheduledAfter } from './schedule.ts'
import * as store from './store.ts'

interface Change {
  workspaceId: string
  actor: Actor
}
type ChangeOfRule = Change & { alertRuleId: string; precondition?: Precondition | undefined }

const MAX_RULES = 1_000

export async function listAlertRules(
  ctx: AppContext,
  { workspaceId, state }: { workspaceId: string; state?: store.RuleState },
) {
  return toResponses(ctx.db, workspaceId, await store.listRules(ctx.db, workspaceId, { state }))
}

export async function getAlertRule(db: Db, workspaceId: string, alertRuleId: string) {
  const rule = await findRule(db, workspaceId, alertRuleId)
  const [shown] = await toResponses(db, workspaceId, [rule])
  if (!shown) throw notFound('alert rule', alertRuleId)
  return shown
}

async function toResponses(db: Db, workspaceId: string, rules: readonly store.RuleRow[]) {
  const names = await store.listReferencedNames(db, workspaceId, rules)
  const warnings = await listWarnings(db, workspaceId, { rules, names })
  return rules.map((rule) => ({
    ...toResponse(rule),
    conditionText: describeCondition(rule, names),
    warnings: warnings.get(rule.id) ?? [],
  }))
}

export async function createAlertRule(
  ctx: AppContext,
  { workspaceId, actor, ...command }: Change & RuleCommand,
) {
  const id = newId()
  return ctx.db.transaction().execute(async (tx) => {
    await store.lockRuleCreation(tx, workspaceId)
    if ((await store.countRules(tx, workspaceId)) >= MAX_RULES)
      throw new AppError(
        'conflict',
        'too-many-alert-rules',
        `A workspace may have at most ${MAX_RULES} alert rules. Delete one, or let one rule watch more devices.`,
      )
    const fields = await validateCommand(tx, workspaceId, { state: 'Enabled', ...command })
    const targets = await findTargets(tx, workspaceId, command.targets)
    const createdAt = ctx.now()
    await store.insertRule(tx, {
      workspaceId,
      id,
      ...fields,
      createdAt,
      createdByEmail: actor.email ?? null,
      nextEvaluationAt: firstInstant(fields, createdAt),
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
  { workspaceId, actor, alertRuleId, precondition, ...command }: ChangeOfRule & RuleCommand,
) {
  return ctx.db.transaction().execute(async (tx) => {
    const before = await lockRule(tx, workspaceId, alertRuleId)
    const { id } = before
    precondition?.(toResponse(before))
    if (command.type !== before.type)
      throw invalid('The type of a rule cannot change: create another rule.', '/type')
    const after = await validateCommand(tx, workspaceId, { state: before.state, ...command })
    const targets = await findTargets(tx, workspaceId, command.targets)
    // Before the targets change: the end of an incident is sent to the same targets as its beginning.
    await applyChange(ctx, tx, { workspaceId, before, after })
    await store.updateRule(tx, { workspaceId, id, ...after, updatedAt: ctx.now() })
    await store.replaceTargets(tx, { workspaceId, ruleId: id }, targets)
    await recordAudit(ctx, tx, {
      ...resource(workspaceId, id),
      actor,
      action: 'alert-rule.update',
      before: pickAuditedFields(before),
      after: { ...after, targets: targets.map(idOfTarget) },
    })
    return getAlertRule(tx, workspaceId, id)
  })
}

export async function setAlertRuleState(
  ctx: AppContext,
  { workspaceId, actor, alertRuleId, state }: ChangeOfRule & { state: store.RuleState },
) {
  return ctx.db.transaction().execute(async (tx) => {
    const before = await lockRule(tx, workspaceId, alertRuleId)
    const { id } = before
    if (before.state !== state) {
      const after = { ...before, state }
      await applyChange(ctx, tx, { workspaceId, before, after })
      await store.updateState(tx, { workspaceId, id, state, updatedAt: ctx.now() })
      const action = state === 'Enabled' ? 'alert-rule.enable' : 'alert-rule.disable'
      await recordAudit(ctx, tx, { ...resource(workspaceId, id), actor, action })
    }
    return getAlertRule(tx, workspaceId, id)
  })
}

/** Its incidents can still be read. */
export async function deleteAlertRule(
  ctx: AppContext,
  { workspaceId, actor, alertRuleId }: ChangeOfRule,
): Promise<void> {
  await ctx.db.transaction().execute(async (tx) => {
    const before = await lockRule(tx, workspaceId, alertRuleId)
    await ctx.reactions.alertRuleInterrupted(ctx, tx, {
      workspaceId,
      rule: before,
      cause: 'RuleDeleted',
    })
    await store.deleteRule(tx, workspaceId, before.id)
    await recordAudit(ctx, tx, {
      ...resource(workspaceId, before.id),
      actor,
      action: 'alert-rule.delete',
      before: pickAuditedFields(before),
    })
  })
}

export async function listAlertEvaluations(
  ctx: Pick<AppContext, 'db' | 'now' | 'signingKey'>,
  input: PageRequested & { workspaceId: string; alertRuleId: string },
) {
  const { workspaceId, alertRuleId } = input
  const { id: ruleId } = await findRule(ctx.db, workspaceId, alertRuleId)
  const { after, rowLimit, cut } = openPage(ctx, ['alert-evaluations', workspaceId, ruleId], input)
  const rows = await store.listEvaluations(ctx.db, workspaceId, {
    ruleId,
    before: after && String(after[0]),
    limit: rowLimit,
  })
  const { page, next } = cut(rows, (row) => [row.evaluationScheduledAt])
  return { evaluations: page, ...next }
}

interface RuleChange {
  workspaceId: string
  before: store.RuleRow
  after: store.RuleFields
}

/** Applies a change to the schedule of the rule and to its open incident. */
async function applyChange(ctx: AppContext, tx: Tx, { workspaceId, before, after }: RuleChange) {
  const cause = decideInterruption(before, after)
  if (cause === undefined) {
    if (before.repeatIntervalSeconds !== after.repeatIntervalSeconds)
      await ctx.reactions.repeatIntervalChanged(ctx, tx, {
        workspaceId,
        rule: before,
        repeatIntervalSeconds: after.repeatIntervalSeconds,
      })
    return
  }
  await ctx.reactions.alertRuleInterrupted(ctx, tx, { workspaceId, rule: before, cause })
  const now = ctx.now()
  // The clock of another node may be ahead: an instant that was evaluated is not evaluated again.
  const last = await store.findLastScheduledAt(tx, workspaceId, before.id)
  const nextEvaluationAt = firstInstant(after, last && last > now ? last : now)
  const wasOn = before.state === 'Enabled' && after.state === 'Enabled'
  const effectiveSince = wasOn ? undefined : now
  const restart = { workspaceId, id: before.id, effectiveSince, nextEvaluationAt }
  await store.restartRule(tx, restart)
}

/** undefined: the rule continues with its state. */
function decideInterruption(
  before: store.RuleFields,
  after: store.RuleFields,
): 'RuleChanged' | 'RuleDisabled' | undefined {
  if (after.state === 'Disabled') return before.state === 'Enabled' ? 'RuleDisabled' : undefined
  const isSame =
    before.state === 'Enabled' &&
    before.evaluationFrequency === after.evaluationFrequency &&
    isDeepStrictEqual(before.condition, after.condition)
  return isSame ? undefined : 'RuleChanged'
}

function firstInstant(
  { state, evaluationFrequency }: Pick<store.RuleFields, 'state' | 'evaluationFrequency'>,
  after: Date,
): Date | null {
  return state === 'Enabled' ? findScheduledAfter(after, parseDuration(evaluationFrequency)) : null
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

function toResponse(rule: store.RuleRow) {
  const { repeatIntervalSeconds: seconds, ...shown } = rule
  return {
    ...shown,
    repeatInterval: seconds === null ? null : formatDuration(seconds),
    hasFiringAlert: rule.incidentId !== null,
  }
}

function idOfTarget({ notificationTargetId, webhookId }: store.RuleTarget) {
  return notificationTargetId ?? webhookId
}

/** The fields that an audit entry shows. */
function pickAuditedFields(rule: store.RuleRow) {
  const { name, description, state, type, condition, evaluationFrequency } = rule
  const { repeatIntervalSeconds, notifyResolved, notifyOwners } = rule
  const targets = rule.targets.map(({ id }) => id)
  const schedule = { evaluationFrequency, repeatIntervalSeconds, notifyResolved, notifyOwners }
  return { name, description, state, type, condition, ...schedule, targets }
}

function resource(workspaceId: string, resourceId: string) {
  return { workspaceId, resourceType: 'alert-rule', resourceId }
}
