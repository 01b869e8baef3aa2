/**
 * A server of Citus that one names with `PLIMSOLL_TEST_DATABASE_URL`: one node, which is coordinator and worker, or a coordinator
 * with the workers of `PLIMSOLL_TEST_CITUS_WORKERS`, such as `127.0.0.1:5433,127.0.0.1:5434`. Citus connects to databases of one
 * name on all nodes, so each database of a test is made on all of them.
 */
import pg from 'pg'

export async function isOfCitus(pool: pg.Pool): Promise<boolean> {
  const { rowCount } = await pool.query(`select from pg_available_extensions where name = 'citus'`)
  return (rowCount ?? 0) > 0
}

/** The same database on each worker. */
function onWorkers(connectionString: string): URL[] {
  const hosts = (process.env['PLIMSOLL_TEST_CITUS_WORKERS'] ?? '').split(',')
  return hosts
    .filter((host) => host !== '')
    .map((host) => Object.assign(new URL(connectionString), { host }))
}

/** The database on the coordinator and on each worker. */
export function onAllNodes(connectionString: string): string[] {
  return [connectionString, ...onWorkers(connectionString).map(({ href }) => href)]
}

export async function becomeCluster(pool: pg.Pool): Promise<void> {
  const { host, port, connectionString = `postgres://${host ?? ''}:${port ?? ''}` } = pool.options
  const workers = onWorkers(connectionString)
  for (const { href } of workers) {
    const worker = new pg.Client({ connectionString: href })
    await worker.connect()
    await worker.query('create extension citus')
    await worker.end()
  }
  const addressOf = ({ hostname, port: of }: URL) => [hostname, Number(of)]
  const coordinator = addressOf(new URL(connectionString))
  await pool.query('create extension citus')
  await pool.query('select citus_set_coordinator_host($1, $2)', coordinator)
  if (workers.length === 0)
    await pool.query(
      `select citus_set_node_property($1, $2, 'shouldhaveshards', true)`,
      coordinator,
    )
  for (const worker of workers) await pool.query('select citus_add_node($1, $2)', addressOf(worker))
}
