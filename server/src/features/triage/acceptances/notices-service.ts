/**
 * Tells owners that acceptances end soon or have ended: one mail an owner a run, however many ended. What is to be told is a row of the
 * transaction that ends it, so a process that is killed loses nothing; the rows go in the transaction that plans the mail.
 */
import {
  type Acceptance,
  describeEndedAcceptance,
  formatAcceptanceDay,
} from '../../../formats/acceptances.ts'
import { formatCountOf } from '../../../formats/counts.ts'
import { addMs, MINUTE_MS, SECOND_MS } from '../../../formats/instants.ts'
import { formatPortalPath } from '../../../formats/portal-pages.ts'
import type { AppContext } from '../../../platform/context.ts'
import type { Tx } from '../../../platform/db/connect.ts'
import { newId } from '../../../platform/ids.ts'
import { type Letter, writeLetter } from '../../../platform/mail/letter.ts'
import { type LetterOfColleague, sendToMember } from '../../discussions/index.ts'
import { AcceptanceMail } from '../../findings/index.ts'
import { takeMails } from '../../mails/index.ts'
import { notifyWebhook } from '../../notifications/index.ts'
import { findWorkspaceName, getSettings, listMembers } from '../../workspaces/index.ts'
import * as store from './notices-store.ts'

/** Ends of one run follow each other within this time. */
const QUIET_MS = 20 * SECOND_MS
const LONGEST_WAIT_MS = 5 * MINUTE_MS
/** In a mail. */
const MOST_NAMED = 20

export async function tellOwners(ctx: AppContext, signal?: AbortSignal): Promise<void> {
  const now = ctx.now()
  await store.noteNearEnds(ctx.db, now)
  const waits = { quietSince: addMs(now, -QUIET_MS), longSince: addMs(now, -LONGEST_WAIT_MS) }
  for (const owner of await store.listWaitingOwners(ctx.db, waits)) {
    if (signal?.aborted === true) return
    await ctx.db.transaction().execute((tx) => tellOwner(ctx, tx, owner))
  }
}

/** Over the bound of mails nothing is taken: the next run tries again. */
async function tellOwner(ctx: AppContext, tx: Tx, owner: store.WaitingOwner): Promise<void> {
  const { workspaceId, ownerId } = owner
  const members = ownerId === null ? [] : await listMembers(tx, workspaceId)
  const member = members.find(({ subjectId }) => subjectId === ownerId)
  const mail =
    member && ctx.mailer && ({ kind: 'Colleague', workspaceId, addresses: [member.email] } as const)
  if (mail && (await takeMails(ctx, tx, mail))) return
  const notices = await store.takeNotices(tx, owner)
  if (notices.length === 0) return
  const told = await describeNotices(tx, workspaceId, notices)
  const { acceptanceWebhookId: webhookId } = await getSettings({ db: tx }, workspaceId)
  if (webhookId !== null) await tellWebhook(ctx, tx, { workspaceId, webhookId, told })
  if (mail)
    await ctx.queue.enqueue(tx, AcceptanceMail, {
      workspaceId,
      personId: member.subjectId,
      mailId: newId(),
      ...told,
    })
}

interface ToldEnds {
  endedCount: number
  endingCount: number
  /** Sentences, the first of each kind. */
  lines: string[]
}

async function describeNotices(
  tx: Tx,
  workspaceId: string,
  notices: readonly store.NoticedEnd[],
): Promise<ToldEnds> {
  const endedCount = notices.filter(({ isEnded }) => isEnded).length
  const named = notices.slice(0, MOST_NAMED)
  const ids = named.map(({ firmwareVersionId }) => firmwareVersionId)
  const names = await store.listVersionNames(tx, workspaceId, ids)
  const lines = named.map(
    ({ isEnded, acceptance, vulnerabilityId, firmwareVersionId }) =>
      `${vulnerabilityId} in ${names.get(firmwareVersionId) ?? 'a deleted version'}: ${describe(acceptance, isEnded)}`,
  )
  const more = notices.length - named.length
  return {
    endedCount,
    endingCount: notices.length - endedCount,
    lines: [...lines, ...(more > 0 ? [`… and ${formatCountOf(more, 'other')}.`] : [])],
  }
}

function describe(acceptance: Acceptance, isEnded: boolean): string {
  if (isEnded) return `${describeEndedAcceptance(acceptance, acceptance.ended?.causes ?? [])}.`
  return `accepted until ${formatAcceptanceDay(acceptance.until ?? '')}.`
}

function titleOf({ endedCount, endingCount }: Omit<ToldEnds, 'lines'>): string {
  const ended = `${formatCountOf(endedCount, 'accepted risk')} ${endedCount === 1 ? 'has' : 'have'} ended`
  if (endingCount === 0) return ended
  const ending = `${formatCountOf(endingCount, 'accepted risk')} ${endingCount === 1 ? 'ends' : 'end'} soon`
  return endedCount === 0 ? ending : `${ended}, ${ending}`
}

async function tellWebhook(
  ctx: AppContext,
  tx: Tx,
  { workspaceId, webhookId, told }: { workspaceId: string; webhookId: string; told: ToldEnds },
): Promise<void> {
  const { lines, ...counts } = told
  const notice = {
    event: 'AcceptancesEnd' as const,
    workspaceName: await findWorkspaceName(tx, workspaceId),
    title: titleOf(told),
    text: lines.join(' '),
    facts: [],
    items: [],
    moreItems: 0,
    path: formatPortalPath('acceptances', { workspaceId }),
    at: ctx.now().toISOString(),
    data: counts,
  }
  await notifyWebhook(ctx, tx, {
    workspaceId,
    webhookId,
    eventKey: `acceptances:${newId()}`,
    notice,
  })
}

interface MailOfOwner {
  workspaceId: string
  personId: string
  mailId?: string
}

/** A job. */
export async function sendAcceptanceMail(
  ctx: AppContext,
  { workspaceId, personId, mailId, ...told }: ToldEnds & MailOfOwner,
  signal: AbortSignal,
): Promise<void> {
  const write = (about: LetterOfColleague) => writeEndsLetter(about, told)
  await sendToMember(ctx, { workspaceId, personId, mailId, byEmail: null, write }, signal)
}

function writeEndsLetter(
  { publicUrl, workspaceId, workspaceName }: LetterOfColleague,
  told: ToldEnds,
): Letter {
  const path = formatPortalPath('acceptances', { workspaceId })
  return writeLetter({
    subject: `${titleOf(told)} in ${workspaceName}`,
    before: [`${titleOf(told)}. Findings that ended are open again.`, ...told.lines],
    link: { label: 'Open accepted risks', url: `${publicUrl}${path}` },
    after: [
      `You get this mail as the owner of these accepted risks in the workspace "${workspaceName}" of Plimsoll.`,
    ],
  })
}
