/** The worker: jobs, schedules and hourly maintenance of all slices. */
import { startSealing } from './features/audit/index.ts'
import { startBackupSchedule } from './backup/schedule.ts'
import { startClockWatch } from './clock/watch-service.ts'
import { deleteOldAlerts, startAlertSchedule } from './features/alert-evaluation/index.ts'
import { maintainCrashes, repairCrashTotals } from './features/crashes/index.ts'
import { sweepArtifactFiles } from './features/artifacts/index.ts'
import { startCaseSchedule } from './features/cases/index.ts'
import { proposalJobs, startProposalMails } from './features/decision-proposals/index.ts'
import {
  disclosureReportJobs,
  startDisclosureReportMails,
} from './features/disclosure-reports/index.ts'
import { startComparisons } from './features/comparisons/index.ts'
import { startDeploymentSchedule } from './features/deployments/index.ts'
import { startKeyAges } from './features/device-keys/index.ts'
import { deviceJobs, sweepDeviceCounts, sweepPresenceChanges } from './features/devices/index.ts'
import { feedJobs, startFeedSchedule, sweepImportFiles } from './features/feeds/index.ts'
import { findingJobs, startKeptRefreshes } from './features/findings/index.ts'
import { sweepIdempotencyKeys } from './features/idempotency/index.ts'
import { discussionJobs } from './features/discussions/index.ts'
import { enqueueUnexaminedSboms, sbomSignatureJobs } from './features/sbom-signatures/index.ts'
import { enqueueUnexamined, imageCheckJobs } from './features/image-checks/index.ts'
import { provenanceJobs } from './features/provenance/index.ts'
import { incidentJobs } from './features/incidents/index.ts'
import { invitationJobs } from './features/invitations/index.ts'
import { enqueueRuleUpgrade, matchingJobs } from './features/matching/index.ts'
import { startDeliveries } from './features/notification-delivery/index.ts'
import { sweepAddresses } from './features/notification-targets/index.ts'
import { sweepNotifications } from './features/notifications/index.ts'
import { sweepMailCounts } from './features/mails/index.ts'
import { peopleJobs, sweepPeople } from './features/people/index.ts'
import { sweepUsageWindows } from './features/quotas/index.ts'
import { maintainCaseDays, maintainDisclosures } from './features/figures/index.ts'
import { startLicenceCounts } from './features/licences/index.ts'
import { startUrgencyCounts } from './features/release-gate/index.ts'
import { maintainDailyCounters, maintainDailyDevices } from './features/reports/index.ts'
import {
  enqueueOutdatedSboms,
  enqueueUnmatchedSboms,
  listSbomJobs,
  sweepOrphanedFiles,
  sweepReplacedSboms,
} from './features/sboms/index.ts'
import { startAdvisoryMails } from './features/security-advisories/index.ts'
import { startSupplierFeeds, supplierFeedJobs } from './features/supplier-feeds/index.ts'
import { enqueueSupportUpgrade, supportJobs } from './features/support/index.ts'
import {
  deleteDataOfDevices,
  maintainTelemetry,
  readLogHours,
  rollUpMetrics,
} from './features/telemetry/index.ts'
import { startAcceptanceSchedule, triageJobs } from './features/triage/index.ts'
import { startWatching } from './features/watches/index.ts'
import { startWeeklyMails } from './features/weekly-mails/index.ts'
import { addMs, HOUR_MS } from './formats/instants.ts'
import { sweepLocalCopies } from './platform/blobs/local-files.ts'
import type { AppContext } from './platform/context.ts'
import type { Queue, Subscription } from './platform/jobs/queue.ts'
import { startTicker } from './platform/ticker.ts'

/** What the slices do with each message. */
export function listSubscriptions(ctx: AppContext): Subscription<AppContext>[] {
  return [
    ...peopleJobs,
    ...invitationJobs,
    ...discussionJobs,
    ...incidentJobs,
    ...deviceJobs,
    ...listSbomJobs(ctx),
    ...feedJobs,
    ...matchingJobs,
    ...supportJobs,
    ...findingJobs,
    ...triageJobs,
    ...proposalJobs,
    ...disclosureReportJobs,
    ...supplierFeedJobs,
    ...imageCheckJobs,
    ...provenanceJobs,
    ...sbomSignatureJobs,
  ]
}

