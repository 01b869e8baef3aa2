/**
 * Sends mails of advisories. A worker claims a mail and commits before it connects to the server, so that no other worker sends
 * it too, and records the result afterwards. When a worker ends in between, its claim expires, and the mail is sent again with
 * the same Message-ID.
 */
import { deriveUuid } from '../../../formats/content-uuid.ts'
import { addMs, MINUTE_MS, SECOND_MS } from '../../../formats/instants.ts'
import type { JsonObject } from '../../../formats/sboms/json-values.ts'
import type { AppContext } from '../../../platform/context.ts'
import type { Db, Tx } from '../../../platform/db/connect.ts'
import { outlastOutage } from '../../../platform/db/outlasting-outage.ts'
import { AppError } from '../../../platform/errors.ts'
import type { Mail } from '../../../platform/mail/letter.ts'
import { startTicker } from '../../../platform/ticker.ts'
import { createMessageId, sendMail, takeMails } from '../../mails/index.ts'
import { readPublisherSettings } from '../publisher-service.ts'
import { writeAdvisoryLetter } from './letter.ts'
import type { Recipient } from './recipients.ts'
import { listRecipients, type AudienceQuery } from './recipients-service.ts'
import * as store from './store.ts'
import { unsubscribeUrl } from './unsubscribe.ts'

const LOOK_MS = 10 * SECOND_MS
/** Longer than the time limit of any server. */
const CLAIM_MS = 10 * MINUTE_MS
/** A server that takes no mail is asked again for a day. */
const RETRY_MS = 15 * MINUTE_MS
const MOST_ATTEMPTS = 96
const LOOKED_AT = 100
const MOST_RECIPIENTS = 5_000

/** Those who would be told now, each with whether it wants no mail. */
export async function readRecipients(db: Db, told: AudienceQuery) {
  const recipients = await listRecipients(db, told)
  const addresses = recipients.map(({ address }) => address)
  const unwanted = new Set(await store.listUnwanted(db, told.workspaceId, addresses))
  return recipients.map((one) => ({ ...one, isUnwanted: unwanted.has(one.address) }))
}

/** Plans one mail an address, in the transaction that publishes the revision. Without a mail server none is planned. */
export async function planAdvisoryMails(
  ctx: Pick<AppContext, 'mailer' | 'now'>,
  tx: Tx,
  revision: { workspaceId: string; advisoryId: string; number: number },
  recipients: readonly (Recipient & { isUnwanted: boolean })[],
): Promise<number> {
  if (!ctx.mailer || recipients.length === 0) return 0
  if (recipients.length > MOST_RECIPIENTS)
    throw new AppError(
      'conflict',
      'too-many-recipients',
      `${recipients.length} contacts would be told; ${MOST_RECIPIENTS} is the most. Nothing was published.`,
    )
  await store.insertMails(tx, revision, { recipients, dueAt: ctx.now() })
  return recipients.filter(({ isUnwanted }) => !isUnwanted).length
}

/** Any number of workers may run this; a claim lets one of them send a mail. The result stops it. */
export function startAdvisoryMails(ctx: AppContext): () => Promise<void> {
  const stopping = new AbortController()
  const ticker = startTicker({
    everyMs: LOOK_MS,
    work: () => sendDueAdvisoryMails(ctx, stopping.signal),
    log: ctx.log,
    failure: 'sending mails of advisories failed',
  })
  return async () => {
    stopping.abort()
    await ticker.stop()
  }
}

/** Sends what is due, one mail after another. */
export async function sendDueAdvisoryMails(ctx: AppContext, signal: AbortSignal): Promise<void> {
  if (!ctx.mailer) return
  for (const due of await store.listDueMails(ctx.db, { now: ctx.now(), limit: LOOKED_AT })) {
    if (signal.aborted) return
    await sendDueMail(ctx, due, signal)
  }
}

async function sendDueMail(ctx: AppContext, due: store.DueMail, signal: AbortSignal) {
  const now = ctx.now()
  const claimed = await store.claimMail(ctx.db, due, { now, until: addMs(now, CLAIM_MS) })
  if (!claimed) return
  if (claimed.isUnwanted) {
    const ended = { state: 'Unwanted', answer: null, endedAt: now } as const
    await outlastOutage(() => store.recordEnd(ctx.db, claimed, ended), signal)
    return
  }
  const spent = await outlastOutage(() => takeMail(ctx, claimed), signal)
  if (spent) {
    const { endsAt: until, answer } = spent
    await outlastOutage(() => store.recordDelay(ctx.db, claimed, { until, answer }), signal)
    return
  }
  const mail = await outlastOutage(() => writeMail(ctx, claimed), signal)
  const { outcome, answer } = await sendMail(ctx, mail, signal)
  await outlastOutage(() => record(ctx, claimed, { outcome, answer }), signal)
}

async function takeMail(ctx: AppContext, { workspaceId, address }: store.ClaimedMail) {
  const planned = { kind: 'Advisory', workspaceId, addresses: [address] } as const
  return ctx.db.transaction().execute((tx) => takeMails(ctx, tx, planned))
}

async function record(
  ctx: AppContext,
  claimed: store.ClaimedMail,
  { outcome, answer }: { outcome: 'Delivered' | 'Deferred' | 'Refused'; answer: string },
): Promise<void> {
  const now = ctx.now()
  if (outcome === 'Deferred' && claimed.attempts < MOST_ATTEMPTS) {
    await store.recordDelay(ctx.db, claimed, { until: addMs(now, RETRY_MS), answer })
    return
  }
  if (outcome !== 'Delivered') ctx.log.warn({ answer }, 'mail of an advisory refused')
  const state = outcome === 'Delivered' ? 'Delivered' : 'Refused'
  await store.recordEnd(ctx.db, claimed, { state, answer, endedAt: now })
}

async function writeMail(ctx: AppContext, claimed: store.ClaimedMail): Promise<Mail> {
  const { workspaceId, advisoryId, number, address, document, path, isWithdrawal } = claimed
  const { isPublic, base } = await readPublisherSettings(ctx, ctx.db, workspaceId)
  const { publicUrl } = ctx.config
  const unsubscribe = unsubscribeUrl({ publicUrl, signingKey: ctx.signingKey }, claimed)
  const letter = writeAdvisoryLetter({
    document: JSON.parse(document) as JsonObject,
    isWithdrawal,
    pageUrl: isPublic ? `${base}/${path.replace(/json$/, 'html')}` : undefined,
    unsubscribeUrl: unsubscribe,
  })
  const id = deriveUuid(`advisory mail ${workspaceId} ${advisoryId} ${number} ${address}`)
  return {
    ...letter,
    messageId: createMessageId(ctx, id),
    to: address,
    references: [],
    headers: {
      // Suppresses out-of-office replies (RFC 3834; the second one for Exchange).
      'Auto-Submitted': 'auto-generated',
      'X-Auto-Response-Suppress': 'All',
      // RFC 8058: one click in the mail program unsubscribes.
      'List-Unsubscribe': `<${unsubscribe}>`,
      'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
    },
  }
}
