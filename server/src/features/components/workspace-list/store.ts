/** Finds components in all SBOMs of a workspace. */
import { type RawBuilder, sql } from 'kysely'
import { UNMATCHED_SCOPES } from '../../../formats/sboms/model.ts'
import { joinAll, joinAny } from '../../../platform/db/conditions.ts'
import type { Db } from '../../../platform/db/connect.ts'
import type { FirmwareLicences } from '../../licences/index.ts'
import { selectNotMatchedReason, withReasonInWords } from '../not-matched-store.ts'
import { selectOtherwiseKnown, selectSupported, type SupportFilter } from './support-store.ts'

/** A key of packages. Without `version` it stands for all versions. */
export interface PackageName {
  key: string
  version: string | undefined
  /** The text of the request. Components without a package are compared with it. */
  text: string
}

export interface WorkspaceComponentQuery {
  workspaceId: string
  /** A component must meet one entry of each list. */
  filter: {
    components?: { vendor?: string; packageName?: string; version?: string }[] | undefined
    name?: { contains: string }[] | undefined
    licenses?: { contains: string }[] | undefined
    cveIds?: string[] | undefined
    firmwareIds?: string[] | undefined
    firmwareVersionIds?: string[] | undefined
    purls?: PackageName[] | undefined
    cpes?: PackageName[] | undefined
    support?: SupportFilter | undefined
    /** What components state whose licences are judged so. */
    stated?: readonly FirmwareLicences[] | undefined
  }
  limit: number
  at: Date
  after: readonly (string | number | boolean | null)[] | undefined
}

export interface WorkspaceComponentRow {
  id: string
  packageName: string
  vendor: string | null
  version: string | null
  purl: string | null
  cpes: string[]
  licenses: string[]
  scope: string | null
  notMatchedReason: string | null
  overrideId: string | null
  node: number
  packageId: string | null
  isSpdx: boolean
  sbom: { id: string; fileName: string }
  firmwareVersion: {
    id: string
    name: string
    firmware: { id: string; slug: string; name: string }
  }
}

const containsAny = (text: RawBuilder<unknown>, parts: readonly { contains: string }[]) =>
  joinAny(parts.map(({ contains }) => sql`strpos(lower(${text}), ${contains.toLowerCase()}) > 0`))

/** Packages that have one of the keys, in the version asked for. */
const known = (names: readonly PackageName[]) => sql`
  select named.package_id
  from unnest(${names.map(({ key }) => key)}::text[], ${names.map(({ version }) => version ?? null)}::text[])
    as asked (key, version)
  join package_keys as named on named.key = asked.key
  join packages as package on package.id = named.package_id
  where asked.version is null or exists (
    select from jsonb_array_elements(package.identity -> 'pairs') as pair
    where pair ->> 'version' = asked.version)`

const vulnerable = (cveIds: readonly string[]) => sql`
  select match.package_id
  from vulnerability_aliases as alias
  join package_matches as match on match.vulnerability_id = alias.vulnerability_id
  where alias.alias = any(${cveIds}::text[]) and match.until is null`

/** The components whose packages have the identifiers and vulnerabilities asked for. Undefined if none is asked for. */
function byPackage({
  workspaceId,
  filter,
}: WorkspaceComponentQuery): RawBuilder<unknown> | undefined {
  const { purls, cpes, cveIds, support, firmwareVersionIds } = filter
  // A version has fewer components than the packages of a distribution have in all versions.
  const supported = support && !firmwareVersionIds && selectSupported(workspaceId, support)
  const all = [
    purls && known(purls),
    cpes && known(cpes),
    cveIds && vulnerable(cveIds),
    supported,
  ].filter((packages) => packages !== undefined && packages !== null && packages !== false)
  if (all.length === 0) return undefined
  const isIn = all.map((packages) => sql`owned.package_id in (${packages})`)
  const literally =
    purls && !cpes && !cveIds && !support
      ? sql`union all
          select member.* from sbom_components as member
          where member.workspace_id = ${workspaceId} and member.package_id is null
            and member.purl = any(${purls.map(({ text }) => text)}::text[])`
      : sql``
  return sql`
    select member.* from workspace_packages as owned
    join sbom_components as member
      on member.workspace_id = owned.workspace_id and member.package_id = owned.package_id
    where owned.workspace_id = ${workspaceId} and ${sql.join(isIn, sql` and `)} ${literally}`
}

const versionsInScope = ({ workspaceId, filter }: WorkspaceComponentQuery) => sql`
  ${
    filter.firmwareIds
      ? sql`and sbom.firmware_version_id in (select id from firmware_versions
          where workspace_id = ${workspaceId} and firmware_id = any(${filter.firmwareIds}::uuid[]))`
      : sql``
  }
  ${filter.firmwareVersionIds ? sql`and sbom.firmware_version_id = any(${filter.firmwareVersionIds}::uuid[])` : sql``}`

