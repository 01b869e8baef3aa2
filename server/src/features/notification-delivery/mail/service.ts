/** Brings one message to one address. */
import type { AppContext } from '../../../platform/context.ts'
import { outlastingOutage } from '../../../platform/db/outlasting-outage.ts'
import {
  confirmUrl,
  findReader,
  findTargetName,
  type Reader,
  recordReader,
  unsubscribeUrl,
} from '../../notification-targets/index.ts'
import type { NotificationKind } from '../../notifications/index.ts'
import type { Claim, Result } from '../service.ts'
import { mailOf } from './message.ts'

/** One attempt, whose outcome also shows on the address. */
export async function sendMail(
  ctx: AppContext,
  { recipient, messageId, rows }: Claim,
  signal: AbortSignal,
): Promise<Result> {
  const { workspaceId, address } = recipient
  const [first] = rows
  if (address === null || !first) return { outcome: 'Dropped', answer: 'Nothing was to be said.' }
  if (!ctx.mailer) return { outcome: 'Deferred', answer: 'No mail server is configured.' }
  const { kind } = first
  const reason = reasonNotToWrite(kind, await findReader(ctx.db, workspaceId, address))
  if (reason !== undefined) return { outcome: 'Dropped', answer: reason }
  const isQuestion = kind === 'Confirmation'
  const mail = mailOf({
    messageId,
    domain: ctx.config.mail.from.address.split('@').at(-1) ?? 'localhost',
    to: address,
    publicUrl: ctx.config.publicUrl,
    workspaceId,
    targetName: await findTargetName(ctx.db, workspaceId, first.targetId),
    kind,
    notices: rows.map(({ incidentId, notice }) => ({ incidentId, notice })),
    confirmUrl: isQuestion ? confirmUrl(ctx, workspaceId, address) : null,
    unsubscribeUrl: isQuestion ? null : unsubscribeUrl(ctx, workspaceId, address),
  })
  const sent = await ctx.mailer.send(mail, signal)
  const { outcome, answer, isRecipientRefused, mayHaveArrived } = sent
  const isDelivered = outcome === 'Delivered'
  const at = ctx.now()
  const told = { workspaceId, address, answer, at, isDelivered, isDead: isRecipientRefused }
  await outlastingOutage(() => recordReader(ctx.db, told), signal)
  if (isDelivered || isRecipientRefused) return { outcome, answer }
  // Whatever else a server refuses is its own trouble, or that of who runs it: it may be mended.
  return { outcome: 'Deferred', answer, mayHaveArrived }
}

/** undefined: it may be written to. */
function reasonNotToWrite(kind: NotificationKind, reader: Reader | undefined): string | undefined {
  if (!reader?.isHeld) return 'No target has the address any more.'
  if (kind === 'Confirmation') return undefined
  if (reader.unsubscribedAt) return 'The reader wants no more mail.'
  if (!reader.confirmedAt) return 'The address is not confirmed.'
  if (kind === 'Test') return undefined
  if (reader.deadAt) return 'The mail server refused the address for good.'
  return reader.isHeldEnabled ? undefined : 'No enabled target has the address any more.'
}
