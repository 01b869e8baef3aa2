/**
 * What names, components and packages of a filter stand for: looked up before the lists, among what the workspace has. And the findings that a
 * filter selects, one for each firmware version, for decisions about all of them.
 */
import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../../platform/db/connect.ts'
import {
  containsAny,
  containsAnyLowered,
  joinAll,
  joinAny,
  lowerParts,
} from '../../../platform/db/conditions.ts'
import { OPEN_ASSESSMENTS } from '../../../formats/assessments.ts'
import type { FindingKey } from '../../../formats/finding-id.ts'
import { selectOutcome, selectOutcomeLimit, selectRatedClass } from '../../ssvc/index.ts'
import { assessment } from '../as-of-store.ts'
import type { FindingFilter } from '../list/schemas.ts'
import { parseDetectedSince } from '../list/orders-store.ts'
import { proposedFindings } from '../proposals-store.ts'
import {
  selectDueLimit,
  type FilterScope,
  isInVersions,
  type MatchSet,
  meetsFilter,
  meetsFindingFilter,
} from './filter-store.ts'

/** The condition on `owned`, a package of the workspace. */
type PackageCondition = RawBuilder<unknown>

/**
 * Looks up names among the packages and vulnerabilities of the workspace. In one with few vulnerabilities their aliases are
 * looked up one by one, which takes 10 µs each, whatever all sources know. In one with more, all known aliases are searched that
 * may contain the text: 28,000 look-ups take 300 ms, the other aliases of 300,000 advisories 30.
 */
export function findNamed(
  db: Db,
  { workspaceId, fewMatches }: { workspaceId: string; fewMatches: number },
  name: NonNullable<FindingFilter['name']>,
): Promise<MatchSet> {
  const parts = lowerParts(name)
  const [from, to] = [
    rangesOf(parts).map(([first]) => first),
    rangesOf(parts).map(([, end]) => end),
  ]
  // The whole key first: most keys do not contain the part, and cutting them takes longer than searching. With `exists` in
  // place of the limit, PostgreSQL may read the keys of all workspaces first.
  const isNamed = sql`(${containsAnyLowered(sql`owned.component_name`, parts)} or (
    select true from package_keys as known where known.package_id = owned.package_id
      and case when ${containsAny(sql`known.key`, parts)}
        then ${containsAny(sql`substring(known.key from '[^:/]*$')`, parts)} else false end
    limit 1) is true)`
  const pairs = sql`workspace_component_vulnerabilities as pair where pair.workspace_id = ${workspaceId}`
  const isFew = sql`(
    select count(*) <= ${fewMatches} from (select from ${pairs} limit ${fewMatches}::int + 1) as counted)`
  const vulnerabilities = sql`
    select pair.vulnerability_id from ${pairs} and (${containsAnyLowered(sql`pair.name`, parts)} or (${isFew} and (
      select true from vulnerability_aliases as known
      where known.vulnerability_id = pair.vulnerability_id and ${containsAnyLowered(sql`known.alias`, parts)}
      limit 1) is true))
    union
    select known.vulnerability_id from unnest(${from}::text[], ${to}::text[]) as range (from_alias, to_alias)
    cross join lateral (
      select each.vulnerability_id from vulnerability_aliases as each
      where not ${isFew} and each.alias >= range.from_alias collate "C" and each.alias < range.to_alias collate "C"
        and ${containsAnyLowered(sql`each.alias`, parts)} offset 0
    ) as known
    where (known.vulnerability_id in (select pair.vulnerability_id from ${pairs})) is true`
  return findSet(db, workspaceId, isNamed, vulnerabilities)
}

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

type Declared = NonNullable<FindingFilter['components']>[number]

/** Components, `member`, that SBOMs, `sbom`, declare so. */
const selectDeclaredMembers = (
  workspaceId: string,
  { vendor, packageName, version }: Declared,
) => sql`
  sbom_components as member
  join sboms as sbom on sbom.workspace_id = member.workspace_id and sbom.id = member.sbom_id
  where member.workspace_id = ${workspaceId} and sbom.parsing_state = 'Succeeded' and member.package_id is not null
    and ${joinAll([
      vendor !== undefined && sql`member.vendor = ${vendor}`,
      packageName !== undefined && sql`member.package_name collate "C" = ${packageName}`,
      version !== undefined && sql`member.version = ${version}`,
    ])}`

/** The packages with a member that an SBOM declares so. */
export function findDeclared(
  db: Db,
  workspaceId: string,
  components: readonly Declared[],
): Promise<MatchSet> {
  const isDeclared = joinAny(
    components.map(
      (one) =>
        sql`owned.package_id in (select member.package_id from ${selectDeclaredMembers(workspaceId, one)})`,
    ),
  )
  return findSet(db, workspaceId, isDeclared)
}

export const findOfPackages = (db: Db, workspaceId: string, packageIds: readonly string[]) =>
  findSet(db, workspaceId, sql`owned.package_id = any(${[...packageIds]}::uuid[])`)

async function findSet(
  db: Db,
  workspaceId: string,
  isMeant: PackageCondition,
  vulnerabilities: RawBuilder<unknown> = sql`select null::text where false`,
): Promise<MatchSet> {
  const { rows } = await sql<MatchSet>`
    with owned as materialized (
      select owned.package_id, owned.component_name, ${isMeant} as is_meant from workspace_packages as owned
      where owned.workspace_id = ${workspaceId} and owned.version_count > 0
    )
    select array(select package_id from owned where is_meant) as package_ids,
      array(select distinct component_name from owned where is_meant) as component_names,
      array(select component_name from owned group by component_name having bool_and(is_meant)) as whole_component_names,
      array(${vulnerabilities}) as vulnerability_ids`.execute(db)
  const [found] = rows
  if (found === undefined) throw new Error('a query without tables always has a row')
  return found
}

