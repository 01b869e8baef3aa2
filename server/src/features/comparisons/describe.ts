/** What a comparison found, in words. */
import { formatCountOf, formatNumber } from '../../formats/counts.ts'
import { LEAST_DEVICES } from '../../formats/comparison/compare-changes.ts'
import { DAY_SECONDS } from '../../formats/instants.ts'
import type { BuiltInSignal, ComparisonPlan } from './plan.ts'
import type { ComparedSignal, GroupCounts, GroupResult, SignalResult } from './result.ts'
import type { Silence } from './silence.ts'

const NAMES: Record<BuiltInSignal | 'Silence', string> = {
  Silence: 'Silence',
  Restarts: 'Restarts',
  Crashes: 'Crashes',
  LogErrors: 'Log errors',
  ConnectionTime: 'Connection time',
}

function nameSignal({
  builtIn,
  name,
  labels,
}: Pick<ComparedSignal, 'builtIn' | 'name' | 'labels'>) {
  if (builtIn !== null) return NAMES[builtIn]
  const told = Object.entries(labels).map(([label, value]) => `${label}=${value}`)
  return told.length === 0 ? name : `${name} (${told.join(', ')})`
}

type Found = Omit<SignalResult, 'detail'>

interface Told {
  confidencePercent: number
  /** Devices that reported it before the update, and not after it. */
  lost: GroupCounts
  /** Devices that are left out, as they ran the version already in the window before. */
  ranIt: GroupCounts
  /** Why it was not read to its end; undefined: it was. */
  failure: string | undefined
  /** undefined: it is a signal with values. */
  silence: Silence | undefined
}

/**
 * "Restarts: updated devices 31 % more than waiting ones (95 %: 18 to 46 %), 100 and 400 devices compared", and of what is not worse the
 * smallest change that would have been seen.
 */
export function describeResult(found: Found, told: Told): string {
  if (told.silence) return `Silence: ${describeSilence(found, told.silence)}`
  const { updated, waiting } = found
  const left = describeLeftOut(found, told)
  const compared = `${formatNumber(updated.deviceCount)} and ${formatCountOf(waiting.deviceCount, 'device')} compared`
  return `${nameSignal(found)}: ${describeFinding(found, told, compared)}${left}`
}

function describeFinding(found: Found, told: Told, compared: string): string {
  const { verdict, updated, waiting } = found
  if (verdict === 'NotMeasured') return describeNotMeasured(found, told)
  if (verdict === 'TooFew')
    return `too few to tell: ${formatCountOf(updated.deviceCount, 'updated device')} and ${formatCountOf(waiting.deviceCount, 'waiting one')} with values, ${LEAST_DEVICES} of each are needed${describeAlone(found)}`
  const difference = `${describeDifference(found)}${describeInterval(found, told.confidencePercent)}`
  return `${difference}, ${compared}${describeSmallest(found)}`
}

function describeNotMeasured({ updated, waiting }: Found, { lost, failure }: Told): string {
  if (failure !== undefined) return `it could not be read, so nothing is known of it. ${failure}`
  if (updated.deviceCount + waiting.deviceCount === 0 && lost.updated + lost.waiting === 0)
    return 'no device reports it around the update'
  const ofLost = (group: GroupResult, count: number, name: string) =>
    `${formatNumber(count)} of ${formatCountOf(group.deviceCount + count, name)}`
  return `too many updated devices stopped to report it, so the others do not tell enough: ${ofLost(updated, lost.updated, 'updated device')} and ${ofLost(waiting, lost.waiting, 'waiting one')} reported it before and not after`
}

/** What a result that is not worse does not exclude. */
function describeSmallest({
  verdict,
  worse,
  updated,
  smallestPercent,
  smallestDevices,
}: Found): string {
  if (verdict !== 'NotWorse') return ''
  if (smallestPercent !== null) {
    const change = worse === 'Higher' ? 'rise' : 'fall'
    if (roundPercent(smallestPercent) === 0) return `; any ${change} would have been seen`
    return `; a ${change} of less than ${formatPercent(smallestPercent)} % may not have been seen`
  }
  if (smallestDevices !== null)
    return `; it may not have been seen on fewer than ${formatNumber(smallestDevices)} of ${formatCountOf(updated.deviceCount, 'updated device')}`
  return '; no change at all could have been seen'
}

function describeSilence(found: Found, { afterSeconds, earlyCount }: Silence): string {
  const { updated, waiting, verdict } = found
  const silent = ({ deviceCount, meanAfter }: GroupResult) =>
    formatNumber(Math.round(deviceCount * (meanAfter ?? 0)))
  const early =
    earlyCount === 0
      ? ''
      : `; of ${formatCountOf(earlyCount, 'updated device')} it is too early to tell`
  const counts = `${silent(updated)} of ${formatCountOf(updated.deviceCount, 'updated device')} and ${silent(waiting)} of ${formatCountOf(waiting.deviceCount, 'waiting one')} fell silent (not heard of for ${formatRoughly(afterSeconds)})`
  if (verdict !== 'TooFew') return `${counts}${describeSmallest(found)}${early}`
  const isSmall = updated.deviceCount < LEAST_DEVICES || waiting.deviceCount < LEAST_DEVICES
  const why = isSmall
    ? `, ${LEAST_DEVICES} of each are needed to tell`
    : ', which is more than chance should do, and too few to tell'
  return `${counts}${why}${early}`
}

