/** Certificates of devices in odd company: numbers, names, sessions that are taken up again, clocks, and headers full of tricks. */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { connect, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  createDeviceIssuer,
  deleteDeviceIssuer,
  revokeCertificate,
} from '../src/features/device-issuers/service.ts'
import { startTestApp, type TestApp } from './app.ts'
import { type Client, givenClient } from './given.ts'
import {
  CERTIFICATE_HEADER,
  type CertificateApp,
  letDevicesRegister,
  startCertificateApp,
} from './given-certificate-app.ts'
import { givenAuthority, type MadeCertificate, type TestAuthority } from './given-certificates.ts'
import { makeRevocationList } from './given-revocation-list.ts'

const isMissing = spawnSync('which', ['openssl']).status !== 0
if (isMissing && process.env['PLIMSOLL_REQUIRE_SERVICES'] === '1')
  throw new Error('PLIMSOLL_REQUIRE_SERVICES is set, and there is no openssl')
if (isMissing) process.stderr.write('certificate-neighbours.test.ts is skipped: no openssl\n')

const TESTER = { type: 'Operator', id: undefined, email: undefined, requestId: undefined } as const
const folder = mkdtempSync(join(tmpdir(), 'plimsoll-neighbours-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const toBase64 = (pem: string) => pem.replaceAll(/-----[A-Z ]+-----|\s/g, '')

/** A service that believes a header of 127.0.0.1. */
async function startBehindProxy() {
  const certificateProxies = { header: CERTIFICATE_HEADER, addresses: ['127.0.0.1'] }
  const test = await startTestApp({ certificateProxies, deviceRequestsPerMinute: 0 })
  await test.app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = test.app.server.address() as AddressInfo
  return { test, port }
}

async function trust(
  { ctx }: TestApp,
  { workspaceId }: Client,
  {
    authority,
    ...more
  }: { authority: TestAuthority; name?: string } & Record<string, string | TestAuthority>,
): Promise<{ id: string }> {
  return createDeviceIssuer(ctx, {
    workspaceId,
    name: 'Factory',
    certificate: authority.pem,
    proof: authority.issue(`plimsoll-issuer-${workspaceId}`).pem,
    actor: TESTER,
    ...more,
  })
}

describe.skipIf(isMissing)('behind a proxy', () => {
  let test: TestApp
  let port: number

  beforeAll(async () => {
    ;({ test, port } = await startBehindProxy())
  })

  async function givenWorkspace(more: Record<string, string> = {}) {
    const client = await givenClient(test)
    const authority = givenAuthority()
    const { id } = await trust(test, client, { authority, ...more })
    await letDevicesRegister(test, client)
    const change = { workspaceId: client.workspaceId, deviceIssuerId: id, actor: TESTER }
    return { client, authority, issuerId: id, change }
  }

  /** Bytes as they are, by the address of the proxy; the status, and the rest of the answer. */
  async function sendRaw(
    head: readonly string[],
    body = '',
  ): Promise<{ status: number; text: string }> {
    const socket = connect(port, '127.0.0.1')
    socket.write(`${head.join('\r\n')}\r\n\r\n${body}`)
    const chunks: Buffer[] = []
    for await (const chunk of socket) chunks.push(chunk as Buffer)
    const text = Buffer.concat(chunks).toString()
    return { status: Number(/^HTTP\/1\.1 (\d+)/.exec(text)?.[1] ?? 0), text }
  }

  const sendHeaders = ({ workspaceId }: Client, deviceId: string, headers: readonly string[]) =>
    sendRaw([
      `POST /device/v1/${workspaceId}/${deviceId}/sync HTTP/1.1`,
      'Host: localhost',
      'Connection: close',
      ...headers,
    ])

  const show = (client: Client, deviceId: string, { pem }: MadeCertificate) =>
    sendHeaders(client, deviceId, [`${CERTIFICATE_HEADER}: ${toBase64(pem)}`])

  it('refuses a certificate with a negative serial number that the list or the team revoked', async () => {
    const { client, authority, issuerId, change } = await givenWorkspace()
    const numbered = (deviceId: string, serial: string) =>
      authority.issue(deviceId, { sign: ['-set_serial', serial] })
    const [listed, byHand, zeros, good] = [
      numbered('gw-1', '-0x7f'),
      numbered('gw-2', '-0x81'),
      numbered('gw-3', '0x00ff'),
      numbered('gw-4', '0x7f'),
    ]
    await show(client, 'gw-1', listed)
    const before = await show(client, 'gw-2', byHand)

    const taken = await client.post(`/device-issuers/${issuerId}/revocation-list`, {
      crl: makeRevocationList(authority, { serials: ['81', '00ff'] }),
    })
    const revoked = await revokeCertificate(test.ctx, { ...change, serial: '-81' })

    expect(before.status).toBe(200)
    expect(taken.json()).toMatchObject({ revokedCount: 2, newlyRevokedCount: 1 })
    expect(revoked).toEqual({ serial: '-81', seenCount: 1 })
    for (const [deviceId, certificate] of [
      ['gw-1', listed],
      ['gw-2', byHand],
      ['gw-3', zeros],
    ] as const)
      expect((await show(client, deviceId, certificate)).text).toContain('it was revoked')
    expect((await show(client, 'gw-4', good)).status).toBe(200)
  })

  it('refuses a certificate whose serial number has more than 40 bytes in words', async () => {
    const { client, authority } = await givenWorkspace()
    const long = authority.issue('gw-1', { sign: ['-set_serial', `0x${'7f'.repeat(41)}`] })

    const { status, text } = await show(client, 'gw-1', long)

    expect(status).toBe(401)
    expect(text).toContain('it has a part that cannot be read')
  })

  it('takes a list of 100,000 serial numbers, and refuses a certificate that it names', async () => {
    const { client, authority, issuerId } = await givenWorkspace()
    const serials = Array.from({ length: 100_000 }, (_, index) => (0x10_00_00 + index).toString(16))
    const named = authority.issue('gw-1', { sign: ['-set_serial', `0x${serials[77_777] ?? ''}`] })

    const taken = await client.post(`/device-issuers/${issuerId}/revocation-list`, {
      crl: makeRevocationList(authority, { serials: serials.map((hex) => `00${hex}`) }),
    })
    const revocations = await client.get(`/device-issuers/${issuerId}/revocations`)

    expect(taken.json()).toMatchObject({ revokedCount: 100_000 })
    expect((await show(client, 'gw-1', named)).text).toContain('it was revoked')
    expect((await show(client, 'gw-2', authority.issue('gw-2'))).status).toBe(200)
    expect(revocations.json<{ revocations: object[] }>().revocations).toHaveLength(1_000)
  })

  it('takes a list whose authority has a clock minutes ahead, and none of tomorrow or that ended', async () => {
    const { client, authority, issuerId } = await givenWorkspace()
    const at = (minutes: number) => new Date(Date.now() + minutes * 60_000)
    const upload = async (options: object) => {
      const crl = makeRevocationList(authority, options)
      const response = await client.post(`/device-issuers/${issuerId}/revocation-list`, { crl })
      return `${response.statusCode} ${response.json<{ detail?: string }>().detail ?? ''}`
    }

    expect(await upload({ thisUpdate: at(4), nextUpdate: at(60) })).toBe('200 ')
    expect(await upload({ number: 2, thisUpdate: at(24 * 60), nextUpdate: at(48 * 60) })).toMatch(
      /^400 .* it holds from /,
    )
    expect(await upload({ number: 2, thisUpdate: at(-60), nextUpdate: at(-1) })).toMatch(
      /^400 .* it ended at /,
    )
  })

  it('takes no wildcard for a device, and no name in other letters', async () => {
    const { client, authority } = await givenWorkspace({
      deviceIdField: 'DnsName',
      deviceIdSuffix: '.example.com',
    })
    const named = (names: string) =>
      authority.issue('any', { extensions: `subjectAltName=${names}` })
    const detailOf = async (deviceId: string, names: string) => {
      const { text } = await show(client, deviceId, named(names))
      return /"detail":"((?:[^"\\]|\\.)*)"/.exec(text)?.[1] ?? ''
    }

    expect(await detailOf('gw-1', 'DNS:*.example.com')).toContain('it is that of \\"*\\"')
    expect(await detailOf('gw-1', 'DNS:GW-1.example.com')).toContain('it is that of \\"GW-1\\"')
    expect(await detailOf('gw-1', 'DNS:gw-1.EXAMPLE.com')).toContain('it has no DNS name')
    expect(await detailOf('gw-1', 'DNS:x.gw-1.example.com')).toContain('it is that of \\"x.gw-1\\"')
    expect((await show(client, 'gw-1', named('DNS:gw-1.example.com,DNS:other.net'))).status).toBe(
      200,
    )
  })

  it('counts serial numbers by issuer, where two have one subject', async () => {
    const { client, authority, change } = await givenWorkspace()
    const twin = givenAuthority('Factory')
    await trust(test, client, { authority: twin, name: 'Twin' })
    const numbered = (by: TestAuthority, deviceId: string) =>
      by.issue(deviceId, { sign: ['-set_serial', '0x1234'] })
    const [first, second] = [numbered(authority, 'gw-1'), numbered(twin, 'gw-2')]
    const before = [await show(client, 'gw-1', first), await show(client, 'gw-2', second)]

    await revokeCertificate(test.ctx, { ...change, serial: '12:34' })

    expect(before.map(({ status }) => status)).toEqual([200, 200])
    expect((await show(client, 'gw-1', first)).text).toContain('it was revoked')
    expect((await show(client, 'gw-2', second)).status).toBe(200)
  })

  it('says what is wrong with a certificate of an authority whose clock is ahead', async () => {
    const { client, authority } = await givenWorkspace()
    const { now: real } = test.ctx
    const certificate = authority.issue('gw-1')
    test.ctx.now = () => new Date(real().getTime() - 60_000)
    const early = await show(client, 'gw-1', certificate)
    test.ctx.now = real

    expect(early.status).toBe(401)
    expect(early.text).toContain('it is not valid before')
    expect((await client.get('/devices/gw-1')).statusCode).toBe(404)
  })

  it('refuses the header twice, in any letters, and believes none with underscores', async () => {
    const { client, authority } = await givenWorkspace()
    const own = toBase64(authority.issue('gw-1').pem)
    const name = CERTIFICATE_HEADER

    const twice = await sendHeaders(client, 'gw-1', [
      `${name}: ${own}`,
      `${name.toUpperCase()}: ${own}`,
    ])
    const emptyFirst = await sendHeaders(client, 'gw-1', [`${name}:`, `${name}: ${own}`])
    const underscores = await sendHeaders(client, 'gw-1', [`${name.replaceAll('-', '_')}: ${own}`])
    const upper = await sendHeaders(client, 'gw-1', [`${name.toUpperCase()}: ${own}`])

    expect([twice.status, emptyFirst.status]).toEqual([400, 400])
    expect(twice.text).toContain('twice')
    expect(underscores.status).toBe(401)
    expect(upper.status).toBe(200)
  })

  it('reads one certificate in PEM and no tricks around it', async () => {
    const { client, authority } = await givenWorkspace()
    const { pem } = authority.issue('gw-1')
    const other = givenAuthority().issue('gw-1').pem
    const send = async (text: string) =>
      (await sendHeaders(client, 'gw-1', [`${CERTIFICATE_HEADER}: ${text}`])).status
    const oldName = (text: string) => text.replaceAll('CERTIFICATE', 'X509 CERTIFICATE')

    expect(await send(encodeURIComponent(pem))).toBe(200)
    for (const trick of [
      encodeURIComponent(oldName(other) + pem),
      encodeURIComponent(pem + oldName(other)),
      encodeURIComponent(`text before\n${pem}`),
      encodeURIComponent(pem.replace('-----BEGIN', '-----begin')),
      encodeURIComponent(encodeURIComponent(pem)),
      encodeURIComponent(pem).replace('%2B', '%252B').replace('%0A', '%250A'),
      encodeURIComponent(pem).replace('%0A', '%0'),
      encodeURIComponent(pem).replace('%0A', '%00'),
      `Cert="${encodeURIComponent(pem)}";Subject=",Cert="${encodeURIComponent(other)}"`,
      `${toBase64(pem)}, ${toBase64(pem)}`,
      `${toBase64(pem)}AAAA`,
    ])
      expect([trick, await send(trick)]).toEqual([trick, 400])
  })

  it('answers a request that is two, or whose header is folded, as malformed', async () => {
    const { client, authority } = await givenWorkspace()
    const own = toBase64(authority.issue('gw-1').pem)
    const start = [
      `POST /device/v1/${client.workspaceId}/gw-1/sync HTTP/1.1`,
      'Host: localhost',
      'Connection: close',
    ]
    const inner = [...start, `${CERTIFICATE_HEADER}: ${own}`, '', ''].join('\r\n')

    const both = ['Content-Length: 4', 'Transfer-Encoding: chunked']
    const smuggled = await sendRaw([...start, ...both], `0\r\n\r\n${inner}`)
    const spaced = await sendRaw([...start, `${CERTIFICATE_HEADER} : ${own}`])
    const folded = await sendRaw([...start, 'X-Other: a', ` ${CERTIFICATE_HEADER}: ${own}`])

    expect([smuggled.status, spaced.status]).toEqual([400, 400])
    expect([400, 401]).toContain(folded.status)
    expect(smuggled.text.match(/HTTP\/1\.1 /g)).toHaveLength(1)
    expect((await client.get('/devices/gw-1')).statusCode).toBe(404)
  })
})

