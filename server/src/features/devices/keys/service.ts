/** Issues and revokes device keys: keys of the whole fleet, or of one device. */
import {
  type AgedKey,
  countDays,
  describeReplacement,
  type KeyRotation,
} from '../../../formats/key-rotation.ts'
import { formatNumber } from '../../../formats/counts.ts'
import { readName } from '../../../formats/one-line-name.ts'
import type { Actor } from '../../../platform/actor.ts'
import type { AppContext } from '../../../platform/context.ts'
import type { Tx } from '../../../platform/db/connect.ts'
import { AppError, invalid, notFound } from '../../../platform/errors.ts'
import { isUuid, newId } from '../../../platform/ids.ts'
import { recordAudit } from '../../audit/index.ts'
import { hashKey } from '../../auth/index.ts'
import { signalDisconnect, signalRecheck } from '../signals-store.ts'
import { openPage, type PageRequested } from '../../../platform/http/paging.ts'
import {
  countDeviceKeys,
  type KeyFilter,
  type ListedKey,
  listDeviceKeys as listKeys,
  readKeyPosition,
} from '../list/key-age-store.ts'
import { createDeviceKeyText, isDeviceId, refuseKey } from './auth-service.ts'
import * as store from './store.ts'
import { readRotation } from './store.ts'

interface IssueDeviceKey {
  workspaceId: string
  /** Without it, any device of the workspace may use the key. */
  deviceId?: string
  name?: string
  actor: Actor
}

/** The key is in the answer only. Its device need not be registered yet. */
export async function issueDeviceKey(ctx: AppContext, input: IssueDeviceKey) {
  const { workspaceId, deviceId = null, actor } = input
  if (deviceId !== null && !isDeviceId(deviceId))
    throw invalid(`${JSON.stringify(deviceId)} cannot be the id of a device.`, '/deviceId')
  const name = input.name === undefined ? (deviceId ?? 'fleet') : readName(input.name)
  const deviceKey = createDeviceKeyText()
  const fields = { deviceId, name, createdByEmail: actor.email ?? null }
  const row = { workspaceId, id: newId(), ...fields, createdAt: ctx.now() }
  await ctx.db.transaction().execute(async (tx) => {
    await store.insertDeviceKey(tx, { ...row, keyHash: hashKey(deviceKey) })
    const entry = { workspaceId, actor, resourceType: 'device-key', resourceId: row.id }
    await recordAudit(ctx, tx, { ...entry, action: 'device-key.create', after: fields })
  })
  return { id: row.id, deviceKey }
}

interface ListKeys extends PageRequested {
  workspaceId: string
  filter?: KeyFilter
}

/** Those in force before those that ended, each the oldest first. */
export async function listDeviceKeys(ctx: AppContext, input: ListKeys) {
  const { workspaceId, filter = {} } = input
  const page = openPage(ctx, ['device-keys', workspaceId, filter], input)
  const query = { workspaceId, filter, limit: page.rowLimit, after: page.after }
  const rows = await listKeys(ctx.db, query)
  const count = (most: number) => countDeviceKeys(ctx.db, query, most)
  const { page: keys, next, total } = await page.cutAndCount(rows, readKeyPosition, count)
  const now = ctx.now()
  return { deviceKeys: keys.map((key) => describeKey(key, now)), ...total, ...next }
}

/** All of them, read page by page. */
export async function listAllDeviceKeys(
  ctx: AppContext,
  query: Pick<ListKeys, 'workspaceId' | 'filter'>,
) {
  const all: Awaited<ReturnType<typeof listDeviceKeys>>['deviceKeys'] = []
  for (let cursor: string | undefined; ;) {
    const asked = { ...query, limit: 1_000, ...(cursor !== undefined && { cursor }) }
    const { deviceKeys, ...next } = await listDeviceKeys(ctx, asked)
    for (const key of deviceKeys) all.push(key)
    if (!next.hasMore) return all
    cursor = next.nextCursor
  }
}

/** As many as one answer may hold. */
const MOST_WHOLE = 1_000

/** All of them in one answer, the oldest first, where they are few. `deviceId`: those that this device may use. */
export async function listFewDeviceKeys(
  ctx: AppContext,
  { workspaceId, deviceId }: { workspaceId: string; deviceId?: string },
) {
  const filter = { ...(deviceId !== undefined && { deviceId }) }
  const { deviceKeys, hasMore } = await listDeviceKeys(ctx, {
    workspaceId,
    filter,
    limit: MOST_WHOLE,
  })
  if (hasMore)
    throw new AppError(
      'invalid',
      'too-many-device-keys',
      `There are more than ${formatNumber(MOST_WHOLE)} keys: read them page by page, by POST …/device-keys/list.`,
    )
  return deviceKeys.toSorted(
    (one, other) =>
      one.createdAt.getTime() - other.createdAt.getTime() || (one.id < other.id ? -1 : 1),
  )
}

function describeKey(
  { issuerId, issuerName, serial, expiresAt, holder, rotation, ...key }: ListedKey,
  now: Date,
) {
  const isCertificate = issuerId !== null && serial !== null && expiresAt !== null
  const issuer = { id: issuerId ?? '', name: issuerName ?? '' }
  return {
    ...key,
    certificate: isCertificate ? { issuer, serial, expiresAt } : null,
    ageDays: countDays(key.createdAt, now),
    replacement: readReplacement({ ...key, isCertificate, holder, rotation }, now),
  }
}

type JudgedKey = Pick<ListedKey, 'holder' | 'rotation' | 'deviceId'> &
  Pick<AgedKey, 'createdAt' | 'revokedAt' | 'isNext' | 'isCertificate'>

