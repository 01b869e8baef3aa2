/** Limits and usage of workspaces. */
import { type RawBuilder, sql } from 'kysely'
import type { Db, Tx } from '../../platform/db/connect.ts'
import type { DerivedRows } from '../../platform/doctor/check.ts'
import { type KeptQuota, NO_LIMIT, type Quota, type WindowQuota } from './quotas.ts'

interface OfWorkspace<Name extends Quota> {
  workspaceId: string
  quota: Name
}

const selectLimit = ({ workspaceId, quota }: OfWorkspace<Quota>, limit: number | null) => sql`
  coalesce((select most from workspace_limits where workspace_id = ${workspaceId} and quota = ${quota}),
    ${limit ?? NO_LIMIT}::bigint)`

/** How much of `amount` fits under the limit: all of it when it is negative. */
const fitting = (amount: number, limit: RawBuilder<unknown>) => sql`
  least(${amount}::bigint, greatest(${limit} - before.used, 0))`

/**
 * Uses as much of the amount as the limit allows, and answers how much. The row stays locked to the end of the transaction,
 * so that usage is right under any concurrency. `limit`: what holds where the operator has set none.
 */
export async function takeKept(
  tx: Tx,
  kept: OfWorkspace<KeptQuota> & { amount: number; limit: number | null },
): Promise<number> {
  const { workspaceId, quota, amount, limit } = kept
  const take = sql<{ granted: number }>`
    with before as (
      select used from workspace_usage where workspace_id = ${workspaceId} and quota = ${quota} for update
    ), taken as (select ${fitting(amount, selectLimit(kept, limit))} as granted from before)
    update workspace_usage as usage set used = usage.used + taken.granted
    from taken where usage.workspace_id = ${workspaceId} and usage.quota = ${quota}
    returning taken.granted`
  const { rows } = await take.execute(tx)
  if (rows[0]) return rows[0].granted
  await sql`
    insert into workspace_usage (workspace_id, quota, used) values (${workspaceId}, ${quota}, 0)
    on conflict (workspace_id, quota) do nothing`.execute(tx)
  return (await take.execute(tx)).rows[0]?.granted ?? 0
}

export async function lockKept(
  tx: Tx,
  { workspaceId, quota }: OfWorkspace<KeptQuota>,
): Promise<void> {
  await tx
    .selectFrom('workspaceUsage')
    .select('used')
    .where('workspaceId', '=', workspaceId)
    .where('quota', '=', quota)
    .forUpdate()
    .execute()
}

/** The bytes of SBOMs, also replaced ones, and of artifacts of the versions, which are locked. */
export async function sumBytesOfVersions(
  tx: Tx,
  workspaceId: string,
  firmwareVersionIds: readonly string[],
): Promise<number> {
  const { rows } = await sql<{ bytes: number }>`
    select coalesce(sum(size_bytes), 0)::bigint as bytes from (
      select size_bytes from sboms
      where workspace_id = ${workspaceId} and firmware_version_id = any(${firmwareVersionIds}::uuid[])
      union all
      select size_bytes from replaced_sboms
      where workspace_id = ${workspaceId} and firmware_version_id = any(${firmwareVersionIds}::uuid[])
      union all
      select size_bytes from firmware_artifacts
      where workspace_id = ${workspaceId} and firmware_version_id = any(${firmwareVersionIds}::uuid[])
      union all
      select size_bytes from firmware_role_artifacts
      where workspace_id = ${workspaceId} and (firmware_version_id = any(${firmwareVersionIds}::uuid[])
        or base_version_id = any(${firmwareVersionIds}::uuid[]))
    ) as file`.execute(tx)
  return rows[0]?.bytes ?? 0
}

export type TakenInWindow = OfWorkspace<WindowQuota> & {
  subject: string
  beganAt: Date
  amount: number
  limit: number | null
}

/** Uses as much of the amount as the limit of the window allows, and answers how much. The rest is counted as refused. */
export async function takeInWindow(db: Db, taking: TakenInWindow): Promise<number> {
  const { workspaceId, quota, subject, beganAt, amount, limit } = taking
  const row = sql`workspace_id = ${workspaceId} and quota = ${quota} and subject = ${subject} and began_at = ${beganAt}`
  const take = sql<{ granted: number }>`
    with before as (select used from workspace_usage_windows where ${row} for update),
      taken as (select ${fitting(amount, selectLimit(taking, limit))} as granted from before)
    update workspace_usage_windows as usage
    set used = usage.used + taken.granted, refused = usage.refused + ${amount}::bigint - taken.granted
    from taken
    where usage.workspace_id = ${workspaceId} and usage.quota = ${quota} and usage.subject = ${subject}
      and usage.began_at = ${beganAt}
    returning taken.granted`
  const { rows } = await take.execute(db)
  if (rows[0]) return rows[0].granted
  await sql`
    insert into workspace_usage_windows (workspace_id, quota, subject, began_at, used, refused)
    values (${workspaceId}, ${quota}, ${subject}, ${beganAt}, 0, 0)
    on conflict (workspace_id, quota, subject, began_at) do nothing`.execute(db)
  return (await take.execute(db)).rows[0]?.granted ?? 0
}

