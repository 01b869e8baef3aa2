/** SQL conditions of the filter for vulnerabilities and packages of a workspace. */
import { type RawBuilder, sql } from 'kysely'
import { SEVERITIES, type Severity } from '../../../formats/advisories/model.ts'
import { parseInstant } from '../../../formats/instants.ts'
import type { Moment } from '../as-of-store.ts'
import {
  any,
  containsAny,
  DISPUTED,
  type FindingFilter,
  IS_FUZZING,
  lowered,
  partsOf,
  SINCE,
} from '../list/filter-store.ts'
import { severityRank } from '../list/store.ts'
import { largestOf, smallestOf } from '../../../formats/extremes.ts'

export interface WorkspaceFindingFilter extends Omit<FindingFilter, 'proposed'> {
  firmwareIds?: string[]
  firmwareVersionIds?: string[]
  packageIds?: string[]
  activeOnly?: boolean
  /** Only packages that a device runs. */
  affectedDevicesOnly?: boolean
  /** Only rows that are overdue. */
  overdue?: true
  /** By severity: rows that were detected before are overdue. What `overdue` means, once the targets are known. */
  dueBefore?: Partial<Record<Severity, Date>>
  /** What `name` or `components` find, once they have been looked up: it takes their place. */
  named?: Named
}

/** The packages and vulnerabilities of the workspace that have one of the names. */
export interface Named {
  packageIds: string[]
  vulnerabilityIds: string[]
  /** Components all packages of which are named, and the named packages of all others. */
  componentNames: string[]
  otherPackageIds: string[]
  /** Whether so much has the names that a page is soon full where rows are read in order. */
  isBroad: boolean
  /** Instead: all packages that devices run. The finding must be in a version that devices run. */
  isRunning?: true
}

export interface Filtered {
  workspaceId: string
  filter: WorkspaceFindingFilter
  moment: Moment
}

/** Of all versions of the workspace, and as they are now. */
export const isWhole = ({
  filter,
  isCurrent,
}: {
  filter: WorkspaceFindingFilter
  isCurrent: boolean
}) => isCurrent && (filter.firmwareIds ?? filter.firmwareVersionIds) === undefined

/** Restricts facts to the requested firmware versions; other versions are ignored. */
export function versionsInScope(
  table: 'fact' | 'held',
  { workspaceId, filter }: Pick<Filtered, 'workspaceId' | 'filter'>,
): RawBuilder<unknown> {
  const { firmwareIds, firmwareVersionIds } = filter
  const id = sql.ref(`${table}.firmwareVersionId`)
  const ofFirmwares =
    firmwareIds &&
    sql`and ${id} in (select version.id from firmware_versions as version
      where version.workspace_id = ${workspaceId} and version.firmware_id = any(${firmwareIds}::uuid[]))`
  return sql`${ofFirmwares ?? sql``} ${
    firmwareVersionIds ? sql`and ${id} = any(${firmwareVersionIds}::uuid[])` : sql``
  }`
}

/** Conditions on the package alone. */
export function packageConditions({ workspaceId, filter }: Filtered): RawBuilder<unknown> {
  const { components, firmwareIds, firmwareVersionIds } = filter
  return sql`
    ${components ? sql`and ${any(components.map((one) => hasMember(workspaceId, one)))}` : sql``}
    ${
      (firmwareIds ?? firmwareVersionIds)
        ? sql`and owned.package_id in (
            select fact.package_id from firmware_version_packages as fact
            where fact.workspace_id = ${workspaceId} ${versionsInScope('fact', { workspaceId, filter })})`
        : sql``
    }`
}

export function hasMember(
  workspaceId: string,
  { vendor, packageName, version }: NonNullable<FindingFilter['components']>[number],
): RawBuilder<unknown> {
  return sql`owned.package_id in (
    select member.package_id
    from sbom_components as member
    join sboms as sbom on sbom.workspace_id = member.workspace_id and sbom.id = member.sbom_id
    where member.workspace_id = ${workspaceId} and sbom.parsing_state = 'Succeeded'
      and member.package_id is not null
      ${vendor === undefined ? sql`` : sql`and member.vendor = ${vendor}`}
      ${packageName === undefined ? sql`` : sql`and member.package_name collate "C" = ${packageName}`}
      ${version === undefined ? sql`` : sql`and member.version = ${version}`})`
}

export const LISTED_EXPLOITS = sql`(
  select id from vulnerabilities where is_known_exploit
  union select cve_id from eu_exploited_entries)`

