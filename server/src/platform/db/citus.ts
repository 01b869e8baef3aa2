/**
 * Spreads the tables over the nodes of a Citus cluster, whose coordinator `DATABASE_URL` names: those of tenants by their
 * workspace, values of metrics by their series, all others as copies on each node. It can be stopped at any time and run again: what is done stays.
 */
import type { ClientBase, PoolClient } from 'pg'

/** How people and programs log in. A write to a copied table would wait for every other write of a workspace or a person. */
const LOGINS = [
  'api_keys',
  'sessions',
  'one_time_links',
  'totp_secrets',
  'recovery_codes',
  'passkeys',
  'passkey_challenges',
  'person_identities',
  'sign_in_attempts',
  'terminal_logins',
]

/** Tables that stay at the coordinator. */
const LOCAL = new Set([
  ...LOGINS,
  'backup_state',
  'changed_days',
  'gateways',
  'left_out_foreign_keys',
  'mail_counts',
  'nodes',
  'schema_migrations',
  'secrets',
])

/** Tables of tenants of which one alone may have more than a node holds. */
const BY_SERIES: ReadonlySet<string> = new Set([
  'metric_points',
  'metric_packed_hours',
  'metric_hours',
  'metric_packed_days',
])

/** Fewer than Citus' default of 32, as each partition of a day has as many. */
const SHARDS = 8

export interface DistributedTables {
  /** Names of the tables that were spread now. */
  byWorkspace: string[]
  bySeries: string[]
  onEachNode: string[]
  foreignKeys: number
}

interface Table {
  name: string
  /** The column by which its rows are spread. undefined: each node has a copy. */
  column: 'workspace_id' | 'series_id' | undefined
}

interface ForeignKey {
  tableName: string
  name: string
  definition: string
}

/** Whether tables of this database are spread already. */
export async function isDistributed(client: PoolClient): Promise<boolean> {
  return (await hasCitus(client)) && (await listSpread(client)).has('workspaces')
}

async function listSpread(client: PoolClient): Promise<Set<string>> {
  const { rows } = await client.query<{ name: string }>(
    'select logicalrelid::text as name from pg_dist_partition',
  )
  return new Set(rows.map(({ name }) => name))
}

/** Texts and names in quotes, bodies of functions, comments, ends of statements, and what is between. */
const TOKENS = /'(?:[^']|'')*'|"[^"]*"|\$\$[\s\S]*?\$\$|--.*|;|[^;'"$-]+|[\s\S]/g

/** Citus has no key that sets a part of itself to null: there the service does so before it deletes the row. */
export const WITHOUT_PARTIAL_NULL = /\son delete set null \([^)]*\)/i
const ADDS_PARTIAL_NULL = new RegExp(
  String.raw`^alter table\s+\w+\s+add constraint\s[^;]*${WITHOUT_PARTIAL_NULL.source}$`,
  'i',
)

function splitStatements(text: string): string[] {
  const statements = ['']
  for (const [token] of text.matchAll(TOKENS)) {
    if (token.startsWith('--')) continue
    if (token === ';') statements.push('')
    else statements.push((statements.pop() ?? '') + token)
  }
  return statements.map((statement) => statement.trim()).filter((statement) => statement !== '')
}

/**
 * The statements of a migration for a database whose tables are spread. Citus takes them one by one. A new table is made at
 * the coordinator alone, as Citus refuses keys from it to tables that are spread; `distribute` spreads it afterwards.
 */
export function splitForNodes(text: string): string[] {
  const statements = splitStatements(text).filter((one) => !ADDS_PARTIAL_NULL.test(one))
  return [
    `set local citus.multi_shard_modify_mode = 'sequential'`,
    ...statements.flatMap((statement) =>
      /^create table\b/i.test(statement)
        ? [
            'set local citus.enable_ddl_propagation = off',
            statement,
            'set local citus.enable_ddl_propagation = on',
          ]
        : [statement],
    ),
  ]
}

export async function hasCitus(client: ClientBase): Promise<boolean> {
  const { rowCount } = await client.query(`select from pg_extension where extname = 'citus'`)
  return (rowCount ?? 0) > 0
}

/** Foreign keys are left out meanwhile, as Citus spreads no table that has one to a table that is not spread. */
export async function distribute(
  client: PoolClient,
  log: (text: string) => void,
): Promise<DistributedTables> {
  const spread = await listSpread(client)
  await dropTriggers(client)
  const tables = (await listTables(client)).filter(({ name }) => !spread.has(name))
  if (tables.length > 0)
    await leaveOutForeignKeys(
      client,
      tables.map(({ name }) => name),
    )
  const done: DistributedTables = { byWorkspace: [], bySeries: [], onEachNode: [], foreignKeys: 0 }
  for (const { name, column } of tables) {
    log(`spreading ${name}`)
    if (column) await distributeBy(client, name, column)
    else await client.query(`select create_reference_table($1)`, [name])
    done[column ? PLACES[column] : 'onEachNode'].push(name)
  }
  // Made before there were nodes. Making it once more is allowed.
  await client.query(`select create_distributed_function('newest(float8[])')`)
  done.foreignKeys = await restoreForeignKeys(client)
  return done
}

