import { ConfigError } from './config/config.ts'
import { isDatabaseAway, isLoginRefused, isSchemaAmiss } from './platform/db/connect.ts'
import { AppError } from './platform/errors.ts'
import { UnreadableSecret } from './platform/secret-encryption.ts'

/** The message of a failure that a person can act on; the stack of a bug. */
export function describeFailure(error: unknown): string {
  if ([ConfigError, AppError, UnreadableSecret].some((known) => error instanceof known))
    return error instanceof Error ? error.message : ''
  if (isDatabaseAway(error) || isLoginRefused(error))
    return `The database does not let this process in: ${error instanceof Error ? error.message : ''}. Check DATABASE_URL and whether the database runs.`
  if (isSchemaAmiss(error))
    return `The schema of the database is not that of this release: ${error.message}. plimsoll-admin doctor --check schema tells all that is missing.`
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}
