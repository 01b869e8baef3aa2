/** Takes backups when they are due. Every worker looks; a claim in the database lets one of them take it. */
import { MINUTE_MS } from '../formats/instants.ts'
import type { AppContext } from '../platform/context.ts'
import { startTicker } from '../platform/ticker.ts'
import { openForWriting } from './open-store.ts'
import { type Seal, sealTo } from './seal.ts'
import * as state from './state-store.ts'
import { takeBackup } from './take-backup.ts'

/** The result stops looking. A backup that is under way ends with the process; the next one removes its parts. */
export async function startBackupSchedule(ctx: AppContext): Promise<() => Promise<void>> {
  const { to, encryptTo } = ctx.config.backups
  if (to === undefined) return () => Promise.resolve()
  const seal = await sealTo(encryptTo)
  // A target that cannot be meant is told at start.
  await (await openForWriting(to, ctx.config)).close()
  let isTaking = false
  const ticker = startTicker({
    everyMs: MINUTE_MS,
    work: async () => {
      isTaking = await state.claimDue(ctx.db, ctx.config.backups.everyMs)
      if (isTaking) await takeClaimed(ctx, { to, seal })
      isTaking = false
    },
    log: ctx.log,
    failure: 'a backup failed',
  })
  ticker.runNow()
  return async () => {
    void ticker.stop()
    if (isTaking) await state.releaseClaim(ctx.db)
  }
}

async function takeClaimed(
  ctx: AppContext,
  { to, seal }: { to: string; seal: Seal },
): Promise<void> {
  const renewal = startTicker({
    everyMs: MINUTE_MS,
    work: () => state.renewClaim(ctx.db),
    log: ctx.log,
    failure: 'claiming the backup again failed',
  })
  try {
    const success = await take(ctx, { to, seal })
    await state.recordSuccess(ctx.db, { ...success, isScheduled: true })
    ctx.log.info(success, 'backup taken')
  } catch (error) {
    await state.recordFailure(ctx.db, error instanceof Error ? error.message : String(error))
    throw error
  } finally {
    await renewal.stop()
  }
}

async function take(ctx: AppContext, { to, seal }: { to: string; seal: Seal }) {
  const beganAt = performance.now()
  const store = await openForWriting(to, ctx.config)
  try {
    const { manifest } = await takeBackup({
      connectionString: ctx.pool.options.connectionString ?? '',
      blobs: ctx.blobs,
      store,
      seal,
      keep: ctx.config.backups.keep,
      onProgress: () => undefined,
    })
    return {
      takenAt: new Date(manifest.takenAt),
      seconds: (performance.now() - beganAt) / 1_000,
      contentBytes: manifest.contentBytes,
      missingFiles: manifest.missing.length,
    }
  } finally {
    await store.close()
  }
}
