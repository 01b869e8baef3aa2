import type { AppContext } from '../../platform/context.ts'
import { isDataException, type Tx } from '../../platform/db/connect.ts'
import { invalid } from '../../platform/errors.ts'
import { readInTime } from './read-in-time-service.ts'
import { wholeHours } from './rolled-hours.ts'
import type { Window } from './window.ts'
import * as store from './windows-store.ts'

type Query = store.PointQuery & Window

/** The same whether hours are rolled up or not. */
export async function listWindows(
  ctx: Pick<AppContext, 'db' | 'config'>,
  query: Query,
): Promise<store.WindowValue[]> {
  try {
    return await readInTime(ctx, async (tx) => {
      const rolled = await rolledSpan(tx, query)
      return (rolled && (await store.listWindows(tx, query, rolled))) ?? listFromPoints(tx, query)
    })
  } catch (error) {
    if (!isDataException(error)) throw error
    throw invalid('The values are too large to be added up.', '/aggregation')
  }
}

async function rolledSpan(tx: Tx, query: Query): Promise<store.RolledSpan | undefined> {
  const rolled = await store.findRolled(tx, query.workspaceId, query)
  const whole = rolled && wholeHours(query, rolled)
  return whole && { ...whole, hasLate: rolled.hasLate }
}

async function listFromPoints(tx: Tx, query: Query): Promise<store.WindowValue[]> {
  return (await store.listWindows(tx, query)) ?? []
}
