/** Findings of a firmware version: derived, page by page, from what it holds, what matches, and what was decided. */
import { type RawBuilder, sql } from 'kysely'
import { SEVERITIES, type Severity } from '../../formats/advisories/model.ts'
import type { Db } from '../../platform/db/connect.ts'
import { type Assessment, ASSESSMENTS, type SortColumn } from './assessment.ts'
import { isActiveSql } from './counters-store.ts'
import type { Confidence } from './evidence.ts'
import { OPEN_ASSESSMENTS } from './proposal.ts'
import { proposedFindings } from './source-files-store.ts'

export interface FindingFilter {
  severities?: Severity[]
  assessments?: Assessment[]
  confidences?: Confidence[]
  ignored?: boolean
  knownCisaExploit?: boolean
  name?: { contains: string }[]
  components?: { vendor?: string; packageName?: string; version?: string }[]
  proposed?: boolean
}

export interface FindingQuery {
  workspaceId: string
  firmwareVersionId: string
  filter: FindingFilter
  sortColumn: SortColumn
  ascending: boolean
  limit: number
  /** The instant the list tells of. */
  asOf: Date
  /** The sort values of the last row before this page. */
  after: readonly (string | number | boolean | null)[] | undefined
}

export interface FindingRow {
  packageId: string
  vulnerabilityId: string
  name: string
  componentName: string
  componentVersion: string | null
  severity: Severity
  assessment: Assessment
  ignored: boolean
  isKnownExploit: boolean
  cvssScore: number | null
  epssScore: number | null
  confidence: Confidence
  detectedAt: Date
  sortValues: (string | number)[]
}

interface SortKey {
  value: RawBuilder<unknown>
  /** Cast of a cursor's value: what leaves as JSON comes back as text or a double. */
  type: RawBuilder<unknown>
}

const types = {
  integer: sql`integer`,
  real: sql`real`,
  text: sql`text collate "C"`,
  time: sql`timestamptz`,
  uuid: sql`uuid`,
}

const assessment = sql`coalesce(decision.assessment, 'NotAssessed')`
const ignored = sql`coalesce(decision.ignored, false)`
const severityRank: SortKey = {
  value: sql`array_position(${[...SEVERITIES].toReversed()}::text[], match.severity)`,
  type: types.integer,
}
const score: SortKey = {
  value: sql`coalesce(match.score, -1::real)`,
  type: types.real,
}

/** The first instant at which package and match both held here; interruptions do not move it (DESIGN 5.5). */
const detectedAt = sql`(
  select min(greatest(held.since, seen.since))
  from firmware_version_packages as held
  join package_matches as seen on seen.package_id = held.package_id
  where held.workspace_id = fact.workspace_id and held.firmware_version_id = fact.firmware_version_id
    and held.package_id = fact.package_id and seen.vulnerability_id = match.vulnerability_id
    and greatest(held.since, seen.since)
      < least(coalesce(held.until, 'infinity'), coalesce(seen.until, 'infinity')))`

const SORTS: Record<SortColumn, readonly SortKey[]> = {
  Severity: [severityRank, score],
  CvssScore: [score],
  EpssScore: [{ value: sql`coalesce(epss.score, -1::real)`, type: types.real }],
  CveId: [],
  Name: [{ value: sql`vulnerability.name collate "C"`, type: types.text }],
  ComponentName: [{ value: sql`fact.component_name`, type: types.text }],
  ComponentVersion: [
    { value: sql`coalesce(fact.component_version, '') collate "C"`, type: types.text },
  ],
  Assessment: [
    { value: sql`array_position(${[...ASSESSMENTS]}::text[], ${assessment})`, type: types.integer },
  ],
  KnownCisaExploit: [{ value: sql`vulnerability.is_known_exploit::integer`, type: types.integer }],
  DetectedAt: [{ value: detectedAt, type: types.time }],
}

/** What makes every order total. */
const ID: readonly SortKey[] = [
  { value: sql`match.vulnerability_id`, type: types.text },
  { value: sql`fact.package_id`, type: types.uuid },
]

/** All findings of the version as of an instant, before any filter. */
function findings(query: Pick<FindingQuery, 'workspaceId' | 'firmwareVersionId'>, asOf: Date) {
  return sql`
    from firmware_version_packages as fact
    join package_matches as match on match.package_id = fact.package_id
    join vulnerabilities as vulnerability on vulnerability.id = match.vulnerability_id
    left join finding_decisions as decision on decision.workspace_id = fact.workspace_id
      and decision.firmware_version_id = fact.firmware_version_id and decision.package_id = fact.package_id
      and decision.vulnerability_id = match.vulnerability_id
    left join epss_scores as epss on epss.cve_id = match.vulnerability_id
    where fact.workspace_id = ${query.workspaceId} and fact.firmware_version_id = ${query.firmwareVersionId}
      and fact.since <= ${asOf} and (fact.until is null or fact.until > ${asOf})
      and match.since <= ${asOf} and (match.until is null or match.until > ${asOf})`
}

