import { beforeAll, expect, it } from 'vitest'
import { isOfCitus } from '../../../test/citus.ts'
import { startTestApp, type TestApp } from '../../../test/app.ts'
import { buildManagement } from '../management.ts'
import { type DatabaseNode, reportNodeHealth } from './node-health.ts'

let test: TestApp

beforeAll(async () => {
  test = await startTestApp()
})

async function ask() {
  const watched = { pools: test.pools, queue: test.queue }
  const app = buildManagement(watched, { started: true, stopping: false }, [
    reportNodeHealth(test.ctx),
  ])
  const ready = await app.inject({ url: '/health/ready' })
  const metrics = await app.inject({ url: '/metrics' })
  await app.close()
  return { ready, metrics: metrics.body }
}

/** What Citus 12 answers of three nodes, one of which is away. */
const LIKE_CITUS = `
  insert into pg_extension (oid, extname, extowner, extnamespace, extrelocatable, extversion)
    values (99999, 'citus', 10, 'pg_catalog'::regnamespace, false, '0');
  create table pg_dist_node (nodename text, nodeport int, groupid int);
  insert into pg_dist_node values ('a', 5432, 1), ('b', 5432, 2), ('c', 5432, 3);
  create table pg_dist_shard (shardid int, logicalrelid regclass);
  insert into pg_dist_shard select id, 'devices' from generate_series(1, 8) as id;
  create table pg_dist_placement (shardid int, groupid int);
  insert into pg_dist_placement select id, case when id <= 6 then 1 else 2 end from generate_series(1, 8) as id;
  create function run_command_on_workers(text, out nodename text, out nodeport int, out success bool, out result text)
    returns setof record language sql as
    $$ select * from (values ('a', 5432, true, '1'), ('b', 5432, false, 'failed'), ('c', 5432, true, '1')) as answers $$`

it('says nothing of nodes where there is one server', async ({ skip }) => {
  if (await isOfCitus(test.ctx.pool)) skip('The server is one of Citus')
  const { ready, metrics } = await ask()

  expect(ready.json()).not.toHaveProperty('databaseNodes')
  expect(metrics).not.toMatch(/^plimsoll_(?:database_node_up|workspaces_unreachable)/m)
})

it('names a node that is away and the part of the workspaces that it has, and stays ready', async ({
  skip,
}) => {
  if (await isOfCitus(test.ctx.pool)) skip('The server is one of Citus')
  await test.ctx.pool.query(LIKE_CITUS)

  const { ready, metrics } = await ask()

  expect(ready.statusCode).toBe(200)
  expect(ready.json()).toHaveProperty('databaseNodes', [
    { node: 'a:5432', isThere: true, workspaceShare: 0.75 },
    { node: 'b:5432', isThere: false, workspaceShare: 0.25 },
    { node: 'c:5432', isThere: true, workspaceShare: 0 },
  ])
  expect(metrics).toContain('plimsoll_database_node_up{node="b:5432"} 0')
  expect(metrics).toContain('plimsoll_database_node_up{node="a:5432"} 1')
  expect(metrics).toContain('plimsoll_workspaces_unreachable_ratio 0.25')
})

it('finds each workspace on one of the nodes that are there', async ({ skip }) => {
  const hasWorkers = (process.env['PLIMSOLL_TEST_CITUS_WORKERS'] ?? '') !== ''
  if (!hasWorkers) skip('PLIMSOLL_TEST_CITUS_WORKERS names no workers')
  const { ready, metrics } = await ask()

  const { databaseNodes } = ready.json<{ databaseNodes: DatabaseNode[] }>()
  expect(databaseNodes.filter(({ isThere }) => !isThere)).toEqual([])
  expect(databaseNodes.reduce((sum, { workspaceShare }) => sum + workspaceShare, 0)).toBeCloseTo(1)
  expect(metrics).toContain('plimsoll_workspaces_unreachable_ratio 0')
})
