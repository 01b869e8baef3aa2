/**
 * Evaluates due rules. The rows of the rules stay locked until the commit, and the evaluation moves each rule to its next
 * instant in the same transaction: each instant is evaluated once, with any number of workers, and also if one dies.
 */
import { addMs, SECOND_MS } from '../../formats/instants.ts'
import type { Tx } from '../../platform/db/connect.ts'
import { isDataException, isStatementTimeout } from '../../platform/db/failures.ts'
import { AppError } from '../../platform/errors.ts'
import { newId } from '../../platform/ids.ts'
import { parseDuration, type EvaluationStatus, findScheduledAfter } from '../alert-rules/index.ts'
import {
  beginIncidents,
  type EndedIncident,
  endIncidents,
  notifyIncidents,
  noteForOwners,
} from '../incidents/index.ts'
import {
  type DueRule,
  NO_OUTCOME,
  planInstants,
  type Outcome,
  type ScheduledRule,
  decideStatus,
} from './evaluation.ts'
import { evaluateRules, type EvaluationContext } from './evaluators-service.ts'
import { isEndedByDecision } from './finding-rules/rules-store.ts'
import { limitStatements } from './statement-settings-store.ts'
import * as store from './store.ts'

/** As many rules as a workspace may have: points are read once for all of them. */
const SOUND_RULES = { isFailing: false, limit: 1_000, seconds: 50 }
/** A rule that failed the last time is evaluated alone and with less time, so that it does not delay the others. */
const FAILING_RULES = { isFailing: true, limit: 1, seconds: 20 }

export async function evaluateDueRules(ctx: EvaluationContext): Promise<void> {
  for (const workspaceId of await store.listDueWorkspaces(ctx.db, ctx.now()))
    await evaluateWorkspace(ctx, workspaceId)
}

export async function evaluateWorkspace(
  ctx: EvaluationContext,
  workspaceId: string,
): Promise<void> {
  try {
    let failing: number
    do {
      while ((await evaluateNext(ctx, { workspaceId, ...SOUND_RULES })) === SOUND_RULES.limit);
      failing = await evaluateNext(ctx, { workspaceId, ...FAILING_RULES })
    } while (failing > 0)
  } catch (error) {
    // The failure of one workspace does not stop the others; the schedule tries again.
    ctx.log.error({ err: error, workspaceId }, 'evaluating alert rules failed')
  }
}

interface RuleBatch {
  workspaceId: string
  isFailing: boolean
  limit: number
  /** The longest a statement may take. */
  seconds: number
}

/** The number of rules that were due. */
async function evaluateNext(
  ctx: EvaluationContext,
  { workspaceId, ...batch }: RuleBatch,
): Promise<number> {
  const now = ctx.now()
  const { seconds } = batch
  let rules: ScheduledRule[] = []
  try {
    return await ctx.db.transaction().execute(async (tx) => {
      rules = await store.lockDueRules(tx, workspaceId, { now, ...batch })
      await evaluateLocked(ctx, tx, { workspaceId, now, rules, seconds })
      return rules.length
    })
  } catch (error) {
    const ids = rules.map(({ id }) => id)
    await isolateFailingRule(ctx, { workspaceId, now, ids, seconds }, error)
    return ids.length
  }
}

interface Candidates {
  workspaceId: string
  now: Date
  /** Rules; the evaluation of at least one of them fails. */
  ids: readonly string[]
  seconds: number
}

/** Finds the failing rule by halving the list, and records its failure; the other rules are evaluated. */
async function isolateFailingRule(
  ctx: EvaluationContext,
  candidates: Candidates,
  error: unknown,
): Promise<void> {
  if (!isCausedByRule(error)) throw error
  const { workspaceId, now, ids } = candidates
  if (ids.length > 1) {
    ctx.log.warn({ err: error, workspaceId }, 'looking for the alert rule that fails')
    for (const half of halves(ids)) await evaluateOnly(ctx, { ...candidates, ids: half })
    return
  }
  ctx.log.warn({ err: error, workspaceId, rule: ids[0] }, 'evaluating an alert rule failed')
  await ctx.db.transaction().execute(async (tx) => {
    const rules = await store.lockDueRules(tx, workspaceId, { now, limit: 1, ids })
    const evaluations = rules.map((rule) =>
      failedEvaluation(asDue(rule, now), describeError(error)),
    )
    await recordEvaluations(ctx, tx, { workspaceId, evaluations })
  })
}

