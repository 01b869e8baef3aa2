/**
 * Evaluates the rules whose turn it is. Their rows are locked from the look to the commit, and an evaluation moves its rule
 * to its next turn: however many workers there are, and wherever one of them ends, each turn is taken once.
 */
import type { AppContext } from '../../platform/context.ts'
import { isDataException, isStatementTimeout, type Tx } from '../../platform/db/connect.ts'
import { newId } from '../../platform/ids.ts'
import { durationSeconds, type EvaluationStatus, scheduledAfter } from '../alert-rules/index.ts'
import * as store from './store.ts'
import { type DueRule, instantsOf, type Outcome, type Rule, statusOf } from './evaluation.ts'
import { beginIncidents, endIncidents } from '../incidents/index.ts'
import { judgeRules } from './evaluators-service.ts'

export type EngineContext = Pick<AppContext, 'db' | 'now' | 'log' | 'config'>

/** All the rules a workspace may have: each time points are read, all of them have the use of it. */
const SOUND = { isFailing: false, limit: 1_000, seconds: 50 }
/** A rule that failed the last time costs only itself time, and not much: the others are looked at again before the next. */
const FAILING = { isFailing: true, limit: 1, seconds: 20 }

/** All that is due anywhere. */
export async function evaluateDueRules(ctx: EngineContext): Promise<void> {
  for (const workspaceId of await store.listDueWorkspaces(ctx.db, ctx.now()))
    await evaluateWorkspace(ctx, workspaceId)
}

export async function evaluateWorkspace(ctx: EngineContext, workspaceId: string): Promise<void> {
  try {
    let failing: number
    do {
      while ((await takeTurns(ctx, { workspaceId, ...SOUND })) === SOUND.limit);
      failing = await takeTurns(ctx, { workspaceId, ...FAILING })
    } while (failing > 0)
  } catch (error) {
    // One workspace keeps no other from its turn; the next look tries again.
    ctx.log.error({ err: error, workspaceId }, 'evaluating alert rules failed')
  }
}

interface Taking {
  workspaceId: string
  isFailing: boolean
  limit: number
  seconds: number
}

async function takeTurns(ctx: EngineContext, { workspaceId, ...taking }: Taking): Promise<number> {
  const now = ctx.now()
  const { seconds } = taking
  let rules: Rule[] = []
  try {
    return await ctx.db.transaction().execute(async (tx) => {
      rules = await store.lockDueRules(tx, workspaceId, { now, ...taking })
      await evaluate(ctx, tx, { workspaceId, now, rules, seconds })
      return rules.length
    })
  } catch (error) {
    const ids = rules.map(({ id }) => id)
    await findFault(ctx, { workspaceId, now, ids, seconds }, error)
    return ids.length
  }
}

interface Part {
  workspaceId: string
  now: Date
  ids: readonly string[]
  /** The longest a statement may take. */
  seconds: number
}

/** The rule that fails is found by halves: the others have their turn all the same. */
async function findFault(ctx: EngineContext, part: Part, error: unknown): Promise<void> {
  if (!isFaultOfARule(error)) throw error
  const { workspaceId, now, ids } = part
  if (ids.length > 1) {
    ctx.log.warn({ err: error, workspaceId }, 'looking for the alert rule that fails')
    for (const half of halves(ids)) await takeApart(ctx, { ...part, ids: half })
    return
  }
  ctx.log.warn({ err: error, workspaceId, rule: ids[0] }, 'evaluating an alert rule failed')
  await ctx.db.transaction().execute(async (tx) => {
    const rules = await store.lockDueRules(tx, workspaceId, { now, limit: 1, only: ids })
    const turns = rules.map((rule) => failedTurn(dueRule(rule, now), reasonOf(error)))
    await takeDown(ctx, tx, { workspaceId, turns })
  })
}

async function takeApart(ctx: EngineContext, part: Part): Promise<void> {
  const { workspaceId, now, ids, seconds } = part
  try {
    await ctx.db.transaction().execute(async (tx) => {
      const locking = { now, limit: ids.length, only: ids }
      const rules = await store.lockDueRules(tx, workspaceId, locking)
      await evaluate(ctx, tx, { workspaceId, now, rules, seconds })
    })
  } catch (error) {
    await findFault(ctx, part, error)
  }
}

function halves(ids: readonly string[]): string[][] {
  const middle = Math.ceil(ids.length / 2)
  return [ids.slice(0, middle), ids.slice(middle)].filter((half) => half.length > 0)
}

