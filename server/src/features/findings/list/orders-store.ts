/**
 * What each order of the list of a version's findings compares: of `fact` and `match`, which the list joins; and the order by
 * risk of the lists of a workspace, which counts devices.
 */
import { type RawBuilder, sql } from 'kysely'
import { ASSESSMENTS } from '../../../formats/assessments.ts'
import { severityRankSql } from '../../../formats/advisories/severity.ts'
import { type SortKey, types } from '../../../platform/db/keyset-paging.ts'
import { epssScoreAt, isKnownExploitAt, isListedExploitAt, type Moment } from '../as-of-store.ts'
import { parseInstant } from '../../../formats/instants.ts'
import type { SortColumn } from '../schemas.ts'
import type { FindingFilter } from './schemas.ts'
import { asksOutcomes, selectVersionOutcome, type VersionOutcomes } from '../../ssvc/index.ts'

/** The vulnerabilities are read once and hashed: they are few. */
export const IS_DISPUTED = sql`(match.vulnerability_id in (select id from vulnerabilities where is_disputed))`

/**
 * The first instant at which the version held the package while it matched. Interruptions do not change it. `table` has
 * since when and until when the version held the package.
 */
export const selectDetectedAt = (table: 'fact' | 'match') => sql`(
  select min(greatest(held.since, seen.since))
  from package_matches as seen
  cross join unnest(${sql.ref(`${table}.sinces`)}, ${sql.ref(`${table}.untils`)}) as held (since, until)
  where seen.package_id = match.package_id and seen.vulnerability_id = match.vulnerability_id
    and greatest(held.since, seen.since) < least(held.until, coalesce(seen.until, 'infinity')))`

/** The same for all findings at once. Usually package or match already held when the other one first did. */
export const DETECTED_AT = sql`(
  case when greatest(fact.sinces[1], match.first_since)
      < least(fact.untils[1], coalesce(match.first_until, 'infinity'))
    then greatest(fact.sinces[1], match.first_since) else ${selectDetectedAt('fact')} end)`

/** Joins what the list shows and sorts by of the vulnerability of `match`. */
export const VULNERABILITY = sql`cross join lateral (
  select vulnerability.name, vulnerability.is_disputed, vulnerability.is_known_exploit,
    vulnerability.known_exploit_since, vulnerability.ssvc_class
  from vulnerabilities as vulnerability where vulnerability.id = match.vulnerability_id limit 1
) as vulnerability`
export const SCORE = sql`left join lateral (
  select epss.score from epss_scores as epss where epss.cve_id = match.vulnerability_id limit 1
) as epss on true`

/** Each match with the first time that it held. */
export const TIMED_MATCHES = sql`(
  select match.*, first_value(match.since) over earlier as first_since,
    first_value(match.until) over earlier as first_until
  from package_matches as match where match.package_id = fact.package_id
  window earlier as (partition by match.vulnerability_id order by match.since)
)`

/** The prefix is OSS-Fuzz's own in OSV; a record that has a CVE belongs to that vulnerability. */
export const IS_FUZZING = sql`(match.vulnerability_id >= 'OSV-' and match.vulnerability_id < 'OSV.')`

/** The filter or the order needs the vulnerability of each finding. */
export const asksVulnerability = ({
  filter,
  sortColumn,
}: {
  filter: FindingFilter
  sortColumn?: SortColumn | undefined
}) =>
  filter.name !== undefined ||
  asksOutcomes(filter) ||
  sortColumn === 'Name' ||
  sortColumn === 'Ssvc'

export const parseDetectedSince = (detectedSince: string) =>
  sql`${parseInstant(detectedSince, '/filter/detectedSince')}::timestamptz`

const severityRank: SortKey = {
  value: sql.raw(severityRankSql('match.severity')),
  type: types.integer,
}
const score: SortKey = { value: sql`coalesce(match.score, '-1'::real)`, type: types.real }
const epss = (moment: Moment): SortKey => ({
  value: sql`coalesce(${epssScoreAt(moment)}, '-1'::real)`,
  type: types.real,
})

