/** What an import has read, in temporary tables of one database session. The tables vanish with the session. */
import { once } from 'node:events'
import {
  CamelCasePlugin,
  type ControlledTransaction,
  Kysely,
  PostgresDialect,
  type PostgresPoolClient,
  sql,
} from 'kysely'
import type { Pool, PoolClient } from 'pg'
import { from as copyFrom } from 'pg-copy-streams'
import type { Db, Tx } from '../../../platform/db/connect.ts'
import { limitMemory } from '../../../platform/memory-release.ts'
import type { DB } from '../../../platform/db/schema.ts'
import { STAGED_ADVISORY_COLUMNS, STAGED_SUPPORT_COLUMNS } from './rows.ts'

const STAGED_TABLES = {
  staged_advisories: STAGED_ADVISORY_COLUMNS,
  staged_kev: ['ordinal', 'cve_id', 'date_added', 'due_date', 'details', 'feed_at'],
  staged_epss: ['ordinal', 'cve_id', 'score', 'percentile', 'feed_at'],
  staged_euvd: ['ordinal', 'cve_id', 'euvd_id', 'date_added'],
  staged_support: STAGED_SUPPORT_COLUMNS,
} as const

/** What the merges join by and sort by: statistics of long texts would take longer than all of these. */
const KEYS: Record<StagedTable, string> = {
  staged_advisories: 'ordinal, source, id',
  staged_kev: 'cve_id',
  staged_epss: 'cve_id',
  staged_euvd: 'cve_id',
  staged_support: 'name',
}

export type StagedTable = keyof typeof STAGED_TABLES

/** Size of one COPY, about in bytes: large enough that its overhead is small, small enough for constant memory. */
export const BATCH_LENGTH = 2 * 1024 * 1024
/** So many bytes are read ahead while the database merges. */
const MOST_WAITING = 24 * 1024 * 1024

/** In COPY's text format. */
type CopiedRows = readonly (string | Uint8Array)[]

interface Batch {
  rows: (string | Uint8Array)[]
  length: number
}

export class StagingSession {
  /** Runs in the session of the staging tables. */
  readonly db: Db
  readonly #client: PoolClient
  readonly #batches = new Map<StagedTable, Batch>()
  /** The newest work of the database; each begins when the one before has ended. */
  #last: Promise<void> = Promise.resolve()
  readonly #waiting: { work: Promise<void>; length: number }[] = []
  #waitingLength = 0
  #hasMerged = false

  constructor(client: PoolClient) {
    this.#client = client
    this.db = dbOn(client)
  }

  /**
   * Begins a merge, and empties what an earlier one of this session has left: were the tables emptied at each commit, each
   * COPY before the merge would do it.
   */
  async begin(): Promise<ControlledTransaction<DB>> {
    const tx = await this.db.startTransaction().execute()
    if (this.#hasMerged) await empty(tx, OF_A_MERGE)
    this.#hasMerged = true
    return tx
  }

  /** Forgets what an earlier import of the session has left. */
  async forget(): Promise<void> {
    await empty(this.db, Object.keys(STAGED_TABLES))
  }

  /** Adds a row or many in COPY's text format; waits while the database is behind. */
  async add(table: StagedTable, rows: string | Uint8Array): Promise<void> {
    const batch = this.#batches.get(table) ?? { rows: [], length: 0 }
    this.#batches.set(table, batch)
    batch.rows.push(rows)
    batch.length += rows.length
    if (batch.length >= BATCH_LENGTH) await this.#send(table, batch)
  }

  /** Does the work when all rows added so far are written, and before rows that are added later. */
  enqueue(work: () => Promise<void>): void {
    this.#writeAdded()
    this.#append(work, 0)
  }

  /** As `enqueue`, and waits for the end of the work. */
  async perform(work: () => Promise<void>): Promise<void> {
    this.enqueue(work)
    await this.#last
  }

  /** As `enqueue`, for work that holds so many bytes; waits while the database is behind. */
  async enqueueLarge(length: number, work: () => Promise<void>): Promise<void> {
    this.#writeAdded()
    this.#append(work, length)
    await this.#waitWhileBehind()
  }

  /** Does the work at once: only within work that is enqueued. */
  async copy(table: string, columns: readonly string[], rows: CopiedRows): Promise<void> {
    await copy(this.#client, { table, columns }, rows)
  }

  /** Writes all added rows to their tables. */
  async flush(): Promise<void> {
    const tables = [...this.#batches.keys()]
    this.enqueue(() => this.#analyze(tables))
    await this.#last
  }

  async #analyze(tables: readonly StagedTable[]): Promise<void> {
    for (const table of tables) await this.#client.query(`analyze ${table} (${KEYS[table]})`)
  }

  /** Ends the session, which drops the tables. */
  close(): void {
    this.#client.release(true)
  }

  /** Does not wait for this batch: the next ones are read meanwhile. */
  async #send(table: StagedTable, batch: Batch): Promise<void> {
    this.#write(table, batch)
    await this.#waitWhileBehind()
  }

  async #waitWhileBehind(): Promise<void> {
    limitMemory()
    while (this.#waitingLength > MOST_WAITING) {
      const first = this.#waiting.shift()
      this.#waitingLength -= first?.length ?? 0
      await first?.work
    }
  }

  #writeAdded(): void {
    for (const [table, batch] of this.#batches) this.#write(table, batch)
  }

  #write(table: StagedTable, { rows, length }: Batch): void {
    if (rows.length === 0) return
    this.#batches.set(table, { rows: [], length: 0 })
    this.#append(() => this.copy(table, STAGED_TABLES[table], rows), length)
  }