async function evaluateOnly(ctx: EvaluationContext, candidates: Candidates): Promise<void> {
  const { workspaceId, now, ids, seconds } = candidates
  try {
    await ctx.db.transaction().execute(async (tx) => {
      const rules = await store.lockDueRules(tx, workspaceId, { now, limit: ids.length, ids })
      await evaluateLocked(ctx, tx, { workspaceId, now, rules, seconds })
    })
  } catch (error) {
    await isolateFailingRule(ctx, candidates, error)
  }
}

function halves(ids: readonly string[]): string[][] {
  const middle = Math.ceil(ids.length / 2)
  return [ids.slice(0, middle), ids.slice(middle)].filter((half) => half.length > 0)
}

/** As data that is too large is, or an outcome that the SSVC tree does not have. Other failures, such as a lost database, concern all rules: these stay due. */
function isCausedByRule(error: unknown): error is Error {
  return isDataException(error) || isStatementTimeout(error) || error instanceof AppError
}

interface RuleEvaluation {
  rule: DueRule
  outcome: Outcome
  status: EvaluationStatus
  reason: string | null
}

interface LockedRules {
  workspaceId: string
  now: Date
  rules: readonly ScheduledRule[]
  seconds: number
}

async function evaluateLocked(
  ctx: EvaluationContext,
  tx: Tx,
  { workspaceId, now, rules, seconds }: LockedRules,
): Promise<void> {
  if (rules.length === 0) return
  await limitStatements(tx, seconds)
  const due = rules.map((rule) => asDue(rule, now))
  const outcomes = await evaluateRules(ctx, tx, { workspaceId, rules: due })
  const evaluations = due.map((rule): RuleEvaluation => {
    const outcome = outcomes.get(rule.id)
    if (!outcome) throw new Error(`The rule ${rule.id} was not evaluated.`)
    return { rule, outcome, status: decideStatus(outcome), reason: null }
  })
  await recordEvaluations(ctx, tx, { workspaceId, evaluations })
}

function asDue(rule: ScheduledRule, now: Date): DueRule {
  return { ...rule, ...planInstants(rule, now), seriesIncidentId: rule.incidentId ?? newId() }
}

function failedEvaluation(rule: DueRule, reason: string): RuleEvaluation {
  return { rule, outcome: NO_OUTCOME, status: 'Failed', reason }
}

function describeError(error: Error): string {
  if (error instanceof AppError) return error.message
  return isStatementTimeout(error)
    ? 'The evaluation took too long: choose a shorter window, a cohort, or a metric with fewer series.'
    : 'The values are too large to be added up.'
}

async function recordEvaluations(
  ctx: EvaluationContext,
  tx: Tx,
  { workspaceId, evaluations }: { workspaceId: string; evaluations: readonly RuleEvaluation[] },
): Promise<void> {
  // Another worker has evaluated the rules meanwhile.
  if (evaluations.length === 0) return
  const evaluatedAt = ctx.now()
  await store.insertEvaluations(
    tx,
    workspaceId,
    evaluations.map(({ rule, outcome, status, reason }) => ({
      id: newId(),
      ruleId: rule.id,
      scheduledAt: rule.scheduledAt,
      windowStart: rule.windowStart,
      windowEnd: rule.windowEnd,
      evaluatedAt,
      status,
      reason,
      outcome,
    })),
  )
  const incidents = evaluations.filter(beginsIncident).map(({ rule }) => newIncident(rule))
  await beginIncidents(ctx, tx, { workspaceId, incidents })
  await tellNewSteps(ctx, tx, { workspaceId, evaluations })
  const telling = evaluations.map(({ rule }) => rule).filter(({ notifyOwners }) => notifyOwners)
  await noteForOwners(tx, workspaceId, { telling, notedAt: evaluatedAt })
  const ended: EndedIncident[] = []
  for (const evaluation of evaluations)
    for (const one of endedIncident(evaluation))
      ended.push(await readEndCause(tx, workspaceId, { ...one, rule: evaluation.rule }))
  await endIncidents(ctx, tx, { workspaceId, ended })
  await store.updateRuleProgress(tx, workspaceId, evaluations.map(readProgress))
}

