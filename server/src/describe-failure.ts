import { ConfigError } from './config/config-error.ts'
import { describeStoreFailure } from './platform/blobs/store-fault.ts'
import {
  isDatabaseAway,
  isLoginRefused,
  isSchemaAmiss,
  isTlsRefused,
} from './platform/db/failures.ts'
import { AppError, readCode } from './platform/errors.ts'
import { describeFileFailure } from './platform/file-failure.ts'
import { UnreadableSecret } from './platform/secret-encryption.ts'

/** The message of a failure that a person can act on; the stack of a bug. */
export function describeFailure(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if ([ConfigError, AppError, UnreadableSecret].some((known) => error instanceof known))
    return error.message
  return (
    describeFileFailure(error) ??
    (isPortFailure(error) ? describePortFailure(error) : undefined) ??
    describeDatabaseFailure(error) ??
    describeStoreFailure(error) ??
    describeTlsFailure(error) ??
    error.stack ??
    error.message
  )
}

const isPortFailure = (error: Error) => 'syscall' in error && error.syscall === 'listen'

/** Why the service cannot listen. A failure of a name does not say for which port. */
export function describePortFailure(error: Error, port?: number): string {
  const where = `port ${String(port ?? ('port' in error ? error.port : '?'))}`
  if (readCode(error) === 'EADDRINUSE')
    return `${where} is taken, by another program or by another setting; choose a free one.`
  if (readCode(error) === 'EACCES')
    return `this user may not listen on ${where}; ports below 1024 need CAP_NET_BIND_SERVICE.`
  return `the service cannot listen on ${where}: ${error.message}. Check the host beside it, such as PLIMSOLL_HOST.`
}

/** Other connections with TLS tell of their failures themselves. */
function describeTlsFailure(error: Error): string | undefined {
  if (!isTlsRefused(error)) return undefined
  return `There is no trusted TLS connection to the database: ${error.message}. Check sslmode and sslrootcert of DATABASE_URL, and the certificate of the server.`
}

function describeDatabaseFailure(error: Error): string | undefined {
  const code = readCode(error)
  if (code === '53100')
    return `The disk of the database is full: ${error.message}. Make room there; what was committed is kept.`
  if (code === '42501')
    return `The role of DATABASE_URL lacks a right: ${error.message}. Let it own the database: alter database … owner to ….`
  if (error.message.startsWith('connection to the remote node'))
    return `A node of the Citus cluster does not answer the coordinator: ${error.message}. Start it again; a service that runs serves the workspaces of the others meanwhile.`
  if (isDatabaseAway(error) || isLoginRefused(error))
    return `The database does not let this process in: ${error.message}. Check DATABASE_URL and whether the database runs.`
  if (isSchemaAmiss(error))
    return `The schema of the database is not that of this release: ${error.message}. plimsoll-admin doctor --check schema tells all that is missing.`
  return undefined
}
