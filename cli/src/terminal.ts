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

/** A run under way; its commands set the exit code. */
interface Run extends Terminal {
  exitCode: number
  /** Only answers and failures are written, no notes. */
  isQuiet: boolean
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
  const run: Run = { ...given, exitCode: EXIT.ok, isQuiet: false }
  await current.run(run, command)
  return run.exitCode
}

/** https://no-color.org: any value that is not empty. */
export function isColoured({ isTTY }: { isTTY?: boolean }): boolean {
  const env = current.getStore()?.env ?? {}
  return isTTY === true && (env['NO_COLOR'] ?? '') === '' && env['TERM'] !== 'dumb'
}