/** Makes every order total. */
const ID: readonly SortKey[] = [
  { value: sql`match.vulnerability_id`, type: types.text },
  { value: sql`fact.package_id`, type: types.uuid },
]

export function listSortKeys(
  sortColumn: Exclude<SortColumn, 'Risk'>,
  { moment, ssvc }: { moment: Moment; ssvc?: VersionOutcomes },
): readonly SortKey[] {
  const orders: Record<Exclude<SortColumn, 'Risk'>, readonly SortKey[]> = {
    Severity: [severityRank, score],
    CvssScore: [score],
    EpssScore: [epss(moment)],
    CveId: [],
    Name: [{ value: sql`vulnerability.name collate "C"`, type: types.text }],
    ComponentName: [{ value: sql`fact.component_name`, type: types.text }],
    ComponentVersion: [
      { value: sql`coalesce(fact.component_version, '') collate "C"`, type: types.text },
    ],
    Assessment: [
      {
        value: sql`array_position(${[...ASSESSMENTS]}::text[], coalesce(decision.assessment, 'NotAssessed'))`,
        type: types.integer,
      },
    ],
    KnownCisaExploit: [{ value: sql`${isKnownExploitAt(moment)}::integer`, type: types.integer }],
    DetectedAt: [{ value: DETECTED_AT, type: types.time }],
    Ssvc: [
      ...(ssvc ? [{ value: selectVersionOutcome(ssvc), type: types.integer }] : []),
      severityRank,
      score,
    ],
  }
  return [...orders[sortColumn], ...ID]
}

/**
 * By risk: what is compared `first`, which needs no look-up, and what is compared after that, `rest`. At present, the lists of exploited
 * vulnerabilities are read once and hashed: they are shorter than the findings of a kernel.
 */
export function listRiskKeys(moment: Moment, areDisputedLast: boolean) {
  const isListed = moment.isPast
    ? isListedExploitAt(moment)
    : sql`(match.vulnerability_id in (select id from vulnerabilities where is_known_exploit)
        or match.vulnerability_id in (select cve_id from eu_exploited_entries))`
  const undisputed = { value: sql`(not ${IS_DISPUTED})::integer`, type: types.integer }
  const listed = { value: sql`${isListed}::integer`, type: types.integer }
  const first: SortKey[] = [...(areDisputedLast ? [undisputed] : []), listed, severityRank]
  const rest: SortKey[] = [epss(moment), score, ...ID]
  return { first, rest }
}

/** EPSS scores from which exploitation is possible, likely and very likely: among 100 records some 40, 7 and 2 have more. */
const LIKELIHOOD_BOUNDS = [0.01, 0.1, 0.5]

interface RiskColumns {
  isExploited: RawBuilder<unknown>
  /** How many digits the number of devices has; 0: none. */
  magnitude: RawBuilder<unknown>
  severityRank: RawBuilder<unknown>
  /** -1: none. */
  epssScore: RawBuilder<unknown>
}

const bounds = sql`array[${sql.join(LIKELIHOOD_BOUNDS.map((bound) => sql.lit(bound)))}]::real[]`

/**
 * What stands before the exact scores in the order by risk: what is known to be exploited, then what devices run before what none
 * runs, then severity, likelihood, and the magnitude of the number of devices. The number comes late, so that a Low on many devices
 * is not above a High that is likely to be exploited on one. All are digits of one number: it is sorted four times as fast as five.
 */
export function rankFleetRisk({
  isExploited,
  magnitude,
  severityRank: rank,
  epssScore,
}: RiskColumns): SortKey {
  const likelihood = sql`width_bucket(${epssScore}, ${bounds})`
  const value = sql`((((${isExploited}::integer * 2 + (${magnitude} > 0)::integer) * 8 + ${rank}) * 4 + ${likelihood})
    * 16 + ${magnitude})::integer`
  return { value, type: types.integer }
}

/** Of a fact, whenever it held: lists of the past show the owners of now. */
export const isOfVersion = (firmwareVersionId: string) =>
  sql`fact.firmware_version_id = ${firmwareVersionId}`
