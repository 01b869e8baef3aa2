/**
 * The folder of an embedded database: `cluster/` (PostgreSQL's own), `lock`, and `socket`, a file that names the folder
 * of the running server's socket. A socket's path may have 107 bytes at most, so that folder is a short one under the
 * temporary directory. Its name is random and its owner is checked, so that no other local user can put a server there.
 */
import {
  chownSync,
  closeSync,
  existsSync,
  fchownSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  type Stats,
  statSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { AppError } from '../errors.ts'
import { describeFileFailure } from '../file-failure.ts'

export interface EmbeddedConnection {
  /** The folder of the socket, which `pg` accepts as a host. */
  host: string
  database: string
  user: string
}

export interface Owner {
  uid: number
  gid: number
}

export const DATABASE = 'plimsoll'
const SOCKET_NAME = '/.s.PGSQL.5432'
// sockaddr_un has 104 bytes on macOS and 108 on Linux, with a closing zero.
const MAX_SOCKET_PATH = 103

/** Creates what is missing and returns the absolute path. */
export function prepareFolder(dataDir: string): string {
  const folder = resolve(dataDir)
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
  } catch (error) {
    const reason = error instanceof Error ? `${error.message}.` : String(error)
    throw notUsable(
      `The database folder ${folder} cannot be used: ${describeFileFailure(error) ?? reason}`,
    )
  }
  const owner = findOwner(folder)
  if (!isRoot() && owner.uid !== process.geteuid?.())
    throw notUsable(`The database folder ${folder} belongs to another user (uid ${owner.uid}).`)

  const lock = openSync(lockFile(folder), 'a', 0o600)
  if (isRoot()) fchownSync(lock, owner.uid, owner.gid)
  closeSync(lock)
  return folder
}

export function lockFile(folder: string): string {
  return join(folder, 'lock')
}

export function findOwner(folder: string): Owner {
  const { uid, gid } = statSync(folder)
  return { uid, gid }
}

/** The socket folder of the server that runs, or last ran, on this folder. undefined: there is no trusted one. */
export function findSocketFolder(folder: string): string | undefined {
  try {
    const socket = readFileSync(join(folder, 'socket'), 'utf8')
    return isPrivate(lstatSync(socket), statSync(folder)) ? socket : undefined
  } catch {
    return undefined
  }
}

function isPrivate(socket: Stats, folder: Stats): boolean {
  const trusted = [0, process.geteuid?.(), folder.uid].includes(socket.uid)
  return socket.isDirectory() && trusted && (socket.mode & 0o077) === 0
}

/** Makes a socket folder again that a cleaner of temporary files removed. Fails when it exists. */
export function restoreSocketFolder(socket: string, { uid, gid }: Owner): void {
  if (existsSync(socket)) return
  mkdirSync(socket, { mode: 0o700 })
  if (isRoot()) chownSync(socket, uid, gid)
}

/** `/tmp` where the usual folder is too long, or holds a quote, which would end the path in PostgreSQL's setting. */
export function findShortTemporaryFolder(): string {
  const length = Buffer.byteLength(join(tmpdir(), 'plimsoll-XXXXXX') + SOCKET_NAME)
  return length <= MAX_SOCKET_PATH && !tmpdir().includes('"') ? tmpdir() : '/tmp'
}

export function describeConnection(socket: string): EmbeddedConnection {
  return { host: socket, database: DATABASE, user: DATABASE }
}

/** States port and TLS, as `pg` would otherwise take them from PGPORT and PGSSLMODE. */
export function formatConnectionString({ host, database, user }: EmbeddedConnection): string {
  const parameters = new URLSearchParams({ host, sslmode: 'disable' })
  return `postgresql://${user}@localhost:5432/${database}?${parameters.toString()}`
}

function notUsable(detail: string): AppError {
  return new AppError('unavailable', 'embedded-database-folder', detail)
}

function isRoot(): boolean {
  return process.geteuid?.() === 0
}
