/** Decisions that lost what made them: statements in SBOMs that no SBOM makes any longer, and documents that suppliers took back. */
import { sql } from 'kysely'
import { isOfSbomSql } from '../../../formats/assessments.ts'
import type { Db } from '../../../platform/db/connect.ts'
import type { VersionScope } from '../targets/store.ts'

export interface EndedDecision {
  packageId: string
  vulnerabilityId: string
  assessment: string
  sbomFileName: string
  /** The firmware version has an SBOM of that name today. */
  isThere: boolean
}

/**
 * Only of packages that the version holds: decisions about others are ended when they come back. The targets of statements are
 * up to date, and what others say instead is already decided.
 */
export async function listEndedDecisions(
  db: Db,
  { workspaceId, firmwareVersionId }: VersionScope,
): Promise<EndedDecision[]> {
  const { rows } = await sql<EndedDecision>`
    select decision.package_id, decision.vulnerability_id, decision.assessment,
      coalesce(decision.stated_in ->> 'sbomFileName', '') as sbom_file_name, exists (
        select from sboms as sbom
        where sbom.workspace_id = ${workspaceId} and sbom.firmware_version_id = ${firmwareVersionId}
          and sbom.file_name = decision.stated_in ->> 'sbomFileName') as is_there
    from finding_decisions as decision
    where decision.workspace_id = ${workspaceId} and decision.firmware_version_id = ${firmwareVersionId}
      and decision.assessment <> 'NotAssessed' and ${sql.raw(isOfSbomSql('decision'))} and exists (
        select from firmware_version_packages as fact
        where fact.workspace_id = ${workspaceId} and fact.firmware_version_id = ${firmwareVersionId}
          and fact.package_id = decision.package_id and fact.until is null)
      and not exists (
        select from vex_statement_targets as target
        where target.workspace_id = ${workspaceId} and target.statement_id = decision.statement_id and case
          when target.package_id is not null then target.package_id = decision.package_id
          when target.sbom_id is not null then exists (
            select from sbom_components as component
            where component.workspace_id = ${workspaceId} and component.sbom_id = target.sbom_id
              and component.package_id = decision.package_id)
          else true end)
    order by decision.package_id, decision.vulnerability_id`.execute(db)
  return rows
}

/** A supplier's document by what it says of itself: each firmware version has rows of its own for it. */
export interface WithdrawnDocument {
  documentId: string | null
  author: string | null
}

export interface WithdrawnDecision {
  packageId: string
  vulnerabilityId: string
  assessment: string
  author: string | null
  documentId: string | null
}

/** Of `decision`: a supplier's feed brought the document behind it. */
export const isOfSupplier = sql`decision.assessment <> 'NotAssessed' and decision.origin = 'Document'
  and decision.stated_in ->> 'importedByEmail' is null and decision.stated_in ->> 'sbomFileName' is null`

/** Of `decision`: a supplier's feed brought one of the documents that made it, in this version or in one that it was carried over from. */
const isMadeBy = (documents: readonly WithdrawnDocument[]) => sql`
  ${isOfSupplier} and exists (
    select from unnest(
      ${documents.map(({ documentId }) => documentId)}::text[], ${documents.map(({ author }) => author)}::text[]
    ) as withdrawn (document_id, author)
    where withdrawn.document_id is not distinct from decision.stated_in ->> 'documentId'
      and withdrawn.author is not distinct from decision.stated_in ->> 'author')`

export async function listWithdrawnDecisions(
  db: Db,
  { workspaceId, firmwareVersionId }: VersionScope,
  documents: readonly WithdrawnDocument[],
): Promise<WithdrawnDecision[]> {
  const { rows } = await sql<WithdrawnDecision>`
    select decision.package_id, decision.vulnerability_id, decision.assessment,
      decision.stated_in ->> 'author' as author, decision.stated_in ->> 'documentId' as document_id
    from finding_decisions as decision
    where decision.workspace_id = ${workspaceId} and decision.firmware_version_id = ${firmwareVersionId}
      and ${isMadeBy(documents)}
    order by decision.package_id, decision.vulnerability_id`.execute(db)
  return rows
}

/** The firmware versions with decisions that the documents made. */
export async function listVersionsDecidedBy(
  db: Db,
  workspaceId: string,
  documents: readonly WithdrawnDocument[],
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select distinct decision.firmware_version_id as id from finding_decisions as decision
    where decision.workspace_id = ${workspaceId} and ${isMadeBy(documents)}
    order by id`.execute(db)
  return rows.map(({ id }) => id)
}