  #append(work: () => Promise<void>, length: number): void {
    this.#last = this.#last.then(work)
    // The next await reports a failure; until then it must not count as unhandled.
    this.#last.catch(() => undefined)
    this.#waiting.push({ work: this.#last, length })
    this.#waitingLength += length
  }
}

export async function openStaging(pool: Pool): Promise<StagingSession> {
  const client = await pool.connect()
  try {
    await client.query(SESSION)
    return new StagingSession(client)
  } catch (error) {
    client.release(true)
    throw error
  }
}

async function copy(
  client: PoolClient,
  { table, columns }: { table: string; columns: readonly string[] },
  rows: CopiedRows,
): Promise<void> {
  const stream = client.query(copyFrom(`copy ${table} (${columns.join(', ')}) from stdin`))
  const finished = once(stream, 'finish')
  for (const text of joinedTexts(rows)) stream.write(text)
  stream.end()
  await finished
}

/** Rows that come one by one are joined, as each write would be a packet of its own. */
function joinedTexts(rows: CopiedRows): CopiedRows {
  return rows.every((row) => typeof row === 'string') ? [rows.join('')] : rows
}

/** The query builder on this one connection, which is not returned to the pool between queries. */
function dbOn(client: PoolClient): Db {
  const borrowed: PostgresPoolClient = {
    query: client.query.bind(client),
    release: () => undefined,
  }
  const pool = {
    connect: () => Promise.resolve(borrowed),
    end: () => Promise.resolve(),
    options: {},
  }
  return new Kysely<DB>({
    dialect: new PostgresDialect({ pool }),
    plugins: [new CamelCasePlugin({ maintainNestedObjectKeys: true })],
  })
}

const MERGED = [
  'changed',
  'incoming_affected',
  'changed_affected',
  'range_affected',
  'relinked',
  'reached',
  'bare',
  'asserted',
  'grouped',
  'targets',
  'links',
  'moved',
  'wanted_aliases',
  'touched',
  'news',
  'rescored',
]
const OF_A_MERGE = [...MERGED, 'read_ids', 'changed_keys', 'missing', 'moved_distributions']

/** Truncating a table makes new files for it and its indexes, which takes longer than to delete few rows. */
const FEW_BYTES = 1024 * 1024

async function empty(db: Db, tables: readonly string[]): Promise<void> {
  const names = tables.map((table) => `'${table}'`).join(', ')
  await sql
    .raw(
      `do $$
      declare
        name text;
      begin
        foreach name in array array[${names}] loop
          if pg_relation_size(name::regclass) > ${FEW_BYTES} then execute 'truncate ' || name;
          elsif pg_relation_size(name::regclass) > 0 then execute 'delete from ' || name;
          end if;
        end loop;
      end $$`,
    )
    .execute(db)
}

/** Empties the intermediate results of one merge, so that the next records can be merged. */
export async function clearMerged(tx: Tx): Promise<void> {
  await sql.raw(`truncate ${MERGED.join(', ')}`).execute(tx)
}

/** Keeps the deferred ones. */
export async function clearStaged(
  tx: Tx,
  { deferredCount }: { deferredCount: number },
): Promise<void> {
  if (deferredCount === 0) await sql`truncate staged_advisories`.execute(tx)
  else
    await sql`
      delete from staged_advisories as staged
      where not exists (select from deferred where deferred.ordinal = staged.ordinal)`.execute(tx)
}

export async function areAnyStaged(tx: Tx): Promise<boolean> {
  const { rows } = await sql`select from staged_advisories limit 1`.execute(tx)
  return rows.length > 0
}

