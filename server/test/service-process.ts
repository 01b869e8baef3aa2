/** The real service as a process of its own, to be killed. */
import { type ChildProcess, spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { mkdirSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { findProgram } from './programs.ts'

/** Below those that systems give to connections and to whoever listens on port 0 (from 32768 on Linux, 49152 elsewhere). */
const PORTS = { first: 16_000, count: 16_000 }

/**
 * A port for a process that may be killed and started again: nobody else takes it meanwhile. The tests of a run share a
 * folder for temporary files, in which each port is reserved once.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = PORTS.first + randomInt(PORTS.count)
    if (isReserved(port)) continue
    const probe = createServer()
    const isFree = await new Promise<boolean>((done) => {
      probe.once('error', () => done(false))
      probe.listen(port, '127.0.0.1', () => done(true))
    })
    if (!isFree) continue
    probe.close()
    await once(probe, 'close')
    return port
  }
}

function isReserved(port: number): boolean {
  if (process.env['VITEST'] === undefined) return false
  try {
    mkdirSync(join(tmpdir(), `plimsoll-port-${port}`))
    return false
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return true
    throw error
  }
}

export interface ServiceProcess {
  url: string
  managementUrl: string
  child: ChildProcess
  /** Its output so far. */
  output: () => string
}

export interface ServiceSettings {
  dataDir: string
  port: number
  managementPort: number
  env?: Record<string, string>
  args?: string[]
  /** The folder of a release, whose programs run instead of the sources. */
  release?: string
  /** The root of sources whose programs run instead of ours. */
  sources?: string
}

export function serviceEnvironment({ dataDir, port, managementPort, env = {} }: ServiceSettings) {
  const { DATABASE_URL: _unused, ...inherited } = process.env
  return {
    ...inherited,
    PLIMSOLL_DATA_DIR: dataDir,
    PLIMSOLL_PORT: String(port),
    PLIMSOLL_MANAGEMENT_PORT: String(managementPort),
    PLIMSOLL_MQTT_PORT: '0',
    PLIMSOLL_RATE_LIMIT_PER_MINUTE: '0',
    PLIMSOLL_FEEDS: 'off',
    PLIMSOLL_PORTAL: 'off',
    ...env,
  }
}

/** Of the programs in a release. */
const NAMES = { main: 'server', admin: 'admin' } as const

/** As `npm start` sets them: freed buffers go back to the system (mallopt(3)), also the 64 KiB with which files are read. */
const MEMORY_SETTINGS = {
  MALLOC_MMAP_THRESHOLD_: '65536',
  MALLOC_TRIM_THRESHOLD_: '131072',
}

async function findCommand(
  program: keyof typeof NAMES,
  { release, sources }: ServiceSettings,
): Promise<[string, ...string[]]> {
  if (release !== undefined) return [`${release}/bin/plimsoll-${NAMES[program]}`]
  const file = await findProgram(program, sources)
  return [process.execPath, ...(program === 'main' ? ['--max-semi-space-size=8'] : []), file]
}

/** Starts the service and waits until it is ready. `onSpawn` gets the process before it answers anything. */
export async function startServiceProcess(
  settings: ServiceSettings,
  onSpawn: (child: ChildProcess) => void = () => undefined,
): Promise<ServiceProcess> {
  const { args = [] } = settings
  const [program, ...rest] = await findCommand('main', settings)
  const child = spawn(program, [...rest, ...args], {
    env: { ...MEMORY_SETTINGS, ...serviceEnvironment(settings) },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  onSpawn(child)
  let written = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      written += chunk.toString()
    })
  const managementUrl = `http://127.0.0.1:${settings.managementPort}`
  while (!(await isReady(managementUrl))) {
    if (child.exitCode !== null || child.signalCode !== null)
      throw new Error(`The service ended:\n${written}`)
    await delay(50)
  }
  return { url: `http://127.0.0.1:${settings.port}`, managementUrl, child, output: () => written }
}

async function isReady(managementUrl: string): Promise<boolean> {
  try {
    return (await fetch(`${managementUrl}/health/ready`)).ok
  } catch {
    return false
  }
}

/** Ends the process with a signal and waits for its end. */
export async function endProcess(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill(signal)
  await ended
}

export interface CommandResult {
  code: number | null
  stdout: string
  stderr: string
}

/** Runs an operator's command to its end. */
export async function runAdmin(
  settings: ServiceSettings,
  ...args: string[]
): Promise<CommandResult> {
  const [program, ...rest] = await findCommand('admin', settings)
  return runToEnd([program, ...rest, ...args], settings)
}

/** Runs the service with settings with which it cannot start. `via` is what starts it, such as `setpriv`. */
export async function runRefusedServer(
  settings: ServiceSettings,
  via: readonly string[] = [],
): Promise<CommandResult> {
  const command = await findCommand('main', settings)
  return runToEnd([...via, ...command, ...(settings.args ?? [])], settings)
}

async function runToEnd(
  [program = '', ...args]: readonly string[],
  settings: ServiceSettings,
): Promise<CommandResult> {
  const child = spawn(program, args, {
    env: serviceEnvironment(settings),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let stdout = ''
  let stderr = ''
  child.stdout.on('data', (chunk: Buffer) => {
    stdout += chunk.toString()
  })
  child.stderr.on('data', (chunk: Buffer) => {
    stderr += chunk.toString()
  })
  const [code] = (await once(child, 'close')) as [number | null]
  return { code, stdout, stderr }
}
