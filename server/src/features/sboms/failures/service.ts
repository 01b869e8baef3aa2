/** Tells people of jobs that cannot read or match an SBOM, and tries again what was given up. */
import { sql } from 'kysely'
import { addMs, HOUR_MS } from '../../../formats/instants.ts'
import type { AppContext } from '../../../platform/context.ts'
import type { JobFailure } from '../../../platform/jobs/job-failure.ts'
import { listWithoutJob } from '../../../platform/jobs/late-jobs.ts'
import type { Extra } from '../../../platform/management.ts'
import { SbomParsed } from '../schemas.ts'
import * as store from './store.ts'

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
