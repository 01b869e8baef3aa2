/** Links that others read without a key: made, shown once, counted, revoked. */
import { addDays, addMs, MINUTE_MS, parseInstant } from '../../../formats/instants.ts'
import { readName } from '../../../formats/one-line-name.ts'
import type { Actor } from '../../../platform/actor.ts'
import type { AppContext } from '../../../platform/context.ts'
import type { Tx } from '../../../platform/db/connect.ts'
import { AppError, invalid, notFound } from '../../../platform/errors.ts'
import { isUuid, newId } from '../../../platform/ids.ts'
import { TokenBuckets } from '../../../platform/token-buckets.ts'
import { recordAudit } from '../../audit/index.ts'
import { createKey, hashKey, isWellFormedKey } from '../../auth/index.ts'
import { getCustomer, type OneCustomer } from '../service.ts'
import * as store from './store.ts'

/** Tokens have the form of API keys, so that scanners recognise a leaked one. */
const PREFIX = 'plml_'
const MOST_LINKS_OF_CUSTOMER = 50
const MOST_DAYS = 3 * 366
const DAYS = 365

export const createToken = () => createKey(PREFIX)
export const hashToken = hashKey

/** null: no link has such a token. */
export const hashGivenToken = (token: string | undefined): Buffer | null =>
  token !== undefined && isWellFormedKey(PREFIX, token) ? hashKey(token) : null

/** One answer for whatever does not work, so that it tells nothing of links that there are. */
export function linkDoesNotWork(): AppError {
  return new AppError(
    'notFound',
    'shared-link-not-found',
    'This link has ended, was revoked, or never existed. Ask whoever gave it to you for a new one.',
  )
}

/** The end of a link: as given, in the future and not too far; without one, in a year. */
export function readEnd({ now }: Pick<AppContext, 'now'>, given: string | undefined): Date {
  if (given === undefined) return addDays(now(), DAYS)
  const endsAt = parseInstant(given, '/endsAt')
  if (endsAt <= now()) throw invalid('The end must be in the future.', '/endsAt')
  if (endsAt > addDays(now(), MOST_DAYS))
    throw invalid('A link ends within three years. Make a new one then.', '/endsAt')
  return endsAt
}

export async function refuseTooMany(
  ctx: Pick<AppContext, 'now'>,
  tx: Tx,
  {
    workspaceId,
    customerId,
    most,
  }: { workspaceId: string; customerId: string | null; most: number },
): Promise<void> {
  const count = await store.countWorkingLinks(tx, workspaceId, { customerId, now: ctx.now() })
  if (count < most) return
  const what = customerId === null ? 'The workspace has' : 'The customer has'
  throw new AppError('conflict', 'too-many-links', `${what} ${most} that work; more are not made.`)
}

export async function createCustomerLink(
  ctx: AppContext,
  input: OneCustomer & { name?: string; endsAt?: string; actor: Actor },
) {
  const { workspaceId, actor } = input
  const endsAt = readEnd(ctx, input.endsAt)
  const name = readName(input.name ?? 'Link')
  const token = createToken()
  return ctx.db.transaction().execute(async (tx) => {
    const customer = await getCustomer(ctx, tx, input)
    const of = { workspaceId, customerId: customer.id }
    await refuseTooMany(ctx, tx, { ...of, most: MOST_LINKS_OF_CUSTOMER })
    const id = newId()
    await store.insertLink(tx, {
      ...of,
      id,
      name,
      tokenHash: hashToken(token),
      firmwareId: null,
      lineId: null,
      firmwareVersionId: null,
      documents: null,
      createdAt: ctx.now(),
      createdByEmail: actor.email ?? null,
      endsAt,
    })
    await recordAudit(ctx, tx, {
      workspaceId,
      actor,
      action: 'customer-link.create',
      resourceType: 'customer',
      resourceId: customer.id,
      after: { linkId: id, linkName: name, endsAt },
    })
    const links = await store.listCustomerLinks(tx, workspaceId, customer.id)
    const made = links.find((one) => one.id === id)
    if (!made) throw new Error('a link that was just made is there')
    return { ...made, token, url: `${ctx.config.publicUrl}/customer/${workspaceId}?token=${token}` }
  })
}

export async function listCustomerLinks(ctx: AppContext, input: OneCustomer) {
  const { id } = await getCustomer(ctx, ctx.db, input)
  return { links: await store.listCustomerLinks(ctx.db, input.workspaceId, id) }
}

/** Revoking it again changes nothing. */
export async function revokeCustomerLink(
  ctx: AppContext,
  { linkId, actor, ...of }: OneCustomer & { linkId: string; actor: Actor },
): Promise<void> {
  const { workspaceId } = of
  await ctx.db.transaction().execute(async (tx) => {
    const { id: customerId } = await getCustomer(ctx, tx, of)
    const links = await store.listCustomerLinks(tx, workspaceId, customerId)
    const link = isUuid(linkId) ? links.find(({ id }) => id === linkId) : undefined
    if (!link) throw notFound('customer link', linkId)
    const revoked = await store.revokeLink(tx, {
      workspaceId,
      id: link.id,
      customerId,
      at: ctx.now(),
    })
    if (!revoked) return
    await recordAudit(ctx, tx, {
      workspaceId,
      actor,
      action: 'customer-link.revoke',
      resourceType: 'customer',
      resourceId: customerId,
      before: { linkId: link.id, linkName: revoked.name },
    })
  })
}

/** Uses of one link. */
const USES = { perMinute: 120, burst: 60 }
const makeBuckets = () => new TokenBuckets(USES)

function limitUses({ memory }: Pick<AppContext, 'memory'>, id: string): void {
  const at = performance.now()
  if (memory.of(makeBuckets).of(id, at).tryTake(at)) return
  const error = new AppError(
    'rateLimited',
    'rate-limited',
    `This link was used more than ${USES.perMinute} times in a minute. Go on in a few seconds.`,
  )
  error.retryAfterSeconds = 2
  throw error
}

/** The audit log tells of a link at most so often, of all uses since. */
const TOLD_EVERY_MS = 10 * MINUTE_MS
const NOBODY = { type: 'System', id: undefined, email: undefined, requestId: undefined } as const

interface UsedLink {
  workspaceId: string
  link: { id: string; name: string }
  /** The customer whose page it is; undefined: a standing address. */
  customerId?: string
}

/** Counts a use of the link, and refuses too many. To be called before anything is read for it. */
export async function countUse(
  ctx: AppContext,
  { workspaceId, link, customerId }: UsedLink,
): Promise<void> {
  limitUses(ctx, link.id)
  const now = ctx.now()
  const toldBefore = addMs(now, -TOLD_EVERY_MS)
  await ctx.db.transaction().execute(async (tx) => {
    const counted = await store.countUse(tx, { workspaceId, id: link.id, now, toldBefore })
    if (counted?.isDue !== true) return
    const after = { linkId: link.id, linkName: link.name, uses: counted.untold }
    const entry = { workspaceId, actor: NOBODY, after }
    if (customerId === undefined)
      await recordAudit(ctx, tx, {
        ...entry,
        action: 'standing-address.read',
        resourceType: 'standing-address',
        resourceId: link.id,
      })
    else
      await recordAudit(ctx, tx, {
        ...entry,
        action: 'customer.view',
        resourceType: 'customer',
        resourceId: customerId,
      })
  })
}
