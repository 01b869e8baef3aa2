/** Tells those who answer that reports from outside wait: one mail an hour at most, however many come. */
import type { Static } from 'typebox'
import { formatCountOf } from '../../formats/counts.ts'
import { addMs, HOUR_MS, MINUTE_MS } from '../../formats/instants.ts'
import { formatPortalPath } from '../../formats/portal-pages.ts'
import type { AppContext } from '../../platform/context.ts'
import type { Tx } from '../../platform/db/connect.ts'
import { newId } from '../../platform/ids.ts'
import { subscribeTo } from '../../platform/jobs/queue.ts'
import { type Letter, writeLetter } from '../../platform/mail/letter.ts'
import { startTicker } from '../../platform/ticker.ts'
import { listScopes } from '../auth/index.ts'
import { type LetterOfColleague, sendToMember } from '../discussions/index.ts'
import { takeMails } from '../mails/index.ts'
import { listMembers } from '../workspaces/index.ts'
import * as mails from './mails-store.ts'
import { DisclosureReportMail } from './schemas.ts'
import { listAllReports } from './service.ts'

export async function tellWhoAnswers(ctx: AppContext): Promise<void> {
  if (!ctx.mailer) return
  const now = ctx.now()
  const sentBefore = addMs(now, -HOUR_MS)
  for (const workspaceId of await mails.listWaitingWorkspaces(ctx.db, sentBefore))
    await ctx.db
      .transaction()
      .execute((tx) => planMails(ctx, tx, { workspaceId, now, sentBefore }))
      .catch((error: unknown) => {
        // The failure of one workspace does not stop the others; the schedule tries again.
        ctx.log.error({ err: error, workspaceId }, 'telling of disclosure reports failed')
      })
}

/** Over the bound of mails nothing is taken: the next run tries again. */
async function planMails(
  ctx: AppContext,
  tx: Tx,
  { workspaceId, ...turn }: { workspaceId: string; now: Date; sentBefore: Date },
): Promise<void> {
  const members = await listMembers(tx, workspaceId)
  const told = members.filter(({ role }) => listScopes(role).includes('Cases: write'))
  const addresses = told.map(({ email }) => email)
  if (await takeMails(ctx, tx, { kind: 'Colleague', workspaceId, addresses })) return
  // Another worker tells them.
  if (!(await mails.takeTurn(tx, workspaceId, turn))) return
  for (const { subjectId: personId } of told)
    await ctx.queue.enqueue(tx, DisclosureReportMail, { workspaceId, personId, mailId: newId() })
}

/** A job. Nothing is sent where all was answered and assessed meanwhile. */
export async function sendReportMail(
  ctx: AppContext,
  { workspaceId, personId, mailId }: Static<(typeof DisclosureReportMail)['payload']>,
  signal: AbortSignal,
): Promise<void> {
  const waiting = (await listAllReports(ctx, ctx.db, workspaceId)).filter((one) => one.isWaiting)
  if (waiting.length === 0) return
  const late = waiting.filter((one) => one.isLate).length
  const write = (about: LetterOfColleague) => writeReportLetter(about, waiting.length, late)
  await sendToMember(ctx, { workspaceId, personId, mailId, byEmail: null, write }, signal)
}

/** Counts alone: what strangers write, and what nobody may know yet, stays out of mails. */
function writeReportLetter(
  { publicUrl, workspaceId, workspaceName }: LetterOfColleague,
  count: number,
  late: number,
): Letter {
  const title = `${formatCountOf(count, 'report')} from outside ${count === 1 ? 'waits' : 'wait'}`
  return writeLetter({
    subject: `${title} in ${workspaceName}`,
    before: [
      `${title} for an answer or an assessment${late > 0 ? `; ${late} late, by the times of your policy (good practice)` : ''}.`,
    ],
    link: {
      label: 'Open the reports',
      url: `${publicUrl}${formatPortalPath('disclosureReports', { workspaceId })}`,
    },
    after: [
      `You get this mail, at most once an hour, because you may answer reports in the workspace "${workspaceName}" of Plimsoll.`,
    ],
  })
}

export const disclosureReportJobs = [subscribeTo(DisclosureReportMail, sendReportMail)]

const LOOK_MS = MINUTE_MS / 2

/** Any number of workers may run this. The result stops it. */
export function startDisclosureReportMails(ctx: AppContext): () => Promise<void> {
  const { stop } = startTicker({
    everyMs: LOOK_MS,
    work: () => tellWhoAnswers(ctx),
    log: ctx.log,
    failure: 'telling of disclosure reports failed',
  })
  return stop
}
