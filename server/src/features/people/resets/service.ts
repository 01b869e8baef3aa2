/** New passwords for who forgot theirs: by mail, or by a link that the operator makes. */
import type { Actor } from '../../../platform/actor.ts'
import type { AppContext } from '../../../platform/context.ts'
import { notFound } from '../../../platform/errors.ts'
import { groupAddress } from '../../../platform/http/address-group.ts'
import { createLink, readPersonEmail, recordPersonAudit, type Visitor } from '../../auth/index.ts'
import { writeLetter } from '../../../platform/mail/letter.ts'
import { createMessageId, sendMail, takeMails } from '../../mails/index.ts'
import { PasswordResetRequested } from '../schemas.ts'
import { beginAttempt } from '../sign-in/attempts-service.ts'
import { resetLimits } from '../sign-in/limits.ts'
import { requirePasswords } from '../sign-in/service.ts'
import { findPersonByEmail } from '../store.ts'
import {
  deleteIdentities,
  endAccess,
  forgetSecondFactors,
  listPeople as listPeopleRows,
} from './store.ts'

/** The same happens for an address that is nobody's; a job finds out later. Who is refused got a mail a moment ago. */
export async function requestPasswordReset(
  ctx: AppContext,
  { email, visitor }: { email: string; visitor: Visitor },
): Promise<void> {
  requirePasswords(ctx)
  const account = email.trim().toLowerCase()
  await beginAttempt(ctx, resetLimits(account, groupAddress(visitor.address)))
  const { requestId } = visitor
  const requested = { email: account, requestId }
  await ctx.db
    .transaction()
    .execute((tx) => ctx.queue.enqueue(tx, PasswordResetRequested, requested))
}

export async function sendPasswordReset(
  ctx: AppContext,
  { email, requestId }: { email: string; requestId: string },
  signal: AbortSignal,
): Promise<void> {
  const person = await findPersonByEmail(ctx.db, email)
  if (!person || !ctx.mailer) return
  const { id: personId } = person
  const { url } = await ctx.db.transaction().execute(async (tx) => {
    const actor = { type: 'User', id: undefined, email, requestId } as const
    await recordPersonAudit(ctx, tx, { personId, actor, action: 'member.request-password-reset' })
    await takeMails(ctx, tx, { kind: 'PasswordReset', addresses: [email] })
    return createLink(ctx, tx, { kind: 'PasswordReset', personId, mailed: true })
  })
  const messageId = createMessageId(ctx)
  const mail = { ...resetLetter(url), messageId, to: email, references: [], headers: {} }
  const { outcome, answer } = await sendMail(ctx, mail, signal)
  // The queue tries again. A refusal is final.
  if (outcome === 'Deferred') throw new Error(`The mail server did not take the mail: ${answer}`)
  if (outcome === 'Refused') ctx.log.warn({ personId, answer }, 'mail to reset a password refused')
}

function resetLetter(url: string) {
  return writeLetter({
    subject: 'Choose a new password for Plimsoll',
    before: ['Somebody, probably you, asked for a new password for your account of Plimsoll.'],
    link: { label: 'Choose a new password', url },
    after: [
      'The link works once, and for 30 minutes. If you asked for nothing, ignore this mail: your password stays as it is.',
    ],
  })
}

interface OfPerson {
  email: string
  actor: Actor
}

async function requirePerson(ctx: AppContext, email: string) {
  const address = readPersonEmail(email)
  const person = await findPersonByEmail(ctx.db, address)
  if (!person) throw notFound('person', address)
  return person
}

/** A link for the operator to hand over. */
export async function resetAsOperator(
  ctx: AppContext,
  { email, removesSecondFactors, actor }: OfPerson & { removesSecondFactors: boolean },
) {
  const { id: personId, email: address } = await requirePerson(ctx, email)
  return ctx.db.transaction().execute(async (tx) => {
    if (removesSecondFactors) await forgetSecondFactors(tx, personId)
    const after = { secondFactorsRemoved: removesSecondFactors }
    await recordPersonAudit(ctx, tx, { personId, actor, action: 'member.reset', after })
    const { url, expiresAt } = await createLink(ctx, tx, { kind: 'PasswordReset', personId })
    return { email: address, link: url, expiresAt: expiresAt.toISOString() }
  })
}

export async function endSessionsAsOperator(ctx: AppContext, { email, actor }: OfPerson) {
  const { id: personId, email: address } = await requirePerson(ctx, email)
  return ctx.db.transaction().execute(async (tx) => {
    const after = await endAccess(ctx, tx, personId)
    await recordPersonAudit(ctx, tx, { personId, actor, action: 'member.end-sessions', after })
    return { email: address, ...after }
  })
}

/** The accounts at OpenID providers open the person's no more; the next verified sign-in links one again. */
export async function removeIdentitiesAsOperator(ctx: AppContext, { email, actor }: OfPerson) {
  const { id: personId, email: address } = await requirePerson(ctx, email)
  return ctx.db.transaction().execute(async (tx) => {
    const issuers = await deleteIdentities(tx, personId)
    const after = { issuers, ...(await endAccess(ctx, tx, personId)) }
    await recordPersonAudit(ctx, tx, { personId, actor, action: 'member.unlink-provider', after })
    return { email: address, ...after }
  })
}

export async function listPeople(ctx: AppContext, workspaceId: string | undefined) {
  return listPeopleRows(ctx.db, workspaceId)
}
