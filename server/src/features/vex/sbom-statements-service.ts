/** Updates the statements about a firmware version after its SBOMs have changed. */
import type { SbomStatement } from '../../formats/sboms/model.ts'
import type { AppContext } from '../../platform/context.ts'
import type { Tx } from '../../platform/db/connect.ts'
import { getFirmwareVersion } from '../firmware/index.ts'
import { listNamespaces, type VersionScope } from './targets/store.ts'
import { deriveId, createStatementRow } from './statement-row.ts'
import {
  deleteDocument,
  hasStatements,
  insertDocument,
  replaceStatements,
  type StatementRow,
} from './store.ts'
import { retargetStatements } from './targets/service.ts'
import type { InventoryChange } from '../sboms/index.ts'

/**
 * Stores the statements of the SBOM that was parsed, and finds the targets of all statements again. Answers whether the
 * firmware version has statements: the caller then applies them to the new findings.
 */
export async function updateStatements(
  ctx: AppContext,
  tx: Tx,
  { workspaceId, firmwareVersionId, parsed }: InventoryChange,
): Promise<boolean> {
  const scope = { workspaceId, firmwareVersionId }
  if (parsed) await storeSbomStatements(ctx, tx, { ...scope, ...parsed })
  const hasAny = await hasStatements(tx, scope)
  if (hasAny) await retargetStatements(tx, scope)
  return hasAny
}

interface SbomStatements extends VersionScope {
  sbomId: string
  statements: readonly SbomStatement[]
}

/** VEX statements, and what else the build says, are documents of their own. */
async function storeSbomStatements(ctx: AppContext, tx: Tx, input: SbomStatements): Promise<void> {
  const { workspaceId, firmwareVersionId, sbomId, statements } = input
  const sboms = await listNamespaces(tx, { workspaceId, firmwareVersionId })
  const sbom = sboms.find(({ id }) => id === sbomId)
  // A statement without a time counts as old as the version.
  const version = await getFirmwareVersion(tx, workspaceId, firmwareVersionId)
  const about = { ...input, namespace: sbom?.namespace ?? null, defaultStatedAt: version.createdAt }
  const isFact = ({ format }: SbomStatement) => format === 'Build'
  const vex = statements.filter((one) => !isFact(one))
  const facts = statements.filter(isFact)
  await storeDocument(ctx, tx, { ...about, documentId: deriveId(workspaceId, 'sbom', sbomId) }, vex)
  const factsId = deriveId(workspaceId, 'sbom-build', sbomId)
  await storeDocument(ctx, tx, { ...about, documentId: factsId }, facts)
}

interface StoredDocument extends SbomStatements {
  documentId: string
  namespace: string | null
  defaultStatedAt: Date
}

/** The statements are deleted with the SBOM. */
async function storeDocument(
  ctx: AppContext,
  tx: Tx,
  document: StoredDocument,
  statements: readonly SbomStatement[],
): Promise<void> {
  const { workspaceId, firmwareVersionId, sbomId, documentId, namespace, defaultStatedAt } =
    document
  const [first] = statements
  if (!first) {
    await deleteDocument(tx, workspaceId, documentId)
    return
  }
  const receivedAt = ctx.now()
  await insertDocument(tx, {
    workspaceId,
    firmwareVersionId,
    id: documentId,
    sbomId,
    format: first.format,
    specVersion: null,
    documentId: namespace,
    author: null,
    statedAt: first.statement.statedAt ?? null,
    receivedAt,
    receivedByEmail: null,
    supplierDocumentId: null,
    envelope: createEnvelope(namespace),
  })
  const origin = first.format === 'Build' ? 'Build' : 'Document'
  const rows = statements.map(({ statement, original, nodes, isWhole }) =>
    createStatementRow(
      { documentId, statement, original, receivedAt, defaultStatedAt },
      nodes.length > 0 || isWhole ? { nodes, isWhole } : undefined,
      origin,
    ),
  )
  await replaceStatements(tx, {
    workspaceId,
    firmwareVersionId,
    documentId,
    receivedAt,
    rows: [...Map.groupBy(rows, ({ id }) => id).values()].flatMap(united),
  })
}

/** Several components say the same, so it is one statement about all of them. */
function united(rows: readonly StatementRow[]): StatementRow[] {
  const [first] = rows
  if (!first || rows.length === 1) return [...rows]
  const nodes = new Set(rows.flatMap((row) => row.nodes ?? []))
  const isWhole = rows.some((row) => row.isWhole)
  const named = nodes.size > 0 || isWhole ? [...nodes].toSorted((a, b) => a - b) : null
  return [{ ...first, isWhole, nodes: named }]
}

/** The members that identify the SBOM. The SBOM itself has all others. */
function createEnvelope(namespace: string | null): Record<string, unknown> {
  const [, uuid, version] = /^urn:cdx:([0-9a-f-]{36})\/(\d+)$/.exec(namespace ?? '') ?? []
  return uuid === undefined ? {} : { serialNumber: `urn:uuid:${uuid}`, version: Number(version) }
}
