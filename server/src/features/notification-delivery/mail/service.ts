/** Sends one message to one address. */
import type { AppContext } from '../../../platform/context.ts'
import { outlastOutage } from '../../../platform/db/outlasting-outage.ts'
import {
  confirmUrl,
  findRecipientAddress,
  findTargetName,
  type RecipientAddress,
  recordMailAnswer,
  unsubscribeUrl,
} from '../../notification-targets/index.ts'
import type { NotificationKind } from '../../notifications/index.ts'
import type { Claim, DeliveryOutcome } from '../claim.ts'
import { writeAlertMail } from './message.ts'

/** Makes one attempt and records its answer on the address too. */
export async function sendMail(
  ctx: AppContext,
  { recipient, messageId, rows }: Claim,
  signal: AbortSignal,
): Promise<DeliveryOutcome> {
  const { workspaceId, address } = recipient
  const [first] = rows
  if (address === null || !first) return { outcome: 'Dropped', answer: 'The message was empty.' }
  if (!ctx.mailer) return { outcome: 'Deferred', answer: 'No mail server is configured.' }
  const { kind } = first
  const reason = reasonNotToSend(kind, await findRecipientAddress(ctx.db, workspaceId, address))
  if (reason !== undefined) return { outcome: 'Dropped', answer: reason }
  const isConfirmation = kind === 'Confirmation'
  const mail = writeAlertMail({
    messageId,
    domain: ctx.config.mail.from.address.split('@').at(-1) ?? 'localhost',
    to: address,
    publicUrl: ctx.config.publicUrl,
    hasPortal: ctx.config.servesPortal,
    workspaceId,
    targetName: await findTargetName(ctx.db, workspaceId, first.targetId),
    kind,
    notices: rows.map(({ incidentId, notice }) => ({ incidentId, notice })),
    confirmUrl: isConfirmation ? confirmUrl(ctx, workspaceId, address) : null,
    unsubscribeUrl: isConfirmation ? null : unsubscribeUrl(ctx, workspaceId, address),
  })
  const sent = await ctx.mailer.send(mail, signal)
  const { outcome, answer, isRecipientRefused, mayHaveArrived } = sent
  const isDelivered = outcome === 'Delivered'
  const at = ctx.now()
  const answered = { workspaceId, address, answer, at, isDelivered, isDead: isRecipientRefused }
  await outlastOutage(() => recordMailAnswer(ctx.db, answered), signal)
  if (isDelivered || isRecipientRefused) return { outcome, answer }
  // Other refusals concern the server or its settings, which somebody may correct.
  return { outcome: 'Deferred', answer, mayHaveArrived }
}

/** Why nothing is sent to the address; undefined when mail may be sent. */
function reasonNotToSend(
  kind: NotificationKind,
  address: RecipientAddress | undefined,
): string | undefined {
  if (!address?.hasTarget) return 'The address no longer belongs to a target.'
  if (kind === 'Confirmation') return undefined
  if (address.unsubscribedAt) return 'The reader wants no more mail.'
  if (!address.confirmedAt) return 'The address is not confirmed.'
  if (kind === 'Test') return undefined
  if (address.deadAt) return 'The mail server refused the address permanently.'
  return address.hasEnabledTarget
    ? undefined
    : 'The address no longer belongs to an enabled target.'
}
