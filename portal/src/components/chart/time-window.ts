/** The time that charts show: a range up to now, or a stretch that somebody chose. */
const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

export const RANGES = [
  { value: '1h', label: '1 h', ms: HOUR },
  { value: '6h', label: '6 h', ms: 6 * HOUR },
  { value: '24h', label: '24 h', ms: DAY },
  { value: '7d', label: '7 d', ms: 7 * DAY },
  { value: '30d', label: '30 d', ms: 30 * DAY },
  { value: '90d', label: '90 d', ms: 90 * DAY },
  { value: '1y', label: '1 y', ms: 365 * DAY },
] as const

const USUAL = RANGES[2]
/** The service answers for 400 days at most, and the ends are rounded to whole steps. */
const LONGEST = 390 * DAY
const SHORTEST = MINUTE
/** Points that a line has room for. */
const MOST_POINTS = 400

export interface TimeWindow {
  from: Date
  to: Date
  stepMs: number
  /** A key of `RANGES`. undefined: the window does not move on with the time. */
  range: string | undefined
}

/** As addresses have it: `range=7d`, or `from=…&to=…`. What cannot be read is the last day. */
export interface WindowSearch {
  range?: string | undefined
  from?: string | undefined
  to?: string | undefined
}

export function readWindow({ range, from, to }: WindowSearch, now: Date): TimeWindow {
  const [begin, end] = [Date.parse(from ?? ''), Date.parse(to ?? '')]
  if (begin < end) {
    const [first, last] = limited(begin, end)
    return { ...inSteps(first, last), range: undefined }
  }
  const { value, ms } = RANGES.find((one) => one.value === range) ?? USUAL
  return { ...inSteps(now.getTime() - ms, now.getTime()), range: value }
}

/** Neither shorter nor longer than can be asked for; the middle stays. */
function limited(begin: number, end: number): [number, number] {
  const span = Math.min(Math.max(end - begin, SHORTEST), LONGEST)
  const rest = (end - begin - span) / 2
  return [begin + rest, end - rest]
}

/** Round times. From four days on these are whole hours: the service has their sums and need not read each point. */
const STEPS = [
  ...[1, 2, 5, 10, 15, 30].map((seconds) => seconds * SECOND),
  ...[1, 2, 5, 10, 15].map((minutes) => minutes * MINUTE),
  ...[1, 2, 3, 6, 12, 24].map((hours) => hours * HOUR),
]

export function stepFor(spanMs: number): number {
  return STEPS.find((step) => spanMs / step <= MOST_POINTS) ?? DAY
}

function inSteps(begin: number, end: number): Pick<TimeWindow, 'from' | 'to' | 'stepMs'> {
  const stepMs = stepFor(end - begin)
  const from = new Date(Math.floor(begin / stepMs) * stepMs)
  return { from, to: new Date(Math.ceil(end / stepMs) * stepMs), stepMs }
}

/** The address of a stretch. */
export function writeSearch(from: Date, to: Date): Required<WindowSearch> {
  return { range: undefined, from: from.toISOString(), to: to.toISOString() }
}

/** Half as long or twice as long about an instant, which stays where it is; `factor` below 1 shows less time. */
export function zoomWindow(
  { from, to }: Pick<TimeWindow, 'from' | 'to'>,
  about: Date,
  factor: number,
): { from: Date; to: Date } {
  const scaled = (end: Date) =>
    new Date(about.getTime() + (end.getTime() - about.getTime()) * factor)
  return { from: scaled(from), to: scaled(to) }
}

/** Earlier by a share of the window when `by` is negative, else later. */
export function moveWindow(
  { from, to }: Pick<TimeWindow, 'from' | 'to'>,
  by: number,
): { from: Date; to: Date } {
  const ms = (to.getTime() - from.getTime()) * by
  return { from: new Date(from.getTime() + ms), to: new Date(to.getTime() + ms) }
}

/** "30 s", "5 min", "3 h", "1 d". */
export function formatSpan(ms: number): string {
  if (ms < 2 * MINUTE) return `${Math.round(ms / SECOND)} s`
  if (ms < 2 * HOUR) return `${Math.round(ms / MINUTE)} min`
  if (ms < 2 * DAY) return `${Math.round(ms / HOUR)} h`
  return `${Math.round(ms / DAY)} d`
}
