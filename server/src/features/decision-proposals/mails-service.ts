/** Tells those who may decide that proposals wait: one mail a day at most, once a run of proposals is over. */
import type { Static } from 'typebox'
import { formatCountOf } from '../../formats/counts.ts'
import { addDays, addMs, MINUTE_MS } from '../../formats/instants.ts'
import { formatPortalPath } from '../../formats/portal-pages.ts'
import { lowerWords } from '../../formats/words.ts'
import type { AppContext } from '../../platform/context.ts'
import type { Tx } from '../../platform/db/connect.ts'
import { newId } from '../../platform/ids.ts'
import { type Letter, writeLetter } from '../../platform/mail/letter.ts'
import { startTicker } from '../../platform/ticker.ts'
import { listScopes } from '../auth/index.ts'
import { type LetterOfColleague, sendToMember } from '../discussions/index.ts'
import { takeMails } from '../mails/index.ts'
import { listMembers } from '../workspaces/index.ts'
import * as mails from './mails-store.ts'
import { ProposalMail } from './schemas.ts'
import * as store from './store.ts'

const QUIET_MS = MINUTE_MS
const LONGEST_WAIT_MS = 15 * MINUTE_MS
/** In a mail. */
const MOST_NAMED = 10

export async function tellDeciders(ctx: AppContext): Promise<void> {
  if (!ctx.mailer) return
  const now = ctx.now()
  const sentBefore = addDays(now, -1)
  const waits = { quietSince: addMs(now, -QUIET_MS), longSince: addMs(now, -LONGEST_WAIT_MS) }
  for (const workspaceId of await mails.listWaitingWorkspaces(ctx.db, { ...waits, sentBefore }))
    await ctx.db
      .transaction()
      .execute((tx) => planMails(ctx, tx, { workspaceId, now, sentBefore }))
      .catch((error: unknown) => {
        // The failure of one workspace does not stop the others; the schedule tries again.
        ctx.log.error({ err: error, workspaceId }, 'telling of proposals failed')
      })
}

interface Turn {
  workspaceId: string
  now: Date
  sentBefore: Date
}

/** Over the bound of mails nothing is taken: the next run tries again. */
async function planMails(ctx: AppContext, tx: Tx, turn: Turn): Promise<void> {
  const { workspaceId } = turn
  const members = await listMembers(tx, workspaceId)
  const muted = await mails.listMuted(tx, workspaceId)
  const deciders = members.filter(
    ({ subjectId, role }) =>
      listScopes(role).includes('Vulnerabilities: write') && !muted.has(subjectId),
  )
  const addresses = deciders.map(({ email }) => email)
  if (await takeMails(ctx, tx, { kind: 'Colleague', workspaceId, addresses })) return
  // Another worker tells them.
  if (!(await mails.takeTurn(tx, workspaceId, turn))) return
  for (const { subjectId: personId } of deciders)
    await ctx.queue.enqueue(tx, ProposalMail, { workspaceId, personId, mailId: newId() })
}

/** A job. Nothing is sent where all was decided meanwhile. */
export async function sendProposalMail(
  ctx: AppContext,
  { workspaceId, personId, mailId }: Static<(typeof ProposalMail)['payload']>,
  signal: AbortSignal,
): Promise<void> {
  const count = await store.countOpenProposals(ctx.db, workspaceId)
  if (count === 0 || (await mails.listMuted(ctx.db, workspaceId)).has(personId)) return
  const newest = { workspaceId, state: 'Open', limit: MOST_NAMED } as const
  const proposals = await store.listProposals(ctx.db, newest)
  const write = (about: LetterOfColleague) => writeProposalLetter(about, { count, proposals })
  await sendToMember(ctx, { workspaceId, personId, mailId, byEmail: null, write }, signal)
}

interface WaitingProposals {
  count: number
  /** The newest. */
  proposals: readonly store.ProposalRow[]
}

function writeProposalLetter(
  { publicUrl, workspaceId, workspaceName }: LetterOfColleague,
  { count, proposals }: WaitingProposals,
): Letter {
  const title = `${formatCountOf(count, 'proposal')} ${count === 1 ? 'waits' : 'wait'} for a decision`
  const more = count - proposals.length
  return writeLetter({
    subject: `${title} in ${workspaceName}`,
    before: [
      `${title}. Nothing is decided until somebody takes or refuses them.`,
      ...proposals.map(describeProposal),
      ...(more > 0 ? [`… and ${formatCountOf(more, 'other')}.`] : []),
    ],
    link: {
      label: 'Open the proposals',
      url: `${publicUrl}${formatPortalPath('overview', { workspaceId })}/proposals`,
    },
    after: [
      `You get this mail, at most once a day, because you may decide findings in the workspace "${workspaceName}" of Plimsoll.`,
      `Send me no more: ${publicUrl}${formatPortalPath('you', { workspaceId })}`,
    ],
  })
}

/** "CVE-2026-1 in busybox 1.36, Gateway 4.1: not affected, by scanner" */
function describeProposal(row: store.ProposalRow): string {
  const { vulnerabilityId, componentName, componentVersion, assessment } = row
  const component = [componentName, componentVersion].filter((part) => part !== null).join(' ')
  const by = row.proposedByKey ?? row.proposedByEmail ?? 'somebody'
  return `${vulnerabilityId} in ${component}, ${row.firmwareName} ${row.firmwareVersionName}: ${lowerWords(assessment)}, by ${by}`
}

const LOOK_MS = MINUTE_MS / 2

/** Any number of workers may run this. The result stops it. */
export function startProposalMails(ctx: AppContext): () => Promise<void> {
  const { stop } = startTicker({
    everyMs: LOOK_MS,
    work: () => tellDeciders(ctx),
    log: ctx.log,
    failure: 'telling of proposals failed',
  })
  return stop
}