/** The first instant at which the version held the package while it matched. */
const detectedAtIn = (workspaceId: string) => sql`(
  select min(greatest(held.since, seen.since))
  from firmware_version_packages as held
  join package_matches as seen on seen.package_id = held.package_id
  where held.workspace_id = ${workspaceId} and held.firmware_version_id = fact.firmware_version_id
    and held.package_id = fact.package_id and seen.vulnerability_id = match.vulnerability_id
    and greatest(held.since, seen.since)
      < least(coalesce(held.until, 'infinity'), coalesce(seen.until, 'infinity')))`

function isProposed({ workspaceId, filter }: FilterScope): RawBuilder<unknown> {
  const inVersions = (filter.firmwareVersionIds ?? []).map(
    (firmwareVersionId) => sql`(fact.firmware_version_id = ${firmwareVersionId}::uuid
      and (fact.package_id, match.vulnerability_id) in (${proposedFindings({ workspaceId, firmwareVersionId })}))`,
  )
  return sql`(${assessment} = any(${[...OPEN_ASSESSMENTS]}::text[]) and ${joinAny(inVersions)})`
}

/** The class of the vulnerability, and the contexts of the version of the finding itself, whatever other versions hold its package. */
const ratedFinding = (workspaceId: string) => sql`workspace_component_vulnerabilities as rated
    join workspace_versions as numbered on numbered.workspace_id = ${workspaceId}
      and numbered.firmware_version_id = fact.firmware_version_id
    where rated.workspace_id = ${workspaceId} and rated.component_name = match.component_name
      and rated.vulnerability_id = match.vulnerability_id`

function findingHasOutcome({ workspaceId, ssvc }: FilterScope): RawBuilder<unknown> | undefined {
  if (!ssvc?.wanted) return undefined
  const outcome = selectOutcome(ssvc, selectRatedClass('rated'), sql`numbered.ssvc_contexts`)
  return sql`exists (
    select from ${ratedFinding(workspaceId)} and ${outcome} = any(${[...ssvc.wanted]}::int[]))`
}

/** By severity a finding is overdue with its match; by outcome, which may be another one in each version, by itself. */
function findingIsOverdue(scope: FilterScope): RawBuilder<unknown> | undefined {
  const { workspaceId, dueBefore, dueByOutcome } = scope
  if (!dueBefore) return undefined
  const ofSeverity = sql`match.detected_at < ${selectDueLimit('match', dueBefore)}`
  if (!dueByOutcome) return ofSeverity
  const limit = selectOutcomeLimit(
    dueByOutcome,
    selectRatedClass('rated'),
    sql`numbered.ssvc_contexts`,
  )
  return sql`(${ofSeverity} or exists (
    select from ${ratedFinding(workspaceId)} and ${detectedAtIn(workspaceId)} < ${limit}))`
}

/** The part of the filter that is the same for all findings of a match. */
function matchFilter(whole: FilterScope): FilterScope {
  const { filter, ssvc: _, dueBefore: __, dueByOutcome: ___, ...scope } = whole
  const told = 'severities exploited knownCisaExploit disputed cveIds fuzzing withoutFuzzing'
  const given = Object.entries(filter).filter(([name]) => told.split(' ').includes(name))
  return { ...scope, filter: Object.fromEntries(given) }
}

/** Unsorted, so that a selection beyond the limit is refused without finding and sorting all of it. */
export async function listSelectedKeys(
  db: Db,
  scope: FilterScope,
  { proposed, limit }: { proposed: boolean | undefined; limit: number },
): Promise<FindingKey[]> {
  const { workspaceId, filter } = scope
  const { components, confidences, detectedSince } = filter
  const { rows } = await sql<FindingKey>`
    select fact.firmware_version_id, fact.package_id, match.vulnerability_id
    from workspace_matches as match
    join package_matches as open on open.package_id = match.package_id
      and open.vulnerability_id = match.vulnerability_id and open.until is null
    join firmware_version_packages as fact
      on fact.workspace_id = ${workspaceId} and fact.package_id = match.package_id and fact.until is null
    left join finding_decisions as decision on decision.workspace_id = ${workspaceId}
      and decision.firmware_version_id = fact.firmware_version_id and decision.package_id = fact.package_id
      and decision.vulnerability_id = match.vulnerability_id
    where match.workspace_id = ${workspaceId} and ${meetsFilter(matchFilter(scope))}
      and ${isInVersions('fact', scope)} and ${meetsFindingFilter(scope, 'open.confidence')}
      and ${joinAll([
        confidences && sql`open.confidence = any(${confidences}::text[])`,
        // The component must be in the version itself, not only in another version that holds the package.
        components &&
          joinAny(
            components.map(
              (one) =>
                sql`exists (select from ${selectDeclaredMembers(workspaceId, one)}
                  and member.package_id = fact.package_id and sbom.firmware_version_id = fact.firmware_version_id)`,
            ),
          ),
        detectedSince !== undefined &&
          sql`${detectedAtIn(workspaceId)} >= ${parseDetectedSince(detectedSince)}`,
        proposed !== undefined && sql`${isProposed(scope)} = ${proposed}`,
        findingHasOutcome(scope),
        findingIsOverdue(scope),
      ])}
    limit ${limit}`.execute(db)
  return rows
}
