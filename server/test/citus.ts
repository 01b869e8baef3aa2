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

/** Addresses of the workers, as URLs have them. */
function listWorkers(): string[] {
  const hosts = (process.env['PLIMSOLL_TEST_CITUS_WORKERS'] ?? '').split(',')
  return hosts.filter((host) => host !== '')
}

/** Connects to the database of one name on the coordinator, then on each worker. */
export async function onEachNode(
  connectionString: string,
  use: (client: pg.Client) => Promise<void>,
): Promise<void> {
  const url = new URL(connectionString)
  for (const host of [url.host, ...listWorkers()]) {
    const client = new pg.Client({ connectionString: Object.assign(url, { host }).href })
    await client.connect()
    try {
      await use(client)
    } finally {
      await client.end()
    }
  }
}

export async function becomeCluster(pool: pg.Pool): Promise<void> {
  const { host, port, connectionString = `postgres://${host ?? ''}:${port ?? ''}` } = pool.options
  await onEachNode(connectionString, async (client) => {
    await client.query('create extension citus')
  })
  const { hostname, port: ofCoordinator } = new URL(connectionString)
  const coordinator = [hostname, Number(ofCoordinator)]
  await pool.query('select citus_set_coordinator_host($1, $2)', coordinator)
  const workers = listWorkers().map((worker) => new URL(`postgres://${worker}`))
  if (workers.length === 0)
    await pool.query(
      `select citus_set_node_property($1, $2, 'shouldhaveshards', true)`,
      coordinator,
    )
  for (const worker of workers)
    await pool.query('select citus_add_node($1, $2)', [worker.hostname, Number(worker.port)])
}
