import { DAY_MS } from '../../formats/instants.ts'
import { createHash, randomBytes } from 'node:crypto'
import type { Pool } from 'pg'
import { readName } from '../../formats/one-line-name.ts'
import type { Actor } from '../../platform/actor.ts'
import type { AppContext } from '../../platform/context.ts'
import type { Db, Tx } from '../../platform/db/connect.ts'
import { AppError, invalid, notFound } from '../../platform/errors.ts'
import { isUuid, newId } from '../../platform/ids.ts'
import { recordAudit } from '../audit/index.ts'
import { createApiKey, hashKey, isWellFormedApiKey } from './api-keys.ts'
import { hashPassword } from './passwords.ts'
import type { Principal } from './principal.ts'
import { isScope, type Scope, SCOPES } from './scopes.ts'
import * as store from './store.ts'

const USE_RECORDED_EVERY_MS = 60_000
const SETUP_LINK_MS = 7 * DAY_MS

type AuthenticationContext = Pick<AppContext, 'db' | 'now' | 'log'> & { pool: Pool }

/** The principal of a key. Throws `unauthorized` when the key is malformed, unknown, expired or revoked. */
export async function authenticateApiKey(
  ctx: AuthenticationContext,
  key: string,
  requestId: string,
): Promise<Principal> {
  if (!isWellFormedApiKey(key)) throw unauthorized('The API key is malformed.')
  const row = await store.findApiKeyByHash(ctx.pool, hashKey(key))
  if (!row) throw unauthorized('The API key is unknown.')
  if (row.revoked_at) throw unauthorized('The API key was revoked.')
  const now = ctx.now()
  if (row.expires_at && row.expires_at <= now) throw unauthorized('The API key has expired.')
  if (!row.last_used_at || now.getTime() - row.last_used_at.getTime() >= USE_RECORDED_EVERY_MS)
    await store.updateApiKeyUse(ctx.db, row.id, now)
  return {
    workspaceId: row.workspace_id,
    scopes: new Set(row.scopes.filter(isScope)),
    actor: { type: 'ApiKey', id: row.id, email: row.created_by_email, requestId },
  }
}

export function unauthorized(detail: string): AppError {
  return new AppError('unauthorized', 'unauthorized', detail)
}

export interface NewApiKey {
  workspaceId: string
  name: string
  scopes: readonly string[]
  createdByEmail: string
  expiresAt?: Date
  actor: Actor
}

/** The answer holds the key, which is never shown again: only its hash is stored. */
export async function issueApiKey(ctx: Pick<AppContext, 'now'>, tx: Tx, input: NewApiKey) {
  const { workspaceId, createdByEmail, expiresAt, actor } = input
  const name = readName(input.name)
  const scopes = checkScopes(input.scopes)
  const key = createApiKey()
  const row = {
    id: newId(),
    workspaceId,
    name,
    scopes,
    createdByEmail,
    createdAt: ctx.now(),
    expiresAt: expiresAt ?? null,
  }
  await store.insertApiKey(tx, { ...row, keyHash: hashKey(key) })
  const after = { name, scopes, createdByEmail, expiresAt: row.expiresAt }
  await recordAudit(ctx, tx, {
    workspaceId,
    actor,
    action: 'api-key.create',
    resourceType: 'api-key',
    resourceId: row.id,
    after,
  })
  return { id: row.id, apiKey: key }
}

function checkScopes(scopes: readonly string[]): Scope[] {
  if (scopes.length === 0) throw invalid('A key needs at least one scope.', '/scopes')
  const unknown = scopes.filter((scope) => !isScope(scope))
  if (unknown.length > 0)
    throw invalid(
      `Unknown scope ${unknown.join(', ')}. The scopes are: ${SCOPES.join(', ')}.`,
      '/scopes',
    )
  return [...new Set(scopes.filter(isScope))]
}

export async function revokeApiKey(
  ctx: Pick<AppContext, 'now' | 'db'>,
  input: { id: string; actor: Actor },
) {
  const { id, actor } = input
  return ctx.db.transaction().execute(async (tx) => {
    const row = isUuid(id) ? await store.findApiKey(tx, id) : undefined
    if (!row) throw notFound('API key', id)
    const revoked = await store.revokeApiKey(tx, id, ctx.now())
    const entry = { workspaceId: row.workspaceId, actor, resourceType: 'api-key', resourceId: id }
    if (revoked)
      await recordAudit(ctx, tx, { ...entry, action: 'api-key.revoke', before: { name: row.name } })
    return { id, revoked }
  })
}

/** Finds or creates the person with this address, and makes a link with which the person sets a password once. */
export async function invitePerson(ctx: Pick<AppContext, 'now' | 'config'>, tx: Tx, email: string) {
  const address = email.trim().toLowerCase()
  if (!/^[^@\s]+@[^@\s]+$/.test(address))
    throw invalid(`${JSON.stringify(email)} is not an e-mail address.`, '/email')
  const createdAt = ctx.now()
  const candidate = { id: newId(), email: address, displayName: address, createdAt }
  const person = await store.findOrCreatePerson(tx, candidate)
  const token = randomBytes(32).toString('base64url')
  const tokenHash = createHash('sha256').update(token).digest()
  const expiresAt = new Date(createdAt.getTime() + SETUP_LINK_MS)
  await store.insertSetupLink(tx, { tokenHash, personId: person.id, createdAt, expiresAt })
  return { person, setupUrl: `${ctx.config.publicUrl}/setup#token=${token}` }
}

/** Sets the password of the person for whom a setup link was made. A link works once. */
export async function setPassword(
  ctx: Pick<AppContext, 'db' | 'now'>,
  { token, password, requestId }: { token: string; password: string; requestId: string },
): Promise<void> {
  const tokenHash = createHash('sha256').update(token).digest()
  // Checked before the password is hashed, which takes long on purpose: anybody may call this.
  if (!(await store.isSetupLinkValid(ctx.db, tokenHash, ctx.now()))) throw setupLinkNotFound()
  const passwordHash = await hashPassword(password)
  await ctx.db.transaction().execute(async (tx) => {
    const personId = await store.useSetupLink(tx, tokenHash, ctx.now())
    if (personId === undefined) throw setupLinkNotFound()
    await store.updatePassword(tx, personId, passwordHash)
    for (const { workspaceId, email } of await store.listMemberships(tx, personId)) {
      const actor = { type: 'User', id: personId, email, requestId } as const
      const entry = { workspaceId, actor, action: 'member.set-password', resourceType: 'member' }
      await recordAudit(ctx, tx, { ...entry, resourceId: personId })
    }
  })
}

function setupLinkNotFound(): AppError {
  return new AppError(
    'notFound',
    'setup-link-not-found',
    'This link was already used, has expired or never existed. Ask for a new one.',
  )
}

export async function findOrCreateSecret(
  ctx: { db: Db; now: () => Date },
  name: string,
): Promise<Buffer> {
  return store.findOrCreateSecret(ctx.db, { name, value: randomBytes(32), createdAt: ctx.now() })
}
