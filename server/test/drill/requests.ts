/**
 * In which order requests may have been applied that one client sent for one object, one after another.
 *
 * - An accepted request was applied once, before its answer.
 * - A refused one (4xx) never is.
 * - Of a failed one (5xx), and of one without an answer, nobody knows: it is applied once at most, at any time until the
 *   process of the service has ended that got it. A client that hung up stops no write; PostgreSQL lets a later
 *   transaction have a row for which an earlier one waits. So it may come after requests that were sent later and accepted.
 * - The next process begins after the end of the one before and of its database: then nothing of it can come any more.
 */

/** A process of the service. */
export interface ServiceRun {
  pid: number | undefined
  startedAt: Date
}

export interface SentRequest<Value> {
  number: number
  value: Value
  sentAt: Date
  /** When it was answered, or given up. */
  endedAt: Date
  /** undefined: there was no answer. */
  status: number | undefined
  run: ServiceRun
}

export const isAccepted = ({ status = 0 }: SentRequest<unknown>) => status >= 200 && status < 300
export const isUncertain = ({ status = 500 }: SentRequest<unknown>) => status >= 500

/** Whether a request had been applied, or never would be, when a later one was sent. */
const isOver = (earlier: SentRequest<unknown>, later: SentRequest<unknown>) =>
  !isUncertain(earlier) || earlier.run !== later.run

/** The last accepted value, and those of which nobody knows that may have been applied after it. */
export function valuesThatMayHold<Value>(sent: readonly SentRequest<Value>[]): Value[] {
  const lastIndex = sent.findLastIndex(isAccepted)
  const last = sent[lastIndex]
  const mayHold = (one: SentRequest<Value>, index: number) =>
    one === last || (isUncertain(one) && (!last || index > lastIndex || !isOver(one, last)))
  return sent.filter(mayHold).map(({ value }) => value)
}

/** Compares what was sent with the numbers of the requests that were applied, in their order. */
export function faultsOfOrder(
  sent: readonly SentRequest<unknown>[],
  applied: readonly number[],
): string[] {
  const faults = sent.flatMap((one) => faultOfCount(one, applied) ?? [])
  const known = new Set(sent.map(({ number }) => number))
  for (const number of applied)
    if (!known.has(number)) faults.push(`request ${number} was applied, and never sent`)
  for (const [index, earlier] of sent.entries())
    for (const later of sent.slice(index + 1))
      if (isOver(earlier, later) && isAfter(applied, earlier.number, later.number))
        faults.push(`request ${earlier.number} was applied after request ${later.number}`)
  return faults
}

function faultOfCount(one: SentRequest<unknown>, applied: readonly number[]): string | undefined {
  const count = applied.filter((number) => number === one.number).length
  const [least, most] = isUncertain(one) ? [0, 1] : isAccepted(one) ? [1, 1] : [0, 0]
  if (count >= least && count <= most) return undefined
  return `request ${one.number} (${one.status ?? 'no answer'}) was applied ${count} times`
}

/** How many were applied after one that was sent later. */
export function countOvertaken(
  sent: readonly SentRequest<unknown>[],
  applied: readonly number[],
): number {
  return sent.filter(({ number }, index) =>
    sent.slice(index + 1).some((later) => isAfter(applied, number, later.number)),
  ).length
}

/** Whether both were applied, `first` later than `second`. */
function isAfter(applied: readonly number[], first: number, second: number): boolean {
  return applied.includes(second) && applied.lastIndexOf(first) > applied.indexOf(second)
}

export function inWords({
  number,
  value,
  sentAt,
  endedAt,
  status,
  run,
}: SentRequest<unknown>): string {
  const answer = status === undefined ? 'given up' : `answered ${status}`
  return (
    `request ${number}: ${String(value)}, sent ${sentAt.toISOString()}, ${answer} ${endedAt.toISOString()}, ` +
    `by process ${run.pid ?? 'unknown'} of ${run.startedAt.toISOString()}`
  )
}
