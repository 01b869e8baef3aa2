/** Sessions of people. Only the hash of a session's token is stored. */
import { createHash, randomBytes } from 'node:crypto'
import type { Pool } from 'pg'
import { addMs, MINUTE_MS } from '../../../formats/instants.ts'
import type { AppContext } from '../../../platform/context.ts'
import type { Tx } from '../../../platform/db/connect.ts'
import { AppError } from '../../../platform/errors.ts'
import { newId } from '../../../platform/ids.ts'
import { getKeyTries, createTriedKey } from '../../../platform/key-tries.ts'
import type { SecondFactorState, SignedIn, SignInMethod, Visitor } from '../principal.ts'
import { isRole, type Role } from '../../../formats/roles.ts'
import { unauthorized } from '../service.ts'
import { findMembership } from '../store.ts'
import * as store from './store.ts'

const USE_RECORDED_EVERY_MS = MINUTE_MS
/** The time for the second step of a sign-in. */
const SECOND_STEP_MS = 10 * MINUTE_MS
const MOST_USER_AGENT_CHARACTERS = 300

export interface NewSession {
  personId: string
  method: SignInMethod
  secondFactor: SecondFactorState
  visitor: Visitor
}

/** The token goes into the cookie of the browser. */
export async function beginSession(
  ctx: Pick<AppContext, 'now' | 'config'>,
  tx: Tx,
  { personId, method, secondFactor, visitor }: NewSession,
): Promise<{ id: string; token: string }> {
  const id = newId()
  const token = randomBytes(32).toString('base64url')
  const createdAt = ctx.now()
  const { sessionMs } = ctx.config.people
  const lastsMs = secondFactor === 'Outstanding' ? SECOND_STEP_MS : sessionMs
  await store.insertSession(tx, {
    id,
    tokenHash: hashToken(token),
    personId,
    method,
    secondFactor,
    secondFactorAt: secondFactor === 'Done' ? createdAt : null,
    createdAt,
    lastUsedAt: createdAt,
    expiresAt: addMs(createdAt, lastsMs),
    userAgent: visitor.userAgent?.slice(0, MOST_USER_AGENT_CHARACTERS) ?? null,
    address: visitor.address,
  })
  return { id, token }
}

export interface FoundSession {
  signedIn: SignedIn
  /** undefined: the person is no member of the workspace that was asked for. */
  membership: { role: Role; requiresSecondFactor: boolean } | undefined
}

type SessionContext = Pick<AppContext, 'db' | 'now' | 'config' | 'memory'> & { pool: Pool }

interface ShownSession {
  token: string
  /** The address from which the cookie came. */
  address: string
  workspaceId?: string
}

/** Throws `unauthorized` when the session is unknown, has ended or was not used for too long. */
export async function authenticateSession(
  ctx: SessionContext,
  { requestId, isUse = true, ...shown }: ShownSession & { requestId: string; isUse?: boolean },
): Promise<FoundSession> {
  // Anybody may send a cookie: the database is asked about those only that could be ours.
  const row = TOKEN.test(shown.token) ? await findOpenSession(ctx, shown) : undefined
  if (!row) throw unauthorized('The session has ended. Sign in again.')
  const now = ctx.now()
  if (isUse && now.getTime() - row.last_used_at.getTime() >= USE_RECORDED_EVERY_MS)
    await store.updateSessionUse(ctx.db, row.id, now)
  const { id: sessionId, person_id: personId, email, method } = row
  const { second_factor: secondFactor, second_factor_at: secondFactorAt } = row
  const actor = { type: 'User', id: personId, email, requestId } as const
  const person = { sessionId, personId, email, displayName: row.display_name }
  const membership = await findMembershipOfPerson(ctx, shown.workspaceId, personId)
  return { signedIn: { ...person, method, secondFactor, secondFactorAt, actor }, membership }
}

/** Removed members and changed roles take effect at once, too. */
async function findMembershipOfPerson(
  { pool }: SessionContext,
  workspaceId: string | undefined,
  personId: string,
): Promise<FoundSession['membership']> {
  const found =
    workspaceId === undefined ? undefined : await findMembership(pool, workspaceId, personId)
  if (!found || !isRole(found.role)) return undefined
  return { role: found.role, requiresSecondFactor: found.require_second_factor }
}

/** Unknown tokens cost a query each: as unknown keys, they are remembered for a moment, and counted by address. */
async function findOpenSession(ctx: SessionContext, { token, address }: ShownSession) {
  const tries = getKeyTries(ctx.memory)
  const tried = createTriedKey({ key: token, place: 'session' }, address)
  const outcome = tries.begin(tried)
  if (outcome === 'tooMany') throw tooManyUnknown()
  if (outcome === 'refused') return undefined
  const row = await store.findSessionByHash(ctx.pool, hashToken(token))
  if (!row || row.expires_at <= ctx.now() || row.last_used_at <= idleSince(ctx)) {
    tries.refuse(tried)
    return undefined
  }
  tries.accept(tried)
  return row
}

function tooManyUnknown(): AppError {
  return new AppError(
    'rateLimited',
    'too-many-unknown-keys',
    'Too many requests from this address had keys or sessions that are not valid. Those that were accepted before still are.',
  )
}

/** Sessions that were last used at or before this instant have ended. */
function idleSince({ now, config }: Pick<AppContext, 'now' | 'config'>): Date {
  return addMs(now(), -config.people.sessionIdleMs)
}

export async function listSessions(ctx: AppContext, personId: string) {
  return store.listSessions(ctx.db, personId, { now: ctx.now(), usedAfter: idleSince(ctx) })
}

export async function sweepSessions(ctx: AppContext): Promise<void> {
  await store.deleteOldSessions(ctx.db, { now: ctx.now(), usedBefore: idleSince(ctx) })
}

/** 32 bytes in base64url. */
const TOKEN = /^[\w-]{43}$/

function hashToken(token: string): Buffer {
  return createHash('sha256').update(token).digest()
}
