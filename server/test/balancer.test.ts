/** deploy/haproxy/haproxy.cfg and deploy/mosquitto as they are, before a real service: what they publish, and with TLS. */
import { execFile, execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { type IncomingMessage, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestDatabase } from './database.ts'
import { beside, givenKeys, type Keys } from './drill/installation.ts'
import { hasHaproxy, type Haproxy, startHaproxy } from './haproxy.ts'
import { hasMosquitto, type Mosquitto, startMosquitto } from './mosquitto.ts'
import {
  endProcess,
  freePort,
  type ServiceProcess,
  startServiceProcess,
} from './service-process.ts'

const MISSING = [...(hasHaproxy ? [] : ['haproxy']), ...(hasMosquitto ? [] : ['mosquitto'])]
if (MISSING.length > 0)
  process.stderr.write(`balancer.test.ts is skipped: no ${MISSING.join(', ')}\n`)

const SECRET = 'the-secret-of-the-broker'
const DEVICE = { deviceId: 'gateway-0042', password: 'the password of the device' }
const run = promisify(execFile)

/** An authority and what it signed for `localhost`: the file for HAProxy, and the one for clients. */
function makeCertificates(folder: string) {
  const at = (name: string) => join(folder, name)
  const openssl = (...args: string[]) => execFileSync('openssl', args, { stdio: 'pipe' })
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes']
  const authority = ['-subj', '/CN=Authority', '-keyout', at('ca.key'), '-out', at('ca.pem')]
  openssl('req', '-x509', ...key, ...authority)
  openssl('req', ...key, '-subj', '/CN=localhost', '-keyout', at('key'), '-out', at('csr'))
  writeFileSync(at('names'), 'subjectAltName=DNS:localhost,IP:127.0.0.1')
  const signer = ['-CA', at('ca.pem'), '-CAkey', at('ca.key'), '-CAcreateserial']
  openssl('x509', '-req', '-in', at('csr'), ...signer, '-extfile', at('names'), '-out', at('cert'))
  writeFileSync(at('tls.pem'), readFileSync(at('cert'), 'utf8') + readFileSync(at('key'), 'utf8'))
  return { pem: at('tls.pem'), authority: at('ca.pem') }
}

/** With the path as it is written: `fetch` would tidy it up. */
async function post(port: number, path: string, body: object) {
  const headers = {
    host: 'plimsoll.example.com',
    authorization: `Bearer ${SECRET}`,
    'content-type': 'application/json',
  }
  const sent = request({ host: '127.0.0.1', port, path, method: 'POST', headers })
  sent.end(JSON.stringify(body))
  const [answer] = (await once(sent, 'response')) as [IncomingMessage]
  return {
    status: answer.statusCode,
    type: answer.headers['content-type'],
    text: await text(answer),
  }
}

describe.skipIf(MISSING.length > 0)('HAProxy with the shipped configuration', () => {
  const folder = mkdtempSync(join(tmpdir(), 'plimsoll-balancer-'))
  const ports = { service: 0, management: 0, http: 0, https: 0, mqtts: 0, internal: 0 }
  let tls: ReturnType<typeof makeCertificates>
  let keys: Keys
  let mosquitto: Mosquitto
  let service: ServiceProcess
  let haproxy: Haproxy

  beforeAll(async () => {
    for (const name of Object.keys(ports)) ports[name as keyof typeof ports] = await freePort()
    tls = makeCertificates(folder)
    const { connectionString } = await createTestDatabase()
    const settings = {
      dataDir: folder,
      port: ports.service,
      managementPort: ports.management,
      env: { DATABASE_URL: connectionString },
    }
    keys = await givenKeys({ beside: (use) => beside(settings, use) })
    const { workspaceId } = keys
    mosquitto = await startMosquitto([{ username: DEVICE.deviceId, workspaceId, ...DEVICE }])
    const env = {
      ...settings.env,
      PLIMSOLL_MQTT_BROKER_URL: mosquitto.url,
      PLIMSOLL_MQTT_BROKER_USERNAME: mosquitto.service.username,
      PLIMSOLL_MQTT_BROKER_PASSWORD: mosquitto.service.password,
      PLIMSOLL_MQTT_AUTH_SECRET: SECRET,
      PLIMSOLL_TRUST_PROXY: 'loopback',
    }
    service = await startServiceProcess({ ...settings, env })
    const nodes = ['API_1', 'API_2', 'GATEWAY_1', 'GATEWAY_2'].flatMap((name) => [
      [`PLIMSOLL_${name}`, `127.0.0.1:${ports.service}`],
      [`PLIMSOLL_${name}_MANAGEMENT_PORT`, `${ports.management}`],
    ])
    haproxy = await startHaproxy(
      {
        ...(Object.fromEntries(nodes) as Record<string, string>),
        PLIMSOLL_HTTP_BIND: `127.0.0.1:${ports.http}`,
        PLIMSOLL_HTTPS_BIND: `127.0.0.1:${ports.https}`,
        PLIMSOLL_MQTTS_BIND: `127.0.0.1:${ports.mqtts}`,
        PLIMSOLL_INTERNAL_BIND: `127.0.0.1:${ports.internal}`,
        PLIMSOLL_TLS_PEM: tls.pem,
        PLIMSOLL_BROKER_1: `127.0.0.1:${mosquitto.port}`,
      },
      `http://127.0.0.1:${ports.http}/openapi.json`,
    )
  })
  afterAll(async () => {
    await haproxy.stop()
    await endProcess(service.child, 'SIGTERM')
    await mosquitto.stop()
  })

  it.each([
    ['/mqtt/auth', 200],
    ['/mqtt/superuser', 200],
    ['/mqtt/acl', 200],
    ['/%6dqtt/auth', 200],
    ['http://plimsoll.example.com/mqtt/auth', 200],
    ['/mqtt%2Fauth', 404],
    ['/MQTT/auth', 404],
  ])('answers %s to the broker alone', async (path, status) => {
    const { username, password } = mosquitto.service
    const body = { username, password, topic: `plimsoll/v1/${keys.workspaceId}/a/up/#`, acc: 2 }

    const direct = await post(ports.service, path, body)
    const inside = await post(ports.internal, path, body)
    const outside = await post(ports.http, path, body)

    expect([direct.status, inside.status]).toEqual([status, status])
    expect(outside).toMatchObject({ status: 404, type: 'application/problem+json' })
    expect(outside.text).toContain('not published')
  })

  it('publishes nothing of the management port, and nothing but /mqtt to the broker', async () => {
    const statuses: (number | undefined)[][] = []
    for (const path of ['/metrics', '/health/live', '/health/started', '/health/ready'])
      for (const port of [ports.management, ports.http, ports.internal])
        statuses.push([(await fetch(`http://127.0.0.1:${port}${path}`)).status])
    const whoami = await fetch(`http://127.0.0.1:${ports.internal}/whoami`)

    expect(statuses.flat()).toEqual(Array.from({ length: 4 }, () => [200, 404, 404]).flat())
    expect(whoami.status).toBe(404)
  })

  it('speaks HTTPS with the certificate', async () => {
    const url = `https://localhost:${ports.https}`
    const curl = (...args: string[]) => run('curl', ['-sS', '--cacert', tls.authority, ...args])

    await expect(run('curl', ['-sS', url])).rejects.toThrow('certificate')
    const { stdout } = await curl('-H', `authorization: Bearer ${keys.apiKey}`, `${url}/whoami`)

    expect(JSON.parse(stdout)).toMatchObject({ workspaceId: keys.workspaceId })
  })

  describe('for devices by MQTT', () => {
    const topic = (end: string) => `plimsoll/v1/${keys.workspaceId}/${DEVICE.deviceId}/${end}`
    const at = (port: number) => ['-h', 'localhost', '-p', `${port}`, '-q', '1']
    const login = ({ username, password }: { username: string; password: string }) =>
      ['-u', username, '-P', password] as const
    const device = () => login({ username: DEVICE.deviceId, password: DEVICE.password })
    const secure = () => [...at(ports.mqtts), '--cafile', tls.authority]

    it('brings messages both ways over TLS', async () => {
      const headers = { authorization: `Bearer ${keys.apiKey}`, 'content-type': 'application/json' }
      const devices = `${service.url}/workspaces/${keys.workspaceId}/devices`
      const ask = (method: string, path: string, body: object) =>
        fetch(`${devices}${path}`, { method, headers, body: JSON.stringify(body) })
      const { deviceId } = DEVICE
      await ask('POST', '', { id: deviceId })
      await ask('PUT', `/${deviceId}/configuration/desired`, { logSeverity: 'Debug' })
      const connected = ['-t', topic('up/connection'), '-m', '{"connected":true,"connection":"1"}']
      const wanted = ['-t', topic('down/#'), '-C', '1', '-W', '60']

      await run('mosquitto_pub', [...secure(), ...device(), ...connected])
      const { stdout } = await run('mosquitto_sub', [...secure(), ...device(), ...wanted])

      expect(JSON.parse(stdout)).toMatchObject({ logSeverity: 'Debug' })
      await expect
        .poll(async () => (await fetch(`${devices}/${deviceId}`, { headers })).json())
        .toMatchObject({ connected: true })
    })

    it.each([
      ['without TLS', () => [...at(ports.mqtts), ...device()]],
      [
        'that trusts another authority',
        () => [...at(ports.mqtts), '--cafile', tls.pem, ...device()],
      ],
      [
        'with a wrong key',
        () => [...secure(), ...login({ username: DEVICE.deviceId, password: 'x' })],
      ],
    ])('refuses a device %s', async (_, options) => {
      const message = ['-t', topic('up/connection'), '-m', '{}']

      await expect(run('mosquitto_pub', [...options(), ...message])).rejects.toThrow(
        'mosquitto_pub',
      )
    })
  })
})
