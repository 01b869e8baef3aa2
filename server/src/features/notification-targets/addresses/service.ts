/** The reader of an address confirms it, and may unsubscribe at any time. */
import type { Actor } from '../../../platform/actor.ts'
import type { AppContext } from '../../../platform/context.ts'
import type { Tx } from '../../../platform/db/connect.ts'
import { invalid, notFound } from '../../../platform/errors.ts'
import { recordAudit } from '../../audit/index.ts'
import { findWorkspaceName, listWorkspaceIds } from '../../workspaces/index.ts'
import { type AddressToken, readAddressToken } from './links.ts'
import { decideAddressState, computeForgetInstant } from './address-state.ts'
import * as store from './store.ts'
import type { OpenedLink } from './page.ts'
import { readEmailAddress } from '../email-address.ts'

interface OpenLink {
  token: string
  /** The reader has pressed the button. Opening a link changes nothing, because programs open the links of mails too. */
  agrees: boolean
  requestId: string
}

export async function openConfirmLink(
  ctx: AppContext,
  { token, agrees, requestId }: OpenLink,
): Promise<OpenedLink> {
  const link = readAddressToken(ctx.signingKey, 'confirm', token)
  if (!link) return withoutDetails('Unknown')
  if (link.expires !== undefined && link.expires <= ctx.now().getTime())
    return withoutDetails('Expired')
  return ctx.db.transaction().execute(async (tx) => {
    const found = await lockAddress(tx, link)
    if (!found) return withoutDetails('NotWanted')
    const { row, shown } = found
    const isConfirmed = decideAddressState(row) === 'Confirmed'
    if (!isConfirmed && !agrees) return { outcome: 'Asks', ...shown }
    if (!isConfirmed) await confirm(ctx, tx, { ...link, actor: createReader(link, requestId) })
    return { outcome: 'Confirmed', ...shown }
  })
}

export async function openUnsubscribeLink(
  ctx: AppContext,
  { token, agrees, requestId }: OpenLink,
): Promise<OpenedLink> {
  const link = readAddressToken(ctx.signingKey, 'unsubscribe', token)
  if (!link) return withoutDetails('Unknown')
  return ctx.db.transaction().execute(async (tx) => {
    const found = await lockAddress(tx, link)
    if (!found) return withoutDetails('NotWanted')
    const { row, shown } = found
    const isUnsubscribed = row.unsubscribedAt !== null
    if (!isUnsubscribed && !agrees) return { outcome: 'Asks', ...shown }
    if (!isUnsubscribed)
      await unsubscribe(ctx, tx, { ...link, actor: createReader(link, requestId) })
    return { outcome: 'Unsubscribed', ...shown }
  })
}

function withoutDetails(outcome: OpenedLink['outcome']): OpenedLink {
  return { outcome, workspaceName: '', address: '' }
}

async function lockAddress(tx: Tx, { workspaceId, address }: AddressToken) {
  await store.lockTargets(tx, workspaceId)
  const row = await store.findHeldAddress(tx, workspaceId, address)
  if (!row) return undefined
  return { row, shown: { workspaceName: await findWorkspaceName(tx, workspaceId), address } }
}

interface AddressChange {
  workspaceId: string
  address: string
  actor: Actor
}

async function confirm(ctx: AppContext, tx: Tx, { workspaceId, address, actor }: AddressChange) {
  await store.confirmAddress(tx, workspaceId, { address, confirmedAt: ctx.now() })
  const entry = {
    ...resource(workspaceId, address),
    actor,
    action: 'notification-address.confirm' as const,
  }
  await recordAudit(ctx, tx, entry)
}

async function unsubscribe(
  ctx: AppContext,
  tx: Tx,
  { workspaceId, address, actor }: AddressChange,
) {
  await store.unsubscribeAddress(tx, workspaceId, { address, unsubscribedAt: ctx.now() })
  const action = 'notification-address.unsubscribe'
  await recordAudit(ctx, tx, { ...resource(workspaceId, address), actor, action })
}

/** Confirms an address without a mail, where no mail server is configured. */
export async function confirmAsOperator(
  ctx: AppContext,
  input: { workspaceId: string; emailAddress: string; actor: Actor },
) {
  const { workspaceId, emailAddress, actor } = input
  const read = readEmailAddress(emailAddress)
  if ('fault' in read) throw invalid(`The address ${read.fault}.`, '/emailAddress')
  const { address } = read
  return ctx.db.transaction().execute(async (tx) => {
    await store.lockTargets(tx, workspaceId)
    if (!(await store.findHeldAddress(tx, workspaceId, address)))
      throw notFound('notification address', address)
    await confirm(ctx, tx, { workspaceId, address, actor })
    return { address, state: 'Confirmed' }
  })
}

/** Deletes addresses without a target after a while. */
export async function sweepAddresses(ctx: AppContext): Promise<void> {
  for (const workspaceId of await listWorkspaceIds(ctx.db))
    await ctx.db.transaction().execute(async (tx) => {
      await store.lockTargets(tx, workspaceId)
      await store.releaseAddresses(tx, workspaceId, computeForgetInstant(ctx.now()))
    })
}

/** Only the reader of the address has the link. */
function createReader({ address }: AddressToken, requestId: string): Actor {
  return { type: 'User', id: undefined, email: address, requestId }
}

function resource(workspaceId: string, resourceId: string) {
  return { workspaceId, resourceType: 'notification-address', resourceId }
}
