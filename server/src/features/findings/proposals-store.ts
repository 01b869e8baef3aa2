/**
 * Proposes findings as not affected: the component was compiled from source files, and none of them is a file that the
 * record names as vulnerable. Proposals are computed and never stored, so a new list, a changed record and a new or
 * deleted SBOM have an effect at once.
 */
import { type RawBuilder, sql } from 'kysely'
import { type Assessment, OPEN_ASSESSMENTS } from '../../formats/assessments.ts'
import { formatCountOf } from '../../formats/counts.ts'
import type { Db } from '../../platform/db/connect.ts'

interface VersionKey {
  workspaceId: string
  firmwareVersionId: string
}

interface PairKey extends VersionKey {
  packageId: string
  vulnerabilityId: string
}

/**
 * `covered`: packages of the version whose source files are known. Each SBOM that declares the package must list the
 * files of all its components, as another copy may be compiled from other files. An uploaded list counts for the package
 * of its component, and replaces the lists in the SBOM.
 */
function coveredPackages({ workspaceId, firmwareVersionId }: VersionKey) {
  return sql`
    sbom as materialized (
      select id from sboms
      where workspace_id = ${workspaceId} and firmware_version_id = ${firmwareVersionId}
        and parsing_state = 'Succeeded'
    ), member as materialized (
      select component.sbom_id, component.package_id, component.node, list.id as list_id,
        cardinality(list.files) as file_count,
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

/** `compiled`: the compiled files of each package, as the keys that paths are compared by. */
function compiledKeys({ workspaceId }: VersionKey) {
  return sql`
    chosen as (
      select distinct member.package_id, member.sbom_id, member.list_id, member.file_count
      from covered
      join member using (package_id)
      join listed using (sbom_id, package_id)
      where member.is_uploaded = listed.is_uploaded
    ), compiled as materialized (
      select chosen.package_id, key
      from chosen
      join source_file_lists as list on list.workspace_id = ${workspaceId}
        and list.sbom_id = chosen.sbom_id and list.id = chosen.list_id
      cross join unnest(list.keys) as key
    )`
}

/** Whether a key belongs to a compiled file of the package of `match`. */
type IsListed = (key: RawBuilder<unknown>) => RawBuilder<unknown>

/** Searches the set of all files. A join takes minutes, as the planner has no statistics for it. */
const isInSet: IsListed = (key: RawBuilder<unknown>) =>
  sql`(match.package_id, ${key}) in (select package_id, key from compiled)`

/** Reads the lists directly, which is faster for few paths. */
const isInLists =
  ({ workspaceId }: VersionKey): IsListed =>
  (key) =>
    sql`exists (
    select from chosen
    join source_file_lists as list on list.workspace_id = ${workspaceId}
      and list.sbom_id = chosen.sbom_id and list.id = chosen.list_id
    where chosen.package_id = match.package_id and ${key} = any(list.keys))`

/**
 * Compares the last two names of paths, as the paths start at different folders. The last name decides alone if either
 * path has no other name, or if the list has no folder with the first name of the record's path: then the source tree
 * may have other folders.
 */
const isCompiled = (isListed: IsListed) => sql`case
  when not ${isListed(sql`'*/' || substring(path from '[^/]*/?$')`)} then false
  when not ${isListed(sql`'*/' || split_part(path, '/', 1) || '/'`)} then true
  else ${isListed(sql`substring(path from '[^/]*/[^/]*/?$')`)} or ${isListed(sql`substring(path from '[^/]*/?$')`)}
end`

/**
 * `code`: the paths that the CVE records of open matches name. A null path: the record does not say where the vulnerable
 * code is, for one of the package's keys.
 */
function vulnerablePaths({ only, isListed }: Scope) {
  return sql`
    named as materialized (
      select package_id, array_agg(key) as keys
      from covered join package_keys using (package_id) group by package_id
    ), code as materialized (
      select match.package_id, match.vulnerability_id, path, ${isCompiled(isListed)} as is_compiled
      from named
      join package_matches as match on match.package_id = named.package_id and match.until is null ${only}
      join advisory_affected as affected
        on affected.source = 'cvelist' and affected.advisory_id = match.vulnerability_id
        and (affected.key = any(named.keys) or affected.product_key = any(named.keys))
        and affected.key not like 'repo:%'
      cross join jsonb_array_elements_text(coalesce(affected.vulnerable_code, '[null]')) as path
    )`
}

const isAbsent = sql`bool_and(path is not null and not is_compiled)`

interface Scope {
  /** Further conditions of `match`. */
  only: RawBuilder<unknown>
  isListed: IsListed
}

const ALL: Scope = { only: sql``, isListed: isInSet }

function proposals(version: VersionKey, scope = ALL): RawBuilder<unknown> {
  return sql`with ${coveredPackages(version)}, ${compiledKeys(version)}, ${vulnerablePaths(scope)}`
}

/** Lists those of these findings whose vulnerable code was compiled into the component. */
export async function listCompiledFindings(
  db: Db,
  version: VersionKey,
  findings: readonly Pick<PairKey, 'packageId' | 'vulnerabilityId'>[],
): Promise<Pick<PairKey, 'packageId' | 'vulnerabilityId'>[]> {
  if (findings.length === 0) return []
  const { rows } = await sql<Pick<PairKey, 'packageId' | 'vulnerabilityId'>>`
    ${proposals(version)}
    select distinct package_id, vulnerability_id
    from code
    join unnest(${findings.map((one) => one.packageId)}::uuid[], ${findings.map((one) => one.vulnerabilityId)}::text[])
      as asked (package_id, vulnerability_id) using (package_id, vulnerability_id)
    where path is not null and is_compiled`.execute(db)
  return rows
}

/** A query of `package_id` and `vulnerability_id`: proposed findings, with any decision. */
export function proposedFindings(version: VersionKey): RawBuilder<unknown> {
  return sql`${proposals(version)}
    select package_id, vulnerability_id from code
    group by package_id, vulnerability_id having ${isAbsent}`
}

export interface ProposalRow {
  /** Files and folders that the record names. */
  vulnerableFiles: string[]
  sourceFileCount: number
}

export async function findProposal(db: Db, key: PairKey): Promise<ProposalRow | undefined> {
  if (!(await hasSourceFiles(db, key))) return undefined
  const { packageId, vulnerabilityId } = key
  const only = sql`and match.package_id = ${packageId} and match.vulnerability_id = ${vulnerabilityId}`
  const { rows } = await sql<ProposalRow>`
    ${proposals(key, { only, isListed: isInLists(key) })}
    select array_agg(distinct path order by path) as vulnerable_files,
      (select sum(file_count)::int from chosen where package_id = ${packageId}) as source_file_count
    from code having ${isAbsent}`.execute(db)
  return rows[0]
}

export interface SourceFileHint {
  componentName: string
  componentVersion: string | null
  findingCount: number
  comparableFindingCount: number
}

/** From this number of findings of a package on, a list of its source files is worth the effort. */
const MANY_FINDINGS = 1_000

/**
 * Packages with very many findings whose source files are not known, and how many of these findings a list of the files
 * could decide about: those whose CVE record names the vulnerable files.
 */
export async function listSourceFileHints(db: Db, version: VersionKey): Promise<SourceFileHint[]> {
  const { workspaceId, firmwareVersionId } = version
  const { rows } = await sql<SourceFileHint>`
    with fact as materialized (
      select fact.package_id, fact.component_name, fact.component_version, found.count,
        array(select key from package_keys where package_keys.package_id = fact.package_id) as keys
      from firmware_version_packages as fact
      cross join lateral (
        select count(*)::int as count from package_matches as match
        where match.package_id = fact.package_id and match.until is null
      ) as found
      where fact.workspace_id = ${workspaceId} and fact.firmware_version_id = ${firmwareVersionId}
        and fact.until is null and found.count >= ${MANY_FINDINGS}
    ), ${coveredPackages(version)}
    select fact.component_name, fact.component_version, fact.count as finding_count,
      (select count(*) from package_matches as match
        where match.package_id = fact.package_id and match.until is null
          and (select true from advisory_affected as affected
            where affected.source = 'cvelist' and affected.advisory_id = match.vulnerability_id
              and (affected.key = any(fact.keys) or affected.product_key = any(fact.keys))
              and jsonb_array_length(affected.vulnerable_code) > 0 and not affected.vulnerable_code @> '[null]'
            limit 1)
      )::int as comparable_finding_count
    from fact
    where fact.package_id not in (select package_id from covered)
    order by fact.count desc, fact.component_name`.execute(db)
  return rows
}

/** Most versions have no source files; this check avoids the long query for them. */
async function hasSourceFiles(db: Db, { workspaceId, firmwareVersionId }: VersionKey) {
  const row = await db
    .selectFrom('sboms as sbom')
    .innerJoin('sourceFileLists as list', (join) =>
      join.onRef('list.workspaceId', '=', 'sbom.workspaceId').onRef('list.sbomId', '=', 'sbom.id'),
    )
    .select('sbom.id')
    .where('sbom.workspaceId', '=', workspaceId)
    .where('sbom.firmwareVersionId', '=', firmwareVersionId)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

const MOST_FILES = 5

/** The proposed assessment of a finding that nobody has decided. */
export function createProposal(assessment: Assessment, evidence: ProposalRow | undefined) {
  const isOpen = OPEN_ASSESSMENTS.some((open) => open === assessment)
  if (!isOpen || !evidence) return null
  const { vulnerableFiles, sourceFileCount } = evidence
  const shown = vulnerableFiles.slice(0, MOST_FILES).join(', ')
  const more = vulnerableFiles.length - MOST_FILES
  const files = more > 0 ? `${shown} and ${more} more` : shown
  return {
    assessment: 'NotAffected' as const,
    justification: 'vulnerable_code_not_present' as const,
    detail: `The record places the vulnerable code in ${files}, which is not among the ${formatCountOf(sourceFileCount, 'source file')} the component was compiled from.`,
    evidence,
  }
}
