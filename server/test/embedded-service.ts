/** Runs `run-embedded-postgres.ts` as a process that tests may kill or run as another user. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

export const RUNNER = join(import.meta.dirname, 'run-embedded-postgres.ts')

export async function runService(prefix: string[], dataDir: string, path = process.env['PATH']) {
  const [program, ...rest] = [...prefix, process.execPath, RUNNER, dataDir]
  const child = spawn(program ?? '', rest, {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, PATH: path },
  })
  const output: unknown[] = await Promise.race([
    once(createInterface(child.stdout), 'line'),
    once(child, 'exit').then(() => ['{}']),
  ])
  const { connectionString = '', pid = 0 } = JSON.parse(String(output[0])) as {
    connectionString?: string
    pid?: number
  }
  return { child, connectionString, pid }
}

export async function endService(child: ChildProcess): Promise<unknown> {
  const exit = once(child, 'exit')
  child.kill('SIGTERM')
  const [code] = (await exit) as unknown[]
  return code
}

export function isAlive(pid: number): boolean {
  const { stdout } = spawnSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' })
  // A zombie has ended, but its new parent has not noticed, as in a container without an init. One question, not two: a
  // process that is reaped between them would be neither gone nor a zombie.
  return stdout !== '' && !stdout.startsWith('Z')
}
