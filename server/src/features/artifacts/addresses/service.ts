/**
 * Standing addresses of files of a firmware version, for programs on devices that have no key: SWUpdate's delta handler reads the
 * address from a description that was signed at the build, long before a deployment makes links.
 */
import { randomBytes, timingSafeEqual } from 'node:crypto'
import { addDays } from '../../../formats/instants.ts'
import type { Actor } from '../../../platform/actor.ts'
import { asking } from '../../../platform/asking.ts'
import type { AppContext } from '../../../platform/context.ts'
import type { Db, Tx } from '../../../platform/db/connect.ts'
import { AppError, invalid, notFound } from '../../../platform/errors.ts'
import { isUuid, newId } from '../../../platform/ids.ts'
import {
  decryptSecret,
  encryptSecret,
  type SecretPlace,
} from '../../../platform/secret-encryption.ts'
import { type AuditAction, recordAudit } from '../../audit/index.ts'
import { getFirmwareVersion, lockFirmwareVersion } from '../../firmware/index.ts'
import { lookUpInTurn } from '../download-turns-service.ts'
import { IMAGE } from '../roles/role.ts'
import { readRole } from '../roles/service.ts'
import type { RoleKey } from '../roles/store.ts'
import * as store from './store.ts'

const MOST_ADDRESSES = 20

interface Named {
  workspaceId: string
  firmwareVersionId: string
}

type UrlContext = Pick<AppContext, 'config'>

const SECRET_BYTES = 32

const namePlace = (workspaceId: string, id: string): SecretPlace => ({
  table: 'artifact_addresses',
  column: 'secret',
  row: `${workspaceId}/${id}`.toLowerCase(),
})

function showAddress(
  { config }: UrlContext,
  workspaceId: string,
  { secret, ...row }: store.AddressRow,
) {
  const plain = decryptSecret(config.encryptionKeys, namePlace(workspaceId, row.id), secret)
  const path = `/device/v1/${workspaceId}/files/${row.id}`
  return { ...row, url: `${config.publicUrl}${path}?secret=${plain.toString('base64url')}` }
}

export async function listAddresses(
  ctx: UrlContext & Pick<AppContext, 'db'>,
  { workspaceId, firmwareVersionId }: Named,
) {
  const { id } = await getFirmwareVersion(ctx.db, workspaceId, firmwareVersionId)
  const rows = await store.listAddresses(ctx.db, { workspaceId, firmwareVersionId: id })
  return { addresses: rows.map((row) => showAddress(ctx, workspaceId, row)) }
}

interface CreateAddress extends Named {
  role?: string
  baseVersionId?: string
  days: number
  actor: Actor
}

/** The file may be uploaded later: a build needs the address first. */
export async function createAddress(ctx: AppContext, { days, actor, ...named }: CreateAddress) {
  const key = await readFile(ctx.db, named)
  const { workspaceId } = key
  const createdAt = ctx.now()
  const id = newId()
  const place = namePlace(workspaceId, id)
  const row: store.AddressRow = {
    id,
    secret: encryptSecret(ctx.config.encryptionKeys, place, randomBytes(SECRET_BYTES)),
    role: key.role,
    baseVersionId: key.baseVersionId,
    createdAt,
    createdByEmail: actor.email ?? null,
    endsAt: addDays(createdAt, days),
    uses: 0,
    lastUsedAt: null,
  }
  await ctx.db.transaction().execute(async (tx) => {
    if (!(await lockFirmwareVersion(tx, workspaceId, key.firmwareVersionId)))
      throw notFound('firmware version', key.firmwareVersionId)
    const present = await store.listAddresses(tx, key)
    if (present.filter(({ endsAt }) => endsAt > createdAt).length >= MOST_ADDRESSES) throw tooMany()
    const { uses: _uses, lastUsedAt: _last, ...made } = row
    await store.insertAddress(tx, { ...key, ...made })
    await audit(ctx, tx, { of: key, actor, action: 'artifact-address.create', after: tell(row) })
  })
  return showAddress(ctx, workspaceId, row)
}

const IN_BODY = { role: '/role', base: '/baseVersionId' }

async function readFile(
  db: Db,
  { role = IMAGE, ...named }: Omit<CreateAddress, 'days' | 'actor'>,
): Promise<RoleKey> {
  if (role !== IMAGE) return (await readRole(db, { ...named, role }, IN_BODY)).key
  if (named.baseVersionId !== undefined)
    throw invalid('Only a delta begins with another version.', '/baseVersionId')
  const { id } = await getFirmwareVersion(db, named.workspaceId, named.firmwareVersionId)
  const { workspaceId } = named
  return { workspaceId, firmwareVersionId: id, role, baseVersionId: null }
}

