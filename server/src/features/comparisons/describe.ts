/** What a comparison found, in words. */
import { formatCountOf, formatNumber } from '../../formats/counts.ts'
import { LEAST_DEVICES } from '../../formats/comparison/compare-changes.ts'
import { DAY_SECONDS } from '../../formats/instants.ts'
import type { BuiltInSignal, ComparisonPlan, Signal } from './plan.ts'
import type { GroupResult, SignalResult } from './result.ts'

const NAMES: Record<BuiltInSignal, string> = {
  Restarts: 'Restarts',
  Crashes: 'Crashes',
  LogErrors: 'Log errors',
  ConnectionTime: 'Connection time',
}

function nameSignal({ builtIn, name, labels }: Pick<Signal, 'builtIn' | 'name' | 'labels'>) {
  if (builtIn !== null) return NAMES[builtIn]
  const told = Object.entries(labels).map(([label, value]) => `${label}=${value}`)
  return told.length === 0 ? name : `${name} (${told.join(', ')})`
}

type Found = Omit<SignalResult, 'detail'>

/** "Restarts: updated devices 31 % more than waiting ones (95 %: 18 to 46 %), 100 and 400 devices compared" */
export function describeResult(found: Found, confidencePercent: number): string {
  const { updated, waiting } = found
  const left = describeLeftOut(updated, waiting)
  const compared = `${formatNumber(updated.deviceCount)} and ${formatCountOf(waiting.deviceCount, 'device')} compared`
  return `${nameSignal(found)}: ${describeFinding(found, confidencePercent, compared)}${left}`
}

function describeFinding(found: Found, confidencePercent: number, compared: string): string {
  const { verdict, updated, waiting } = found
  if (verdict === 'NotMeasured') return 'no device reports it around the update'
  if (verdict === 'TooFew')
    return `too few to tell: ${formatCountOf(updated.deviceCount, 'updated device')} and ${formatCountOf(waiting.deviceCount, 'waiting one')} with values, ${LEAST_DEVICES} of each are needed${describeAlone(found)}`
  return `${describeDifference(found)}${describeInterval(found, confidencePercent)}, ${compared}`
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
      ? 'updated devices have it, and before hardly any had'
      : 'no difference, and before hardly any had it'
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

function describeLeftOut(updated: GroupResult, waiting: GroupResult): string {
  const parts = [
    ['updated', updated],
    ['waiting', waiting],
  ] as const
  const told = parts.flatMap(([name, { deviceCount, withoutValuesCount: without }]) =>
    without === 0
      ? []
      : [
          `${formatNumber(without)} of ${formatCountOf(without + deviceCount, `${name} device`)} reported no values`,
        ],
  )
  return told.length === 0 ? '' : `; ${told.join(', ')}`
}

const roundPercent = (percent: number) =>
  Math.abs(percent) < 10 ? Math.round(percent * 10) / 10 : Math.round(percent)
const formatPercent = (percent: number) => String(roundPercent(percent))

interface Counted {
  ready: number
  underWay: number
  open: number
  waiting: number
}

/** What a phase waits for whose devices cannot be compared yet. */
export function describeWaiting({ ready, underWay, open }: Counted, plan: ComparisonPlan): string {
  const window = formatSpan(plan.windowSeconds)
  const rest = [
    ...(underWay > 0 ? [`${formatNumber(underWay)} run it for a shorter time`] : []),
    ...(open > 0 ? [`${formatNumber(open)} have yet to take it`] : []),
  ]
  const tail = rest.length === 0 ? '' : `; ${rest.join(', ')}`
  return `${formatCountOf(ready, 'device')} of at least ${LEAST_DEVICES} ran the update for ${window}${tail}`
}

export const describeSoFar = (ready: number) =>
  `${formatCountOf(ready, 'updated device')} compared so far: nothing is worse`

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
  const units = [
    [DAY_SECONDS, 'day'],
    [3_600, 'hour'],
    [60, 'minute'],
  ] as const
  const unit = units.find(([length]) => seconds % length === 0)
  return unit ? formatCountOf(seconds / unit[0], unit[1]) : formatCountOf(seconds, 'second')
}
