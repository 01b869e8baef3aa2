/**
 * Sends weekly mails. A worker claims a mail and commits before it connects to the server, so that no other worker sends it
 * too, and records the result afterwards. When a worker ends in between, its claim expires, and the mail is sent again with
 * the same Message-ID.
 */
import { deriveUuid } from '../../formats/content-uuid.ts'
import { addMs, MINUTE_MS } from '../../formats/instants.ts'
import type { AppContext } from '../../platform/context.ts'
import { outlastOutage } from '../../platform/db/outlasting-outage.ts'
import type { Mail } from '../../platform/mail/letter.ts'
import { createMessageId, sendMail, takeMails } from '../mails/index.ts'
import { findNextWeekly } from '../notifications/index.ts'
import { readOwn, readWeek } from './content-service.ts'
import type { WeeklyFacts } from './facts.ts'
import { type WeeklyLetter, writeWeeklyLetter } from './letter.ts'
import { unsubscribeUrl } from './link.ts'
import * as store from './store.ts'
import { findWeek, type Week } from './week.ts'

/** Longer than reading a week and the time limit of any server. */
const CLAIM_MS = 10 * MINUTE_MS
/** A server that takes no mail is asked again for a day. */
const RETRY_MS = 15 * MINUTE_MS
const MOST_ATTEMPTS = 96
const LOOKED_AT = 50

/** Sends what is due, one mail after another. */
export async function sendDueMails(ctx: AppContext, signal: AbortSignal): Promise<void> {
  if (!ctx.mailer) return
  for (const due of await store.listDueMails(ctx.db, { now: ctx.now(), limit: LOOKED_AT })) {
    if (signal.aborted) return
    await sendDueMail(ctx, due, signal)
  }
}

async function sendDueMail(
  ctx: AppContext,
  due: store.DueMail,
  signal: AbortSignal,
): Promise<void> {
  const now = ctx.now()
  const claim = { now, until: addMs(now, CLAIM_MS) }
  const claimed = await store.claimMail(ctx.db, due, claim)
  if (!claimed) return
  const spent = await outlastOutage(() => takeMail(ctx, claimed), signal)
  if (spent) {
    const { endsAt: until, answer } = spent
    return outlastOutage(() => store.recordDelay(ctx.db, claimed, { until, answer }), signal)
  }
  const week = findWeek(claimed.weekly, claimed.dueAt, now)
  const told = await outlastOutage(() => readWeekOnce(ctx, claimed.workspaceId, week), signal)
  const own = await outlastOutage(() => readOwn(ctx, claimed), signal)
  const mail = writeMail(ctx, claimed, week, { told, own })
  const { outcome, answer } = await sendMail(ctx, mail, signal)
  await outlastOutage(() => record(ctx, claimed, { outcome, answer }), signal)
}

async function takeMail(ctx: AppContext, { workspaceId, email }: store.ClaimedMail) {
  const planned = { kind: 'Weekly', workspaceId, addresses: [email] } as const
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
  if (outcome !== 'Delivered')
    ctx.log.warn({ personId: claimed.personId, answer }, 'weekly mail refused')
  const sentAt = outcome === 'Delivered' ? now : undefined
  const nextAt = findNextWeekly(claimed.weekly, now)
  await store.recordEnd(ctx.db, claimed, { nextAt, sentAt, answer })
}

function writeMail(
  ctx: AppContext,
  claimed: store.ClaimedMail,
  week: Week,
  { told, own }: Pick<WeeklyLetter, 'told' | 'own'>,
): Mail {
  const { workspaceId, personId, workspaceName, weekly, email } = claimed
  const { publicUrl } = ctx.config
  const unsubscribe = unsubscribeUrl({ publicUrl, signingKey: ctx.signingKey }, claimed)
  const letter = writeWeeklyLetter({
    workspaceId,
    workspaceName,
    publicUrl,
    timeZone: weekly.timeZone,
    week,
    told,
    own,
    personId,
    unsubscribeUrl: unsubscribe,
  })
  const id = deriveUuid(`weekly mail ${workspaceId} ${personId} ${week.until.toISOString()}`)
  return {
    ...letter,
    messageId: createMessageId(ctx, id),
    to: email,
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

interface LastWeek {
  key: string
  told: Promise<WeeklyFacts>
}
const makeLast = (): { week: LastWeek | undefined } => ({ week: undefined })

/** Members who want their mail at the same time are told the same, which is read once. */
async function readWeekOnce(
  ctx: AppContext,
  workspaceId: string,
  week: Week,
): Promise<WeeklyFacts> {
  const last = ctx.memory.of(makeLast)
  const key = `${workspaceId} ${week.until.toISOString()}`
  const wanted =
    last.week?.key === key ? last.week : { key, told: readWeek(ctx, workspaceId, week) }
  last.week = wanted
  try {
    return await wanted.told
  } catch (error) {
    last.week = undefined
    throw error
  }
}
