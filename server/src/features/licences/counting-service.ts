/** Counts the licences of versions that a node of an older release changed. */
import type { AppContext } from '../../platform/context.ts'
import { runHalfTheTime } from '../../platform/pauses.ts'
import { startTicker, type Ticker } from '../../platform/ticker.ts'
import { lockFirmwareVersion } from '../firmware/index.ts'
import { keepLicencesOfVersion, listUncounted } from './kept-store.ts'

const EVERY_MS = 60_000
const BATCH = 200

/** Until then their marks are Unknown. Several workers may count the same, which harms nothing. */
export function startLicenceCounts(ctx: AppContext): Ticker {
  const ticker = startTicker({
    everyMs: EVERY_MS,
    work: async () => {
      if ((await countUncountedLicences(ctx)) === BATCH) ticker.runNow()
    },
    log: ctx.log,
    failure: 'the licences of versions were not counted',
  })
  ticker.runNow()
  return ticker
}

/** Answers how many versions it counted; the next run goes on with what is left. */
export async function countUncountedLicences(ctx: AppContext): Promise<number> {
  const versions = await listUncounted(ctx.slowDb, BATCH)
  for (const version of versions)
    await runHalfTheTime(async (one) => {
      const { workspaceId, firmwareVersionId } = one
      await ctx.db.transaction().execute(async (tx) => {
        if (await lockFirmwareVersion(tx, workspaceId, firmwareVersionId))
          await keepLicencesOfVersion(tx, one)
      })
    }, version)
  return versions.length
}
