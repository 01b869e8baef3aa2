/** VEX documents, their statements as received, and the targets of statements: what they apply to. */
import { sql } from 'kysely'
import type { JsonObject } from '../../formats/sboms/json-values.ts'
import type { VexAssessment, VexJustification, VexResponse } from '../../formats/vex/vocabulary.ts'
import type { VexFormat, VexProduct } from '../../formats/vex/model.ts'
import type { Db, Tx } from '../../platform/db/connect.ts'
import type { VersionScope } from './targets/store.ts'

export interface DocumentRow extends VersionScope {
  id: string
  sbomId: string | null
  format: VexFormat
  specVersion: string | null
  documentId: string | null
  author: string | null
  statedAt: string | null
  receivedAt: Date
  receivedByEmail: string | null
  /** The document of a supplier's feed that it was made from. */
  supplierDocumentId: string | null
  envelope: JsonObject
}

export async function insertDocument(tx: Tx, row: DocumentRow): Promise<void> {
  const { workspaceId, firmwareVersionId, id, sbomId, format, documentId, ...others } = row
  const version = { ...others, envelope: JSON.stringify(row.envelope) }
  await tx
    .insertInto('vexDocuments')
    .values({ workspaceId, firmwareVersionId, id, sbomId, format, documentId, ...version })
    .onConflict((conflict) => conflict.columns(['workspaceId', 'id']).doUpdateSet(version))
    .execute()
}

/** Answers whether there was one. */
export async function deleteDocument(tx: Tx, workspaceId: string, id: string): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('vexDocuments')
    .where('workspaceId', '=', workspaceId)
    .where('id', '=', id)
    .executeTakeFirst()
  return numDeletedRows > 0n
}

export async function listDocuments(db: Db, { workspaceId, firmwareVersionId }: VersionScope) {
  return db
    .selectFrom('vexDocuments as document')
    .select(['id', 'sbomId', 'format', 'specVersion', 'documentId', 'author', 'statedAt'])
    .select(['receivedAt', 'receivedByEmail'])
    .select(
      sql<string | null>`(
        select supplied.feed_id from supplier_documents as supplied
        where supplied.workspace_id = ${workspaceId} and supplied.id = document.supplier_document_id
      )`.as('supplierFeedId'),
    )
    .select(
      sql<number>`(
        select count(*)::int from vex_statements as statement
        where statement.workspace_id = ${workspaceId} and statement.document_id = document.id
      )`.as('statementCount'),
    )
    .select(
      sql<number>`(
        select count(*)::int from vex_statements as statement
        where statement.workspace_id = ${workspaceId} and statement.document_id = document.id and not exists (
          select from finding_decisions as decision
          where decision.workspace_id = ${workspaceId} and decision.firmware_version_id = ${firmwareVersionId}
            and decision.statement_id = statement.id)
      )`.as('waitingCount'),
    )
    .where('workspaceId', '=', workspaceId)
    .where('firmwareVersionId', '=', firmwareVersionId)
    .orderBy('receivedAt')
    .orderBy('id')
    .execute()
}

export interface StatementRow {
  id: string
  pointer: string
  vulnerability: string
  aliases: string[]
  products: VexProduct[]
  nodes: number[] | null
  isWhole: boolean
  assessment: VexAssessment
  justification: VexJustification | null
  detail: string | null
  responses: VexResponse[]
  statedAt: string
  /** Whose word it is: a VEX document's, or what the build of an SBOM knew. */
  origin: 'Document' | 'Build'
  original: JsonObject
}

interface StatementsOfDocument extends VersionScope {
  documentId: string
  receivedAt: Date
  rows: readonly StatementRow[]
}

/** Replaces the statements of a document. Statements with an unchanged content keep their rows. */
export async function replaceStatements(
  tx: Tx,
  { workspaceId, firmwareVersionId, documentId, receivedAt, rows }: StatementsOfDocument,
): Promise<void> {
  await tx
    .deleteFrom('vexStatements')
    .where('workspaceId', '=', workspaceId)
    .where('documentId', '=', documentId)
    .where(sql<boolean>`id <> all(${rows.map(({ id }) => id)}::uuid[])`)
    .execute()
  await sql`
    insert into vex_statements (workspace_id, firmware_version_id, id, document_id, pointer, vulnerability, aliases,
      products, nodes, is_whole, assessment, justification, detail, responses, stated_at, received_at, origin, original)
    select ${workspaceId}, ${firmwareVersionId}, id, ${documentId}, pointer, vulnerability, aliases, products, nodes,
      "isWhole", assessment, justification, detail, responses, "statedAt", ${receivedAt}, origin, original
    from json_to_recordset(${JSON.stringify(rows)}::json) as input (id uuid, pointer text, vulnerability text,
      aliases text[], products json, nodes integer[], "isWhole" boolean, assessment text, justification text, detail text,
      responses text[], "statedAt" timestamptz, origin text, original json)
    order by id
    on conflict (workspace_id, id) do update set pointer = excluded.pointer, nodes = excluded.nodes,
      is_whole = excluded.is_whole, origin = excluded.origin`.execute(tx)
}

