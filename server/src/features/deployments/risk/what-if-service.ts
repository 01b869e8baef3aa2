/** What the exposure would be if cohorts ran other versions. Nothing is deployed. */
import type { AppContext } from '../../../platform/context.ts'
import { AppError, type FieldError } from '../../../platform/errors.ts'
import { isUuid } from '../../../platform/ids.ts'
import { getCohort } from '../../cohorts/index.ts'
import {
  type DeviceSet,
  sumExposure,
  readPresentRisks,
  readDeviceRisks,
} from '../../reports/index.ts'
import { type DeployableVersion, listVersions } from '../readiness/store.ts'
import { DEFAULT_LIMIT, sortVersions, summariseMoves, previewPlan } from './service.ts'
import { listRunningSets, type RunningSet } from './store.ts'

export interface WhatIf {
  workspaceId: string
  changes: readonly { deploymentCohortId: string; firmwareVersionIds: readonly string[] }[]
  /** Maximum number of findings in each list. */
  limit?: number
}

interface Change {
  cohort: { id: string; name: string; deviceCount: number }
  targets: DeployableVersion[]
}

/** Devices that report no version of a firmware are taken to stay without it. */
export async function readWhatIf(
  ctx: AppContext,
  { workspaceId, limit = DEFAULT_LIMIT, ...input }: WhatIf,
) {
  const changes = await readChanges(ctx, workspaceId, input.changes)
  const planned = []
  for (const { cohort, targets } of changes) {
    const from = new Map<string, DeployableVersion>()
    const plan = await previewPlan(ctx, { workspaceId, cohort, targets, from, limit })
    planned.push({ cohort, ...plan })
  }
  const cohortIds = changes.map(({ cohort }) => cohort.id)
  const running = await listRunningSets(ctx.db, workspaceId, cohortIds)
  const present = await readPresentRisks(ctx.db, workspaceId)
  const moved = await readDeviceRisks(ctx.db, workspaceId, setsMoved(running, changes))
  return {
    before: sumExposure(present),
    after: sumExposure([...present, ...moved]),
    changes: planned.map(({ cohort: { id, name }, plan: { deviceCount, artifacts, gate } }) => ({
      deploymentCohort: { id, name },
      deviceCount,
      artifacts,
      gate,
    })),
    net: summariseMoves(
      planned.flatMap(({ movesOfDevices }) => movesOfDevices),
      limit,
    ),
  }
}

async function readChanges(
  ctx: AppContext,
  workspaceId: string,
  asked: WhatIf['changes'],
): Promise<Change[]> {
  const ids = asked.flatMap(({ firmwareVersionIds }) => firmwareVersionIds).filter(isUuid)
  const known = await listVersions(ctx.db, workspaceId, ids)
  const errors = asked.flatMap((change, index) => listFaults(change, { index, asked, known }))
  const [first] = errors
  if (first) throw new AppError('invalid', 'invalid-request', first.detail, errors)
  const changes: Change[] = []
  for (const { deploymentCohortId, firmwareVersionIds } of asked) {
    const cohort = await getCohort(ctx.db, workspaceId, deploymentCohortId)
    const targets = sortVersions(
      firmwareVersionIds.map((id) => ({ firmwareVersionId: id.toLowerCase() })),
      known,
    )
    changes.push({ cohort, targets })
  }
  return changes
}

interface Among {
  index: number
  asked: WhatIf['changes']
  known: readonly DeployableVersion[]
}

function listFaults(
  { deploymentCohortId, firmwareVersionIds }: WhatIf['changes'][number],
  { index, asked, known }: Among,
): FieldError[] {
  const pointer = `/changes/${index}`
  const first = asked.findIndex((other) => other.deploymentCohortId === deploymentCohortId)
  const errors: FieldError[] = []
  if (first < index)
    errors.push({ pointer: `${pointer}/deploymentCohortId`, detail: 'The cohort is named twice.' })
  const firmwares = new Set<string>()
  for (const [place, id] of firmwareVersionIds.entries()) {
    const version = known.find((one) => one.id === id.toLowerCase())
    const at = `${pointer}/firmwareVersionIds/${place}`
    if (!version)
      errors.push({ pointer: at, detail: `No firmware version has the id ${JSON.stringify(id)}.` })
    else if (firmwares.has(version.firmwareId))
      errors.push({ pointer: at, detail: `A device can run only one version of ${version.slug}.` })
    else firmwares.add(version.firmwareId)
  }
  return errors
}

/** What devices run no more, and what they run instead. */
function setsMoved(running: readonly RunningSet[], changes: readonly Change[]): DeviceSet[] {
  const targetsOf = new Map(changes.map(({ cohort, targets }) => [cohort.id, targets]))
  return running.flatMap((set) => {
    const { firmwareVersionIds: before, firmwareIds, devices } = set
    const reached = (targetsOf.get(set.cohortId) ?? []).filter(({ firmwareId }) =>
      firmwareIds.includes(firmwareId),
    )
    if (reached.length === 0) return []
    const kept = set.versions.filter(
      ({ firmwareId }) => !reached.some((target) => target.firmwareId === firmwareId),
    )
    const after = [...kept, ...reached].map(({ id }) => id).toSorted()
    return [
      { firmwareVersionIds: before, devices: -devices },
      { firmwareVersionIds: after, devices },
    ]
  })
}
