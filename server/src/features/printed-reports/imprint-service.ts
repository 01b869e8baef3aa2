/** What every printed report says of itself, and the one moment that it shows. */
import type { AppContext } from '../../platform/context.ts'
import type { Principal } from '../auth/index.ts'
import { getSourceFreshness } from '../feeds/index.ts'
import { findWorkspaceName } from '../workspaces/index.ts'
import * as devices from './devices-store.ts'
import type { ReportedDevices } from './sheet/devices.ts'
import type { Imprint } from './sheet/sheet.ts'
import type { SourceAge } from './sheet/sources.ts'

export interface ReportRequest {
  workspaceId: string
  principal: Principal
}

/** All that a report says is read from one snapshot, so that its numbers agree. */
export function readAtOnce<Result>(
  ctx: AppContext,
  read: (ctx: AppContext) => Promise<Result>,
): Promise<Result> {
  return ctx.db
    .transaction()
    .setIsolationLevel('repeatable read')
    .execute((tx) => read({ ...ctx, db: tx }))
}

export async function readImprint(
  ctx: AppContext,
  { workspaceId, principal: { actor } }: ReportRequest,
): Promise<Imprint> {
  const { email = 'an address that is not known' } = actor
  return {
    workspaceName: await findWorkspaceName(ctx.db, workspaceId),
    publicUrl: ctx.config.publicUrl,
    printedBy: actor.type === 'ApiKey' ? `an API key of ${email}` : email,
    printedAt: ctx.now(),
  }
}

export function readSourceAges(ctx: AppContext): Promise<SourceAge[]> {
  return getSourceFreshness(ctx)
}

const MOST_DEVICES = 500

/** Names devices only to those who may read devices. */
export async function readDevices(
  ctx: AppContext,
  { workspaceId, principal }: ReportRequest,
  { firmwareVersionIds, total }: { firmwareVersionIds: readonly string[]; total: number },
): Promise<ReportedDevices> {
  if (!principal.scopes.has('Devices: read')) return { total, listed: null }
  const running = { workspaceId, firmwareVersionIds }
  return { total, listed: await devices.listRunningDevices(ctx.db, running, MOST_DEVICES) }
}
