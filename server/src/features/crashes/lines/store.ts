/** Builds, and where their addresses lie in the source. */
import { sql } from 'kysely'
import type { Db, Tx } from '../../../platform/db/connect.ts'
import type { SourceLine } from '../stack.ts'

interface BuildAddress {
  buildId: string
  address: string
}

/** Inserts those that are missing, and holds all of them: their lines stay as they are until the transaction ends. */
export async function holdBuilds(
  tx: Tx,
  { workspaceId, at }: { workspaceId: string; at: Date },
  { known, added }: { known: readonly string[]; added: readonly string[] },
): Promise<void> {
  if (added.length > 0)
    await sql`
      insert into crash_builds (workspace_id, build_id, created_at)
      select ${workspaceId}, given.build_id, ${at} from unnest(${added}::text[]) as given (build_id)
      order by given.build_id collate "C"
      on conflict (workspace_id, build_id) do nothing`.execute(tx)
  const held = [...known, ...added]
  if (held.length === 0) return
  await sql`
    select build_id from crash_builds
    where workspace_id = ${workspaceId} and build_id = any(${held}::text[])
    order by build_id for share`.execute(tx)
}

interface StatedLines {
  workspaceId: string
  buildId: string
  at: Date
  byEmail: string | null
}

/** Locks the build, which exists afterwards. */
export async function lockBuild(
  tx: Tx,
  { workspaceId, buildId, at, byEmail }: StatedLines,
): Promise<void> {
  await sql`
    insert into crash_builds (workspace_id, build_id, created_at, lines_at, lines_by_email)
    values (${workspaceId}, ${buildId}, ${at}, ${at}, ${byEmail})
    on conflict (workspace_id, build_id) do update set
      lines_at = excluded.lines_at, lines_by_email = excluded.lines_by_email`.execute(tx)
}

export async function upsertLines(
  tx: Tx,
  { workspaceId, buildId }: Pick<StatedLines, 'workspaceId' | 'buildId'>,
  lines: readonly { address: string; frames: readonly SourceLine[] }[],
): Promise<void> {
  await sql`
    insert into crash_lines (workspace_id, build_id, address, frames)
    select ${workspaceId}, ${buildId}, given.address, given.frames
    from json_to_recordset(${JSON.stringify(lines)}::json) as given (address text, frames jsonb)
    on conflict (workspace_id, build_id, address) do update set frames = excluded.frames`.execute(
    tx,
  )
}

export async function deleteLines(
  tx: Tx,
  { workspaceId, buildId }: Pick<StatedLines, 'workspaceId' | 'buildId'>,
): Promise<void> {
  await sql`
    delete from crash_lines where workspace_id = ${workspaceId} and build_id = ${buildId}`.execute(
    tx,
  )
}

export async function countLines(db: Db, workspaceId: string, buildId: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from crash_lines
    where workspace_id = ${workspaceId} and build_id = ${buildId}`.execute(db)
  return rows[0]?.count ?? 0
}

/** Addresses that nobody looked up are left out. */
export async function listLines(
  db: Db,
  workspaceId: string,
  addresses: readonly BuildAddress[],
): Promise<(BuildAddress & { frames: SourceLine[] })[]> {
  if (addresses.length === 0) return []
  const { rows } = await sql<BuildAddress & { frames: SourceLine[] }>`
    select line.build_id, line.address, line.frames
    from (
      select distinct build_id, address from unnest(
        ${addresses.map(({ buildId }) => buildId)}::text[], ${addresses.map(({ address }) => address)}::text[]
      ) as given (build_id, address)) as given
    join crash_lines as line
      on line.workspace_id = ${workspaceId} and line.build_id = given.build_id and line.address = given.address`.execute(
    db,
  )
  return rows
}

interface BuildRow {
  buildId: string
  firmwareVersion: {
    id: string
    name: string
    firmware: { id: string; slug: string; name: string }
  } | null
  linesAt: Date | null
  linesByEmail: string | null
  addressCount: number
  openCount: number
}

/** Builds with reports or lines, newest first. `isOpen`: alone those of which addresses are not looked up. */
export async function listBuilds(
  db: Db,
  {
    workspaceId,
    isOpen,
    limit,
    after,
  }: {
    workspaceId: string
    isOpen: boolean | undefined
    limit: number
    after: string | undefined
  },
): Promise<BuildRow[]> {
  const { rows } = await sql<BuildRow>`
    select build.build_id, build.lines_at, build.lines_by_email, address_count, open_count, (
      select json_build_object('id', version.id, 'name', version.name, 'firmware',
        json_build_object('id', firmware.id, 'slug', firmware.slug, 'name', firmware.name))
      from firmware_versions as version
      join firmwares as firmware on firmware.workspace_id = ${workspaceId} and firmware.id = version.firmware_id
      where version.workspace_id = ${workspaceId} and (version.build_id = build.build_id
        or firmware.slug || '@' || version.name = build.build_id)
      order by version.build_id nulls last limit 1) as firmware_version
    from crash_builds as build
    cross join lateral (
      select count(*)::int as address_count, count(*) filter (where line.address is null)::int as open_count
      from (
        select distinct frame ->> 'lookup' as address from crash_reports as report
        cross join lateral jsonb_array_elements(report.frames) as frame
        where report.workspace_id = ${workspaceId} and report.build_id = build.build_id
          and frame ->> 'lookup' is not null) as used
      left join crash_lines as line
        on line.workspace_id = ${workspaceId} and line.build_id = build.build_id and line.address = used.address
    ) as counted
    where build.workspace_id = ${workspaceId}
      ${after === undefined ? sql`` : sql`and build.build_id > ${after}`}
      ${isOpen === undefined ? sql`` : sql`and (open_count > 0) = ${isOpen}`}
    order by build.build_id limit ${limit}`.execute(db)
  return rows
}

/** The addresses of the reports of a build, by how they are looked up. */
export async function listAddresses(
  db: Db,
  {
    workspaceId,
    buildId,
    isOpen,
    limit,
  }: {
    workspaceId: string
    buildId: string
    isOpen: boolean
    limit: number
  },
): Promise<string[]> {
  const { rows } = await sql<{ address: string }>`
    select used.address from (
      select distinct frame ->> 'lookup' as address from crash_reports as report
      cross join lateral jsonb_array_elements(report.frames) as frame
      where report.workspace_id = ${workspaceId} and report.build_id = ${buildId}
        and frame ->> 'lookup' is not null
      union
      select address from crash_stacks as stack cross join lateral unnest(stack.addresses) as address
      where stack.workspace_id = ${workspaceId} and stack.build_id = ${buildId} and address is not null) as used
    where ${
      isOpen
        ? sql`not exists (
      select from crash_lines as line where line.workspace_id = ${workspaceId}
        and line.build_id = ${buildId} and line.address = used.address)`
        : sql`true`
    }
    order by length(used.address), used.address limit ${limit}`.execute(db)
  return rows.map(({ address }) => address)
}

export async function findBuild(
  db: Db,
  workspaceId: string,
  buildId: string,
): Promise<{ linesAt: Date | null; linesByEmail: string | null } | undefined> {
  return db
    .selectFrom('crashBuilds')
    .select(['linesAt', 'linesByEmail'])
    .where('workspaceId', '=', workspaceId)
    .where('buildId', '=', buildId)
    .executeTakeFirst()
}
