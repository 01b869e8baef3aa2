/** Certificates that nobody should have made: over real TLS, and in the header of a proxy. */
import { execFile } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { promisify } from 'node:util'
import { afterEach, beforeAll, expect, it, vi } from 'vitest'
import { buildApi } from '../src/api.ts'
import { MOST_CERTIFICATE_BYTES } from '../src/formats/x509/certificate.ts'
import type { Client } from './given.ts'
import {
  CERTIFICATE_HEADER,
  type CertificateApp,
  startCertificateApp,
} from './given-certificate-app.ts'
import { givenAuthority, type MadeCertificate } from './given-certificates.ts'
import { connectDevice, connectionEnded, givenGateway } from './given-mqtt.ts'

const run = promisify(execFile)
const DAY_MS = 24 * 3_600_000

let app: CertificateApp
let now: Date | undefined

beforeAll(async () => {
  app = await startCertificateApp()
  const { now: real } = app.test.ctx
  app.test.ctx.now = () => now ?? real()
})
afterEach(() => {
  now = undefined
  vi.useRealTimers()
})

interface Outcome {
  /** 0: the handshake failed. */
  status: number
  detail: string
}

/** By curl, which is told to show the certificate whatever it thinks of it. */
async function sync(
  { workspaceId }: Client,
  deviceId: string,
  shown: Pick<MadeCertificate, 'certificate' | 'key'>,
): Promise<Outcome> {
  const args = [
    ['-sS', '--cacert', app.servers.certificate, '--ciphers', 'DEFAULT@SECLEVEL=0'],
    ['--cert', shown.certificate, '--key', shown.key, '-X', 'POST', '-w', '\n%{http_code}'],
    [`https://localhost:${app.port}/device/v1/${workspaceId}/${deviceId}/sync`],
  ].flat()
  const { stdout } = await run('curl', args).catch(() => ({ stdout: '{}\n0' }))
  const [body = '{}', status] = stdout.split(/\n(?=\d+$)/)
  return { status: Number(status), detail: (JSON.parse(body) as { detail?: string }).detail ?? '' }
}

/** As HAProxy passes it on. */
const syncByHeader = (client: Client, deviceId: string, pem: string) =>
  sendHeader(client, deviceId, pem.replaceAll(/-----[A-Z ]+-----|\s/g, ''))

async function sendHeader({ workspaceId }: Client, deviceId: string, value: string) {
  const { ctx, doors } = app.test
  const proxies = { header: CERTIFICATE_HEADER, addresses: ['10.0.0.7'] }
  const atDoors = { ...ctx, config: { ...ctx.config, certificateProxies: proxies } }
  const api = await buildApi(atDoors, { roles: ['gateway'], doors, showsDocs: false })
  const answer = await api.inject({
    method: 'POST',
    url: `/device/v1/${workspaceId}/${deviceId}/sync`,
    headers: { [CERTIFICATE_HEADER]: value },
    remoteAddress: '10.0.0.7',
  })
  await api.close()
  return { status: answer.statusCode, detail: answer.json<{ detail?: string }>().detail ?? '' }
}

it('looks at the certificate of the device alone, whatever 49 others come with it', async () => {
  const { client, authority } = await app.givenWorkspace()
  const own = authority.issue('gw-1')
  let last = givenAuthority('Root of others')
  const others: string[] = []
  for (let depth = 0; depth < 49; depth += 1) {
    others.push(last.pem)
    last = givenAuthority(`Authority ${depth}`, last)
  }
  const bundle = { certificate: `${own.certificate}.chain`, key: own.key }
  writeFileSync(bundle.certificate, [own.pem, ...others].join(''))
  const foreign = last.issue('gw-1')
  const foreignBundle = { certificate: `${foreign.certificate}.chain`, key: foreign.key }
  writeFileSync(
    foreignBundle.certificate,
    [foreign.pem, ...others.toReversed(), authority.pem].join(''),
  )

  expect((await sync(client, 'gw-1', bundle)).status).toBe(200)
  expect(await sync(client, 'gw-1', foreignBundle)).toEqual({
    status: 401,
    detail: expect.stringContaining('no authority that the workspace trusts issued it') as string,
  })
})

it('refuses a chain of 50 in the header of a proxy by name of the fault', async () => {
  const { client, authority } = await app.givenWorkspace()
  const own = authority.issue('gw-2')

  // As nginx passes it on: one of DER is no chain at all.
  const chain = encodeURIComponent(own.pem.repeat(50))

  expect((await sendHeader(client, 'gw-2', chain)).detail).toContain(
    '50 certificates instead of one',
  )
})

