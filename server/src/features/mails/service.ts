/**
 * The one door by which mail leaves. Every mail is counted in the transaction that decides to send it. Over a bound, a request
 * is refused, and what the service sends by itself waits for the next hour.
 */
import { HOUR_MS, SECOND_MS, addMs } from '../../formats/instants.ts'
import type { AppContext } from '../../platform/context.ts'
import type { Tx } from '../../platform/db/connect.ts'
import { AppError } from '../../platform/errors.ts'
import { newId } from '../../platform/ids.ts'
import type { Mail } from '../../platform/mail/letter.ts'
import type { MailOutcome } from '../../platform/mail/smtp-outcome.ts'
import { describeRefusal, findWindow, takeInWindow, type WindowQuota } from '../quotas/index.ts'
import { type AddressBound, listMailCounts, listMailQuotas, type PlannedMails } from './bounds.ts'
import * as store from './store.ts'

type CountContext = Pick<AppContext, 'config' | 'now' | 'memory' | 'log'>

/** What is used up in the present hour. */
export type SpentBound = { endsAt: Date; answer: string } & (
  | { bound: AddressBound | 'Installation' }
  | { bound: 'Workspace'; quota: WindowQuota; workspaceId: string }
)

const ANSWERS = {
  WorkspaceAddress: 'The workspace has sent all mails that it may send to this address in an hour',
  Address: 'This address has got all mails that it may get in an hour',
  Installation: 'The service has sent all mails that it may send in an hour',
}

/** Counts mails that are about to be sent. The answer says what is used up: then none of them is counted, and none may leave. */
export async function takeMails(
  ctx: CountContext,
  tx: Tx,
  planned: PlannedMails,
): Promise<SpentBound | undefined> {
  if (planned.addresses.length === 0) return undefined
  const { beganAt, endsAt } = findWindow('mailsPerHour', ctx.now())
  const counts = listMailCounts(planned, ctx.config.mail.mostPerHour)
  const used = await store.lockCounts(tx, counts, beganAt)
  const spent = counts.find(
    ({ key, amount, most }) => most !== null && (used.get(key) ?? 0) + amount > most,
  )
  const found: SpentBound | undefined = spent
    ? { bound: spent.bound, endsAt, answer: `${ANSWERS[spent.bound]} (${spent.most}).` }
    : await takeQuotas(ctx, tx, planned, endsAt)
  if (found) {
    const { kind, workspaceId } = planned
    ctx.log.warn({ kind, workspaceId, bound: found.bound, until: endsAt }, 'mail held: too many')
    return found
  }
  await store.addToCounts(tx, counts, beganAt)
  return undefined
}

async function takeQuotas(
  ctx: CountContext,
  tx: Tx,
  { kind, workspaceId, addresses: { length: amount } }: PlannedMails,
  endsAt: Date,
): Promise<SpentBound | undefined> {
  if (workspaceId === undefined) return undefined
  for (const quota of listMailQuotas(kind)) {
    if ((await takeInWindow(ctx, tx, { workspaceId, quota, amount })) === amount) continue
    const answer = `The limit of the workspace is reached (${quota}); it is sent in the next hour.`
    return { bound: 'Workspace', quota, workspaceId, endsAt, answer }
  }
  return undefined
}

/** As `takeMails`, for mails that a person asks for: throws when they may not leave now, and the transaction is rolled back. */
export async function requireMails(
  ctx: CountContext,
  tx: Tx,
  planned: PlannedMails,
): Promise<void> {
  const spent = await takeMails(ctx, tx, planned)
  if (!spent) return
  if (spent.bound === 'Workspace') throw await describeRefusal(ctx, tx, spent)
  const error = new AppError(
    'rateLimited',
    'too-many-mails',
    `${spent.answer} Nothing was sent or stored.`,
  )
  const waitMs = spent.endsAt.getTime() - ctx.now().getTime()
  error.retryAfterSeconds = Math.max(1, Math.ceil(waitMs / SECOND_MS))
  throw error
}

/** Sends a mail that was counted. Nothing else calls the mailer: lint refuses it. */
export async function sendMail(
  { mailer }: Pick<AppContext, 'mailer'>,
  mail: Mail,
  signal: AbortSignal,
): Promise<MailOutcome> {
  if (mailer) return mailer.send(mail, signal)
  const answer = 'No mail server is configured.'
  return { outcome: 'Deferred', answer, isRecipientRefused: false, mayHaveArrived: false }
}

type MailSettings = Pick<AppContext, 'config'>

/** `id`: the same for a mail that is repeated. */
export function createMessageId(ctx: MailSettings, id = newId()): string {
  return `${id}@${readMailDomain(ctx)}`
}

export function readMailDomain({ config: { mail } }: MailSettings): string {
  return mail.from.address.split('@').at(-1) ?? 'localhost'
}

/** `advice`: what to do without mail. */
export function requireMailServer({ mailer }: Pick<AppContext, 'mailer'>, advice = ''): void {
  if (mailer) return
  const detail = `No mail server is configured, so no mail can be sent.${advice}`
  throw new AppError('conflict', 'mail-not-configured', detail)
}

/** Hours that ended are of no use; some are kept, to look at. */
const KEPT_HOURS = 48

export async function sweepMailCounts({ db, now }: Pick<AppContext, 'db' | 'now'>): Promise<void> {
  await store.deleteCountsBefore(db, addMs(now(), -KEPT_HOURS * HOUR_MS))
}