const tooMany = () =>
  new AppError(
    'conflict',
    'too-many-artifact-addresses',
    `A firmware version has at most ${MOST_ADDRESSES} standing addresses that work. Revoke one first.`,
  )

/** Devices that are given it get nothing from now on. */
export async function deleteAddress(
  ctx: AppContext,
  { workspaceId, addressId, actor, ...named }: Named & { addressId: string; actor: Actor },
): Promise<void> {
  const { id } = await getFirmwareVersion(ctx.db, workspaceId, named.firmwareVersionId)
  const of = { workspaceId, firmwareVersionId: id }
  await ctx.db.transaction().execute(async (tx) => {
    const before = isUuid(addressId)
      ? await store.deleteAddress(tx, { ...of, id: addressId })
      : undefined
    if (!before) throw notFound('standing address', addressId)
    await audit(ctx, tx, { of, actor, action: 'artifact-address.delete', before: tell(before) })
  })
}

const tell = ({ role, endsAt, uses }: store.AddressRow) => ({
  role,
  endsAt: endsAt.toISOString(),
  uses,
})

interface Audited {
  of: Named
  actor: Actor
  action: AuditAction
  before?: object
  after?: object
}

const audit = (ctx: AppContext, tx: Tx, { of, ...entry }: Audited) =>
  recordAudit(ctx, tx, {
    ...entry,
    workspaceId: of.workspaceId,
    resourceType: 'firmware-version',
    resourceId: of.firmwareVersionId,
  })

interface GivenAddress {
  workspaceId: string
  addressId: string
  secret: string
}

export async function findAddressed(
  ctx: Pick<AppContext, 'db' | 'now' | 'config'>,
  { workspaceId, addressId, secret }: GivenAddress,
): Promise<store.AddressedFile> {
  if (!isUuid(workspaceId) || !isUuid(addressId)) throw addressNotFound()
  const asked = { workspaceId, id: addressId, now: ctx.now() }
  const file = await asking.run({ workspaceId }, () =>
    lookUpInTurn(workspaceId, () => store.findAddressed(ctx.db, asked)),
  )
  if (!file || !isSecretOf(ctx, { workspaceId, addressId, secret }, file.secret))
    throw addressNotFound()
  return file
}

function isSecretOf(
  { config }: UrlContext,
  { workspaceId, addressId, secret }: GivenAddress,
  stored: Buffer,
): boolean {
  const plain = decryptSecret(config.encryptionKeys, namePlace(workspaceId, addressId), stored)
  // As text, since bytes have several spellings in base64url.
  const [expected, given] = [Buffer.from(plain.toString('base64url')), Buffer.from(secret)]
  return expected.length === given.length && timingSafeEqual(expected, given)
}

/** The same for all, so that addresses cannot be probed. */
const addressNotFound = () =>
  new AppError(
    'notFound',
    'artifact-not-found',
    'This address is not valid, has ended or was revoked, or its file is not uploaded yet.',
  )

const WRITTEN_EVERY_MS = 5_000

interface Uses {
  workspaceId: string
  id: string
  /** Those that are not written yet. */
  count: number
  last: Date
}

/**
 * One update makes thousands of requests: the first is written at once, those that follow are counted here and written together,
 * also when no other follows.
 */
export function createUseCount(
  ctx: Pick<AppContext, 'db' | 'now' | 'log'>,
  everyMs = WRITTEN_EVERY_MS,
) {
  const counted = new Map<string, Uses>()
  let timer: NodeJS.Timeout | undefined
  async function write(uses: Uses): Promise<void> {
    const { workspaceId, id, count, last } = uses
    uses.count = 0
    await asking.run({ workspaceId }, () =>
      store.addUses(ctx.db, { workspaceId, id, uses: count, now: last }),
    )
  }
  async function flush(): Promise<void> {
    const all = [...counted.values()]
    counted.clear()
    for (const uses of all) if (uses.count > 0) await write(uses)
  }
  const writeLater = () => {
    timer ??= setTimeout(() => {
      timer = undefined
      flush().catch((error: unknown) =>
        ctx.log.error({ err: error }, 'uses of addresses were not written'),
      )
    }, everyMs).unref()
  }
  return {
    count: async ({ workspaceId, addressId: id }: GivenAddress): Promise<void> => {
      const before = counted.get(id)
      const uses = before ?? { workspaceId, id, count: 0, last: ctx.now() }
      uses.count += 1
      uses.last = ctx.now()
      if (before) return
      counted.set(id, uses)
      writeLater()
      await write(uses)
    },
    /** What still waits, at the end. */
    flush: async (): Promise<void> => {
      clearTimeout(timer)
      timer = undefined
      await flush()
    },
  }
}
