/** What is done to a running installation: kills, standstills, full disks, servers that are away. */
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, renameSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { findSocketFolder } from '../../src/platform/db/embedded-folder.ts'
import type { Gate } from './gate.ts'
import type { Installation } from './installation.ts'

/** `kill -9` of one of our processes. */
export const KILLS = ['service', 'worker', 'postgres', 'backend', 'parser'] as const
export const FAULTS = [
  ...KILLS,
  'freeze',
  'unreachable',
  'mail',
  'webhooks',
  's3',
  'feeds',
  'disk',
] as const
export type Fault = (typeof FAULTS)[number]

/** Whether the fault can be made here; else why not. */
export function reasonAgainst(
  fault: Fault,
  { diskFolder, gates }: Installation,
): string | undefined {
  if (fault === 'disk' && diskFolder === undefined)
    return 'the data folder is on no small file system of its own (DRILL_DISK names one)'
  if (fault === 's3' && !gates.s3) return 'files are in a folder (no versitygw, or DRILL_DISK)'
  return undefined
}

/**
 * Makes the fault and mends it again. `length` is from 0 to 1: how long it lasts, where it lasts. Answers what was done, in
 * words.
 */
export async function makeFault(
  fault: Fault,
  installation: Installation,
  length: number,
): Promise<string> {
  const lasting = 500 + length * 2_500
  switch (fault) {
    case 'service':
      await installation.killService()
      return 'killed'
    case 'worker':
      await installation.killWorker()
      return 'killed'
    case 'postgres':
      return killed([postmasterOf(installation)])
    case 'backend':
      return killed(childrenOf(postmasterOf(installation)).slice(-1))
    case 'parser':
      return killed(await awaitParsers(installation))
    case 'freeze':
      await freeze(installation, lasting)
      return 'stood still'
    case 'unreachable':
      await makeUnreachable(installation, lasting)
      return 'was away'
    case 'mail':
      installation.mail.trouble = { connect: () => 'drop' }
      await delay(lasting)
      installation.mail.trouble = {}
      return 'was away'
    case 'disk':
      await fillDisk(installation.diskFolder ?? '', lasting)
      return 'was full'
    case 'webhooks':
    case 's3':
    case 'feeds':
      return troubleAt(installation.gates[fault], length, lasting)
  }
}

/** Closes the gate for a time, or lets nothing through while connections stay open: each in half of the cases. */
async function troubleAt(gate: Gate | undefined, length: number, lasting: number): Promise<string> {
  const isAway = Math.floor(length * 1_000) % 2 === 0
  gate?.set(isAway ? 'shut' : 'frozen')
  await delay(lasting)
  gate?.set('open')
  return isAway ? 'was away' : 'stood still'
}

function killed(pids: readonly (number | undefined)[]): string {
  killAll(pids, 'SIGKILL')
  return `killed: ${pids.filter((pid) => pid !== undefined).length}`
}

interface Process {
  pid: number
  parent: number
  command: string
}

function listProcesses(): Process[] {
  const { stdout } = spawnSync('ps', ['-eo', 'pid=,ppid=,args='], { encoding: 'utf8' })
  return stdout.split('\n').flatMap((line) => {
    const [, pid, parent, command = ''] = /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line) ?? []
    return pid === undefined ? [] : [{ pid: Number(pid), parent: Number(parent), command }]
  })
}

const childrenOf = (parent: number | undefined) =>
  listProcesses().flatMap((one) => (one.parent === parent ? [one.pid] : []))

function parsersOf({ service, worker }: Installation): number[] {
  const parents = new Set([service.child.pid, worker.child.pid])
  return listProcesses().flatMap(({ pid, parent, command }) =>
    parents.has(parent) && command.includes('parser-process') ? [pid] : [],
  )
}

/** They are started for an upload, and end when there is nothing to parse. */
async function awaitParsers(installation: Installation): Promise<number[]> {
  for (let tries = 0; tries < 100; tries += 1) {
    const pids = parsersOf(installation)
    if (pids.length > 0) return pids
    await delay(50)
  }
  return []
}

/** undefined: it does not run at the moment. */
function postmasterOf({ dataDir }: Installation): number | undefined {
  const file = join(dataDir, 'postgres/cluster/postmaster.pid')
  const pid = existsSync(file) ? Number(readFileSync(file, 'utf8').split('\n')[0]) : Number.NaN
  return Number.isNaN(pid) ? undefined : pid
}

/** A process that ended meanwhile is left alone. */
function killAll(pids: readonly (number | undefined)[], signal: NodeJS.Signals): void {
  for (const pid of pids)
    try {
      if (pid !== undefined) process.kill(pid, signal)
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error
    }
}

async function freeze(installation: Installation, lasting: number): Promise<void> {
  const postmaster = postmasterOf(installation)
  const all = [postmaster, ...childrenOf(postmaster)]
  killAll(all, 'SIGSTOP')
  await delay(lasting)
  killAll([postmaster, ...childrenOf(postmaster), ...all], 'SIGCONT')
}

/** All connections end, and none can be made. */
async function makeUnreachable({ dataDir, ...rest }: Installation, lasting: number) {
  const folder = findSocketFolder(join(dataDir, 'postgres'))
  if (folder === undefined) return
  const socket = join(folder, '.s.PGSQL.5432')
  if (!existsSync(socket)) return
  renameSync(socket, `${socket}.away`)
  killAll(childrenOf(postmasterOf({ dataDir, ...rest })), 'SIGTERM')
  await delay(lasting)
  // The server may have been started anew, with a socket of its own.
  if (existsSync(`${socket}.away`) && !existsSync(socket)) renameSync(`${socket}.away`, socket)
}

/** Leaves not a byte. */
async function fillDisk(folder: string, lasting: number): Promise<void> {
  const path = join(folder, 'filler')
  const { bavail, bsize } = statfsSync(folder)
  try {
    writeFileSync(path, Buffer.alloc(Math.max(0, bavail * bsize)))
  } catch {
    // Others took what was left.
  }
  await delay(lasting)
  rmSync(path, { force: true })
}
