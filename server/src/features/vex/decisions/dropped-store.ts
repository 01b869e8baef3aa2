/** Decisions that a revised document of a supplier made, and that it states no longer. */
import { sql } from 'kysely'
import type { Db } from '../../../platform/db/connect.ts'
import type { VersionScope } from '../targets/store.ts'
import { isOfSupplier, type WithdrawnDecision } from './ended-store.ts'

export interface DocumentDecision extends WithdrawnDecision {
  /** The rows of the document about this version. */
  vexDocumentId: string
}

/** What documents decide in a version, before they are revised: what they decided there, and what was carried over that they state, too. */
export async function listDecisionsOfDocuments(
  db: Db,
  { workspaceId, firmwareVersionId }: VersionScope,
  vexDocumentIds: readonly string[],
): Promise<DocumentDecision[]> {
  const { rows } = await sql<DocumentDecision>`
    select decision.package_id, decision.vulnerability_id, decision.assessment,
      decision.stated_in ->> 'author' as author, decision.stated_in ->> 'documentId' as document_id,
      coalesce(document.id::text, decision.stated_in ->> 'vexDocumentId') as vex_document_id
    from finding_decisions as decision
    left join vex_statements as statement
      on statement.workspace_id = ${workspaceId} and statement.id = decision.statement_id
      and statement.document_id = any(${vexDocumentIds}::uuid[])
    left join vex_documents as document
      on document.workspace_id = ${workspaceId} and document.id = statement.document_id
      and document.document_id is not distinct from decision.stated_in ->> 'documentId'
      and document.author is not distinct from decision.stated_in ->> 'author'
    where decision.workspace_id = ${workspaceId} and decision.firmware_version_id = ${firmwareVersionId}
      and ${isOfSupplier}
      and (document.id is not null or decision.stated_in ->> 'vexDocumentId' = any(${vexDocumentIds}::text[]))
    order by decision.package_id, decision.vulnerability_id`.execute(db)
  return rows
}

/**
 * Those of them that still stand, and that their document states no longer. Only of packages that the version holds: the document is
 * applied again when others come back. The targets of statements are up to date.
 */
export async function selectDropped(
  db: Db,
  { workspaceId, firmwareVersionId }: VersionScope,
  decisions: readonly DocumentDecision[],
): Promise<DocumentDecision[]> {
  if (decisions.length === 0) return []
  const { rows } = await sql<{ place: number }>`
    select given.place::int as place
    from unnest(
      ${decisions.map(({ packageId }) => packageId)}::uuid[], ${decisions.map(({ vulnerabilityId }) => vulnerabilityId)}::text[],
      ${decisions.map(({ vexDocumentId }) => vexDocumentId)}::uuid[], ${decisions.map(({ documentId }) => documentId)}::text[],
      ${decisions.map(({ author }) => author)}::text[]
    ) with ordinality as given (package_id, vulnerability_id, vex_document_id, document_id, author, place)
    join finding_decisions as decision
      on decision.workspace_id = ${workspaceId} and decision.firmware_version_id = ${firmwareVersionId}
      and decision.package_id = given.package_id and decision.vulnerability_id = given.vulnerability_id
    where ${isOfSupplier}
      and decision.stated_in ->> 'documentId' is not distinct from given.document_id
      and decision.stated_in ->> 'author' is not distinct from given.author
      and exists (
        select from firmware_version_packages as fact
        where fact.workspace_id = ${workspaceId} and fact.firmware_version_id = ${firmwareVersionId}
          and fact.package_id = decision.package_id and fact.until is null)
      and not exists (
        select from vex_statements as statement
        join vex_statement_targets as target
          on target.workspace_id = ${workspaceId} and target.statement_id = statement.id
        join vulnerability_aliases as alias
          on alias.vulnerability_id = decision.vulnerability_id and alias.alias = target.vulnerability
        where statement.workspace_id = ${workspaceId} and statement.document_id = given.vex_document_id
          and (target.package_id is null or target.package_id = decision.package_id))
    order by given.place`.execute(db)
  return rows.flatMap(({ place }) => decisions[place - 1] ?? [])
}

/** The other versions to which such decisions were carried over, with the statement or without. */
export async function listVersionsFollowing(
  db: Db,
  { workspaceId, firmwareVersionId }: VersionScope,
  dropped: readonly DocumentDecision[],
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select distinct decision.firmware_version_id as id
    from unnest(
      ${dropped.map(({ vexDocumentId }) => vexDocumentId)}::text[], ${dropped.map(({ vulnerabilityId }) => vulnerabilityId)}::text[]
    ) as given (vex_document_id, vulnerability_id)
    join finding_decisions as decision
      on decision.workspace_id = ${workspaceId} and decision.vulnerability_id = given.vulnerability_id
      and decision.stated_in ->> 'vexDocumentId' = given.vex_document_id
    where decision.firmware_version_id <> ${firmwareVersionId} and ${isOfSupplier} order by id`.execute(
    db,
  )
  return rows.map(({ id }) => id)
}

/** In a version to which they were carried over: what no statement there says, too. */
export async function listCarriedDropped(
  db: Db,
  { workspaceId, firmwareVersionId }: VersionScope,
  { vexDocumentIds, vulnerabilityIds }: DroppedStatements,
): Promise<WithdrawnDecision[]> {
  const { rows } = await sql<WithdrawnDecision>`
    select distinct decision.package_id, decision.vulnerability_id, decision.assessment,
      decision.stated_in ->> 'author' as author, decision.stated_in ->> 'documentId' as document_id
    from unnest(${vexDocumentIds}::text[], ${vulnerabilityIds}::text[]) as given (vex_document_id, vulnerability_id)
    join finding_decisions as decision
      on decision.workspace_id = ${workspaceId} and decision.firmware_version_id = ${firmwareVersionId}
      and decision.vulnerability_id = given.vulnerability_id
      and decision.stated_in ->> 'vexDocumentId' = given.vex_document_id
    where ${isOfSupplier} and not exists (
      select from vex_statement_targets as target
      where target.workspace_id = ${workspaceId} and target.firmware_version_id = ${firmwareVersionId}
        and target.statement_id = decision.statement_id)
    order by decision.package_id, decision.vulnerability_id`.execute(db)
  return rows
}

/** Pairs: the rows of a document about the version that it was about, and a vulnerability of which it says nothing more. */
export interface DroppedStatements {
  vexDocumentIds: string[]
  vulnerabilityIds: string[]
}
