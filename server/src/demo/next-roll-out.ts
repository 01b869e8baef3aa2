/**
 * A roll-out is under way whenever somebody comes: where the last one has hardly anything left to do, the gateway gets its next
 * maintenance version, as its pipeline and its operator would bring it.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { GATEWAY, type ProductVersion } from './data/products.ts'
import { createStoryImage } from './story/images.ts'
import { writeStorySbom } from './story/sboms.ts'
import type { Ask } from './visitor.ts'
import { findMax } from '../formats/extremes.ts'

export const UNDER_WAY = { cohort: 'Gateways eu-west', slug: GATEWAY.slug, version: '4.5.0' }

/** Fewer devices that have it before them are stragglers. */
const LEAST_OPEN = 0.3
/** Somebody who comes within the next minutes sees them begin. */
const PHASES = [
  { percent: 20, waitSeconds: 180, failureThresholdPercent: 20 },
  { percent: 60, waitSeconds: 600, failureThresholdPercent: 20 },
  { percent: 100, failureThresholdPercent: 20 },
]

interface NamedResource {
  id: string
  name: string
}

interface Cohort extends NamedResource {
  activeDeploymentId: string | null
}

/** Does nothing where people renamed or deleted what it needs, or hold the present roll-out. */
export async function beginNextRollOut(ask: Ask, now = new Date()): Promise<void> {
  const { deploymentCohorts } = await ask<{ deploymentCohorts: Cohort[] }>('/deployment-cohorts')
  const cohort = deploymentCohorts.find(({ name }) => name === UNDER_WAY.cohort)
  const { firmwares } = await ask<{ firmwares: { id: string; slug: string }[] }>('/firmwares')
  const firmware = firmwares.find(({ slug }) => slug === UNDER_WAY.slug)
  if (!cohort || !firmware || (await isUnderWay(ask, cohort))) return
  const version = await findNextVersion(ask, firmware.id, now)
  if (!version) return
  const firmwareVersionId = await release(ask, firmware.id, version, now)
  await deploy(ask, cohort.id, { name: version.name, firmwareVersionId })
}

interface Deployment {
  state: string
  deviceUpdateStateCounts: Record<
    'pending' | 'inProgress' | 'succeeded' | 'failed' | 'cancelled',
    number
  >
}

async function isUnderWay(ask: Ask, { id, activeDeploymentId }: Cohort): Promise<boolean> {
  if (activeDeploymentId === null) return false
  const path = `/deployment-cohorts/${id}/deployments/${activeDeploymentId}`
  const { state, deviceUpdateStateCounts: counts } = await ask<Deployment>(path)
  if (state === 'Paused' || state === 'Scheduled') return true
  const total = Object.values(counts).reduce((sum, count) => sum + count, 0)
  return state === 'Running' && counts.pending + counts.inProgress > LEAST_OPEN * total
}

const MAINTENANCE = /^4\.5\.(\d+)$/

async function findNextVersion(
  ask: Ask,
  firmwareId: string,
  now: Date,
): Promise<ProductVersion | undefined> {
  const { firmwareVersions } = await ask<{ firmwareVersions: NamedResource[] }>(
    `/firmwares/${firmwareId}/versions`,
  )
  const numbers = firmwareVersions.map(({ name }) => Number(MAINTENANCE.exec(name)?.[1] ?? -1))
  const newest = findMax(numbers, -1)
  if (newest < 0) return undefined
  const name = `4.5.${newest + 1}`
  return { name, built: now.toISOString().slice(0, 10), changes: { 'gateway-app': name } }
}

async function release(
  ask: Ask,
  firmwareId: string,
  version: ProductVersion,
  now: Date,
): Promise<string> {
  const product = { ...GATEWAY, versions: [...GATEWAY.versions, version] }
  const { name } = version
  const { id } = await ask<NamedResource>(`/firmwares/${firmwareId}/versions`, { name })
  const sbom = writeStorySbom(product, version, now)
  await ask(`/firmware-versions/${id}/sboms?fileName=${sbom.fileName}`, Buffer.from(sbom.text))
  const { fileName, content } = createStoryImage(product, name)
  await ask(`/firmware-versions/${id}/artifact?fileName=${fileName}`, content, 'PUT')
  await judged(ask, id)
  return id
}

const ASK_AGAIN_MS = 500
const PATIENCE = 60

/** The release gate says nothing of a version whose SBOM was not read yet. */
async function judged(ask: Ask, firmwareVersionId: string): Promise<void> {
  for (let turn = 0; turn < PATIENCE; turn += 1) {
    const { sboms } = await ask<{ sboms: { vulnerabilitiesParsedAt: string | null }[] }>(
      `/firmware-versions/${firmwareVersionId}/sboms`,
    )
    if (sboms.every(({ vulnerabilitiesParsedAt }) => vulnerabilitiesParsedAt !== null)) return
    await delay(ASK_AGAIN_MS)
  }
}

async function deploy(
  ask: Ask,
  cohortId: string,
  { name, firmwareVersionId }: { name: string; firmwareVersionId: string },
): Promise<void> {
  const path = `/deployment-cohorts/${cohortId}/deployments`
  const body = {
    name: `${GATEWAY.name} ${name}`,
    note: 'Maintenance release.',
    artifacts: [{ firmwareVersionId }],
    phases: PHASES,
  }
  const preview = { artifacts: body.artifacts }
  const { gate } = await ask<{ gate: { blocked: boolean } }>(`${path}/preview`, preview)
  const acknowledgement = { reason: 'The version before has the same findings.' }
  await ask(path, { ...body, ...(gate.blocked && { acknowledgement }) })
}
