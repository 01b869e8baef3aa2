/** Devices, cohorts and firmware with binaries, and reports of devices. */
import { sql } from 'kysely'
import type { DeviceReport } from '../src/features/devices/index.ts'
import type { UpdateReport } from '../src/formats/device-messages/model.ts'
import type { AppContext } from '../src/platform/context.ts'
import { newId } from '../src/platform/ids.ts'
import type { TestApp } from './app.ts'
import { type Client, givenClient } from './given.ts'

export interface GivenDevices {
  cohortId?: string
  tags?: readonly string[]
}

/** Registered devices in the cohort, as if picked by hand. */
export async function givenFleetDevices(
  { db, now }: Pick<AppContext, 'db' | 'now'>,
  workspaceId: string,
  deviceIds: readonly string[],
  { cohortId, tags = [] }: GivenDevices = {},
): Promise<void> {
  await sql`
    insert into devices (workspace_id, id, cohort_id, tags, created_at, effective_log_severity)
    select ${workspaceId}, id, ${cohortId ?? null}, ${tags}, ${now()}, 'Info'
    from unnest(${deviceIds}::text[]) as named (id) order by id`.execute(db)
}

export async function givenCohort(client: Client, body: object = {}): Promise<string> {
  const response = await client.post('/deployment-cohorts', { name: newId(), ...body })
  return response.json<{ id: string }>().id
}

/** A firmware with these versions, each with an artifact row but no file. @returns the ids by name. */
export async function givenArtifactVersions(
  { db, now }: Pick<AppContext, 'db' | 'now'>,
  { workspaceId, slug, names }: { workspaceId: string; slug: string; names: readonly string[] },
): Promise<Record<string, string>> {
  const [firmwareId, at] = [newId(), now()]
  const times = { createdAt: at, updatedAt: at }
  await db
    .insertInto('firmwares')
    .values({ workspaceId, id: firmwareId, slug, name: slug, ...times })
    .execute()
  const versions = names.map((name) => ({
    workspaceId,
    id: newId(),
    firmwareId,
    name,
    createdAt: at,
  }))
  await db.insertInto('firmwareVersions').values(versions).execute()
  const files = versions.map(({ id, name }) => [id, `${slug}-${name}.bin`] as const)
  await givenBinaries({ db, now }, workspaceId, files)
  return Object.fromEntries(versions.map(({ id, name }) => [name, id]))
}

/** Artifact rows without files. */
export async function givenBinaries(
  { db, now }: Pick<AppContext, 'db' | 'now'>,
  workspaceId: string,
  files: readonly (readonly [firmwareVersionId: string, fileName: string])[],
): Promise<void> {
  const digests = { sha256: '0'.repeat(64), sha1: '0'.repeat(40), md5: '0'.repeat(32) }
  const rows = files.map(([firmwareVersionId, fileName]) => ({
    workspaceId,
    firmwareVersionId,
    blobId: newId(),
    fileName,
    sizeBytes: 1000,
    ...digests,
    createdAt: now(),
  }))
  await db.insertInto('firmwareArtifacts').values(rows).execute()
}

export interface ShownDeployment {
  id: string
  name: string
  isActive: boolean
  state: string
  stateReason: string | null
  phase: number | null
  predecessorId: string | null
  rollbackOfId: string | null
  restoresId: string | null
  artifacts: { order: number; firmware: { firmwareVersion: { id: string; name: string } } }[]
  deviceUpdateStateCounts: Record<string, number>
  failureReasons: { reason: string; count: number }[]
}

export interface ShownUpdate {
  deviceId: string
  updateId: string
  state: string
  attempt: number
  reason: string | null
  unconfirmed: boolean
  releasedAt: string | null
  deadlineAt: string | null
  finishedAt: string | null
}