export interface StoredStatement {
  id: string
  vulnerability: string
  aliases: string[]
  products: VexProduct[]
  nodes: number[] | null
  isWhole: boolean
  sbomId: string | null
  format: VexFormat
  assessment: VexAssessment
}

export async function listStatements(
  db: Db,
  { workspaceId, firmwareVersionId }: VersionScope,
): Promise<StoredStatement[]> {
  return db
    .selectFrom('vexStatements as statement')
    .innerJoin('vexDocuments as document', (join) =>
      join
        .onRef('document.workspaceId', '=', 'statement.workspaceId')
        .onRef('document.id', '=', 'statement.documentId'),
    )
    .select(['statement.id', 'statement.vulnerability', 'statement.aliases', 'statement.nodes'])
    .select(['statement.isWhole', 'document.sbomId'])
    .select(sql<VexFormat>`document.format`.as('format'))
    .select(sql<VexAssessment>`statement.assessment`.as('assessment'))
    .select(sql<VexProduct[]>`statement.products`.as('products'))
    .where('statement.workspaceId', '=', workspaceId)
    .where('statement.firmwareVersionId', '=', firmwareVersionId)
    .orderBy('statement.id')
    .execute()
}

export interface TargetRow {
  statementId: string
  vulnerability: string
  place: number
  packageId: string | null
  sbomId: string | null
}

/** Replaces the targets of all statements about a firmware version. */
export async function replaceTargets(
  tx: Tx,
  { workspaceId, firmwareVersionId }: VersionScope,
  rows: readonly TargetRow[],
): Promise<void> {
  await sql`
    with wanted as materialized (
      select * from json_to_recordset(${JSON.stringify(rows)}::json) as input ("statementId" uuid,
        vulnerability text, place integer, "packageId" uuid, "sbomId" uuid)
    ), gone as (
      delete from vex_statement_targets as target
      where workspace_id = ${workspaceId} and firmware_version_id = ${firmwareVersionId}
        and not exists (
          select from wanted where wanted."statementId" = target.statement_id
            and wanted.vulnerability = target.vulnerability and wanted.place = target.place)
    )
    insert into vex_statement_targets (workspace_id, firmware_version_id, statement_id, vulnerability, place,
      package_id, sbom_id)
    select ${workspaceId}, ${firmwareVersionId}, "statementId", vulnerability, place, "packageId", "sbomId"
    from wanted order by "statementId", vulnerability, place
    on conflict (workspace_id, statement_id, vulnerability, place) do update
      set package_id = excluded.package_id, sbom_id = excluded.sbom_id
      where (vex_statement_targets.package_id, vex_statement_targets.sbom_id)
        is distinct from (excluded.package_id, excluded.sbom_id)`.execute(tx)
}

export interface StoredTarget extends TargetRow {
  /** The firmware version holds what it names. */
  isHeld: boolean
}

export async function listTargets(
  db: Db,
  { workspaceId, firmwareVersionId }: VersionScope,
): Promise<StoredTarget[]> {
  const { rows } = await sql<StoredTarget>`
    select statement_id, vulnerability, place, package_id, sbom_id,
      target.package_id is null or exists (
        select from firmware_version_packages as fact
        where fact.workspace_id = ${workspaceId} and fact.firmware_version_id = target.firmware_version_id
          and fact.package_id = target.package_id and fact.until is null
      ) as is_held
    from vex_statement_targets as target
    where target.workspace_id = ${workspaceId} and target.firmware_version_id = ${firmwareVersionId}`.execute(
    db,
  )
  return rows
}

/** The firmware versions about which there are statements. */
export async function listStatedVersions(db: Db, workspaceId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('vexStatements')
    .select('firmwareVersionId')
    .distinct()
    .where('workspaceId', '=', workspaceId)
    .orderBy('firmwareVersionId')
    .execute()
  return rows.map(({ firmwareVersionId }) => firmwareVersionId)
}

export async function hasStatements(
  db: Db,
  { workspaceId, firmwareVersionId }: VersionScope,
): Promise<boolean> {
  const row = await db
    .selectFrom('vexStatements')
    .select('id')
    .where('workspaceId', '=', workspaceId)
    .where('firmwareVersionId', '=', firmwareVersionId)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

export async function findDocument(db: Db, workspaceId: string, id: string) {
  return db
    .selectFrom('vexDocuments')
    .select(['id', 'firmwareVersionId', 'sbomId', 'format', 'documentId', 'author', 'statedAt'])
    .select('supplierDocumentId')
    .where('workspaceId', '=', workspaceId)
    .where('id', '=', id)
    .executeTakeFirst()
}
