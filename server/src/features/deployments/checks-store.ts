/** What `admin doctor` examines of deployments: their counters. */
import { sql } from 'kysely'
import type { AppContext } from '../../platform/context.ts'
import {
  type DerivedRows,
  findDifferences,
  readSnapshot,
  listDifferingKeys,
  type WorkspaceCheck,
  withoutTimeLimit,
} from '../../platform/doctor/check.ts'
import { UPDATE_STATES } from './device-updates/state.ts'

const COLUMNS = UPDATE_STATES.map((state) => ({ state, column: nameColumn(state) }))

function nameColumn(state: string): string {
  return state.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}

const counted = sql.join(
  COLUMNS.map(
    ({ state, column }) =>
      sql`(count(*) filter (where state = ${state}))::int as ${sql.ref(column)}`,
  ),
)

const COUNTERS: DerivedRows = {
  table: 'deployments',
  keys: ['id'],
  values: COLUMNS.map(({ column }) => column),
  states: sql.join(
    COLUMNS.map(({ column }) => sql`${sql.ref(column)} <> 0`),
    sql` or `,
  ),
  expected: (workspaceId) => sql`
    select deployment_id as id, ${counted}
    from device_updates where workspace_id = ${workspaceId} group by deployment_id`,
}

/**
 * Whoever changes updates changes the counters last and holds their row to the end. So with the row locked, all that can be
 * seen of updates is counted, and what cannot be seen yet is added afterwards.
 */
async function repairCounters(ctx: AppContext, workspaceId: string): Promise<void> {
  const ids = await readSnapshot(ctx, (db) => listDifferingKeys(db, COUNTERS, workspaceId, 'id'))
  for (const id of ids)
    await ctx.db.transaction().execute(async (tx) => {
      await withoutTimeLimit(tx)
      await tx
        .selectFrom('deployments')
        .select('id')
        .where('workspaceId', '=', workspaceId)
        .where('id', '=', id)
        .forNoKeyUpdate()
        .execute()
      await sql`
        update deployments as deployment
        set ${sql.join(COLUMNS.map(({ column }) => sql`${sql.ref(column)} = recount.${sql.ref(column)}`))}
        from (
          select ${counted} from device_updates where workspace_id = ${workspaceId} and deployment_id = ${id}
        ) as recount
        where deployment.workspace_id = ${workspaceId} and deployment.id = ${id}`.execute(tx)
    })
}

export const deploymentChecks: readonly WorkspaceCheck[] = [
  {
    scope: 'Workspace',
    name: 'deployment-counters',
    meaning: 'counters of deployments are what a recount of device updates gives',
    find: (ctx, workspaceId) =>
      readSnapshot(ctx, (db) => findDifferences(db, COUNTERS, workspaceId)),
    repair: repairCounters,
  },
]
