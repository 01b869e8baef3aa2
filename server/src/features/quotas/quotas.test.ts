/** Limits hold whatever happens side by side, and usage is what a recount gives. */
import { isOfCitus } from '../../../test/citus.ts'
import { SHALLOW } from '../../../test/doctor.ts'
import fc from 'fast-check'
import { sql } from 'kysely'
import { readFileSync } from 'node:fs'
import { beforeAll, describe, expect, it } from 'vitest'
import { sharedTestApp, type TestApp } from '../../../test/app.ts'
import { putArtifact } from '../../../test/given-artifacts.ts'
import { givenDevice, logs, metrics, storeTelemetry } from '../../../test/given-telemetry.ts'
import { type Client, givenClient, givenFirmwareVersion, upload } from '../../../test/given.ts'
import { propertyRuns } from '../../../test/property-runs.ts'
import { AppError } from '../../platform/errors.ts'
import { issueDeviceKey } from '../devices/index.ts'
import { type Limits, quotaChecks, reportQuotaHealth, setLimits } from './index.ts'
import { computeRequestsAtOnce, findWindow } from './quotas.ts'

let test: TestApp
beforeAll(async () => {
  test = await sharedTestApp()
})

const OPERATOR = {
  type: 'Operator',
  id: undefined,
  email: undefined,
  requestId: undefined,
} as const

async function givenLimited(limits: Limits): Promise<Client> {
  const client = await givenClient(test)
  const { workspaceId } = client
  await setLimits(test.ctx, { workspaceId, limits, isReset: false, actor: OPERATOR })
  return client
}

interface ShownQuota {
  name: string
  used: number
  limit: number | null
  refused: number
}

async function usageOf(client: Client, name: string): Promise<ShownQuota> {
  const { quotas } = (await client.get('/usage')).json<{ quotas: ShownQuota[] }>()
  const found = quotas.find((one) => one.name === name)
  if (!found) throw new Error(`no quota ${name}`)
  return found
}

async function faultsOf({ workspaceId }: Client): Promise<readonly string[]> {
  const found = quotaChecks.map((check) => check.find(test.ctx, workspaceId, SHALLOW))
  return (await Promise.all(found)).flatMap(({ faults }) => faults)
}

const sbom = (name: string) => JSON.stringify({ bomFormat: 'CycloneDX', specVersion: '1.6', name })

async function firmwareIdOf(client: Client, firmwareVersionId: string): Promise<string> {
  const version = await client.get(`/firmware-versions/${firmwareVersionId}`)
  return version.json<{ firmware: { id: string } }>().firmware.id
}

/** A deletion that had not counted the uploads, and then waited for them, while they waited for its count. */
const deletedDuringUploads = (does: 'delete' | 'deleteFirmware') =>
  [does, 'sbom', 'sbom', 'sbom', 'sbom'].map((each) => ({ does: each, version: 0, size: 1 }))

describe('stored bytes', () => {
  it('refuse a file before it is read, and have room again after a deletion', async () => {
    const bytes = sbom('first')
    const client = await givenLimited({ storedBytes: bytes.length + 5 })
    const firmwareVersionId = await givenFirmwareVersion(client)
    const send = (name: string) =>
      upload(test, client, { firmwareVersionId, files: [{ name, bytes: sbom(name) }] })

    const [sent] = (await send('first')).json<{ sboms: { id: string }[] }>().sboms
    const refused = await send('other')

    expect(refused.statusCode).toBe(413)
    expect(refused.json()).toMatchObject({
      type: '/problems/quota-stored-bytes',
      detail: `The workspace may have ${bytes.length + 5} bytes of SBOMs and artifacts (storedBytes). It has ${bytes.length}. Nothing was stored.`,
    })
    await client.delete(`/sboms/${sent?.id ?? ''}`)
    expect((await send('other')).statusCode).toBe(202)
    expect(await usageOf(client, 'storedBytes')).toMatchObject({ used: bytes.length })
  })

  it('count SBOMs and artifacts as often as they are stored, whatever is done side by side', async () => {
    const commands = fc.array(
      fc.record({
        does: fc.constantFrom(
          'sbom',
          'sbom',
          'artifact',
          'artifact',
          'delete',
          'deleteFirmware',
          'deleteArtifact',
        ),
        version: fc.nat(1),
        size: fc.integer({ min: 1, max: 60 }),
      }),
      { minLength: 4, maxLength: 14 },
    )
    await fc.assert(
      fc.asyncProperty(commands, fc.integer({ min: 40, max: 400 }), async (given, limit) => {
        const client = await givenLimited({ storedBytes: limit })
        const versions = [await givenFirmwareVersion(client), await givenFirmwareVersion(client)]
        const firmwareIds = await Promise.all(versions.map((id) => firmwareIdOf(client, id)))
        const perform = async ({ does, version, size }: (typeof given)[number]) => {
          const firmwareVersionId = versions[version] ?? ''
          const bytes = 'x'.repeat(size)
          if (does === 'artifact')
            return (await putArtifact(test, client, { firmwareVersionId, bytes })).statusCode
          if (does === 'deleteArtifact')
            return (await client.delete(`/firmware-versions/${firmwareVersionId}/artifact`))
              .statusCode
          if (does === 'deleteFirmware')
            return (await client.delete(`/firmwares/${firmwareIds[version] ?? ''}`)).statusCode
          if (does === 'delete')
            return (await client.delete(`/firmware-versions/${firmwareVersionId}`)).statusCode
          const files = [{ name: 'a', bytes: sbom(bytes) }]
          return (await upload(test, client, { firmwareVersionId, files })).statusCode
        }

        const answers = await Promise.all(given.map(perform))

        expect(answers.filter((status) => status >= 500)).toEqual([])
        const { used } = await usageOf(client, 'storedBytes')
        expect(used).toBeLessThanOrEqual(limit)
        expect(await faultsOf(client)).toEqual([])
      }),
      {
        numRuns: propertyRuns(20, 4),
        examples: [
          [deletedDuringUploads('delete'), 105],
          [deletedDuringUploads('deleteFirmware'), 105],
        ],
      },
    )
  })
})