export async function listFindings(db: Db, query: FindingQuery): Promise<FindingRow[]> {
  const { sortColumn, ascending, limit, after } = query
  const keys = [...SORTS[sortColumn], ...ID]
  const direction = ascending ? sql`asc` : sql`desc`
  const values = sql.join(keys.map(({ value }) => value))
  const order = sql.join(keys.map(({ value }) => sql`${value} ${direction}`))
  const position = after && sql.join(keys.map(({ type }, index) => sql`${after[index]}::${type}`))
  const beyond = ascending ? sql`>` : sql`<`
  const rows = sql<FindingRow>`
    select fact.package_id, match.vulnerability_id, vulnerability.name, fact.component_name,
      fact.component_version, match.severity, ${assessment} as assessment, ${ignored} as ignored,
      vulnerability.is_known_exploit, match.score as cvss_score, epss.score as epss_score,
      match.confidence, ${detectedAt} as detected_at, json_build_array(${values}) as sort_values
    ${findings(query, query.asOf)} ${restrictions(query)}
      ${position ? sql`and (${values}) ${beyond} (${position})` : sql``}
    order by ${order} limit ${limit}`
  return (await rows.execute(db)).rows
}

function restrictions({
  workspaceId,
  firmwareVersionId,
  filter,
}: FindingQuery): RawBuilder<unknown> {
  const { severities, assessments, confidences, knownCisaExploit, name, components } = filter
  const all = [
    severities && sql`match.severity = any(${severities}::text[])`,
    assessments && sql`${assessment} = any(${assessments}::text[])`,
    confidences && sql`match.confidence = any(${confidences}::text[])`,
    filter.ignored !== undefined && sql`${ignored} = ${filter.ignored}`,
    knownCisaExploit !== undefined && sql`vulnerability.is_known_exploit = ${knownCisaExploit}`,
    name &&
      any(name.map(({ contains }) => nameContains({ workspaceId, firmwareVersionId }, contains))),
    components && any(components.map((one) => hasMember({ workspaceId, firmwareVersionId }, one))),
    filter.proposed !== undefined &&
      sql`${isProposed({ workspaceId, firmwareVersionId })} = ${filter.proposed}`,
  ].filter((condition) => condition !== false && condition !== undefined)
  return sql.join(
    all.map((condition) => sql`and ${condition}`),
    sql` `,
  )
}

/** By what holds now, also in a list that tells of the past. */
function isProposed(version: {
  workspaceId: string
  firmwareVersionId: string
}): RawBuilder<unknown> {
  return sql`(${assessment} = any(${[...OPEN_ASSESSMENTS]}::text[])
    and (fact.package_id, match.vulnerability_id) in (${proposedFindings(version)}))`
}

/** Any within a list; an empty list restricts to nothing at all. */
function any(alternatives: readonly RawBuilder<unknown>[]): RawBuilder<unknown> {
  return alternatives.length === 0 ? sql`false` : sql`(${sql.join(alternatives, sql` or `)})`
}

/** People look for `openssl`, though the package is shown as `libcrypto3`: the names it has for advisories count too. */
function nameContains(
  version: { workspaceId: string; firmwareVersionId: string },
  text: string,
): RawBuilder<unknown> {
  const part = text.toLowerCase()
  return sql`(strpos(lower(vulnerability.name), ${part}) > 0
    or strpos(lower(match.vulnerability_id), ${part}) > 0
    or strpos(lower(fact.component_name), ${part}) > 0
    or fact.package_id in (
      select held.package_id
      from firmware_version_packages as held
      join packages as package on package.id = held.package_id
      cross join jsonb_array_elements(package.identity -> 'pairs') as pair
      where held.workspace_id = ${version.workspaceId} and held.firmware_version_id = ${version.firmwareVersionId}
        and strpos(substring(pair ->> 'key' from '[^:/]*$'), ${part}) > 0)
    or exists (
      select from vulnerability_aliases as other
      where other.vulnerability_id = match.vulnerability_id and strpos(lower(other.alias), ${part}) > 0))`
}

function hasMember(
  version: { workspaceId: string; firmwareVersionId: string },
  { vendor, packageName, version: of }: NonNullable<FindingFilter['components']>[number],
): RawBuilder<unknown> {
  return sql`exists (
    select from sbom_components as member
    join sboms as sbom on sbom.workspace_id = member.workspace_id and sbom.id = member.sbom_id
    where member.workspace_id = ${version.workspaceId} and member.package_id = fact.package_id
      and sbom.firmware_version_id = ${version.firmwareVersionId} and sbom.parsing_state = 'Succeeded'
      ${vendor === undefined ? sql`` : sql`and member.vendor = ${vendor}`}
      ${packageName === undefined ? sql`` : sql`and member.package_name = ${packageName}`}
      ${of === undefined ? sql`` : sql`and member.version = ${of}`})`
}

const isActive = isActiveSql({ assessment, ignored, confidence: sql`match.confidence` })

export async function countActiveFindings(
  db: Db,
  query: { workspaceId: string; firmwareVersionId: string; asOf: Date },
): Promise<{ severity: Severity; count: number }[]> {
  const counts = sql<{ severity: Severity; count: number }>`
    select match.severity, count(*)::int as count
    ${findings(query, query.asOf)} and ${isActive}
    group by match.severity`
  return (await counts.execute(db)).rows
}
