/** Invitations of people to a workspace. */
import type { AppContext } from '../../platform/context.ts'
import type { Tx } from '../../platform/db/connect.ts'
import { outlastOutage } from '../../platform/db/outlasting-outage.ts'
import { AppError, notFound } from '../../platform/errors.ts'
import { isUuid, newId } from '../../platform/ids.ts'
import type { Actor } from '../../platform/actor.ts'
import { type AuditAction, recordAudit } from '../audit/index.ts'
import {
  canManageRole,
  createLink,
  findOrCreatePerson,
  isRole,
  type Role,
  voidInvitationLinks,
} from '../auth/index.ts'
import { createMessageId, requireMails, requireMailServer, sendMail } from '../mails/index.ts'
import {
  addMember,
  findRoleOfEmail,
  findWorkspaceName,
  isMember,
  requireRankOver,
  type MemberChanged,
} from '../workspaces/index.ts'
import { writeInvitationLetter } from './mail.ts'
import { InvitationToSend } from './schemas.ts'
import * as store from './store.ts'

type Invitation = NonNullable<Awaited<ReturnType<typeof store.findInvitation>>>

export async function listInvitations(ctx: AppContext, workspaceId: string) {
  const rows = await store.listInvitations(ctx.db, workspaceId)
  return rows.map((row) => shown(ctx, row))
}

function shown({ now }: AppContext, { personId: _personId, ...invitation }: Invitation) {
  return {
    ...invitation,
    state: invitation.expiresAt > now() ? ('Open' as const) : ('Expired' as const),
  }
}

/** Whoever invites has a role that may give the other one. */
interface ByMember {
  workspaceId: string
  by: Role | undefined
  actor: Actor
}

interface Invite extends ByMember {
  email: string
  role: Role
  send?: boolean
}

/** The answer holds the link, which is not shown again. */
export async function invite(ctx: AppContext, input: Invite) {
  const { workspaceId, email, role, send = false, by, actor } = input
  requireRankOver(by, role)
  if (send) requireMailServer(ctx, ' Copy the link instead.')
  return ctx.db.transaction().execute(async (tx) => {
    const person = await findOrCreatePerson(ctx, tx, email)
    await refuseSecond(ctx, tx, { workspaceId, personId: person.id })
    const id = newId()
    const invitation = { workspaceId, id }
    const personId = person.id
    const { url: link, expiresAt } = await createLink(ctx, tx, {
      kind: 'Invitation',
      personId,
      invitation,
    })
    const invitedByEmail = actor.email ?? null
    const row = { id, personId, role, invitedByEmail, createdAt: ctx.now(), expiresAt }
    await store.insertInvitation(tx, { workspaceId, ...row })
    const entry = { ...invitation, email: person.email, actor }
    await audit(ctx, tx, { ...entry, action: 'invitation.create', after: { role } })
    if (send) await planMail(ctx, tx, { workspaceId, id, email: person.email })
    return { ...shown(ctx, { ...row, email: person.email, sentAt: null }), link }
  })
}

async function refuseSecond(
  ctx: AppContext,
  tx: Tx,
  { workspaceId, personId }: { workspaceId: string; personId: string },
): Promise<void> {
  if (await isMember(tx, workspaceId, personId))
    throw new AppError('conflict', 'already-member', 'This person is a member already.')
  const open = await store.lockInvitationOfPerson(tx, workspaceId, personId)
  if (!open) return
  if (open.expiresAt > ctx.now())
    throw new AppError(
      'conflict',
      'already-invited',
      'This person has an open invitation. Send it again, or revoke it first.',
    )
  await end(ctx, tx, { workspaceId, id: open.id, outcome: 'Revoked' })
}

async function end(
  ctx: AppContext,
  tx: Tx,
  {
    workspaceId,
    id,
    outcome,
  }: { workspaceId: string; id: string; outcome: 'Accepted' | 'Revoked' },
): Promise<void> {
  const endedAt = ctx.now()
  await store.endInvitation(tx, workspaceId, { id, outcome, endedAt })
  await voidInvitationLinks(tx, { workspaceId, invitationId: id, usedAt: endedAt })
}

/** Counts the mail, and has a job send it: last in the transaction, as all mails share a count. */
async function planMail(
  ctx: AppContext,
  tx: Tx,
  { workspaceId, id: invitationId, email }: { workspaceId: string; id: string; email: string },
): Promise<void> {
  await ctx.queue.enqueue(tx, InvitationToSend, { workspaceId, invitationId })
  await requireMails(ctx, tx, { kind: 'Invitation', workspaceId, addresses: [email] })
}

interface AuditedInvitation {
  workspaceId: string
  id: string
  email: string
  actor: Actor
  action: AuditAction
  before?: object
  after?: object
}

async function audit(ctx: AppContext, tx: Tx, entry: AuditedInvitation): Promise<void> {
  const { workspaceId, id: resourceId, email, actor, action, before, after } = entry
  await recordAudit(ctx, tx, {
    workspaceId,
    actor,
    action,
    resourceType: 'invitation',
    resourceId,
    ...(before && { before: { email, ...before } }),
    ...(after && { after: { email, ...after } }),
  })
}

interface OneInvitation extends ByMember {
  invitationId: string
}

export async function revokeInvitation(ctx: AppContext, input: OneInvitation): Promise<void> {
  const { workspaceId, actor } = input
  await ctx.db.transaction().execute(async (tx) => {
    await revoke(ctx, tx, { workspaceId, actor }, await lockInvitation(tx, input))
  })
}