export interface QuotaRow {
  quota: string
  used: number
  refused: number
}

/** What is kept, and the windows that began at these instants. Where several keys count, the answer is the key that used most. */
export async function listUsage(
  db: Db,
  workspaceId: string,
  windows: readonly { quota: WindowQuota; beganAt: Date }[],
): Promise<QuotaRow[]> {
  const { rows } = await sql<QuotaRow>`
    select quota, used, 0::bigint as refused from workspace_usage where workspace_id = ${workspaceId}
    union all
    select usage.quota, max(usage.used), sum(usage.refused)::bigint
    from unnest(${windows.map(({ quota }) => quota)}::text[],
      ${windows.map(({ beganAt }) => beganAt.toISOString())}::timestamptz[]) as now (quota, began_at)
    join workspace_usage_windows as usage on usage.workspace_id = ${workspaceId} and usage.quota = now.quota
      and usage.began_at = now.began_at
    group by usage.quota`.execute(db)
  return rows
}

export async function listLimits(
  db: Db,
  workspaceId: string,
): Promise<{ quota: string; most: number }[]> {
  return db
    .selectFrom('workspaceLimits')
    .select(['quota', 'most'])
    .where('workspaceId', '=', workspaceId)
    .execute()
}

export async function upsertLimit(
  tx: Tx,
  { workspaceId, quota, most }: OfWorkspace<Quota> & { most: number },
): Promise<void> {
  await tx
    .insertInto('workspaceLimits')
    .values({ workspaceId, quota, most })
    .onConflict((conflict) => conflict.columns(['workspaceId', 'quota']).doUpdateSet({ most }))
    .execute()
}

export async function deleteLimits(tx: Tx, workspaceId: string): Promise<void> {
  await tx.deleteFrom('workspaceLimits').where('workspaceId', '=', workspaceId).execute()
}

export async function deleteWindowsBefore(
  db: Db,
  workspaceId: string,
  before: Date,
): Promise<void> {
  await db
    .deleteFrom('workspaceUsageWindows')
    .where('workspaceId', '=', workspaceId)
    .where('beganAt', '<', before)
    .execute()
}

export interface UsedShare {
  workspaceId: string
  workspaceName: string
  quota: string
  used: number
  limit: number
  /** 1: all of it. */
  share: number
}

/** Limits, or defaults, of which a workspace has used at least the share. Windows: the present ones. */
export async function listNearLimits(
  db: Db,
  {
    defaults,
    windows,
    share,
  }: {
    defaults: readonly { quota: Quota; most: number }[]
    windows: readonly { quota: WindowQuota; beganAt: Date }[]
    share: number
  },
): Promise<UsedShare[]> {
  const { rows } = await sql<UsedShare>`
    with used as (
      select workspace_id, quota, used from workspace_usage
      union all
      select usage.workspace_id, usage.quota, max(usage.used)
      from unnest(${windows.map(({ quota }) => quota)}::text[],
        ${windows.map(({ beganAt }) => beganAt.toISOString())}::timestamptz[]) as now (quota, began_at)
      join workspace_usage_windows as usage on usage.quota = now.quota and usage.began_at = now.began_at
      group by usage.workspace_id, usage.quota
    ), given as (
      select used.*, coalesce(own.most, usual.most) as most
      from used
      left join workspace_limits as own on own.workspace_id = used.workspace_id and own.quota = used.quota
      left join unnest(${defaults.map(({ quota }) => quota)}::text[],
        ${defaults.map(({ most }) => most)}::bigint[]) as usual (quota, most) on usual.quota = used.quota
    )
    select given.workspace_id, workspaces.name as workspace_name, given.quota, given.used, given.most as limit,
      case when given.most = 0 then 1 else given.used::float8 / given.most end as share
    from given join workspaces on workspaces.id = given.workspace_id
    where given.used >= given.most * ${share}::float8 and given.most < ${NO_LIMIT}::bigint
    order by share desc, given.workspace_id, given.quota`.execute(db)
  return rows
}

/** What usage has to be. All others only add to it what they use, so it is repaired by what it lacks. */
export const USAGE_ROWS: DerivedRows = {
  table: 'workspace_usage',
  keys: ['quota'],
  values: ['used'],
  states: sql`used <> 0`,
  expected: (workspaceId) => sql`
    select quota, used from (
      select 'storedBytes' as quota, sum(size_bytes)::bigint as used from (
        select size_bytes from sboms where workspace_id = ${workspaceId}
        union all select size_bytes from replaced_sboms where workspace_id = ${workspaceId}
        union all select size_bytes from firmware_artifacts where workspace_id = ${workspaceId}
        union all select size_bytes from firmware_role_artifacts where workspace_id = ${workspaceId}
      ) as file
      union all select 'devices', count(*) from devices where workspace_id = ${workspaceId}
      union all select 'metricSeries', count(*) from metric_series where workspace_id = ${workspaceId}
    ) as each where used <> 0`,
}
