/** Sends one message to one address. */
import type { AppContext } from '../../../platform/context.ts'
import type { Tx } from '../../../platform/db/connect.ts'
import type { MailOutcome } from '../../../platform/mail/smtp-outcome.ts'
import { readMailDomain, sendMail } from '../../mails/index.ts'
import {
  confirmUrl,
  findRecipientAddress,
  findTargetName,
  type RecipientAddress,
  recordMailAnswer,
  unsubscribeUrl,
} from '../../notification-targets/index.ts'
import type { NotificationKind } from '../../notifications/index.ts'
import type { Claim, DeliveryOutcome, PreparedAttempt } from '../claim.ts'
import { writeAlertMail } from './message.ts'

/** Writes the mail, unless nobody is to get it any more. */
export async function prepareMail(
  ctx: AppContext,
  { recipient, messageId, rows }: Claim,
): Promise<PreparedAttempt<Tx>> {
  const { workspaceId, address } = recipient
  const [first] = rows
  if (address === null || !first) return { outcome: 'Dropped', answer: 'The message was empty.' }
  const { kind } = first
  const reason = reasonNotToSend(kind, await findRecipientAddress(ctx.db, workspaceId, address))
  if (reason !== undefined) return { outcome: 'Dropped', answer: reason }
  const isConfirmation = kind === 'Confirmation'
  const mail = writeAlertMail({
    messageId,
    domain: readMailDomain(ctx),
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
  return async (signal) => readOutcome(await sendMail(ctx, mail, signal), { workspaceId, address })
}

function readOutcome(
  { outcome, answer, isRecipientRefused, mayHaveArrived }: MailOutcome,
  recipient: { workspaceId: string; address: string },
): DeliveryOutcome<Tx> {
  const isDelivered = outcome === 'Delivered'
  const answered = { ...recipient, answer, isDelivered, isDead: isRecipientRefused }
  const recordAnswer = (tx: Tx, at: Date) => recordMailAnswer(tx, { ...answered, at })
  if (isDelivered || isRecipientRefused) return { outcome, answer, recordAnswer }
  // Other refusals concern the server or its settings, which somebody may correct.
  return { outcome: 'Deferred', answer, mayHaveArrived, recordAnswer }
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
