/** What a deployment or a roll back would do to the findings of a cohort's devices, before it is made. */
import type { AppContext } from '../../../platform/context.ts'
import { readSide } from '../../findings/index.ts'
import { getCohort } from '../cohort-service.ts'
import {
  namedVersions,
  planArtifacts,
  type RequestedArtifact,
} from '../readiness/planned-artifacts.ts'
import { getDeployment, requirePredecessor } from '../service.ts'
import { listVersions, type VersionOfDeployment } from '../readiness/store.ts'
import { assessGate } from '../gate/service.ts'
import { shownFinding } from '../gate/shown-finding.ts'
import {
  asCounts,
  compareSides,
  type Difference,
  type Move,
  netOf,
  type RiskFinding,
} from './risk.ts'
import { listLastUses, listRunning, type RunningGroup } from './store.ts'

const DEFAULT_LIMIT = 20
/** Of each firmware; the versions that most devices run. */
const MOST_COMPARED = 20

interface OfCohort {
  workspaceId: string
  deploymentCohortId: string
  /** Of the findings in each list. */
  limit?: number
}

export async function previewDeployment(
  ctx: AppContext,
  input: OfCohort & { artifacts: readonly RequestedArtifact[] },
) {
  const { workspaceId, deploymentCohortId, limit = DEFAULT_LIMIT } = input
  const cohort = await getCohort(ctx.db, workspaceId, deploymentCohortId)
  const known = await listVersions(ctx.db, workspaceId, namedVersions(input.artifacts))
  const planned = planArtifacts(input.artifacts, known)
  const targets = inOrder(planned, known)
  const { plan } = await assessPlan(ctx, { workspaceId, cohort, targets, from: new Map(), limit })
  return plan
}

export async function previewRollback(ctx: AppContext, input: OfCohort & { deploymentId: string }) {
  const { workspaceId, deploymentCohortId, limit = DEFAULT_LIMIT } = input
  const active = await getDeployment(ctx.db, input)
  const deploymentId = requirePredecessor(active)
  const restored = await getDeployment(ctx.db, { workspaceId, deploymentCohortId, deploymentId })
  const cohort = await getCohort(ctx.db, workspaceId, deploymentCohortId)
  const held = (deployment: typeof active) =>
    deployment.artifacts.map(({ firmware }) => ({
      firmwareVersionId: firmware.firmwareVersion.id,
    }))
  const versions = await listVersions(
    ctx.db,
    workspaceId,
    namedVersions([...held(active), ...held(restored)]),
  )
  const targets = inOrder(held(restored), versions)
  const from = new Map(inOrder(held(active), versions).map((one) => [one.firmwareId, one]))
  const { plan, moves } = await assessPlan(ctx, { workspaceId, cohort, targets, from, limit })
  const { removed, introduced } = netOf(moves)
  const lastUses = await listLastUses(
    ctx.db,
    workspaceId,
    targets.map(({ id }) => id),
  )
  return {
    deployment: { id: active.id, name: active.name },
    restored: { id: restored.id, name: restored.name, endedAt: restored.endedAt },
    introduced: shownList(introduced, limit),
    removed: shownList(removed, limit),
    lastUses,
    ...plan,
    // What is wanted back is held back by nothing.
    gate: { ...plan.gate, blocked: false },
  }
}

function inOrder(
  artifacts: readonly { firmwareVersionId: string }[],
  known: readonly VersionOfDeployment[],
): VersionOfDeployment[] {
  return artifacts.flatMap(({ firmwareVersionId }) =>
    known.filter(({ id }) => id === firmwareVersionId),
  )
}

interface Plan {
  workspaceId: string
  cohort: { id: string; deviceCount: number }
  targets: readonly VersionOfDeployment[]
  /** By firmware: the version to compare with, whatever devices run. */
  from: ReadonlyMap<string, VersionOfDeployment>
  limit: number
}