it('refuses a large certificate in words, and ends the handshake of one of a megabyte', async () => {
  const { client, authority } = await app.givenWorkspace()
  const large = (bytes: number) =>
    authority.issue('gw-3', { extensions: `1.2.3.4=ASN1:UTF8String:${'x'.repeat(bytes)}` })
  const beyond = large(2 * MOST_CERTIFICATE_BYTES)
  const megabyte = large(1_000_000)

  expect(await sync(client, 'gw-3', beyond)).toEqual({
    status: 401,
    detail: expect.stringContaining('it has more than 16 KiB') as string,
  })
  expect((await sync(client, 'gw-3', megabyte)).status).toBe(0)
  expect((await syncByHeader(client, 'gw-3', beyond.pem)).status).toBe(400)
  expect((await sync(client, 'gw-3', authority.issue('gw-3'))).status).toBe(200)
})

it('refuses a key of RSA with 1,024 bits and a signature by SHA-1 in words', async () => {
  const { client, authority } = await app.givenWorkspace()
  const weak = authority.issue('gw-4', { key: ['-newkey', 'rsa:1024'] })
  const sha1 = authority.issue('gw-4', { sign: ['-sha1'] })

  expect((await syncByHeader(client, 'gw-4', weak.pem)).detail).toContain(
    'its RSA key has 1024 bits instead of 2048',
  )
  expect((await syncByHeader(client, 'gw-4', sha1.pem)).detail).toContain(
    'ecdsa-with-SHA1, which can be forged',
  )
  // By TLS the library may end the handshake before.
  expect([0, 401]).toContain((await sync(client, 'gw-4', weak)).status)
  expect([0, 401]).toContain((await sync(client, 'gw-4', sha1)).status)
})

it('lets no certificate of one workspace into another that it names, by any door', async () => {
  const { client, authority } = await app.givenWorkspace()
  const other = await app.givenWorkspace()
  const certificate = authority.issue('gw-5')
  const connect = ({ workspaceId }: Client) =>
    connectDevice(
      { port: app.gateway.ports.tls ?? 0, workspaceId, deviceId: 'gw-5', deviceKey: '' },
      {
        protocol: 'mqtts',
        ca: readFileSync(app.servers.certificate),
        cert: readFileSync(certificate.certificate),
        key: readFileSync(certificate.key),
        host: 'localhost',
      },
    )

  expect((await sync(other.client, 'gw-5', certificate)).detail).toContain('no authority')
  await expect(connect(other.client)).rejects.toThrow()
  expect((await connect(client)).client.connected).toBe(true)
})

it('ends the connection of a certificate within a minute after its end, or that of a list that came later', async () => {
  const { client, authority } = await app.givenWorkspace()
  const [short, long] = [authority.issue('gw-6', { days: 1 }), authority.issue('gw-7')]
  const { deviceIssuers } = (await client.get('/device-issuers')).json<{
    deviceIssuers: { id: string }[]
  }>()
  const lists = `/device-issuers/${deviceIssuers[0]?.id ?? ''}/revocation-list`
  // The minute is moved, not waited for: only what repeats work is.
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  const gateway = await givenGateway(app.test)
  const connect = (deviceId: string, { certificate, key }: MadeCertificate) =>
    connectDevice(
      { port: gateway.ports.tls ?? 0, workspaceId: client.workspaceId, deviceId, deviceKey: '' },
      {
        protocol: 'mqtts',
        ca: readFileSync(app.servers.certificate),
        cert: readFileSync(certificate),
        key: readFileSync(key),
        host: 'localhost',
        keepalive: 0,
      },
    )
  const [ending, staying] = [await connect('gw-6', short), await connect('gw-7', long)]

  vi.advanceTimersByTime(60_000)
  const isOpenBefore = ending.client.connected
  now = new Date(Date.now() + 2 * DAY_MS)
  vi.advanceTimersByTime(60_000)
  await connectionEnded(ending)

  expect(isOpenBefore).toBe(true)
  expect(staying.client.connected).toBe(true)
  // The device connected before there was a list, which ends before its certificate does.
  const revoked = authority.issue('gw-8')
  const ended = await connect('gw-8', revoked)
  const crl = authority.revokeAll([revoked], { seconds: 4 * 24 * 3_600 })
  expect((await client.post(lists, { crl })).statusCode).toBe(200)
  await connectionEnded(ended)
  vi.advanceTimersByTime(60_000)
  expect(staying.client.connected).toBe(true)
  now = new Date(Date.now() + 5 * DAY_MS)
  vi.advanceTimersByTime(60_000)
  await connectionEnded(staying)
  vi.useRealTimers()
  await gateway.stop()
})
