/** All secrets of the database that are encrypted with the operator's key: at start, in turn, and as the doctor sees them. */
import { formatCountOf } from './formats/counts.ts'
import { sql } from 'kysely'
import { ConfigError } from './config/config-error.ts'
import { listNodes } from './nodes/nodes-store.ts'
import type { AppContext } from './platform/context.ts'
import type { Db } from './platform/db/connect.ts'
import { type InstallationCheck, summariseFaults } from './platform/doctor/check.ts'
import { AppError } from './platform/errors.ts'
import {
  decryptSecret,
  type EncryptionKeys,
  encryptSecret,
  readKeyId,
  type SecretPlace,
  UnreadableSecret,
} from './platform/secret-encryption.ts'

interface SecretColumn {
  table: string
  column: string
  /** The primary key. */
  keys: readonly string[]
  /** The rows whose value is secret; undefined: all. */
  names?: string
}

const COLUMNS: readonly SecretColumn[] = [
  // The other row is the token of the file store, which stands there for all to read.
  { table: 'secrets', column: 'value', keys: ['name'], names: 'signing%' },
  { table: 'artifact_addresses', column: 'secret', keys: ['workspace_id', 'id'] },
  { table: 'evidence_keys', column: 'secret', keys: ['workspace_id', 'id'] },
  { table: 'totp_secrets', column: 'secret', keys: ['person_id'] },
  { table: 'webhooks', column: 'secret', keys: ['workspace_id', 'id'] },
  { table: 'webhooks', column: 'former_secret', keys: ['workspace_id', 'id'] },
]

interface StoredSecret extends SecretPlace {
  key: string[]
  stored: Buffer
}

const PAGE = 1_000

const joinNames = (names: readonly string[]) => sql.join(names.map((name) => sql.ref(name)))

async function readPage(
  db: Db,
  { table, column, keys, names }: SecretColumn,
  after: readonly string[] | undefined,
) {
  const { rows } = await sql<{ key: string[]; stored: Buffer }>`
    select array[${sql.join(keys.map((key) => sql`${sql.ref(key)}::text`))}] as key,
      ${sql.ref(column)} as stored
    from ${sql.table(table)}
    where ${sql.ref(column)} is not null
      and ${names === undefined ? sql`true` : sql`name like ${names}`}
      and ${after ? sql`(${joinNames(keys)}) > (${sql.join(after)})` : sql`true`}
    order by ${joinNames(keys)} limit ${PAGE}`.execute(db)
  return rows
}

async function* readSecrets(db: Db): AsyncGenerator<StoredSecret> {
  for (const column of COLUMNS) {
    let page = await readPage(db, column, undefined)
    while (page.length > 0) {
      const { table, column: name } = column
      for (const row of page) yield { ...row, table, column: name, row: row.key.join('/') }
      page = await readPage(db, column, page.at(-1)?.key)
    }
  }
}

/** By the id of its key; undefined: not encrypted. */
export async function countSecrets(db: Db): Promise<Map<string | undefined, number>> {
  const counts = new Map<string | undefined, number>()
  for await (const { stored } of readSecrets(db)) {
    const id = readKeyId(stored)
    counts.set(id, (counts.get(id) ?? 0) + 1)
  }
  return counts
}

/** A service that reads some of its secrets only does not start. */
export async function requireEncryptionKeys(db: Db, { keys }: EncryptionKeys): Promise<void> {
  const missing = [...(await countSecrets(db))].filter(([id]) => id !== undefined && !keys.has(id))
  if (missing.length === 0) return
  const named = missing.map(([id, count]) => `${id} (${formatCountOf(count, 'secret')})`).join(', ')
  throw new ConfigError(
    `PLIMSOLL_ENCRYPTION_KEY lacks a key with which secrets of this database are encrypted: ${named}.`,
  )
}

/** Nodes that live and would go on with another key than ours. */
export async function listOtherNodes({ db, config }: Pick<AppContext, 'db' | 'config'>) {
  const ours = config.encryptionKeys.currentId ?? null
  const nodes = await listNodes(db)
  return nodes.filter(({ isAlive, encryptionKeyId }) => isAlive && encryptionKeyId !== ours)
}

/** Each secret by itself, so that a run that was ended is begun again and does the rest. */
export async function encryptAgain(ctx: Pick<AppContext, 'db' | 'config'>) {
  const others = await listOtherNodes(ctx)
  if (others.length > 0)
    throw new AppError(
      'conflict',
      'other-encryption-key',
      `These nodes do not encrypt with the first key of PLIMSOLL_ENCRYPTION_KEY: ${others.map(({ host }) => host).join(', ')}. Set it there and start them again; one that has ended is left out after 30 seconds.`,
    )
  const { encryptionKeys } = ctx.config
  const outcome = { encrypted: 0, unreadable: 0 }
  for await (const secret of readSecrets(ctx.db)) {
    if (readKeyId(secret.stored) === encryptionKeys.currentId) continue
    const plain = tryToRead(encryptionKeys, secret)
    if (plain instanceof UnreadableSecret) outcome.unreadable += 1
    else if (await replaceSecret(ctx.db, secret, encryptSecret(encryptionKeys, secret, plain)))
      outcome.encrypted += 1
  }
  return outcome
}

function tryToRead(keys: EncryptionKeys, secret: StoredSecret): Buffer | UnreadableSecret {
  try {
    return decryptSecret(keys, secret, secret.stored)
  } catch (error) {
    if (error instanceof UnreadableSecret) return error
    throw error
  }
}

/** False: the service has changed it meanwhile, with the same key. */
async function replaceSecret(db: Db, secret: StoredSecret, value: Buffer): Promise<boolean> {
  const { table, column, key, stored } = secret
  const keys = COLUMNS.find((one) => one.table === table)?.keys ?? []
  const isRow = keys.map((name, index) => sql`${sql.ref(name)} = ${key[index]}`)
  const { numAffectedRows = 0n } = await sql`
    update ${sql.table(table)} set ${sql.ref(column)} = ${value}
    where ${sql.join(isRow, sql` and `)} and ${sql.ref(column)} = ${stored}`.execute(db)
  return numAffectedRows > 0n
}

export const secretsCheck: InstallationCheck = {
  scope: 'Installation',
  name: 'secrets',
  meaning: 'each secret can be read, and is encrypted as PLIMSOLL_ENCRYPTION_KEY says',
  remedy:
    'Add the missing key to PLIMSOLL_ENCRYPTION_KEY; `plimsoll-admin key-encryption rotate` encrypts with the first one.',
  find: async ({ db, config: { encryptionKeys } }) => {
    const faults: string[] = []
    for await (const secret of readSecrets(db)) {
      const plain = tryToRead(encryptionKeys, secret)
      const { table, column, row, stored } = secret
      if (plain instanceof UnreadableSecret) faults.push(plain.message)
      else if (readKeyId(stored) !== encryptionKeys.currentId)
        faults.push(
          `The secret ${table}.${column} of ${row} is not encrypted with the first key: plimsoll-admin key-encryption rotate`,
        )
    }
    return summariseFaults(faults)
  },
}
