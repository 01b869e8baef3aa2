/** Signs people in with OpenID providers. Whatever fails leads back to the page of the sign-in, which has words for it. */
import type { OidcProvider } from '../../../config/oidc-settings.ts'
import { findNameFault } from '../../../formats/one-line-name.ts'
import type { AppContext } from '../../../platform/context.ts'
import type { Tx } from '../../../platform/db/connect.ts'
import { AppError } from '../../../platform/errors.ts'
import {
  findOrCreatePerson,
  isPersonEmail,
  markEmailVerified,
  recordPersonAudit,
  type Visitor,
} from '../../auth/index.ts'
import { addMember } from '../../workspaces/index.ts'
import { forgetCredentials } from '../resets/store.ts'
import { beginAtDoor, finishAtDoor } from '../sign-in/attempts-service.ts'
import { type SignInOutcome, signInWithin, tellRefusal } from '../sign-in/service.ts'
import {
  findPerson,
  findPersonByEmail,
  listIdentities,
  lockPerson,
  updateDisplayName,
} from '../store.ts'
import { type Attempt, openAttempt, ownPath, sealAttempt } from './attempt.ts'
import { type Claims, chooseNewMemberRole } from './claims.ts'
import { beginAttempt, readAnswer } from './provider-service.ts'
import * as store from './store.ts'

export const ATTEMPT_SECONDS = 600

export interface Redirection {
  location: string
  /** For the cookie of the attempt. */
  attempt?: string
  outcome?: SignInOutcome
}

function requireProvider({ config }: AppContext, providerId: string): OidcProvider {
  const provider = config.people.providers.find(({ id }) => id === providerId)
  if (provider) return provider
  throw new AppError('forbidden', 'unknown-provider', `There is no provider ${providerId}.`)
}

/** Browsers are sent to the page of the sign-in, which has words for the slug, instead of a problem. */
async function explained(
  { log }: Pick<AppContext, 'log'>,
  providerId: string,
  work: () => Promise<Redirection>,
): Promise<Redirection> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof AppError) || error.kind !== 'forbidden') throw error
    log.warn({ problem: error.code, providerId }, 'refused a sign-in at an OpenID provider')
    return { location: `/sign-in?error=${error.code}` }
  }
}

export async function startAtProvider(
  ctx: AppContext,
  { providerId, returnTo, address }: { providerId: string; returnTo?: string; address: string },
): Promise<Redirection> {
  await beginAtDoor(ctx, 'provider-begun', address)
  return explained(ctx, providerId, async () => {
    const { secrets, url } = await begunAttempt(ctx, requireProvider(ctx, providerId))
    const expires = ctx.now().getTime() + ATTEMPT_SECONDS * 1000
    const attempt = { providerId, ...secrets, returnTo: ownPath(returnTo), expires }
    return { location: url, attempt: sealAttempt(ctx.signingKey, attempt) }
  })
}

async function begunAttempt(ctx: AppContext, provider: OidcProvider) {
  try {
    return await beginAttempt(ctx, provider)
  } catch (error) {
    ctx.log.warn({ err: error, providerId: provider.id }, 'the OpenID provider cannot be reached')
    throw new AppError('forbidden', 'provider-unavailable', 'The provider cannot be reached.')
  }
}

interface FinishAtProvider {
  providerId: string
  /** The cookie of the attempt. */
  sealed: string | undefined
  search: string
  visitor: Visitor
}

export async function finishAtProvider(
  ctx: AppContext,
  answer: FinishAtProvider,
): Promise<Redirection> {
  const { address } = answer.visitor
  await beginAtDoor(ctx, 'provider', address)
  const redirection = await signInByAnswer(ctx, answer)
  if (redirection.outcome)
    for (const door of ['provider', 'provider-begun'] as const)
      await finishAtDoor(ctx, door, address)
  return redirection
}

async function signInByAnswer(
  ctx: AppContext,
  { providerId, sealed, search, visitor }: FinishAtProvider,
): Promise<Redirection> {
  return explained(ctx, providerId, async () => {
    const provider = requireProvider(ctx, providerId)
    const attempt = openAttempt(ctx.signingKey, sealed ?? '', ctx.now())
    if (attempt?.providerId !== providerId)
      throw new AppError('forbidden', 'sign-in-expired', 'The sign-in took too long.')
    const claims = await answeredClaims(ctx, { provider, attempt, search })
    const signedIn = ctx.db.transaction().execute(async (tx) => {
      const person = await findOrLinkPerson(ctx, tx, { provider, claims, visitor })
      const { id: personId, email } = person
      const { isStrong } = claims
      const begun = { personId, email, method: 'Provider', visitor, isStrong } as const
      const outcome = await signInWithin(ctx, tx, begun)
      return { location: chooseDestination(attempt, outcome), outcome }
    })
    return signedIn.catch(async (error: unknown) => {
      const { verifiedEmail: email } = claims
      if (error instanceof AppError && error.code === 'other-account-linked' && email !== undefined)
        await tellRefusal(ctx, { email, method: 'Provider', visitor })
      throw error
    })
  })
}

