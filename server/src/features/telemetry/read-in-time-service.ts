import type { AppContext } from '../../platform/context.ts'
import { isStatementTimeout, type Tx } from '../../platform/db/connect.ts'
import { AppError } from '../../platform/errors.ts'
import { limitTime } from './query-store.ts'

/** Reads one state of the database, and gives up before a connection is held for too long. */
export async function readInTime<Result>(
  { db, config }: Pick<AppContext, 'db' | 'config'>,
  read: (tx: Tx) => Promise<Result>,
): Promise<Result> {
  const seconds = config.telemetry.querySeconds
  const reading = db.transaction().setIsolationLevel('repeatable read').setAccessMode('read only')
  try {
    return await reading.execute(async (tx) => {
      await limitTime(tx, seconds)
      return read(tx)
    })
  } catch (error) {
    if (!isStatementTimeout(error)) throw error
    throw new AppError(
      'invalid',
      'query-too-large',
      `It took longer than ${seconds} s: ask for a shorter time, fewer devices or, of metrics, whole hours.`,
    )
  }
}