const KNOWN_EXPLOITS = sql`(select id from vulnerabilities where is_known_exploit)`

const isOf = (ids: RawBuilder<unknown>, isWanted: boolean | undefined) =>
  isWanted !== undefined && sql`match.vulnerability_id ${isWanted ? sql`` : sql`not`} in ${ids}`

/** Conditions on the vulnerability and its match. */
export function matchConditions({ workspaceId, filter }: Filtered): RawBuilder<unknown> {
  const { severities, confidences, cveIds, packageIds, knownCisaExploit, exploited, name, named } =
    filter
  const all = [
    severities && ofSeverities(severities),
    confidences && sql`match.confidence = any(${confidences}::text[])`,
    cveIds &&
      sql`match.vulnerability_id in (select vulnerability_id from vulnerability_aliases
        where alias = any(${cveIds}::text[]))`,
    packageIds && sql`match.package_id = any(${packageIds}::uuid[])`,
    isOf(KNOWN_EXPLOITS, knownCisaExploit),
    isOf(LISTED_EXPLOITS, exploited),
    isOf(DISPUTED, filter.disputed),
    name && isNamed(partsOf(name)),
    named && isMeant(workspaceId, named),
    filter.dueBefore && isLate(workspaceId, filter.dueBefore),
    ...fuzzingConditions(workspaceId, filter),
  ].filter((condition) => condition !== undefined && condition !== false)
  return sql.join(
    all.map((condition) => sql`and ${condition}`),
    sql` `,
  )
}

/** `is true` keeps PostgreSQL from joining the packages, of which it does not know how many there are. */
const isMeant = (workspaceId: string, { packageIds, vulnerabilityIds, isRunning }: Named) =>
  isRunning
    ? sql`(match.package_id in (
  select run.package_id from workspace_packages as run
  where run.workspace_id = ${workspaceId} and run.device_magnitude > 0)) is true`
    : sql`(match.package_id = any(${packageIds}::uuid[])
  or match.vulnerability_id = any(${vulnerabilityIds}::text[]))`

/** The workspace keeps when the first finding of the row was detected. */
const isLate = (workspaceId: string, dueBefore: DueBefore) => sql`exists (
    select from workspace_matches as late
    where late.workspace_id = ${workspaceId} and late.vulnerability_id = match.vulnerability_id
      and late.package_id = match.package_id and late.detected_at < ${limitOf(dueBefore)})`

type DueBefore = NonNullable<WorkspaceFindingFilter['dueBefore']>

/** Findings of `match` that were detected before are overdue; null: those of its severity never are. */
export function limitOf(dueBefore: DueBefore): RawBuilder<unknown> {
  const limits = Object.entries(dueBefore).map(
    ([severity, before]) => sql`when ${severity} then ${before}::timestamptz`,
  )
  return sql`case match.severity ${sql.join(limits, sql` `)} end`
}

/** A crash that somebody assessed is listed wherever it is found. */
function fuzzingConditions(
  workspaceId: string,
  { fuzzing, withoutFuzzing }: WorkspaceFindingFilter,
) {
  return [
    fuzzing !== undefined && sql`${IS_FUZZING} = ${fuzzing}`,
    withoutFuzzing === true &&
      sql`(not ${IS_FUZZING} or match.vulnerability_id in (
        select assessed.vulnerability_id from finding_decisions as assessed
        where assessed.workspace_id = ${workspaceId} and assessed.assessment <> 'NotAssessed'
          and assessed.vulnerability_id >= 'OSV-' and assessed.vulnerability_id < 'OSV.'))`,
  ]
}

/** The bounds come first: they limit the range of the index that has the order of the list. */
function ofSeverities(severities: readonly Severity[]): RawBuilder<unknown> {
  const ranks = severities.map((severity) => SEVERITIES.toReversed().indexOf(severity) + 1)
  return sql`(match.severity = any(${severities}::text[]) and ${severityRank.value} >= ${smallestOf(ranks, SEVERITIES.length)}
    and ${severityRank.value} <= ${largestOf(ranks, 0)})`
}

