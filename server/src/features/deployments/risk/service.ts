/** Previews how a deployment or a rollback would change the findings of a cohort's devices. */
import type { AppContext } from '../../../platform/context.ts'
import { getCohort } from '../../cohorts/index.ts'
import { readSide } from '../../reports/index.ts'
import {
  listRequestedVersionIds,
  planArtifacts,
  type RequestedArtifact,
} from '../readiness/planned-artifacts.ts'
import { requireRollback } from '../rollback/service.ts'
import { getDeployment } from '../service.ts'
import { listObstacles } from '../readiness/service.ts'
import { listVersions, type DeployableVersion } from '../readiness/store.ts'
import { assessGate, describeFinding } from '../../release-gate/index.ts'
import {
  listCounts,
  compareVersions,
  type Difference,
  type Move,
  sumMoves,
  type RiskFinding,
} from './risk.ts'
import { countRollbackDevices } from '../rollback/store.ts'
import { listLastUses, listRunning, listVersionIds, type RunningGroup } from './store.ts'

export const DEFAULT_LIMIT = 20
/** Compared versions of each firmware, those that most devices run. */
const MAX_COMPARED = 20

interface OfCohort {
  workspaceId: string
  deploymentCohortId: string
  /** Maximum number of findings in each list. */
  limit?: number
}

export async function previewDeployment(
  ctx: AppContext,
  input: OfCohort & { artifacts: readonly RequestedArtifact[] },
) {
  const { workspaceId, deploymentCohortId, limit = DEFAULT_LIMIT } = input
  const cohort = await getCohort(ctx.db, workspaceId, deploymentCohortId)
  const known = await listVersions(ctx.db, workspaceId, listRequestedVersionIds(input.artifacts))
  const planned = planArtifacts(input.artifacts, known)
  const targets = sortVersions(planned, known)
  const { plan } = await previewPlan(ctx, { workspaceId, cohort, targets, from: new Map(), limit })
  const { id: cohortId, deviceCount } = cohort
  const obstacles = await listObstacles(ctx.db, { workspaceId, cohortId, deviceCount }, targets)
  return { ...plan, obstacles }
}

export async function previewRollback(
  ctx: AppContext,
  input: OfCohort & { deploymentId: string; firmwareVersionId?: string },
) {
  const { workspaceId, deploymentCohortId, limit = DEFAULT_LIMIT } = input
  const active = await getDeployment(ctx.db, input)
  const rollback = await requireRollback(ctx.db, input, active)
  const restored = await getDeployment(ctx.db, {
    workspaceId,
    deploymentCohortId,
    deploymentId: rollback.restored.id,
  })
  const cohort = await getCohort(ctx.db, workspaceId, deploymentCohortId)
  const held = (deployment: typeof active) =>
    deployment.artifacts.map(({ firmware }) => ({
      firmwareVersionId: firmware.firmwareVersion.id,
    }))
  const versions = await listVersions(
    ctx.db,
    workspaceId,
    listRequestedVersionIds([...held(active), ...held(restored)]),
  )
  const targets = sortVersions(held(restored), versions)
  const from = new Map(sortVersions(held(active), versions).map((one) => [one.firmwareId, one]))
  const { plan, moves } = await previewPlan(ctx, { workspaceId, cohort, targets, from, limit })
  const { removed, introduced } = sumMoves(moves)
  const lastUses = await listLastUses(
    ctx.db,
    workspaceId,
    targets.map(({ id }) => id),
  )
  const deviceCounts = await countRollbackDevices(
    ctx.db,
    { workspaceId, cohortId: cohort.id },
    { deploymentId: active.id, from: listVersionIds(active), to: listVersionIds(restored) },
  )
  return {
    deployment: { id: active.id, name: active.name },
    restored: { id: restored.id, name: restored.name, endedAt: restored.endedAt },
    wasTaken: rollback.restored.isTaken,
    deviceCounts,
    introduced: summarize(introduced, limit),
    removed: summarize(removed, limit),
    lastUses,
    ...plan,
    // The gate never blocks a rollback.
    gate: { ...plan.gate, blocked: false },
  }
}

export function sortVersions(
  artifacts: readonly { firmwareVersionId: string }[],
  known: readonly DeployableVersion[],
): DeployableVersion[] {
  return artifacts.flatMap(({ firmwareVersionId }) =>
    known.filter(({ id }) => id === firmwareVersionId),
  )
}

interface Plan {
  workspaceId: string
  cohort: { id: string; deviceCount: number }
  targets: readonly DeployableVersion[]
  /** By firmware: the version of the active deployment, which is compared even if no device runs it. */
  from: ReadonlyMap<string, DeployableVersion>
  limit: number
}

