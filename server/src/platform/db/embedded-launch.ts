/** The command line that runs PostgreSQL: alone on its folder, not as root, and not longer than the service. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { AppError } from '../errors.ts'
import type { PostgresBinaries } from './embedded-binaries.ts'
import {
  DATABASE,
  lockFile,
  type Owner,
  findOwner,
  findShortTemporaryFolder,
} from './embedded-folder.ts'

/** Exit codes of the command line besides PostgreSQL's own. */
export const EXIT_LOCKED = 75
const EXIT_ORPHANED = 76
export const EXIT_NOT_CREATED = 77

/**
 * Runs under the lock, which every process it starts inherits: while one backend of an earlier server lives, the lock is
 * held. Left-overs found here are therefore unused. A cluster is made aside and renamed, so it exists as a whole or not.
 * The first line covers the time before the death signal is set: the signal is not sent for a parent that ended before.
 */
const SCRIPT = `
service=$1 data=$2 native=$3 sync=$4 locked=$5 temporary=$6 socket=$7 locale=$8
shift 8
[ "$PPID" = "$service" ] || exit ${EXIT_ORPHANED}
cluster=$data/cluster
if [ ! -e "$cluster" ]; then
  rm -rf "$cluster.new" &&
  "$native/bin/initdb" -D "$cluster.new" $sync -U ${DATABASE} -A trust -E UTF8 --locale=C \\
    $locale >/dev/null &&
  echo 'create database ${DATABASE}' |
    "$native/bin/postgres" --single -D "$cluster.new" -c log_checkpoints=off \\
      \${sync:+-c fsync=off} postgres >/dev/null &&
  mv "$cluster.new" "$cluster" && { [ -n "$sync" ] || sync "$data"; } || exit ${EXIT_NOT_CREATED}
fi
[ -z "$locked" ] || rm -f "$cluster/postmaster.pid"
old=$(cat "$data/socket" 2>/dev/null)
case "$old" in */plimsoll-??????) rm -f "$old"/.s.PGSQL.5432* ;; esac
if [ -z "$socket" ] || [ "$socket" != "$old" ]; then
  [ -z "$old" ] || rmdir "$old" 2>/dev/null
  socket=$(mktemp -d "$temporary/plimsoll-XXXXXX") &&
  printf %s "$socket" >"$data/socket.new" && mv "$data/socket.new" "$data/socket" || exit 1
fi
exec "$native/bin/postgres" -D "$cluster" -c "unix_socket_directories=\\"$socket\\"" "$@"
`

export interface Launch {
  folder: string
  binaries: PostgresBinaries
  user: LaunchUser
  /** False only for the temporary servers of tests. */
  durable: boolean
  lockWaitSeconds: number
  maxConnections: number
}

/** The user that PostgreSQL runs as. It refuses to run as root. */
export interface LaunchUser {
  owner: Owner
  /** A command prefix that runs the rest under another user id. */
  prefix: readonly string[]
}

/** Uses the given socket folder, which an earlier server of this service had, or else a new one. */
export function launchPostgres(launch: Launch, socket = ''): ChildProcess {
  const { folder, binaries, durable } = launch
  const script = ['/bin/sh', '-c', SCRIPT, 'sh', String(process.pid)]
  const isLinux = process.platform === 'linux'
  const flags = [durable ? '' : '--no-sync', isLinux ? 'locked' : '']
  const temporary = findShortTemporaryFolder()
  const places = [folder, binaries.folder, ...flags, temporary, socket, chooseLocale(binaries)]
  const wait = String(launch.lockWaitSeconds)
  const guard = ['flock', '-x', '-w', wait, '-E', String(EXIT_LOCKED), '-F', lockFile(folder)]
  // At once, and the next start recovers: an orderly shutdown may never end when a server process was killed just before
  // (seen with PostgreSQL 18.4), and then holds the lock against the next service.
  const dieWithService = ['setpriv', '--pdeathsig', 'SIGQUIT']
  const [command = '', ...rest] = [
    ...(isLinux ? [...guard, ...launch.user.prefix, ...dieWithService] : []),
    ...script,
    ...places,
    ...serverSettings(launch),
  ]
  // A session of its own: Ctrl-C in a terminal reaches only the service, which ends PostgreSQL after its last query.
  return spawn(command, rest, {
    cwd: folder,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...pickEnvironment(process.env), LC_ALL: 'C', TZ: 'UTC' },
  })
}

/** Text is in the order of code points, and upper and lower case are those of Unicode. PostgreSQL 17 can do so by itself. */
function chooseLocale({ major }: PostgresBinaries): string {
  return major >= 17 ? '--locale-provider=builtin --builtin-locale=C.UTF-8' : '--lc-ctype=C.UTF-8'
}

/** The settings of the service hold secrets, which PostgreSQL has no use for. */
const INHERITED = ['PATH', 'TMPDIR', 'LD_LIBRARY_PATH'] as const

function pickEnvironment(given: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(INHERITED.map((name) => [name, given[name]]))
}

