/** What mails a person wants. */
import type { Actor } from '../../platform/actor.ts'
import type { AppContext } from '../../platform/context.ts'
import type { Tx } from '../../platform/db/connect.ts'
import { invalid, notFound } from '../../platform/errors.ts'
import { recordAudit } from '../audit/index.ts'
import type { SignedIn } from '../auth/index.ts'
import { isTimeZone, findNextWeekly, type Weekly } from '../notifications/index.ts'
import { findWorkspaceName } from '../workspaces/index.ts'
import { readUnsubscribeToken } from './link.ts'
import type { OpenedLink } from './page.ts'
import * as store from './store.ts'

export async function getMyNotifications(ctx: AppContext, { personId, email }: SignedIn) {
  const workspaces = await store.listMyWorkspaces(ctx.db, personId)
  return { email, mail: ctx.mailer !== undefined, workspaces: workspaces.map(shown) }
}

function shown({ weekly, ...workspace }: store.MyWorkspace) {
  return { ...workspace, weeklyMail: weekly }
}

interface ChangeMyNotifications {
  me: SignedIn
  workspaceId: string
  /** null: no more. */
  weeklyMail: Weekly | null
  /** undefined: as it is. */
  proposalMails?: boolean
}

/** The first mail comes with the next of its times. */
export async function changeMyNotifications(
  ctx: AppContext,
  { me, workspaceId, weeklyMail, proposalMails }: ChangeMyNotifications,
) {
  const { personId, actor } = me
  if (weeklyMail && !isTimeZone(weeklyMail.timeZone))
    throw invalid(`${weeklyMail.timeZone} is not a known time zone.`, '/weeklyMail/timeZone')
  await ctx.db.transaction().execute(async (tx) => {
    if (!(await store.lockMembership(tx, { workspaceId, personId })))
      throw notFound('workspace', workspaceId)
    await writeWeekly(ctx, tx, { workspaceId, personId, weeklyMail, actor })
    if (proposalMails !== undefined)
      await writeProposalMails(ctx, tx, { workspaceId, personId, proposalMails, actor })
  })
  const workspaces = await store.listMyWorkspaces(ctx.db, personId)
  const changed = workspaces.find((one) => one.workspaceId === workspaceId)
  if (!changed) throw notFound('workspace', workspaceId)
  return shown(changed)
}

async function writeProposalMails(
  ctx: AppContext,
  tx: Tx,
  { proposalMails, actor, ...of }: Omit<WriteWeekly, 'weeklyMail'> & { proposalMails: boolean },
): Promise<void> {
  if (!(await store.updateProposalMails(tx, { ...of, isMuted: !proposalMails }))) return
  await recordAudit(ctx, tx, {
    workspaceId: of.workspaceId,
    actor,
    action: 'member.set-proposal-mails',
    resourceType: 'member',
    resourceId: of.personId,
    before: { proposalMails: !proposalMails },
    after: { proposalMails },
  })
}

interface WriteWeekly {
  workspaceId: string
  personId: string
  weeklyMail: Weekly | null
  actor: Actor
}

async function writeWeekly(ctx: AppContext, tx: Tx, change: WriteWeekly): Promise<boolean> {
  const { workspaceId, personId, weeklyMail, actor } = change
  const before = await store.findWeekly(tx, { workspaceId, personId })
  if (JSON.stringify(before) === JSON.stringify(weeklyMail)) return false
  const dueAt = weeklyMail && findNextWeekly(weeklyMail, ctx.now())
  if (weeklyMail && dueAt)
    await store.writeWeekly(tx, { workspaceId, personId, weekly: weeklyMail, dueAt })
  else await store.deleteWeekly(tx, { workspaceId, personId })
  await recordAudit(ctx, tx, {
    workspaceId,
    actor,
    action: 'member.set-weekly-mail',
    resourceType: 'member',
    resourceId: personId,
    before: { weeklyMail: before },
    after: { weeklyMail },
  })
  return true
}

/** Opening the link changes nothing, because programs open the links of mails too; its button does (`agrees`). */
export async function openUnsubscribeLink(
  ctx: AppContext,
  { token, agrees, requestId }: { token: string; agrees: boolean; requestId: string },
): Promise<OpenedLink> {
  const reader = readUnsubscribeToken(ctx.signingKey, token)
  if (!reader) return { outcome: 'Unknown', workspaceName: '' }
  return ctx.db.transaction().execute(async (tx) => {
    const weekly = await store.findWeekly(tx, reader)
    if (!weekly) return { outcome: 'NotWanted', workspaceName: '' }
    const workspaceName = await findWorkspaceName(tx, reader.workspaceId)
    if (!agrees) return { outcome: 'Asks', workspaceName }
    const actor = { type: 'User', id: reader.personId, email: undefined, requestId } as const
    await writeWeekly(ctx, tx, { ...reader, weeklyMail: null, actor })
    return { outcome: 'Ended', workspaceName }
  })
}