function chooseDestination({ returnTo }: Attempt, { state }: SignInOutcome): string {
  if (state === 'SignedIn') return returnTo
  return `/sign-in?step=second-factor&returnTo=${encodeURIComponent(returnTo)}`
}

async function answeredClaims(
  ctx: AppContext,
  answer: { provider: OidcProvider; attempt: Attempt; search: string },
): Promise<Claims> {
  try {
    return await readAnswer(ctx, answer)
  } catch (error) {
    ctx.log.warn({ err: error, providerId: answer.provider.id }, 'refused an OpenID provider')
    throw new AppError('forbidden', 'provider-refused', 'The answer of the provider was refused.')
  }
}

interface PresentedIdentity {
  provider: OidcProvider
  claims: Claims
  visitor: Visitor
}

/** The account that was linked, else the person with the verified address, else a new member. */
async function findOrLinkPerson(ctx: AppContext, tx: Tx, presented: PresentedIdentity) {
  const { claims } = presented
  const linked = await store.findPersonOfIdentity(tx, claims)
  if (linked) {
    await store.updateIdentityUse(tx, claims, ctx.now())
    return linked
  }
  if (claims.verifiedEmail === undefined || !isPersonEmail(claims.verifiedEmail))
    throw new AppError('forbidden', 'email-not-verified', 'The provider verified no address.')
  const { provider } = presented
  const role = provider.newMembers && chooseNewMemberRole(provider.newMembers, claims)
  const known = await findPersonByEmail(tx, claims.verifiedEmail)
  if (!known && role === undefined)
    throw new AppError('forbidden', 'no-account', 'Nobody here has this address.')
  const person = known ?? (await createPerson(ctx, tx, claims, claims.verifiedEmail))
  await linkIdentity(ctx, tx, { ...presented, person })
  if (role !== undefined && provider.newMembers) {
    const { workspaceId } = provider.newMembers
    const actor = createActor(person, presented.visitor)
    await addMember(ctx, tx, { workspaceId, personId: person.id, role, actor })
  }
  return person
}

interface Person {
  id: string
  email: string
  emailVerifiedAt: Date | null
}

async function createPerson(
  ctx: AppContext,
  tx: Tx,
  { name }: Claims,
  email: string,
): Promise<Person> {
  const person = await findOrCreatePerson(ctx, tx, email)
  if (name !== undefined && findNameFault(name) === undefined)
    await updateDisplayName(tx, person.id, name.trim())
  await markEmailVerified(tx, person.id, ctx.now())
  return { ...person, emailVerifiedAt: ctx.now() }
}

function createActor({ id, email }: Person, { requestId }: Visitor) {
  return { type: 'User', id, email, requestId } as const
}

/**
 * Whoever had a link to copy may have made this account in the name of somebody else. Only now is it known whose address
 * it is, so that what was set before opens it no more.
 */
async function linkIdentity(
  ctx: AppContext,
  tx: Tx,
  { provider, claims, person, visitor }: PresentedIdentity & { person: Person },
): Promise<void> {
  const { id: personId, email } = person
  const { issuer, subject } = claims
  await lockPerson(tx, personId)
  await refuseSecondIdentity(tx, personId, { issuer, subject })
  // Another way of signing in may have verified the address since.
  const { emailVerifiedAt } = (await findPerson(tx, personId)) ?? person
  if (emailVerifiedAt === null) await forgetCredentials(ctx, tx, personId)
  await markEmailVerified(tx, personId, ctx.now())
  await store.insertIdentity(tx, { issuer, subject, personId, email, createdAt: ctx.now() })
  const entry = {
    personId,
    actor: createActor(person, visitor),
    action: 'member.link-provider' as const,
  }
  await recordPersonAudit(ctx, tx, { ...entry, after: { provider: provider.name } })
}

/**
 * Providers give the address of somebody who left to somebody else, or let people choose theirs: a second account of one
 * provider with the same address is another person until the owner of the account says otherwise.
 */
async function refuseSecondIdentity(
  tx: Tx,
  personId: string,
  { issuer, subject }: Pick<Claims, 'issuer' | 'subject'>,
): Promise<void> {
  const identities = await listIdentities(tx, personId)
  if (!identities.some((one) => one.issuer === issuer && one.subject !== subject)) return
  throw new AppError(
    'forbidden',
    'other-account-linked',
    'Another account of this provider is linked to the person with this address.',
  )
}
