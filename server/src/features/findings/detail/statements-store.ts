/** Reads VEX statements about a finding from the tables of the slice vex. */
import { sql } from 'kysely'
import type { Db } from '../../../platform/db/connect.ts'
import type { Assessment } from '../assessment.ts'
import type { FindingKey } from '../finding-id.ts'

export interface StatedRow {
  documentId: string
  author: string | null
  assessment: Assessment
  justification: string | null
  detail: string | null
  responses: string[]
  statedAt: Date
}

/** The newest statement about the finding; undefined: no statement is about it. */
export async function findNewestStatement(
  db: Db,
  key: FindingKey & { workspaceId: string },
): Promise<StatedRow | undefined> {
  const { workspaceId, firmwareVersionId, packageId, vulnerabilityId } = key
  const { rows } = await sql<StatedRow>`
    select document.id as document_id, document.author, statement.assessment, statement.justification,
      statement.detail, statement.responses, statement.stated_at
    from vulnerability_aliases as alias
    join vex_statement_targets as target on target.workspace_id = ${workspaceId}
      and target.firmware_version_id = ${firmwareVersionId} and target.vulnerability = alias.alias
    join vex_statements as statement
      on statement.workspace_id = target.workspace_id and statement.id = target.statement_id
    join vex_documents as document
      on document.workspace_id = statement.workspace_id and document.id = statement.document_id
    where alias.vulnerability_id = ${vulnerabilityId} and case
      when target.package_id is not null then target.package_id = ${packageId}
      when target.sbom_id is not null then exists (
        select from sbom_components as component
        where component.workspace_id = target.workspace_id and component.sbom_id = target.sbom_id
          and component.package_id = ${packageId})
      else true end
    order by statement.stated_at desc, statement.received_at desc, statement.id desc
    limit 1`.execute(db)
  return rows[0]
}
