/** Tells members by mail that a colleague named them, or gave them something to look after. */
import type { TObject, Static } from 'typebox'
import type { AppContext } from '../../platform/context.ts'
import type { Tx } from '../../platform/db/connect.ts'
import type { Message } from '../../platform/jobs/queue.ts'
import type { Letter } from '../../platform/mail/letter.ts'
import { createMessageId, requireMails, sendMail } from '../mails/index.ts'
import { findWorkspaceName } from '../workspaces/index.ts'
import { type About, writeAssignmentLetter, writeMentionLetter } from './letters.ts'
import type { AssignmentToSend, MentionToSend } from './schemas.ts'
import * as store from './store.ts'

interface PlannedMail<Payload extends TObject> {
  to: store.Person
  message: Message<Payload>
  payload: Omit<Static<Payload>, 'workspaceId'>
}

/** What is taken back or changed meanwhile is not told. */
const WAIT_SECONDS = 60

/** Counts the mails, and has a job send each: last in the transaction, as all mails share a count. Without a mail server none is sent. */
export async function planMails<Payload extends TObject>(
  ctx: AppContext,
  tx: Tx,
  workspaceId: string,
  planned: readonly PlannedMail<Payload>[],
): Promise<void> {
  if (!ctx.mailer || planned.length === 0) return
  for (const { message, payload } of planned)
    await ctx.queue.enqueue(tx, message, { ...payload, workspaceId } as Static<Payload>, {
      startAfterSeconds: WAIT_SECONDS,
    })
  const addresses = planned.map(({ to }) => to.email)
  await requireMails(ctx, tx, { kind: 'Colleague', workspaceId, addresses })
}

/** Nothing is sent where the comment is gone, or names the member no more. */
export async function sendMention(
  ctx: AppContext,
  { workspaceId, personId, commentId }: Static<(typeof MentionToSend)['payload']>,
  signal: AbortSignal,
): Promise<void> {
  const comment = await store.findComment(ctx.db, workspaceId, commentId)
  if (!comment) return
  const { vulnerabilityId: cveId, text, authorEmail: byEmail } = comment
  const write = (about: About) => writeMentionLetter(about, { cveId, text })
  await sendToMember(ctx, { workspaceId, personId, byEmail, write }, signal)
}

/** Nothing is sent of what somebody else looks after by now. */
export async function sendAssignment(
  ctx: AppContext,
  asked: Static<(typeof AssignmentToSend)['payload']>,
  signal: AbortSignal,
): Promise<void> {
  const { workspaceId, personId, byEmail, vulnerabilityIds } = asked
  const present = await store.readDiscussions(ctx.db, workspaceId, vulnerabilityIds)
  const cveIds = vulnerabilityIds.filter((id) => present.get(id)?.assignee?.subjectId === personId)
  if (cveIds.length === 0) return
  const count = asked.count - (vulnerabilityIds.length - cveIds.length)
  const write = (about: About) => writeAssignmentLetter(about, { cveIds, count })
  await sendToMember(ctx, { workspaceId, personId, byEmail, write }, signal)
}

interface MailOfColleague {
  workspaceId: string
  personId: string
  byEmail: string | null
  /** Names the mail, so that one that is repeated after a crash is known as the same. Messages of an older release have none. */
  mailId?: string | undefined
  write: (about: About) => Letter
}

/** Nothing is sent to somebody who has left meanwhile. */
export async function sendToMember(
  ctx: AppContext,
  { personId, mailId, write, ...by }: MailOfColleague,
  signal: AbortSignal,
): Promise<void> {
  const { db, config } = ctx
  const [member] = await store.listMembersAmong(db, by.workspaceId, { ids: [personId] })
  if (!member) return
  const workspaceName = await findWorkspaceName(db, by.workspaceId)
  const letter = write({ ...by, publicUrl: config.publicUrl, workspaceName })
  await send(ctx, { to: member, letter, mailId }, signal)
}

async function send(
  ctx: AppContext,
  { to, letter, mailId }: { to: store.Person; letter: Letter; mailId: string | undefined },
  signal: AbortSignal,
): Promise<void> {
  const mail = { ...letter, messageId: createMessageId(ctx, mailId), to: to.email, references: [] }
  const { outcome, answer } = await sendMail(ctx, { ...mail, headers: {} }, signal)
  // The queue tries again. A refusal is final.
  if (outcome === 'Deferred') throw new Error(`The mail server did not take the mail: ${answer}`)
  if (outcome === 'Refused') ctx.log.warn({ answer }, 'mail to a colleague refused')
}
