/** What the management port and `status` say about the nodes of a Citus cluster: a part of the workspaces lies on each. */
import type { Pool } from 'pg'
import type { Extra } from '../management.ts'

export interface DatabaseNode {
  node: string
  isThere: boolean
  /** The share of all workspaces whose rows it holds: 0 to 1. */
  workspaceShare: number
}

const NODES = `
  with placed as (
    -- Tables by workspace lie alike; each node has a copy of "workspaces".
    select groupid, count(*) as shards from pg_dist_shard join pg_dist_placement using (shardid)
    where logicalrelid::oid = to_regclass('devices') group by groupid)
  select nodename || ':' || nodeport as node, answers.success as "isThere",
    (coalesce(shards, 0) / greatest((select sum(shards) from placed), 1))::float8 as "workspaceShare"
  from run_command_on_workers('select 1') as answers
  join pg_dist_node using (nodename, nodeport) left join placed using (groupid)
  order by node`

/** undefined: the database has no other nodes. */
export async function listDatabaseNodes(pool: Pool): Promise<DatabaseNode[] | undefined> {
  const { rowCount } = await pool.query(`select from pg_extension where extname = 'citus'`)
  return rowCount === 0 ? undefined : (await pool.query<DatabaseNode>(NODES)).rows
}

/** The service stays ready while a node is away: the workspaces of the others are served. */
export function reportNodeHealth({ pool }: { pool: Pool }): Extra {
  return {
    detail: 'databaseNodes',
    describe: () => listDatabaseNodes(pool),
    gauges: [
      {
        name: 'plimsoll_database_node_up',
        help: '1 when the node of the Citus cluster answers the coordinator; absent: there are no nodes',
        labelNames: ['node'],
        values: async () =>
          ((await listDatabaseNodes(pool)) ?? []).map(({ node, isThere }) => ({
            labels: { node },
            value: Number(isThere),
          })),
      },
      {
        name: 'plimsoll_workspaces_unreachable_ratio',
        help: 'The part of the workspaces whose node of the Citus cluster does not answer, 0 to 1; absent: there are no nodes',
        labelNames: [],
        values: async () => {
          const nodes = await listDatabaseNodes(pool)
          return nodes ? [{ labels: {}, value: sumUnreachable(nodes) }] : []
        },
      },
    ],
  }
}

function sumUnreachable(nodes: readonly DatabaseNode[]): number {
  return nodes.reduce((sum, { isThere, workspaceShare }) => sum + (isThere ? 0 : workspaceShare), 0)
}
