/** SQL conditions of the filter for findings of a firmware version. */
import { type RawBuilder, sql } from 'kysely'
import {
  type Assessment,
  CLOSED_ASSESSMENTS,
  CONFIRMED_ASSESSMENTS,
  isActiveSql,
  OPEN_ASSESSMENTS,
} from '../../../formats/assessments.ts'
import type { Severity } from '../../../formats/advisories/model.ts'
import { parseInstant } from '../../../formats/instants.ts'
import {
  type FirmwareVersion,
  isKnownExploitAt,
  isListedExploitAt,
  type Moment,
} from '../as-of-store.ts'
import type { Confidence } from '../../matching/index.ts'
import { proposedFindings } from '../proposals-store.ts'

export interface FindingFilter {
  /** Only those that count: neither ignored nor closed, and not of low confidence unless somebody confirmed them. */
  activeOnly?: boolean
  /** Ids or aliases of vulnerabilities. */
  cveIds?: string[]
  severities?: Severity[]
  assessments?: Assessment[]
  confidences?: Confidence[]
  ignored?: boolean
  knownCisaExploit?: boolean
  /** Named by any list of exploited vulnerabilities. */
  exploited?: boolean
  /** A record says that somebody disputes it. */
  disputed?: boolean
  name?: { contains: string }[]
  components?: { vendor?: string; packageName?: string; version?: string }[]
  recheck?: boolean
  previouslyIgnored?: boolean
  previousAssessments?: Assessment[]
  proposed?: boolean
  /** A date-time. */
  detectedSince?: string
  /** A crash that OSS-Fuzz found, without CVE. */
  fuzzing?: boolean
  /** The workspace has switched such crashes off, as long as nobody assessed them. */
  withoutFuzzing?: boolean
}

/** The prefix is OSS-Fuzz's own in OSV; a record that has a CVE belongs to that vulnerability. */
export const IS_FUZZING = sql`(match.vulnerability_id >= 'OSV-' and match.vulnerability_id < 'OSV.')`

const DISPUTED = sql`(select id from vulnerabilities where is_disputed)`
/** They are read once and hashed: they are few. */
export const IS_DISPUTED = sql`(match.vulnerability_id in ${DISPUTED})`

export const assessment = sql`coalesce(decision.assessment, 'NotAssessed')`
export const SINCE = '/filter/detectedSince'
export const ignored = sql`coalesce(decision.ignored, false)`

/** Conditions on the earlier decision that the mark to check again names. */
export function previously({ previouslyIgnored, previousAssessments }: FindingFilter) {
  return [
    previouslyIgnored !== undefined &&
      sql`coalesce((decision.previous_decision -> 'ignored')::boolean, false) = ${previouslyIgnored}`,
    previousAssessments &&
      sql`decision.previous_decision ->> 'assessment' = any(${previousAssessments}::text[])`,
  ]
}

interface FilteredVersion extends FirmwareVersion {
  filter: FindingFilter
  moment: Moment
  /** When the finding was first detected. */
  detectedAt: RawBuilder<unknown>
}

const IDS_OF = sql`vulnerability_id from vulnerability_aliases where alias =`

/** Conditions on the match alone. */
export function ofMatches({
  cveIds,
  severities,
  confidences,
  fuzzing,
  disputed,
}: FindingFilter): RawBuilder<unknown> {
  return sql`${cveIds ? sql`and match.vulnerability_id in (select ${IDS_OF} any(${cveIds}::text[]))` : sql``}
    ${severities ? sql`and match.severity = any(${severities}::text[])` : sql``}
    ${confidences ? sql`and match.confidence = any(${confidences}::text[])` : sql``}
    ${disputed === undefined ? sql`` : sql`and ${IS_DISPUTED} = ${disputed}`}
    ${fuzzing === undefined ? sql`` : sql`and ${IS_FUZZING} = ${fuzzing}`}`
}

/** Conditions on the package alone. */
export function ofPackages(
  version: FirmwareVersion,
  { components }: FindingFilter,
): RawBuilder<unknown> {
  return components ? sql`and ${any(components.map((one) => hasMember(version, one)))}` : sql``
}

type Scope = Pick<FilteredVersion, 'filter' | 'moment' | keyof FirmwareVersion>

/** Whether the conditions or the order need the decision of each finding, as `decision`. */
export function asksDecision({ filter, moment }: Pick<Scope, 'filter' | 'moment'>): boolean {
  const { assessments, activeOnly, withoutFuzzing } = filter
  const always = [filter.ignored, filter.recheck, filter.proposed, filter.previouslyIgnored]
  const single = [...always, filter.previousAssessments]
  if (single.some((one) => one !== undefined)) return true
  if (assessments && !assessments.includes('NotAssessed')) return true
  const asksAny = activeOnly === true || withoutFuzzing === true || assessments !== undefined
  return moment.isPast && asksAny
}

/**
 * Conditions that most findings meet without a decision. The decisions of the version against them are read once and hashed:
 * to look up the decision of each finding of a kernel takes five times as long.
 */