function serverSettings({ durable, maxConnections }: Launch): string[] {
  const settings = {
    listen_addresses: '',
    // With no TLS, no setting in a file leads into the old OpenSSL of the package (tools/release/vex.json).
    ssl: 'off',
    port: '5432',
    unix_socket_permissions: '0700',
    max_connections: String(maxConnections),
    // After the crash of one process the whole server ends, and the service starts it again. PostgreSQL 18.4 would begin
    // anew by itself, and wait for ever when its recovery is killed or fails meanwhile, as with a full disk.
    restart_after_crash: 'off',
    // For two cores, a solid-state disk and some hundred megabytes of memory.
    shared_buffers: '128MB',
    effective_cache_size: '1GB',
    work_mem: '16MB',
    maintenance_work_mem: '128MB',
    random_page_cost: '1.1',
    // Compiling a plan takes longer than the short queries of the service.
    jit: 'off',
    wal_compression: 'on',
    max_wal_size: '2GB',
    timezone: 'UTC',
    log_timezone: 'UTC',
    // The sender of a statement gets its errors. In the log they would only copy people's data.
    log_min_messages: 'log',
    log_min_error_statement: 'panic',
    log_checkpoints: 'off',
    log_line_prefix: '',
    ...(durable ? DURABLE : THROW_AWAY),
  }
  return Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
}

/** On the command line, so that no `alter system` of an earlier time takes them back: what is answered is on the disk. */
const DURABLE = { fsync: 'on', synchronous_commit: 'on', full_page_writes: 'on' }

const THROW_AWAY = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  autovacuum: 'off',
}

/** Runs the rest as nobody, in a user namespace that maps this user id to the caller's. */
const NAMESPACE = ['unshare', '--user', '--map-user=65534', '--map-group=65534'] as const

/**
 * An ordinary user runs it as itself, one without an account (containers give such numbers) under that of nobody, since
 * initdb asks for a name. Root runs it as the folder's owner when that is another; else in a user namespace
 * where root has another number, which needs no account and reaches all that root reaches; where such namespaces are
 * forbidden (some container sandboxes), as `postgres` or `nobody`, who then owns the folder.
 */
export function findLaunchUser(folder: string, native: string): LaunchUser {
  const owner = findOwner(folder)
  if (process.platform !== 'linux') return { owner, prefix: [] }
  if (process.geteuid?.() !== 0)
    return { owner, prefix: hasAccount() || !succeeds([...NAMESPACE, 'true']) ? [] : NAMESPACE }

  if (owner.uid !== 0) {
    const user = asAccount(owner)
    if (canReach(user, folder, native)) return user
    throw refused(`the owner of ${folder} (uid ${owner.uid}) cannot reach it or ${native}`)
  }
  if (succeeds([...NAMESPACE, 'true'])) return { owner, prefix: NAMESPACE }

  const account = ordinaryAccounts()
    .map(asAccount)
    .find((user) => canReach(user, folder, native))
  if (!account)
    throw refused(
      `user namespaces are forbidden here and neither postgres nor nobody can reach ${folder} and ${native}`,
    )
  giveTo(account.owner, folder)
  return account
}

function hasAccount(): boolean {
  try {
    userInfo()
    return true
  } catch {
    // Thrown when the number of the effective user has no entry.
    return false
  }
}

function asAccount(owner: Owner): LaunchUser {
  const ids = [`--reuid=${owner.uid}`, `--regid=${owner.gid}`, '--clear-groups']
  return { owner, prefix: ['setpriv', ...ids] }
}

/** Whether the account can reach the folder and the binaries. The folder itself belongs to it, or will. */
function canReach({ prefix }: LaunchUser, folder: string, native: string): boolean {
  return succeeds([...prefix, 'test', '-e', folder, '-a', '-x', join(native, 'bin/postgres')])
}

function giveTo({ uid, gid }: Owner, folder: string): void {
  const { status, stderr } = spawnSync('chown', ['-R', `${uid}:${gid}`, folder])
  if (status !== 0) throw refused(`${folder} cannot be given to uid ${uid}: ${String(stderr)}`)
}

function ordinaryAccounts(): Owner[] {
  if (!existsSync('/etc/passwd')) return []
  const accounts = readFileSync('/etc/passwd', 'utf8').split('\n')
  return ['postgres', 'nobody'].flatMap((name) => {
    const [, , uid, gid] = accounts.find((line) => line.startsWith(`${name}:`))?.split(':') ?? []
    return uid === undefined || gid === undefined ? [] : [{ uid: Number(uid), gid: Number(gid) }]
  })
}

function succeeds([command = '', ...rest]: readonly string[]): boolean {
  return spawnSync(command, rest, { stdio: 'ignore' }).status === 0
}

function refused(reason: string): AppError {
  return new AppError(
    'unavailable',
    'embedded-database-user',
    `The embedded PostgreSQL must not run as root, and ${reason}. ` +
      'Run Plimsoll as an ordinary user, or set DATABASE_URL to a PostgreSQL server.',
  )
}
