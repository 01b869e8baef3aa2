/** Whoever reads an address is asked by mail whether it may be told of alerts. */
import type { Actor } from '../../../platform/actor.ts'
import type { AppContext } from '../../../platform/context.ts'
import type { Tx } from '../../../platform/db/connect.ts'
import { AppError, invalid } from '../../../platform/errors.ts'
import { recordAudit } from '../../audit/index.ts'
import {
  addressState,
  type Asked,
  ASK_AGAIN_MS,
  MOST_ASKED,
  reasonNotToAsk,
} from './address-state.ts'
import * as store from './store.ts'
import { notifyRecipient } from '../../notifications/index.ts'
import { readEmailAddress } from '../email-address.ts'
import { listTargetAddresses } from '../store.ts'

interface Asking {
  workspaceId: string
  actor: Actor
  target: { id: string; name: string }
}

/** Asks those of a target's addresses that no target had before, or that nobody could ask yet. */
export async function askNewcomers(
  ctx: AppContext,
  tx: Tx,
  input: Asking & { addresses: readonly string[]; heldBefore: readonly store.AddressRow[] },
): Promise<void> {
  const { workspaceId, addresses, heldBefore } = input
  if (!ctx.mailer) return
  const known = new Set(heldBefore.map(({ address }) => address))
  const rows = await store.listHeldAddresses(tx, workspaceId, addresses)
  const newcomers = rows.filter(
    (row) =>
      addressState(row) === 'Pending' &&
      (row.askedAt === null || !known.has(row.address)) &&
      reasonNotToAsk(row, ctx.now()) === undefined,
  )
  await ask(
    ctx,
    tx,
    input,
    newcomers.map(({ address }) => address),
  )
}

/** The newest mail's link works for as long as any. */
export async function askAgain(
  ctx: AppContext,
  input: Asking & { emailAddress: string },
): Promise<void> {
  const { workspaceId, target, emailAddress } = input
  requireMail(ctx)
  await ctx.db.transaction().execute(async (tx) => {
    await store.lockTargets(tx, workspaceId)
    const read = readEmailAddress(emailAddress)
    const address = 'fault' in read ? '' : read.address
    const held = await listTargetAddresses(tx, workspaceId, target.id)
    const row = await store.findHeldAddress(tx, workspaceId, address)
    if (!row || !held.some((one) => one.address === address))
      throw invalid('The target does not have this address.', '/emailAddress')
    if (addressState(row) === 'Confirmed') throw alreadyConfirmed()
    refuseToPress(row, ctx.now())
    await ask(ctx, tx, input, [address])
  })
}

async function ask(
  ctx: AppContext,
  tx: Tx,
  { workspaceId, actor, target }: Asking,
  addresses: readonly string[],
): Promise<void> {
  for (const address of addresses) {
    const recipient = { address, targetId: target.id }
    const question = { workspaceId, kind: 'Confirmation', recipient } as const
    await notifyRecipient(ctx, tx, { ...question, name: target.name, askedBy: actor.email })
    const entry = { workspaceId, actor, action: 'notification-address.ask' }
    const resource = { resourceType: 'notification-address', resourceId: address }
    await recordAudit(ctx, tx, { ...entry, ...resource })
  }
  await store.recordAsked(tx, workspaceId, { addresses, askedAt: ctx.now() })
}

export function requireMail(ctx: AppContext): void {
  if (!ctx.mailer)
    throw new AppError(
      'conflict',
      'mail-not-configured',
      'No mail server is configured, so that no mail can be sent.',
    )
}

function alreadyConfirmed(): AppError {
  const detail = 'The address has agreed to get mail already.'
  return new AppError('conflict', 'notification-address-confirmed', detail)
}

function refuseToPress(asked: Asked, now: Date): void {
  const reason = reasonNotToAsk(asked, now)
  if (reason === 'TooOften')
    throw new AppError(
      'conflict',
      'confirmation-too-often',
      `The reader of the address was asked ${MOST_ASKED} times and did not answer.`,
    )
  if (reason === 'TooSoon')
    throw new AppError(
      'conflict',
      'confirmation-too-soon',
      `The reader of the address was asked less than ${ASK_AGAIN_MS / 60_000} minutes ago.`,
    )
}
