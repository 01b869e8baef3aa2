/** Reads the feedback of a hawkBit client about an action (Direct Device Integration API). */
import { invalid } from '../../platform/errors.ts'
import { cutText } from '../../formats/shorten.ts'

const EXECUTIONS = [
  'closed',
  'proceeding',
  'canceled',
  'scheduled',
  'rejected',
  'resumed',
  'download',
  'downloaded',
] as const
type Execution = (typeof EXECUTIONS)[number]

const RESULTS = ['success', 'failure', 'none'] as const
type Result = (typeof RESULTS)[number]

export interface Feedback {
  execution: Execution
  finished: Result
  /** Percent. */
  progress: number | undefined
  /** The client's messages and its status code, line by line. */
  details: readonly string[]
}

const REASON_CHARACTERS = 2_000
const LINE_CHARACTERS = 500
/** The most lines of one feedback, and of all stored feedback of an action. */
export const MAX_LINES = 50

/** Ignores `id` and `time`, which clients fill with anything. The path names the action. */
export function readFeedback(body: unknown): Feedback {
  const status = member(body, 'status')
  if (typeof status !== 'object' || status === null)
    throw invalid('status must be an object.', '/status')
  const result = member(status, 'result')
  const execution = requireOneOf(EXECUTIONS, member(status, 'execution'), '/status/execution')
  const finished = member(result, 'finished')
  // An incomplete message must not count as success. While the action is in progress, clients may omit the result.
  if (execution === 'closed' && finished === undefined)
    throw invalid('status of a closed action must have result.finished.', '/status/result/finished')
  return {
    execution,
    finished: requireOneOf(RESULTS, finished ?? 'none', '/status/result/finished'),
    progress: readProgress(member(result, 'progress')),
    details: readDetails(status),
  }
}

const CONFIRMATIONS = ['confirmed', 'denied'] as const
export type Confirmation = (typeof CONFIRMATIONS)[number]

export function readConfirmation(body: unknown): {
  confirmation: Confirmation
  details: readonly string[]
} {
  return {
    confirmation: requireOneOf(CONFIRMATIONS, member(body, 'confirmation'), '/confirmation'),
    details: readDetails(body),
  }
}

export function readAutoConfirm(body: unknown): {
  initiator: string | undefined
  remark: string | undefined
} {
  const text = (name: string) => {
    const value = member(body, name)
    return typeof value === 'string' ? toPlainText(cutText(value, LINE_CHARACTERS)) : undefined
  }
  return { initiator: text('initiator'), remark: text('remark') }
}

function member(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined
  return (value as Record<string, unknown>)[name]
}

function requireOneOf<const Known extends string>(
  known: readonly Known[],
  value: unknown,
  pointer: string,
): Known {
  const found = known.find((one) => one === value)
  if (found === undefined) throw invalid(`must be one of ${known.join(', ')}`, pointer)
  return found
}

/** Ignores progress that makes no sense, as some clients send, so that the rest of the feedback is not lost. */
function readProgress(progress: unknown): number | undefined {
  const [count, of] = [member(progress, 'cnt'), member(progress, 'of')]
  if (typeof count !== 'number' || typeof of !== 'number' || of <= 0) return undefined
  // At most 99: only closing the action means that the update is installed.
  return Math.min(99, Math.max(0, Math.floor((100 * count) / of)))
}

function readDetails(status: unknown): readonly string[] {
  const [details, code] = [member(status, 'details'), member(status, 'code')]
  const lines = (Array.isArray(details) ? details : [details])
    .filter((line) => typeof line === 'string')
    .flatMap((text) => toPlainText(cutText(text, LINE_CHARACTERS)) || [])
  if (typeof code === 'number') lines.push(`Status code ${code}.`)
  return lines.slice(-MAX_LINES)
}

const ERROR = /error|fail/i
const MAX_ERRORS = 3

/**
 * The reason of a failure. SWUpdate closes an action with a general message; the cause is in the error lines that it
 * sent before.
 */
export function chooseFailureReason(closing: readonly string[], before: readonly string[]): string {
  const errors = before.filter((line) => ERROR.test(line) && !closing.includes(line))
  const lines = [...closing, ...new Set(errors.slice(-MAX_ERRORS))]
  return cutText(lines.join('\n'), REASON_CHARACTERS)
}

/** Replaces what PostgreSQL cannot store and terminals cannot show. */
function toPlainText(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(/[\u0000-\u0008\u000B-\u001F\u007F]/g, ' ')
    .trim()
}