/** Citus refuses tables that have some. Those of ours only save backups work. */
async function dropTriggers(client: PoolClient): Promise<void> {
  const { rows } = await client.query<{ statement: string }>(
    `select format('drop trigger %I on %s', tgname, tgrelid::regclass) as statement
     from pg_trigger join pg_class on pg_class.oid = tgrelid
     where not tgisinternal and relnamespace = 'public'::regnamespace`,
  )
  for (const { statement } of rows) await client.query(statement)
}

const PLACES = { workspace_id: 'byWorkspace', series_id: 'bySeries' } as const

/** Rows of all tables with the same value of the column lie on the same node. */
async function distributeBy(
  client: PoolClient,
  name: string,
  column: keyof typeof PLACES,
): Promise<void> {
  const { rows } = await client.query<{ name: string }>(
    `select table_name::text as name from citus_tables
     where citus_table_type = 'distributed' and distribution_column = $1 order by 1 limit 1`,
    [column],
  )
  const [first] = rows
  if (first)
    await client.query(`select create_distributed_table($1, $2, colocate_with => $3)`, [
      name,
      column,
      first.name,
    ])
  else
    await client.query(
      `select create_distributed_table($1, $2, colocate_with => 'none', shard_count => $3)`,
      [name, column, SHARDS],
    )
}

/** A table is of tenants when its primary key begins with the workspace, or it names one and has no primary key. */
export async function listTables(client: ClientBase): Promise<Table[]> {
  const { rows } = await client.query<{ name: string; of_tenants: boolean }>(
    `select tables.relname::text as name,
       columns.attnum is not null and coalesce(keys.indkey[0] = columns.attnum, true) as of_tenants
     from pg_class as tables
     left join pg_attribute as columns
       on columns.attrelid = tables.oid and columns.attname = 'workspace_id'
     left join pg_index as keys on keys.indrelid = tables.oid and keys.indisprimary
     where tables.relnamespace = 'public'::regnamespace and tables.relkind in ('r', 'p')
       and not tables.relispartition
     order by name`,
  )
  return rows
    .filter(({ name }) => !LOCAL.has(name))
    .map(({ name, of_tenants }) => ({ name, column: chooseColumn(name, of_tenants) }))
}

function chooseColumn(name: string, isOfTenants: boolean): Table['column'] {
  if (BY_SERIES.has(name)) return 'series_id'
  return isOfTenants ? 'workspace_id' : undefined
}

/** Those from and to the tables. They are noted before they are dropped, so that a later run adds them again. */
async function leaveOutForeignKeys(client: PoolClient, tables: readonly string[]): Promise<void> {
  await client.query(
    `create table if not exists left_out_foreign_keys (
       table_name text not null, name text not null, definition text not null,
       primary key (table_name, name))`,
  )
  const { rows } = await client.query<ForeignKey>(
    `select conrelid::regclass::text as "tableName", conname::text as name,
       pg_get_constraintdef(keys.oid) as definition
     from pg_constraint as keys
     -- Citus hides its shards in pg_class alone.
     join pg_class as tables on tables.oid = conrelid
     join pg_class as targets on targets.oid = confrelid
     where contype = 'f' and conparentid = 0 and connamespace = 'public'::regnamespace
       and (tables.relname = any($1) or targets.relname = any($1))`,
    [tables],
  )
  for (const { tableName, name, definition } of rows) {
    await client.query('begin')
    await client.query(
      `insert into left_out_foreign_keys (table_name, name, definition) values ($1, $2, $3)
       on conflict do nothing`,
      [tableName, name, definition],
    )
    await client.query(`alter table ${tableName} drop constraint "${name}"`)
    await client.query('commit')
  }
}

async function restoreForeignKeys(client: PoolClient): Promise<number> {
  const { rowCount } = await client.query(
    `select from pg_class where oid = to_regclass('left_out_foreign_keys')`,
  )
  if (rowCount === 0) return 0
  const { rows } = await client.query<ForeignKey>(
    `select table_name as "tableName", name, definition from left_out_foreign_keys
     order by table_name, name`,
  )
  for (const { tableName, name, definition } of rows) {
    if (!WITHOUT_PARTIAL_NULL.test(definition) && !(await hasConstraint(client, tableName, name)))
      await client.query(`alter table ${tableName} add constraint "${name}" ${definition}`)
    await client.query(`delete from left_out_foreign_keys where table_name = $1 and name = $2`, [
      tableName,
      name,
    ])
  }
  await client.query('drop table left_out_foreign_keys')
  return rows.length
}

async function hasConstraint(client: PoolClient, table: string, name: string): Promise<boolean> {
  const { rowCount } = await client.query(
    `select from pg_constraint where conrelid = $1::regclass and conname = $2`,
    [table, name],
  )
  return (rowCount ?? 0) > 0
}
