/** What an error of the database says, by PostgreSQL's codes (SQLSTATE, appendix A of its manual). */
import { type AppError, readCode } from '../errors.ts'

const UNREACHABLE = new Set([
  // AppErrors of a pool whose connections are all in use.
  'busy',
  'too-many-at-once',
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
])

/** The Unix socket is missing; a missing file has the same code. */
function isSocketMissing(error: Error): boolean {
  return readCode(error) === 'ENOENT' && 'syscall' in error && error.syscall === 'connect'
}

/** Whether an error says that the database cannot be reached or is not ready, rather than that a query is wrong. */
export function isDatabaseAway(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const code = readCode(error)
  return (
    UNREACHABLE.has(code) ||
    isSocketMissing(error) ||
    // Class 08 connection exceptions, 57P0x shutdowns and start-up, class 53 out of disk, memory or connections,
    // 25006 a standby that does not write yet, 25P03 a transaction ended because it waited too long.
    /^(08|57P0|53|25006|25P03)/.test(code) ||
    /Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error|not queryable/.test(
      error.message,
    )
  )
}

/** Whether all connections are in use, of the pool or of the server (53300): the database itself may be well. */
export function areConnectionsTaken(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  return error.message === 'timeout exceeded when trying to connect' || readCode(error) === '53300'
}

/** Wrong password (class 28), or no such database. */
export function isLoginRefused(error: unknown): boolean {
  return /^(28|3D000)/.test(readCode(error))
}

/** Whether the server has no TLS, or none with a certificate that is trusted (OpenSSL, X509_verify_cert_error_string). */
export function isTlsRefused(error: Error): boolean {
  if (error.message === 'The server does not support SSL connections') return true
  return /^(CERT_|DEPTH_ZERO_|ERR_SSL_|ERR_TLS_|HOSTNAME_|SELF_SIGNED_|UNABLE_TO_)/.test(
    readCode(error),
  )
}

/** Whether a statement names a table, column or function that the database lacks. */
export function isSchemaAmiss(error: unknown): error is Error {
  return error instanceof Error && /^(42P01|42703|42883)/.test(readCode(error))
}

/** Throws the given error when a unique key is violated. `refusal` gets the name of the key. */
export async function refuseTaken<Result>(
  refusal: (constraint: string) => AppError,
  change: () => Promise<Result>,
): Promise<Result> {
  try {
    return await change()
  } catch (error) {
    if (!(error instanceof Error) || readCode(error) !== '23505') throw error
    throw refusal(nameIn(error, 'constraint'))
  }
}

/** Throws the given error when a deleted row is still referenced. `refusal` gets the name of the table. */
export async function refuseReferenced<Result>(
  refusal: (table: string) => AppError,
  change: () => Promise<Result>,
): Promise<Result> {
  try {
    return await change()
  } catch (error) {
    if (!(error instanceof Error) || readCode(error) !== '23503') throw error
    throw refusal(nameIn(error, 'table'))
  }
}

/**
 * On Citus, names of tables and keys in errors end with the number of their shard, where none of ours ends with digits. The coordinator
 * passes on what another node said as a message alone; the name that is meant stands last in it.
 */
function nameIn(error: Error, field: 'constraint' | 'table'): string {
  const stated: unknown = Reflect.get(error, field)
  const name = typeof stated === 'string' ? stated : /"([^"]*)"[^"]*$/.exec(error.message)?.[1]
  return (name ?? '').replace(/_\d{6,}$/, '')
}

/** Whether the database refused a value (class 22). Trying again does not help. */
export function isDataException(error: unknown): error is Error {
  return error instanceof Error && readCode(error).startsWith('22')
}

/** Whether a statement was cancelled because of its timeout. */
export function isStatementTimeout(error: unknown): boolean {
  return readCode(error) === '57014'
}

/** Whether a lock was not to be had in time (lock_timeout). */
export function isLockBusy(error: unknown): boolean {
  return readCode(error) === '55P03'
}

/** Whether a transaction lost against another one: deadlock, or no serial order. Nothing was written; another try may succeed. */
export function isOvertaken(error: unknown): boolean {
  return ['40P01', '40001'].includes(readCode(error))
}

/** Whether the table of a statement does not exist. */
export function isTableGone(error: unknown): boolean {
  return readCode(error) === '42P01'
}
