import { type RawBuilder, sql } from 'kysely'
import type { Db, Tx } from '../../platform/db/connect.ts'
import { isUuid } from '../../platform/ids.ts'
import { listReferences, type RuleCondition } from './conditions/condition.ts'
import type { EvaluationFrequency, EvaluationStatus } from './schedule.ts'

export type RuleState = 'Enabled' | 'Disabled'

/** An evaluation as responses show it. */
export interface EvaluationShown {
  id: string
  evaluatedAt: string
  evaluationScheduledAt: string
  evaluationWindowStart: string
  evaluationWindowEnd: string
  status: EvaluationStatus
  reason: string | null
  seriesCount: number
  valueCount: number
  firingCount: number
  lowest: number | null
  highest: number | null
}

interface TargetShown {
  id: string
  name: string
  type: 'Email' | 'Webhook'
}

export type RuleFields = RuleCondition & {
  name: string
  description: string | null
  state: RuleState
  evaluationFrequency: EvaluationFrequency
  repeatIntervalSeconds: number | null
  notifyResolved: boolean
  notifyOwners: boolean
}

export type RuleRow = RuleFields & {
  id: string
  createdAt: Date
  createdByEmail: string | null
  updatedAt: Date
  nextEvaluationAt: Date | null
  incidentId: string | null
  targets: TargetShown[]
  evaluations: EvaluationShown[]
}

const instant = (column: string) =>
  sql`to_char(${sql.ref(column)} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`

const EVALUATION_COLUMNS = sql`
  evaluation.id, ${instant('evaluation.evaluated_at')} as "evaluatedAt", ${instant('evaluation.scheduled_at')} as "evaluationScheduledAt",
  ${instant('evaluation.window_start')} as "evaluationWindowStart", ${instant('evaluation.window_end')} as "evaluationWindowEnd",
  evaluation.status, evaluation.reason, evaluation.series_count as "seriesCount", evaluation.value_count as "valueCount",
  evaluation.firing_count as "firingCount", evaluation.lowest, evaluation.highest`

const MAX_EVALUATIONS_SHOWN = 10

/** One statement reads the rule and its evaluations, so that its state agrees with the last evaluation. */
const columns = (workspaceId: string) => sql`
  rule.id, rule.name, rule.description, rule.state, rule.type, rule.condition, rule.evaluation_frequency,
  rule.repeat_interval_seconds, rule.notify_resolved, rule.notify_owners, rule.created_at, rule.created_by_email, rule.updated_at,
  rule.next_evaluation_at, rule.incident_id, (
    select coalesce(json_agg(json_build_object('id', coalesce(target.id, webhook.id),
      'name', coalesce(target.name, webhook.name), 'type', coalesce(target.type, 'Webhook')) order by link.position), '[]')
    from alert_rule_targets as link
      left join notification_targets as target
        on target.workspace_id = ${workspaceId} and target.id = link.notification_target_id
      left join webhooks as webhook on webhook.workspace_id = ${workspaceId} and webhook.id = link.webhook_id
    where link.workspace_id = ${workspaceId} and link.rule_id = rule.id) as targets, (
    select coalesce(json_agg(latest), '[]') from (
      select ${EVALUATION_COLUMNS} from alert_evaluations as evaluation
      where evaluation.workspace_id = ${workspaceId} and evaluation.rule_id = rule.id
      order by evaluation.scheduled_at desc limit ${MAX_EVALUATIONS_SHOWN}) as latest) as evaluations`

/** Oldest first. */
export async function listRules(
  db: Db,
  workspaceId: string,
  filter: { state?: RuleState | undefined; id?: string } = {},
): Promise<RuleRow[]> {
  const { rows } = await sql<RuleRow>`
    select ${columns(workspaceId)} from alert_rules as rule
    where rule.workspace_id = ${workspaceId} ${equal('rule.state', filter.state)} ${equal('rule.id', filter.id)}
    order by rule.created_at, rule.id`.execute(db)
  return rows
}

function equal(column: string, value: string | undefined): RawBuilder<unknown> {
  return value === undefined ? sql`` : sql`and ${sql.ref(column)} = ${value}`
}

/** Locks the creation of rules, so that concurrent requests do not exceed the limit. */
export async function lockRuleCreation(tx: Tx, workspaceId: string): Promise<void> {
  await sql`
    select pg_advisory_xact_lock(hashtext('alert-rules'), hashtext(${workspaceId}))`.execute(tx)
}

export async function countRules(db: Db, workspaceId: string): Promise<number> {
  const { count } = await db
    .selectFrom('alertRules')
    .select(sql<number>`count(*)::int`.as('count'))
    .where('workspaceId', '=', workspaceId)
    .executeTakeFirstOrThrow()
  return count
}

/** Keeps the rule from being evaluated or changed until the transaction ends. */
export async function lockRule(tx: Tx, workspaceId: string, id: string): Promise<void> {
  await tx
    .selectFrom('alertRules')
    .select('id')
    .where('workspaceId', '=', workspaceId)
    .where('id', '=', id)
    .forUpdate()
    .execute()
}

export async function insertRule(
  tx: Tx,
  row: RuleFields & {
    workspaceId: string
    id: string
    createdAt: Date
    createdByEmail: string | null
    nextEvaluationAt: Date | null
  },
): Promise<void> {
  const { condition, createdAt } = row
  await tx
    .insertInto('alertRules')
    .values({
      ...row,
      condition: JSON.stringify(condition),
      updatedAt: createdAt,
      effectiveSince: createdAt,
    })
    .execute()
}

