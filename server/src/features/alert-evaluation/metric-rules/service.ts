/** Metric rules, those with windows of about a length together. */
import type { Tx } from '../../../platform/db/connect.ts'
import type { Outcome } from '../evaluation.ts'
import { createJudge, type Verdict } from './evaluator.ts'
import { askedBy, type JudgedRule, lookBackMs, type MetricRule } from './selection.ts'
import { type PieceRow, readPieces } from './store.ts'
import { inParts } from './batches.ts'
import { cutIntoPieces, lengthClass } from './time-slices.ts'
import { settleSeries } from '../verdicts-store.ts'
import { givenJudgement } from './verdicts-store.ts'

/** On the way to the database a series takes several times the room it has here. */
const SERIES_AT_ONCE = 100_000

function seriesCount({ verdict: { meeting, silent } }: { verdict: Verdict }): number {
  return meeting.length + silent.length
}

/** Outcomes by the ids of rules. */
export async function judgeMetricRules(
  tx: Tx,
  workspaceId: string,
  rules: readonly MetricRule[],
): Promise<Map<string, Outcome>> {
  const outcomes = new Map<string, Outcome>()
  for (const alike of Map.groupBy(rules, (rule) => lengthClass(lookBackMs(rule))).values()) {
    const all = await verdictsOn(tx, workspaceId, alike)
    const judged = alike.flatMap((rule, at) => {
      const verdict = all[at]
      return verdict ? [{ rule, verdict }] : []
    })
    for (const part of inParts(judged, { most: SERIES_AT_ONCE, sizeOf: seriesCount })) {
      const ofPart = part.map(({ rule }) => rule)
      const judgement = givenJudgement(part.map(({ verdict }) => verdict))
      const settled = await settleSeries(tx, workspaceId, { rules: ofPart, judgement })
      for (const [id, outcome] of settled) outcomes.set(id, outcome)
    }
  }
  return outcomes
}

/** What points say, in the order of the rules; nothing is taken down. */
export async function verdictsOn(
  tx: Tx,
  workspaceId: string,
  rules: readonly JudgedRule[],
): Promise<Verdict[]> {
  const asked = askedBy(rules)
  const pieces = cutIntoPieces(asked.spans)
  const judge = createJudge(rules, asked, pieces)
  const selectionsIn = selectionReader()
  for await (const rows of readPieces(tx, workspaceId, { asked, pieces }))
    for (const row of rows)
      judge.add(row.device, { selections: selectionsIn(row), piece: row.piece, amount: row })
  return judge.finish()
}

/** Many series belong to the same selections. */
function selectionReader(): (row: PieceRow) => readonly number[] {
  const known = new Map<string, readonly number[]>()
  return ({ selections }) => {
    const read = known.get(selections) ?? selections.slice(1, -1).split(',').map(Number)
    known.set(selections, read)
    return read
  }
}
