/** Until when people have said that what runs a firmware version is supported, and what that means on a day (decision 110). */
import { formatCountOf } from '../counts.ts'
import { addDays, DAY_MS } from '../instants.ts'
import { formatDay } from './states.ts'

export const PERIOD_STATES = ['Ended', 'EndsSoon', 'Promised', 'NotKnown'] as const
type PeriodState = (typeof PERIOD_STATES)[number]

export const STATED_FOR = ['ProductLine', 'ReleaseLine', 'Firmware'] as const

/** Ends that are nearer than this are told wherever the version is shown. */
export const SOON_DAYS = 180

/** The ends that are stated for a version, each as the first day without support; null: none is stated. */
export interface StatedEnds {
  /** null: the firmware is of no product line. */
  productLine: string | null
  productLineEndsOn: string | null
  /** null: the version is of no release line. */
  releaseLine: string | null
  releaseLineEndsOn: string | null
  firmware: string
  firmwareEndsOn: string | null
}

/** Of a version that is deleted while an answer is made, beside the name of its firmware. */
export const NO_ENDS: Omit<StatedEnds, 'firmware'> = {
  productLine: null,
  productLineEndsOn: null,
  releaseLine: null,
  releaseLineEndsOn: null,
  firmwareEndsOn: null,
}

interface EndStatement {
  statedFor: (typeof STATED_FOR)[number]
  name: string
  endsOn: string
  state: PeriodState
}

interface SupportPeriod {
  state: PeriodState
  endsOn: string | null
  daysLeft: number | null
  sentence: string
  statements: EndStatement[]
}

/** That of the product line counts: it is the support period that the manufacturer declares (13(8)). What else is stated is told beside it. */
export function decidePeriod(ends: StatedEnds, day: string): SupportPeriod {
  const statements = listStatements(ends, day)
  const [first, ...others] = statements
  if (!first)
    return {
      state: 'NotKnown',
      endsOn: null,
      daysLeft: null,
      sentence: explainUnknown(ends),
      statements,
    }
  const { state, endsOn } = first
  const words = [
    `${tellEnd(first, day)}, as stated for ${nameStatement(first)}`,
    ...tellOthers(first, others, { day, name: nameStatement }),
  ]
  const sentence = capitalise(words.join('; '))
  return { state, endsOn, daysLeft: countDays(day, endsOn), sentence, statements }
}

/**
 * `out of support since 2026-10-01`, beside a mark; undefined: nothing has ended or ends soon, or no end is known. It names no line, as
 * badges are shown to anybody.
 */
export function notePeriod(ends: StatedEnds, day: string): string | undefined {
  const [first, ...others] = listStatements(ends, day)
  if (!first) return undefined
  if (![first, ...others].some(({ state }) => state === 'Ended' || state === 'EndsSoon'))
    return undefined
  const unnamed = (one: EndStatement) => WORDS[one.statedFor].replace('the', 'its')
  return [tellEnd(first, day), ...tellOthers(first, others, { day, name: unnamed })].join('; ')
}

/** That of a release line comes before that of its firmware. */
function listStatements(ends: StatedEnds, day: string): EndStatement[] {
  const { productLine, productLineEndsOn, releaseLine, releaseLineEndsOn, firmware } = ends
  const state = (endsOn: string, of: Pick<EndStatement, 'statedFor' | 'name'>): EndStatement => ({
    ...of,
    endsOn,
    state: decidePeriodState(endsOn, day),
  })
  return [
    ...(productLineEndsOn === null
      ? []
      : [state(productLineEndsOn, { statedFor: 'ProductLine', name: productLine ?? '' })]),
    ...(releaseLineEndsOn === null
      ? []
      : [state(releaseLineEndsOn, { statedFor: 'ReleaseLine', name: releaseLine ?? '' })]),
    ...(releaseLineEndsOn !== null || ends.firmwareEndsOn === null
      ? []
      : [state(ends.firmwareEndsOn, { statedFor: 'Firmware', name: firmware })]),
  ]
}

function decidePeriodState(endsOn: string, day: string): PeriodState {
  if (endsOn <= day) return 'Ended'
  return countDays(day, endsOn) <= SOON_DAYS ? 'EndsSoon' : 'Promised'
}

const countDays = (day: string, endsOn: string) =>
  Math.round((Date.parse(endsOn) - Date.parse(day)) / DAY_MS)

/** Promises name their last day, as people say it; what is over, the first day without support. */
function tellEnd({ endsOn, state }: EndStatement, day: string): string {
  const lastDay = formatDay(addDays(new Date(endsOn), -1))
  if (state === 'Ended') return `out of support since ${endsOn}`
  if (state === 'Promised') return `supported until ${lastDay}`
  return `support ends in ${formatCountOf(countDays(day, endsOn), 'day')}, after ${lastDay}`
}

const tellOthers = (
  first: EndStatement,
  others: readonly EndStatement[],
  { day, name }: { day: string; name: (one: EndStatement) => string },
) =>
  others
    .filter(({ endsOn }) => endsOn !== first.endsOn)
    .map((other) => `${name(other)}: ${tellEnd(other, day)}`)

const WORDS: Record<EndStatement['statedFor'], string> = {
  ProductLine: 'the product line',
  ReleaseLine: 'the release line',
  Firmware: 'the firmware',
}

const nameStatement = ({ statedFor, name }: EndStatement) => `${WORDS[statedFor]} ${name}`

function explainUnknown({ productLine }: StatedEnds): string {
  return productLine === null
    ? 'No end of support is known: the firmware is of no product line, and nobody has stated one for it'
    : `No end of support is known: nobody has stated one for the product line ${productLine}`
}

const capitalise = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)