function byDecision(scope: Scope) {
  const { assessments, activeOnly, withoutFuzzing } = scope.filter
  if (asksDecision(scope))
    return [
      activeOnly === true && sql.raw(isActiveSql()),
      assessments && sql`${assessment} = any(${assessments}::text[])`,
      withoutFuzzing === true && sql`(not ${IS_FUZZING} or ${assessment} <> 'NotAssessed')`,
    ]
  const isDecided = (
    how: RawBuilder<unknown>,
  ) => sql`(match.package_id, match.vulnerability_id) in (
    select decided.package_id, decided.vulnerability_id from finding_decisions as decided
    where decided.workspace_id = ${scope.workspaceId}
      and decided.firmware_version_id = ${scope.firmwareVersionId} and ${how})`
  const isOf = (names: readonly Assessment[]) =>
    sql`decided.assessment = any(${[...names]}::text[])`
  return [
    activeOnly === true &&
      sql`not ${isDecided(sql`(decided.ignored or ${isOf(CLOSED_ASSESSMENTS)})`)}`,
    activeOnly === true &&
      sql`(match.confidence <> 'Low' or ${isDecided(isOf(CONFIRMED_ASSESSMENTS))})`,
    assessments && sql`not ${isDecided(sql`not ${isOf(assessments)}`)}`,
    withoutFuzzing === true &&
      sql`(not ${IS_FUZZING} or ${isDecided(sql`decided.assessment <> 'NotAssessed'`)})`,
  ]
}

/** All other conditions. */
export function restrictions({
  filter,
  moment,
  detectedAt,
  ...version
}: FilteredVersion): RawBuilder<unknown> {
  const { knownCisaExploit, name } = filter
  const all = [
    ...byDecision({ ...version, filter, moment }),
    filter.ignored !== undefined && sql`${ignored} = ${filter.ignored}`,
    knownCisaExploit !== undefined && sql`${isKnownExploitAt(moment)} = ${knownCisaExploit}`,
    filter.exploited !== undefined && sql`${isListedExploitAt(moment)} = ${filter.exploited}`,
    name && isNamed(version, partsOf(name)),
    filter.recheck !== undefined && sql`(decision.recheck_reason is not null) = ${filter.recheck}`,
    ...previously(filter),
    filter.proposed !== undefined && sql`${isProposed(version)} = ${filter.proposed}`,
    filter.detectedSince !== undefined &&
      sql`${detectedAt} >= ${parseInstant(filter.detectedSince, SINCE)}::timestamptz`,
  ].filter((condition) => condition !== false && condition !== undefined)
  return sql.join(
    all.map((condition) => sql`and ${condition}`),
    sql` `,
  )
}

/**
 * Proposals of the present, also in a list of a past instant. They are looked up in one object of all of them: the planner
 * cannot estimate how many there are, and compares each with each finding if it expects too many to hash.
 */
function isProposed(version: FirmwareVersion): RawBuilder<unknown> {
  return sql`(${assessment} = any(${[...OPEN_ASSESSMENTS]}::text[])
    and jsonb_exists((
      select coalesce(jsonb_object_agg(package_id || ' ' || vulnerability_id, true), '{}')
      from (${proposedFindings(version)}) as proposed
    ), fact.package_id || ' ' || match.vulnerability_id))`
}

/** Any of the alternatives; none for an empty list. */
export function any(alternatives: readonly RawBuilder<unknown>[]): RawBuilder<unknown> {
  return alternatives.length === 0 ? sql`false` : sql`(${sql.join(alternatives, sql` or `)})`
}

/** One part is searched with `strpos`, which takes half as long. More are one condition: the text is built once. */
export const containsAny = (text: RawBuilder<unknown>, parts: readonly string[]) =>
  parts.length === 1
    ? sql`strpos(${text} collate "C", ${parts[0]}::text) > 0`
    : sql`${text} collate "C" like any(${parts.map((part) => `%${part.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`)}::text[])`

/** Letters of ASCII are found by lowering these alone, which takes half as long. */
export const lowered = (text: RawBuilder<unknown>, parts: readonly string[]) =>
  parts.every((part) => /^[\0-\x7f]*$/.test(part))
    ? sql`lower(${text} collate "C")`
    : sql`lower(${text} collate "default")`

export const partsOf = (name: NonNullable<FindingFilter['name']>) =>
  name.map(({ contains }) => contains.toLowerCase())

/** Searches the package's names in advisories too: people search for `openssl`, though `libcrypto3` is shown. */
function isNamed(version: FirmwareVersion, parts: readonly string[]): RawBuilder<unknown> {
  return sql`(${containsAny(lowered(sql`vulnerability.name`, parts), parts)}
    or ${containsAny(lowered(sql`match.vulnerability_id`, parts), parts)}
    or ${containsAny(lowered(sql`fact.component_name`, parts), parts)}
    or fact.package_id in (
      select held.package_id
      from firmware_version_packages as held
      join packages as package on package.id = held.package_id
      cross join jsonb_array_elements(package.identity -> 'pairs') as pair
      where held.workspace_id = ${version.workspaceId} and held.firmware_version_id = ${version.firmwareVersionId}
        and ${containsAny(sql`substring(pair ->> 'key' from '[^:/]*$')`, parts)})
    or (
      select true from vulnerability_aliases as other
      where other.vulnerability_id = match.vulnerability_id and other.alias <> other.vulnerability_id
        and ${containsAny(lowered(sql`other.alias`, parts), parts)}
      limit 1))`
}

/** Starts from the components of the version, which are few; a package may have components in many versions. */
function hasMember(
  { workspaceId, firmwareVersionId }: FirmwareVersion,
  { vendor, packageName, version }: NonNullable<FindingFilter['components']>[number],
): RawBuilder<unknown> {
  return sql`fact.package_id = any(array(
    select distinct member.package_id
    from sboms as sbom
    join sbom_components as member
      on member.workspace_id = sbom.workspace_id and member.sbom_id = sbom.id
    where sbom.workspace_id = ${workspaceId} and sbom.firmware_version_id = ${firmwareVersionId}
      and sbom.parsing_state = 'Succeeded' and member.package_id is not null
      ${vendor === undefined ? sql`` : sql`and member.vendor = ${vendor}`}
      ${packageName === undefined ? sql`` : sql`and member.package_name = ${packageName}`}
      ${version === undefined ? sql`` : sql`and member.version = ${version}`}))`
}
