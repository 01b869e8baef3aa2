/** Jobs that cannot read or match an SBOM: whose fault it is, what people are told, and what is tried again. */
import { sql } from 'kysely'
import { addMs, HOUR_MS } from '../../../formats/instants.ts'
import { ChildFailure } from '../../../platform/child-pool.ts'
import type { AppContext } from '../../../platform/context.ts'
import { isDataException, isStatementTimeout } from '../../../platform/db/failures.ts'
import type { JobFailure } from '../../../platform/jobs/job-failure.ts'
import { listWithoutJob } from '../../../platform/jobs/late-jobs.ts'
import type { Extra } from '../../../platform/management.ts'
import { lockFirmwareVersion } from '../../firmware/index.ts'
import { StoringTooSlow, UnreadableSbom } from '../parsing/parser-messages.ts'
import { updateSbomAsFailed } from '../parsing/store.ts'
import { settleUploads, type VersionScope } from '../replacement/service.ts'
import { SbomParsed } from '../schemas.ts'
import { findSbom } from '../store.ts'
import * as store from './store.ts'

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

/** An attempt to read or match an SBOM, or those of a version, has failed once more. */
export async function tellFailure(
  { db, now }: Pick<AppContext, 'db' | 'now'>,
  sboms: store.FailingSboms,
  { attempts, reason, job }: JobFailure,
): Promise<void> {
  const failure = { attempts, reason: `${reason}; job ${job}`, failedAt: now() }
  await store.updateSbomFailure(db, sboms, failure)
}

/** All attempts to match have failed. The SBOM is tried again every hour, after others. */
export async function tellGivenUp(
  { db }: Pick<AppContext, 'db'>,
  sboms: store.FailingSboms,
): Promise<void> {
  await store.updateSbomAsGivenUp(db, sboms)
}

/** No job may match them, as all attempts failed: an upgrade, or what was wrong outside, may have mended it. */
export async function enqueueUnmatchedSboms(ctx: AppContext): Promise<void> {
  const sboms = await store.listUnmatchedSboms(ctx.db, addMs(ctx.now(), -HOUR_MS))
  const forgotten = await listWithoutJob(ctx.db, sboms, {
    messages: [SbomParsed],
    isMeant: sql`job.data ->> 'sbomId' = asked.row ->> 'sbomId'`,
  })
  for (const sbom of forgotten)
    await ctx.db
      .transaction()
      .execute((tx) => ctx.queue.enqueue(tx, SbomParsed, sbom, { priority: -1 }))
}

/** What the management port says about SBOMs: how many cannot be read or matched. */
export function reportSbomHealth({ db }: Pick<AppContext, 'db'>): Extra {
  return {
    detail: 'sboms',
    describe: () => store.countFailing(db),
    gauges: [
      {
        name: 'plimsoll_sboms_failing',
        help: 'SBOMs of which at least two attempts to read or match them failed, by whether they are retried or given up',
        labelNames: ['state'],
        values: async () => {
          const { failing, givenUp } = await store.countFailing(db)
          return [
            { labels: { state: 'retried' }, value: failing },
            { labels: { state: 'given_up' }, value: givenUp },
          ]
        },
      },
    ],
  }
}
