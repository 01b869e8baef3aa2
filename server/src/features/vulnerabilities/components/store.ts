/** Components of a workspace by name, with what is worst of the findings that a filter selects. */
import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../../platform/db/connect.ts'
import { MOST_COUNTED } from '../../../platform/http/paging.ts'
import { type Magnitudes, paging, ratedRows, type SortKey, types } from '../../findings/index.ts'
import type { VulnerabilityQuery } from '../store.ts'
import type { ComponentSortColumn } from './sort-columns.ts'

export interface ComponentQuery extends Omit<VulnerabilityQuery, 'sortColumn' | 'magnitudes'> {
  sortColumn: ComponentSortColumn
  magnitudes: Magnitudes['ofPackages']
}

export interface ComponentRow {
  name: string
  versions: string[]
  packageIds: string[]
  /** 1 for `Unknown` to 6 for `Critical`. */
  severityRank: number
  isExploited: boolean
  epssScore: number | null
  vulnerabilityCount: number
  detectedAt: Date
  sortValues: (string | number)[]
}

const MOST_VERSIONS = 5

const NAME: SortKey = { value: sql`grouped.name collate "C"`, type: types.text }
const severity: SortKey = { value: sql`grouped.severity_rank`, type: types.integer }
const epss: SortKey = { value: sql`coalesce(grouped.epss_score, '-1'::real)`, type: types.real }
const SORTS: Record<ComponentSortColumn, readonly SortKey[]> = {
  Risk: [
    { value: sql`grouped.is_exploited::integer`, type: types.integer },
    { value: sql`grouped.magnitude`, type: types.integer },
    severity,
    epss,
  ],
  Severity: [severity],
  EpssScore: [epss],
  DetectedAt: [{ value: sql`grouped.detected_at`, type: types.time }],
  VulnerabilityCount: [{ value: sql`grouped.vulnerability_count`, type: types.integer }],
  Name: [],
}

/** `grouped`: the rows that meet the filter, by the name of their component. */
const grouped = (query: ComponentQuery): RawBuilder<unknown> => sql`
  ${ratedRows(query)}, grouped as materialized (
    select rated.component_name as name, max(rated.severity_rank) as severity_rank,
      bool_or(rated.is_exploited) as is_exploited, max(rated.detected_at) as detected_at,
      max(epss.score) as epss_score, coalesce(max(running.magnitude), 0) as magnitude,
      count(distinct rated.vulnerability_id)::int as vulnerability_count,
      array_agg(distinct rated.package_id) as package_ids,
      coalesce(array_agg(distinct rated.component_version) filter (where rated.component_version is not null), '{}')
        as versions
    from rated
    left join epss_scores as epss on epss.cve_id = rated.vulnerability_id
    left join unnest(${[...query.magnitudes.keys()]}::uuid[], ${[...query.magnitudes.values()]}::int[])
      as running (package_id, magnitude) on running.package_id = rated.package_id
    group by rated.component_name
  )`

const COUNTED = sql`(
  select count(*)::int from (select from grouped limit ${sql.lit(MOST_COUNTED + 1)}) as counted)`

/** The first page counts too: as many as are counted, or one more. */
export async function listComponents(
  db: Db,
  query: ComponentQuery,
): Promise<{ rows: ComponentRow[]; total: number }> {
  const { sortColumn, ascending, limit, after } = query
  const keys = [...SORTS[sortColumn], NAME]
  const { columns, order, beyond, sortValues, place } = paging(keys, ascending, after)
  const { rows } = await sql<ComponentRow & { total: number }>`
    with ${grouped(query)}
    select name, versions[1:${sql.lit(MOST_VERSIONS)}] as versions, package_ids, severity_rank, is_exploited, epss_score,
      vulnerability_count, detected_at, ${sortValues} as sort_values, ${after ? sql`0` : COUNTED} as total
    from (select grouped.*, ${columns} from grouped where true ${beyond} order by ${order} limit ${limit}) as page
    order by ${place}`.execute(db)
  return { rows, total: rows[0]?.total ?? 0 }
}

export async function countComponents(db: Db, query: ComponentQuery): Promise<number> {
  const { rows } = await sql<{ total: number }>`
    with ${ratedRows(query)}, grouped as (select distinct component_name from rated)
    select ${COUNTED} as total`.execute(db)
  return rows[0]?.total ?? 0
}