/** Types of which each further series is told. */
const TELLS_STEPS: ReadonlySet<DueRule['type']> = new Set([
  'CaseDeadline',
  'SupportEnding',
  'CertificateEnding',
  'NewCrash',
])

/** Each step of a clock, and each new crash, is told, also while an earlier one is firing: a reminder of the incident that is open. */
async function tellNewSteps(
  ctx: EvaluationContext,
  tx: Tx,
  { workspaceId, evaluations }: { workspaceId: string; evaluations: readonly RuleEvaluation[] },
): Promise<void> {
  const rules = evaluations
    .filter(({ rule }) => TELLS_STEPS.has(rule.type) && rule.incidentId !== null)
    .map(({ rule }) => ({ id: rule.id, at: rule.scheduledAt }))
  if (rules.length === 0) return
  const incidentIds = await store.listIncidentsWithNewSeries(tx, workspaceId, rules)
  await notifyIncidents(ctx, tx, { workspaceId, incidentIds, event: 'StillFiring' })
}

function beginsIncident({ rule, outcome }: RuleEvaluation): boolean {
  return rule.incidentId === null && outcome.firingCount > 0
}

function endsIncident({ rule, outcome, status }: RuleEvaluation): boolean {
  return rule.incidentId !== null && outcome.firingCount === 0 && status !== 'Failed'
}

function newIncident(rule: DueRule) {
  const { id, name, scheduledAt, repeatIntervalSeconds: repeat, seriesIncidentId } = rule
  const reminderAt = repeat === null ? null : addMs(scheduledAt, repeat * SECOND_MS)
  const { type, condition } = rule
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

function endedIncident(evaluation: RuleEvaluation) {
  const { rule, status } = evaluation
  if (rule.incidentId === null || !endsIncident(evaluation)) return []
  const endedCause = status === 'NoData' ? ('NoData' as const) : ('Recovered' as const)
  return [{ id: rule.incidentId, endedAt: rule.scheduledAt, endedCause }]
}

/** Findings that were decided are still in the field: their incident did not recover. */
async function readEndCause(
  tx: Tx,
  workspaceId: string,
  { rule, ...ended }: ReturnType<typeof endedIncident>[number] & { rule: DueRule },
): Promise<EndedIncident> {
  if (rule.type !== 'NewVulnerabilityFinding' && rule.type !== 'UrgentVulnerabilityFinding')
    return ended
  const onlyRunning = rule.condition.onlyWhereDevicesRun
  const of = { incidentId: ended.id, onlyRunning }
  return (await isEndedByDecision(tx, workspaceId, of))
    ? { ...ended, endedCause: 'Decided' }
    : ended
}

function readProgress(evaluation: RuleEvaluation): store.RuleProgress {
  const { rule, status } = evaluation
  const { id, scheduledAt, windowEnd, evaluationFrequency } = rule
  return {
    id,
    incidentId: incidentAfter(evaluation),
    evaluatedUntil: status === 'Failed' ? undefined : windowEnd,
    isFailing: status === 'Failed',
    nextEvaluationAt: findScheduledAfter(scheduledAt, parseDuration(evaluationFrequency)),
  }
}

function incidentAfter(evaluation: RuleEvaluation): string | null {
  const { incidentId, seriesIncidentId } = evaluation.rule
  if (beginsIncident(evaluation)) return seriesIncidentId
  return endsIncident(evaluation) ? null : incidentId
}
