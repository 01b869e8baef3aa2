/** Documents that cannot be read: whose fault it is, and what becomes of their upload. */
import { ChildFailure } from '../../../platform/child-pool.ts'
import type { AppContext } from '../../../platform/context.ts'
import { isDataException, isStatementTimeout } from '../../../platform/db/connect.ts'
import { lockFirmwareVersion } from '../../firmware/index.ts'
import { settleUploads, type VersionScope } from '../replacement/service.ts'
import { findSbom } from '../store.ts'
import { StoringTooSlow, UnreadableSbom } from './parser-messages.ts'
import { updateSbomAsFailed } from './store.ts'

/** What the upload was to replace stays, and the rest of an upload that was to replace all fails with it. */
export async function failSbom(
  ctx: AppContext,
  failure: VersionScope & { sbomId: string; parsingError: string },
): Promise<void> {
  const { workspaceId, firmwareVersionId, sbomId, parsingError } = failure
  const scope = { workspaceId, firmwareVersionId }
  await ctx.db.transaction().execute(async (tx) => {
    await lockFirmwareVersion(tx, workspaceId, firmwareVersionId)
    const row = { workspaceId, sbomId, parsingError, parsedAt: ctx.now() }
    await updateSbomAsFailed(tx, row)
    await settleUploads(ctx, tx, scope)
  })
}

/** Called after the last retry: the SBOM shows as failed, and the same file can be uploaded again. */
export async function giveUpParsing(
  ctx: AppContext,
  { workspaceId, sbomId }: { workspaceId: string; sbomId: string },
): Promise<void> {
  const parsingError =
    'The file could not be parsed because of an internal error; the service log has details. Upload the file again to retry.'
  const sbom = await findSbom(ctx.db, workspaceId, sbomId)
  if (!sbom) return
  const { firmwareVersionId } = sbom
  await failSbom(ctx, { workspaceId, firmwareVersionId, sbomId, parsingError })
}

export function isOutOfTime(error: unknown): boolean {
  if (error instanceof ChildFailure) return error.reason === 'time'
  return error instanceof StoringTooSlow || isStatementTimeout(error)
}

/** The fault of the input. Undefined for an internal error, after which the job is retried. */
export function findInputFault({ config }: AppContext, error: unknown): string | undefined {
  if (error instanceof UnreadableSbom) return error.message
  if (isDataException(error))
    return `The document contains a value that cannot be stored: ${error.message}.`
  const { parserHeapMegabytes, parseSeconds, storeSeconds } = config.sboms
  if (error instanceof StoringTooSlow || isStatementTimeout(error))
    return `Storing the components of the document takes longer than the allowed ${storeSeconds} s.`
  if (!(error instanceof ChildFailure)) return undefined
  switch (error.reason) {
    case 'memory':
      return `Parsing the document needs more than the allowed ${parserHeapMegabytes} MiB of memory.`
    case 'time':
      return `Parsing the document takes longer than the allowed ${parseSeconds} s.`
    case 'crash':
      return undefined
  }
}