/** A workspace with one firmware (`gateway`) in versions 1.0, 2.0 and 3.0, and a cohort of devices. */
export async function givenFleet(test: TestApp, devices = 3) {
  const client = await givenClient(test)
  const { workspaceId } = client
  const names = ['1.0', '2.0', '3.0']
  const versions = await givenArtifactVersions(test.ctx, { workspaceId, slug: 'gateway', names })
  const cohortId = await givenCohort(client)
  const deviceIds = Array.from(
    { length: devices },
    (_, index) => `device-${String(index).padStart(3, '0')}`,
  )
  await givenFleetDevices(test.ctx, workspaceId, deviceIds, { cohortId })
  return fleetOf(test, { client, cohortId, deviceIds, versions })
}

interface World {
  client: Client
  cohortId: string
  deviceIds: string[]
  versions: Record<string, string>
}

function fleetOf(test: TestApp, { client, cohortId, deviceIds, versions }: World) {
  const { workspaceId } = client
  const path = `/deployment-cohorts/${cohortId}/deployments`
  const say = (deviceId: string, message: DeviceReport['message']) =>
    test.doors.intake.receive({
      workspaceId,
      deviceId,
      door: 'Mqtt',
      receivedAt: test.ctx.now(),
      message,
    })
  const deployment = async (id: string) =>
    (await client.get(`${path}/${id}`)).json<ShownDeployment>()
  const updates = async (id: string) => {
    const page = await client.post(`${path}/${id}/device-updates/list`, { limit: 1000 })
    return page.json<{ deviceUpdates: ShownUpdate[] }>().deviceUpdates
  }
  return {
    client,
    workspaceId,
    cohortId,
    deviceIds,
    versions,
    path,
    say,
    deployment,
    updates,
    deploy: async (version: string, body: object = {}) => {
      const artifacts = [{ firmwareVersionId: versions[version] }]
      const response = await client.post(path, { name: `to ${version}`, artifacts, ...body })
      if (response.statusCode !== 201) throw new Error(response.body)
      return response.json<ShownDeployment>()
    },
    rollBack: (id: string) => client.post(`${path}/${id}/rollback`),
    counts: async (id: string) => (await deployment(id)).deviceUpdateStateCounts,
    update: async (id: string, deviceId: string) =>
      (await updates(id)).find((update) => update.deviceId === deviceId),
    /** The device boots and reports what it runs. */
    boots: (deviceId: string, version: string) =>
      say(deviceId, {
        kind: 'session',
        session: { runId: newId(), firmware: [{ slug: 'gateway', version }] },
      }),
    reports: (deviceId: string, update: UpdateReport) => say(deviceId, { kind: 'update', update }),
    desired: async (deviceId: string) =>
      (await test.doors.offerDesired(workspaceId, [deviceId])).get(deviceId)?.update ?? null,
  }
}
export type Fleet = Awaited<ReturnType<typeof givenFleet>>

export const counts = (some: Record<string, number> = {}) => ({
  pending: 0,
  inProgress: 0,
  succeeded: 0,
  failed: 0,
  cancelled: 0,
  ...some,
})

/** Counters that differ from their rows; must be empty at any time. */
export async function wrongCounters({ db }: Pick<AppContext, 'db'>, workspaceId: string) {
  const { rows } = await sql`
    select * from (
      select id, pending, in_progress, succeeded, failed, cancelled from deployments
      where workspace_id = ${workspaceId}
      except
      select deployment.id, count(*) filter (where updates.state = 'pending')::int,
        count(*) filter (where updates.state = 'inProgress')::int,
        count(*) filter (where updates.state = 'succeeded')::int,
        count(*) filter (where updates.state = 'failed')::int,
        count(*) filter (where updates.state = 'cancelled')::int
      from deployments as deployment
      left join device_updates as updates
        on updates.workspace_id = deployment.workspace_id and updates.deployment_id = deployment.id
      where deployment.workspace_id = ${workspaceId}
      group by deployment.id) as wrong`.execute(db)
  return rows
}
