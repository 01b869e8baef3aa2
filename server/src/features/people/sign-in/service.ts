/** Signs people in and out. Answers and their times are equal for known and unknown people. */
import type { AppContext } from '../../../platform/context.ts'
import type { Tx } from '../../../platform/db/connect.ts'
import { AppError, invalid } from '../../../platform/errors.ts'
import { groupAddress } from '../../../platform/http/address-group.ts'
import {
  authenticateSession,
  beginSession,
  deleteSession,
  isOutdated,
  isPasswordRight,
  PASSWORD_CHARACTERS,
  recordPersonAudit,
  type SignedIn,
  type SignInMethod,
  updatePassword,
  type Visitor,
} from '../../auth/index.ts'
import { takesPasskeys } from '../passkeys/relying-party.ts'
import { SignInRefused } from '../schemas.ts'
import { findPerson, findPersonByEmail, readCredentials } from '../store.ts'
import { attemptSucceeded, beginAttempt, hashInTurn, runInTurn } from './attempts-service.ts'
import { signInLimits } from './limits.ts'

export function signInOptions({ config, mailer }: AppContext) {
  return {
    password: config.people.signsInByPassword,
    passkeys: takesPasskeys(config),
    providers: config.people.providers.map(({ id, name }) => ({ id, name })),
    mail: mailer !== undefined,
    passwordCharacters: PASSWORD_CHARACTERS,
  }
}

interface SignIn {
  email: string
  password: string
  visitor: Visitor
}

export interface SignInOutcome {
  state: 'SignedIn' | 'SecondFactorNeeded'
  secondFactors: ('Totp' | 'RecoveryCode' | 'Passkey')[]
  /** For the cookie. */
  token: string
}

export async function signInByPassword(
  ctx: AppContext,
  { email, password, visitor }: SignIn,
): Promise<SignInOutcome> {
  requirePasswords(ctx)
  const account = email.trim().toLowerCase()
  const person = await runInTurn(ctx, visitor.address, () =>
    findPersonByPassword(ctx, { account, password, visitor }),
  )
  if (!person) throw await refuseSignIn(ctx, account, visitor)
  await rehash(ctx, person, { password, visitor })
  const begun = { personId: person.id, email: person.email, method: 'Password', visitor } as const
  return ctx.db.transaction().execute((tx) => signInWithin(ctx, tx, begun))
}

async function findPersonByPassword(
  ctx: AppContext,
  { account, password, visitor }: { account: string; password: string; visitor: Visitor },
) {
  const limits = signInLimits(account, groupAddress(visitor.address))
  await beginAttempt(ctx, limits)
  const person = await findPersonByEmail(ctx.db, account)
  const { passwordCost } = ctx.config.people
  const isRight = await isPasswordRight(person?.passwordHash, password, passwordCost)
  if (!person || !isRight) return undefined
  await attemptSucceeded(ctx, limits)
  return person
}

export function requirePasswords({ config }: AppContext): void {
  if (!config.people.signsInByPassword)
    throw new AppError(
      'forbidden',
      'password-sign-in-off',
      'This service takes no passwords. Sign in with one of the other ways.',
    )
}

/** The same statements run for an account that does not exist. */
async function refuseSignIn(ctx: AppContext, email: string, visitor: Visitor): Promise<AppError> {
  await tellRefusal(ctx, { email, method: 'Password', visitor })
  return new AppError(
    'unauthorized',
    'sign-in-failed',
    'The e-mail address or the password is wrong.',
  )
}

/** For the audit logs of the person's workspaces. A job writes them, so that the answer tells nothing of the person by its time. */
export async function tellRefusal(
  ctx: AppContext,
  { email, method, visitor }: { email: string; method: SignInMethod; visitor: Visitor },
): Promise<void> {
  const { address, requestId } = visitor
  const refused = { email, method, address, requestId }
  await ctx.db.transaction().execute((tx) => ctx.queue.enqueue(tx, SignInRefused, refused))
}

interface Confirmation {
  me: SignedIn
  password: string | undefined
  pointer: string
  visitor: Visitor
}

