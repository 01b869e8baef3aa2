/** Describes why a command failed, and gives its exit code. */
import { ApiProblem, UnexpectedAnswer } from '../../api-client/src/index.ts'
import { EXIT, type ExitCode } from './exit-codes.ts'
import { findFileFault } from './file-faults.ts'
import { withWayToList } from './not-found.ts'
import { sanitise } from './printable.ts'
import { isDebugged } from './terminal.ts'

export class CliError extends Error {
  override readonly name = 'CliError'
  readonly exitCode: ExitCode

  constructor(exitCode: ExitCode, message: string) {
    super(message)
    this.exitCode = exitCode
  }
}

export function usageError(message: string): CliError {
  return new CliError(EXIT.error, message)
}

export interface Failure {
  exitCode: ExitCode
  lines: string[]
}

export function describeFailure(error: unknown): Failure {
  const { exitCode, lines } = known(error)
  return { exitCode, lines: lines.flatMap((line) => line.split('\n')).map(sanitise) }
}

function endWithWayToList(lines: readonly string[]): string[] {
  const last = lines.at(-1) ?? ''
  const [, missing] = /\bNo ([\w ]+) has the id /.exec(last) ?? []
  return [...lines.slice(0, -1), withWayToList(last, missing?.toLowerCase() ?? '')]
}

const OVERTAKEN =
  'Somebody else changed it meanwhile, so nothing was written: look at it again, and repeat the command.'

function known(error: unknown): Failure {
  if (error instanceof CliError) return { exitCode: error.exitCode, lines: [error.message] }
  if (error instanceof ApiProblem) {
    const { status, type, detail, errors } = error.problem
    if (type === '/problems/changed-meanwhile') return { exitCode: EXIT.error, lines: [OVERTAKEN] }
    // With one fault the detail repeats it; with several the pointers tell them apart.
    const fields = errors
      .filter((field) => field.pointer !== '' && detail !== `${field.pointer} ${field.detail}.`)
      .flatMap((field) => {
        if (field.detail !== detail) return [`  ${field.pointer}: ${field.detail}`]
        return /\/\d+(?:\/|$)/.test(field.pointer) ? [`  at ${field.pointer}`] : []
      })
    return { exitCode: chooseExitCode(status), lines: endWithWayToList([detail, ...fields]) }
  }
  if (error instanceof UnexpectedAnswer)
    return {
      exitCode: chooseExitCode(error.status),
      lines: [error.message, findHint(error)],
    }
  if (isCutOff(error))
    return {
      exitCode: EXIT.unavailable,
      lines: ['The connection to the service ended before its answer was complete.'],
    }
  if (error instanceof SyntaxError)
    return {
      exitCode: EXIT.unavailable,
      lines: [`The answer of the service is not whole, or not JSON: ${error.message}.`],
    }
  if (isOutputClosed(error)) return { exitCode: EXIT.outputClosed, lines: [] }
  return { exitCode: EXIT.error, lines: [describeFileFault(error) ?? describeBug(error)] }
}

/** Also for failures whose cause is that of a file, such as those of an upload. */
function describeFileFault(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined
  const why = findFileFault(error)
  if (why === undefined)
    return error.cause === undefined ? undefined : describeFileFault(error.cause)
  const path = 'path' in error && typeof error.path === 'string' ? error.path : 'a file'
  return `Cannot use ${path}: ${why}.`
}

/** One sentence for people; the place in the code for those who report it. */
function describeBug(error: unknown): string {
  if (!(error instanceof Error)) return describeBug(new Error(String(error)))
  if (isDebugged()) return error.stack ?? error.message
  return `Failed by a fault of plimsoll, or an answer it does not know: ${error.message.replace(/\.$/, '')}. PLIMSOLL_DEBUG=1 shows where.`
}

/** The reader of the answer has gone, as in `plimsoll findings list | head -1`: nobody waits for this failure. */
function isOutputClosed(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EPIPE'
}

/** What fetch throws when the connection ends within an answer (undici). */
export function isCutOff(error: unknown): boolean {
  return error instanceof TypeError && error.message === 'terminated'
}

/** What in front of the service may have given such an answer. */
function findHint({ status, server = '' }: UnexpectedAnswer): string {
  switch (status) {
    case 401:
    case 403:
      return 'Does a proxy in front of the service want a login of its own, or forbid this?'
    case 413:
      return /nginx/i.test(server)
        ? 'The upload is larger than nginx lets through: raise its client_max_body_size (0: no limit).'
        : 'The upload is larger than the proxy in front of the service lets through (nginx: client_max_body_size).'
    case 414:
    case 431:
      return 'The proxy in front of the service takes no address or headers of this length.'
    case 502:
    case 503:
    case 504:
      return 'The proxy in front of the service does not reach it: does the service run?'
    default:
      return isRedirectedToLogin(status)
        ? 'Is this the login page of a proxy? Otherwise: is --url (or PLIMSOLL_URL) right?'
        : 'Is --url (or PLIMSOLL_URL) right?'
  }
}

/** A page instead of JSON: requests were led to a form where people sign in, or to another program. */
function isRedirectedToLogin(status: number): boolean {
  return status >= 200 && status < 400
}

function chooseExitCode(status: number): ExitCode {
  if (status === 401 || status === 403) return EXIT.unauthorised
  return status === 429 || status >= 500 ? EXIT.unavailable : EXIT.error
}
