/** The cases of a workspace at the end of a period: a vulnerability in a firmware, whatever number of versions has it. */
import { sql } from 'kysely'
import type { Assessment } from '../../formats/assessments.ts'
import type { Db } from '../../platform/db/connect.ts'
import type { Period } from './asked.ts'
import { HELD, RATED, selectFacts } from './facts-store.ts'
import type { PlaceRange } from './facts.ts'

export interface CaseRow {
  firmwareId: string
  vulnerabilityId: string
  /** A place in `RANKS`, from 1. */
  severity: number
  detectedAt: Date
  /** The versions that ever had it, by their place within the firmware. */
  places: PlaceRange[]
  /** Whether any version has it, and counts it, when the period ends. */
  isOpen: boolean
  /** In no version that has it anybody says that it matters. */
  isJudgedAway: boolean
  /** In each version that has it, it is stated to be fixed. */
  isResolved: boolean
  /** When all its findings in a version were stated to be resolved, for the first one. */
  resolvedAt: Date | null
  /** The first decision of a person or a key. */
  decidedAt: Date | null
  decidedBy: string | null
  decidedAs: Assessment | 'Ignored' | null
  /** The first decision by a document or the build, and the first that was carried over. */
  statedAt: Date | null
  carriedAt: Date | null
  /** The first VEX document that was handed out of the version first decided about, after that. */
  publishedAt: Date | null
  /** In the period: when a version had it again, and when a decision that closed it was replaced. */
  returnedAt: Date | null
  reopenedAt: Date | null
}

const FINDING = ['firmware_version_id', 'package_id', 'vulnerability_id']
const sameFinding = (one: string, other: string) =>
  sql.raw(FINDING.map((column) => `${one}.${column} = ${other}.${column}`).join(' and '))
const IS_PERSON = sql`entry.source in ('User', 'ApiKey')`

/** What was taken back before the period ended was never decided. */
const selectDecided = ({ from }: Period) => sql`
  undone as materialized (
    select distinct firmware_version_id, package_id, vulnerability_id, undone_batch_id
    from entry where undone_batch_id is not null
  ), lasting as materialized (
    select entry.*, version.firmware_id
    from entry
    join version on version.firmware_version_id = entry.firmware_version_id
    left join undone on ${sameFinding('undone', 'entry')} and undone.undone_batch_id = entry.batch_id
    where entry.is_decided and undone.undone_batch_id is null
  ), decided as materialized (
    select entry.firmware_id, entry.vulnerability_id, min(entry.created_at) filter (where ${IS_PERSON}) as decided_at,
      min(entry.created_at) filter (where entry.source in ('Vex', 'Build', 'System')) as stated_at,
      min(entry.created_at) filter (where entry.source = 'CarriedOver') as carried_at
    from lasting as entry group by 1, 2
  ), first as materialized (
    select distinct on (entry.firmware_id, entry.vulnerability_id) entry.firmware_id, entry.vulnerability_id,
      entry.created_by_email, entry.firmware_version_id,
      case when entry.ignored then 'Ignored' else entry.assessment end as decided_as
    from lasting as entry where ${IS_PERSON}
    order by entry.firmware_id, entry.vulnerability_id, entry.created_at, entry.id
  ), reopened as materialized (
    select version.firmware_id, each.vulnerability_id, min(each.created_at) as reopened_at
    from (
      select entry.*, lag(entry.is_closed) over (
        partition by firmware_version_id, package_id, vulnerability_id order by created_at, id) as was_closed
      from entry
    ) as each
    join version on version.firmware_version_id = each.firmware_version_id
    where each.was_closed and not each.is_closed and each.undone_batch_id is null and each.created_at >= ${from}
    group by 1, 2
  )`

/**
 * `stretch`: a package in those versions of a firmware that had it until the same instant, so that a firmware of a hundred versions has
 * one row for what a hundred times is the same; `affected`: with each of its vulnerabilities, and `count`: how many of the versions had
 * it while the match held, which are the first ones; `found`: the cases. As many rows as findings are only read where something was
 * decided or has ended.
 */
const SELECT_FOUND = sql`
  stretch as materialized (
    select firmware_id, package_id, until, array_agg(since order by since, place) as sinces,
      array_agg(place order by since, place) as places, range_agg(int4range(place, place + 1)) as all_places
    from fact group by 1, 2, 3
  ), affected as materialized (
    select stretch.firmware_id, match.vulnerability_id, greatest(stretch.sinces[1], match.since) as detected_at,
      match.since, match.severity, shared.count,
      stretch.until is null and match.until is null as is_lasting,
      case when shared.count = cardinality(stretch.places) then stretch.all_places else (
        select range_agg(int4range(place, place + 1)) from unnest(stretch.places[1:shared.count]) as place) end as places
    from stretch
    join match on match.package_id = stretch.package_id and (stretch.until is null or match.since < stretch.until)
    cross join lateral (
      select case when match.until is null then cardinality(stretch.sinces)
        else (select count(*)::int from unnest(stretch.sinces) as since where since < match.until) end as count
    ) as shared
    where shared.count > 0
  ), found as materialized (
    select firmware_id, vulnerability_id, min(detected_at) as detected_at, (${RATED})[2]::int as severity,
      range_agg(places)::text as places, sum(count) as findings, coalesce(sum(count) filter (where is_lasting), 0) as lasting
    from affected as match group by 1, 2
  )`

