import { sql } from 'kysely'
import type { Db } from '../../platform/db/connect.ts'
import { notMatchedReasonOf } from '../sboms/index.ts'

export interface Version {
  workspaceId: string
  firmwareVersionId: string
}

export interface ReasonCount {
  /** null: the components are matched. */
  reason: string | null
  count: number
  /** Whether they have a CPE: a document that states one says by which name records know the product. */
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

export async function countByReason(db: Db, version: Version): Promise<ReasonCount[]> {
  const { workspaceId, firmwareVersionId } = version
  const { rows } = await sql<ReasonCount>`
    select reason, has_cpe, count(*)::int as count, count(*) filter (where records > 0)::int as undecided_components,
      sum(records)::int as undecided_records
    from (
      select regexp_replace(${notMatchedReasonOf('component')}, '^(invalid identifier|ignored).*$', '\\1') as reason,
        coalesce(not package.is_named and package.identity @? '$.pairs[*].key ? (@ starts with "cpe:")', false) as has_cpe,
        case when package.undecided is null or package.undecided = '{}' then 0 else (
          select sum(each.value::int) from jsonb_each_text(package.undecided) as each
        ) end as records
      from sboms as sbom
      join sbom_components as component
        on component.workspace_id = sbom.workspace_id and component.sbom_id = sbom.id
      left join packages as package on package.id = component.package_id
      where sbom.workspace_id = ${workspaceId} and sbom.firmware_version_id = ${firmwareVersionId}
        and sbom.parsing_state = 'Succeeded'
    ) as component
    group by reason, has_cpe order by count(*) desc, reason, has_cpe`.execute(db)
  return rows
}
