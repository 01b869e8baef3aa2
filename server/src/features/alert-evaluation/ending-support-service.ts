/** Finds the components whose support ends within the days that a rule states, or has ended. */
import { formatDay } from '../../formats/support/states.ts'
import { findMax, findMin } from '../../formats/extremes.ts'
import { addMs, DAY_MS } from '../../formats/instants.ts'
import type { Tx } from '../../platform/db/connect.ts'
import type { ComponentSupportCondition } from '../alert-rules/index.ts'
import { type EndingSupport, listEndingSupport } from '../support/index.ts'
import type { DueRule, RuleVerdict } from './evaluation.ts'

export type SupportRule = Extract<DueRule, { condition: ComponentSupportCondition }>

/** A series is a product and cycle in a firmware version; values are days that are left, and negative ones that have passed. */
export async function judgeEndingSupport(
  tx: Tx,
  workspaceId: string,
  rules: readonly SupportRule[],
): Promise<RuleVerdict[]> {
  const verdicts: RuleVerdict[] = []
  for (const { windowEnd, condition } of rules) {
    const { daysBefore, firmwareIds, onlyWhereDevicesRun } = condition
    const until = formatDay(addMs(windowEnd, daysBefore * DAY_MS))
    const terms = { workspaceId, until, firmwareIds, onlyWhereDevicesRun }
    const ending = await listEndingSupport(tx, terms)
    verdicts.push(describeVerdict(ending, formatDay(windowEnd)))
  }
  return verdicts
}

function describeVerdict(ending: readonly EndingSupport[], day: string): RuleVerdict {
  const values = ending.map(({ endsOn }) => countDays(day, endsOn))
  return {
    meeting: ending.map((one, index) => ({
      series: `${one.firmwareVersionId}/${one.key}`,
      label: describeSeries(one),
      value: values[index] ?? 0,
    })),
    kept: [],
    seriesCount: ending.length,
    // Where nothing ends the rule has a status of Ok, not NoData.
    valueCount: Math.max(ending.length, 1),
    lowest: values.length === 0 ? null : findMin(values),
    highest: values.length === 0 ? null : findMax(values),
  }
}

/** Something that has ended on an unknown day ends today. */
function countDays(day: string, endsOn: string | null): number {
  return endsOn === null ? 0 : Math.round((Date.parse(endsOn) - Date.parse(day)) / DAY_MS)
}

function describeSeries({ label, firmwareName, versionName, deviceCount }: EndingSupport): string {
  const devices = `${deviceCount} device${deviceCount === 1 ? '' : 's'}`
  return `${label} in ${firmwareName} ${versionName}, on ${devices}`
}
