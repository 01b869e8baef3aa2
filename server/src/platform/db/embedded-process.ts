/** Reads the state of the PostgreSQL process from its files. */
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { AppError } from '../errors.ts'

export function isCreated(folder: string): boolean {
  return existsSync(join(folder, 'cluster'))
}

/**
 * Whether this process is the server of the folder and accepts connections. The first and eighth line of postmaster.pid
 * tell; `pg_ctl` reads them, too.
 */
export function isServing(folder: string, pid: number | undefined): boolean {
  try {
    const lines = readFileSync(join(folder, 'cluster/postmaster.pid'), 'utf8').split('\n')
    return Number(lines[0]) === pid && lines[7]?.trim() === 'ready'
  } catch {
    return false
  }
}

/**
 * On Linux PostgreSQL ends with its service, and the lock tells who uses the folder. Elsewhere the server outlives a killed
 * service. It is ended here, unless its service still runs.
 */
export async function endOrphan(folder: string): Promise<void> {
  if (process.platform === 'linux') return
  const pid = findServer(folder)
  if (pid === undefined) return
  if (findParent(pid) !== 1)
    throw new AppError(
      'conflict',
      'embedded-database-in-use',
      `Another Plimsoll service or command uses the database in ${folder} (PostgreSQL is process ${pid}).`,
    )
  process.kill(pid, 'SIGINT')
  while (findServer(folder) === pid) await delay(50)
}

/** The process in the first line of postmaster.pid, if it runs PostgreSQL. */
function findServer(folder: string): number | undefined {
  const file = join(folder, 'cluster/postmaster.pid')
  if (!existsSync(file)) return undefined
  const pid = Number.parseInt(readFileSync(file, 'utf8'), 10)
  return /postgres/.test(ps(pid, 'comm=')) ? pid : undefined
}

function findParent(pid: number): number {
  return Number.parseInt(ps(pid, 'ppid='), 10)
}

function ps(pid: number, column: string): string {
  return spawnSync('ps', ['-o', column, '-p', String(pid)], { encoding: 'utf8' }).stdout
}
