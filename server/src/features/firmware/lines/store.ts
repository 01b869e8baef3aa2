/** Release lines, and the one place that knows which version of a line is the newest and which one precedes another. */
import { type RawBuilder, sql } from 'kysely'
import type { GateSupportRule, ReleaseGate } from '../../../formats/gate-rules.ts'
import type { Db } from '../../../platform/db/connect.ts'

interface LineFields {
  name: string
  patterns: string[]
  supportEndsOn: string | null
  releaseGate: ReleaseGate | null
  gateSupport: GateSupportRule | null
}

export interface LineRow extends LineFields {
  id: string
}

interface OfFirmware {
  workspaceId: string
  firmwareId: string
}

/** In the order in which they are tried. */
export async function listLines(
  db: Db,
  { workspaceId, firmwareId }: OfFirmware,
): Promise<LineRow[]> {
  const { rows } = await sql<LineRow>`
    select id, name, patterns, support_ends_on::text as support_ends_on, release_gate, gate_support
    from firmware_lines
    where workspace_id = ${workspaceId} and firmware_id = ${firmwareId}
    order by place, id`.execute(db)
  return rows
}

/** Writes the lines in this order, and deletes all others. */
export async function replaceLines(
  db: Db,
  { workspaceId, firmwareId }: OfFirmware,
  lines: readonly LineRow[],
): Promise<void> {
  const ids = lines.map(({ id }) => id)
  await sql`
    delete from firmware_lines
    where workspace_id = ${workspaceId} and firmware_id = ${firmwareId} and id <> all(${ids}::uuid[])`.execute(
    db,
  )
  if (lines.length === 0) return
  await db
    .insertInto('firmwareLines')
    .values(lines.map((line, place) => ({ workspaceId, firmwareId, place, ...line })))
    .onConflict((conflict) =>
      conflict.columns(['workspaceId', 'id']).doUpdateSet((eb) => ({
        name: eb.ref('excluded.name'),
        place: eb.ref('excluded.place'),
        patterns: eb.ref('excluded.patterns'),
        supportEndsOn: eb.ref('excluded.supportEndsOn'),
        releaseGate: eb.ref('excluded.releaseGate'),
        gateSupport: eb.ref('excluded.gateSupport'),
      })),
    )
    .execute()
}

/** Decisions for findings to come that hold for versions of these lines. They go with them. */
export async function countDecisions(
  db: Db,
  workspaceId: string,
  lines: readonly { id: string }[],
): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from line_decisions
    where workspace_id = ${workspaceId} and line_id = any(${lines.map(({ id }) => id)}::uuid[])`.execute(
    db,
  )
  return rows[0]?.count ?? 0
}

export interface LinedVersion {
  id: string
  name: string
  lineId: string | null
  statedLineId: string | null
}

/** Newest first. */
export async function listLinedVersions(
  db: Db,
  { workspaceId, firmwareId }: OfFirmware,
): Promise<LinedVersion[]> {
  return db
    .selectFrom('firmwareVersions')
    .select(['id', 'name', 'lineId', 'statedLineId'])
    .where('workspaceId', '=', workspaceId)
    .where('firmwareId', '=', firmwareId)
    .orderBy('createdAt', 'desc')
    .orderBy('id', 'desc')
    .execute()
}

/** Rows are locked in the order of their ids, as everywhere. */
export async function moveToLines(
  db: Db,
  workspaceId: string,
  moved: readonly { id: string; lineId: string | null }[],
): Promise<void> {
  const ids = moved.map(({ id }) => id)
  await sql`
    with locked as materialized (
      select id from firmware_versions
      where workspace_id = ${workspaceId} and id = any(${ids}::uuid[])
      order by id for no key update
    )
    update firmware_versions as version set line_id = target.line_id
    from unnest(${ids}::uuid[], ${moved.map(({ lineId }) => lineId)}::uuid[]) as target (id, line_id)
    join locked on locked.id = target.id
    where version.workspace_id = ${workspaceId} and version.id = target.id`.execute(db)
}

/** The line of `version` as answers show it. */
export const describeLineOf = (workspaceId: string) => sql<{ id: string; name: string } | null>`(
  select json_build_object('id', line.id, 'name', line.name) from firmware_lines as line
  where line.workspace_id = ${workspaceId} and line.id = version.line_id)`

/** The line that a decision holds for. `name` is null once the line is gone. */
export interface DecidedLine {
  id: string
  name: string | null
}

export const describeDecidedLine = (workspaceId: string, id: RawBuilder<unknown>) =>
  sql<DecidedLine | null>`case when ${id} is not null then json_build_object('id', ${id}, 'name', (
    select line.name from firmware_lines as line where line.workspace_id = ${workspaceId} and line.id = ${id})) end`

/** Whether `version` is the newest of its line. Versions without a line are one by themselves. */
export const isNewestOfLine = (workspaceId: string) => sql<boolean>`not exists (
  select from firmware_versions as later
  where later.workspace_id = ${workspaceId} and later.firmware_id = version.firmware_id
    and later.line_id is not distinct from version.line_id
    and (later.created_at, later.id) > (version.created_at, version.id))`

/**
 * The version that precedes `version`: the stated one, else the newest earlier one of its line with an SBOM. The first of a line follows
 * the newest earlier one of any line, as it branched off somewhere.
 */
export const findPredecessorOf = (workspaceId: string) => {
  const earlier = sql`
    select earlier.id from firmware_versions as earlier
    where earlier.workspace_id = ${workspaceId} and earlier.firmware_id = version.firmware_id
      and (earlier.created_at, earlier.id) < (version.created_at, version.id)
      and exists (
        select from sboms where sboms.workspace_id = ${workspaceId}
          and sboms.firmware_version_id = earlier.id and sboms.parsing_state = 'Succeeded')`
  const newest = sql`order by earlier.created_at desc, earlier.id desc limit 1`
  return sql`coalesce(version.predecessor_id,
    (${earlier} and earlier.line_id is not distinct from version.line_id ${newest}), (${earlier} ${newest}))`
}
