/** Asks the readers of addresses by mail to confirm them. */
import type { Actor } from '../../../platform/actor.ts'
import type { AppContext } from '../../../platform/context.ts'
import type { Tx } from '../../../platform/db/connect.ts'
import { AppError, invalid } from '../../../platform/errors.ts'
import { recordAudit } from '../../audit/index.ts'
import {
  decideAddressState,
  type AskedFacts,
  ASK_AGAIN_MS,
  MOST_ASKED,
  explainNotAsking,
} from './address-state.ts'
import * as store from './store.ts'
import { notifyRecipient } from '../../notifications/index.ts'
import { requireMails, requireMailServer } from '../../mails/index.ts'
import { readEmailAddress } from '../email-address.ts'
import { listTargetAddresses } from '../store.ts'

interface Asker {
  workspaceId: string
  actor: Actor
  target: { id: string; name: string }
}

/** Asks for those of a target's addresses that no target had before, or whose readers could not be asked yet. */
export async function askNewAddresses(
  ctx: AppContext,
  tx: Tx,
  input: Asker & { addresses: readonly string[]; heldBefore: readonly store.AddressRow[] },
): Promise<void> {
  const { workspaceId, addresses, heldBefore } = input
  if (!ctx.mailer) return
  const known = new Set(heldBefore.map(({ address }) => address))
  const rows = await store.listHeldAddresses(tx, workspaceId, addresses)
  const fresh = rows.filter(
    (row) =>
      decideAddressState(row) === 'Pending' &&
      (row.askedAt === null || !known.has(row.address)) &&
      explainNotAsking(row, ctx.now()) === undefined,
  )
  await ask(
    ctx,
    tx,
    input,
    fresh.map(({ address }) => address),
  )
}

/** Asks once more. The links of earlier mails keep working. */
export async function askAgain(
  ctx: AppContext,
  input: Asker & { emailAddress: string },
): Promise<void> {
  const { workspaceId, target, emailAddress } = input
  requireMailServer(ctx)
  await ctx.db.transaction().execute(async (tx) => {
    await store.lockTargets(tx, workspaceId)
    const read = readEmailAddress(emailAddress)
    const address = 'fault' in read ? '' : read.address
    const held = await listTargetAddresses(tx, workspaceId, target.id)
    const row = await store.findHeldAddress(tx, workspaceId, address)
    if (!row || !held.some((one) => one.address === address))
      throw invalid('The target does not have this address.', '/emailAddress')
    if (decideAddressState(row) === 'Confirmed') throw alreadyConfirmed()
    refuseTooOften(row, ctx.now())
    await ask(ctx, tx, input, [address])
  })
}

async function ask(
  ctx: AppContext,
  tx: Tx,
  { workspaceId, actor, target }: Asker,
  addresses: readonly string[],
): Promise<void> {
  for (const address of addresses) {
    const recipient = { address, targetId: target.id }
    const confirmation = { workspaceId, kind: 'Confirmation', recipient } as const
    await notifyRecipient(ctx, tx, { ...confirmation, name: target.name, askedBy: actor.email })
    const entry = { workspaceId, actor, action: 'notification-address.ask' as const }
    const resource = { resourceType: 'notification-address', resourceId: address }
    await recordAudit(ctx, tx, { ...entry, ...resource })
  }
  await store.recordAsked(tx, workspaceId, { addresses, askedAt: ctx.now() })
  await requireMails(ctx, tx, { kind: 'Confirmation', workspaceId, addresses })
}

function alreadyConfirmed(): AppError {
  const detail = 'The address is already confirmed.'
  return new AppError('conflict', 'notification-address-confirmed', detail)
}

function refuseTooOften(asked: AskedFacts, now: Date): void {
  const reason = explainNotAsking(asked, now)
  if (reason === 'TooOften')
    throw new AppError(
      'conflict',
      'confirmation-too-often',
      `The reader of the address was asked ${MOST_ASKED} times and has not answered.`,
    )
  if (reason === 'TooSoon')
    throw new AppError(
      'conflict',
      'confirmation-too-soon',
      `The reader of the address was asked less than ${ASK_AGAIN_MS / 60_000} minutes ago.`,
    )
}
