/**
 * Acceptances end by themselves: in the transaction that ends one, its finding counts again. Whoever changes what conditions
 * depend on has them checked: matches in the same transaction, scores, devices and fixes by a job, time by a schedule.
 */
import { describeEndedAcceptance } from '../../../formats/acceptances.ts'
import type { FindingKey } from '../../../formats/finding-id.ts'
import { SECOND_MS } from '../../../formats/instants.ts'
import type { AppContext } from '../../../platform/context.ts'
import { announce } from '../../../platform/db/announcements.ts'
import type { Tx } from '../../../platform/db/connect.ts'
import { lockPackages } from '../../../platform/db/package-locks.ts'
import { newId } from '../../../platform/ids.ts'
import { startTicker } from '../../../platform/ticker.ts'
import { listFindingSubjects, recordAudit } from '../../audit/index.ts'
import { lockFirmwareVersions } from '../../firmware/index.ts'
import { AcceptancesOutdated, type Decision, recordLockedDecisions } from '../../findings/index.ts'
import type { ChangedMatch } from '../../matching/index.ts'
import * as store from './met-store.ts'
import { tellOwners } from './notices-service.ts'

type Clock = Pick<AppContext, 'now'>

/** So many in one transaction: others that decide in the workspace wait for it. */
const BATCH = 1_000
const LOOK_EVERY_MS = 10 * SECOND_MS

/** The decision that ends an acceptance. */
function endOf({ causes, acceptance, ...key }: store.MetAcceptance, now: Date) {
  const ended = { at: now.toISOString(), causes, byEmail: null }
  return {
    ...key,
    ignored: false,
    isEnd: true,
    recheckReason: describeEndedAcceptance(acceptance, causes),
    acceptance: { ...acceptance, ended },
  }
}

/**
 * Decisions for a caller that holds the locks. What is accepted although a condition is met already ends in the same entry. Returns
 * of how many findings.
 */
export async function recordDecisionsOrEnds(
  { now }: Clock,
  tx: Tx,
  { workspaceId, decisions }: { workspaceId: string; decisions: readonly Decision[] },
): Promise<number> {
  const at = now()
  const accepted = decisions.flatMap(({ ignored, acceptance, ...key }) =>
    ignored === true && acceptance && !acceptance.ended ? [{ ...key, acceptance }] : [],
  )
  const met = await findMetAtOnce(tx, { workspaceId, accepted, now: at })
  const given = decisions.map((decision) => {
    const ending = met.get(nameFinding(decision))
    return ending ? { ...decision, ...endOf(ending, at) } : decision
  })
  await recordLockedDecisions({ now: () => at }, tx, { workspaceId, decisions: given })
  return met.size
}

/** Of how many findings the acceptances would end at once. */
export async function countEnds(
  tx: Tx,
  workspaceId: string,
  { changes, now }: { changes: readonly (FindingKey & Partial<Decision>)[]; now: Date },
): Promise<number> {
  const accepted = changes.flatMap(({ acceptance, ...key }) =>
    acceptance ? [{ ...key, acceptance }] : [],
  )
  return (await findMetAtOnce(tx, { workspaceId, accepted, now })).size
}

async function findMetAtOnce(
  tx: Tx,
  input: { workspaceId: string; accepted: readonly store.AcceptedFinding[]; now: Date },
): Promise<Map<string, store.MetAcceptance>> {
  if (input.accepted.length === 0) return new Map()
  const met = await store.listMetAtOnce(tx, input)
  return new Map(met.map((one) => [nameFinding(one), one]))
}

const nameFinding = ({
  firmwareVersionId,
  packageId,
  vulnerabilityId,
}: Omit<store.AcceptedFinding, 'acceptance'>) =>
  `${firmwareVersionId} ${packageId} ${vulnerabilityId}`

/**
 * What comes back when a batch is taken back may have been met meanwhile. The locks are those of the undo; `at` is later than its
 * entries. Returns of how many findings.
 */
export async function endRestored(
  tx: Tx,
  { workspaceId, batchId, at }: { workspaceId: string; batchId: string; at: Date },
): Promise<number> {
  return endLocked({ now: () => at }, tx, { workspaceId, scope: { batchId } })
}

