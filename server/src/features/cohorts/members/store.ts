/**
 * Which devices belong to which cohort. Locks are taken in one order: devices, tag rules of the workspace, cohorts, device
 * updates, deployments; each kind ordered by key.
 */
import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../../platform/db/connect.ts'
import type { TagRule } from '../tag-rule.ts'
import type { CohortMove } from '../reactions.ts'

export async function lockDevices(
  tx: Db,
  workspaceId: string,
  deviceIds: readonly string[],
): Promise<void> {
  await sql`
    select count(*) from (
      select from devices where workspace_id = ${workspaceId} and id = any(${deviceIds}::text[])
      order by id for no key update) as locked`.execute(tx)
}

/** Many transactions may evaluate the tag rules at once, but only one may change them, so that no device is missed. */
export async function lockRulesShared(tx: Db, workspaceId: string): Promise<void> {
  await sql`select pg_advisory_xact_lock_shared(hashtext('cohort-rules'), hashtext(${workspaceId}))`.execute(
    tx,
  )
}

export async function lockRules(tx: Db, workspaceId: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtext('cohort-rules'), hashtext(${workspaceId}))`.execute(
    tx,
  )
}

const selectTags = (rule: ReturnType<typeof sql>, list: keyof TagRule) =>
  sql`array(select jsonb_array_elements_text(coalesce(${rule} -> ${sql.lit(list)}, '[]'::jsonb)))`

const matchesRule = sql`device.tags @> rule.all_tags
  and (rule.any_tags = '{}' or device.tags && rule.any_tags) and not device.tags && rule.none_tags`

/** Devices that may join or leave when the cohort gets this tag rule. */
export async function listDevicesAffectedByRule(
  db: Db,
  workspaceId: string,
  { cohortId, tagRule }: { cohortId: string; tagRule: TagRule | null },
): Promise<string[]> {
  const given = sql`${JSON.stringify(tagRule ?? {})}::jsonb`
  const { rows } = await sql<{ id: string }>`
    with rule as materialized (
      select ${selectTags(given, 'all')} as all_tags, ${selectTags(given, 'any')} as any_tags,
        ${selectTags(given, 'none')} as none_tags)
    select device.id from devices as device cross join rule
    where device.workspace_id = ${workspaceId} and (
      (device.cohort_id = ${cohortId} and device.cohort_by_rule)
      or (device.cohort_id is null and ${tagRule !== null} and ${matchesRule}))
    order by device.id`.execute(db)
  return rows.map(({ id }) => id)
}

/**
 * Hand-picked devices do not move. A device stays while its cohort's rule matches; otherwise the oldest matching cohort wins.
 * `deviceIds` undefined: all devices of the workspace.
 */
export async function listMovesByRule(
  db: Db,
  workspaceId: string,
  deviceIds?: readonly string[],
): Promise<CohortMove[]> {
  const isAsked = deviceIds ? sql`and device.id = any(${deviceIds}::text[])` : sql``
  const stored = sql`select id, created_at, tag_rule from deployment_cohorts
    where workspace_id = ${workspaceId} and tag_rule is not null`
  const { rows } = await sql<CohortMove>`
    with rule as materialized (${selectRules(stored)})
    select id as device_id, before, after, after is not null as by_rule
    from (${choices(workspaceId, isAsked)}) as choice
    where before is distinct from after
    order by id`.execute(db)
  return rows
}

const selectRules = (cohorts: RawBuilder<unknown>) => sql`
  select id, created_at, ${selectTags(sql`tag_rule`, 'all')} as all_tags, ${selectTags(sql`tag_rule`, 'any')} as any_tags,
    ${selectTags(sql`tag_rule`, 'none')} as none_tags
  from (${cohorts}) as ruled`

/** The cohort of each device that tag rules decide about, and the one that `rule` chooses for it. */
const choices = (workspaceId: string, isAsked: RawBuilder<unknown>) => sql`
  select device.id, device.cohort_id as before, (
    select rule.id from rule where ${matchesRule}
    order by coalesce(rule.id = device.cohort_id, false) desc, rule.created_at, rule.id limit 1) as after
  from devices as device
  where device.workspace_id = ${workspaceId} ${isAsked}
    and (device.cohort_id is null or device.cohort_by_rule)`

interface NamedCohort {
  id: string
  name: string
}

interface CountedMove {
  from: NamedCohort | null
  /** Without an id: the new cohort. null: no cohort. */
  to: { id: string | null; name: string | null } | null
  devices: number
}

/** A cohort that is not there yet; the highest id makes it the last of those of one instant. */
const NEW_COHORT = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

/** As if the cohort had this rule, most devices first. `cohort` null: one that would be new. */
export async function countMovesByRule(
  db: Db,
  workspaceId: string,
  {
    cohort,
    tagRule,
  }: { cohort: (NamedCohort & { createdAt: Date }) | null; tagRule: TagRule | null },
): Promise<CountedMove[]> {
  const id = cohort?.id ?? NEW_COHORT
  const createdAt = cohort?.createdAt ?? 'infinity'
  const supposed = sql`
    select id, created_at, tag_rule from deployment_cohorts
    where workspace_id = ${workspaceId} and tag_rule is not null and id <> ${id}
    union all
    select ${id}::uuid, ${createdAt}::timestamptz, ${JSON.stringify(tagRule)}::jsonb where ${tagRule !== null}`
  const named = (column: RawBuilder<unknown>) => sql`(
    select json_build_object('id', cohort.id, 'name', cohort.name) from deployment_cohorts as cohort
    where cohort.workspace_id = ${workspaceId} and cohort.id = ${column})`
  const { rows } = await sql<{
    from: NamedCohort | null
    to: NamedCohort | null
    isNew: boolean
    devices: number
  }>`
    with rule as materialized (${selectRules(supposed)}), moved as (
      select before, after, count(*)::int as devices from (${choices(workspaceId, sql``)}) as choice
      where before is distinct from after group by before, after)
    select ${named(sql`moved.before`)} as "from", ${named(sql`moved.after`)} as "to",
      moved.after is not distinct from ${NEW_COHORT}::uuid as is_new, devices
    from moved order by devices desc, before, after`.execute(db)
  return rows.map(({ isNew, to, ...move }) => ({
    ...move,
    to: isNew ? { id: null, name: null } : to,
  }))
}

export async function updateMembership(
  tx: Db,
  workspaceId: string,
  moves: readonly CohortMove[],
): Promise<void> {
  await sql`
    update devices as device set cohort_id = moved.after, cohort_by_rule = moved.by_rule
    from unnest(${moves.map(({ deviceId }) => deviceId)}::text[], ${moves.map(({ after }) => after)}::uuid[],
      ${moves.map(({ byRule }) => byRule)}::boolean[]) as moved (id, after, by_rule)
    where device.workspace_id = ${workspaceId} and device.id = moved.id`.execute(tx)
}

/** Makes the devices subject to the tag rules, as if a rule had placed them. */
export async function releaseToRules(
  tx: Db,
  workspaceId: string,
  deviceIds: readonly string[],
): Promise<void> {
  await tx
    .updateTable('devices')
    .set({ cohortByRule: true })
    .where('workspaceId', '=', workspaceId)
    .where(sql<boolean>`id = any(${deviceIds}::text[])`)
    .where('cohortId', 'is not', null)
    .execute()
}

export interface Member {
  id: string
  cohortId: string | null
  cohortName: string | null
  byRule: boolean
}

export async function listMembership(
  db: Db,
  workspaceId: string,
  deviceIds: readonly string[],
): Promise<Member[]> {
  return db
    .selectFrom('devices as device')
    .leftJoin('deploymentCohorts as cohort', (join) =>
      join
        .onRef('cohort.workspaceId', '=', 'device.workspaceId')
        .onRef('cohort.id', '=', 'device.cohortId'),
    )
    .select(['device.id', 'device.cohortId', 'device.cohortByRule as byRule'])
    .select('cohort.name as cohortName')
    .where('device.workspaceId', '=', workspaceId)
    .where(sql<boolean>`device.id = any(${deviceIds}::text[])`)
    .orderBy('device.id')
    .execute()
}

export async function listMembers(
  db: Db,
  workspaceId: string,
  cohortId: string,
): Promise<{ id: string; byRule: boolean }[]> {
  return db
    .selectFrom('devices')
    .select(['id', 'cohortByRule as byRule'])
    .where('workspaceId', '=', workspaceId)
    .where('cohortId', '=', cohortId)
    .orderBy('id')
    .execute()
}

export async function listMemberPage(
  db: Db,
  workspaceId: string,
  { cohortId, after, limit }: { cohortId: string; after: string | undefined; limit: number },
): Promise<{ id: string; byRule: boolean }[]> {
  return db
    .selectFrom('devices')
    .select(['id', 'cohortByRule as byRule'])
    .where('workspaceId', '=', workspaceId)
    .where('cohortId', '=', cohortId)
    .$if(after !== undefined, (query) => query.where('id', '>', after ?? ''))
    .orderBy('id')
    .limit(limit)
    .execute()
}