export async function previewPlan(
  ctx: AppContext,
  { workspaceId, cohort, targets, from, limit }: Plan,
) {
  const firmwareIds = targets.map(({ firmwareId }) => firmwareId)
  const running = await listRunning(ctx.db, workspaceId, { cohortId: cohort.id, firmwareIds })
  const moves: Move[] = []
  const artifacts = []
  const movesOfDevices: Move[] = []
  for (const target of targets) {
    const groups = running.filter(({ firmwareId }) => firmwareId === target.firmwareId)
    const base = from.get(target.firmwareId)
    const baseIds = groups.flatMap(({ id }) => (id === null ? [] : [id])).slice(0, MAX_COMPARED)
    const ids = new Set(base ? [base.id, ...baseIds] : baseIds)
    const differences = await compareWith(ctx, { workspaceId, target, ids })
    if (base) {
      const deviceCount = groups.find(({ id }) => id === base.id)?.deviceCount ?? 0
      for (const each of movesFrom(base.id, { target, differences, deviceCount })) moves.push(each)
    }
    for (const { id, deviceCount } of groups)
      for (const each of movesFrom(id, { target, differences, deviceCount }))
        movesOfDevices.push(each)
    artifacts.push(shownArtifact({ target, base, groups, differences }, cohort, limit))
  }
  const firmwareVersionIds = targets.map(({ id }) => id)
  const gate = await assessGate(ctx, { workspaceId, firmwareVersionIds })
  const plan = {
    deviceCount: cohort.deviceCount,
    artifacts,
    net: summariseMoves(movesOfDevices, limit),
    gate,
  }
  return { plan, moves, movesOfDevices }
}

export function summariseMoves(moves: readonly Move[], limit: number) {
  const net = sumMoves(moves)
  return {
    before: listCounts(net.before),
    after: listCounts(net.after),
    removed: summarize(net.removed, limit),
    introduced: summarize(net.introduced, limit),
  }
}

interface Comparison {
  workspaceId: string
  target: DeployableVersion
  ids: ReadonlySet<string>
}

/** Reads one version after the other, as a kernel has many findings and each base is needed only once. */
async function compareWith(
  ctx: AppContext,
  { workspaceId, target, ids }: Comparison,
): Promise<Map<string, Difference>> {
  const sideOf = (firmwareVersionId: string) => readSide(ctx.db, { workspaceId, firmwareVersionId })
  const differences = new Map<string, Difference>()
  if (ids.size === 0) return differences
  const side = await sideOf(target.id)
  for (const id of ids)
    differences.set(id, compareVersions(id === target.id ? side : await sideOf(id), side))
  return differences
}

type Differences = ReadonlyMap<string, Difference>

function movesFrom(
  baseId: string | null,
  {
    target,
    differences,
    deviceCount,
  }: { target: DeployableVersion; differences: Differences; deviceCount: number },
): Move[] {
  const difference = baseId === null ? undefined : differences.get(baseId)
  if (baseId === null || !difference) return []
  return [{ baseId, targetId: target.id, deviceCount, difference }]
}

interface OfFirmware {
  target: DeployableVersion
  base: DeployableVersion | undefined
  groups: readonly RunningGroup[]
  differences: Differences
}

function shownArtifact(
  { target, base, groups, differences }: OfFirmware,
  cohort: { deviceCount: number },
  limit: number,
) {
  const reporting = groups.reduce((sum, { deviceCount }) => sum + deviceCount, 0)
  return {
    firmware: { id: target.firmwareId, slug: target.slug },
    firmwareVersion: { id: target.id, name: target.name },
    replaces: base ? { id: base.id, name: base.name } : null,
    running: groups.map((group) => shownGroup(group, { target, differences, limit })),
    notReportingCount: Math.max(0, cohort.deviceCount - reporting),
  }
}

function shownGroup(
  { id, name, deviceCount }: RunningGroup,
  { target, differences, limit }: Pick<OfFirmware, 'target' | 'differences'> & { limit: number },
) {
  const [move] = movesFrom(id, { target, differences, deviceCount })
  const firmwareVersion = id === null || name === null ? null : { id, name }
  if (!move) return { firmwareVersion, deviceCount, removed: null, introduced: null }
  const { removed, introduced } = sumMoves([move])
  return {
    firmwareVersion,
    deviceCount,
    removed: summarize(removed, limit),
    introduced: summarize(introduced, limit),
  }
}

/** The number of findings, and the worst of them. */
function summarize(findings: readonly RiskFinding[], limit: number) {
  const counts = { Critical: 0, High: 0, Medium: 0, Low: 0, None: 0, Unknown: 0 }
  for (const { finding } of findings) counts[finding.severity] += 1
  return {
    count: findings.length,
    knownExploited: findings.filter(({ finding }) => finding.isKnownExploit).length,
    countsBySeverity: listCounts(counts),
    findings: findings.slice(0, limit).map(({ firmwareVersionId, finding, deviceCount }) => ({
      ...describeFinding(firmwareVersionId, finding),
      deviceCount,
    })),
  }
}
