/** Passkeys (WebAuthn). A passkey with user verification is two factors: the device, and its PIN or fingerprint. */
import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server'
import { addMs, MINUTE_MS } from '../../../formats/instants.ts'
import { readName } from '../../../formats/one-line-name.ts'
import type { AppContext } from '../../../platform/context.ts'
import { AppError, notFound } from '../../../platform/errors.ts'
import { isUuid, newId } from '../../../platform/ids.ts'
import {
  deleteSession,
  markSecondFactor,
  recordPersonAudit,
  type SignedIn,
  type Visitor,
  weakenSessions,
} from '../../auth/index.ts'
import {
  attemptSucceeded,
  beginAtDoor,
  beginAttempt,
  countAtDoor,
  finishAtDoor,
} from '../sign-in/attempts-service.ts'
import { limitNewPasskeys } from '../sign-in/limits.ts'
import { type SignInOutcome, signInWithin, tellRefusal } from '../sign-in/service.ts'
import { endOlderSessions, requireRecentFactor } from '../factors/recent-factor-service.ts'
import { readCredentials } from '../store.ts'
import { describeRelyingParty } from './relying-party.ts'
import * as store from './store.ts'

const CHALLENGE_MS = 5 * MINUTE_MS

/** Read when it is needed, as its parsers of certificates take memory. */
const library = () => import('@simplewebauthn/server')

export async function beginPasskey(ctx: AppContext, me: SignedIn) {
  const { rpID } = describeRelyingParty(ctx)
  const { personId, email, displayName } = me
  await beginAttempt(ctx, [limitNewPasskeys(personId)])
  const known = await ctx.db.transaction().execute(async (tx) => {
    await requireRecentFactor(ctx, tx, me)
    return store.listPasskeys(tx, personId)
  })
  const { generateRegistrationOptions } = await library()
  const options = await generateRegistrationOptions({
    rpName: 'Plimsoll',
    rpID,
    userID: new Uint8Array(writeHandle(personId)),
    userName: email,
    userDisplayName: displayName,
    attestationType: 'none',
    excludeCredentials: known.map(({ credentialId: id, transports }) => ({ id, transports })),
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
  })
  await keepChallenge(ctx, options.challenge, personId)
  return options
}

/** Tells an authenticator whose passkey it is. */
const writeHandle = (personId: string) => Buffer.from(personId.replaceAll('-', ''), 'hex')

async function keepChallenge(ctx: AppContext, challenge: string, personId: string | null) {
  const expiresAt = addMs(ctx.now(), CHALLENGE_MS)
  await store.insertChallenge(ctx.db, { challenge, personId, expiresAt })
}

interface AddPasskey {
  me: SignedIn
  name: string
  response: RegistrationResponseJSON
}

/** The present session has shown the factor with it. */
export async function addPasskey(ctx: AppContext, { me, response, ...named }: AddPasskey) {
  const { personId, sessionId, actor } = me
  const name = readName(named.name)
  const { credential } = await verifyRegistration(ctx, response, personId)
  const row = {
    id: newId(),
    personId,
    credentialId: credential.id,
    publicKey: Buffer.from(credential.publicKey),
    counter: credential.counter,
    transports: credential.transports ?? [],
    name,
    createdAt: ctx.now(),
  }
  return ctx.db.transaction().execute(async (tx) => {
    const factors = await requireRecentFactor(ctx, tx, me)
    if (!(await store.insertPasskey(tx, row))) throw refused('This passkey is registered already.')
    await markSecondFactor(tx, sessionId, ctx.now())
    const after = { name, sessionsEnded: await endOlderSessions(tx, me, factors) }
    await recordPersonAudit(ctx, tx, { personId, actor, action: 'member.add-passkey', after })
    await attemptSucceeded({ ...ctx, db: tx }, [limitNewPasskeys(personId)])
    return { id: row.id, name, createdAt: row.createdAt, lastUsedAt: null }
  })
}

async function verifyRegistration(
  ctx: AppContext,
  response: RegistrationResponseJSON,
  personId: string,
) {
  const { rpID: expectedRPID, origin: expectedOrigin } = describeRelyingParty(ctx)
  const { verifyRegistrationResponse } = await library()
  const given = await verifying((expectedChallenge) =>
    verifyRegistrationResponse({ response, expectedChallenge, expectedOrigin, expectedRPID }),
  )
  await requireChallenge(ctx, given.challenge, personId)
  if (!given.result.verified) throw refused('The answer of the browser does not verify.')
  requireOwnPage(response)
  return given.result.registrationInfo
}

/** Web Authentication, section 7.1, step 10: the library looks at it in sign-ins only. No page of another site shows ours. */
function requireOwnPage({ response: { clientDataJSON } }: RegistrationResponseJSON): void {
  const text = Buffer.from(clientDataJSON, 'base64url').toString('utf8')
  const { crossOrigin } = JSON.parse(text) as { crossOrigin?: unknown }
  if (crossOrigin === true) throw refused('The passkey was made within a page of another site.')
}

