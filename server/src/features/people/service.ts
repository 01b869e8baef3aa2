/** What people do with their own account. */
import { readName } from '../../formats/one-line-name.ts'
import type { AppContext } from '../../platform/context.ts'
import { notFound } from '../../platform/errors.ts'
import { isUuid } from '../../platform/ids.ts'
import {
  deleteOldLinks,
  deleteSession,
  deleteSessions,
  isRole,
  listSessions,
  recordPersonAudit,
  refuseWeakPassword,
  listScopes,
  type SignedIn,
  sweepSessions,
  updatePassword,
  type Visitor,
} from '../auth/index.ts'
import { deleteOldChallenges } from './passkeys/store.ts'
import { endTerminals } from './resets/store.ts'
import { hashInTurn, sweepAttempts } from './sign-in/attempts-service.ts'
import { confirmPassword, requirePasswords } from './sign-in/service.ts'
import { deleteOldLogins } from './terminal-logins/store.ts'
import * as store from './store.ts'

export async function getMe(ctx: AppContext, { personId }: SignedIn) {
  const person = await store.findPerson(ctx.db, personId)
  if (!person) throw notFound('person', personId)
  const { hasPassword, totp, recoveryCodesLeft, passkeys } = await store.readCredentials(
    ctx.db,
    personId,
  )
  const identities = await store.listIdentities(ctx.db, personId)
  return {
    id: person.id,
    email: person.email,
    displayName: person.displayName,
    hasPassword: hasPassword === true,
    totp: totp === true,
    recoveryCodesLeft: recoveryCodesLeft ?? 0,
    passkeys: passkeys ?? 0,
    providers: identities.map(({ issuer }) => {
      const provider = ctx.config.people.providers.find((one) => one.issuer === issuer)
      return { id: provider?.id ?? null, name: provider?.name ?? issuer }
    }),
    tour: ctx.config.tour,
  }
}

export async function changeMe(
  ctx: AppContext,
  me: SignedIn,
  { displayName }: { displayName: string },
) {
  const name = readName(displayName, '/displayName')
  await ctx.db.transaction().execute(async (tx) => {
    await store.updateDisplayName(tx, me.personId, name)
    const change = { before: { displayName: me.displayName }, after: { displayName: name } }
    const { personId, actor } = me
    await recordPersonAudit(ctx, tx, { personId, actor, action: 'member.rename', ...change })
  })
  return getMe(ctx, me)
}

interface ChangePassword {
  me: SignedIn
  currentPassword?: string
  newPassword: string
  /** Whoever had the old password may have logged in from elsewhere. */
  endsTerminals?: boolean
  visitor: Visitor
}

/** Ends all other sessions of the person, and on demand the logins of terminals. */
export async function changePassword(
  ctx: AppContext,
  { me, currentPassword, newPassword, endsTerminals = false, visitor }: ChangePassword,
): Promise<void> {
  requirePasswords(ctx)
  const { personId, email, sessionId, actor } = me
  await confirmPassword(ctx, {
    me,
    password: currentPassword,
    pointer: '/currentPassword',
    visitor,
  })
  await refuseWeakPassword(newPassword, { email, pointer: '/newPassword' })
  const passwordHash = await hashInTurn(ctx, visitor, newPassword)
  await ctx.db.transaction().execute(async (tx) => {
    await updatePassword(tx, personId, passwordHash)
    const sessionsEnded = await deleteSessions(tx, personId, { except: sessionId })
    const terminalsEnded = endsTerminals ? await endTerminals(ctx, tx, personId) : 0
    const after = { sessionsEnded, terminalsEnded }
    await recordPersonAudit(ctx, tx, { personId, actor, action: 'member.set-password', after })
  })
}

export async function listMySessions(ctx: AppContext, { personId, sessionId }: SignedIn) {
  const sessions = await listSessions(ctx, personId)
  return sessions.map((session) => ({ ...session, current: session.id === sessionId }))
}

export async function endSession(
  ctx: AppContext,
  { personId, actor }: SignedIn,
  sessionId: string,
): Promise<void> {
  await ctx.db.transaction().execute(async (tx) => {
    const isEnded = isUuid(sessionId) && (await deleteSession(tx, personId, sessionId))
    if (!isEnded) throw notFound('session', sessionId)
    const after = { sessionsEnded: 1 }
    await recordPersonAudit(ctx, tx, { personId, actor, action: 'member.end-sessions', after })
  })
}

/** All but the present one. */
export async function endOtherSessions(
  ctx: AppContext,
  { personId, sessionId, actor }: SignedIn,
): Promise<void> {
  await ctx.db.transaction().execute(async (tx) => {
    const after = { sessionsEnded: await deleteSessions(tx, personId, { except: sessionId }) }
    await recordPersonAudit(ctx, tx, { personId, actor, action: 'member.end-sessions', after })
  })
}

export async function listMyWorkspaces(
  ctx: Pick<AppContext, 'db'>,
  { personId, secondFactor }: Pick<SignedIn, 'personId' | 'secondFactor'>,
) {
  const rows = await store.listWorkspacesOfPerson(ctx.db, personId)
  return rows.flatMap(({ id, name, role, requireSecondFactor }) =>
    isRole(role)
      ? [
          {
            id,
            name,
            role,
            scopes: listScopes(role),
            secondFactorMissing: requireSecondFactor && secondFactor !== 'Done',
          },
        ]
      : [],
  )
}

interface Refusal {
  email: string
  method: string
  address: string
  requestId: string
}

/** For the audit logs of the workspaces of the person, if there is one. */
export async function recordRefusal(
  ctx: AppContext,
  { email, method, address, requestId }: Refusal,
): Promise<void> {
  const person = await store.findPersonByEmail(ctx.db, email)
  if (!person) return
  const actor = { type: 'User', id: undefined, email, requestId } as const
  const entry = { personId: person.id, actor, action: 'member.sign-in-refused' as const }
  await ctx.db
    .transaction()
    .execute((tx) => recordPersonAudit(ctx, tx, { ...entry, after: { method, address } }))
}

/** Deletes what nobody can use any more. */
export async function sweepPeople(ctx: AppContext): Promise<void> {
  await sweepSessions(ctx)
  await sweepAttempts(ctx)
  await deleteOldChallenges(ctx.db, ctx.now())
  await deleteOldLinks(ctx.db, ctx.now())
  await deleteOldLogins(ctx.db, ctx.now())
}
