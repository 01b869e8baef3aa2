/** Signs people in with OpenID providers. Whatever fails leads back to the page of the sign-in, which has words for it. */
import type { OidcProvider } from '../../../config/oidc-settings.ts'
import { faultOfName } from '../../../formats/one-line-name.ts'
import type { AppContext } from '../../../platform/context.ts'
import type { Tx } from '../../../platform/db/connect.ts'
import {
  findOrCreatePerson,
  markEmailVerified,
  recordPersonAudit,
  type Visitor,
} from '../../auth/index.ts'
import { addMember } from '../../workspaces/index.ts'
import { forgetCredentials } from '../resets/store.ts'
import { type SignInOutcome, signInWithin } from '../sign-in/service.ts'
import { findPersonByEmail, updateDisplayName } from '../store.ts'
import { type Attempt, openAttempt, ownPath, sealAttempt } from './attempt.ts'
import { type Claims, roleOfNewMember } from './claims.ts'
import { newAttempt, readAnswer } from './provider-service.ts'
import * as store from './store.ts'

export const ATTEMPT_SECONDS = 600

/** The slugs of `/sign-in?error=…`; each is a problem page as well. */
type Failure =
  | 'unknown-provider'
  | 'provider-unavailable'
  | 'provider-refused'
  | 'sign-in-expired'
  | 'email-not-verified'
  | 'no-account'

export interface Redirection {
  location: string
  /** For the cookie of the attempt. */
  attempt?: string
  outcome?: SignInOutcome
}

function failed(error: Failure): Redirection {
  return { location: `/sign-in?error=${error}` }
}

function providerOf({ config }: AppContext, providerId: string): OidcProvider | undefined {
  return config.people.providers.find(({ id }) => id === providerId)
}

export async function startAtProvider(
  ctx: AppContext,
  { providerId, returnTo }: { providerId: string; returnTo?: string },
): Promise<Redirection> {
  const provider = providerOf(ctx, providerId)
  if (!provider) return failed('unknown-provider')
  try {
    const { secrets, url } = await newAttempt(ctx, provider)
    const expires = ctx.now().getTime() + ATTEMPT_SECONDS * 1000
    const attempt = { providerId, ...secrets, returnTo: ownPath(returnTo), expires }
    return { location: url, attempt: sealAttempt(ctx.signingKey, attempt) }
  } catch (error) {
    ctx.log.warn({ err: error, providerId }, 'the OpenID provider cannot be reached')
    return failed('provider-unavailable')
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
  { providerId, sealed, search, visitor }: FinishAtProvider,
): Promise<Redirection> {
  const provider = providerOf(ctx, providerId)
  if (!provider) return failed('unknown-provider')
  const attempt = openAttempt(ctx.signingKey, sealed ?? '', ctx.now())
  if (attempt?.providerId !== providerId) return failed('sign-in-expired')
  const claims = await answeredClaims(ctx, { provider, attempt, search })
  if (!claims) return failed('provider-refused')
  return ctx.db.transaction().execute(async (tx) => {
    const person = await findOrLinkPerson(ctx, tx, { provider, claims, visitor })
    if (typeof person === 'string') return failed(person)
    const { id: personId, email } = person
    const { isStrong } = claims
    const begun = { personId, email, method: 'Provider', visitor, isStrong } as const
    const outcome = await signInWithin(ctx, tx, begun)
    return { location: destinationOf(attempt, outcome), outcome }
  })
}

function destinationOf({ returnTo }: Attempt, { state }: SignInOutcome): string {
  if (state === 'SignedIn') return returnTo
  return `/sign-in?step=second-factor&returnTo=${encodeURIComponent(returnTo)}`
}

async function answeredClaims(
  ctx: AppContext,
  answer: { provider: OidcProvider; attempt: Attempt; search: string },
): Promise<Claims | undefined> {
  try {
    return await readAnswer(ctx, answer)
  } catch (error) {
    ctx.log.warn({ err: error, providerId: answer.provider.id }, 'refused an OpenID provider')
    return undefined
  }
}

interface Presented {
  provider: OidcProvider
  claims: Claims
  visitor: Visitor
}

/** The account that was linked, else the person with the verified address, else a new member. */
async function findOrLinkPerson(ctx: AppContext, tx: Tx, presented: Presented) {
  const { claims } = presented
  const linked = await store.findPersonOfIdentity(tx, claims)
  if (linked) {
    await store.updateIdentityUse(tx, claims, ctx.now())
    return linked
  }
  if (claims.verifiedEmail === undefined) return 'email-not-verified'
  const { provider } = presented
  const role = provider.newMembers && roleOfNewMember(provider.newMembers, claims)
  const known = await findPersonByEmail(tx, claims.verifiedEmail)
  if (!known && role === undefined) return 'no-account'
  const person = known ?? (await createPerson(ctx, tx, claims, claims.verifiedEmail))
  await link(ctx, tx, { ...presented, person })
  if (role !== undefined && provider.newMembers) {
    const { workspaceId } = provider.newMembers
    const actor = actorOf(person, presented.visitor)
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
  if (name !== undefined && faultOfName(name) === undefined)
    await updateDisplayName(tx, person.id, name.trim())
  await markEmailVerified(tx, person.id, ctx.now())
  return { ...person, emailVerifiedAt: ctx.now() }
}

function actorOf({ id, email }: Person, { requestId }: Visitor) {
  return { type: 'User', id, email, requestId } as const
}

/**
 * Whoever had a link to copy may have made this account in the name of somebody else. Only now is it known whose address
 * it is, so that what was set before opens it no more.
 */
async function link(
  ctx: AppContext,
  tx: Tx,
  { provider, claims, person, visitor }: Presented & { person: Person },
): Promise<void> {
  const { id: personId, email } = person
  if (person.emailVerifiedAt === null) await forgetCredentials(tx, personId)
  await markEmailVerified(tx, personId, ctx.now())
  const { issuer, subject } = claims
  await store.insertIdentity(tx, { issuer, subject, personId, email, createdAt: ctx.now() })
  const entry = { personId, actor: actorOf(person, visitor), action: 'member.link-provider' }
  await recordPersonAudit(ctx, tx, { ...entry, after: { provider: provider.name } })
}
