import type { Db } from '../../../platform/db/connect.ts'
import { AppError } from '../../../platform/errors.ts'
import { findClientLimitation } from './hawkbit-clients.ts'
import * as store from './store.ts'

/** Refuses what the cohort's clients cannot install. Such a client may not report it, and its update would wait for the deadline. */
export async function requireCapableClients(
  db: Db,
  input: { workspaceId: string; cohortId: string; firmwareVersionIds: readonly string[] },
): Promise<void> {
  const clients = await store.countHawkbitClients(db, input)
  if (clients.length === 0) return
  const parts = await store.listParts(db, input.workspaceId, input.firmwareVersionIds)
  const faults = clients.flatMap(({ client, devices }) => {
    const fault = findClientLimitation(client, parts)
    return fault === undefined ? [] : [`${devices} of the cohort's hawkBit devices ${fault}.`]
  })
  if (faults.length > 0) throw new AppError('conflict', 'client-cannot-take', faults.join(' '))
}

export async function requireArtifacts(
  tx: Db,
  workspaceId: string,
  {
    firmwareVersionIds,
    known,
  }: { firmwareVersionIds: readonly string[]; known: readonly store.DeployableVersion[] },
): Promise<void> {
  const there = new Set(await store.lockArtifactsShared(tx, workspaceId, firmwareVersionIds))
  const missing = known.filter(({ id }) => firmwareVersionIds.includes(id) && !there.has(id))
  if (missing.length === 0) return
  const names = missing.map(({ slug, name }) => `${slug} ${name}`).join(', ')
  throw new AppError(
    'conflict',
    'artifact-missing',
    `There is no artifact of ${names}. Upload it first.`,
  )
}
