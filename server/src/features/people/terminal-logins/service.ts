/**
 * A person lets a program on another machine act for them: the flow of RFC 8628, in the words of this API. What the program
 * gets is an API key that does no more than its person.
 */
import { createHash, randomBytes } from 'node:crypto'
import { addMs, DAY_MS, MINUTE_MS, parseInstant, SECOND_MS } from '../../../formats/instants.ts'
import { readName } from '../../../formats/one-line-name.ts'
import type { AppContext } from '../../../platform/context.ts'
import type { Tx } from '../../../platform/db/connect.ts'
import { AppError, invalid, notFound } from '../../../platform/errors.ts'
import { groupAddress } from '../../../platform/http/address-group.ts'
import { newId } from '../../../platform/ids.ts'
import { recordAudit } from '../../audit/index.ts'
import {
  issueApiKey,
  isScope,
  recordPersonAudit,
  refuseScopesBeyond,
  revokeApiKey,
  type SignedIn,
  type Visitor,
} from '../../auth/index.ts'
import { listMyWorkspaces } from '../service.ts'
import { findPerson } from '../store.ts'
import {
  attemptSucceeded,
  beginAtDoor,
  beginAttempt,
  finishAtDoor,
} from '../sign-in/attempts-service.ts'
import { listUserCodeLimits } from '../sign-in/limits.ts'
import * as store from './store.ts'
import { createUserCode, readUserCode } from './user-code.ts'

const LASTS_MS = 10 * MINUTE_MS
const INTERVAL_SECONDS = 5
/** RFC 8628, section 3.5: `slow_down` adds five seconds. */
const SLOWER_BY_SECONDS = 5
const MOST_INTERVAL_SECONDS = 60
/** Requests do not arrive as evenly as they are sent. */
const LEEWAY_MS = 500
const MOST_KEY_DAYS = 366

interface BeginLogin {
  client: string
  host: string
  visitor: Visitor
}

export async function beginTerminalLogin(ctx: AppContext, { client, host, visitor }: BeginLogin) {
  const { address } = visitor
  const named = { client: readName(client, '/client'), host: readName(host, '/host') }
  await beginAtDoor(ctx, 'terminal-login', address)
  const deviceCode = randomBytes(32).toString('base64url')
  const userCode = createUserCode()
  const createdAt = ctx.now()
  await store.insertTerminalLogin(ctx.db, {
    id: newId(),
    deviceCodeHash: hashCode(deviceCode),
    userCode,
    ...named,
    address,
    state: 'Pending',
    createdAt,
    expiresAt: addMs(createdAt, LASTS_MS),
    intervalSeconds: INTERVAL_SECONDS,
  })
  const verificationUri = `${ctx.config.publicUrl}/terminal`
  return {
    deviceCode,
    userCode,
    verificationUri,
    verificationUriComplete: `${verificationUri}?code=${userCode}`,
    expiresIn: LASTS_MS / SECOND_MS,
    interval: INTERVAL_SECONDS,
  }
}

interface EnterCode {
  me: SignedIn
  userCode: string
  visitor: Visitor
}

/** Who asks, for the person to recognise. */
export async function readTerminalLogin(
  ctx: AppContext,
  { me, userCode, visitor }: EnterCode,
): Promise<NonNullable<Awaited<ReturnType<typeof store.findOpenLogin>>>> {
  const limits = listUserCodeLimits(me.personId, groupAddress(visitor.address))
  await beginAttempt(ctx, limits)
  const code = readUserCode(userCode)
  const login = code === undefined ? undefined : await findOpen(ctx, code)
  if (!login) throw loginNotFound()
  await attemptSucceeded(ctx, limits)
  return login
}

const findOpen = (ctx: AppContext, code: string) => store.findOpenLogin(ctx.db, code, ctx.now())

interface Approve extends EnterCode {
  workspaceId: string
  scopes: readonly string[]
  expiresAt: string
}

export async function approveTerminalLogin(ctx: AppContext, input: Approve): Promise<void> {
  const { me, workspaceId, scopes } = input
  const { id, ...asked } = await readTerminalLogin(ctx, input)
  const workspace = (await listMyWorkspaces(ctx, me)).find((one) => one.id === workspaceId)
  if (!workspace) throw notFound('workspace', workspaceId)
  if (workspace.secondFactorMissing)
    throw new AppError(
      'forbidden',
      'second-factor-needed',
      'This workspace is open to sign-ins with a second factor only.',
    )
  refuseScopesBeyond(new Set(workspace.scopes), scopes)
  const keyExpiresAt = readExpiry(ctx, input.expiresAt)
  await ctx.db.transaction().execute(async (tx) => {
    const { personId } = me
    const approval = { personId, workspaceId, scopes: [...scopes], keyExpiresAt }
    const isDecided = await store.decideLogin(
      tx,
      { id, now: ctx.now() },
      { state: 'Approved', ...approval },
    )
    if (!isDecided) throw loginNotFound()
    const { client, host, address } = asked
    await recordAudit(ctx, tx, {
      workspaceId,
      actor: me.actor,
      action: 'terminal-login.approve',
      resourceType: 'terminal-login',
      resourceId: id,
      after: { client, host, address, scopes, expiresAt: keyExpiresAt },
    })
  })
}