const UNITS = [
  [DAY_SECONDS, 'day'],
  [3_600, 'hour'],
  [60, 'minute'],
] as const

function formatRoughly(seconds: number): string {
  const [length, name] = UNITS.find((unit) => seconds >= 2 * unit[0]) ?? ([1, 'second'] as const)
  return formatCountOf(Math.round(seconds / length), name)
}

/** Where nothing waits, the change of the updated ones is all there is. */
function describeAlone({ updated, waiting }: Found): string {
  const change = updated.changePercent
  if (waiting.deviceCount > 0 || change === null || updated.deviceCount === 0) return ''
  return `; after the update they changed by ${formatPercent(change)} %`
}

function describeDifference({ differencePercent, worse, verdict }: Found): string {
  if (differencePercent === null)
    return verdict === 'Worse'
      ? 'more on updated devices than on waiting ones, and hardly any before'
      : 'no difference, and hardly any before'
  const rounded = roundPercent(differencePercent)
  if (rounded === 0) return 'updated devices as much as waiting ones'
  const than = rounded > 0 ? 'more' : 'less'
  const better = rounded > 0 === (worse === 'Higher') ? '' : ', which is better,'
  return `updated devices ${Math.abs(rounded)} % ${than} than waiting ones${better}`
}

function describeInterval(
  { fromPercent, toPercent, differencePercent }: Found,
  confidence: number,
) {
  if (differencePercent === null || (fromPercent === null && toPercent === null)) return ''
  const from = fromPercent === null ? 'up' : formatPercent(fromPercent)
  const text =
    toPercent === null
      ? `at least ${from} %`
      : fromPercent === null
        ? `at most ${formatPercent(toPercent)} %`
        : `${from} to ${formatPercent(toPercent)} %`
  return ` (${confidence} %: ${text})`
}

function describeLeftOut({ updated, waiting }: Found, { ranIt }: Told): string {
  const parts = [
    ['updated', updated, ranIt.updated],
    ['waiting', waiting, ranIt.waiting],
  ] as const
  const told = parts.flatMap(([name, { deviceCount, withoutValuesCount }, ran]) => {
    const without = withoutValuesCount - ran
    const of = (count: number) =>
      `${formatNumber(count)} of ${formatCountOf(deviceCount + withoutValuesCount, `${name} device`)}`
    return [
      ...(without > 0 ? [`${of(without)} reported no values`] : []),
      ...(ran > 0 ? [`${of(ran)} ran the version already in the time before`] : []),
    ]
  })
  return told.length === 0 ? '' : `; ${told.join(', ')}`
}

const roundPercent = (percent: number) =>
  Math.abs(percent) < 10 ? Math.round(percent * 10) / 10 : Math.round(percent)
const formatPercent = (percent: number) => String(roundPercent(percent))

interface Counted {
  ready: number
  begun: number
  underWay: number
  open: number
  waiting: number
}

/** What a phase waits for whose devices cannot be compared yet. */
export function describeWaiting(
  { ready, begun, underWay, open }: Counted,
  plan: ComparisonPlan,
): string {
  const window = formatSpan(plan.windowSeconds)
  const rest = [
    ...(begun > 0 ? [`${formatNumber(begun)} began it and do not run it`] : []),
    ...(underWay > 0 ? [`${formatNumber(underWay)} run it for a shorter time`] : []),
    ...(open > 0 ? [`${formatNumber(open)} have yet to take it`] : []),
  ]
  const tail = rest.length === 0 ? '' : `; ${rest.join(', ')}`
  return `${formatCountOf(ready, 'device')} of at least ${LEAST_DEVICES} ran the update for ${window}${tail}`
}

export const describeSoFar = (count: number) =>
  `${formatCountOf(count, 'updated device')} compared so far: nothing is worse`

const NOTHING_WAITS =
  'Nothing waits any more, so updated devices were compared with themselves before only, which tells nothing of what else changed: '

/** Why the state of the phase is what it is: the signals that made it so. */
export function describeState(
  state: 'Waiting' | 'TooFew' | 'Passed' | 'Worse',
  results: readonly SignalResult[],
  hasWaiting: boolean,
): string {
  const details = (verdicts: readonly string[]) =>
    results
      .filter(({ verdict }) => verdicts.includes(verdict))
      .map(({ detail }) => detail)
      .join('. ')
  if (state === 'Worse') return details(['Worse'])
  if (state === 'Passed') return details(['NotWorse'])
  return (hasWaiting ? '' : NOTHING_WAITS) + details(['TooFew', 'NotMeasured'])
}

function formatSpan(seconds: number): string {
  const unit = UNITS.find(([length]) => seconds % length === 0)
  return unit ? formatCountOf(seconds / unit[0], unit[1]) : formatCountOf(seconds, 'second')
}
