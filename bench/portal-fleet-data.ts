/** A workspace with devices, a roll-out to all of them, and one device with a long metric, for `bench/portal-fleet.ts`. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import { buildApi } from '../server/src/api.ts'
import { ROLES } from '../server/src/config/config.ts'
import { openDoors } from '../server/src/device-doors.ts'
import { issueDeviceKey } from '../server/src/features/devices/index.ts'
import {
  maintainTelemetry,
  storeReportedTelemetry,
} from '../server/src/features/telemetry/index.ts'
import { bootstrapWorkspace } from '../server/src/features/workspaces/index.ts'
import type { AppContext } from '../server/src/platform/context.ts'

export const SLUG = 'gateway'
export const VERSIONS = ['1.0.0', '1.1.0'] as const
export const METRIC = 'cpu.temperature'
export const OWNER = 'bench@example.com'

export interface FleetFolder {
  workspaceId: string
  deviceKey: string
  cohortId: string
  deploymentId: string
  /** As they were asked for when the folder was filled. */
  devices: number
  points: number
}

/** As those of `gateway-devices.ts`. */
export const nameDevice = (number: number) => `bench-${number}`

/** Fills a folder once; later calls leave it. */
export async function prepareFleet(
  ctx: AppContext,
  folder: string,
  { devices, points }: { devices: number; points: number },
): Promise<FleetFolder> {
  const file = join(folder, 'portal-fleet.json')
  if (existsSync(file)) return JSON.parse(readFileSync(file, 'utf8')) as FleetFolder
  mkdirSync(folder, { recursive: true })
  const actor = { type: 'Operator', id: undefined, email: undefined, requestId: undefined } as const
  const { workspaceId, apiKey } = await bootstrapWorkspace(ctx, {
    name: 'Fleet',
    ownerEmail: OWNER,
    actor,
    keepsSources: true,
  })
  const { deviceKey } = await issueDeviceKey(ctx, { workspaceId, name: 'bench', actor })
  const doors = openDoors(ctx, { rests: false })
  const app = await buildApi(ctx, { roles: ROLES, doors, showsDocs: false })
  const ask = async <Answer>(method: 'POST' | 'PUT', path: string, body: object) => {
    const response = await app.inject({
      method,
      url: `/workspaces/${workspaceId}${path}`,
      headers: {
        authorization: `Bearer ${apiKey}`,
        ...(Buffer.isBuffer(body) && { 'content-type': 'application/octet-stream' }),
      },
      payload: body,
    })
    if (response.statusCode >= 300) throw new Error(`${path}: ${response.body}`)
    return response.json<Answer>()
  }
  const versions = await makeVersions(ask)
  const cohort = await ask<{ id: string }>('POST', '/deployment-cohorts', { name: 'All gateways' })
  await insertDevices(ctx, { workspaceId, devices, cohortId: cohort.id, versionId: versions[0] })
  const deployment = await ask<{ id: string }>(
    'POST',
    `/deployment-cohorts/${cohort.id}/deployments`,
    {
      name: 'Roll-out',
      artifacts: [{ firmwareVersionId: versions[1] }],
      phases: [{ percent: 100 }],
    },
  )
  await insertPoints(ctx, { workspaceId, points })
  await doors.intake.close()
  await app.close()
  const ids = { workspaceId, deviceKey, cohortId: cohort.id, deploymentId: deployment.id }
  writeFileSync(file, JSON.stringify({ ...ids, devices, points }))
  return { ...ids, devices, points }
}

type Ask = <Answer>(method: 'POST' | 'PUT', path: string, body: object) => Promise<Answer>

async function makeVersions(ask: Ask): Promise<[string, string]> {
  const firmware = await ask<{ id: string }>('POST', '/firmwares', { slug: SLUG })
  const make = async (name: string) => {
    const path = `/firmwares/${firmware.id}/versions`
    const { id } = await ask<{ id: string }>('POST', path, { name })
    await ask('PUT', `/firmware-versions/${id}/artifact?fileName=${name}.bin`, Buffer.from(name))
    return id
  }
  return [await make(VERSIONS[0]), await make(VERSIONS[1])]
}

interface InsertDevices {
  workspaceId: string
  devices: number
  cohortId: string
  versionId: string
}

/** As reports would leave them: all in the cohort, all with the first version. */
async function insertDevices(
  { db }: AppContext,
  { workspaceId, devices, cohortId, versionId }: InsertDevices,
): Promise<void> {
  await db.transaction().execute(async (tx) => {
    await sql`set local statement_timeout = 0`.execute(tx)
    await sql`
      insert into devices (workspace_id, id, tags, cohort_id, created_at, first_seen_at, last_seen_at, door, reported_at,
        effective_log_severity)
      select ${workspaceId}, 'bench-' || number, array['site-' || number % 500], ${cohortId}, now(),
        now() - interval '90 days', now() - random() * interval '24 hours', 'Mqtt', now(), 'Info'
      from generate_series(0, ${devices}::int - 1) as number`.execute(tx)
    await sql`
      insert into device_firmwares (workspace_id, device_id, slug, version, since, firmware_version_id)
      select ${workspaceId}, id, ${SLUG}, ${VERSIONS[0]}, now() - interval '20 days', ${versionId}
      from devices where workspace_id = ${workspaceId}`.execute(tx)
    await sql`
      insert into firmware_version_device_counts
      select ${workspaceId}, ${versionId}, connected, floor(extract(epoch from last_seen_at) / 3600)::int, count(*)
      from devices where workspace_id = ${workspaceId} group by 3, 4`.execute(tx)
    await sql`
      insert into firmware_set_device_counts values (${workspaceId}, array[${versionId}]::uuid[], ${devices})`.execute(
      tx,
    )
  })
}

const DAYS = 28
const BATCH = 5_000

/** A value every few seconds over four weeks, on the way that reports of devices take. */
async function insertPoints(
  ctx: AppContext,
  { workspaceId, points }: { workspaceId: string; points: number },
): Promise<void> {
  const end = Date.now()
  const stepMs = (DAYS * 86_400_000) / points
  for (let from = 0; from < points; from += BATCH) {
    const count = Math.min(BATCH, points - from)
    const some = Array.from({ length: count }, (_, index) => ({
      name: METRIC,
      value: 40 + 10 * Math.sin((from + index) / 5_000) + ((from + index) % 17) / 10,
      timestamp: new Date(end - (points - from - index) * stepMs),
    }))
    await ctx.db.transaction().execute((tx) =>
      storeReportedTelemetry(ctx, tx, {
        workspaceId,
        reports: [
          {
            workspaceId,
            deviceId: nameDevice(0),
            door: 'Mqtt',
            receivedAt: new Date(end),
            message: { kind: 'metrics', points: some },
          },
        ],
      }),
    )
  }
  await maintainTelemetry(ctx)
}
