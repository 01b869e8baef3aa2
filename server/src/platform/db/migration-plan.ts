/** What the missing migrations would do to tables that hold rows, told from their texts and from PostgreSQL's statistics. */
import type { Pool } from 'pg'

export interface PlannedMigration {
  name: string
  tables: {
    table: string
    effect: Effect
    /** As the last analysis of the table estimated. */
    rows: number
    bytes: number
    /** Rough: for two cores and a solid-state disk. */
    seconds: number
  }[]
}

/** `locks`: waits for all that use the table, then takes no time; the others keep its writers waiting while they work. */
type Effect = 'changes rows' | 'builds an index' | 'reads all rows' | 'empties' | 'locks'

/** Measured in the migrations so far: an update wrote 200,000 rows a second. */
const ROWS_PER_SECOND: Readonly<Record<Effect, number>> = {
  'changes rows': 200_000,
  'builds an index': 500_000,
  'reads all rows': 2_000_000,
  empties: Infinity,
  locks: Infinity,
}

const COMMENT = /--.*$/gm
const CREATED = /create table (?:if not exists )?(\w+)/gi
const STATEMENTS: readonly [Effect, RegExp][] = [
  ['changes rows', /(?:^|\s)update (\w+)|delete from (\w+)/gi],
  ['builds an index', /create (?:unique )?index \w+ on (\w+)/gi],
  [
    'changes rows',
    /alter table (?:only )?(\w+)[^;]*?(?:alter column \w+ (?:set data )?type|generated always)/gi,
  ],
  [
    'reads all rows',
    /alter table (?:only )?(\w+)[^;]*?(?:set not null|add (?:constraint \w+ )?(?:check|foreign key|unique|primary key))/gi,
  ],
  ['empties', /truncate (?:table )?(\w+)|drop table (?:if exists )?(\w+)/gi],
  ['locks', /alter table (?:only )?(\w+)/gi],
]

/** The tables that there were before, each with the most expensive that is done to it. */
function findEffects(text: string): Map<string, Effect> {
  const bare = text.replaceAll(COMMENT, '')
  const created = new Set([...bare.matchAll(CREATED)].map(([, table]) => table))
  const effects = new Map<string, Effect>()
  for (const [effect, pattern] of STATEMENTS)
    for (const [, ...tables] of bare.matchAll(pattern)) {
      const table = tables.find((name) => name !== undefined)
      if (table === undefined || created.has(table)) continue
      const before = effects.get(table)
      if (before && ROWS_PER_SECOND[before] <= ROWS_PER_SECOND[effect]) continue
      effects.set(table, effect)
    }
  return effects
}

/** Reads only. */
export async function planMigrations(
  pool: Pool,
  missing: readonly { name: string; text: string }[],
): Promise<PlannedMigration[]> {
  const sizes = await readSizes(pool)
  return missing.map(({ name, text }) => ({
    name,
    tables: [...findEffects(text)].flatMap(([table, effect]) => {
      const size = sizes.get(table)
      if (!size) return []
      const seconds = Math.ceil(size.rows / ROWS_PER_SECOND[effect])
      return [{ table, effect, ...size, seconds }]
    }),
  }))
}

/** Of partitioned tables, of all partitions together. */
async function readSizes(pool: Pool): Promise<Map<string, { rows: number; bytes: number }>> {
  const { rows } = await pool.query<{ table: string; rows: number; bytes: number }>(
    `select root.relname as "table",
       coalesce(sum(greatest(part.reltuples, 0)), 0)::float8 as rows,
       coalesce(sum(pg_total_relation_size(part.oid)), 0)::float8 as bytes
     from pg_class as root
     cross join lateral (
       select root.oid as relid where root.relkind = 'r'
       union all
       select tree.relid::oid from pg_partition_tree(root.oid) as tree where root.relkind = 'p' and tree.isleaf
     ) as leaf
     join pg_class as part on part.oid = leaf.relid
     where root.relkind in ('r', 'p') and root.relnamespace = 'public'::regnamespace
     group by root.relname`,
  )
  return new Map(rows.map(({ table, ...size }) => [table, size]))
}