function byVersion(query: WorkspaceComponentQuery): RawBuilder<unknown> | undefined {
  const { firmwareIds, firmwareVersionIds } = query.filter
  if (!firmwareIds && !firmwareVersionIds) return undefined
  return sql`
    select member.* from sboms as sbom
    join sbom_components as member
      on member.workspace_id = sbom.workspace_id and member.sbom_id = sbom.id
    where sbom.workspace_id = ${query.workspaceId} ${versionsInScope(query)}`
}

const name = sql`member.package_name collate "C"`

const hasSupport = (workspaceId: string, support: SupportFilter) => {
  const supported = selectSupported(workspaceId, support)
  return supported
    ? sql`member.package_id in (${supported})`
    : sql`(member.package_id is null or member.package_id not in (${selectOtherwiseKnown(workspaceId, support)}))`
}

/** What does not ship is not judged. */
const statesOneOf = (stated: readonly FirmwareLicences[]) => sql`
  (member.scope is null or member.scope <> all(${[...UNMATCHED_SCOPES]}::text[]))
  and exists (
    select from jsonb_to_recordset(${JSON.stringify(stated)}::jsonb)
      as chosen ("firmwareId" uuid, licenses text[], "isSpdx" boolean)
    where chosen."firmwareId" = version.firmware_id and chosen.licenses = member.licenses
      and chosen."isSpdx" = coalesce(sbom.format like 'Spdx%', false))`

function meetsFilter({ workspaceId, filter }: WorkspaceComponentQuery): RawBuilder<unknown> {
  const { components, licenses, support, stated } = filter
  return joinAll([
    components &&
      joinAny(
        components.map(
          ({ vendor, packageName, version }) =>
            sql`(${joinAll([
              packageName !== undefined && sql`${name} = ${packageName}`,
              version !== undefined && sql`member.version = ${version}`,
              vendor !== undefined && sql`member.vendor = ${vendor}`,
            ])})`,
        ),
      ),
    filter.name &&
      sql`${name} = any(array(select name from names where ${containsAny(sql`name`, filter.name)}))`,
    licenses && containsAny(sql`array_to_string(member.licenses, chr(10))`, licenses),
    support && hasSupport(workspaceId, support),
    stated && statesOneOf(stated),
  ])
}

/** Every name in the workspace once. Each is found in the index after the one before, since components share few names. */
const names = (workspaceId: string) => sql`names (name) as (
  select min(${name}) from sbom_components as member where member.workspace_id = ${workspaceId}
  union all
  select (
    select ${name} from sbom_components as member
    where member.workspace_id = ${workspaceId} and ${name} > names.name order by ${name} limit 1)
  from names where names.name is not null
)`

/**
 * Reads components in the order of the index on names. If the filter has identifiers, vulnerabilities or firmware
 * versions, it selects their components first, since they are fewer.
 */
export async function listWorkspaceComponents(
  db: Db,
  query: WorkspaceComponentQuery,
): Promise<WorkspaceComponentRow[]> {
  const { workspaceId, limit, at, after } = query
  const few = byPackage(query) ?? byVersion(query)
  const { rows } = await sql<WorkspaceComponentRow>`
    with recursive ${query.filter.name ? names(workspaceId) : sql`names as (select null)`}
    ${few ? sql`, member as materialized (${few})` : sql``}
    select member.id, member.package_name, member.vendor, member.version, member.purl, member.cpes,
      member.licenses, member.scope, ${selectNotMatchedReason('member')} as not_matched_reason, member.override_id,
      member.node, member.package_id, coalesce(sbom.format like 'Spdx%', false) as is_spdx,
      json_build_object('id', sbom.id, 'fileName', sbom.file_name) as sbom,
      json_build_object('id', version.id, 'name', version.name, 'firmware',
        json_build_object('id', firmware.id, 'slug', firmware.slug, 'name', firmware.name)) as firmware_version
    from ${few ? sql`member` : sql`sbom_components as member`}
    left join packages as package on package.id = member.package_id
    join sboms as sbom on sbom.workspace_id = member.workspace_id and sbom.id = member.sbom_id
    join firmware_versions as version
      on version.workspace_id = sbom.workspace_id and version.id = sbom.firmware_version_id
    join firmwares as firmware
      on firmware.workspace_id = version.workspace_id and firmware.id = version.firmware_id
    where member.workspace_id = ${workspaceId} and sbom.parsing_state = 'Succeeded' and sbom.parsed_at <= ${at}
      ${versionsInScope(query)} and ${meetsFilter(query)}
      ${
        after
          ? sql`and (${name}, member.sbom_id, member.node)
              > (${after[0]}::text, ${after[1]}::uuid, ${after[2]}::integer)`
          : sql``
      }
    order by ${name}, member.sbom_id, member.node limit ${limit}`.execute(db)
  return rows.map(withReasonInWords)
}
