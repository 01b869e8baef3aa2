/** What a run of the client reads and writes: the process's own, or what tests give it. */
import { AsyncLocalStorage } from 'node:async_hooks'
import type { EventEmitter } from 'node:events'
import type { Readable, Writable } from 'node:stream'
import { EXIT } from './exit-codes.ts'

type Output = Writable & { isTTY?: boolean; columns?: number }

export interface Terminal {
  env: Record<string, string | undefined>
  stdin: Readable & { isTTY?: boolean }
  stdout: Output
  stderr: Output
  /** Emits SIGINT. */
  signals?: Pick<EventEmitter, 'once' | 'off'>
  /** Waits between two questions to the service. */
  pause?: (ms: number) => Promise<unknown>
}

export const ANSWER_FORMATS = ['json', 'yaml', 'wide', 'csv'] as const

/** How the answer is written; absent: as the command says. */
export interface AnswerFormat {
  as?: (typeof ANSWER_FORMATS)[number]
  jq?: string
}

/** A run under way; its commands set the exit code. */
interface Run extends Terminal {
  exitCode: number
  /** Only answers and failures are written, no notes. */
  isQuiet: boolean
  format: AnswerFormat
}

const current = new AsyncLocalStorage<Run>()

/** The terminal of the run that calls this; runs may go on side by side. */
export function getTerminal(): Run {
  const run = current.getStore()
  if (!run) throw new Error('No command runs.')
  return run
}

/** Runs a command to its end and returns its exit code. */
export async function runInTerminal(
  given: Terminal,
  command: () => Promise<void>,
): Promise<number> {
  const run: Run = { ...given, exitCode: EXIT.ok, isQuiet: false, format: {} }
  await current.run(run, command)
  return run.exitCode
}

/** A table is shortened to the width of a terminal, unless it was asked for in full. */
export function findWidth({ isTTY, columns }: { isTTY?: boolean; columns?: number }) {
  const isWhole = current.getStore()?.format.as === 'wide'
  return isTTY === true && !isWhole ? columns : undefined
}

/** https://no-color.org: any value that is not empty. */
export function isColoured({ isTTY }: { isTTY?: boolean }): boolean {
  const env = current.getStore()?.env ?? {}
  return isTTY === true && (env['NO_COLOR'] ?? '') === '' && env['TERM'] !== 'dumb'
}

/** Where something fails, all that is known is wanted. */
export function isDebugged(): boolean {
  return (current.getStore()?.env['PLIMSOLL_DEBUG'] ?? '') !== ''
}
