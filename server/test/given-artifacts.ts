/** Artifacts through the API, and deployments with them, in a cohort of their own. */
import type { AppContext } from '../src/platform/context.ts'
import { newId } from '../src/platform/ids.ts'
import type { TestApp, TestWorkspace } from './app.ts'

export interface SentArtifact {
  firmwareVersionId: string
  bytes: Uint8Array | string
  /** Left out: the full image. */
  role?: string
  query?: Record<string, string>
  headers?: Record<string, string>
}

export function putArtifact(
  { app }: TestApp,
  { workspaceId, apiKey }: TestWorkspace,
  { firmwareVersionId, bytes, role, query = {}, headers = {} }: SentArtifact,
) {
  return app.inject({
    method: 'PUT',
    url: `/workspaces/${workspaceId}/firmware-versions/${firmwareVersionId}/${role === undefined ? 'artifact' : `artifacts/${role}`}`,
    query,
    headers: {
      authorization: `Bearer ${apiKey}`,
      'content-type': 'application/octet-stream',
      ...headers,
    },
    payload: Buffer.from(bytes),
  })
}

export interface HeldDeployment {
  deploymentId: string
  updateId: string
  deviceId: string
}

/** An active deployment of the versions, in this order, with a released update of one device. */
export async function givenDeploymentRows(
  { db, now }: Pick<AppContext, 'db' | 'now'>,
  workspaceId: string,
  firmwareVersionIds: readonly string[],
): Promise<HeldDeployment & { cohortId: string }> {
  const [cohortId, deploymentId, updateId] = [newId(), newId(), newId()]
  const deviceId = `device-${updateId}`
  const at = now()
  const times = { createdAt: at, updatedAt: at }
  await db
    .insertInto('deploymentCohorts')
    .values({ workspaceId, id: cohortId, name: cohortId, ...times })
    .execute()
  await db
    .insertInto('devices')
    .values({ workspaceId, id: deviceId, cohortId, createdAt: at, effectiveLogSeverity: 'Info' })
    .execute()
  await db
    .insertInto('deployments')
    .values({
      workspaceId,
      id: deploymentId,
      cohortId,
      name: 'rollout',
      createdAt: at,
      isActive: true,
      state: 'Running',
      startDeadlineSeconds: 7_776_000,
      deviceDeadlineSeconds: 86_400,
      maxAttempts: 1,
    })
    .execute()
  const artifacts = firmwareVersionIds.map((firmwareVersionId, position) => ({
    workspaceId,
    id: newId(),
    deploymentId,
    firmwareVersionId,
    position,
    isMain: position === 0,
  }))
  await db.insertInto('deploymentArtifacts').values(artifacts).execute()
  const update = { workspaceId, deploymentId, deviceId, updateId, number: 1, createdAt: at }
  await db
    .insertInto('deviceUpdates')
    .values({ ...update, state: 'pending', releasedAt: at })
    .execute()
  return { cohortId, deploymentId, updateId, deviceId }
}
