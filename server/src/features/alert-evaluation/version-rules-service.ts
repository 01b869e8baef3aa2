/**
 * Rules about firmware versions: components whose support ends within the days that a rule states, those whose licence it asks for, and
 * crashes that no earlier version had.
 */
import { formatCountOf, formatNumber } from '../../formats/counts.ts'
import { formatDay } from '../../formats/support/states.ts'
import { findMax, findMin } from '../../formats/extremes.ts'
import { addMs, DAY_MS } from '../../formats/instants.ts'
import type { LicenceOutcome } from '../../formats/licences/licence-rules.ts'
import { shortenText } from '../../formats/shorten.ts'
import type { Tx } from '../../platform/db/connect.ts'
import type {
  ComponentSupportCondition,
  CrashRateCondition,
  LicenceCondition,
  NewCrashCondition,
} from '../alert-rules/index.ts'
import {
  type CrashRate,
  hasCrashReporters,
  listCrashRates,
  listRecentCrashes,
  nameGroup,
  type VersionCrashRow,
} from '../crashes/index.ts'
import { type LicenceInVersion, listLicencesInVersions } from '../licences/index.ts'
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
    verdicts.push(describeEnding(ending, formatDay(windowEnd)))
  }
  return verdicts
}

function describeEnding(ending: readonly EndingSupport[], day: string): RuleVerdict {
  const values = ending.map(({ endsOn }) => countDays(day, endsOn))
  return {
    meeting: ending.map((one, index) => ({
      series: `${one.firmwareVersionId}/${one.key}`,
      label: describeEnd(one),
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

function describeEnd({ label, firmwareName, versionName, deviceCount }: EndingSupport): string {
  const devices = `${deviceCount} device${deviceCount === 1 ? '' : 's'}`
  return `${label} in ${firmwareName} ${versionName}, on ${devices}`
}

export type LicenceRule = Extract<DueRule, { condition: LicenceCondition }>

/** A series is a licence in a firmware version; values are the components that state it. */
export async function judgeLicences(
  tx: Tx,
  workspaceId: string,
  rules: readonly LicenceRule[],
): Promise<RuleVerdict[]> {
  const verdicts: RuleVerdict[] = []
  for (const { condition } of rules)
    verdicts.push(describeLicences(await listLicencesInVersions(tx, { workspaceId, ...condition })))
  return verdicts
}

function describeLicences(found: readonly LicenceInVersion[] | undefined): RuleVerdict {
  const licences = found ?? []
  const values = licences.map(({ componentCount }) => componentCount)
  return {
    meeting: licences.map((one) => ({
      series: `${one.firmwareVersionId}/${one.key}`,
      label: describeLicence(one),
      value: one.componentCount,
    })),
    kept: [],
    seriesCount: licences.length,
    // Without licence rules nothing is judged: NoData. Where all may ship the rule has a status of Ok.
    valueCount: found ? Math.max(licences.length, 1) : 0,
    lowest: values.length === 0 ? null : findMin(values),
    highest: values.length === 0 ? null : findMax(values),
  }
}

const OUTCOMES: Readonly<Record<LicenceOutcome, string>> = {
  allowed: 'allowed',
  review: 'to be reviewed',
  notListed: 'in no list',
  unknown: 'unknown',
  denied: 'denied',
}

const MOST_CHARACTERS = 200

/** `AGPL-3.0-only (denied) of 2 components in Gateway 1.4, on 12 devices` */
function describeLicence(one: LicenceInVersion): string {
  const { licence, outcome, componentCount, firmwareName, versionName, deviceCount } = one
  const named = licence === null ? 'No stated licence' : shortenText(licence, MOST_CHARACTERS)
  const components = formatCountOf(componentCount, 'component')
  const devices = formatCountOf(deviceCount, 'device')
  return `${named} (${OUTCOMES[outcome]}) of ${components} in ${firmwareName} ${versionName}, on ${devices}`
}

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
      // Where nothing crashed the rule has a status of Ok; NoData where no device reports crashes.
      valueCount:
        recent.length || ((await hasCrashReporters(tx, workspaceId, firmwareIds)) ? 1 : 0),
      lowest: values.length === 0 ? null : findMin(values),
      highest: values.length === 0 ? null : findMax(values),
    })
  }
  return verdicts
}

/** `HardFault in modem_poll, new in gateway 2.4.1, on 3 devices` */
function describeCrash(crash: VersionCrashRow): string {
  const { firmware, versionName, deviceCount } = crash
  const where = `${firmware.name ?? firmware.slug} ${versionName}`
  const devices = formatCountOf(deviceCount, 'device')
  return `${nameGroup(crash)}, ${describeNovelty(crash, where)}, on ${devices}`
}

function describeNovelty({ unknownBecause, buildId }: VersionCrashRow, where: string): string {
  if (unknownBecause === 'LinesMissing')
    return `in ${where}, perhaps new: there are no lines for build ${buildId ?? ''} to compare it by`
  if (unknownBecause === 'NotMeasured')
    return `in ${where}, perhaps new: no device with an earlier version reported crashes`
  return `new in ${where}`
}

export type CrashRateRule = Extract<DueRule, { type: 'CrashRate'; condition: CrashRateCondition }>

/**
 * A series is a firmware version; its value is the share of the days of its devices on which they crashed. A version with too
 * few days has no value: what fires keeps firing.
 */
export async function judgeCrashRates(
  tx: Tx,
  workspaceId: string,
  rules: readonly CrashRateRule[],
): Promise<RuleVerdict[]> {
  const verdicts: RuleVerdict[] = []
  for (const { windowEnd, condition } of rules) {
    const { windowDays, firmwareIds, deploymentCohortId: cohortId } = condition
    const { thresholdPercent, minimumDeviceDays } = condition
    const window = { to: windowEnd, days: windowDays }
    const rates = await listCrashRates(tx, { workspaceId, firmwareIds, cohortId }, window)
    const [judged, few] = partition(rates, ({ deviceDays }) => deviceDays >= minimumDeviceDays)
    const values = judged.map(measureRate)
    verdicts.push({
      meeting: judged
        .filter((rate) => measureRate(rate) > thresholdPercent)
        .map((rate) => ({
          series: rate.firmwareVersionId,
          label: describeRate(rate),
          value: measureRate(rate),
        })),
      kept: few.map(({ firmwareVersionId }) => firmwareVersionId),
      seriesCount: rates.length,
      valueCount: judged.length,
      lowest: values.length === 0 ? null : findMin(values),
      highest: values.length === 0 ? null : findMax(values),
    })
  }
  return verdicts
}

function partition<One>(list: readonly One[], meets: (one: One) => boolean): [One[], One[]] {
  return [list.filter(meets), list.filter((one) => !meets(one))]
}

const measureRate = ({ crashedDeviceDays, deviceDays }: CrashRate) =>
  (100 * crashedDeviceDays) / deviceDays

/** `Gateway 2.4.1: crashed on 12 of 400 days of devices` */
function describeRate(rate: CrashRate): string {
  const { firmware, versionName, crashedDeviceDays, deviceDays } = rate
  const days = formatCountOf(deviceDays, 'day of devices', 'days of devices')
  return `${firmware.name ?? firmware.slug} ${versionName}: crashed on ${formatNumber(crashedDeviceDays)} of ${days}`
}
