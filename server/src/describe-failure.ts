import { ConfigError } from './config/config.ts'
import { isDatabaseAway, isLoginRefused } from './platform/db/connect.ts'
import { AppError } from './platform/errors.ts'

/** What a person can act on is said in words; a bug shows its stack. */
export function describeFailure(error: unknown): string {
  if (error instanceof ConfigError || error instanceof AppError) return error.message
  if (isDatabaseAway(error) || isLoginRefused(error))
    return `The database does not let this process in: ${error instanceof Error ? error.message : ''}. Check DATABASE_URL and whether the database runs.`
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}