/** Of challenges, before they are looked for. */
const BASE64URL = /^[\w-]+$/

/** The library throws for whatever is wrong with an answer. The challenge is looked up afterwards. */
async function verifying<Result>(
  verify: (expectedChallenge: (challenge: string) => boolean) => Promise<Result>,
): Promise<{ result: Result; challenge: string }> {
  let shown = ''
  try {
    const result = await verify((challenge) => {
      shown = challenge
      return BASE64URL.test(challenge)
    })
    return { result, challenge: shown }
  } catch (error) {
    const cause = error instanceof Error ? error.message : String(error)
    throw refused(`The answer of the browser is not valid: ${cause}`)
  }
}

async function requireChallenge(ctx: AppContext, challenge: string, personId: string | null) {
  if (!(await store.useChallenge(ctx.db, { challenge, personId, now: ctx.now() })))
    throw refused('The question that this answers was used already, or is too old. Try again.')
}

function refused(detail: string): AppError {
  return new AppError('forbidden', 'passkey-refused', detail)
}

export async function beginPasskeySignIn(ctx: AppContext, address: string) {
  const { rpID } = describeRelyingParty(ctx)
  await beginAtDoor(ctx, 'passkey-begun', address)
  const { generateAuthenticationOptions } = await library()
  const options = await generateAuthenticationOptions({ rpID, userVerification: 'required' })
  await keepChallenge(ctx, options.challenge, null)
  return options
}

interface PasskeySignIn {
  response: AuthenticationResponseJSON
  /** The person of the session that the browser shows. It ends, as the new one takes its place. */
  me: SignedIn | undefined
  visitor: Visitor
}

export async function signInByPasskey(
  ctx: AppContext,
  shown: PasskeySignIn,
): Promise<SignInOutcome> {
  const { address } = shown.visitor
  const outcome = await countAtDoor(ctx, { door: 'passkey', address }, () =>
    acceptPasskey(ctx, shown),
  )
  await finishAtDoor(ctx, 'passkey-begun', address)
  return outcome
}

async function acceptPasskey(
  ctx: AppContext,
  { response, me, visitor }: PasskeySignIn,
): Promise<SignInOutcome> {
  const passkey = await store.findPasskey(ctx.db, response.id)
  if (!passkey) throw refused('This passkey is not registered here.')
  const { id, personId, email } = passkey
  try {
    const counter = await verifySignIn(ctx, response, passkey)
    return await ctx.db.transaction().execute(async (tx) => {
      if (!(await store.updatePasskeyUse(tx, id, { counter, lastUsedAt: ctx.now() })))
        throw refused('The counter of the passkey stands still: there may be a copy of it.')
      if (me?.personId === personId) await deleteSession(tx, personId, me.sessionId)
      return signInWithin(ctx, tx, { personId, email, method: 'Passkey', visitor, isStrong: true })
    })
  } catch (error) {
    if (error instanceof AppError && error.code === 'passkey-refused')
      await tellRefusal(ctx, { email, method: 'Passkey', visitor })
    throw error
  }
}

/** The counter that the passkey shows. */
async function verifySignIn(
  ctx: AppContext,
  response: AuthenticationResponseJSON,
  passkey: NonNullable<Awaited<ReturnType<typeof store.findPasskey>>>,
): Promise<number> {
  const { rpID: expectedRPID, origin: expectedOrigin } = describeRelyingParty(ctx)
  const { verifyAuthenticationResponse } = await library()
  const credential = {
    id: passkey.credentialId,
    publicKey: new Uint8Array(passkey.publicKey),
    counter: passkey.counter,
  }
  const expected = { response, expectedOrigin, expectedRPID, credential }
  const { result, challenge } = await verifying((expectedChallenge) =>
    verifyAuthenticationResponse({ ...expected, expectedChallenge, requireUserVerification: true }),
  )
  await requireChallenge(ctx, challenge, null)
  if (!result.verified) throw refused('The signature of the passkey does not verify.')
  const { userHandle } = response.response
  if (userHandle && userHandle !== writeHandle(passkey.personId).toString('base64url'))
    throw refused('The passkey is that of another person.')
  return result.authenticationInfo.newCounter
}

/** Sessions count as without a second factor when the last one goes. */
export async function removePasskey(
  ctx: AppContext,
  me: SignedIn,
  passkeyId: string,
): Promise<void> {
  const { personId, actor } = me
  await ctx.db.transaction().execute(async (tx) => {
    await requireRecentFactor(ctx, tx, me)
    const name = isUuid(passkeyId) ? await store.deletePasskey(tx, personId, passkeyId) : undefined
    if (name === undefined) throw notFound('passkey', passkeyId)
    const { totp, passkeys } = await readCredentials(tx, personId)
    if (totp !== true && passkeys === 0) await weakenSessions(tx, personId)
    const entry = { personId, actor, action: 'member.remove-passkey' as const, before: { name } }
    await recordPersonAudit(ctx, tx, entry)
  })
}