/**
 * `held_state`: each time that a decided finding held; `judged`: how many of a case's findings are decided how; `resolved`: when the
 * first version was stated to be fixed in all its findings of a case.
 */
const SELECT_JUDGED = sql`
  held_state as materialized (
    select fact.firmware_id, fact.place, state.vulnerability_id, state.assessment, state.is_closed, state.created_at,
      fact.until is null and match.until is null as is_lasting
    from state
    join fact on fact.firmware_version_id = state.firmware_version_id and fact.package_id = state.package_id
    join match on match.vulnerability_id = state.vulnerability_id and ${HELD}
  ), judged as materialized (
    select firmware_id, vulnerability_id, count(*) filter (where is_lasting and is_closed) as lasting_closed,
      count(*) filter (where assessment in ('NotAffected', 'FalsePositive')) as judged_away,
      count(*) filter (where assessment = 'Resolved') as resolved
    from held_state group by 1, 2
  ), stated as materialized (
    select firmware_id, place, vulnerability_id, max(created_at) as at, count(*) as findings
    from held_state where assessment = 'Resolved' group by 1, 2, 3
  ), resolved as materialized (
    select firmware_id, vulnerability_id, min(at) as at
    from (
      select stated.firmware_id, stated.vulnerability_id, stated.at
      from stated
      join affected on affected.firmware_id = stated.firmware_id and affected.vulnerability_id = stated.vulnerability_id
        and affected.places @> stated.place
      group by stated.firmware_id, stated.place, stated.vulnerability_id, stated.at, stated.findings
      having count(*) = stated.findings
    ) as each group by 1, 2
  )`

/** `returned`: when a version had a vulnerability again that it had no more, for the first time in the period. */
const selectReturned = ({ from }: Period) => sql`
  interrupted as materialized (
    select fact.firmware_version_id, match.vulnerability_id
    from (select * from fact where until is not null) as fact join match on ${HELD}
    union
    select fact.firmware_version_id, match.vulnerability_id
    from (select * from match where until is not null) as match join fact on ${HELD}
  ), returned as materialized (
    select each.firmware_id, each.vulnerability_id, min(lower(span)) as at
    from (
      select fact.firmware_id, fact.firmware_version_id, match.vulnerability_id, min(greatest(fact.since, match.since)) as detected_at,
        range_agg(tstzrange(greatest(fact.since, match.since), least(fact.until, match.until))) as spans
      from interrupted
      join fact on fact.firmware_version_id = interrupted.firmware_version_id
      join match on match.vulnerability_id = interrupted.vulnerability_id and ${HELD}
      group by 1, 2, 3
    ) as each
    cross join unnest(each.spans) as span
    where lower(span) > each.detected_at and lower(span) >= ${from}
    group by 1, 2
  )`

interface FoundRow extends Omit<CaseRow, 'places'> {
  /** A multirange. */
  places: string
}

/** Sorted by nothing. `limit` bounds what is read into memory. */
export async function listCases(db: Db, period: Period, limit: number): Promise<CaseRow[]> {
  const { workspaceId, to } = period
  const { rows } = await sql<FoundRow>`
    with ${selectFacts(period)}, ${selectDecided(period)}, ${SELECT_FOUND}, ${SELECT_JUDGED}, ${selectReturned(period)}
    select found.firmware_id, found.vulnerability_id, found.severity, found.detected_at, found.places,
      found.lasting > coalesce(judged.lasting_closed, 0) as is_open,
      found.findings = coalesce(judged.judged_away, 0) as is_judged_away,
      found.findings = coalesce(judged.resolved, 0) as is_resolved, resolved.at as resolved_at, returned.at as returned_at,
      decided.decided_at, first.created_by_email as decided_by, first.decided_as, decided.stated_at,
      decided.carried_at, reopened.reopened_at, (
        select min(publication.published_at) from vex_publications as publication
        where publication.workspace_id = ${workspaceId} and publication.firmware_version_id = first.firmware_version_id
          and publication.published_at >= decided.decided_at and publication.published_at < ${to}) as published_at
    from (select * from found limit ${limit}) as found
    left join judged using (firmware_id, vulnerability_id)
    left join resolved using (firmware_id, vulnerability_id)
    left join returned using (firmware_id, vulnerability_id)
    left join decided using (firmware_id, vulnerability_id)
    left join first using (firmware_id, vulnerability_id)
    left join reopened using (firmware_id, vulnerability_id)`.execute(db)
  return rows.map((row) => ({ ...row, places: readPlaces(row.places) }))
}

/** Of "{[1,4),[6,7)}": from each first place to the one after the last. */
const readPlaces = (multirange: string): PlaceRange[] =>
  [...multirange.matchAll(/\[(\d+),(\d+)\)/g)].map(([, from, to]) => ({
    from: Number(from),
    to: Number(to),
  }))

export interface InventoriedVersion {
  firmwareId: string
  /** From 1, by the time of the inventory. */
  place: number
  inventoryAt: Date
}

export async function listVersions(db: Db, period: Period): Promise<InventoriedVersion[]> {
  const { rows } = await sql<InventoriedVersion>`
    with ${selectFacts(period)}
    select firmware_id, inventory_at, place from version order by firmware_id, place`.execute(db)
  return rows
}
