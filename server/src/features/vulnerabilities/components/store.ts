/** Components of a workspace by name, with what is worst of the findings that a filter selects. */
import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../../platform/db/connect.ts'
import { MOST_COUNTED } from '../../../platform/http/paging.ts'
import {
  type DeviceMagnitudes,
  paging,
  ratedRows,
  type SortKey,
  types,
} from '../../findings/index.ts'
import type { VulnerabilityQuery } from '../store.ts'
import { hasKeptComponents, keptPackages, keptRows } from './kept-store.ts'
import type { ComponentSortColumn } from './sort-columns.ts'

export interface ComponentQuery extends Omit<VulnerabilityQuery, 'sortColumn' | 'magnitudes'> {
  sortColumn: ComponentSortColumn
  magnitudes: DeviceMagnitudes
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
const grouped = (query: ComponentQuery): RawBuilder<unknown> =>
  hasKeptComponents(query) ? keptGroups(query) : readGroups(query)

/** What the workspace keeps of components. */
const keptGroups = (query: ComponentQuery): RawBuilder<unknown> => sql`
  rated as materialized (${keptRows(query)}), all_groups as materialized (
    select rated.component_name as name, max(rated.severity_rank)::integer as severity_rank,
      bool_or(rated.is_exploited) as is_exploited, max(rated.last_detected_at) as detected_at,
      count(*)::integer as vulnerability_count, nullif(max(rated.epss_score), -1) as epss_score
    from rated
    group by rated.component_name
  ), run as (
    select component_name, max(device_magnitude)::integer as magnitude from workspace_packages
    where workspace_id = ${query.workspaceId} and version_count > 0 group by component_name
  ), grouped as not materialized (
    select all_groups.*, coalesce(run.magnitude, 0) as magnitude
    from all_groups left join run on run.component_name = all_groups.name
  )`

/** The same of the rows of the list of findings. */
const readGroups = (query: ComponentQuery): RawBuilder<unknown> => sql`
  ${ratedRows(query)}, all_groups as materialized (
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
  ), grouped as (select * from all_groups)`

const COUNTED = sql`(
  select count(*)::int from (select from all_groups limit ${sql.lit(MOST_COUNTED + 1)}) as counted)`

/** The first page counts too: as many as are counted, or one more. */
export async function listComponents(
  db: Db,
  query: ComponentQuery,
): Promise<{ rows: ComponentRow[]; total: number }> {
  const { sortColumn, ascending, limit, after } = query
  const keys = [...SORTS[sortColumn], NAME]
  const { columns, order, beyond, sortValues, place } = paging(keys, ascending, after)
  const isKept = hasKeptComponents(query)
  const { rows } = await sql<ComponentRow & { total: number }>`
    with ${grouped(query)}, page as materialized (
      select grouped.*, ${columns} from grouped where true ${beyond} order by ${order} limit ${limit}
    )
    select name, versions[1:${sql.lit(MOST_VERSIONS)}] as versions, package_ids, severity_rank, is_exploited,
      epss_score, vulnerability_count, detected_at, ${sortValues} as sort_values,
      ${after ? sql`0` : COUNTED} as total
    from page ${isKept ? sql`join (${keptPackages(query)}) as described using (name)` : sql``}
    order by ${place}`.execute(db)
  return { rows, total: rows[0]?.total ?? 0 }
}

export async function countComponents(db: Db, query: ComponentQuery): Promise<number> {
  const groups = hasKeptComponents(query)
    ? sql`all_groups as (select distinct component_name from (${keptRows(query)}) as rated)`
    : sql`${ratedRows(query)}, all_groups as (select distinct component_name from rated)`
  const { rows } = await sql<{ total: number }>`
    with ${groups} select ${COUNTED} as total`.execute(db)
  return rows[0]?.total ?? 0
}
