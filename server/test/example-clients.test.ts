/** The clients in examples/ are tried for real: they connect, are configured, and take an update. */
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cpSync, existsSync, mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, describe, expect } from 'vitest'
import { startTestApp, type TestApp } from './app.ts'
import { type Client, givenClient } from './given.ts'
import { givenVersionWithArtifact } from './given-ddi.ts'
import { givenSyncingDevice, syncingDevice } from './given-device-sync.ts'
import {
  EXAMPLES,
  eventually,
  givenPrograms,
  type ProgramRun,
  start,
} from './given-example-client.ts'
import { givenGateway, mqttSettings, type TestGateway } from './given-mqtt.ts'
import { freePort } from './service-process.ts'

let test: TestApp
let gateway: TestGateway
let client: Client
let url: string

beforeAll(async () => {
  const port = await freePort()
  url = `http://127.0.0.1:${port}`
  test = await startTestApp({ publicUrl: url, mqtt: mqttSettings(), deviceRequestsPerMinute: 0 })
  gateway = await givenGateway(test)
  await test.app.listen({ host: '127.0.0.1', port })
  client = await givenClient(test)
})

async function takesAnUpdate(run: (env: Record<string, string>) => ProgramRun, state: string) {
  const device = await givenSyncingDevice(test, client.workspaceId)
  const slug = `fw-${crypto.randomUUID()}`
  const image = await givenVersionWithArtifact(test, client, { slug, fileName: 'main.bin' })
  const { deviceId, deviceKey } = device
  const example = start(
    run({
      PLIMSOLL_URL: url,
      PLIMSOLL_MQTT_HOST: '127.0.0.1',
      PLIMSOLL_MQTT_PORT: String(gateway.port),
      PLIMSOLL_WORKSPACE: client.workspaceId,
      PLIMSOLL_DEVICE: deviceId,
      PLIMSOLL_DEVICE_KEY: deviceKey,
      PLIMSOLL_SLUG: slug,
      PLIMSOLL_VERSION: '1.0.0',
      PLIMSOLL_STATE: state,
    }),
  )
  const runs = (version: string) => async () => {
    const rows = await test.ctx.db
      .selectFrom('deviceFirmwares')
      .select(['slug', 'version'])
      .where('workspaceId', '=', client.workspaceId)
      .where('deviceId', '=', deviceId)
      .execute()
    return rows.length === 1 && rows[0]?.slug === slug && rows[0].version === version
  }
  await eventually(runs('1.0.0'), example)

  const configuration = `/devices/${deviceId}/configuration`
  await client.put(`${configuration}/desired`, { logSeverity: 'Debug' })
  const cohort = await client.post('/deployment-cohorts', { name: `cohort of ${deviceId}` })
  const { id: cohortId } = cohort.json<{ id: string }>()
  await client.put(`/deployment-cohorts/${cohortId}/devices`, { deviceIds: [deviceId] })
  const deployment = await client.post(`/deployment-cohorts/${cohortId}/deployments`, {
    name: 'to 2.0.0',
    artifacts: [{ firmwareVersionId: image.firmwareVersionId }],
  })
  expect([deployment.statusCode, deployment.body]).toEqual([201, expect.any(String)])
  await eventually(runs('2.0.0'), example)
  const { id } = deployment.json<{ id: string }>()
  const states = () =>
    test.ctx.db
      .selectFrom('deviceUpdates')
      .select(['state', 'attempt', 'startedAt'])
      .where('workspaceId', '=', client.workspaceId)
      .where('deploymentId', '=', id)
      .execute()
  await eventually(async () => (await states())[0]?.state === 'succeeded', example)
  const acknowledged = async () => {
    const response = await client.get(`${configuration}/desired`)
    const { version, acknowledgedVersion } = response.json<{
      version: number
      acknowledgedVersion: number
    }>()
    return version === 2 && acknowledgedVersion === version
  }
  await eventually(acknowledged, example)
  expect(await states()).toMatchObject([{ attempt: 1, startedAt: expect.any(Date) as Date }])
  const { firmware } = (await client.get(`/devices/${deviceId}`)).json<{ firmware: object[] }>()
  const hash = createHash('sha256').update(image.bytes).digest('hex')
  expect(firmware).toMatchObject([{ image: { hash, state: 'Proved' }, isBlindSpot: false }])
  await replacesItsKey(device, example)
  return { image, deviceId, example }
}