/** Starts jobs, schedules and maintenance. The result stops schedules and maintenance; the queue stops the jobs. */
export async function startWorker(ctx: AppContext, queue: Queue): Promise<() => Promise<void>> {
  await sweepLocalCopies()
  await queue.work(ctx, listSubscriptions(ctx))
  await enqueueRuleUpgrade(ctx)
  await enqueueSupportUpgrade(ctx)
  // The embedded database admits one service only: a file from before the start without a row is a left-over.
  const startedAt = new Date()
  const isAlone = ctx.config.databaseUrl === undefined
  void maintain(ctx, isAlone ? startedAt : hourAgo())
  const maintenance = startTicker({
    everyMs: HOUR_MS,
    work: () => maintain(ctx, hourAgo()),
    log: ctx.log,
    failure: 'maintenance failed',
  })
  const clockWatch = startClockWatch(ctx)
  const stopFeeds = startFeedSchedule(ctx)
  const stopSupplierFeeds = startSupplierFeeds(ctx)
  const stopDeployments = startDeploymentSchedule(ctx)
  const stopComparisons = startComparisons(ctx)
  const stopKeyAges = startKeyAges(ctx)
  const stopAlerts = startAlertSchedule(ctx)
  const stopDeliveries = startDeliveries(ctx)
  const stopWeeklyMails = startWeeklyMails(ctx)
  const stopWatching = startWatching(ctx)
  const stopAcceptances = startAcceptanceSchedule(ctx)
  const stopProposalMails = startProposalMails(ctx)
  const stopCases = startCaseSchedule(ctx)
  const stopReportMails = startDisclosureReportMails(ctx)
  const stopSealing = startSealing(ctx)
  const stopAdvisoryMails = startAdvisoryMails(ctx)
  const stopBackups = await startBackupSchedule(ctx)
  const keptRefreshes = startKeptRefreshes(ctx)
  const urgencyCounts = startUrgencyCounts(ctx)
  const licenceCounts = startLicenceCounts(ctx)
  return async () => {
    // Not awaited: a run that is under way ends with its database connection.
    void maintenance.stop()
    await clockWatch.stop()
    await stopBackups()
    await keptRefreshes.stop()
    await urgencyCounts.stop()
    await licenceCounts.stop()
    await stopAlerts()
    await stopDeliveries()
    await stopWeeklyMails()
    await stopWatching()
    await stopAcceptances()
    await stopProposalMails()
    await stopCases()
    await stopReportMails()
    await stopSealing()
    await stopAdvisoryMails()
    await stopDeployments()
    await stopComparisons()
    await stopKeyAges()
    await stopFeeds()
    await stopSupplierFeeds()
  }
}

/**
 * Younger files stay, as another node may be about to commit their rows. Files carry the time of this machine, or of the
 * file store, rather than that of the database.
 */
function hourAgo(): Date {
  return addMs(new Date(), -HOUR_MS)
}

async function maintain(ctx: AppContext, before: Date): Promise<void> {
  await attempt(ctx, 'outdated SBOMs', () => enqueueOutdatedSboms(ctx))
  await attempt(ctx, 'unmatched SBOMs', () => enqueueUnmatchedSboms(ctx))
  await attempt(ctx, 'unexamined images', () => enqueueUnexamined(ctx))
  await attempt(ctx, 'unexamined SBOMs', () => enqueueUnexaminedSboms(ctx))
  await attempt(ctx, 'old sessions and links', () => sweepPeople(ctx))
  await attempt(ctx, 'daily counters', () => maintainDailyCounters(ctx))
  await attempt(ctx, 'daily devices', () => maintainDailyDevices(ctx))
  await attempt(ctx, 'disclosures', () => maintainDisclosures(ctx))
  await attempt(ctx, 'owners of cases', () => maintainCaseDays(ctx))
  await attempt(ctx, 'counts of devices', () => sweepDeviceCounts(ctx))
  await attempt(ctx, 'presence of devices', () => sweepPresenceChanges(ctx))
  await attempt(ctx, 'metrics and logs', () => maintainTelemetry(ctx))
  await attempt(ctx, 'crashes', () => maintainCrashes(ctx))
  await attempt(ctx, 'totals of crashes', () => repairCrashTotals(ctx))
  await attempt(ctx, 'alerts', () => deleteOldAlerts(ctx))
  await attempt(ctx, 'hours of metrics', () => rollUpMetrics(ctx))
  await attempt(ctx, 'hours of logs', () => readLogHours(ctx))
  await attempt(ctx, 'data of deleted devices', () => deleteDataOfDevices(ctx))
  await attempt(ctx, 'unused addresses', () => sweepAddresses(ctx))
  await attempt(ctx, 'old notifications', () => sweepNotifications(ctx))
  await attempt(ctx, 'usage of quotas', () => sweepUsageWindows(ctx))
  await attempt(ctx, 'counts of mails', () => sweepMailCounts(ctx))
  await attempt(ctx, 'keys of requests', () => sweepIdempotencyKeys(ctx))
  await attempt(ctx, 'replaced SBOMs', () => sweepReplacedSboms(ctx))
  await attempt(ctx, 'left-over files', async () => {
    const deleted = await sweepOrphanedFiles(ctx, before)
    if (deleted > 0) ctx.log.info({ deleted }, 'removed files without an SBOM')
  })
  await attempt(ctx, 'left-over imports', () => sweepImportFiles(ctx, before))
  await attempt(ctx, 'left-over artifacts', async () => {
    const deleted = await sweepArtifactFiles(ctx, before)
    if (deleted > 0) ctx.log.info({ deleted }, 'removed files without a firmware version')
  })
}

/** A failure is logged, so that the other tasks still run. The next run tries again. */
async function attempt(ctx: AppContext, task: string, work: () => Promise<unknown>): Promise<void> {
  try {
    await work()
  } catch (error) {
    ctx.log.warn({ err: error, task }, 'maintenance failed')
  }
}
