import { sql } from 'kysely'
import type { Db } from '../../platform/db/connect.ts'
import { selectNotMatchedReason } from '../components/index.ts'

export interface Version {
  workspaceId: string
  firmwareVersionId: string
}

export interface ReasonCount {
  /** In words, or the code of what the knowledge lacks; null: the components are matched. */
  reason: string | null
  count: number
  /** Whether components that no record names have a CPE: a document that states one says by which name records know the product. */
  hasCpe: boolean
  undecidedComponents: number
  undecidedRecords: number
}

export async function countSboms(db: Db, version: Version): Promise<number> {
  const { count } = await db
    .selectFrom('sboms')
    .select((eb) => eb.fn.countAll<string>().as('count'))
    .where('workspaceId', '=', version.workspaceId)
    .where('firmwareVersionId', '=', version.firmwareVersionId)
    .executeTakeFirstOrThrow()
  return Number(count)
}

/** One row for each reason, and for those that no record names apart by whether they have a CPE. */
export async function countByReason(db: Db, version: Version): Promise<ReasonCount[]> {
  const { workspaceId, firmwareVersionId } = version
  const { rows } = await sql<ReasonCount>`
    select ${selectNotMatchedReason('component')} as reason,
      coalesce(not package.is_named and package.has_cpe, false) as has_cpe, count(*)::int as count,
      count(*) filter (where undecided.records > 0)::int as undecided_components,
      coalesce(sum(undecided.records), 0)::int as undecided_records
    from sboms as sbom
    join sbom_components as component
      on component.workspace_id = sbom.workspace_id and component.sbom_id = sbom.id
    left join packages as package on package.id = component.package_id
    cross join lateral (
      select case when package.undecided is null or package.undecided = '{}' then 0 else (
        select sum(each.value::int) from jsonb_each_text(package.undecided) as each
      ) end as records
    ) as undecided
    where sbom.workspace_id = ${workspaceId} and sbom.firmware_version_id = ${firmwareVersionId}
      and sbom.parsing_state = 'Succeeded'
    group by 1, 2`.execute(db)
  return rows
}

/** What waits to be read or matched. Begins with the packages that wait, which are few. */
export async function countNotMatchedYet(
  db: Db,
  { workspaceId, firmwareVersionId }: Version,
): Promise<{ sbomCount: number; packageCount: number }> {
  const { rows } = await sql<{ sbomCount: number; packageCount: number }>`
    select (
      select count(*)::int from sboms
      where workspace_id = ${workspaceId} and firmware_version_id = ${firmwareVersionId}
        and parsing_state <> 'Failed' and vulnerabilities_parsed_at is null
    ) as sbom_count, (
      select count(*)::int from packages as package
      join firmware_version_packages as fact on fact.package_id = package.id
      where package.matched_at is null and fact.until is null and fact.workspace_id = ${workspaceId}
        and fact.firmware_version_id = ${firmwareVersionId}
    ) as package_count`.execute(db)
  return rows[0] ?? { sbomCount: 0, packageCount: 0 }
}
