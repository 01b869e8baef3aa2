import type { Db } from '../../../platform/db/connect.ts'
import { AppError } from '../../../platform/errors.ts'
import { whatClientCannotTake } from './hawkbit-clients.ts'
import * as store from './store.ts'

/** A client that cannot take an update may not even say so, and its device would wait for the deadline. */
export async function requireTakers(
  db: Db,
  input: { workspaceId: string; cohortId: string; firmwareVersionIds: readonly string[] },
): Promise<void> {
  const clients = await store.countDdiClients(db, input)
  if (clients.length === 0) return
  const parts = await store.listParts(db, input.workspaceId, input.firmwareVersionIds)
  const faults = clients.flatMap(({ client, devices }) => {
    const fault = whatClientCannotTake(client, parts)
    return fault === undefined ? [] : [`${devices} of the cohort's hawkBit devices ${fault}.`]
  })
  if (faults.length > 0) throw new AppError('conflict', 'client-cannot-take', faults.join(' '))
}
