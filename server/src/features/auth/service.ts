import type { Pool } from 'pg'
import { parseOptionalInstant } from '../../formats/instants.ts'
import { readName } from '../../formats/one-line-name.ts'
import type { Actor } from '../../platform/actor.ts'
import type { AppContext } from '../../platform/context.ts'
import type { Tx } from '../../platform/db/connect.ts'
import { AppError, invalid, notFound } from '../../platform/errors.ts'
import { isUuid, newId } from '../../platform/ids.ts'
import { type AuditAction, recordAudit } from '../audit/index.ts'
import { createApiKey, hashKey, isWellFormedApiKey } from './api-keys.ts'
import { createLink } from './links/service.ts'
import type { Principal } from './principal.ts'
import { isRole } from '../../formats/roles.ts'
import { listScopes } from './roles.ts'
import { isScope, type Scope, SCOPES } from './scopes.ts'
import * as store from './store.ts'

const USE_RECORDED_EVERY_MS = 60_000

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
    scopes: new Set(await readScopes(ctx, row)),
    actor: { type: 'ApiKey', id: row.id, email: row.created_by_email, requestId },
    role: undefined,
    isLogin: row.person_id !== null,
    hasSecondFactor: true,
  }
}

/** The key of a login does what its person may at present. */
async function readScopes(
  { pool }: AuthenticationContext,
  { scopes, person_id: personId, workspace_id: workspaceId }: store.KeyHolder,
): Promise<Scope[]> {
  const granted = scopes.filter(isScope)
  if (personId === null) return granted
  const { role } = (await store.findMembership(pool, workspaceId, personId)) ?? {}
  if (role === undefined || !isRole(role))
    throw unauthorized('Who logged in is no member of the workspace any more.')
  const may = listScopes(role)
  return granted.filter((scope) => may.includes(scope))
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
  /** Who logged in with it. */
  personId?: string
  actor: Actor
}

interface CreateApiKey {
  workspaceId: string
  name: string
  scopes: readonly string[]
  expiresAt?: string
  /** Who asks holds these. */
  held: ReadonlySet<Scope>
  actor: Actor
}

/** Nobody gives a key a scope that they do not hold. */
export async function createOwnApiKey(ctx: AppContext, input: CreateApiKey) {
  const { held, actor, ...wanted } = input
  refuseScopesBeyond(held, input.scopes)
  const expiresAt = parseOptionalInstant(input.expiresAt, '/expiresAt')
  if (expiresAt && expiresAt <= ctx.now()) throw invalid('expiresAt is in the past.', '/expiresAt')
  const expiry = expiresAt === undefined ? {} : { expiresAt }
  const key = { ...wanted, createdByEmail: actor.email ?? '', actor }
  const { expiresAt: _text, ...fields } = key
  return ctx.db.transaction().execute((tx) => issueApiKey(ctx, tx, { ...fields, ...expiry }))
}

export function refuseScopesBeyond(held: ReadonlySet<Scope>, scopes: readonly string[]): void {
  const beyond = scopes.filter((scope) => isScope(scope) && !held.has(scope))
  if (beyond.length > 0)
    throw new AppError(
      'forbidden',
      'scopes-beyond-yours',
      `A key has no more scopes than who makes it; yours lack ${beyond.join(', ')}.`,
    )
}

