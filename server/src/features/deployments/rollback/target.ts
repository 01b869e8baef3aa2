/** Which deployment a rollback restores: the previous firmware version that devices of the cohort took. */

interface HeldVersion {
  firmwareId: string
  firmwareVersionId: string
}

export interface PastDeployment {
  id: string
  name: string
  createdAt: Date
  isCancelled: boolean
  rollbackOfId: string | null
  restoresId: string | null
  versions: readonly HeldVersion[]
  /** A device of the cohort took it: its update succeeded, or the versions are among those that devices of the cohort report. */
  isTaken: boolean
  /** A device of the cohort began or ended its update. */
  isTried: boolean
}

/** Why an earlier deployment is not restored. */
export type Obstacle = 'same versions' | 'left by a rollback'

export type RollbackTarget =
  | { restored: PastDeployment }
  /** Empty: there is no earlier deployment at all. */
  | { restored: undefined; refused: { deployment: PastDeployment; obstacle: Obstacle }[] }

/**
 * The newest earlier deployment with other versions that devices of the cohort took; where they took none, the newest with other
 * versions. It is none whose versions a rollback left after devices had tried them, unless they were deployed again since: going back
 * there would spread them. `history` begins with the active deployment and has the newest first.
 *
 * @param versionId what the earlier deployment has to hold; undefined: whatever it is
 */
export function findRollbackTarget(
  active: PastDeployment,
  history: readonly PastDeployment[],
  versionId?: string,
): RollbackTarget {
  const earlier = listEarlier(active, history).filter(
    ({ deployment }) => versionId === undefined || holds(deployment, versionId),
  )
  const judged = earlier.map(({ deployment, isLeft }) => ({
    deployment,
    obstacle: findObstacle(deployment, { active, isLeft }),
  }))
  const possible = judged.flatMap(({ deployment, obstacle }) => (obstacle ? [] : [deployment]))
  const taken = possible.filter(({ isTaken }) => isTaken)
  const choice = taken.length > 0 ? taken : possible
  const restored = choice.find((one) => compareHeld(active, one) === 'changed') ?? choice[0]
  if (restored) return { restored }
  const refused = judged.flatMap(({ deployment, obstacle }) =>
    obstacle ? [{ deployment, obstacle }] : [],
  )
  return { restored: undefined, refused }
}

const holds = ({ versions }: PastDeployment, id: string) =>
  versions.some(({ firmwareVersionId }) => firmwareVersionId === id)

/** A second rollback goes back further: what came after the deployment that the first one restored is not earlier. */
function listEarlier(active: PastDeployment, history: readonly PastDeployment[]) {
  const byId = new Map(history.map((one) => [one.id, one]))
  let root = active
  for (let next = findRestored(root, byId); next; next = findRestored(root, byId)) root = next
  const left = new Set<string>()
  const earlier: { deployment: PastDeployment; isLeft: boolean }[] = []
  for (const deployment of history) {
    if (deployment.createdAt < root.createdAt && !deployment.isCancelled) {
      const isLeft = deployment.versions.some(({ firmwareVersionId }) =>
        left.has(firmwareVersionId),
      )
      earlier.push({ deployment, isLeft })
    }
    for (const id of listLeft(deployment, byId)) left.add(id)
  }
  return earlier
}

type ById = ReadonlyMap<string, PastDeployment>

function findRestored({ restoresId }: PastDeployment, byId: ById): PastDeployment | undefined {
  return restoresId === null ? undefined : byId.get(restoresId)
}

/** The versions that this rollback took away from devices. */
function listLeft(rollback: PastDeployment, byId: ById): string[] {
  const from = rollback.rollbackOfId === null ? undefined : byId.get(rollback.rollbackOfId)
  if (!from?.isTried) return []
  const kept = new Set(rollback.versions.map(({ firmwareVersionId }) => firmwareVersionId))
  return from.versions.flatMap(({ firmwareVersionId: id }) => (kept.has(id) ? [] : [id]))
}

function findObstacle(
  deployment: PastDeployment,
  { active, isLeft }: { active: PastDeployment; isLeft: boolean },
): Obstacle | undefined {
  if (compareHeld(active, deployment) === 'same') return 'same versions'
  return isLeft ? 'left by a rollback' : undefined
}

/** `changed`: it has another version of a firmware of the active one. `elsewhere`: they have no firmware in common. */
function compareHeld(
  active: PastDeployment,
  earlier: PastDeployment,
): 'changed' | 'elsewhere' | 'same' {
  const held = new Map(active.versions.map((one) => [one.firmwareId, one.firmwareVersionId]))
  const shared = earlier.versions.filter(({ firmwareId }) => held.has(firmwareId))
  if (shared.length === 0) return 'elsewhere'
  const isChanged = shared.some((one) => held.get(one.firmwareId) !== one.firmwareVersionId)
  return isChanged ? 'changed' : 'same'
}
