/** Rules that are due, their evaluations, and what is read back of them. */
import { sql } from 'kysely'
import type { Db, Tx } from '../../platform/db/connect.ts'
import type { EvaluationStatus } from '../alert-rules/index.ts'
import type { EvaluationInstants, Outcome, ScheduledRule } from './evaluation.ts'

/** Workspaces with due rules; the one that has waited longest comes first. */
export async function listDueWorkspaces(db: Db, now: Date): Promise<string[]> {
  const rows = await db
    .selectFrom('alertRules')
    .select('workspaceId')
    .where('nextEvaluationAt', '<=', now)
    .groupBy('workspaceId')
    .orderBy((eb) => eb.fn.min('nextEvaluationAt'))
    .execute()
  return rows.map(({ workspaceId }) => workspaceId)
}

interface DueRuleFilter {
  now: Date
  limit: number
  /** Only rules whose last evaluation failed, or only the others; undefined: all. */
  isFailing?: boolean
  ids?: readonly string[]
}

/** Skips rules that another worker has locked: that worker evaluates them. */
export async function lockDueRules(
  tx: Tx,
  workspaceId: string,
  { now, limit, isFailing, ids }: DueRuleFilter,
): Promise<ScheduledRule[]> {
  const { rows } = await sql<ScheduledRule>`
    select id, name, type, condition, evaluation_frequency, repeat_interval_seconds, notify_resolved, notify_owners,
      effective_since, evaluated_until, incident_id
    from alert_rules
    where workspace_id = ${workspaceId} and next_evaluation_at <= ${now}
      ${isFailing === undefined ? sql`` : sql`and is_failing = ${isFailing}`}
      ${ids === undefined ? sql`` : sql`and id = any(${ids}::uuid[])`}
    order by condition ->> 'metric', id limit ${limit}
    for update skip locked`.execute(tx)
  return rows
}

export interface EvaluationRow extends EvaluationInstants {
  id: string
  ruleId: string
  evaluatedAt: Date
  status: EvaluationStatus
  reason: string | null
  outcome: Outcome
}

export async function insertEvaluations(
  tx: Tx,
  workspaceId: string,
  rows: readonly EvaluationRow[],
): Promise<void> {
  await tx
    .insertInto('alertEvaluations')
    .values(
      rows.map(({ outcome, ...row }) => ({
        workspaceId,
        ...row,
        seriesCount: outcome.seriesCount,
        valueCount: outcome.valueCount,
        firingCount: outcome.firingCount,
        lowest: outcome.lowest,
        highest: outcome.highest,
      })),
    )
    // A clock that was set back comes to an instant once more.
    .onConflict((conflict) =>
      conflict.columns(['workspaceId', 'ruleId', 'scheduledAt']).doUpdateSet((eb) => ({
        id: eb.ref('excluded.id'),
        evaluatedAt: eb.ref('excluded.evaluatedAt'),
        windowStart: eb.ref('excluded.windowStart'),
        windowEnd: eb.ref('excluded.windowEnd'),
        status: eb.ref('excluded.status'),
        reason: eb.ref('excluded.reason'),
        seriesCount: eb.ref('excluded.seriesCount'),
        valueCount: eb.ref('excluded.valueCount'),
        firingCount: eb.ref('excluded.firingCount'),
        lowest: eb.ref('excluded.lowest'),
        highest: eb.ref('excluded.highest'),
      })),
    )
    .execute()
}

/** The state of a rule after an evaluation. */
export interface RuleProgress {
  id: string
  incidentId: string | null
  /** undefined: unchanged, because the evaluation failed. */
  evaluatedUntil: Date | undefined
  nextEvaluationAt: Date
  isFailing: boolean
}

export async function updateRuleProgress(
  tx: Tx,
  workspaceId: string,
  progress: readonly RuleProgress[],
): Promise<void> {
  const instants = (of: (rule: RuleProgress) => Date | undefined) =>
    sql`${progress.map((rule) => of(rule)?.toISOString() ?? null)}::timestamptz[]`
  await sql`
    update alert_rules as rule set incident_id = progress.incident_id,
      next_evaluation_at = progress.next_evaluation_at,
      evaluated_until = coalesce(progress.evaluated_until, rule.evaluated_until), is_failing = progress.is_failing
    from unnest(
      ${progress.map(({ id }) => id)}::uuid[], ${progress.map(({ incidentId }) => incidentId)}::uuid[],
      ${instants(({ evaluatedUntil }) => evaluatedUntil)}, ${instants(({ nextEvaluationAt }) => nextEvaluationAt)},
      ${progress.map(({ isFailing }) => isFailing)}::boolean[]
    ) as progress (id, incident_id, evaluated_until, next_evaluation_at, is_failing)
    where rule.workspace_id = ${workspaceId} and rule.id = progress.id`.execute(tx)
}

/** The firing series of a rule, highest values first. */
export async function listFiringSeries(
  db: Db,
  { workspaceId, ruleId, limit }: { workspaceId: string; ruleId: string; limit: number },
) {
  return db
    .selectFrom('alertSeries')
    .select(['series', 'label', 'value'])
    .where('workspaceId', '=', workspaceId)
    .where('ruleId', '=', ruleId)
    .where('until', 'is', null)
    .orderBy('value', (order) => order.desc().nullsLast())
    .orderBy('series')
    .limit(limit)
    .execute()
}

export interface AlertHealth {
  enabledRules: number
  firingRules: number
  /** How long the rule that has waited longest is overdue; 0: no rule is overdue. */
  lagSeconds: number
}

/** Over all workspaces. */
export async function readAlertHealth(db: Db, now: Date): Promise<AlertHealth> {
  const { enabledRules, firingRules, oldestDueAt } = await db
    .selectFrom('alertRules')
    .select(({ fn }) => [
      sql<number>`count(*)::int`.as('enabledRules'),
      sql<number>`count(incident_id)::int`.as('firingRules'),
      fn.min('nextEvaluationAt').as('oldestDueAt'),
    ])
    .where('nextEvaluationAt', 'is not', null)
    .executeTakeFirstOrThrow()
  const lagMs = oldestDueAt === null ? 0 : now.getTime() - oldestDueAt.getTime()
  return { enabledRules, firingRules, lagSeconds: Math.max(0, lagMs / 1_000) }
}

/** Open incidents of the rules in which a series began at the instant of the evaluation. */
export async function listIncidentsWithNewSeries(
  tx: Tx,
  workspaceId: string,
  rules: readonly { id: string; at: Date }[],
): Promise<string[]> {
  const { rows } = await sql<{ incidentId: string }>`
    select distinct begun.incident_id
    from unnest(
      ${rules.map(({ id }) => id)}::uuid[], ${rules.map(({ at }) => at.toISOString())}::timestamptz[]
    ) as given (rule_id, at)
    join alert_series as begun on begun.workspace_id = ${workspaceId} and begun.rule_id = given.rule_id
      and begun.since = given.at and begun.until is null`.execute(tx)
  return rows.map(({ incidentId }) => incidentId)
}
