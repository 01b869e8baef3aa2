/** What is done to a running installation: kills, standstills, full disks, servers that are away. */
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, renameSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { findSocketFolder } from '../../src/platform/db/embedded-folder.ts'
import type { Installation } from './installation.ts'

export const FAULTS = [
  'service',
  'postgres',
  'backend',
  'parser',
  'freeze',
  'unreachable',
  'mail',
  'disk',
] as const
export type Fault = (typeof FAULTS)[number]

/** Whether the fault can be made here; else why not. */
export function reasonAgainst(fault: Fault, { diskFolder }: Installation): string | undefined {
  if (fault === 'disk' && diskFolder === undefined)
    return 'the data folder is on no small file system of its own (DRILL_DISK names one)'
  return undefined
}

/** Makes the fault and mends it again. `length` is from 0 to 1: how long it lasts, where it lasts. */
export async function makeFault(
  fault: Fault,
  installation: Installation,
  length: number,
): Promise<void> {
  const lasting = 500 + length * 2_500
  switch (fault) {
    case 'service':
      return installation.killService()
    case 'postgres':
      return killAll([postmasterOf(installation)], 'SIGKILL')
    case 'backend':
      return killAll(childrenOf(postmasterOf(installation)).slice(-1), 'SIGKILL')
    case 'parser':
      return killAll(parsersOf(installation), 'SIGKILL')
    case 'freeze':
      return freeze(installation, lasting)
    case 'unreachable':
      return makeUnreachable(installation, lasting)
    case 'mail':
      installation.mail.trouble = { connect: () => 'drop' }
      await delay(lasting)
      installation.mail.trouble = {}
      return undefined
    case 'disk':
      return fillDisk(installation.diskFolder ?? '', lasting)
  }
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

function parsersOf({ service }: Installation): number[] {
  return listProcesses().flatMap(({ pid, parent, command }) =>
    parent === service.child.pid && command.includes('parser-process') ? [pid] : [],
  )
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
