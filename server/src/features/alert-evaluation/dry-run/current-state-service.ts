/**
 * Evaluates a rule on findings, sources, devices or deployments once, now, as if it had been created some days ago. The evaluation
 * is the usual one, in a transaction that is rolled back.
 */
import { addDays } from '../../../formats/instants.ts'
import type { Tx } from '../../../platform/db/connect.ts'
import { newId } from '../../../platform/ids.ts'
import {
  type EvaluationFrequency,
  insertRule,
  type RuleCondition,
} from '../../alert-rules/index.ts'
import { decideStatus } from '../evaluation.ts'
import { evaluateRules } from '../evaluators-service.ts'
import type { EvaluationContext } from '../evaluators-service.ts'
import { listFiringSeries } from '../store.ts'

const MAX_SERIES_SHOWN = 100

export type CurrentState = Awaited<ReturnType<typeof evaluateOnce>>

/** Rolls the transaction back and carries the result out of it. */
class RolledBack extends Error {
  readonly result: CurrentState

  constructor(result: CurrentState) {
    super('rolled back')
    this.result = result
  }
}

interface TriedRule {
  workspaceId: string
  rule: RuleCondition & { evaluationFrequency: EvaluationFrequency }
  days: number
}

export async function evaluateNow(
  ctx: EvaluationContext,
  tried: TriedRule,
  prepare: (tx: Tx) => Promise<void>,
): Promise<CurrentState> {
  try {
    return await ctx.db.transaction().execute(async (tx) => {
      await prepare(tx)
      throw new RolledBack(await evaluateOnce(ctx, tx, tried))
    })
  } catch (error) {
    if (error instanceof RolledBack) return error.result
    throw error
  }
}

async function evaluateOnce(
  ctx: EvaluationContext,
  tx: Tx,
  { workspaceId, rule, days }: TriedRule,
) {
  const [id, now] = [newId(), ctx.now()]
  const since = addDays(now, -days)
  const fields = {
    ...rule,
    name: 'Dry run',
    description: null,
    state: 'Disabled' as const,
    repeatIntervalSeconds: null,
    notifyResolved: false,
    notifyOwners: false,
  }
  const row = { createdAt: since, createdByEmail: null, nextEvaluationAt: null }
  await insertRule(tx, { ...fields, ...row, workspaceId, id })
  const due = {
    ...fields,
    id,
    effectiveSince: since,
    evaluatedUntil: null,
    incidentId: null,
    seriesIncidentId: newId(),
    scheduledAt: now,
    windowStart: since,
    windowEnd: now,
  }
  const outcomes = await evaluateRules(ctx, tx, { workspaceId, rules: [due] })
  const outcome = outcomes.get(id)
  if (!outcome) throw new Error(`No rule of the type ${rule.type} was evaluated.`)
  const series = await listFiringSeries(tx, { workspaceId, ruleId: id, limit: MAX_SERIES_SHOWN })
  return { at: now, since, outcome, status: decideStatus(outcome), series }
}