async function assessPlan(ctx: AppContext, { workspaceId, cohort, targets, from, limit }: Plan) {
  const firmwareIds = targets.map(({ firmwareId }) => firmwareId)
  const running = await listRunning(ctx.db, workspaceId, { cohortId: cohort.id, firmwareIds })
  const moves: Move[] = []
  const artifacts = []
  const movesOfDevices: Move[] = []
  for (const target of targets) {
    const groups = running.filter(({ firmwareId }) => firmwareId === target.firmwareId)
    const base = from.get(target.firmwareId)
    const baseIds = groups.flatMap(({ id }) => (id === null ? [] : [id])).slice(0, MOST_COMPARED)
    const ids = new Set(base ? [base.id, ...baseIds] : baseIds)
    const differences = await compareWith(ctx, { workspaceId, target, ids })
    if (base) {
      const deviceCount = groups.find(({ id }) => id === base.id)?.deviceCount ?? 0
      moves.push(...movesFrom(base.id, { target, differences, deviceCount }))
    }
    for (const { id, deviceCount } of groups)
      movesOfDevices.push(...movesFrom(id, { target, differences, deviceCount }))
    artifacts.push(shownArtifact({ target, base, groups, differences }, cohort, limit))
  }
  const firmwareVersionIds = targets.map(({ id }) => id)
  const gate = await assessGate(ctx.db, { workspaceId, firmwareVersionIds })
  const net = netOf(movesOfDevices)
  const plan = {
    deviceCount: cohort.deviceCount,
    artifacts,
    net: {
      before: asCounts(net.before),
      after: asCounts(net.after),
      removed: shownList(net.removed, limit),
      introduced: shownList(net.introduced, limit),
    },
    gate,
  }
  return { plan, moves }
}

interface Comparing {
  workspaceId: string
  target: VersionOfDeployment
  ids: ReadonlySet<string>
}

/** One after the other: the findings of a kernel are many, and each side is needed once. */
async function compareWith(
  ctx: AppContext,
  { workspaceId, target, ids }: Comparing,
): Promise<Map<string, Difference>> {
  const moment = { at: ctx.now(), isPast: false }
  const sideOf = (firmwareVersionId: string) =>
    readSide(ctx.db, { workspaceId, firmwareVersionId }, moment)
  const differences = new Map<string, Difference>()
  if (ids.size === 0) return differences
  const side = await sideOf(target.id)
  for (const id of ids)
    differences.set(id, compareSides(id === target.id ? side : await sideOf(id), side))
  return differences
}

type Differences = ReadonlyMap<string, Difference>

function movesFrom(
  baseId: string | null,
  {
    target,
    differences,
    deviceCount,
  }: { target: VersionOfDeployment; differences: Differences; deviceCount: number },
): Move[] {
  const difference = baseId === null ? undefined : differences.get(baseId)
  if (baseId === null || !difference) return []
  return [{ baseId, targetId: target.id, deviceCount, difference }]
}

interface OfFirmware {
  target: VersionOfDeployment
  base: VersionOfDeployment | undefined
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
  const { removed, introduced } = netOf([move])
  return {
    firmwareVersion,
    deviceCount,
    removed: shownList(removed, limit),
    introduced: shownList(introduced, limit),
  }
}

/** How many, and the worst of them. */
export function shownList(findings: readonly RiskFinding[], limit: number) {
  const counts = { Critical: 0, High: 0, Medium: 0, Low: 0, None: 0, Unknown: 0 }
  for (const { finding } of findings) counts[finding.severity] += 1
  return {
    count: findings.length,
    knownExploited: findings.filter(({ finding }) => finding.isKnownExploit).length,
    countsBySeverity: asCounts(counts),
    findings: findings.slice(0, limit).map(({ firmwareVersionId, finding, deviceCount }) => ({
      ...shownFinding(firmwareVersionId, finding),
      deviceCount,
    })),
  }
}
