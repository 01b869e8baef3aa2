/** Describes why a command failed, and gives its exit code. */
import { ApiProblem, UnexpectedAnswer } from '../../api-client/src/index.ts'
import { EXIT, type ExitCode } from './exit-codes.ts'
import { printable } from './printable.ts'

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
  return { exitCode, lines: lines.flatMap((line) => line.split('\n')).map(printable) }
}

function known(error: unknown): Failure {
  if (error instanceof CliError) return { exitCode: error.exitCode, lines: [error.message] }
  if (error instanceof ApiProblem) {
    const { status, detail, errors } = error.problem
    // With one fault the detail repeats it; with several the pointers tell them apart.
    const fields = errors
      .filter(({ pointer }) => pointer !== '')
      .flatMap((field) => {
        if (field.detail !== detail) return [`  ${field.pointer}: ${field.detail}`]
        return /\/\d+(?:\/|$)/.test(field.pointer) ? [`  at ${field.pointer}`] : []
      })
    return { exitCode: exitCodeOf(status), lines: [detail, ...fields] }
  }
  if (error instanceof UnexpectedAnswer)
    return {
      exitCode: exitCodeOf(error.status),
      lines: [error.message, 'Is --url (or PLIMSOLL_URL) right?'],
    }
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error)
  return { exitCode: EXIT.error, lines: [text] }
}

function exitCodeOf(status: number): ExitCode {
  if (status === 401 || status === 403) return EXIT.unauthorised
  return status === 429 || status >= 500 ? EXIT.unavailable : EXIT.error
}