export async function analyzeStaged(tx: Tx): Promise<void> {
  await sql.raw(`analyze staged_advisories (${KEYS.staged_advisories})`).execute(tx)
}

/**
 * After a checkpoint the server logs whole pages when they are first written to. Compressing them takes a tenth of the time of a merge. Only a superuser
 * may say so, as we are on our own server.
 */
const UNCOMPRESSED_PAGES = `
  do $$ begin
    set wal_compression = off;
  exception when insufficient_privilege then null;
  end $$;`

/**
 * Staged texts are stored unparsed: most of them have not changed and are never parsed. The tables from `read_ids` on
 * hold intermediate results of one merge.
 */
const SESSION = `${UNCOMPRESSED_PAGES}
  set statement_timeout = 0;
  set idle_in_transaction_session_timeout = 0;
  set jit = off;
  set work_mem = '64MB';
  set temp_buffers = '64MB';
  set client_min_messages = warning;
  create temporary table staged_advisories (
    ordinal bigint, source text collate "C", id text collate "C", content_hash bytea, text_hash bytea, aliases text[],
    cve_ids text[], linked_ids text[], record text, name text, primary_score text, stated_severity text, published_at timestamptz(3),
    modified_at timestamptz(3), feed_at timestamptz(3), withdrawn_at timestamptz(3), is_disputed boolean, ssvc_class smallint, affected text
  ) with (toast_tuple_target = 8160);
  alter table staged_advisories alter record set storage external, alter affected set storage external;
  create index on staged_advisories (ordinal);
  create temporary table unread_advisories (
    source text collate "C", id text collate "C", ordinal bigint, feed_at timestamptz(3)
  );
  create index on unread_advisories (id);
  create temporary table deferred (ordinal bigint primary key);
  create temporary table otherwise_written (id text collate "C" primary key, text_hash bytea);
  create temporary table staged_kev (
    ordinal bigint, cve_id text collate "C", date_added date, due_date date, details text, feed_at timestamptz(3)
  );
  create temporary table staged_epss (
    ordinal bigint, cve_id text collate "C", score real, percentile real, feed_at timestamptz(3)
  );
  create temporary table staged_euvd (ordinal bigint, cve_id text collate "C", euvd_id text, date_added date);
  create temporary table staged_support (
    ordinal bigint, name text collate "C", label text, link text, identifiers jsonb, cycles jsonb, gone_at timestamptz(3),
    feed_at timestamptz(3)
  );
  create temporary table read_ids (id text collate "C" primary key);
  create temporary table changed_keys (
    key text collate "C", vulnerability_id text collate "C", primary key (key, vulnerability_id)
  );
  create temporary table changed (
    id text collate "C" primary key, ordinal bigint, is_new boolean, is_relinked boolean, is_withdrawal boolean,
    is_repeated boolean
  );
  create temporary table missing (id text collate "C" primary key, is_orphan boolean);
  create temporary table incoming_affected (
    advisory_id text collate "C", key text collate "C", product_key text collate "C", statements json
  );
  create temporary table changed_affected (
    advisory_id text collate "C", key text collate "C", product_key text collate "C", is_gone boolean
  );
  create temporary table range_affected (
    advisory_id text collate "C", key text collate "C", product_key text collate "C", is_gone boolean
  );
  create temporary table moved_distributions (stated text, amount integer);
  create temporary table relinked (
    source text collate "C", id text collate "C", primary key (source, id)
  );
  create temporary table reached (id text collate "C" primary key, round integer);
  create temporary table bare (
    source text collate "C", id text collate "C", linked_ids text[], round integer, primary key (source, id)
  );
  create temporary table asserted (
    id text collate "C", cve_id text collate "C", rank integer, is_alias boolean
  );
  create temporary table grouped (id text collate "C" primary key, label text collate "C");
  create temporary table targets (
    label text collate "C", vulnerability_id text collate "C", primary key (label, vulnerability_id)
  );
  create temporary table links (
    source text collate "C", advisory_id text collate "C", vulnerability_id text collate "C",
    primary key (source, advisory_id, vulnerability_id)
  );
  create temporary table moved (
    source text collate "C", advisory_id text collate "C", vulnerability_id text collate "C", is_new boolean
  );
  create temporary table wanted_aliases (
    alias text collate "C", vulnerability_id text collate "C", primary key (alias, vulnerability_id)
  );
  create temporary table touched (vulnerability_id text collate "C" primary key);
  create temporary table news (
    id text collate "C", name text, severity text, primary_score real, is_disputed boolean, ssvc_class smallint, published_at timestamptz(3),
    modified_at timestamptz(3)
  );
  create temporary table rescored (vulnerability_id text collate "C" primary key);`