/** The join that `isNamed` needs. A join, as PostgreSQL does not always hash a list of unknown length. */
export function namedJoins({
  workspaceId,
  filter: { name },
}: Pick<Filtered, 'workspaceId' | 'filter'>): RawBuilder<unknown> {
  if (!name) return sql``
  const parts = partsOf(name)
  // Only what the workspace has is searched: knowledge and the packages of others may be much more.
  return sql`
    left join (${namedVulnerabilities(workspaceId, parts)}) as named on named.vulnerability_id = match.vulnerability_id
    left join (
      select distinct known.package_id
      from workspace_packages as held
      join package_keys as known on known.package_id = held.package_id
      where held.workspace_id = ${workspaceId} and ${containsAny(sql`substring(known.key from '[^:/]*$')`, parts)}
    ) as keyed on keyed.package_id = match.package_id`
}

export const namedVulnerabilities = (workspaceId: string, parts: readonly string[]) => sql`
  ${calledSo(workspaceId, parts)}
  union
  select known.vulnerability_id
  from workspace_vulnerabilities as counted
  join vulnerability_aliases as known on known.vulnerability_id = counted.vulnerability_id
  where counted.workspace_id = ${workspaceId} and ${containsAny(lowered(sql`known.alias`, parts), parts)}`

/** The same for a workspace with much of what is known: those ids and aliases are searched first that it may lack. */
export const namedVulnerabilitiesOfMany = (workspaceId: string, parts: readonly string[]) => sql`
  ${calledSo(workspaceId, parts)}
  union
  select known.vulnerability_id
  from unnest(${rangesOf(parts).map(([from]) => from)}::text[], ${rangesOf(parts).map(([, to]) => to)}::text[])
    as range (from_id, to_id)
  cross join lateral (
    select each.vulnerability_id from vulnerability_aliases as each
    where each.alias >= range.from_id collate "C" and each.alias < range.to_id collate "C"
      and ${containsAny(lowered(sql`each.alias`, parts), parts)} offset 0
  ) as known
  where exists (
    select from workspace_vulnerabilities as counted
    where counted.workspace_id = ${workspaceId} and counted.vulnerability_id = known.vulnerability_id offset 0)`

const calledSo = (workspaceId: string, parts: readonly string[]) => sql`
  select counted.vulnerability_id from workspace_vulnerabilities as counted
  where counted.workspace_id = ${workspaceId}
    and ${containsAny(lowered(keptName(sql`counted`), parts), parts)}`

/** The name of a row of `workspace_vulnerabilities`, which is copied to it within a minute. */
export const keptName = (row: RawBuilder<unknown>) => sql`coalesce(${row}.name, (
  select known.name collate "C" from vulnerabilities as known where known.id = ${row}.vulnerability_id))`

/** The EPSS score of a row of what the workspace keeps, which is copied to it within a minute; -1: there is none. */
export const keptScore = (row: RawBuilder<unknown>) => sql`coalesce(${row}.epss_score, (
  select known.score from epss_scores as known where known.cve_id = ${row}.vulnerability_id), '-1'::real)`

/** Most ids consist of few characters, so that most words cannot be part of them. In order. */
const IDS = [
  { prefix: 'CVE-', characters: /^[cve\d-]*$/ },
  { prefix: 'EUVD-', characters: /^[euvd\d-]*$/ },
]

/** Half-open ranges of the aliases that may contain one of the parts. */
function rangesOf(parts: readonly string[]): [string, string][] {
  const impossible = IDS.filter(({ characters }) => parts.every((part) => !characters.test(part)))
  const starts = ['', ...impossible.map(({ prefix }) => `${prefix.slice(0, -1)}.`)]
  return starts.map((start, index) => [start, impossible[index]?.prefix ?? '\u{10FFFF}'])
}

function isNamed(parts: readonly string[]): RawBuilder<unknown> {
  return sql`(named.vulnerability_id is not null or keyed.package_id is not null
    or ${containsAny(lowered(sql`fact.component_name`, parts), parts)})`
}

/** Conditions on `recent`, a row of `workspace_matches`: the widest bounds of when it was detected. */
export function detectedIn({ detectedSince, dueBefore }: WorkspaceFindingFilter) {
  const last = dueBefore && new Date(largestOf(Object.values(dueBefore).map(Number)))
  const since =
    detectedSince === undefined
      ? sql``
      : sql`and recent.detected_at >= ${parseInstant(detectedSince, SINCE)}::timestamptz`
  return sql`${since} ${last ? sql`and recent.detected_at < ${last}::timestamptz` : sql``}`
}
/** Of rows that were detected then. */
export const sinceOf = (
  { filter: { detectedSince: since } }: Pick<Filtered, 'filter'>,
  detected: RawBuilder<unknown>,
) =>
  since === undefined ? sql`` : sql`and ${detected} >= ${parseInstant(since, SINCE)}::timestamptz`