/** Asked for it, the client fetches its next key and uses it; the one that it was started with ends. */
async function replacesItsKey(
  device: { workspaceId: string; deviceId: string; deviceKey: string },
  example: ReturnType<typeof start>,
): Promise<void> {
  const { deviceId } = device
  const asked = await client.post(`/devices/${deviceId}/key-rotation`)
  expect(asked.statusCode).toBe(200)
  await eventually(async () => {
    const response = await client.get(`/devices/${deviceId}`)
    return response.json<{ keyRotation: { state: string } }>().keyRotation.state === 'Done'
  }, example)
  expect((await syncingDevice(test, device).sync()).statusCode).toBe(401)
  const { lastUsedAt } = await findKeyInForce(deviceId)
  await eventually(async () => (await reportsAfter(deviceId)) > (lastUsedAt ?? 0), example)
}

const findKeyInForce = (deviceId: string) =>
  test.ctx.db
    .selectFrom('deviceKeys')
    .select('lastUsedAt')
    .where('workspaceId', '=', client.workspaceId)
    .where('deviceId', '=', deviceId)
    .where('revokedAt', 'is', null)
    .executeTakeFirstOrThrow()

async function reportsAfter(deviceId: string): Promise<Date> {
  const { lastSeenAt } = await test.ctx.db
    .selectFrom('devices')
    .select('lastSeenAt')
    .where('workspaceId', '=', client.workspaceId)
    .where('id', '=', deviceId)
    .executeTakeFirstOrThrow()
  return lastSeenAt ?? new Date(0)
}

// Most of their time they wait, each for its own device.
describe.concurrent('clients', () => {
  givenPrograms('python3')(
    'the Python client takes its configuration and an update over HTTP',
    async () => {
      const state = mkdtempSync(join(tmpdir(), 'plimsoll-python-'))

      const { image, deviceId } = await takesAnUpdate(
        (env) => ({
          command: 'python3',
          args: [
            join(EXAMPLES, 'python-client/plimsoll_device.py'),
            `--state=${state}`,
            '--every=0.2',
            `--slug=${env['PLIMSOLL_SLUG']}`,
            '--version=1.0.0',
          ],
          env: { ...env, PYTHONDONTWRITEBYTECODE: '1' },
        }),
        state,
      )

      expect(readFileSync(join(state, 'b', `${image.slug}.img`)).equals(image.bytes)).toBe(true)
      const sent = await test.ctx.db
        .selectFrom('deviceLogs')
        .select('message')
        .where('workspaceId', '=', client.workspaceId)
        .where('deviceId', '=', deviceId)
        .orderBy('time')
        .execute()
      expect(sent.map(({ message }) => message)).toEqual(
        expect.arrayContaining(['booted slot a', 'logs from Debug on', 'booted slot b']),
      )
    },
  )

  givenPrograms(
    'mosquitto_pub',
    'jq',
    'curl',
    'sha256sum',
  )('the shell client takes its configuration and an update over MQTT', async () => {
    const state = mkdtempSync(join(tmpdir(), 'plimsoll-shell-'))

    const { image } = await takesAnUpdate(
      (env) => ({
        command: 'sh',
        args: [join(EXAMPLES, 'shell-client/plimsoll-device.sh')],
        env: { ...env, PLIMSOLL_LISTEN_SECONDS: '1' },
      }),
      state,
    )

    expect(readFileSync(join(state, 'b', `${image.slug}.img`)).equals(image.bytes)).toBe(true)
    expect(readFileSync(join(state, 'active'), 'utf8').trim()).toBe('b')
  })

  givenPrograms('gcc', 'make')(
    'the client in C compiles without a warning, and takes its configuration and an update over MQTT',
    async () => {
      const folder = mkdtempSync(join(tmpdir(), 'plimsoll-c-'))
      cpSync(join(EXAMPLES, 'mcu-client-c'), folder, { recursive: true })
      const built = spawnSync('make', ['-C', folder, 'device'], { encoding: 'utf8' })
      expect([built.status, built.stderr]).toEqual([0, ''])
      const state = join(folder, 'state')

      const { image, example } = await takesAnUpdate(
        (env) => ({ command: join(folder, 'device'), args: [], env }),
        state,
      )

      expect(readFileSync(join(state, 'imageb')).equals(image.bytes)).toBe(true)
      expect(readFileSync(join(state, 'active.'), 'utf8')).toBe('b')
      // The new image has confirmed itself.
      await eventually(() => Promise.resolve(!existsSync(join(state, 'trial.'))), example)
    },
  )
})
