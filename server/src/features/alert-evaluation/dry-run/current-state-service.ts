/**
 * What rules on findings, sources, devices and deployments would do now, had they been made a day ago. They are judged as they
 * ever are, in a transaction that is taken back.
 */
import type { Tx } from '../../../platform/db/connect.ts'
import { newId } from '../../../platform/ids.ts'
import { insertRule, type RuleCondition } from '../../alert-rules/index.ts'
import { judgeCoreRules } from '../non-metric-rules-service.ts'
import { listFiredSeries } from './store.ts'
import type { EngineContext } from '../service.ts'
import { statusOf } from '../evaluation.ts'

const DAY_MS = 86_400_000
const SERIES_SHOWN = 100

export type Tried = Awaited<ReturnType<typeof judgeOnce>>

/** Ends the transaction without a trace, and brings what came of it. */
class TakenBack extends Error {
  readonly tried: Tried

  constructor(tried: Tried) {
    super('taken back')
    this.tried = tried
  }
}

interface Trying {
  workspaceId: string
  rule: RuleCondition & { evaluationFrequency: string }
}

export async function tryNow(
  ctx: EngineContext,
  { workspaceId, rule }: Trying,
  prepare: (tx: Tx) => Promise<void>,
): Promise<Tried> {
  try {
    return await ctx.db.transaction().execute(async (tx) => {
      await prepare(tx)
      throw new TakenBack(await judgeOnce(ctx, tx, { workspaceId, rule }))
    })
  } catch (error) {
    if (error instanceof TakenBack) return error.tried
    throw error
  }
}

async function judgeOnce(ctx: EngineContext, tx: Tx, { workspaceId, rule }: Trying) {
  const [id, now] = [newId(), ctx.now()]
  const since = new Date(now.getTime() - DAY_MS)
  const made = {
    ...rule,
    name: 'Dry run',
    description: null,
    state: 'Disabled' as const,
    repeatIntervalSeconds: null,
    notifyResolved: false,
  }
  const row = { createdAt: since, createdByEmail: null, nextEvaluationAt: null }
  await insertRule(tx, { ...made, ...row, workspaceId, id })
  const due = {
    ...made,
    id,
    effectiveSince: since,
    evaluatedUntil: null,
    incidentId: null,
    seriesIncidentId: newId(),
    scheduledAt: now,
    windowStart: since,
    windowEnd: now,
  }
  const outcomes = await judgeCoreRules(ctx, tx, { workspaceId, rules: [due] })
  const outcome = outcomes.get(id)
  if (!outcome) throw new Error(`No rule of the type ${rule.type} was judged.`)
  const series = await listFiredSeries(tx, { workspaceId, ruleId: id, limit: SERIES_SHOWN })
  return { at: now, since, outcome, status: statusOf(outcome), series }
}