/** A request is about the keys that its device uses now. */
function findOpenRotation({ rotation, ...key }: JudgedKey): KeyRotation | undefined {
  if (key.revokedAt !== null || key.isNext || key.isCertificate) return undefined
  return rotation?.doneAt === null ? readRotation(rotation) : undefined
}

function readReplacement(judged: JudgedKey, now: Date) {
  const { holder, deviceId, ...key } = judged
  const rotation = findOpenRotation(judged)
  const lastSeenAt = holder?.lastSeenAt ? new Date(holder.lastSeenAt) : null
  const of = holder ? { ...holder, lastSeenAt } : undefined
  const standing = describeReplacement(
    { ...key, isOwn: deviceId !== null, holder: of, rotation },
    now,
  )
  const { askedAt = null, state = null } = rotation ?? {}
  return { askedAt, state, standing }
}

/** The key or certificate is refused from now on, and its connections end. Revoking it again changes nothing. */
export async function revokeDeviceKey(
  ctx: AppContext,
  { workspaceId, id, actor }: { workspaceId: string; id: string; actor: Actor },
) {
  return ctx.db.transaction().execute(async (tx) => {
    const key = isUuid(id) ? await store.lockDeviceKey(tx, workspaceId, id) : undefined
    if (!key) throw notFound('device key', id)
    if (key.revokedAt) return { id: key.id, revokedAt: key.revokedAt }
    const revokedAt = ctx.now()
    await store.revokeDeviceKey(tx, { workspaceId, id: key.id, revokedAt })
    // The row of a certificate goes with its device; that it is revoked stays.
    const { issuerId, serial } = key
    const revokedByEmail = actor.email ?? null
    if (issuerId !== null && serial !== null)
      await store.insertRevocation(tx, { workspaceId, issuerId, serial, revokedAt, revokedByEmail })
    await signalDisconnect(tx, { workspaceId, keyId: key.id })
    const entry = { workspaceId, actor, resourceType: 'device-key', resourceId: key.id }
    const before = { deviceId: key.deviceId, name: key.name }
    await recordAudit(ctx, tx, { ...entry, action: 'device-key.revoke', before })
    return { id: key.id, revokedAt }
  })
}

/** Answers may be lost on the way, and a device that asked twice at once cannot know which answer it got. */
const MOST_UNUSED = 5

interface OwnKey {
  workspaceId: string
  deviceId: string
  keyId: string
}

/** A key that takes the place of the present one once it is used. Of those never used the newest five stay; `ended` did not. */
export async function issueNextKey(
  ctx: Pick<AppContext, 'now'>,
  tx: Tx,
  { workspaceId, deviceId, keyId }: OwnKey,
): Promise<{ id: string; deviceKey: string; ended: string[] }> {
  const present = await store.lockDeviceKey(tx, workspaceId, keyId)
  if (!present || present.revokedAt) throw refuseKey()
  const deviceKey = createDeviceKeyText()
  const [id, now] = [newId(), ctx.now()]
  const names = { workspaceId, id, deviceId, name: present.name, createdByEmail: null }
  const row = { ...names, keyHash: hashKey(deviceKey), createdAt: now, isNext: true }
  await store.insertDeviceKey(tx, row)
  const few = { workspaceId, deviceId, most: MOST_UNUSED, revokedAt: now }
  return { id, deviceKey, ended: await store.revokeOldestNext(tx, few) }
}

/**
 * Ends the older keys of the device and their connections, as this one is used. @returns which ended; undefined: it was used before.
 * Throws where it has ended itself.
 */
export async function adoptNextKey(
  ctx: Pick<AppContext, 'now'>,
  tx: Tx,
  { workspaceId, deviceId, keyId }: OwnKey,
): Promise<string[] | undefined> {
  const next = await store.lockDeviceKey(tx, workspaceId, keyId)
  if (!next || next.revokedAt) throw refuseKey()
  if (!next.isNext) return undefined
  const { id, createdAt } = next
  const adopted = { workspaceId, deviceId, id, createdAt, usedAt: ctx.now() }
  const ended = await store.replaceOlderKeys(tx, adopted)
  for (const endedId of ended) await signalDisconnect(tx, { workspaceId, keyId: endedId })
  return ended
}

/** Certificates that ended so long ago are forgotten. */
const ENDED_KEPT_MS = 7 * 24 * 3_600_000

/** Called when a certificate is seen first. */
export async function recordCertificate(
  ctx: Pick<AppContext, 'db' | 'now'>,
  seen: Omit<store.SeenCertificate, 'id' | 'createdAt'>,
): Promise<void> {
  const now = ctx.now()
  const before = new Date(now.getTime() - ENDED_KEPT_MS)
  await store.deleteEndedCertificates(ctx.db, { ...seen, before })
  await store.insertCertificate(ctx.db, { ...seen, id: newId(), createdAt: now })
}

/** Whether it was not revoked by somebody before, and how many certificates that were seen it ends. */
export async function revokeSerial(
  tx: Tx,
  row: store.Revocation,
): Promise<{ isNew: boolean; revoked: number }> {
  const isNew = await store.insertRevocation(tx, row)
  const { revoked } = await store.markRevoked(tx, row)
  await signalRecheck(tx, row.workspaceId)
  return { isNew, revoked }
}

/** What the list of an authority says, instead of the one before. */
export async function takeRevocationList(
  tx: Tx,
  list: {
    workspaceId: string
    issuerId: string
    revokedAt: Date
    revoked: readonly { serial: string; revokedAt: Date }[]
  },
): Promise<{ revoked: number; restored: number }> {
  await store.replaceListedRevocations(tx, list)
  const marked = await store.markRevoked(tx, list)
  await signalRecheck(tx, list.workspaceId)
  return marked
}