describe('devices', () => {
  it('are never more than the limit, however they are registered and deleted', async () => {
    const commands = fc.array(
      fc.record({
        does: fc.constantFrom('create', 'import', 'connect', 'connect', 'delete'),
        device: fc.nat(9),
      }),
      { minLength: 6, maxLength: 20 },
    )
    await fc.assert(
      fc.asyncProperty(commands, fc.integer({ min: 1, max: 6 }), async (given, limit) => {
        const client = await givenLimited({ devices: limit, deviceRegistrationsPerMinute: 4 })
        const { workspaceId } = client
        await sql`update workspaces set device_auto_registration = true where id = ${workspaceId}`.execute(
          test.ctx.db,
        )
        const { deviceKey } = await issueDeviceKey(test.ctx, { workspaceId, actor: OPERATOR })
        const perform = async ({ does, device }: (typeof given)[number]) => {
          const id = `device-${device}`
          if (does === 'create') return (await client.post('/devices', { id })).statusCode
          if (does === 'delete') return (await client.delete(`/devices/${id}`)).statusCode
          if (does === 'import') {
            const devices = [{ id }, { id: `${id}-b` }]
            return (await client.post('/devices/import', { devices })).statusCode
          }
          return test.doors.authenticate({ workspaceId, deviceId: id, deviceKey }).then(
            () => 200,
            (error: unknown) => (error instanceof AppError ? error.code : String(error)),
          )
        }

        const answers = await Promise.all(given.map(perform))

        const known = new Set<unknown>([
          200,
          201,
          204,
          403,
          404,
          409,
          'quota-devices',
          'quota-device-registrations',
        ])
        expect(answers.filter((answer) => !known.has(answer))).toEqual([])
        expect((await usageOf(client, 'devices')).used).toBeLessThanOrEqual(limit)
        expect((await usageOf(client, 'deviceRegistrationsPerMinute')).used).toBeLessThanOrEqual(4)
        expect(await faultsOf(client)).toEqual([])
      }),
      { numRuns: propertyRuns(20, 4) },
    )
  })

  it('over the limit are refused, and those that are known are served', async () => {
    const client = await givenLimited({ devices: 1 })
    await client.post('/devices', { id: 'one' })

    const refused = await client.post('/devices', { id: 'two' })

    expect(refused.statusCode).toBe(403)
    expect(refused.json()).toMatchObject({ type: '/problems/quota-devices' })
    expect((await client.get('/devices/one')).statusCode).toBe(200)
  })
})

describe('series and log lines', () => {
  it('over the limit are not stored, and counted', async () => {
    const client = await givenLimited({ metricSeries: 3, logLinesPerDay: 2 })
    const devices = [
      await givenDevice(test.ctx, client.workspaceId),
      await givenDevice(test.ctx, client.workspaceId),
    ]
    const line = (message: string) => ({ severity: 'Info' as const, message })

    await Promise.all(
      devices.map((device) =>
        storeTelemetry(
          test.ctx,
          metrics(device, [
            { name: 'a', value: 1 },
            { name: 'b', value: 1 },
            { name: 'c', value: 1 },
          ]),
          logs(device, [line('1'), line('2'), line('3')]),
        ),
      ),
    )

    expect(await usageOf(client, 'metricSeries')).toMatchObject({ used: 3, limit: 3 })
    expect(await usageOf(client, 'logLinesPerDay')).toMatchObject({ used: 2, refused: 4 })
    const { droppedPoints } = (await client.get('/metrics')).json<{
      droppedPoints: { points: number }[]
    }>()
    expect(droppedPoints.reduce((sum, { points }) => sum + points, 0)).toBe(3)
    await client.delete(`/devices/${devices[0]?.deviceId ?? ''}`)
    await client.delete(`/devices/${devices[1]?.deviceId ?? ''}`)
    expect(await usageOf(client, 'metricSeries')).toMatchObject({ used: 0 })
  })
})

