/**
 * Rules whose series are steps of a clock, so that each step is told: reports of cases that are due soon or late, what waits for somebody,
 * a security.txt that expires, and product lines, release lines and firmware whose support ends or has ended.
 */
import { formatCountOf } from '../../formats/counts.ts'
import { findMax, findMin } from '../../formats/extremes.ts'
import { addMs, DAY_MS } from '../../formats/instants.ts'
import { formatDay } from '../../formats/support/states.ts'
import type { Tx } from '../../platform/db/connect.ts'
import type { CaseDeadlineCondition, SupportEndingCondition } from '../alert-rules/index.ts'
import { listCaseDeadlines } from '../cases/index.ts'
import { listReportDeadlines } from '../disclosure-reports/index.ts'
import { listSupportEnds, type SupportEnd } from '../product-lines/index.ts'
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

export type ProductSupportRule = Extract<
  DueRule,
  { type: 'SupportEnding'; condition: SupportEndingCondition }
>

/** A series is a step of an end, so that the end itself is told again; values are days that are left, and negative ones that have passed. */
export async function judgeProductSupport(
  tx: Tx,
  workspaceId: string,
  rules: readonly ProductSupportRule[],
): Promise<RuleVerdict[]> {
  const verdicts: RuleVerdict[] = []
  for (const { windowEnd, condition } of rules) {
    const until = formatDay(addMs(windowEnd, condition.daysBefore * DAY_MS))
    const ends = await listSupportEnds(tx, { workspaceId, until })
    const isMeant = ({ endsOn, deviceCount }: SupportEnd) =>
      endsOn <= until && (!condition.onlyWhereDevicesRun || deviceCount > 0)
    verdicts.push(describeVerdict(ends, { isMeant, day: formatDay(windowEnd) }))
  }
  return verdicts
}

/** Where nobody stated an end there is no value: NoData, as nobody knows until when anything is supported. */
function describeVerdict(
  ends: readonly SupportEnd[],
  { isMeant, day }: { isMeant: (end: SupportEnd) => boolean; day: string },
): RuleVerdict {
  const values = ends.map(({ endsOn }) => countDays(day, endsOn))
  return {
    meeting: ends.filter(isMeant).map((one) => ({
      series: formatSeries(one, day),
      label: describeEnd(one, day),
      value: countDays(day, one.endsOn),
    })),
    kept: [],
    seriesCount: ends.length,
    valueCount: ends.length,
    lowest: values.length === 0 ? null : findMin(values),
    highest: values.length === 0 ? null : findMax(values),
  }
}

const countDays = (day: string, endsOn: string) =>
  Math.round((Date.parse(endsOn) - Date.parse(day)) / DAY_MS)

const isOver = ({ endsOn }: SupportEnd, day: string) => endsOn <= day

/** The page that tells of it comes first: `firmware/0198…/release-line/0199…/ending`. A later day that is promised begins anew. */
function formatSeries(end: SupportEnd, day: string): string {
  const { kind, id, firmwareId, endsOn } = end
  const of =
    kind === 'release-line' ? `firmware/${firmwareId ?? ''}/release-line/${id}` : `${kind}/${id}`
  return `${of}/${isOver(end, day) ? 'ended' : 'ending'}/${endsOn}`
}

const KINDS: Readonly<Record<SupportEnd['kind'], string>> = {
  'product-line': 'product line',
  'release-line': 'release line',
  firmware: 'firmware',
}

/** `product line Pump, out of support since 2026-10-01, on 12 devices` */
function describeEnd(end: SupportEnd, day: string): string {
  const { kind, name, lineName, endsOn, deviceCount } = end
  const named = lineName === null ? name : `${lineName} of ${name}`
  const when = isOver(end, day) ? 'since' : 'from'
  const devices = formatCountOf(deviceCount, 'device')
  return `${KINDS[kind]} ${named}, out of support ${when} ${endsOn}, on ${devices}`
}
