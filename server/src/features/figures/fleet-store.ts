/** For each vulnerability, on which day how much of the fleet that ran it ran it no more. */
import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../platform/db/connect.ts'
import type { Period } from './asked.ts'
import { HELD, RATED, selectFacts } from './facts-store.ts'

export interface FleetRow {
  vulnerabilityId: string
  severity: number
  publishedAt: Date
  /** The most devices that ran it at the end of any day. */
  peak: number
  /** The first days at whose end at most a half, a tenth, a hundredth of the most devices until then ran it. */
  reached50: string | null
  reached90: string | null
  reached99: string | null
}

const today = ({ to }: Period) => sql`(${to}::timestamptz at time zone 'UTC')::date`

/** `counted`: the days that were counted, with their numbers; `running`: how many devices ran which versions at the end of which day. */
const selectRunning = (period: Period) => sql`
  counted as materialized (
    select day, (row_number() over (order by day))::int as place
    from (select distinct day from firmware_set_daily_devices
      where workspace_id = ${period.workspaceId} and day < ${today(period)}) as each
  ), running as materialized (
    select counted.place, counted.day, each.firmware_version_ids, running.id as firmware_version_id, each.devices
    from firmware_set_daily_devices as each
    join counted on counted.day = each.day
    cross join unnest(each.firmware_version_ids) as running (id)
    where each.workspace_id = ${period.workspaceId} and running.id in (select firmware_version_id from version)
  )`

/**
 * `span`: when which version that a device ran had which vulnerability in whatever package, unless it was judged not to matter; what is
 * resolved ends then. Spans of one version do not overlap.
 */
const selectSpans = (vulnerabilities: RawBuilder<unknown>) => sql`
  span as materialized (
    select vulnerability_id, firmware_version_id, lower(span) as since, upper(span) as until
    from (
      select match.vulnerability_id, fact.firmware_version_id, range_agg(tsrange(
        greatest(fact.since, match.since) at time zone 'UTC',
        greatest(fact.since, match.since, least(fact.until, match.until,
          case when state.assessment = 'Resolved' then state.created_at end, 'infinity')) at time zone 'UTC')) as spans
      from (select distinct firmware_version_id from running) as ran
      join fact on fact.firmware_version_id = ran.firmware_version_id
      join match on ${HELD} and ${vulnerabilities}
      left join state on state.firmware_version_id = fact.firmware_version_id and state.package_id = fact.package_id
        and state.vulnerability_id = match.vulnerability_id
      where coalesce(state.assessment, '') not in ('NotAffected', 'FalsePositive')
      group by 1, 2
    ) as each
    cross join unnest(each.spans) as span
  )`

/** Those that became public since devices are counted, and that a device ran. */
export async function listFleetDays(db: Db, period: Period): Promise<FleetRow[]> {
  const { workspaceId, to } = period
  const { rows } = await sql<FleetRow>`
    with ${selectFacts(period)}, ${selectRunning(period)}, disclosed as materialized (
      select vulnerability_id, published_at from disclosures
      where workspace_id = ${workspaceId} and recorded_at < ${to} and published_at < ${to}
        and (published_at at time zone 'UTC')::date >= (select min(day) from counted)
    ), rated as materialized (
      select match.vulnerability_id, ${RATED} as rated from match join disclosed using (vulnerability_id) group by 1
    ), ${selectSpans(sql`match.vulnerability_id in (select vulnerability_id from disclosed)`)}, affected_day as materialized (
      select span.vulnerability_id, running.place, running.day, running.firmware_version_ids, running.devices
      from span
      join disclosed on disclosed.vulnerability_id = span.vulnerability_id
      join running on running.firmware_version_id = span.firmware_version_id
        and running.day >= (disclosed.published_at at time zone 'UTC')::date
        and span.since < running.day + 1 and span.until >= running.day + 1
    ), affected as materialized (
      select vulnerability_id, place, day, sum(devices)::int as devices
      from (
        select vulnerability_id, place, day, devices from affected_day where cardinality(firmware_version_ids) = 1
        union all
        -- Devices that run several versions with it count once.
        select vulnerability_id, place, day, devices from (
          select distinct * from affected_day where cardinality(firmware_version_ids) > 1) as each
      ) as each
      group by 1, 2, 3
    ), walked as (
      select vulnerability_id, day, devices,
        max(devices) over (partition by vulnerability_id order by place) as peak,
        case when lead(place) over (partition by vulnerability_id order by place) is distinct from place + 1
          then place + 1 end as empty_place
      from affected
    ), ended as (
      select walked.vulnerability_id, max(walked.peak) as peak, min(counted.day) as empty_day,
        min(walked.day) filter (where walked.devices <= walked.peak * 0.5) as day50,
        min(walked.day) filter (where walked.devices <= walked.peak * 0.1) as day90,
        min(walked.day) filter (where walked.devices <= walked.peak * 0.01) as day99
      from walked left join counted on counted.place = walked.empty_place
      group by 1
    )
    select ended.vulnerability_id, rated.rated[2]::int as severity, disclosed.published_at, ended.peak::int,
      least(day50, empty_day)::text as reached50, least(day90, empty_day)::text as reached90,
      least(day99, empty_day)::text as reached99
    from ended join disclosed using (vulnerability_id) join rated using (vulnerability_id)`.execute(
    db,
  )
  return rows
}

export interface UnknownDisclosures {
  /** Nobody published a day, or it was learned after the period. */
  undated: number
  /** Public before devices were counted here. */
  early: number
  /** The first day with counts of devices before the period's end; null: there is none. */
  firstDay: string | null
  /** Devices at the end of the last counted day, and those of them that report no version that is known here. */
  devices: number
  strangers: number
}

/** Vulnerabilities that a device ran in the period and of which no time can be told. */
export async function countUnknownDisclosures(db: Db, period: Period): Promise<UnknownDisclosures> {
  const { workspaceId, from, to } = period
  const firstOfPeriod = sql`(${from}::timestamptz at time zone 'UTC')::date`
  const { rows } = await sql<UnknownDisclosures>`
    with ${selectFacts(period)}, ${selectRunning(period)}, ${selectSpans(sql`true`)}, ran as materialized (
      select firmware_version_id, min(day) as since, max(day) as until from running
      where day >= ${firstOfPeriod} group by 1
    ), found as materialized (
      select distinct span.vulnerability_id
      from span join ran on ran.firmware_version_id = span.firmware_version_id
        and span.since < ran.until + 1 and span.until >= ran.since + 1
    ), last as (
      select each.devices, each.firmware_version_ids from firmware_set_daily_devices as each
      where each.workspace_id = ${workspaceId} and each.day = (select max(day) from counted))
    select (count(*) filter (where known.vulnerability_id is null))::int as undated,
      (count(*) filter (where (known.published_at at time zone 'UTC')::date < (select min(day) from counted)))::int as early,
      (select min(day)::text from counted) as first_day,
      (select coalesce(sum(devices), 0)::int from last) as devices,
      (select coalesce(sum(devices), 0)::int from last where firmware_version_ids = '{}') as strangers
    from found
    left join disclosures as known on known.workspace_id = ${workspaceId}
      and known.vulnerability_id = found.vulnerability_id and known.recorded_at < ${to}`.execute(db)
  const [counted] = rows
  if (!counted) throw new Error('An aggregate answers one row.')
  return counted
}