describe('requests', () => {
  it('of an hour are counted over all nodes, and refused before their body is read', async () => {
    const client = await givenLimited({ apiRequestsPerHour: 5 })

    const answers = await Promise.all(Array.from({ length: 12 }, () => client.get('/devices/x')))

    const refused = answers.filter(({ statusCode }) => statusCode === 429)
    expect(refused).toHaveLength(7)
    expect(refused[0]?.json()).toMatchObject({ type: '/problems/quota-requests' })
    const { endsAt } = findWindow('apiRequestsPerHour', test.ctx.now())
    const seconds = (endsAt.getTime() - test.ctx.now().getTime()) / 1_000
    expect(Math.abs(Number(refused[0]?.headers['retry-after']) - seconds)).toBeLessThan(60)
  })

  it('are taken in steps that are small against the limit', () => {
    expect([null, 1, 50, 5_000, 1e9].map(computeRequestsAtOnce)).toEqual([100, 1, 1, 50, 100])
  })

  it('are answered with a warning from 80 % of a limit on', async () => {
    const client = await givenLimited({ devices: 5 })
    for (const id of ['1', '2', '3', '4']) await client.post('/devices', { id })
    const before = await client.get('/usage')

    await client.post('/devices/import', { devices: [{ id: '5' }, { id: '6' }] })
    const after = await client.get('/usage')

    expect(before.headers).not.toHaveProperty('plimsoll-quota-warning')
    expect(after.headers['plimsoll-quota-warning']).toBe('devices;used=4;limit=5')
  })
})

it('tells operators what is nearly used up', async () => {
  const client = await givenLimited({ devices: 5 })
  for (const id of ['1', '2', '3', '4']) await client.post('/devices', { id })

  const { describe: tell, gauges } = reportQuotaHealth(test.ctx)
  const values = (await gauges[0]?.values()) ?? []

  const labels = { workspace: client.workspaceId, quota: 'devices' }
  expect(values).toContainEqual({ labels, value: 0.8 })
  expect(await tell()).toMatchObject({ near: values.length })
})

describe('limits of a workspace that has none of its own', () => {
  it('exist for each quota', async () => {
    const client = await givenClient(test)

    const { quotas } = (await client.get('/usage')).json<{ quotas: ShownQuota[] }>()

    expect(quotas.filter(({ limit }) => limit === null)).toEqual([])
  })

  it('refuse a flood by their name, their number and what to do', async () => {
    const client = await givenClient(test)
    await sql`
      insert into workspace_usage (workspace_id, quota, used)
      values (${client.workspaceId}, 'devices', 1000000)`.execute(test.ctx.db)

    const refused = await client.post('/devices', { id: 'one-too-many' })

    expect(refused.statusCode).toBe(403)
    expect(refused.json()).toMatchObject({
      type: '/problems/quota-devices',
      detail: 'The workspace may have 1000000 devices (devices). Nothing was stored.',
    })
    await sql`delete from workspace_usage where workspace_id = ${client.workspaceId}`.execute(
      test.ctx.db,
    )
  })

  it('do not stop a workspace that used half of one when it came', async ({ skip }) => {
    if (await isOfCitus(test.ctx.pool)) skip('No release before the migration ran on Citus')
    const [large, small] = [await givenClient(test), await givenClient(test)]
    await sql`
      insert into workspace_usage (workspace_id, quota, used)
      values (${large.workspaceId}, 'devices', 500000), (${small.workspaceId}, 'devices', 499999)`.execute(
      test.ctx.db,
    )
    const migration = new URL('../../../migrations/0038-quota-defaults.sql', import.meta.url)

    await sql.raw(readFileSync(migration, 'utf8')).execute(test.ctx.db)

    expect(await usageOf(large, 'devices')).toMatchObject({ limit: null })
    expect(await usageOf(small, 'devices')).toMatchObject({ limit: 1_000_000 })
    const ids = [large.workspaceId, small.workspaceId]
    await sql`delete from workspace_usage where workspace_id = any(${ids}::uuid[])`.execute(
      test.ctx.db,
    )
  })
})

it('shows nothing of another workspace', async () => {
  const [client, other] = [await givenClient(test), await givenLimited({ devices: 3 })]
  await other.post('/devices', { id: 'one' })

  expect(await usageOf(client, 'devices')).toMatchObject({ used: 0, limit: 1_000_000 })
})