describe.skipIf(isMissing)('a TLS session that is taken up again', () => {
  let app: CertificateApp

  beforeAll(async () => {
    app = await startCertificateApp()
  })

  /** One request by openssl, which keeps its session in a file or takes up that of the file. */
  async function request(
    { workspaceId }: Client,
    deviceId: string,
    options: readonly string[],
  ): Promise<{ status: number; isReused: boolean }> {
    const at = ['-connect', `localhost:${app.port}`, '-CAfile', app.servers.certificate]
    const child = spawn('openssl', ['s_client', ...at, '-ign_eof', ...options], {
      stdio: ['pipe', 'pipe', 'ignore'],
    })
    const line = `POST /device/v1/${workspaceId}/${deviceId}/sync HTTP/1.1`
    child.stdin.write(`${line}\r\nHost: localhost\r\nConnection: close\r\n\r\n`)
    let text = ''
    child.stdout.on('data', (chunk: Buffer) => {
      text += chunk.toString()
    })
    await once(child, 'close')
    return {
      status: Number(/HTTP\/1\.1 (\d+)/.exec(text)?.[1] ?? 0),
      isReused: /^Reused, /m.test(text),
    }
  }

  for (const version of ['-tls1_2', '-tls1_3'])
    it(`is refused once its certificate was revoked or its issuer removed (${version.slice(1)})`, async () => {
      const client = await givenClient(app.test)
      const authority = givenAuthority()
      const issuer = await trust(app.test, client, { authority })
      await letDevicesRegister(app.test, client)
      const [revoked, orphaned] = [authority.issue('gw-1'), authority.issue('gw-2')]
      const change = { workspaceId: client.workspaceId, deviceIssuerId: issuer.id, actor: TESTER }
      const file = (deviceId: string) => join(folder, `${deviceId}${version}`)
      const begin = (deviceId: string, { certificate, key }: MadeCertificate) =>
        request(client, deviceId, [
          '-cert',
          certificate,
          '-key',
          key,
          version,
          '-sess_out',
          file(deviceId),
        ])
      // Without the certificate: what the session knows of its client is all there is.
      const resume = (deviceId: string) =>
        request(client, deviceId, [version, '-sess_in', file(deviceId)])
      const first = [await begin('gw-1', revoked), await begin('gw-2', orphaned)]
      const resumed = await resume('gw-1')

      await revokeCertificate(app.test.ctx, { ...change, serial: authority.serialOf(revoked) })
      const afterRevocation = await resume('gw-1')
      const otherAfterRevocation = await resume('gw-2')
      await deleteDeviceIssuer(app.test.ctx, change)
      const afterRemoval = await resume('gw-2')

      expect(first.map(({ status }) => status)).toEqual([200, 200])
      expect(resumed).toEqual({ status: 200, isReused: true })
      expect(afterRevocation).toEqual({ status: 401, isReused: true })
      expect(otherAfterRevocation).toEqual({ status: 200, isReused: true })
      expect(afterRemoval).toEqual({ status: 401, isReused: true })
    })
})
