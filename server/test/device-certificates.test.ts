/** Devices with certificates at the real doors, over real TLS: curl, mosquitto_pub, and HAProxy in front. */
import { execFile, spawnSync } from 'node:child_process'
import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { buildApi } from '../src/api.ts'
import {
  changeDeviceIssuer,
  createDeviceIssuer,
  deleteDeviceIssuer,
  revokeCertificate,
} from '../src/features/device-issuers/service.ts'
import { hashCertificate } from '../src/formats/x509/certificate.ts'
import { startTestApp, type TestApp } from './app.ts'
import { type Client, givenClient } from './given.ts'
import {
  givenAuthority,
  givenServerCertificate,
  type MadeCertificate,
  type TestAuthority,
} from './given-certificates.ts'
import {
  connectDevice,
  connectionEnded,
  givenGateway,
  mqttSettings,
  type TestGateway,
} from './given-mqtt.ts'

const NEEDED = ['curl', 'mosquitto_pub', 'openssl']
const missing = NEEDED.filter((name) => spawnSync('which', [name]).status !== 0)
if (missing.length > 0) {
  if (process.env['PLIMSOLL_REQUIRE_SERVICES'] === '1')
    throw new Error(`PLIMSOLL_REQUIRE_SERVICES is set, and there is no ${missing.join(', ')}`)
  process.stderr.write(`device-certificates.test.ts is skipped: no ${missing.join(', ')}\n`)
}

/** What was refused is refused again for a second, unseen. */
const DAY_MS = 24 * 3_600_000
const REFUSED_MS = 1_050
const run = promisify(execFile)
const TESTER = { type: 'Operator', id: undefined, email: undefined, requestId: undefined } as const

