/** What Mosquitto's client sends as the hash of the image reaches the list of blind spots, in one form. */
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { beforeAll, expect } from 'vitest'
import { startTestApp, type TestApp } from './app.ts'
import { type Client, givenClient } from './given.ts'
import { givenVersionWithArtifact } from './given-ddi.ts'
import { givenSyncingDevice } from './given-device-sync.ts'
import { givenPrograms } from './given-example-client.ts'
import { givenGateway, mqttSettings, type TestGateway } from './given-mqtt.ts'

const run = promisify(execFile)

let test: TestApp
let gateway: TestGateway
let client: Client
beforeAll(async () => {
  test = await startTestApp({ mqtt: mqttSettings() })
  gateway = await givenGateway(test)
  client = await givenClient(test)
})

givenPrograms('mosquitto_pub')(
  'a device says over MQTT which image runs, and what is no hash is told as such',
  async () => {
    const { workspaceId } = client
    const slug = `fw-${crypto.randomUUID()}`
    const version = await givenVersionWithArtifact(test, client, { slug })
    const name = version.version
    const { deviceId, deviceKey } = await givenSyncingDevice(test, workspaceId)
    const topic = `plimsoll/v1/${workspaceId}/${deviceId}/up/session`
    let runs = 0
    const say = (session: object) =>
      run('mosquitto_pub', [
        '-h',
        '127.0.0.1',
        '-p',
        String(gateway.port),
        '-q',
        '1',
        '-t',
        topic,
        '-u',
        `${workspaceId}:${deviceId}`,
        '-P',
        deviceKey,
        '-m',
        JSON.stringify({ runId: `run-${runs++}`, ...session }),
      ])
    const shown = async (said: unknown) => {
      await say({ firmware: [{ slug, version: name }], attributes: { imageHash: said } })
      const { firmware } = (await client.get(`/devices/${deviceId}`)).json<{
        firmware: { image: { state: string; hash: string | null } }[]
      }>()
      return [firmware[0]?.image.state, firmware[0]?.image.hash]
    }
    const hash = createHash('sha256').update(version.bytes).digest('hex')
    const sha512 = createHash('sha512').update('unknown').digest('hex')

    const told = {
      lower: await shown(hash),
      upper: await shown(hash.toUpperCase()),
      prefixed: await shown(`sha256:${hash}`),
      sha512: await shown(`SHA512:${sha512.toUpperCase()}`),
      short: await shown(hash.slice(2)),
      words: await shown('see the label'),
      number: await shown(42),
      empty: await shown(''),
    }
    await client.patch(`/firmware-versions/${version.firmwareVersionId}`, { buildId: 'cafe-17' })
    await say({ buildId: 'cafe-17' })
    const built = (await client.get(`/devices/${deviceId}`)).json<{ firmware: object[] }>()

    expect(told).toEqual({
      lower: ['Proved', hash],
      upper: ['Proved', hash],
      prefixed: ['Proved', hash],
      sha512: ['UnknownImage', sha512],
      short: ['NotAHash', hash.slice(2)],
      words: ['NotAHash', 'see the label'],
      number: ['NotAHash', '42'],
      empty: ['NotReported', null],
    })
    expect(built.firmware).toMatchObject([
      { slug, version: name, buildId: 'cafe-17', image: { state: 'Proved', hash: null } },
    ])
  },
)
