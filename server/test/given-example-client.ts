/** Starts the clients in examples/, and ends what a test started. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { resolve } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { it } from 'vitest'
import { closeAtEndOfFile } from './end-of-file.ts'

export const EXAMPLES = resolve(import.meta.dirname, '../../examples')

/** Ends with the test file. */
export function keep(child: ChildProcess): void {
  closeAtEndOfFile(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return
    const ended = new Promise((resolveEnd) => child.once('close', resolveEnd))
    child.kill('SIGKILL')
    await ended
  })
}

export interface ProgramRun {
  command: string
  args: string[]
  env: Record<string, string>
}

/** What it wrote so far is the answer of `output`. */
export function start({ command, args, env }: ProgramRun) {
  const child = spawn(command, args, {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  keep(child)
  let written = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      written += chunk.toString()
    })
  return { child, output: () => written }
}

/** Until it holds, or the client has ended. */
export async function eventually(
  holds: () => Promise<boolean>,
  { child, output }: ReturnType<typeof start>,
): Promise<void> {
  while (!(await holds())) {
    if (child.exitCode !== null) throw new Error(`the client has ended:\n${output()}`)
    await delay(100)
  }
}

/** Skips, saying so, where a command is missing. */
export function givenPrograms(...commands: string[]) {
  const missing = commands.filter((one) => spawnSync('which', [one]).status !== 0)
  if (missing.includes('mosquitto_pub') && process.env['PLIMSOLL_REQUIRE_SERVICES'] === '1')
    throw new Error('PLIMSOLL_REQUIRE_SERVICES is set, and mosquitto_pub is missing')
  if (missing.length > 0) process.stderr.write(`skipped, missing: ${missing.join(', ')}\n`)
  return it.skipIf(missing.length > 0)
}
