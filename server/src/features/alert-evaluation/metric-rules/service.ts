/** Evaluates metric rules. Rules whose windows have about the same length are evaluated together. */
import { splitByWeight } from '../../../formats/batches.ts'
import type { Tx } from '../../../platform/db/connect.ts'
import { startPauses } from '../../../platform/pauses.ts'
import type { Outcome, RuleVerdict } from '../evaluation.ts'
import { selectComputedVerdicts, recordVerdicts } from '../verdicts-store.ts'
import { createEvaluator } from './evaluator.ts'
import { collectMeasures, lookBackMs, type MetricRule, type MetricRuleInput } from './measures.ts'
import { readSlices, type SliceRow } from './store.ts'
import { cutIntoSlices, classifyLength } from './time-slices.ts'

/** Series in one statement: on the way to the database a series takes several times its size in memory. */
const MAX_SERIES = 100_000

function seriesCount({ verdict: { meeting, kept } }: { verdict: RuleVerdict }): number {
  return meeting.length + kept.length
}

/** Outcomes by the ids of rules. */
export async function evaluateMetricRules(
  tx: Tx,
  workspaceId: string,
  rules: readonly MetricRule[],
): Promise<Map<string, Outcome>> {
  const outcomes = new Map<string, Outcome>()
  for (const alike of Map.groupBy(rules, (rule) => classifyLength(lookBackMs(rule))).values()) {
    const all = await judgeMetricRules(tx, workspaceId, alike)
    const evaluated = alike.flatMap((rule, at) => {
      const verdict = all[at]
      return verdict ? [{ rule, verdict }] : []
    })
    for (const batch of splitByWeight(evaluated, {
      most: MAX_SERIES,
      weightOf: seriesCount,
    })) {
      const verdicts = batch.map(({ verdict }) => verdict)
      const recorded = await recordVerdicts(tx, workspaceId, {
        rules: batch.map(({ rule }) => rule),
        queries: selectComputedVerdicts(verdicts),
      })
      for (const [id, outcome] of recorded) outcomes.set(id, outcome)
    }
  }
  return outcomes
}

/** In the order of the rules; records nothing. */
export async function judgeMetricRules(
  tx: Tx,
  workspaceId: string,
  rules: readonly MetricRuleInput[],
): Promise<RuleVerdict[]> {
  const measures = collectMeasures(rules)
  const slices = cutIntoSlices(measures.spans)
  const evaluator = createEvaluator(rules, measures, slices)
  const selectionsIn = selectionReader()
  const pause = startPauses()
  for await (const rows of readSlices(tx, workspaceId, { measures, slices }))
    for (const row of rows) {
      evaluator.add(row.device, { selections: selectionsIn(row), slice: row.slice, amount: row })
      const rest = pause()
      if (rest) await rest
    }
  return evaluator.finish()
}

/** Remembers parsed lists: many series belong to the same selections. */
function selectionReader(): (row: SliceRow) => readonly number[] {
  const known = new Map<string, readonly number[]>()
  return ({ selections }) => {
    const read = known.get(selections) ?? selections.slice(1, -1).split(',').map(Number)
    known.set(selections, read)
    return read
  }
}
