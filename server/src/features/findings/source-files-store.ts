/**
 * Findings proposed as not affected, because none of the files their records place the vulnerable code in is among the
 * source files the component was compiled from. Computed from what holds now, never stored: a list that is replaced, a
 * record that changes and an SBOM that comes or goes count at once.
 */
import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../platform/db/connect.ts'

export interface VersionKey {
  workspaceId: string
  firmwareVersionId: string
}

interface PairKey extends VersionKey {
  packageId: string
  vulnerabilityId: string
}

/**
 * Packages of the version whose source files are known. Every SBOM that declares the package has to tell those of all
 * its components: a second copy that nobody lists may be compiled otherwise. What was uploaded for a component counts
 * for its package and instead of what the SBOM lists.
 */
function coveredPackages({ workspaceId, firmwareVersionId }: VersionKey) {
  return sql`
    sbom as materialized (
      select id from sboms
      where workspace_id = ${workspaceId} and firmware_version_id = ${firmwareVersionId}
        and parsing_state = 'Succeeded'
    ), member as materialized (
      select component.sbom_id, component.package_id, component.node, list.id as list_id, list.file_count,
        list.component_id is not null as is_uploaded
      from sbom
      join source_file_lists as list on list.workspace_id = ${workspaceId} and list.sbom_id = sbom.id
      cross join unnest(list.nodes) as listed (node)
      join sbom_components as component on component.workspace_id = ${workspaceId}
        and component.sbom_id = list.sbom_id and component.node = listed.node
      where component.package_id is not null and coalesce(list.component_id, component.id) = component.id
    ), listed as materialized (
      select sbom_id, package_id, bool_or(is_uploaded) as is_uploaded, max(file_count) as file_count,
        count(distinct node) filter (where not is_uploaded) as component_count
      from member group by sbom_id, package_id
    ), declared as (
      select component.sbom_id, component.package_id, count(*) as component_count
      from sbom
      join sbom_components as component on component.workspace_id = ${workspaceId}
        and component.sbom_id = sbom.id
      where component.package_id in (select package_id from listed)
      group by component.sbom_id, component.package_id
    ), covered as materialized (
      select declared.package_id
      from declared left join listed using (sbom_id, package_id)
      group by declared.package_id
      having bool_and(coalesce(listed.is_uploaded
        or (listed.component_count = declared.component_count and listed.file_count > 0), false))
    )`
}

/** Files, and the folders they lie in, that were compiled; by their last name, to be found by it. */
function compiledPaths({ workspaceId }: VersionKey) {
  return sql`
    chosen as (
      select distinct member.package_id, member.sbom_id, member.list_id
      from covered
      join member using (package_id)
      join listed using (sbom_id, package_id)
      where member.is_uploaded = listed.is_uploaded
    ), compiled as materialized (
      select distinct chosen.package_id, path, split_part(rtrim(path, '/'), '/', -1) as name,
        right(path, 1) = '/' as is_folder
      from chosen
      join source_file_lists as list on list.workspace_id = ${workspaceId}
        and list.sbom_id = chosen.sbom_id and list.id = chosen.list_id
      cross join unnest(list.paths) as path
    )`
}

/**
 * Where the vulnerable code of the packages' open matches is. A record that leaves that open for one of the package's
 * keys tells it for none.
 */
function vulnerablePaths(only: RawBuilder<unknown>) {
  return sql`
    record as materialized (
      select match.package_id, match.vulnerability_id, affected.vulnerable_code
      from covered
      join package_matches as match on match.package_id = covered.package_id and match.until is null ${only}
      join advisory_vulnerabilities as link
        on link.vulnerability_id = match.vulnerability_id and link.source = 'cvelist'
      join advisory_affected as affected
        on affected.source = link.source and affected.advisory_id = link.advisory_id
      where exists (
        select from package_keys as named
        where named.package_id = match.package_id and named.key in (affected.key, affected.product_key))
    ), known as materialized (
      select package_id, vulnerability_id from record
      group by package_id, vulnerability_id having bool_and(vulnerable_code is not null)
    ), code as materialized (
      select distinct record.package_id, record.vulnerability_id, path,
        split_part(rtrim(path, '/'), '/', -1) as name, split_part(path, '/', 1) as top
      from known
      join record using (package_id, vulnerability_id)
      cross join jsonb_array_elements_text(record.vulnerable_code) as path
    )`
}

/**
 * Paths are of different trees' roots: one has to end in the other. Where the list knows no folder of the name the
 * record's path begins with, it may be laid out otherwise, and the last name alone counts.
 */
const present = sql`
  present as (
    select distinct code.package_id, code.vulnerability_id
    from code
    join compiled on compiled.package_id = code.package_id and compiled.name = code.name
    left join (select distinct package_id, name from compiled where is_folder) as folder
      on folder.package_id = code.package_id and folder.name = code.top
    where compiled.path = code.path
      or right(compiled.path, length(code.path) + 1) = '/' || code.path
      or right(code.path, length(compiled.path) + 1) = '/' || compiled.path
      or folder.name is null
  ), proposed as (
    select package_id, vulnerability_id from known
    except select package_id, vulnerability_id from present
  )`

function proposals(version: VersionKey, only = sql``): RawBuilder<unknown> {
  return sql`with ${coveredPackages(version)}, ${compiledPaths(version)}, ${vulnerablePaths(only)}, ${present}`
}

/** A query of `package_id` and `vulnerability_id`, whatever was decided about them. */
export function proposedFindings(version: VersionKey): RawBuilder<unknown> {
  return sql`${proposals(version)} select package_id, vulnerability_id from proposed`
}

export interface ProposalRow {
  /** Files and folders of the record. */
  vulnerableFiles: string[]
  sourceFileCount: number
}

export async function findProposal(db: Db, key: PairKey): Promise<ProposalRow | undefined> {
  if (!(await hasSourceFiles(db, key))) return undefined
  const { packageId, vulnerabilityId } = key
  const only = sql`and match.package_id = ${packageId} and match.vulnerability_id = ${vulnerabilityId}`
  const { rows } = await sql<ProposalRow>`
    ${proposals(key, only)}
    select (select array_agg(path order by path) from code) as vulnerable_files,
      (select count(*)::int from compiled
        where compiled.package_id = proposed.package_id and not is_folder) as source_file_count
    from proposed`.execute(db)
  return rows[0]
}

/** Spares most versions the long query. */
async function hasSourceFiles(db: Db, { workspaceId, firmwareVersionId }: VersionKey) {
  const { rows } = await sql<{ has: boolean }>`
    select exists (
      select from sboms as sbom
      join source_file_lists as list
        on list.workspace_id = sbom.workspace_id and list.sbom_id = sbom.id
      where sbom.workspace_id = ${workspaceId} and sbom.firmware_version_id = ${firmwareVersionId}
    ) as has`.execute(db)
  return rows[0]?.has === true
}
