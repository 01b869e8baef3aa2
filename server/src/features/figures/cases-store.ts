/** The cases of a workspace at the end of a period: a vulnerability in a firmware, whatever number of versions has it. */
import { sql } from 'kysely'
import type { Assessment } from '../../formats/assessments.ts'
import type { Db } from '../../platform/db/connect.ts'
import type { Period } from './asked.ts'
import { RATED, selectFacts } from './facts-store.ts'

export interface CaseRow {
  firmwareId: string
  vulnerabilityId: string
  /** A place in `RANKS`, from 1. */
  severity: number
  detectedAt: Date
  /** The versions that ever had it, by their place within the firmware, in no order. */
  places: number[]
  /** Whether any version has it, and counts it, when the period ends. */
  isOpen: boolean
  /** In no version that has it anybody says that it matters. */
  isJudgedAway: boolean
  /** In each version that has it, it is stated to be fixed. */
  isResolved: boolean
  /** When the first version that has it was stated to be fixed nevertheless. */
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

/** By version: all packages of it that have the vulnerability. */
const PAIR = sql`
  pair as materialized (
    select version.firmware_id, version.place, held.vulnerability_id, min(lower(held.span)) as detected_at,
      ${RATED} as rated, range_agg(held.span) as spans,
      bool_or(upper_inf(held.span)
        and not coalesce(state.ignored or state.assessment in ('NotAffected', 'FalsePositive', 'Resolved'), false)) as is_open,
      bool_and(coalesce(state.assessment in ('NotAffected', 'FalsePositive'), false)) as is_judged_away,
      bool_and(coalesce(state.assessment = 'Resolved', false)) as is_resolved, max(state.created_at) as resolved_at
    from held
    join version on version.firmware_version_id = held.firmware_version_id
    left join state on ${sameFinding('state', 'held')}
    group by version.firmware_id, version.place, held.vulnerability_id
  )`

/** Sorted by nothing. `limit` bounds what is read into memory. */
export async function listCases(db: Db, period: Period, limit: number): Promise<CaseRow[]> {
  const { workspaceId, from, to } = period
  const { rows } = await sql<CaseRow>`
    with ${selectFacts(period)}, ${selectDecided(period)}, ${PAIR}, found as materialized (
      select pair.firmware_id, pair.vulnerability_id, (max(pair.rated))[2]::int as severity, min(pair.detected_at) as detected_at,
        array_agg(pair.place) as places, bool_or(pair.is_open) as is_open, bool_and(pair.is_judged_away) as is_judged_away,
        bool_and(pair.is_resolved) as is_resolved,
        min(greatest(pair.resolved_at, pair.detected_at)) filter (where pair.is_resolved) as resolved_at,
        min(returned.at) as returned_at
      from pair
      left join lateral (
        select min(lower(each)) as at from unnest(pair.spans) as each
        where lower(each) > pair.detected_at and lower(each) >= ${from}
          and range_merge(pair.spans)::tstzmultirange <> pair.spans
      ) as returned on true
      group by 1, 2
      limit ${limit}
    )
    select found.*, decided.decided_at, first.created_by_email as decided_by, first.decided_as, decided.stated_at,
      decided.carried_at, reopened.reopened_at, (
        select min(publication.published_at) from vex_publications as publication
        where publication.workspace_id = ${workspaceId} and publication.firmware_version_id = first.firmware_version_id
          and publication.published_at >= decided.decided_at and publication.published_at < ${to}) as published_at
    from found
    left join decided using (firmware_id, vulnerability_id)
    left join first using (firmware_id, vulnerability_id)
    left join reopened using (firmware_id, vulnerability_id)`.execute(db)
  return rows
}

export interface InventoriedVersion {
  firmwareId: string
  /** From 1, by the time of the inventory. */
  place: number
  inventoryAt: Date
}

export async function listVersions(db: Db, period: Period): Promise<InventoriedVersion[]> {
  const { rows } = await sql<InventoriedVersion>`
    select firmware_id, inventory_at,
      (row_number() over (partition by firmware_id order by inventory_at, firmware_version_id))::int as place
    from (
      select version.firmware_id, fact.firmware_version_id, min(fact.since) as inventory_at
      from firmware_version_packages as fact
      join firmware_versions as version on version.workspace_id = fact.workspace_id and version.id = fact.firmware_version_id
      where fact.workspace_id = ${period.workspaceId} and fact.since < ${period.to}
        ${period.firmwareId === undefined ? sql`` : sql`and version.firmware_id = ${period.firmwareId}`}
      group by 1, 2
    ) as each
    order by firmware_id, place`.execute(db)
  return rows
}