describe.skipIf(missing.length > 0)('devices with certificates', () => {
  let test: TestApp
  let gateway: TestGateway
  let own: TestAuthority
  let port: number
  let now: Date | undefined

  beforeAll(async () => {
    own = givenAuthority('Servers')
    const tls = { ...givenServerCertificate(own), files: undefined }
    const mqtt = mqttSettings({ tls: { ...tls, port: 0 } })
    test = await startTestApp({ tls, asksForCertificates: true, mqtt, deviceRequestsPerMinute: 0 })
    const { now: real } = test.ctx
    test.ctx.now = () => now ?? real()
    await test.app.listen({ host: '127.0.0.1', port: 0 })
    const address = test.app.server.address()
    port = typeof address === 'object' && address ? address.port : 0
    gateway = await givenGateway(test)
  })
  afterAll(() => gateway.stop())
  afterEach(() => {
    now = undefined
  })

  const trust = ({ workspaceId }: Client, authority: TestAuthority, more: object = {}) =>
    createDeviceIssuer(test.ctx, {
      workspaceId,
      name: 'Factory',
      certificate: authority.pem,
      proof: authority.issue(`plimsoll-issuer-${workspaceId}`).pem,
      actor: TESTER,
      ...more,
    })

  async function givenWorkspace(options: { registers?: boolean } = {}) {
    const client = await givenClient(test)
    const authority = givenAuthority()
    const issuer = await trust(client, authority)
    await test.ctx.db
      .updateTable('workspaces')
      .set({ deviceAutoRegistration: options.registers ?? true })
      .where('id', '=', client.workspaceId)
      .execute()
    return { client, authority, issuer }
  }

  /** One sync by curl: the status, and the detail of a problem. */
  async function sync(
    { workspaceId }: { workspaceId: string },
    deviceId: string,
    shown?: MadeCertificate,
  ): Promise<{ status: number; detail: string }> {
    const identity = shown ? ['--cert', shown.certificate, '--key', shown.key] : []
    const url = `https://localhost:${port}/device/v1/${workspaceId}/${deviceId}/sync`
    const { stdout } = await run('curl', [
      '-sS',
      '--cacert',
      own.certificate,
      ...identity,
      '-X',
      'POST',
      url,
      '-w',
      '\n%{http_code}',
    ])
    const [body, status] = [
      stdout.slice(0, stdout.lastIndexOf('\n')),
      stdout.slice(stdout.lastIndexOf('\n') + 1),
    ]
    const answer = JSON.parse(body) as { detail?: string }
    return { status: Number(status), detail: answer.detail ?? '' }
  }

  /** Publishes one message by mosquitto_pub; its exit code, which is that of the refusal (4, 5 …). */
  async function publish(
    { workspaceId }: { workspaceId: string },
    deviceId: string,
    { certificate, key }: MadeCertificate,
  ): Promise<number> {
    const session = JSON.stringify({ runId: '1', firmware: [{ slug: 'gw', version: '1.0.0' }] })
    const args = [
      ['-h', 'localhost', '-p', String(gateway.ports.tls), '--cafile', own.certificate],
      ['--cert', certificate, '--key', key, '-u', `${workspaceId}:${deviceId}`, '-q', '1'],
      ['-t', `plimsoll/v1/${workspaceId}/${deviceId}/up/session`, '-m', session],
    ].flat()
    const outcome = await run('mosquitto_pub', args).catch((error: unknown) => error)
    return outcome instanceof Error ? Number((outcome as { code?: number }).code) : 0
  }

  it('registers a device at its first contact by HTTPS, and lists its certificate beside keys', async () => {
    const { client, authority, issuer } = await givenWorkspace()
    const certificate = authority.issue('gw-1')

    expect(await sync(client, 'gw-1', certificate)).toMatchObject({ status: 200 })
    expect(await sync(client, 'gw-1', certificate)).toMatchObject({ status: 200 })

    const [listed, ...more] = (await client.get('/device-keys?deviceId=gw-1')).json<object[]>()
    expect(more).toEqual([])
    expect(listed).toMatchObject({
      deviceId: 'gw-1',
      name: 'CN=gw-1',
      revokedAt: null,
      certificate: {
        issuer: { id: issuer.id, name: 'Factory' },
        serial: authority.serialOf(certificate).toLowerCase().replace(/^0+/, ''),
      },
    })
  })

  it('lets a device in by MQTT with the certificate alone', async () => {
    const { client, authority } = await givenWorkspace()
    const certificate = authority.issue('gw-2')

    expect(await publish(client, 'gw-2', certificate)).toBe(0)

    const device = await client.get('/devices/gw-2')
    expect(device.json()).toMatchObject({ door: 'Mqtt', firmware: [{ version: '1.0.0' }] })
    expect(await publish(client, 'gw-3', certificate)).not.toBe(0)
  })

  it('refuses a certificate that is of another device, unknown, ended, not yet valid, or for something else, and says why', async () => {
    const { client, authority } = await givenWorkspace()
    const others = givenAuthority()
    const detailOf = async (shown: MadeCertificate, deviceId = 'gw-4') => {
      const { status, detail } = await sync(client, deviceId, shown)
      return `${status} ${detail.replace('The certificate of the device is refused: ', '')}`
    }
    const good = authority.issue('gw-4')
    const usage = (text: string) => authority.issue('gw-4', { extensions: text })

    expect(await detailOf(authority.issue('gw-5'))).toBe('401 it is that of "gw-5".')
    expect(await detailOf(others.issue('gw-4'))).toBe(
      '401 no authority that the workspace trusts issued it.',
    )
    expect(await detailOf(usage('extendedKeyUsage=serverAuth'))).toContain('clientAuth')
    expect(await detailOf(usage('keyUsage=keyEncipherment'))).toContain('digitalSignature')
    expect(await detailOf(usage('basicConstraints=CA:TRUE'))).toContain('of an authority')
    expect(await detailOf(usage('1.2.3.4=critical,ASN1:NULL'))).toContain('1.2.3.4')
    now = new Date(Date.now() + 11 * DAY_MS)
    expect(await detailOf(authority.issue('gw-4'))).toMatch(/^401 it ended at /)
    now = new Date(Date.now() - DAY_MS)
    expect(await detailOf(authority.issue('gw-4'))).toMatch(/^401 it is not valid before /)
    now = undefined
    expect(await detailOf(good)).toMatch(/^200/)
    now = new Date(Date.now() + 11 * DAY_MS)
    expect(await detailOf(good)).toMatch(/^401 it ended at /)
  })

  it('asks no client for a certificate to have one: keys go on, and without both a device is refused', async () => {
    const { client } = await givenWorkspace()

    expect((await sync(client, 'gw-6')).status).toBe(401)
    expect((await client.get('/devices/gw-6')).statusCode).toBe(404)
  })

  it('registers no device where the workspace does not let devices register', async () => {
    const { client, authority } = await givenWorkspace({ registers: false })
    const certificate = authority.issue('gw-7')

    expect((await sync(client, 'gw-7', certificate)).status).toBe(404)
    await client.post('/devices', { id: 'gw-7' })
    expect((await sync(client, 'gw-7', certificate)).status).toBe(200)
  })

  it('gives nobody anything who uploads the authority of another workspace', async () => {
    const { client, authority } = await givenWorkspace()
    const thief = await givenClient(test)
    const certificate = authority.issue('gw-8')
    const wrongProof = givenAuthority().issue(`plimsoll-issuer-${thief.workspaceId}`).pem
    const stolenProof = authority.issue(`plimsoll-issuer-${client.workspaceId}`).pem

    await expect(trust(thief, authority, { proof: wrongProof })).rejects.toThrow('did not sign it')
    await expect(trust(thief, authority, { proof: stolenProof })).rejects.toThrow('common name')
    await expect(trust(thief, authority, { proof: authority.pem })).rejects.toThrow('common name')
    // Even the owner of the key cannot have it in two workspaces.
    await expect(trust(thief, authority)).rejects.toMatchObject({
      code: 'device-issuer-of-other-workspace',
    })

    expect((await sync(thief, 'gw-8', certificate)).status).toBe(401)
    expect((await sync(client, 'gw-8', certificate)).status).toBe(200)
  })

  it('lets no device of an intermediate authority into the workspace that trusts the root', async () => {
    const { client, authority } = await givenWorkspace()
    const other = await givenClient(test)
    const intermediate = givenAuthority('Line 2', authority)
    await trust(other, intermediate)
    const certificate = intermediate.issue('gw-9')

    expect((await sync(client, 'gw-9', certificate)).status).toBe(401)
  })

  it('holds two issuers while devices move from one to the other', async () => {
    const { client, authority } = await givenWorkspace()
    const next = givenAuthority('Factory 2')
    await trust(client, next, { name: 'Next' })

    expect((await sync(client, 'gw-10', authority.issue('gw-10'))).status).toBe(200)
    expect((await sync(client, 'gw-10', next.issue('gw-10'))).status).toBe(200)
  })

  it('takes the id from a name or URI by the rule of the issuer, and refuses two of them', async () => {
    const client = await givenClient(test)
    const authority = givenAuthority()
    await client.post('/devices', { id: 'gw-11' })
    const rule = { deviceIdField: 'Uri', deviceIdPrefix: 'urn:device:', deviceIdSuffix: ':v1' }
    await trust(client, authority, rule)
    const named = (names: string) =>
      authority.issue('any', { extensions: `subjectAltName=${names}` })

    expect(await sync(client, 'gw-11', named('URI:urn:device:gw-11:v1,URI:urn:other:x'))).toEqual({
      status: 200,
      detail: '',
    })
    const two = await sync(client, 'gw-11', named('URI:urn:device:gw-11:v1,URI:urn:device:b:v1'))
    expect(two.detail).toContain('more than one URI')
    const none = await sync(client, 'gw-11', named('DNS:gw-11'))
    expect(none.detail).toContain('it has no URI that begins with "urn:device:"')
  })

  it('refuses a revoked certificate at once, ends its MQTT connection, and keeps it refused after its device was deleted', async () => {
    const { client, authority, issuer } = await givenWorkspace()
    const [one, other, unseen] = ['gw-12', 'gw-13', 'gw-14'].map((id) => authority.issue(id))
    if (!one || !other || !unseen) throw new Error('not made')
    const connect = (deviceId: string, { certificate, key }: MadeCertificate) =>
      connectDevice(
        { port: gateway.ports.tls ?? 0, workspaceId: client.workspaceId, deviceId, deviceKey: '' },
        {
          protocol: 'mqtts',
          ca: readFileSync(own.certificate),
          cert: readFileSync(certificate),
          key: readFileSync(key),
          host: 'localhost',
        },
      )
    const [first, second] = [await connect('gw-12', one), await connect('gw-13', other)]
    const change = {
      workspaceId: client.workspaceId,
      deviceIssuerId: issuer.id,
      actor: TESTER,
    }

    const revoke = (shown: MadeCertificate) =>
      revokeCertificate(test.ctx, { ...change, serial: authority.serialOf(shown) })
    expect(await revoke(one)).toMatchObject({ seenCount: 1 })
    expect(await revoke(unseen)).toMatchObject({ seenCount: 0 })
    await connectionEnded(first)

    expect(second.client.connected).toBe(true)
    expect((await sync(client, 'gw-12', one)).detail).toContain('it was revoked')
    expect((await sync(client, 'gw-14', unseen)).detail).toContain('it was revoked')
    await client.delete('/devices/gw-12')
    await delay(REFUSED_MS)
    expect((await sync(client, 'gw-12', one)).detail).toContain('it was revoked')
    await deleteDeviceIssuer(test.ctx, change)
    await connectionEnded(second)
  })

  it('takes the list of the authority, refuses all after its end, and takes no older, foreign or damaged one', async () => {
    const { client, authority, issuer } = await givenWorkspace()
    const [good, bad] = [authority.issue('gw-15'), authority.issue('gw-16')]
    await sync(client, 'gw-16', bad)
    const path = `/device-issuers/${issuer.id}/revocation-list`
    const older = authority.revokeAll([], { seconds: 100_000 })
    const newer = authority.revokeAll([bad], { seconds: 7_200 })

    const taken = await client.post(path, { crl: newer })
    expect(taken.json()).toMatchObject({ revokedCount: 1, newlyRevokedCount: 1, restoredCount: 0 })
    expect((await client.post(path, { crl: older })).statusCode).toBe(409)
    const foreign = await client.post(path, { crl: givenAuthority().revokeAll([]) })
    expect(foreign.json()).toMatchObject({
      detail: expect.stringContaining('the key of this issuer did not sign it') as string,
    })
    const flipped = newer.replace(/[A-Za-z](?=[A-Za-z0-9+/]{10}\n)/, (one) =>
      one === 'A' ? 'B' : 'A',
    )
    expect((await client.post(path, { crl: flipped })).statusCode).toBe(400)

    expect((await sync(client, 'gw-16', bad)).detail).toContain('it was revoked')
    expect((await sync(client, 'gw-15', good)).status).toBe(200)
    now = new Date(Date.now() + 7_300_000)
    const { status, detail } = await sync(client, 'gw-15', good)
    const listed = await client.get(`/device-issuers/${issuer.id}`)
    expect([status, detail]).toEqual([401, expect.stringContaining('nobody knows')])
    expect(listed.json()).toMatchObject({ state: 'ListEnded', acceptsAfterCrlEnd: false })
    await changeDeviceIssuer(test.ctx, {
      workspaceId: client.workspaceId,
      deviceIssuerId: issuer.id,
      actor: TESTER,
      name: 'Factory',
      acceptsAfterCrlEnd: true,
    })
    await delay(REFUSED_MS)
    expect((await sync(client, 'gw-15', good)).status).toBe(200)
    now = undefined
  })

  it('believes the header of a named proxy alone, in the form of HAProxy and of nginx', async () => {
    const { client, authority } = await givenWorkspace()
    const { pem } = authority.issue('gw-17')
    const der = pem.replaceAll(/-----[A-Z ]+-----|\s/g, '')
    const header = 'x-client-certificate'
    const ask = async (from: string, value: string) => {
      const proxies = { header, addresses: ['10.0.0.0/24', '2001:db8::1'] }
      const atDoors = { ...test.ctx, config: { ...test.ctx.config, certificateProxies: proxies } }
      const { doors } = test
      const app = await buildApi(atDoors, { roles: ['gateway'], doors, showsDocs: false })
      const url = `/device/v1/${client.workspaceId}/gw-17/sync`
      const headers = { [header]: value }
      const answer = await app.inject({ method: 'POST', url, headers, remoteAddress: from })
      await app.close()
      return answer.statusCode
    }
    const hash = hashCertificate(new X509Certificate(pem)).toString('hex')
    const envoy = `By=spiffe://a;Hash=${hash};Cert="${encodeURIComponent(pem)}";Subject="CN=x,O=y"`

    expect(await ask('192.0.2.1', der)).toBe(401)
    expect(await ask('10.0.0.7', der)).toBe(200)
    expect(await ask('::ffff:10.0.0.7', encodeURIComponent(pem))).toBe(200)
    expect(await ask('2001:db8::1', envoy)).toBe(200)
    expect(await ask('10.0.0.7', `${envoy},${envoy}`)).toBe(400)
    expect(await ask('10.0.0.7', 'nonsense')).toBe(400)
    expect(await ask('10.0.0.7', '')).toBe(401)
  })
})
