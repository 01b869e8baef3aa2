/** What a worker does for the delivery log now and then: retention. */
import type { AppContext } from '../../platform/context.ts'
import { listWorkspaceIds } from '../workspaces/index.ts'
import * as store from './upkeep-store.ts'

const KEPT_MS = 90 * 86_400_000

/** Several workers may do it at once. */
export async function sweepNotifications({
  db,
  now,
}: Pick<AppContext, 'db' | 'now'>): Promise<void> {
  const before = new Date(now().getTime() - KEPT_MS)
  for (const workspaceId of await listWorkspaceIds(db)) {
    while (await store.deleteOldNotifications(db, workspaceId, before));
    while (await store.deleteOldAttempts(db, workspaceId, before));
  }
}
