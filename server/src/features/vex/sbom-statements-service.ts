/** Updates the statements about a firmware version after its SBOMs have changed. */
import type { SbomStatement } from '../../formats/sboms/model.ts'
import type { AppContext, InventoryChange } from '../../platform/context.ts'
import type { Tx } from '../../platform/db/connect.ts'
import { getFirmwareVersion } from '../firmware/index.ts'
import { listNamespaces, type VersionScope } from './targets/store.ts'
import { contentId, statementRow } from './statement-row.ts'
import { deleteDocument, hasStatements, insertDocument, replaceStatements } from './store.ts'
import { retargetStatements } from './targets/service.ts'

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

/** The statements are deleted with the SBOM. Decisions they made stay. */
async function storeSbomStatements(ctx: AppContext, tx: Tx, input: SbomStatements): Promise<void> {
  const { workspaceId, firmwareVersionId, sbomId, statements } = input
  const documentId = contentId(workspaceId, 'sbom', sbomId)
  const [first] = statements
  if (!first) {
    await deleteDocument(tx, workspaceId, documentId)
    return
  }
  const receivedAt = ctx.now()
  // A statement without a time counts as old as the version: it must not outweigh later decisions of people.
  const defaultStatedAt = (await getFirmwareVersion(tx, workspaceId, firmwareVersionId)).createdAt
  const sboms = await listNamespaces(tx, { workspaceId, firmwareVersionId })
  const namespace = sboms.find(({ id }) => id === sbomId)?.namespace ?? null
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
    envelope: envelopeOf(namespace),
  })
  const rows = statements.map(({ statement, original, nodes, isWhole, origin }) =>
    statementRow(
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
    rows: [...new Map(rows.map((row) => [row.id, row])).values()],
  })
}

/** The members that identify the SBOM. The SBOM itself has all others. */
function envelopeOf(namespace: string | null): Record<string, unknown> {
  const [, uuid, version] = /^urn:cdx:([0-9a-f-]{36})\/(\d+)$/.exec(namespace ?? '') ?? []
  return uuid === undefined ? {} : { serialNumber: `urn:uuid:${uuid}`, version: Number(version) }
}
