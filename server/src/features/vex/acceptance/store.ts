/** Statements that a person may accept in place of what was decided. */
import { sql } from 'kysely'
import { type Assessment, decideOriginSql, type StatedIn } from '../../../formats/assessments.ts'
import type { VexAssessment } from '../../../formats/vex/vocabulary.ts'
import type { Db } from '../../../platform/db/connect.ts'
import { type FindingScope, statedIn, selectStatements } from '../decisions/store.ts'

export interface AcceptableStatement {
  firmwareVersionId: string
  packageId: string
  vulnerabilityId: string
  componentName: string
  componentVersion: string | null
  statementId: string
  assessment: VexAssessment
  justification: string | null
  detail: string | null
  responses: string[]
  statedIn: StatedIn
  oldAssessment: Assessment
}

/** `documentId`: what it says otherwise than people decided. `statementId`: whatever it says, of findings that it is about. */
export type AcceptedPart =
  | { documentId: string }
  | { statementId: string; firmwareVersionId: string }

/** At most one statement for each finding, the newest. */
export async function listAcceptable(
  db: Db,
  scope: FindingScope,
  accepted: AcceptedPart,
): Promise<AcceptableStatement[]> {
  const { ctes, targeted } = selectStatements(scope)
  const { workspaceId } = scope
  const isMeant =
    'documentId' in accepted
      ? sql`document.id = ${accepted.documentId} and ${sql.raw(decideOriginSql('decision'))} = 'Person'
          and decision.assessment <> statement.assessment`
      : sql`statement.id = ${accepted.statementId}
          and finding.firmware_version_id = ${accepted.firmwareVersionId}`
  const { rows } = await sql<AcceptableStatement>`
    with ${ctes}
    select distinct on (finding.firmware_version_id, finding.package_id, finding.vulnerability_id)
      finding.firmware_version_id, finding.package_id, finding.vulnerability_id, finding.component_name,
      finding.component_version, statement.id as statement_id, statement.assessment, statement.justification,
      statement.detail, statement.responses, ${statedIn} as stated_in,
      coalesce(decision.assessment, 'NotAssessed') as old_assessment
    from ${targeted} as finding
    join vex_statements as statement on statement.workspace_id = ${workspaceId}
      and statement.id = finding.statement_id
    join vex_documents as document on document.workspace_id = ${workspaceId}
      and document.id = statement.document_id
    left join sboms as sbom on sbom.workspace_id = ${workspaceId} and sbom.id = document.sbom_id
    left join finding_decisions as decision on decision.workspace_id = ${workspaceId}
      and decision.firmware_version_id = finding.firmware_version_id and decision.package_id = finding.package_id
      and decision.vulnerability_id = finding.vulnerability_id
    where ${isMeant}
    order by finding.firmware_version_id, finding.package_id, finding.vulnerability_id, statement.stated_at desc,
      statement.received_at desc, statement.id desc`.execute(db)
  return rows
}
