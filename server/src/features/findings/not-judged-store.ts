/** Components of a firmware version about which findings, or the lack of them, say nothing. */
import { sql } from 'kysely'
import type { Db } from '../../platform/db/connect.ts'

export interface NotJudged {
  /** All components that are part of the firmware: neither for the build only nor ignored. */
  componentCount: number
  notJudgedCount: number
  /** Most frequent first. */
  reasons: { reason: string; count: number }[]
}

/**
 * Counts the components that cannot be judged: they have nothing to look up, or they are of a distribution of which no
 * record is stored. `knownDistributions` are named as `packages.distribution` is.
 */
export async function countNotJudged(
  db: Db,
  version: { workspaceId: string; firmwareVersionId: string },
  knownDistributions: ReadonlySet<string>,
): Promise<NotJudged> {
  const { workspaceId, firmwareVersionId } = version
  const known = sql`${[...knownDistributions]}::text[]`
  const { rows } = await sql<{ reason: string | null; count: number }>`
    select case
        when component.not_matched_reason is not null
          then regexp_replace(component.not_matched_reason, '^(invalid identifier).*$', '\\1')
        when package.distribution is not null
          and package.distribution <> all(${known})
          and split_part(package.distribution, ':', 1) <> all(${known})
          and (package.distribution like '%:%' or not exists (
            select from unnest(${known}) as one where split_part(one, ':', 1) = package.distribution))
          then 'no records of ' || replace(package.distribution, ':', ' ') || ' are loaded'
      end as reason, count(*)::int as count
    from sboms as sbom
    join sbom_components as component
      on component.workspace_id = sbom.workspace_id and component.sbom_id = sbom.id
    left join packages as package on package.id = component.package_id
    where sbom.workspace_id = ${workspaceId} and sbom.firmware_version_id = ${firmwareVersionId}
      and coalesce(component.not_matched_reason, '') !~ '^(scope |ignored: )'
    group by 1 order by 2 desc, 1`.execute(db)
  const reasons = rows.flatMap(({ reason, count }) => (reason === null ? [] : [{ reason, count }]))
  return {
    componentCount: rows.reduce((sum, { count }) => sum + count, 0),
    notJudgedCount: reasons.reduce((sum, { count }) => sum + count, 0),
    reasons,
  }
}