async function revoke(
  ctx: AppContext,
  tx: Tx,
  { workspaceId, actor }: Pick<ByMember, 'workspaceId' | 'actor'>,
  { id, email, role }: Invitation,
): Promise<void> {
  await end(ctx, tx, { workspaceId, id, outcome: 'Revoked' })
  const action = 'invitation.revoke'
  await audit(ctx, tx, { workspaceId, id, email, actor, action, before: { role } })
}

/** Who was removed or lowered comes back neither by an invitation of their own nor by one that was made for them before. */
export async function endInvitationsOfMember(
  ctx: AppContext,
  tx: Tx,
  { workspaceId, personId, role, actor }: MemberChanged,
): Promise<void> {
  for (const { makerId, ...open } of await store.lockInvitationsAround(tx, workspaceId, personId))
    if (makerId !== personId || role === null || !canManageRole(role, open.role))
      await revoke(ctx, tx, { workspaceId, actor }, open)
}

async function lockInvitation(
  tx: Tx,
  { workspaceId, invitationId, by }: OneInvitation,
): Promise<Invitation> {
  const found = isUuid(invitationId)
    ? await store.lockInvitation(tx, workspaceId, invitationId)
    : undefined
  if (!found) throw notFound('invitation', invitationId)
  requireRankOver(by, found.role)
  return found
}

/** A new link, for seven days; the former ones work no more. It goes out by mail where a mail server is configured. */
export async function renewInvitation(ctx: AppContext, input: OneInvitation) {
  const { workspaceId, actor } = input
  return ctx.db.transaction().execute(async (tx) => {
    const found = await lockInvitation(tx, input)
    const { id, personId, email, role } = found
    const usedAt = ctx.now()
    await voidInvitationLinks(tx, { workspaceId, invitationId: id, usedAt })
    const invitation = { workspaceId, id }
    const link = { kind: 'Invitation', personId, invitation } as const
    const { url, expiresAt } = await createLink(ctx, tx, link)
    const invitedByEmail = actor.email ?? null
    await store.updateInvitation(tx, workspaceId, { id, expiresAt, invitedByEmail })
    await audit(ctx, tx, {
      ...invitation,
      email,
      actor,
      action: 'invitation.send',
      after: { role },
    })
    if (ctx.mailer) await planMail(ctx, tx, { workspaceId, id, email })
    return { ...shown(ctx, { ...found, expiresAt, invitedByEmail }), link: url }
  })
}

/** Sends the mail of an invitation that is still open. It may be sent twice; each has a link of its own. */
export async function sendInvitation(
  ctx: AppContext,
  { workspaceId, invitationId }: { workspaceId: string; invitationId: string },
  signal: AbortSignal,
): Promise<void> {
  const found = await store.findInvitation(ctx.db, workspaceId, invitationId)
  if (!found || !ctx.mailer || found.expiresAt <= ctx.now()) return
  const { personId, email, role, invitedByEmail: invitedBy } = found
  const invitation = { workspaceId, id: invitationId }
  const link = { kind: 'Invitation', personId, invitation, mailed: true } as const
  const { url } = await ctx.db.transaction().execute((tx) => createLink(ctx, tx, link))
  const workspaceName = await findWorkspaceName(ctx.db, workspaceId)
  const letter = writeInvitationLetter({ workspaceName, role, invitedBy, link: url })
  const messageId = createMessageId(ctx)
  const mail = { ...letter, messageId, to: email, references: [], headers: {} }
  const { outcome, answer } = await sendMail(ctx, mail, signal)
  // The queue tries again. A refusal is final.
  if (outcome === 'Deferred') throw new Error(`The mail server did not take the mail: ${answer}`)
  if (outcome === 'Refused') ctx.log.warn({ invitationId, answer }, 'invitation refused')
  else {
    const sent = { id: invitationId, sentAt: ctx.now() }
    // A job that fails here would send the mail again.
    await outlastOutage(() => store.updateInvitation(ctx.db, workspaceId, sent), signal)
  }
}

/** The open invitation of a link, for the page of the link. */
export async function findOpenInvitation(ctx: AppContext, workspaceId: string, id: string) {
  const found = await store.findInvitation(ctx.db, workspaceId, id)
  if (!found) return undefined
  return { role: found.role, workspaceName: await findWorkspaceName(ctx.db, workspaceId) }
}

/** Makes the invited person a member, if who invited may still do so: they may have been removed at the same moment. */
export async function acceptInvitation(
  ctx: AppContext,
  tx: Tx,
  { workspaceId, invitationId, actor }: { workspaceId: string; invitationId: string; actor: Actor },
): Promise<void> {
  const found = await store.lockInvitation(tx, workspaceId, invitationId)
  if (!found || !(await mayStillInvite(tx, workspaceId, found)))
    throw notFound('invitation', invitationId)
  await end(ctx, tx, { workspaceId, id: invitationId, outcome: 'Accepted' })
  const { personId, role, invitedByEmail } = found
  await addMember(ctx, tx, { workspaceId, personId, role, actor, invitedByEmail })
}

/** Without an address the operator invited. */
async function mayStillInvite(
  tx: Tx,
  workspaceId: string,
  { invitedByEmail, role }: Invitation,
): Promise<boolean> {
  if (invitedByEmail === null) return true
  const by = await findRoleOfEmail(tx, workspaceId, invitedByEmail)
  return typeof by === 'string' && isRole(by) && canManageRole(by, role)
}
