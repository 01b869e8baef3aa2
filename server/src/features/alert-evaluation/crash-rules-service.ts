/** Rules about crashes that no earlier version of the firmware had. */
import { formatCountOf } from '../../formats/counts.ts'
import { findMax, findMin } from '../../formats/extremes.ts'
import { addMs, DAY_MS } from '../../formats/instants.ts'
import type { Tx } from '../../platform/db/connect.ts'
import type { NewCrashCondition } from '../alert-rules/index.ts'
import { listRecentCrashes, nameGroup, type VersionCrashRow } from '../crashes/index.ts'
import type { DueRule, RuleVerdict } from './evaluation.ts'

export type CrashRule = Extract<DueRule, { condition: NewCrashCondition }>

/**
 * A series is a group of crashes in a version; its value is the number of devices. It ends when somebody closes the group,
 * when uploaded lines show that an earlier version crashed alike, and after its days.
 */
export async function judgeNewCrashes(
  tx: Tx,
  workspaceId: string,
  rules: readonly CrashRule[],
): Promise<RuleVerdict[]> {
  const verdicts: RuleVerdict[] = []
  for (const { windowEnd: to, condition } of rules) {
    const { newForDays, firmwareIds, minimumDevices } = condition
    const from = addMs(to, -newForDays * DAY_MS)
    const recent = (await listRecentCrashes(tx, workspaceId, { from, to })).filter(
      ({ firmware }) => firmwareIds.length === 0 || firmwareIds.includes(firmware.id),
    )
    const meeting = recent.filter(
      ({ novelty, closedAt, deviceCount }) =>
        novelty !== 'Known' && closedAt === null && deviceCount >= minimumDevices,
    )
    const values = recent.map(({ deviceCount }) => deviceCount)
    verdicts.push({
      meeting: meeting.map((crash) => ({
        // The version comes first, as its page tells of it.
        series: `${crash.firmwareVersionId}/${crash.groupId}`,
        label: describeCrash(crash),
        value: crash.deviceCount,
      })),
      kept: [],
      seriesCount: recent.length,
      // Where nothing crashed the rule has a status of Ok, not NoData.
      valueCount: Math.max(recent.length, 1),
      lowest: values.length === 0 ? null : findMin(values),
      highest: values.length === 0 ? null : findMax(values),
    })
  }
  return verdicts
}

/** `HardFault in modem_poll, new in gateway 2.4.1, on 3 devices` */
function describeCrash(crash: VersionCrashRow): string {
  const { novelty, firmware, versionName, deviceCount, buildId } = crash
  const where = `${firmware.name ?? firmware.slug} ${versionName}`
  const what =
    novelty === 'New'
      ? `new in ${where}`
      : `in ${where}, perhaps new: there are no lines for build ${buildId ?? ''} to compare it by`
  return `${nameGroup(crash)}, ${what}, on ${formatCountOf(deviceCount, 'device')}`
}
