/** Tells before the security.txt expires that people serve: a stale one is not to be used (RFC 9116, section 2.5.5). */
import { DAY_MS, formatInstant, HOUR_MS } from '../../formats/instants.ts'

/** Days before. */
const STEPS = [1, 7, 30] as const

export interface SecurityTextDeadline {
  /** Another one with each step, so that each is told once: `security-text/7d`. */
  series: string
  label: string
  /** Negative: hours that have passed. */
  hoursLeft: number
  isDrill: false
  isGoodPractice: true
}

export function describeDeadline(servedUntil: Date, at: Date): SecurityTextDeadline[] {
  const leftMs = servedUntil.getTime() - at.getTime()
  const step = findStep(leftMs)
  if (step === undefined) return []
  const on = `${formatInstant(servedUntil)}: serve a new one`
  return [
    {
      series: `security-text/${step}`,
      label: leftMs < 0 ? `security.txt has EXPIRED on ${on}` : `security.txt expires on ${on}`,
      hoursLeft: Math.round(leftMs / (HOUR_MS / 10)) / 10,
      isDrill: false,
      isGoodPractice: true,
    },
  ]
}

/** `7d`, or the day since it expired; undefined: it does not expire soon. */
function findStep(leftMs: number): string | undefined {
  if (leftMs < 0) return `expired-${Math.floor(-leftMs / DAY_MS)}`
  const step = STEPS.find((days) => leftMs <= days * DAY_MS)
  return step === undefined ? undefined : `${step}d`
}
