/** Calls upward: what higher slices do, in the same transaction, when something happens in a lower one. */
import { placeDevicesOfCustomers, removeDevicesOfCustomers } from './features/customers/index.ts'
import {
  storeReportedCrashes,
  takeBackCrashesOfDevices,
  takeBackCrashesOfVersions,
} from './features/crashes/index.ts'
import { placeDevicesByTags } from './features/cohorts/index.ts'
import {
  deleteDeploymentsOfCohort,
  removeFromCounters,
  moveDeviceUpdates,
  storeUpdateReports,
} from './features/deployments/index.ts'
import { reopenUndone } from './features/decision-proposals/index.ts'
import { signalDesiredChange, relinkDevices } from './features/devices/index.ts'
import {
  changeFindings,
  deleteFindingFacts,
  updateFindingFacts,
  askForRefresh,
} from './features/findings/index.ts'
import { deleteViewsOfMember } from './features/saved-views/index.ts'
import { forgetBytesOfDeltas, forgetGoneBytes } from './features/image-checks/index.ts'
import { handOverAssigned } from './features/discussions/index.ts'
import { endInvitationsOfMember } from './features/invitations/index.ts'
import {
  endInterruptedIncident,
  handOverIncidents,
  releaseIncidentsOfMember,
  rescheduleReminder,
  summariseFiringAlerts,
} from './features/incidents/index.ts'
import { handOverOwned } from './features/owners/index.ts'
import { keepFirstDeployments, refuseRetained } from './features/product-lines/index.ts'
import { listVersionsWithActiveFinding } from './features/reports/index.ts'
import { keepLicencesOfVersion } from './features/licences/index.ts'
import { listGateFacts } from './features/release-gate/index.ts'
import { chooseStatedPackages, deriveSupportOfVersion } from './features/support/index.ts'
import { giveBackBytesOfVersions, holdUsage } from './features/quotas/index.ts'
import { deleteSeriesOfDevices, storeReportedTelemetry } from './features/telemetry/index.ts'
import {
  applyStandingDecisions,
  checkForFixes,
  endExploited,
  handOverOfMember,
  carryOverDecisions,
  takeUpDecisions,
} from './features/triage/index.ts'
import { applyAfterChange } from './features/supplier-feeds/index.ts'
import { applyStatements, endSbomDecisions, updateStatements } from './features/vex/index.ts'
import type { Reactions } from './platform/context.ts'
import { announceLater } from './platform/db/announcements.ts'

export const REACTIONS: Reactions = {
  settingsChanged: async (_ctx, tx, { workspaceId, before, after }) => {
    // Devices without a log severity of their own take the workspace's.
    if (before.defaultLogSeverity !== after.defaultLogSeverity)
      await signalDesiredChange(tx, workspaceId, 'all')
  },

  memberLeaving: async (ctx, tx, leaving) => {
    await handOverAssigned(ctx, tx, leaving)
    await handOverOwned(ctx, tx, leaving)
    await handOverIncidents(ctx, tx, leaving)
  },

  memberChanged: async (ctx, tx, changed) => {
    await endInvitationsOfMember(ctx, tx, changed)
    await deleteViewsOfMember(ctx, tx, changed)
    await releaseIncidentsOfMember(ctx, tx, changed)
    const { acceptancesToId: toId, ...leaving } = changed
    if (toId !== undefined) await handOverOfMember(ctx, tx, { ...leaving, toId })
  },

  ssvcChanged: askForRefresh,

  versionsNamed: (_ctx, tx, named) => relinkDevices(tx, named),

  devicesTagged: async (ctx, tx, changed) => {
    await placeDevicesByTags(ctx, tx, changed)
    await placeDevicesOfCustomers(ctx, tx, changed)
  },

  devicesLeaving: async (ctx, tx, changed) => {
    // First, as batches of reports lock it before deployments.
    await holdUsage(tx, { workspaceId: changed.workspaceId, quota: 'metricSeries' })
    await takeBackCrashesOfDevices(tx, changed)
    await removeFromCounters(tx, changed)
    await deleteSeriesOfDevices(ctx, tx, changed)
    await removeDevicesOfCustomers(tx, changed)
  },

  reported: async (ctx, tx, batch) => {
    await storeReportedTelemetry(ctx, tx, batch)
    await storeReportedCrashes(ctx, tx, batch)
    await storeUpdateReports(ctx, tx, batch)
    announceLater(ctx, batch.workspaceId, ['devices', 'deployments'])
  },

  inventoryChanged: async (ctx, tx, change) => {
    const isStated = await updateStatements(ctx, tx, change)
    await updateFindingFacts(ctx, tx, change)
    await deriveSupportOfVersion(tx, change)
    await chooseStatedPackages(tx, change)
    await keepLicencesOfVersion(tx, change)
    const { workspaceId, firmwareVersionId } = change
    if (isStated) await applyStatements(ctx, tx, { workspaceId, firmwareVersionId })
    if (change.hasMore !== true) await endSbomDecisions(ctx, tx, { workspaceId, firmwareVersionId })
    await applyAfterChange(ctx, tx, change)
  },

  versionsDeleting: async (ctx, tx, versions) => {
    await refuseRetained(ctx, tx, versions)
    await takeBackCrashesOfVersions(tx, versions)
    await deleteFindingFacts(ctx, tx, versions)
    await forgetBytesOfDeltas(ctx, tx, versions)
    await giveBackBytesOfVersions(tx, versions)
  },

  artifactsChanged: forgetGoneBytes,

  matchesChanged: changeFindings,

  matchesMoving: async (ctx, tx, changed) => {
    await takeUpDecisions(ctx, tx, changed)
    await endExploited(ctx, tx, changed)
  },

  recordsMatched: checkForFixes,

  findingsBegun: async (ctx, tx, findings) => {
    await carryOverDecisions(ctx, tx, findings)
    await applyStandingDecisions(ctx, tx, findings)
    // `inventoryChanged` applies all statements about a version, once its counters are written.
    if ('packageIds' in findings) await applyStatements(ctx, tx, findings)
  },

  decisionsUndone: reopenUndone,

  cohortMembersMoved: async (ctx, tx, moved) => {
    await moveDeviceUpdates(ctx, tx, moved)
    const deviceIds = moved.moves.map(({ deviceId }) => deviceId)
    await placeDevicesOfCustomers(ctx, tx, { workspaceId: moved.workspaceId, deviceIds })
  },

  cohortDeleting: async (_ctx, tx, cohort) => {
    await keepFirstDeployments(tx, cohort)
    await deleteDeploymentsOfCohort(tx, cohort.workspaceId, cohort.cohortId)
  },

  alertRuleInterrupted: endInterruptedIncident,

  repeatIntervalChanged: rescheduleReminder,

  listGateFacts,

  listVulnerableVersions: listVersionsWithActiveFinding,

  summariseFiringAlerts,
}
