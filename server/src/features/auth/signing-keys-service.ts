/** The keys that sign cursors and links. They belong to the installation. */
import { randomBytes } from 'node:crypto'
import type { AppContext } from '../../platform/context.ts'
import { newId } from '../../platform/ids.ts'
import { decryptSecret, encryptSecret } from '../../platform/secret-encryption.ts'
import type { DatedKey } from '../../platform/signing-key.ts'
import * as store from './store.ts'

type KeyContext = Pick<AppContext, 'db' | 'now' | 'config'>

/** The name of the first one, with which the names of all others begin. */
const FIRST = 'signing'
const KEY_BYTES = 32
/** Nodes read the keys again as often, so that all of them know a key before one of them signs with it. */
export const READ_EVERY_MS = 10_000
const BEGINS_AFTER_MS = 2 * READ_EVERY_MS

/** Makes the first key at the first start. */
export async function readSigningKeys(ctx: KeyContext): Promise<DatedKey[]> {
  const known = await store.listSigningKeys(ctx.db)
  if (known.length > 0) return decryptKeys(ctx, known)
  const value = createValue(ctx, FIRST)
  await store.insertFirstSigningKey(ctx.db, { name: FIRST, value, createdAt: ctx.now() })
  return decryptKeys(ctx, await store.listSigningKeys(ctx.db))
}

const namePlace = (row: string) => ({ table: 'secrets', column: 'value', row })

function createValue({ config }: KeyContext, name: string): Buffer {
  return encryptSecret(config.encryptionKeys, namePlace(name), randomBytes(KEY_BYTES))
}

function decryptKeys(
  { config }: KeyContext,
  stored: readonly (DatedKey & { name: string })[],
): DatedKey[] {
  return stored.map(({ name, value, ...dates }) => ({
    ...dates,
    value: decryptSecret(config.encryptionKeys, namePlace(name), value),
  }))
}

/** `overlapMs`: how long what the former key signed is accepted after the new one has begun. */
export async function rotateSigningKey(
  ctx: KeyContext,
  { overlapMs }: { overlapMs: number },
): Promise<{ beginsAt: Date; formerEndsAt: Date }> {
  const createdAt = ctx.now()
  const beginsAt = new Date(createdAt.getTime() + BEGINS_AFTER_MS)
  const formerEndsAt = new Date(beginsAt.getTime() + overlapMs)
  const name = `${FIRST} ${newId()}`
  const value = createValue(ctx, name)
  await ctx.db.transaction().execute(async (tx) => {
    await store.lockSecrets(tx)
    await store.deleteEndedSigningKeys(tx, createdAt)
    const key = { name, value, createdAt, beginsAt, othersEndAt: formerEndsAt }
    await store.insertSigningKey(tx, key)
  })
  return { beginsAt, formerEndsAt }
}
