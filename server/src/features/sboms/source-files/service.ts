/** Lists of the source files that a component was compiled from, uploaded in addition to the SBOM. */
import { Readable } from 'node:stream'
import { listComparisonKeys } from '../../../formats/source-paths.ts'
import type { Actor } from '../../../platform/actor.ts'
import type { AppContext } from '../../../platform/context.ts'
import { AppError, notFound } from '../../../platform/errors.ts'
import { readUpload, type UploadRequest } from '../../../platform/http/upload.ts'
import { isUuid } from '../../../platform/ids.ts'
import { type AuditAction, recordAudit } from '../../audit/index.ts'
import { SourceFilesChanged } from '../schemas.ts'
import { getSbom } from '../service.ts'
import { readSourceFileList } from './source-file-list.ts'
import * as store from './store.ts'

export interface ComponentAddress {
  workspaceId: string
  sbomId: string
  componentId: string
}

const MEBIBYTE = 1024 * 1024
/** A kernel with all options has about 30,000 source files, 2 MiB of paths. */
const LIMITS = { files: 1, fileBytes: 16 * MEBIBYTE }

export async function replaceSourceFiles(
  ctx: AppContext,
  input: ComponentAddress & { actor: Actor; request: UploadRequest },
) {
  const { actor, request } = input
  const { component, firmwareVersionId, ...of } = await getComponent(ctx, input)
  const { workspaceId } = of
  if (component.packageId === null)
    throw new AppError(
      'conflict',
      'component-not-matched',
      'This component is not matched with vulnerabilities; see its notMatchedReason.',
    )
  const [list] = await readUpload(request, LIMITS, (_fileName, content) =>
    readSourceFileList(content),
  )
  if (list === undefined)
    throw new AppError('invalid', 'source-files-invalid', 'The upload contains no list.')
  const { files, ignoredCount } = list
  const at = ctx.now()
  const row = { ...of, node: component.node, files, keys: listComparisonKeys(files), at }
  await ctx.db.transaction().execute(async (tx) => {
    // The component was deleted or parsed again while the list was read.
    if ((await store.findComponent(tx, of))?.node !== component.node)
      throw notFound('component', of.componentId)
    await store.upsertUploadedList(tx, row)
    await ctx.queue.enqueue(tx, SourceFilesChanged, { workspaceId, firmwareVersionId })
    await recordAudit(ctx, tx, {
      ...createAuditEntry(of, actor, 'sbom.source-files.replace'),
      after: { firmwareVersionId, componentId: of.componentId, fileCount: files.length },
    })
  })
  return {
    componentId: of.componentId,
    fileCount: files.length,
    ignoredCount,
    uploadedAt: at,
  }
}

/** The list in force, one path per line. */
export async function readSourceFiles(ctx: AppContext, input: ComponentAddress): Promise<Readable> {
  const { component, ...of } = await getComponent(ctx, input)
  const files = await store.listSourceFiles(ctx.db, of, component.node)
  if (!files) throw noList(of.componentId)
  return Readable.from(files.map((path) => `${path}\n`))
}

/** Afterwards the list in the SBOM is in force again. */
export async function deleteSourceFiles(
  ctx: AppContext,
  input: ComponentAddress & { actor: Actor },
): Promise<void> {
  const { component: _, firmwareVersionId, ...of } = await getComponent(ctx, input)
  const { workspaceId } = of
  const deletedAt = ctx.now().toISOString()
  await ctx.db.transaction().execute(async (tx) => {
    const fileCount = await store.deleteUploadedList(tx, of)
    if (fileCount === undefined) throw noList(of.componentId)
    const change = { workspaceId, firmwareVersionId, deletedAt }
    await ctx.queue.enqueue(tx, SourceFilesChanged, change)
    await recordAudit(ctx, tx, {
      ...createAuditEntry(of, input.actor, 'sbom.source-files.delete'),
      before: { firmwareVersionId, componentId: of.componentId, fileCount },
    })
  })
}

async function getComponent(
  ctx: AppContext,
  { workspaceId, sbomId, componentId }: ComponentAddress,
) {
  const { id, firmwareVersionId } = await getSbom(ctx, workspaceId, sbomId)
  const of = { workspaceId, sbomId: id, componentId }
  const component = isUuid(componentId) ? await store.findComponent(ctx.db, of) : undefined
  if (!component) throw notFound('component', componentId)
  return { ...of, firmwareVersionId, component }
}

function noList(componentId: string): AppError {
  return new AppError(
    'notFound',
    'source-files-not-found',
    `No source files are listed for the component ${JSON.stringify(componentId)}.`,
  )
}

function createAuditEntry(
  { workspaceId, sbomId }: ComponentAddress,
  actor: Actor,
  action: AuditAction,
) {
  return { workspaceId, actor, action, resourceType: 'sbom', resourceId: sbomId }
}
