/** A server of Citus that one names with `PLIMSOLL_TEST_DATABASE_URL`: one node, which is coordinator and worker. */
import type pg from 'pg'

export async function isOfCitus(pool: pg.Pool): Promise<boolean> {
  const { rowCount } = await pool.query(`select from pg_available_extensions where name = 'citus'`)
  return (rowCount ?? 0) > 0
}

export async function becomeNode(pool: pg.Pool): Promise<void> {
  const { host, port } = pool.options
  const url = new URL(pool.options.connectionString ?? `postgres://${host ?? ''}:${port ?? ''}`)
  const node = [url.hostname, Number(url.port)]
  await pool.query('create extension citus')
  await pool.query('select citus_set_coordinator_host($1, $2)', node)
  await pool.query(`select citus_set_node_property($1, $2, 'shouldhaveshards', true)`, node)
}
