/** Published texts that stored advisories were written by. An import need not read them again. */
import { hash } from 'node:crypto'
import { sql } from 'kysely'
import { ADVISORY_PARSER_VERSION, type AdvisorySource } from '../../../formats/advisories/model.ts'
import type { Db, Tx } from '../../../platform/db/connect.ts'
import { TEXT_HASH_BYTES } from '../staging/rows.ts'

/** A record that was not read because its text is known. */
export interface UnreadRecord {
  id: string
  ordinal: number
  feedAt: string | undefined
}

export class KnownTexts {
  /** One after another, in their order. */
  readonly #hashes: Buffer
  /** In the order of their hashes. */
  readonly #ids: readonly string[]

  constructor(hashes: Buffer, ids: readonly string[]) {
    this.#hashes = hashes
    this.#ids = ids
  }

  /** The id of the advisory with this text. */
  idOf(text: Uint8Array): string | undefined {
    if (this.#ids.length === 0) return undefined
    const wanted = hash('sha256', text, 'buffer')
    let [from, until] = [0, this.#ids.length]
    while (from < until) {
      const middle = (from + until) >>> 1
      const order = this.#compare(middle, wanted)
      if (order === 0) return this.#ids[middle]
      if (order < 0) from = middle + 1
      else until = middle
    }
    return undefined
  }

  #compare(index: number, wanted: Uint8Array): number {
    const at = index * TEXT_HASH_BYTES
    return this.#hashes.compare(wanted, 0, TEXT_HASH_BYTES, at, at + TEXT_HASH_BYTES)
  }
}

/**
 * Only texts that these parsers have read. Two values, since a row for each of 300,000 advisories would take this process longer
 * than comparing them.
 */
export async function loadKnownTexts(db: Db, source: AdvisorySource): Promise<KnownTexts> {
  const { rows } = await sql<{ hashes: Buffer | null; ids: string | null }>`
    select string_agg(substr(text_hash, 2), ''::bytea order by text_hash) as hashes,
      string_agg(id, ' ' order by text_hash) as ids
    from advisories
    where source = ${source} and get_byte(text_hash, 0) = ${ADVISORY_PARSER_VERSION}`.execute(db)
  const { hashes = null, ids = null } = rows[0] ?? {}
  return new KnownTexts(hashes ?? Buffer.alloc(0), ids === null ? [] : ids.split(' '))
}

export async function noteUnread(
  db: Db,
  source: AdvisorySource,
  records: readonly UnreadRecord[],
): Promise<void> {
  const ids = records.map(({ id }) => id)
  const ordinals = records.map(({ ordinal }) => ordinal)
  const times = records.map(({ feedAt }) => feedAt ?? null)
  await sql`
    insert into unread_advisories (source, id, ordinal, feed_at)
    select ${source}, id, ordinal, feed_at
    from unnest(${ids}::text[], ${ordinals}::bigint[], ${times}::timestamptz[]) as given (id, ordinal, feed_at)`.execute(
    db,
  )
}

/** As `rememberRead`. */
export async function rememberUnread(tx: Tx, source: AdvisorySource): Promise<void> {
  await sql`
    insert into read_ids (id)
    select id from (select distinct id from unread_advisories where source = ${source}) as unread
    order by id
    on conflict do nothing`.execute(tx)
}