export async function updateRule(
  tx: Tx,
  row: RuleFields & { workspaceId: string; id: string; updatedAt: Date },
): Promise<void> {
  const { workspaceId, id, condition, ...fields } = row
  await tx
    .updateTable('alertRules')
    .set({ ...fields, condition: JSON.stringify(condition) })
    .where('workspaceId', '=', workspaceId)
    .where('id', '=', id)
    .execute()
}

export async function updateState(
  tx: Tx,
  row: { workspaceId: string; id: string; state: RuleState; updatedAt: Date },
): Promise<void> {
  const { workspaceId, id, ...fields } = row
  await tx
    .updateTable('alertRules')
    .set(fields)
    .where('workspaceId', '=', workspaceId)
    .where('id', '=', id)
    .execute()
}

export async function deleteRule(tx: Tx, workspaceId: string, id: string): Promise<void> {
  await tx
    .deleteFrom('alertRules')
    .where('workspaceId', '=', workspaceId)
    .where('id', '=', id)
    .execute()
}

export async function findLastScheduledAt(
  db: Db,
  workspaceId: string,
  ruleId: string,
): Promise<Date | undefined> {
  const row = await db
    .selectFrom('alertEvaluations')
    .select('scheduledAt')
    .where('workspaceId', '=', workspaceId)
    .where('ruleId', '=', ruleId)
    .orderBy('scheduledAt', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row?.scheduledAt
}

export interface Restart {
  workspaceId: string
  id: string
  /** Events before it do not count as new. undefined: those count that no evaluation has seen yet. */
  effectiveSince: Date | undefined
  nextEvaluationAt: Date | null
}

/** The rule has no incident. */
export async function restartRule(tx: Tx, restart: Restart): Promise<void> {
  const { workspaceId, id, effectiveSince, nextEvaluationAt } = restart
  await tx
    .updateTable('alertRules')
    .set({
      effectiveSince:
        effectiveSince ??
        sql<Date>`coalesce(least(findings_from, evaluated_until), effective_since)`,
      nextEvaluationAt,
      evaluatedUntil: null,
      incidentId: null,
    })
    .where('workspaceId', '=', workspaceId)
    .where('id', '=', id)
    .execute()
  await tx
    .deleteFrom('alertRunningVersions')
    .where('workspaceId', '=', workspaceId)
    .where('ruleId', '=', id)
    .execute()
}

export interface RuleTarget {
  notificationTargetId: string | null
  webhookId: string | null
}

export async function replaceTargets(
  tx: Tx,
  { workspaceId, ruleId }: { workspaceId: string; ruleId: string },
  targets: readonly RuleTarget[],
): Promise<void> {
  await tx
    .deleteFrom('alertRuleTargets')
    .where('workspaceId', '=', workspaceId)
    .where('ruleId', '=', ruleId)
    .execute()
  if (targets.length === 0) return
  const rows = targets.map((target, position) => ({ workspaceId, ruleId, position, ...target }))
  await tx.insertInto('alertRuleTargets').values(rows).execute()
}

/** The targets cannot be deleted until the transaction ends. */
export async function lockTargets(
  tx: Tx,
  workspaceId: string,
  ids: readonly string[],
): Promise<Map<string, RuleTarget>> {
  if (ids.length === 0) return new Map()
  const lock = (table: 'notificationTargets' | 'webhooks') =>
    tx
      .selectFrom(table)
      .select('id')
      .where('workspaceId', '=', workspaceId)
      .where('id', 'in', ids)
      .orderBy('id')
      .forKeyShare()
      .execute()
  const found = new Map<string, RuleTarget>()
  for (const { id } of await lock('notificationTargets'))
    found.set(id, { notificationTargetId: id, webhookId: null })
  for (const { id } of await lock('webhooks'))
    found.set(id, { notificationTargetId: null, webhookId: id })
  return found
}

export async function listEvaluations(
  db: Db,
  workspaceId: string,
  { ruleId, before, limit }: { ruleId: string; before: string | undefined; limit: number },
): Promise<EvaluationShown[]> {
  const { rows } = await sql<EvaluationShown>`
    select ${EVALUATION_COLUMNS} from alert_evaluations as evaluation
    where evaluation.workspace_id = ${workspaceId} and evaluation.rule_id = ${ruleId}
      ${before === undefined ? sql`` : sql`and evaluation.scheduled_at < ${before}`}
    order by evaluation.scheduled_at desc limit ${limit}`.execute(db)
  return rows
}

/** Names of the cohorts and firmwares that conditions refer to, by id; deleted ones are missing. */
export async function listReferencedNames(
  db: Db,
  workspaceId: string,
  rules: readonly Pick<RuleCondition, 'condition'>[],
): Promise<Map<string, string>> {
  const references = rules.map(listReferences)
  const cohortIds = references.flatMap((ids) => ids.cohortIds.filter(isUuid))
  const firmwareIds = references.flatMap((ids) => ids.firmwareIds.filter(isUuid))
  if (cohortIds.length + firmwareIds.length === 0) return new Map()
  const { rows } = await sql<{ id: string; name: string }>`
    select id, name from deployment_cohorts where workspace_id = ${workspaceId} and id = any(${cohortIds}::uuid[])
    union all
    select id, name from firmwares where workspace_id = ${workspaceId} and id = any(${firmwareIds}::uuid[])`.execute(
    db,
  )
  return new Map(rows.map(({ id, name }) => [id, name]))
}