/** What is away for everybody is no fault of a rule: it has its turn when that is back. */
function isFaultOfARule(error: unknown): error is Error {
  return isDataException(error) || isStatementTimeout(error)
}

interface Turn {
  due: DueRule
  outcome: Outcome
  status: EvaluationStatus
  reason: string | null
}

interface Evaluating {
  workspaceId: string
  now: Date
  rules: readonly Rule[]
  seconds: number
}

async function evaluate(
  ctx: EngineContext,
  tx: Tx,
  { workspaceId, now, rules, seconds }: Evaluating,
): Promise<void> {
  if (rules.length === 0) return
  await store.limitStatements(tx, seconds)
  const due = rules.map((rule) => dueRule(rule, now))
  const outcomes = await judgeRules(ctx, tx, { workspaceId, rules: due })
  const turns = due.map((rule): Turn => {
    const outcome = outcomes.get(rule.id)
    if (!outcome) throw new Error(`The rule ${rule.id} was not judged.`)
    return { due: rule, outcome, status: statusOf(outcome), reason: null }
  })
  await takeDown(ctx, tx, { workspaceId, turns })
}

function dueRule(rule: Rule, now: Date): DueRule {
  return { ...rule, ...instantsOf(rule, now), seriesIncidentId: rule.incidentId ?? newId() }
}

const NOTHING: Outcome = {
  seriesCount: 0,
  valueCount: 0,
  lowest: null,
  highest: null,
  meetingCount: 0,
  firingCount: 0,
}

function failedTurn(due: DueRule, reason: string): Turn {
  return { due, outcome: NOTHING, status: 'Failed', reason }
}

function reasonOf(error: Error): string {
  return isStatementTimeout(error)
    ? 'It took too long: choose a shorter window, a cohort, or a metric with fewer series.'
    : 'The values are too large to be added up.'
}

async function takeDown(
  ctx: EngineContext,
  tx: Tx,
  { workspaceId, turns }: { workspaceId: string; turns: readonly Turn[] },
): Promise<void> {
  // Another worker was faster.
  if (turns.length === 0) return
  const evaluatedAt = ctx.now()
  await store.insertEvaluations(
    tx,
    workspaceId,
    turns.map(({ due, outcome, status, reason }) => ({
      id: newId(),
      ruleId: due.id,
      scheduledAt: due.scheduledAt,
      windowStart: due.windowStart,
      windowEnd: due.windowEnd,
      evaluatedAt,
      status,
      reason,
      outcome,
    })),
  )
  await beginIncidents(ctx, tx, {
    workspaceId,
    incidents: turns.filter(isBegun).map(({ due }) => incidentOf(due)),
  })
  await endIncidents(ctx, tx, { workspaceId, ended: turns.filter(isEnded).flatMap(endOf) })
  await store.updateTurns(
    tx,
    workspaceId,
    turns.map((turn) => nextTurn(turn)),
  )
}

function endOf({ due: { incidentId, scheduledAt: endedAt }, status }: Turn) {
  if (incidentId === null) return []
  const endedCause = status === 'NoData' ? ('NoData' as const) : ('Recovered' as const)
  return [{ id: incidentId, endedAt, endedCause }]
}

function isBegun({ due, outcome }: Turn): boolean {
  return due.incidentId === null && outcome.firingCount > 0
}

function isEnded({ due, outcome, status }: Turn): boolean {
  return due.incidentId !== null && outcome.firingCount === 0 && status !== 'Failed'
}

function incidentOf(due: DueRule) {
  const { id, name, scheduledAt, repeatIntervalSeconds: repeat, seriesIncidentId } = due
  const reminderAt = repeat === null ? null : new Date(scheduledAt.getTime() + repeat * 1_000)
  const { type, condition } = due
  return {
    id: seriesIncidentId,
    ruleId: id,
    ruleName: name,
    ruleType: type,
    condition,
    beganAt: scheduledAt,
    reminderAt,
  }
}

function nextTurn(turn: Turn): store.RuleTurn {
  const { due, status } = turn
  const { id, incidentId, seriesIncidentId, scheduledAt, windowEnd, evaluationFrequency } = due
  return {
    id,
    incidentId: isBegun(turn) ? seriesIncidentId : isEnded(turn) ? null : incidentId,
    evaluatedUntil: status === 'Failed' ? undefined : windowEnd,
    isFailing: status === 'Failed',
    nextEvaluationAt: scheduledAfter(scheduledAt, durationSeconds(evaluationFrequency)),
  }
}
