/** How many components of versions are out of support, without listing them. */
import { sql } from 'kysely'
import type { Db } from '../../platform/db/connect.ts'

export interface SupportCounts {
  firmwareVersionId: string
  ended: number
  endingBeforePromise: number
  /** Whether the end of each component is known. */
  isKnown: boolean
  hasPromise: boolean
}

interface AskedVersions {
  workspaceId: string
  firmwareVersionIds: readonly string[]
  day: string
}

/** `decideState` of formats/support, on a day. What ends is few of all, so it begins with that. */
export async function listSupportCounts(
  db: Db,
  { workspaceId, firmwareVersionIds, day }: AskedVersions,
): Promise<SupportCounts[]> {
  const ids = sql`${[...firmwareVersionIds]}::uuid[]`
  const isStated = (
    packageId: string,
  ) => sql`exists (select from support_statement_packages as chosen
    where chosen.workspace_id = ${workspaceId} and chosen.package_id = ${sql.ref(packageId)})`
  const { rows } = await sql<SupportCounts>`
    with ending as materialized (
      select support.package_id, cycle.ends_on, coalesce(cycle.ends_on <= ${day}::date, true) as has_ended
      from support_cycles as cycle
      join package_support as support on support.product = cycle.product and support.cycle = cycle.cycle
      where (cycle.ends_on is not null or cycle.has_ended) and not ${isStated('support.package_id')}
      union all
      select stated.package_id, stated.ends_on, stated.ends_on <= ${day}::date
      from (
        select distinct on (chosen.package_id) chosen.package_id, statement.ends_on
        from support_statement_packages as chosen
        join support_statements as statement
          on statement.workspace_id = chosen.workspace_id and statement.id = chosen.statement_id
        where chosen.workspace_id = ${workspaceId}
        order by chosen.package_id, statement.created_at desc, statement.id
      ) as stated where stated.ends_on is not null
    ), promised as (
      select version.id, coalesce(line.support_ends_on, firmware.support_ends_on,
        (to_date(product.support_ends_in, 'YYYY-MM') + interval '1 month')::date) as until
      from firmware_versions as version
      join firmwares as firmware on firmware.workspace_id = ${workspaceId} and firmware.id = version.firmware_id
      left join firmware_lines as line on line.workspace_id = ${workspaceId} and line.id = version.line_id
      left join product_line_firmwares as part on part.workspace_id = ${workspaceId} and part.firmware_id = version.firmware_id
      left join product_lines as product on product.workspace_id = ${workspaceId} and product.id = part.product_line_id
      where version.workspace_id = ${workspaceId} and version.id = any(${ids})
    ), counted as (
      select promised.id, (count(*) filter (where ending.has_ended))::int as ended,
        (count(*) filter (where not ending.has_ended and ending.ends_on < promised.until))::int as ending_before_promise
      from ending
      join firmware_version_packages as held
        on held.workspace_id = ${workspaceId} and held.package_id = ending.package_id and held.until is null
      join promised on promised.id = held.firmware_version_id
      group by promised.id
    )
    select promised.id as firmware_version_id, coalesce(counted.ended, 0) as ended,
      coalesce(counted.ending_before_promise, 0) as ending_before_promise, promised.until is not null as has_promise,
      not exists (
        select from firmware_version_packages as held
        where held.workspace_id = ${workspaceId} and held.firmware_version_id = promised.id and held.until is null
          and not ${isStated('held.package_id')}
          and not exists (
            select from package_support as support
            join support_cycles as cycle on cycle.product = support.product and cycle.cycle = support.cycle
            where support.package_id = held.package_id and (cycle.ends_on is not null or cycle.has_ended is not null))
      ) as is_known
    from promised left join counted on counted.id = promised.id`.execute(db)
  return rows
}