/** The answer holds the key, which is never shown again: only its hash is stored. */
export async function issueApiKey(ctx: Pick<AppContext, 'now'>, tx: Tx, input: NewApiKey) {
  const { workspaceId, createdByEmail, expiresAt, personId = null, actor } = input
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
    personId,
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

/** The operator revokes keys of any workspace; others name theirs. */
export async function revokeApiKey(
  ctx: Pick<AppContext, 'now' | 'db'>,
  input: { id: string; workspaceId?: string; actor: Actor },
) {
  const { id, workspaceId, actor } = input
  return ctx.db.transaction().execute(async (tx) => {
    const row = isUuid(id) ? await store.findApiKey(tx, id) : undefined
    if (!row || row.workspaceId !== (workspaceId ?? row.workspaceId)) throw notFound('API key', id)
    const key = { id, workspaceId: row.workspaceId, name: row.name, actor }
    return { id, revoked: await revokeKey(ctx, tx, key) }
  })
}

async function revokeKey(
  ctx: Pick<AppContext, 'now'>,
  tx: Tx,
  { id, workspaceId, name, actor }: { id: string; workspaceId: string; name: string; actor: Actor },
): Promise<boolean> {
  const isRevoked = await store.revokeApiKey(tx, id, ctx.now())
  const entry = { workspaceId, actor, resourceType: 'api-key', resourceId: id }
  if (isRevoked)
    await recordAudit(ctx, tx, { ...entry, action: 'api-key.revoke', before: { name } })
  return isRevoked
}

/** The keys that somebody made in the workspace work no more. */
export async function revokeKeysOfMaker(
  ctx: Pick<AppContext, 'now'>,
  tx: Tx,
  { workspaceId, personId, actor }: { workspaceId: string; personId: string; actor: Actor },
): Promise<void> {
  for (const { id, name } of await store.listKeysOfMaker(tx, workspaceId, personId))
    await revokeKey(ctx, tx, { id, workspaceId, name, actor })
}

/** A new key that does the same; the old one is refused from then on. */
export async function rotateApiKey(
  ctx: Pick<AppContext, 'now' | 'db'>,
  { id, actor }: { id: string; actor: Actor },
) {
  const row = isUuid(id) ? await store.findApiKey(ctx.db, id) : undefined
  if (!row || row.revokedAt) throw notFound('API key', id)
  if (row.personId) throw invalid('A login made this key: log in again.')
  const { workspaceId, name, scopes, createdByEmail, expiresAt } = row
  const expiry = expiresAt ? { expiresAt } : {}
  const key = { workspaceId, name, scopes, createdByEmail, actor, ...expiry }
  const made = await ctx.db.transaction().execute((tx) => issueApiKey(ctx, tx, key))
  await revokeApiKey(ctx, { id, actor })
  return { ...made, replaces: id }
}

/** Describes the key that the request was sent with. */
export async function describeOwnKey({ db }: Pick<AppContext, 'db'>, { id = '' }: Actor) {
  const key = await store.findApiKey(db, id)
  if (!key) throw unauthorized('The API key is unknown.')
  const { name, createdByEmail, expiresAt, personId } = key
  return { id, name, createdByEmail, isLogin: personId !== null, expiresAt }
}

/** A program logs itself out. Other keys may be used elsewhere, too. */
export async function revokeOwnKey(
  ctx: Pick<AppContext, 'now' | 'db'>,
  { actor, workspaceId }: Pick<Principal, 'actor' | 'workspaceId'>,
): Promise<void> {
  const { id = '' } = actor
  const row = await store.findApiKey(ctx.db, id)
  if (!row?.personId)
    throw new AppError(
      'forbidden',
      'not-a-login',
      'This key was not made by a login: revoke it in the settings of the workspace.',
    )
  await revokeApiKey(ctx, { id, workspaceId, actor })
}

/** Addresses of people are stored in lower case. Throws `invalid` for what cannot be one. */
export function readPersonEmail(email: string): string {
  const address = email.trim().toLowerCase()
  if (!isPersonEmail(address))
    throw invalid(`${JSON.stringify(email)} is not an e-mail address.`, '/email')
  return address
}

export function isPersonEmail(address: string): boolean {
  return EMAIL.test(address) && address.length <= MOST_EMAIL_CHARACTERS
}

const MOST_EMAIL_CHARACTERS = 320
/** Mails are sent there, and lists show it: no spaces, invisible characters, or signs that headers of mails give a meaning. */
const EMAIL = /^[^@\s\p{C}"(),:;<>[\]\\]+@[^@\s\p{C}"(),:;<>[\]\\]+$/u

export async function findOrCreatePerson(ctx: Pick<AppContext, 'now'>, tx: Tx, email: string) {
  const address = readPersonEmail(email)
  const candidate = { id: newId(), email: address, displayName: address, createdAt: ctx.now() }
  return store.findOrCreatePerson(tx, candidate)
}

/** Finds or creates the person with this address, and makes a link with which the person sets a password once. */
export async function invitePerson(ctx: Pick<AppContext, 'now' | 'config'>, tx: Tx, email: string) {
  const person = await findOrCreatePerson(ctx, tx, email)
  const { url: setupUrl } = await createLink(ctx, tx, { kind: 'Setup', personId: person.id })
  return { person, setupUrl }
}

export interface PersonAudit {
  personId: string
  actor: Actor
  action: Extract<AuditAction, `member.${string}`>
  before?: unknown
  after?: unknown
}

/** Records what concerns a person in the audit log of each workspace of the person. */
export async function recordPersonAudit(
  ctx: Pick<AppContext, 'now'>,
  tx: Tx,
  { personId, ...entry }: PersonAudit,
): Promise<void> {
  for (const { workspaceId } of await store.listMemberships(tx, personId)) {
    const resource = { resourceType: 'member', resourceId: personId }
    await recordAudit(ctx, tx, { workspaceId, ...resource, ...entry })
  }
}
