/** The jobs of all slices. */
import { deleteOldAlerts, startAlertSchedule } from './features/alert-evaluation/index.ts'
import { sweepArtifactFiles } from './features/artifacts/index.ts'
import { startDeploymentSchedule } from './features/deployments/index.ts'
import { deviceJobs, sweepDeviceCounts } from './features/devices/index.ts'
import { startFeedSchedule } from './features/feeds/index.ts'
import { findingJobs } from './features/findings/index.ts'
import { announceMatchRules, matchingJobs } from './features/matching/index.ts'
import { startDeliveries } from './features/notification-delivery/index.ts'
import { sweepAddresses } from './features/notification-targets/index.ts'
import { sweepNotifications } from './features/notifications/index.ts'
import { keepDailyCounters } from './features/reports/index.ts'
import { enqueueOutdatedSboms, sbomJobs, sweepOrphanedFiles } from './features/sboms/index.ts'
import { maintainTelemetry, rollUpMetrics } from './features/telemetry/index.ts'
import { triageJobs } from './features/triage/index.ts'
import { addMs, HOUR_MS } from './formats/instants.ts'
import { sweepLocalCopies } from './platform/blobs/local-files.ts'
import type { AppContext } from './platform/context.ts'
import type { Subscription } from './platform/jobs/queue.ts'
import { startTicker } from './platform/ticker.ts'

function subscriptions(ctx: AppContext): Subscription[] {
  return [...deviceJobs, ...sbomJobs(ctx), ...matchingJobs, ...findingJobs, ...triageJobs]
}

/** Takes up the jobs, fetches sources, and clears away what crashes left behind; the result ends the latter two. */
export async function startWorker(ctx: AppContext): Promise<() => Promise<void>> {
  await sweepLocalCopies()
  await ctx.queue.work(ctx, subscriptions(ctx))
  await announceMatchRules(ctx)
  // The embedded database admits one service only: what was stored before this one and has no row never gets one.
  const begun = ctx.now()
  const isAlone = ctx.config.databaseUrl === undefined
  void sweep(ctx, isAlone ? begun : hourAgo(ctx))
  const sweeps = startTicker({
    everyMs: HOUR_MS,
    work: () => sweep(ctx, hourAgo(ctx)),
    log: ctx.log,
    failure: 'sweeping failed',
  })
  const stopFeeds = startFeedSchedule(ctx)
  const stopDeployments = startDeploymentSchedule(ctx)
  const stopAlerts = startAlertSchedule(ctx)
  const stopDeliveries = startDeliveries(ctx)
  return async () => {
    // A sweep that is under way ends with its database connection.
    void sweeps.stop()
    await stopAlerts()
    await stopDeliveries()
    await stopDeployments()
    await stopFeeds()
  }
}

/** What another node may be about to commit is left alone. */
function hourAgo(ctx: AppContext): Date {
  return addMs(ctx.now(), -HOUR_MS)
}

async function sweep(ctx: AppContext, before: Date): Promise<void> {
  await upkeep(ctx, 'outdated SBOMs', () => enqueueOutdatedSboms(ctx))
  await upkeep(ctx, 'daily counters', () => keepDailyCounters(ctx))
  await upkeep(ctx, 'counts of devices', () => sweepDeviceCounts(ctx))
  await upkeep(ctx, 'metrics and logs', () => maintainTelemetry(ctx))
  await upkeep(ctx, 'alerts', () => deleteOldAlerts(ctx))
  await upkeep(ctx, 'hours of metrics', () => rollUpMetrics(ctx))
  await upkeep(ctx, 'addresses nobody has', () => sweepAddresses(ctx))
  await upkeep(ctx, 'old notifications', () => sweepNotifications(ctx))
  await upkeep(ctx, 'left-over files', async () => {
    const deleted = await sweepOrphanedFiles(ctx, before)
    if (deleted > 0) ctx.log.info({ deleted }, 'removed files no SBOM speaks of')
  })
  await upkeep(ctx, 'left-over artifacts', async () => {
    const deleted = await sweepArtifactFiles(ctx, before)
    if (deleted > 0) ctx.log.info({ deleted }, 'removed files no firmware version speaks of')
  })
}

/** The next run does what this one could not, and one duty does not keep the others from theirs. */
async function upkeep(ctx: AppContext, duty: string, work: () => Promise<unknown>): Promise<void> {
  try {
    await work()
  } catch (error) {
    ctx.log.warn({ err: error, duty }, 'upkeep failed')
  }
}
