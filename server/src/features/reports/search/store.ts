/**
 * Searches what a workspace has, kind by kind: a text within a name or id. Only rows of the workspace are read, and
 * knowledge only of vulnerabilities that it has.
 */
import { type RawBuilder, sql } from 'kysely'
import { listIdSpellings } from '../../../formats/vulnerability-ids.ts'
import type { Db } from '../../../platform/db/connect.ts'

export interface SearchQuery {
  workspaceId: string
  /** In lower case. */
  text: string
  limit: number
}

/** Names begin with the text, or are it, before those that contain it. */
const rank = (name: RawBuilder<unknown>, text: string) => sql`case
  when lower(${name}) = ${text} then 0 when starts_with(lower(${name}), ${text}) then 1 else 2 end`
const contains = (name: RawBuilder<unknown>, text: string) =>
  sql`position(${text} in lower(${name})) > 0`

export interface Hit {
  /** 0: the text itself; 1: begins with it; 2: contains it. */
  rank: number
  id: string
  title: string
  subtitle: string | null
}

export async function searchVulnerabilities(
  db: Db,
  { workspaceId, text, limit }: SearchQuery,
): Promise<Hit[]> {
  const id = sql`counted.vulnerability_id`
  const { rows } = await sql<Hit>`
    select ${rank(id, text)} as rank, ${id} as id, ${id} as title, known.name as subtitle
    from (
      select distinct vulnerability_id from workspace_component_vulnerabilities where workspace_id = ${workspaceId}
    ) as counted
    join vulnerabilities as known on known.id = counted.vulnerability_id
    where (${contains(id, text)} or ${contains(sql`known.name`, text)} or counted.vulnerability_id in (
        select vulnerability_id from vulnerability_aliases
        where alias = any(${listIdSpellings(text)}::text[])))
    order by 1, known.is_known_exploit desc, ${id} desc limit ${limit}`.execute(db)
  return rows
}

export async function searchFirmwares(
  db: Db,
  { workspaceId, text, limit }: SearchQuery,
): Promise<Hit[]> {
  const { rows } = await sql<Hit>`
    select least(${rank(sql`slug`, text)}, ${rank(sql`name`, text)}) as rank, id, name as title, slug as subtitle
    from firmwares
    where workspace_id = ${workspaceId} and (${contains(sql`slug`, text)} or ${contains(sql`name`, text)})
    order by 1, slug limit ${limit}`.execute(db)
  return rows
}

export type VersionHit = Hit & { firmwareId: string }

/** By its name, by `slug name` and `slug@name`, or by the whole build id. */
export async function searchVersions(
  db: Db,
  { workspaceId, text, limit }: SearchQuery,
): Promise<VersionHit[]> {
  const name = sql`version.name`
  const full = sql`(firmware.slug || ' ' || version.name)`
  const spaced = text.replace('@', ' ')
  const { rows } = await sql<VersionHit>`
    select least(${rank(name, text)}, ${rank(full, spaced)}) as rank, version.id, version.name as title,
      firmware.name as subtitle, firmware.id as firmware_id
    from firmware_versions as version
    join firmwares as firmware
      on firmware.workspace_id = version.workspace_id and firmware.id = version.firmware_id
    where version.workspace_id = ${workspaceId}
      and (${contains(name, text)} or ${contains(full, spaced)} or lower(version.build_id) = ${text})
    order by 1, version.created_at desc, version.id limit ${limit}`.execute(db)
  return rows
}

export interface ComponentHit {
  rank: number
  name: string
  version: string | null
  versionCount: number
}

/** As the newest firmware version that holds each names it. */
export async function searchComponents(
  db: Db,
  { workspaceId, text, limit }: SearchQuery,
): Promise<ComponentHit[]> {
  const name = sql`component_name`
  const full = sql`(component_name || ' ' || coalesce(component_version, ''))`
  const spaced = text.replace('@', ' ')
  const { rows } = await sql<ComponentHit>`
    select least(${rank(name, text)}, ${rank(full, spaced)}) as rank, component_name as name,
      component_version as version, max(version_count)::int as version_count
    from workspace_packages
    where workspace_id = ${workspaceId} and version_count > 0
      and (${contains(name, text)} or ${contains(full, spaced)})
    group by component_name, component_version
    order by 1, 4 desc, 2, 3 limit ${limit}`.execute(db)
  return rows
}

export async function searchDevices(
  db: Db,
  { workspaceId, text, limit }: SearchQuery,
): Promise<Hit[]> {
  const { rows } = await sql<Hit>`
    select ${rank(sql`id`, text)} as rank, id, id as title, description as subtitle
    from devices
    where workspace_id = ${workspaceId} and (${contains(sql`id`, text)} or ${contains(sql`description`, text)})
    order by 1, id limit ${limit}`.execute(db)
  return rows
}

export async function searchCohorts(
  db: Db,
  { workspaceId, text, limit }: SearchQuery,
): Promise<Hit[]> {
  const { rows } = await sql<Hit>`
    select ${rank(sql`name`, text)} as rank, id, name as title, description as subtitle
    from deployment_cohorts where workspace_id = ${workspaceId} and ${contains(sql`name`, text)}
    order by 1, name, id limit ${limit}`.execute(db)
  return rows
}

export async function searchAlertRules(
  db: Db,
  { workspaceId, text, limit }: SearchQuery,
): Promise<Hit[]> {
  const { rows } = await sql<Hit>`
    select ${rank(sql`name`, text)} as rank, id, name as title, type as subtitle
    from alert_rules where workspace_id = ${workspaceId} and ${contains(sql`name`, text)}
    order by 1, name, id limit ${limit}`.execute(db)
  return rows
}