/** The packages are locked exclusively, or the firmware versions are locked and their packages are shared. */
async function endLocked(
  { now }: Clock,
  tx: Tx,
  { workspaceId, scope }: { workspaceId: string; scope: store.AcceptanceScope },
): Promise<number> {
  const at = now()
  const met = await store.listMetAcceptances(tx, { workspaceId, scope, now: at })
  if (met.length === 0) return 0
  const by = { source: 'System' as const, createdByEmail: null }
  const ends = met.map((one) => ({ ...endOf(one, at), ...by }))
  await recordLockedDecisions({ now: () => at }, tx, { workspaceId, decisions: ends })
  const rows = ends.map((end) => ({ ...end, id: newId() }))
  await store.insertNotices(tx, { workspaceId, isEnded: true, rows, at })
  const counts = Map.groupBy(
    met.flatMap(({ causes }) => causes),
    (cause) => cause,
  )
  await recordAudit({ now }, tx, {
    workspaceId,
    actor: { type: 'System', id: undefined, email: undefined, requestId: undefined },
    action: 'acceptance.end',
    resourceType: 'workspace',
    resourceId: workspaceId,
    after: {
      changed: met.length,
      causes: Object.fromEntries([...counts].map(([cause, all]) => [cause, all.length])),
      ...countSides(met),
    },
    about: listFindingSubjects(met),
  })
  await announce(tx, workspaceId, ['findings'])
  return met.length
}

function countSides(findings: readonly store.AcceptedFinding[]) {
  const distinct = (ids: readonly string[]) => new Set(ids).size
  return {
    cveCount: distinct(findings.map((one) => one.vulnerabilityId)),
    firmwareVersionCount: distinct(findings.map((one) => one.firmwareVersionId)),
  }
}

/** One transaction of at most a thousand findings. Answers how many were found; 0: there is nothing left. */
async function endBatch(
  ctx: AppContext,
  { workspaceId, scope }: { workspaceId: string; scope: store.AcceptanceScope },
): Promise<number> {
  return ctx.db.transaction().execute(async (tx) => {
    const all = await store.listMetAcceptances(tx, { workspaceId, scope, now: ctx.now() })
    const found = all.slice(0, BATCH)
    if (found.length === 0) return 0
    const sorted = (ids: readonly string[]) => [...new Set(ids)].toSorted()
    await lockFirmwareVersions(tx, workspaceId, sorted(found.map((one) => one.firmwareVersionId)))
    await lockPackages(tx, sorted(found.map((one) => one.packageId)), 'shared')
    // Read again: somebody may have ended, renewed or taken back some of them meanwhile.
    await endLocked(ctx, tx, { workspaceId, scope: { keys: found } })
    return found.length
  })
}

/** A job: all acceptances of the workspace that hold are compared with what they depend on. */
export async function checkAcceptances(
  ctx: AppContext,
  { workspaceId }: { workspaceId: string },
  signal?: AbortSignal,
): Promise<void> {
  while ((await endBatch(ctx, { workspaceId, scope: 'all' })) > 0) signal?.throwIfAborted()
}

/** Ends whatever the time has come for: a batch of each workspace in turn, so that a large one keeps no other waiting. */
export async function endDueAcceptances(ctx: AppContext, signal?: AbortSignal): Promise<void> {
  let waiting = await store.listWorkspacesDue(ctx.db, ctx.now())
  while (waiting.length > 0) {
    const left: string[] = []
    for (const workspaceId of waiting) {
      if (signal?.aborted === true) return
      const scope = { dueAt: ctx.now().toISOString(), limit: BATCH }
      if ((await endBatch(ctx, { workspaceId, scope })) === BATCH) left.push(workspaceId)
    }
    waiting = left
  }
}

/** Any number of workers may run this. The result stops it. */
export function startAcceptanceSchedule(ctx: AppContext): () => Promise<void> {
  const stopping = new AbortController()
  const ticker = startTicker({
    everyMs: LOOK_EVERY_MS,
    work: async () => {
      await endDueAcceptances(ctx, stopping.signal)
      await tellOwners(ctx, stopping.signal)
    },
    log: ctx.log,
    failure: 'acceptances that are over were not ended',
  })
  ticker.runNow()
  return async () => {
    stopping.abort()
    await ticker.stop()
  }
}

/** What was accepted unless it is exploited ends with the matches that say it is; their packages are locked exclusively. */
export async function endExploited(
  ctx: AppContext,
  tx: Tx,
  { workspaceId, changes }: { workspaceId: string; changes: readonly ChangedMatch[] },
): Promise<void> {
  const pairs = changes.filter(({ oldExploited, newExploited }) => newExploited && !oldExploited)
  if (pairs.length > 0) await endLocked(ctx, tx, { workspaceId, scope: { pairs } })
}

/** Records of these packages were read again, so a fix may have appeared. */
export async function checkForFixes(
  ctx: AppContext,
  tx: Tx,
  { packageIds }: { packageIds: readonly string[] },
): Promise<void> {
  for (const workspaceId of await store.listWorkspacesAwaitingFixes(tx, packageIds))
    await ctx.queue.enqueue(tx, AcceptancesOutdated, { workspaceId })
}
