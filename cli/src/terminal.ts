/** What a run of the client reads and writes: the process's own, or what tests give it. */
import { AsyncLocalStorage } from 'node:async_hooks'
import type { Readable, Writable } from 'node:stream'
import { EXIT } from './exit-codes.ts'

type Output = Writable & { isTTY?: boolean; columns?: number }

export interface Terminal {
  env: Record<string, string | undefined>
  stdin: Readable
  stdout: Output
  stderr: Output
}

/** A run under way; its commands set the exit code. */
interface Run extends Terminal {
  exitCode: number
}

const current = new AsyncLocalStorage<Run>()

/** The terminal of the run that calls this; runs may go on side by side. */
export function terminal(): Run {
  const run = current.getStore()
  if (!run) throw new Error('No command runs.')
  return run
}

/** Runs a command to its end and returns its exit code. */
export async function inTerminal(given: Terminal, command: () => Promise<void>): Promise<number> {
  const run: Run = { ...given, exitCode: EXIT.ok }
  await current.run(run, command)
  return run.exitCode
}