/** Throws unless the password is the present one. People without one need none. */
export async function confirmPassword(
  ctx: AppContext,
  { me, password, pointer, visitor }: Confirmation,
): Promise<void> {
  const person = await findPerson(ctx.db, me.personId)
  if (person?.passwordHash === null || person === undefined) return
  if (password === undefined) throw invalid('Enter your present password.', pointer)
  const { email } = me
  const found = await runInTurn(ctx, visitor.address, () =>
    findPersonByPassword(ctx, { account: email, password, visitor }),
  )
  if (!found)
    throw new AppError('forbidden', 'wrong-password', 'This is not your present password.', [
      { pointer, detail: 'This is not your present password.' },
    ])
}

async function rehash(
  ctx: AppContext,
  person: { id: string; passwordHash: string | null },
  { password, visitor }: { password: string; visitor: Visitor },
): Promise<void> {
  const { passwordCost } = ctx.config.people
  if (person.passwordHash === null || !isOutdated(person.passwordHash, passwordCost)) return
  await updatePassword(ctx.db, person.id, await hashInTurn(ctx, visitor, password))
}

interface SigningIn {
  personId: string
  email: string
  method: SignInMethod
  visitor: Visitor
  /** The way itself has shown two factors. */
  isStrong?: boolean
}

/** Begins the session of somebody who has shown the first factor. */
export async function signInWithin(
  ctx: AppContext,
  tx: Tx,
  { personId, email, method, visitor, isStrong = false }: SigningIn,
): Promise<SignInOutcome> {
  const secondFactors = await listSecondFactors(ctx, tx, personId)
  const isPending = secondFactors.length > 0 && !isStrong
  const secondFactor = isStrong ? 'Done' : isPending ? 'Outstanding' : 'None'
  const session = await beginSession(ctx, tx, { personId, method, secondFactor, visitor })
  if (isPending) return { state: 'SecondFactorNeeded', secondFactors, token: session.token }
  await recordSignIn(ctx, tx, { personId, email, method, visitor })
  return { state: 'SignedIn', secondFactors: [], token: session.token }
}

async function listSecondFactors({ config }: AppContext, tx: Tx, personId: string) {
  const { totp, recoveryCodesLeft, passkeys } = await readCredentials(tx, personId)
  return [
    ...(totp ? ['Totp' as const] : []),
    ...(totp && (recoveryCodesLeft ?? 0) > 0 ? ['RecoveryCode' as const] : []),
    // Who cannot show it, as the service takes none any more, is signed in without a second factor.
    ...((passkeys ?? 0) > 0 && takesPasskeys(config) ? ['Passkey' as const] : []),
  ]
}

/** A session that has shown its second factor, under a new token, in place of the one in which it was asked for. */
export async function replaceSession(
  ctx: AppContext,
  tx: Tx,
  { personId, sessionId, email, method }: SignedIn,
  visitor: Visitor,
): Promise<SignInOutcome> {
  await deleteSession(tx, personId, sessionId)
  const begun = { personId, method, secondFactor: 'Done', visitor } as const
  const { token } = await beginSession(ctx, tx, begun)
  await recordSignIn(ctx, tx, { personId, email, method, visitor })
  return { state: 'SignedIn', secondFactors: [], token }
}

async function recordSignIn(
  ctx: AppContext,
  tx: Tx,
  { personId, email, method, visitor }: Omit<SigningIn, 'isStrong'>,
): Promise<void> {
  const actor = { type: 'User', id: personId, email, requestId: visitor.requestId } as const
  const after = { method, address: visitor.address }
  await recordPersonAudit(ctx, tx, { personId, actor, action: 'member.sign-in', after })
}

/** Also ends a session whose second factor is outstanding. Without a session nothing happens. */
export async function signOut(
  ctx: AppContext,
  shown: { token: string; address: string; requestId: string },
): Promise<void> {
  const found = await findSession(ctx, shown)
  if (!found) return
  const { personId, sessionId, actor, secondFactor } = found
  await ctx.db.transaction().execute(async (tx) => {
    await deleteSession(tx, personId, sessionId)
    if (secondFactor !== 'Outstanding')
      await recordPersonAudit(ctx, tx, { personId, actor, action: 'member.sign-out' })
  })
}

/**
 * The person of a session that may lack its second step; undefined: it has ended, or its address tried too many. Whoever
 * signs in may have a former cookie.
 */
export async function findSession(
  ctx: AppContext,
  shown: { token: string; address: string; requestId: string },
) {
  try {
    return (await authenticateSession(ctx, shown)).signedIn
  } catch (error) {
    if (error instanceof AppError && ['unauthorized', 'rateLimited'].includes(error.kind))
      return undefined
    throw error
  }
}