function readExpiry(ctx: AppContext, text: string): Date {
  const expiresAt = parseInstant(text, '/expiresAt')
  if (expiresAt <= ctx.now()) throw invalid('expiresAt is in the past.', '/expiresAt')
  if (expiresAt > addMs(ctx.now(), MOST_KEY_DAYS * DAY_MS))
    throw invalid('A login lasts at most a year.', '/expiresAt')
  return expiresAt
}

export async function refuseTerminalLogin(ctx: AppContext, input: EnterCode): Promise<void> {
  const { id, client, host, address } = await readTerminalLogin(ctx, input)
  const { personId, actor } = input.me
  await ctx.db.transaction().execute(async (tx) => {
    if (!(await store.decideLogin(tx, { id, now: ctx.now() }, { state: 'Refused' })))
      throw loginNotFound()
    const after = { client, host, address }
    await recordPersonAudit(ctx, tx, {
      personId,
      actor,
      action: 'member.refuse-terminal-login',
      after,
    })
  })
}

function loginNotFound(): AppError {
  return new AppError(
    'notFound',
    'terminal-login-not-found',
    'Nothing waits for this code: it is mistyped, was decided already, or is older than ten minutes.',
  )
}

type Refusal = 'authorization-pending' | 'slow-down' | 'access-denied' | 'expired-token'

const REFUSALS: Record<Refusal, string> = {
  'authorization-pending': 'Nobody has decided yet. Ask again after the interval.',
  'slow-down': `Ask less often: the interval is ${SLOWER_BY_SECONDS} seconds longer from now on.`,
  'access-denied': 'The login was refused.',
  'expired-token': 'The code has expired, or its key was collected already. Begin a new login.',
}

interface Collect {
  deviceCode: string
  address: string
  requestId: string
}

/** A program that waits does nothing wrong. */
const UNCOUNTED: ReadonlySet<unknown> = new Set(['authorization-pending', 'access-denied'])

/** Gives the key to the program, once. */
export async function collectKey(ctx: AppContext, { deviceCode, address, requestId }: Collect) {
  await beginAtDoor(ctx, 'terminal-key', address)
  const outcome = await ctx.db
    .transaction()
    .execute((tx) => poll(ctx, tx, { hash: hashCode(deviceCode), requestId }))
  if (typeof outcome !== 'string' || UNCOUNTED.has(outcome))
    await finishAtDoor(ctx, 'terminal-key', address)
  if (typeof outcome === 'string') throw new AppError('invalid', outcome, REFUSALS[outcome])
  return outcome
}

type Login = NonNullable<Awaited<ReturnType<typeof store.lockLogin>>>

/** A refusal is an answer, not an error: the count of polls stays. */
async function poll(
  ctx: AppContext,
  tx: Tx,
  { hash, requestId }: { hash: Buffer; requestId: string },
) {
  const now = ctx.now()
  const login = await store.lockLogin(tx, hash)
  if (!login || login.expiresAt <= now) return 'expired-token'
  const isEarly = cameEarly(login, now)
  const slower = Math.min(login.intervalSeconds + SLOWER_BY_SECONDS, MOST_INTERVAL_SECONDS)
  const intervalSeconds = isEarly ? slower : login.intervalSeconds
  await store.updatePoll(tx, login.id, { lastPolledAt: now, intervalSeconds })
  if (isEarly) return 'slow-down'
  if (login.state === 'Pending') return 'authorization-pending'
  await store.deleteLogin(tx, login.id)
  return login.state === 'Approved' ? issue(ctx, tx, login, requestId) : 'access-denied'
}

function cameEarly({ lastPolledAt, intervalSeconds }: Login, now: Date): boolean {
  if (lastPolledAt === null) return false
  return now.getTime() - lastPolledAt.getTime() < intervalSeconds * SECOND_MS - LEEWAY_MS
}

/** Issues a key with the approved scopes that the person still has. */
async function issue(ctx: AppContext, tx: Tx, login: Login, requestId: string) {
  const { personId, workspaceId, keyExpiresAt: expiresAt, host } = login
  if (personId === null || workspaceId === null || expiresAt === null) return 'access-denied'
  const { email } = (await findPerson(tx, personId)) ?? {}
  if (email === undefined) return 'access-denied'
  const mine = await listMyWorkspaces({ db: tx }, { personId, secondFactor: 'Done' })
  const workspace = mine.find(({ id }) => id === workspaceId)
  const may = new Set(workspace?.scopes)
  const scopes = (login.scopes ?? []).filter(isScope).filter((scope) => may.has(scope))
  if (!workspace || scopes.length === 0) return 'access-denied'
  const actor = { type: 'User', id: personId, email, requestId } as const
  const key = { workspaceId, name: `Terminal on ${host}`, scopes, createdByEmail: email, personId }
  const { id, apiKey } = await issueApiKey(ctx, tx, { ...key, expiresAt, actor })
  return { id, apiKey, workspaceId, workspaceName: workspace.name, email, scopes, expiresAt }
}

export async function listTerminals(ctx: AppContext, { personId }: SignedIn) {
  return store.listLoginKeys(ctx.db, personId, ctx.now())
}

export async function endTerminal(ctx: AppContext, { personId, actor }: SignedIn, id: string) {
  const mine = await store.listLoginKeys(ctx.db, personId, ctx.now())
  const key = mine.find((one) => one.id === id)
  if (!key) throw notFound('API key', id)
  await revokeApiKey(ctx, { id, workspaceId: key.workspaceId, actor })
}

function hashCode(code: string): Buffer {
  return createHash('sha256').update(code).digest()
}
