import type { Db } from '../../../platform/db/connect.ts'
import { AppError } from '../../../platform/errors.ts'
import { findClientLimitation } from './planned-artifacts.ts'
import * as store from './store.ts'

/** Refuses what the cohort's clients cannot install. Such a client may not report it, and its update would wait for the deadline. */
export async function requireCapableClients(db: Db, input: ForCohort): Promise<void> {
  const limited = await listLimitedClients(db, input)
  if (limited.length > 0)
    throw new AppError(
      'conflict',
      'client-cannot-take',
      limited.map(({ detail }) => detail).join(' '),
    )
}

interface ForCohort {
  workspaceId: string
  cohortId: string
  firmwareVersionIds: readonly string[]
}

async function listLimitedClients(db: Db, input: ForCohort) {
  const clients = await store.countHawkbitClients(db, input)
  if (clients.length === 0) return []
  const parts = await store.listParts(db, input.workspaceId, input.firmwareVersionIds)
  return clients.flatMap(({ client, devices }) => {
    const fault = findClientLimitation(client, parts)
    if (fault === undefined) return []
    return [{ client, devices, detail: `${devices} of the cohort's hawkBit devices ${fault}.` }]
  })
}

export const OBSTACLES = ['ArtifactMissing', 'ClientLimit', 'OtherFirmware', 'NeverSeen'] as const

/** Why devices of a cohort cannot take a deployment, or why nobody knows whether they can. */
export interface Obstacle {
  kind: (typeof OBSTACLES)[number]
  /** The deployment cannot be created. */
  blocks: boolean
  detail: string
  deviceCount: number
  /** The first ones. */
  deviceIds: string[]
}

/**
 * What is known before a deployment. The service knows clients, doors and reported firmware, but no hardware: a device that runs
 * other firmware may or may not fit.
 */
export async function listObstacles(
  db: Db,
  cohort: { workspaceId: string; cohortId: string; deviceCount: number },
  targets: readonly store.DeployableVersion[],
): Promise<Obstacle[]> {
  const { workspaceId, cohortId, deviceCount } = cohort
  const firmwareVersionIds = targets.map(({ id }) => id)
  const without = await store.listWithoutArtifact(db, workspaceId, firmwareVersionIds)
  const obstacles: Obstacle[] = targets
    .filter(({ id }) => without.includes(id))
    .map(({ slug, name }) => ({
      kind: 'ArtifactMissing',
      blocks: true,
      detail: `${slug} ${name} has no file that devices could install.`,
      deviceCount,
      deviceIds: [],
    }))
  for (const { client, devices, detail } of await listLimitedClients(db, {
    workspaceId,
    cohortId,
    firmwareVersionIds,
  })) {
    const { deviceIds } = await store.sampleOfClient(db, { workspaceId, cohortId, client })
    obstacles.push({ kind: 'ClientLimit', blocks: true, detail, deviceCount: devices, deviceIds })
  }
  return [...obstacles, ...(await listDoubts(db, cohort, targets))]
}

async function listDoubts(
  db: Db,
  { workspaceId, cohortId }: { workspaceId: string; cohortId: string },
  targets: readonly store.DeployableVersion[],
): Promise<Obstacle[]> {
  const slugs = targets.map(({ slug }) => slug)
  const others = await store.sampleOfOtherFirmware(db, { workspaceId, cohortId, slugs })
  const unseen = await store.sampleOfUnseen(db, { workspaceId, cohortId })
  const doubts: Obstacle[] = [
    {
      kind: 'OtherFirmware',
      blocks: false,
      detail: `They report firmware, but no ${slugs.join(' or ')}: perhaps they are of another kind.`,
      ...others,
    },
    {
      kind: 'NeverSeen',
      blocks: false,
      detail: 'They have never connected, so it is not known what they can install.',
      ...unseen,
    },
  ]
  return doubts.filter((doubt) => doubt.deviceCount > 0)
}

export async function requireArtifacts(
  tx: Db,
  workspaceId: string,
  {
    firmwareVersionIds,
    known,
  }: { firmwareVersionIds: readonly string[]; known: readonly store.DeployableVersion[] },
): Promise<void> {
  const there = new Set(await store.lockArtifactsShared(tx, workspaceId, firmwareVersionIds))
  const missing = known.filter(({ id }) => firmwareVersionIds.includes(id) && !there.has(id))
  if (missing.length === 0) return
  const names = missing.map(({ slug, name }) => `${slug} ${name}`).join(', ')
  throw new AppError(
    'conflict',
    'artifact-missing',
    `There is no artifact of ${names}. Upload it first.`,
  )
}
