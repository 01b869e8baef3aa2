/** Calls upward: what higher slices do, in the same transaction, when something happens in a lower one. */
import { deleteDeploymentsOfCohort, moveDeviceUpdates } from './features/deployments/index.ts'
import { moveCountersOfMatches } from './features/findings/index.ts'
import { endInterruptedIncident, rescheduleReminder } from './features/incidents/index.ts'
import type { ChangedMatch } from './features/matching/index.ts'
import { carryOverDecisions, takeUpDecisions } from './features/triage/index.ts'
import { applyStatements } from './features/vex/index.ts'
import type { Reactions } from './platform/context.ts'

export const REACTIONS: Reactions = {
  matchesChanged: async (ctx, tx, { changes, at }) => {
    await moveCountersOfMatches(tx, changes, at)
    await takeUpDecisions(ctx, tx, changes)
    const begun = changes.filter(isNew)
    if (begun.length === 0) return
    await ctx.reactions.findingsBegun(ctx, tx, {
      packageIds: begun.map(({ packageId }) => packageId),
      vulnerabilityIds: begun.map(({ vulnerabilityId }) => vulnerabilityId),
    })
  },

  findingsBegun: async (ctx, tx, begun) => {
    await carryOverDecisions(ctx, tx, begun)
    // When a version's SBOMs change, `inventoryChanged` applies all its statements once its counters are written.
    if (!('workspaceId' in begun)) await applyStatements(ctx, tx, begun)
  },

  cohortMembersMoved: moveDeviceUpdates,

  cohortDeleting: (tx, { workspaceId, cohortId }) =>
    deleteDeploymentsOfCohort(tx, workspaceId, cohortId),

  alertRuleInterrupted: endInterruptedIncident,

  repeatIntervalChanged: rescheduleReminder,
}

function isNew({ oldConfidence, newConfidence }: ChangedMatch): boolean {
  return oldConfidence === null && newConfidence !== null
}
