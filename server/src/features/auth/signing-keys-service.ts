/** The keys that sign cursors and links. They belong to the installation. */
import { randomBytes } from 'node:crypto'
import type { AppContext } from '../../platform/context.ts'
import { newId } from '../../platform/ids.ts'
import type { DatedKey } from '../../platform/signing-key.ts'
import * as store from './store.ts'

type KeyContext = Pick<AppContext, 'db' | 'now'>

/** The name of the first one, with which the names of all others begin. */
const FIRST = 'signing'
const KEY_BYTES = 32
/** Nodes read the keys again as often, so that all of them know a key before one of them signs with it. */
export const READ_EVERY_MS = 10_000
const BEGINS_AFTER_MS = 2 * READ_EVERY_MS

/** Makes the first key at the first start. */
export async function readSigningKeys(ctx: KeyContext): Promise<DatedKey[]> {
  const known = await store.listSigningKeys(ctx.db)
  if (known.length > 0) return known
  const value = randomBytes(KEY_BYTES)
  await store.insertFirstSigningKey(ctx.db, { name: FIRST, value, createdAt: ctx.now() })
  return store.listSigningKeys(ctx.db)
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
  const value = randomBytes(KEY_BYTES)
  await ctx.db.transaction().execute(async (tx) => {
    await store.lockSecrets(tx)
    await store.deleteEndedSigningKeys(tx, createdAt)
    const key = { name, value, createdAt, beginsAt, othersEndAt: formerEndsAt }
    await store.insertSigningKey(tx, key)
  })
  return { beginsAt, formerEndsAt }
}
