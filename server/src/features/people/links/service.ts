/** Opens one-time links: setup, invitation, reset of a password, sign-in. */
import { readName } from '../../../formats/one-line-name.ts'
import type { AppContext } from '../../../platform/context.ts'
import type { Db, Tx } from '../../../platform/db/connect.ts'
import { AppError, invalid, notFound } from '../../../platform/errors.ts'
import {
  createLink,
  markEmailVerified,
  readLink,
  readPersonEmail,
  recordPersonAudit,
  refuseWeakPassword,
  type SignedIn,
  updatePassword,
  useLink,
  type Visitor,
} from '../../auth/index.ts'
import { acceptInvitation, findOpenInvitation } from '../../invitations/index.ts'
import { countAtDoor, hashInTurn } from '../sign-in/attempts-service.ts'
import { type SignInOutcome, signInWithin } from '../sign-in/service.ts'
import { endAccess, forgetCredentials } from '../resets/store.ts'
import {
  findPerson,
  findPersonByEmail,
  lockPerson,
  readCredentials,
  updateDisplayName,
} from '../store.ts'

type Link = Awaited<ReturnType<typeof readLink>>

export async function showLink(
  ctx: AppContext,
  { token, address }: { token: string; address: string },
) {
  const link = await countAtDoor(ctx, { door: 'link', address }, () => readLink(ctx, token))
  const needs = await findNeeds(ctx, ctx.db, link)
  const { kind, email, displayName, expiresAt, invitedTo, invitationId } = link
  const invitation =
    invitedTo !== null && invitationId !== null
      ? await findOpenInvitation(ctx, invitedTo, invitationId)
      : undefined
  const { workspaceName = null, role = null } = invitation ?? {}
  return { kind, email, displayName, workspaceName, role, expiresAt, ...needs }
}

/**
 * Somebody with an account signs in before accepting an invitation: whoever made the link has seen it too, and must not
 * become that person.
 */
async function findNeeds(ctx: AppContext, db: Db, { kind, personId }: Link) {
  const { signsInByPassword } = ctx.config.people
  const { hasPassword, passkeys, identities } = await readCredentials(db, personId)
  const hasAccount = hasPassword === true || (passkeys ?? 0) > 0 || (identities ?? 0) > 0
  const needsSignIn = kind === 'Invitation' && (hasAccount || !signsInByPassword)
  const setsPassword = kind === 'Setup' || kind === 'PasswordReset' || kind === 'Invitation'
  return { needsSignIn, needsPassword: setsPassword && !needsSignIn && signsInByPassword }
}

interface AcceptLink {
  token: string
  password?: string
  displayName?: string
  /** The person of the present session. */
  me: SignedIn | undefined
  visitor: Visitor
}

/** Uses the link up. The answer signs in, or is undefined where the person is signed in already. */
export async function acceptLink(
  ctx: AppContext,
  asked: AcceptLink,
): Promise<SignInOutcome | undefined> {
  const { address } = asked.visitor
  return countAtDoor(ctx, { door: 'link', address }, () => useLinkOnce(ctx, asked))
}

async function useLinkOnce(
  ctx: AppContext,
  { token, password, displayName, me, visitor }: AcceptLink,
): Promise<SignInOutcome | undefined> {
  const link = await readLink(ctx, token)
  const before = await findNeeds(ctx, ctx.db, link)
  if (before.needsSignIn) requireSamePerson(link, me)
  const chosen = before.needsPassword
    ? await choosePassword(ctx, { email: link.email, password, visitor })
    : undefined
  const name = displayName === undefined ? undefined : readName(displayName, '/displayName')
  return ctx.db.transaction().execute(async (tx) => {
    const { kind, personId } = link
    await lockPerson(tx, personId)
    // Another link may have made the account while the password was hashed.
    const needs = await findNeeds(ctx, tx, link)
    if (needs.needsSignIn) requireSamePerson(link, me)
    if (needs.needsPassword && chosen === undefined)
      throw invalid('Choose a password.', '/password')
    await useLink(tx, token, { kind, personId, usedAt: ctx.now() })
    await trustAddress(ctx, tx, link)
    if (name !== undefined) await updateDisplayName(tx, personId, name)
    if (needs.needsPassword && chosen !== undefined)
      await setPassword(ctx, tx, { link, passwordHash: chosen, visitor })
    await join(ctx, tx, link, visitor)
    if (needs.needsSignIn) return undefined
    return signInWithin(ctx, tx, { personId, email: link.email, method: 'Link', visitor })
  })
}

/**
 * A mailed link shows who reads the address; the operator vouches for other links but those of invitations. What was set
 * before that may be somebody else's: whoever had a link to copy could make the account. It opens the account no more.
 */
async function trustAddress(ctx: AppContext, tx: Tx, { kind, mailed, personId }: Link) {
  if (kind === 'Invitation' && !mailed) return
  if (kind === 'PasswordReset' && mailed) {
    const person = await findPerson(tx, personId)
    if (person?.emailVerifiedAt === null) await forgetCredentials(ctx, tx, personId)
  }
  await markEmailVerified(tx, personId, ctx.now())
}

async function join(ctx: AppContext, tx: Tx, link: Link, { requestId }: Visitor): Promise<void> {
  const { invitedTo: workspaceId, invitationId, personId, email } = link
  if (workspaceId === null || invitationId === null) return
  const actor = { type: 'User', id: personId, email, requestId } as const
  await acceptInvitation(ctx, tx, { workspaceId, invitationId, actor })
}

function requireSamePerson({ personId, email }: Link, me: SignedIn | undefined): void {
  if (me?.personId === personId) return
  if (me === undefined)
    throw new AppError(
      'forbidden',
      'sign-in-first',
      `There is an account for ${email}. Sign in with it, and open the link again.`,
    )
  throw new AppError(
    'forbidden',
    'link-of-somebody-else',
    `This invitation is for ${email}, and you are signed in as ${me.email}. Sign out, and open the link again.`,
  )
}

async function choosePassword(
  ctx: AppContext,
  { email, password, visitor }: { email: string; password: string | undefined; visitor: Visitor },
): Promise<string> {
  if (password === undefined) throw invalid('Choose a password.', '/password')
  await refuseWeakPassword(password, { email, pointer: '/password' })
  return hashInTurn(ctx, visitor, password)
}

interface SetPassword {
  link: Link
  passwordHash: string
  visitor: Visitor
}

/** All that began with the old password ends: sessions, and the logins of terminals. */
async function setPassword(
  ctx: AppContext,
  tx: Tx,
  { link: { personId, email }, passwordHash, visitor: { requestId } }: SetPassword,
): Promise<void> {
  await updatePassword(tx, personId, passwordHash)
  const after = await endAccess(ctx, tx, personId)
  const actor = { type: 'User', id: personId, email, requestId } as const
  await recordPersonAudit(ctx, tx, { personId, actor, action: 'member.set-password', after })
}

/** A link with which somebody is signed in without a password, once: for the demo, on the operator's own machine. */
export async function createSignInLink(ctx: AppContext, email: string): Promise<string> {
  const address = readPersonEmail(email)
  const person = await findPersonByEmail(ctx.db, address)
  if (!person) throw notFound('person', address)
  const link = { kind: 'SignIn', personId: person.id } as const
  const { url } = await ctx.db.transaction().execute((tx) => createLink(ctx, tx, link))
  return url
}
