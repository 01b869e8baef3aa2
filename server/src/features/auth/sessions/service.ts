/** Sessions of people. Only the hash of a session's token is stored. */
import { createHash, randomBytes } from 'node:crypto'
import type { Pool } from 'pg'
import { addMs, MINUTE_MS } from '../../../formats/instants.ts'
import type { AppContext } from '../../../platform/context.ts'
import type { Tx } from '../../../platform/db/connect.ts'
import { newId } from '../../../platform/ids.ts'
import type { SecondFactorState, SignedIn, SignInMethod, Visitor } from '../principal.ts'
import { isRole, type Role } from '../../../formats/roles.ts'
import { unauthorized } from '../service.ts'
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
    createdAt,
    lastUsedAt: createdAt,
    expiresAt: addMs(createdAt, lastsMs),
    userAgent: visitor.userAgent?.slice(0, MOST_USER_AGENT_CHARACTERS) ?? null,
    address: visitor.address,
  })
  return { id, token }
}

/** The session has shown its second factor and lasts as long as others. */
export async function completeSession(
  ctx: Pick<AppContext, 'now' | 'config'>,
  tx: Tx,
  sessionId: string,
): Promise<void> {
  const now = ctx.now()
  const expiresAt = addMs(now, ctx.config.people.sessionMs)
  await store.completeSession(tx, sessionId, { expiresAt, lastUsedAt: now })
}

export interface FoundSession {
  signedIn: SignedIn
  /** undefined: the person is no member of the workspace that was asked for. */
  membership: { role: Role; requiresSecondFactor: boolean } | undefined
}

type SessionContext = Pick<AppContext, 'db' | 'now' | 'config'> & { pool: Pool }

/** Throws `unauthorized` when the session is unknown, has ended or was not used for too long. */
export async function authenticateSession(
  ctx: SessionContext,
  {
    token,
    workspaceId,
    requestId,
    isUse = true,
  }: { token: string; workspaceId?: string; requestId: string; isUse?: boolean },
): Promise<FoundSession> {
  // Anybody may send a cookie: the database is asked about those only that could be ours.
  const row = TOKEN.test(token)
    ? await store.findSessionByHash(ctx.pool, hashToken(token), workspaceId ?? null)
    : undefined
  const now = ctx.now()
  if (!row || row.expires_at <= now || row.last_used_at <= idleSince(ctx))
    throw unauthorized('The session has ended. Sign in again.')
  if (isUse && now.getTime() - row.last_used_at.getTime() >= USE_RECORDED_EVERY_MS)
    await store.updateSessionUse(ctx.db, row.id, now)
  const { id: sessionId, person_id: personId, email, method, second_factor: secondFactor } = row
  const actor = { type: 'User', id: personId, email, requestId } as const
  const person = { sessionId, personId, email, displayName: row.display_name }
  const membership =
    row.role !== null && isRole(row.role)
      ? { role: row.role, requiresSecondFactor: row.require_second_factor === true }
      : undefined
  return { signedIn: { ...person, method, secondFactor, actor }, membership }
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
