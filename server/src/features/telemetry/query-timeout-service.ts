import { SECOND_MS } from '../../formats/instants.ts'
import type { Db, Tx } from '../../platform/db/connect.ts'
import { isStatementTimeout } from '../../platform/db/failures.ts'
import { AppError, type ProblemPages } from '../../platform/errors.ts'
import { limitTime } from './store.ts'

/** What reads values, also in a process for calculations. */
export interface TelemetryReader {
  db: Db
  config: { telemetry: { querySeconds: number } }
}

/**
 * Reads in one snapshot of the database. Throws `query-too-large` when a statement takes longer than
 * PLIMSOLL_TELEMETRY_QUERY_SECONDS, so that a query does not hold a connection for long. `checkTime` is for what takes many
 * statements: it throws when they have taken longer together.
 */
export async function readWithTimeout<Result>(
  { db, config }: TelemetryReader,
  read: (tx: Tx, checkTime: () => void) => Promise<Result>,
): Promise<Result> {
  const seconds = config.telemetry.querySeconds
  const until = performance.now() + seconds * SECOND_MS
  const checkTime = () => {
    if (performance.now() > until) throw tooLarge(seconds)
  }
  const reading = db.transaction().setIsolationLevel('repeatable read').setAccessMode('read only')
  try {
    return await reading.execute(async (tx) => {
      await limitTime(tx, seconds)
      return read(tx, checkTime)
    })
  } catch (error) {
    if (!isStatementTimeout(error)) throw error
    throw tooLarge(seconds)
  }
}

function tooLarge(seconds: number): AppError {
  return new AppError(
    'invalid',
    'query-too-large',
    `The query took longer than ${seconds} s. Ask for a shorter time, fewer devices or, for metrics, whole hours.`,
  )
}

export const telemetryProblems: ProblemPages = {
  'query-too-large': {
    title: 'The query took too long',
    advice:
      'Ask for a shorter time or fewer devices. Queries of metrics with steps of whole hours, beginning at a whole hour, read sums and take a fraction of the time. Operators may raise `PLIMSOLL_TELEMETRY_QUERY_SECONDS`.',
  },
}
