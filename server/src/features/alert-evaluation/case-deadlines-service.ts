/** Finds the reports of cases that are due soon or late, what waits for somebody, and a security.txt that expires. */
import { findMax, findMin } from '../../formats/extremes.ts'
import type { Tx } from '../../platform/db/connect.ts'
import type { CaseDeadlineCondition } from '../alert-rules/index.ts'
import { listCaseDeadlines } from '../cases/index.ts'
import { listReportDeadlines } from '../disclosure-reports/index.ts'
import { listSecurityTextDeadlines } from '../security-advisories/index.ts'
import type { DueRule, RuleVerdict } from './evaluation.ts'

export type DeadlineRule = Extract<DueRule, { condition: CaseDeadlineCondition }>

/** A series is a step of a clock, so that each step is told; values are hours that are left, and negative ones that have passed. */
export async function judgeDeadlines(
  tx: Tx,
  workspaceId: string,
  rules: readonly DeadlineRule[],
): Promise<RuleVerdict[]> {
  const verdicts: RuleVerdict[] = []
  for (const { windowEnd, condition } of rules) {
    const { includesDrills, includesGoodPractice } = condition
    const of = { workspaceId, at: windowEnd }
    const others = includesGoodPractice
      ? [...(await listReportDeadlines(tx, of)), ...(await listSecurityTextDeadlines(tx, of))]
      : []
    const deadlines = [...(await listCaseDeadlines(tx, of)), ...others].filter(
      (one) => (includesDrills || !one.isDrill) && (includesGoodPractice || !one.isGoodPractice),
    )
    const hours = deadlines.flatMap(({ hoursLeft }) => (hoursLeft === null ? [] : [hoursLeft]))
    verdicts.push({
      meeting: deadlines.map(({ series, label, hoursLeft }) => ({
        series,
        label,
        value: hoursLeft,
      })),
      kept: [],
      seriesCount: deadlines.length,
      // Where nothing is due the rule has a status of Ok, not NoData.
      valueCount: Math.max(deadlines.length, 1),
      lowest: hours.length === 0 ? null : findMin(hours),
      highest: hours.length === 0 ? null : findMax(hours),
    })
  }
  return verdicts
}
