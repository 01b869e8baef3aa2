/** Rules whose turn it is, and what their evaluations leave behind. */
import { sql } from 'kysely'
import type { Db, Tx } from '../../platform/db/connect.ts'
import type { EvaluationStatus } from '../alert-rules/index.ts'
import type { Instants, Outcome, Rule } from './evaluation.ts'

/** The one that waits longest first. */
export async function listDueWorkspaces(db: Db, now: Date): Promise<string[]> {
  const { rows } = await sql<{ workspaceId: string }>`
    select workspace_id from alert_rules where next_evaluation_at <= ${now}
    group by workspace_id order by min(next_evaluation_at)`.execute(db)
  return rows.map(({ workspaceId }) => workspaceId)
}

/** A rule that asks for too much is told so before its next turn. */
export async function limitStatements(tx: Tx, seconds: number): Promise<void> {
  await sql`select set_config('statement_timeout', ${`${seconds}s`}, true)`.execute(tx)
}

export interface Locking {
  now: Date
  limit: number
  /** Of those that failed the last time, or of the others; left out: of all. */
  isFailing?: boolean
  only?: readonly string[]
}

/** Those another worker is at are its own: it leaves them with their next turn. */
export async function lockDueRules(
  tx: Tx,
  workspaceId: string,
  { now, limit, isFailing, only }: Locking,
): Promise<Rule[]> {
  const { rows } = await sql<Rule>`
    select id, name, type, condition, evaluation_frequency, repeat_interval_seconds, notify_resolved, effective_since,
      evaluated_until, incident_id
    from alert_rules
    where workspace_id = ${workspaceId} and next_evaluation_at <= ${now}
      ${isFailing === undefined ? sql`` : sql`and is_failing = ${isFailing}`}
      ${only === undefined ? sql`` : sql`and id = any(${only}::uuid[])`}
    order by condition ->> 'metric', id limit ${limit}
    for update skip locked`.execute(tx)
  return rows
}

export interface EvaluationRow extends Instants {
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
    .execute()
}

export interface RuleTurn {
  id: string
  incidentId: string | null
  /** undefined: as before, since the evaluation failed. */
  evaluatedUntil: Date | undefined
  nextEvaluationAt: Date
  isFailing: boolean
}

export async function updateTurns(
  tx: Tx,
  workspaceId: string,
  turns: readonly RuleTurn[],
): Promise<void> {
  const instants = (of: (turn: RuleTurn) => Date | undefined) =>
    sql`${turns.map((turn) => of(turn)?.toISOString() ?? null)}::timestamptz[]`
  await sql`
    update alert_rules as rule set incident_id = turn.incident_id, next_evaluation_at = turn.next_evaluation_at,
      evaluated_until = coalesce(turn.evaluated_until, rule.evaluated_until), is_failing = turn.is_failing
    from unnest(
      ${turns.map(({ id }) => id)}::uuid[], ${turns.map(({ incidentId }) => incidentId)}::uuid[],
      ${instants(({ evaluatedUntil }) => evaluatedUntil)}, ${instants(({ nextEvaluationAt }) => nextEvaluationAt)},
      ${turns.map(({ isFailing }) => isFailing)}::boolean[]
    ) as turn (id, incident_id, evaluated_until, next_evaluation_at, is_failing)
    where rule.workspace_id = ${workspaceId} and rule.id = turn.id`.execute(tx)
}
