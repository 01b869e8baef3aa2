/** What SSVC decides for rows of lists over a workspace, what other settings would change, and until when findings are to be decided. */
import type { AppContext } from '../../../platform/context.ts'
import type { Severity } from '../../../formats/advisories/model.ts'
import { findMax, findMin } from '../../../formats/extremes.ts'
import type { FindingKey } from '../../../formats/finding-id.ts'
import { addDays } from '../../../formats/instants.ts'
import type { Db } from '../../../platform/db/connect.ts'
import {
  checkCommand,
  compareContexts,
  countClasses,
  findOutcomeBounds,
  listContexts,
  listPackageContexts,
  listTargetDays,
  readDecidingTree,
  readTargetDays,
  type SsvcCommand,
} from '../../ssvc/index.ts'
import { readRemediationTargets } from '../../workspaces/index.ts'
import { readHeldVersions } from './device-counts-store.ts'
import type { FilterScope } from './filter-store.ts'
import { readOutcomeInputs } from './describe-store.ts'

/** The outcome of a row is the most urgent one of its packages. */
export async function addOutcomes<Row extends { cveId: string }>(
  db: Db,
  scope: Pick<FilterScope, 'workspaceId' | 'filter'>,
  rows: readonly Row[],
  packagesOf: (row: Row) => readonly string[],
): Promise<(Row & Record<'ssvcOutcome' | 'ssvcLeastOutcome', string>)[]> {
  const { tree, decisions } = await readDecidingTree(db, scope.workspaceId)
  const keys = rows.flatMap((row, place) =>
    packagesOf(row).map((packageId) => ({ place, vulnerabilityId: row.cveId, packageId })),
  )
  const inputs = await readOutcomeInputs(db, scope, keys)
  const ofRow = Map.groupBy(inputs, (_, index) => keys[index]?.place)
  const nameOf = (outcome: number) => tree.outcomes[outcome]?.name ?? ''
  return rows.map((row, place) => {
    const some = ofRow.get(place) ?? []
    const most = some.map(({ ratedClass, contexts }) => decisions.decide(ratedClass, contexts))
    const least = some.map(({ ratedClass, contexts }) =>
      decisions.decideLeast(ratedClass, contexts),
    )
    return {
      ...row,
      ssvcOutcome: nameOf(findMax(most, 0)),
      ssvcLeastOutcome: nameOf(least.length === 0 ? 0 : findMin(least)),
    }
  })
}

/** How many rows of the list of findings would have another outcome. */
export async function previewSsvc(
  { db }: Pick<AppContext, 'db'>,
  { workspaceId, ...command }: SsvcCommand & { workspaceId: string },
) {
  const [now, then] = [
    await readDecidingTree(db, workspaceId),
    await checkCommand(db, workspaceId, command),
  ]
  const held = await readHeldVersions(db, { workspaceId, filter: {} }, undefined)
  const compared = await compareContexts(db, workspaceId, command)
  const before = listPackageContexts(held, compared.before)
  const after = listPackageContexts(held, compared.after)
  const counted = await countClasses(db, workspaceId, { before, after })
  const counts = new Map<string, { from: string; to: string; count: number }>()
  for (const { ratedClass, contexts, otherContexts, count } of counted) {
    const from = now.tree.outcomes[now.decisions.decide(ratedClass, contexts)]?.name ?? ''
    const to = then.tree.outcomes[then.decisions.decide(ratedClass, otherContexts)]?.name ?? ''
    const key = JSON.stringify([from, to])
    counts.set(key, { from, to, count: (counts.get(key)?.count ?? 0) + count })
  }
  const changes = [...counts.values()].toSorted((a, b) => b.count - a.count)
  const countOf = (some: typeof changes) => some.reduce((sum, { count }) => sum + count, 0)
  return {
    findingCount: countOf(changes),
    changedCount: countOf(changes.filter(({ from, to }) => from !== to)),
    changes,
  }
}

/** Only active findings are overdue: once the time that the workspace gives their severity, or their outcome of SSVC, has passed. */
export async function readDueDates(
  db: Db,
  { workspaceId, filter }: Pick<FilterScope, 'workspaceId' | 'filter'>,
  now: Date,
): Promise<Pick<FilterScope, 'filter' | 'dueBefore' | 'dueByOutcome'>> {
  if (filter.overdue === undefined) return { filter }
  const targets = await readRemediationTargets(db, workspaceId)
  const dueBefore = {
    Critical: addDays(now, -targets.Critical),
    High: addDays(now, -targets.High),
    Medium: addDays(now, -targets.Medium),
    Low: addDays(now, -targets.Low),
  }
  const dueByOutcome = await readOutcomeLimits(db, workspaceId, now)
  return {
    filter: { ...filter, activeOnly: true },
    dueBefore,
    ...(dueByOutcome && { dueByOutcome }),
  }
}

async function readOutcomeLimits(db: Db, workspaceId: string, now: Date) {
  const targets = await readTargetDays(db, workspaceId)
  if (!targets) return undefined
  const { deciding, days } = targets
  const contexts = await listContexts(db, workspaceId)
  return {
    ssvc: findOutcomeBounds(deciding.decisions, contexts, undefined),
    before: days.map((count) => (count === undefined ? undefined : addDays(now, -count))),
  }
}

/** The target of the outcome that the tree decides now; undefined: it has none. */
export async function findTargetDays(db: Db, workspaceId: string, key: FindingKey) {
  const { vulnerabilityId, firmwareVersionId } = key
  const days = await listTargetDays(db, workspaceId, {
    vulnerabilityId,
    versionIds: [firmwareVersionId],
  })
  return days.get(firmwareVersionId)
}

interface Dated {
  severity: Severity
  remediationTargetDays: Record<string, number>
  spans: readonly { since: string }[]
}

/** The detection plus the target of the severity or of the outcome, the shorter one; undefined: neither has a target. */
export function computeDueAt(
  { severity, spans, remediationTargetDays }: Dated,
  ssvcDays: number | undefined,
): Date | undefined {
  const days = findMin([remediationTargetDays[severity] ?? Infinity, ssvcDays ?? Infinity])
  const [first] = spans
  if (days === Infinity || !first) return undefined
  return addDays(new Date(first.since), days)
}
