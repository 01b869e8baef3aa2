/**
 * Debian's RAUC installs bundles by their address at the service, in a virtual machine with two slots: it reads them in ranges,
 * through NBD of the kernel, while it installs. Skipped where there is no such machine.
 */
import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import { Agent, request } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TLSSocket } from 'node:tls'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { buildApi } from '../src/api.ts'
import { createDeviceIssuer, revokeCertificate } from '../src/features/device-issuers/service.ts'
import { startTestApp, type TestApp } from './app.ts'
import { closeAtEndOfFile } from './end-of-file.ts'
import { type Client, givenClient } from './given.ts'
import { putArtifact } from './given-artifacts.ts'
import { givenAuthority, type MadeCertificate, type TestAuthority } from './given-certificates.ts'
import { givenOfferedUpdate, givenVersionWithArtifact } from './given-ddi.ts'
import { syncingDevice } from './given-device-sync.ts'
import { givenSigner } from './given-swu.ts'
import { hasHaproxy, startTlsHaproxy } from './haproxy.ts'
import { HOST, makeBundle, type RaucDevice, setUpRauc } from './given-rauc.ts'
import { findRaucMachine, type RaucMachine, startRaucMachine } from './rauc-machine.ts'
import { freePort } from './service-process.ts'

const SLOT_BYTES = 4 * 1024 * 1024
/** Of one device, which two programs at its address can use up in a test. */
const BYTES_PER_MINUTE = 120 * 1024 * 1024
const TESTER = { type: 'Operator', id: undefined, email: undefined, requestId: undefined } as const
const RSA = ['-newkey', 'rsa:2048']

interface Received {
  headers: IncomingHttpHeaders
  status: number
  bytes: number
}

const found = findRaucMachine()
const name = 'lacks' in found ? `skipped: ${found.lacks}` : 'in a virtual machine'

describe.skipIf('lacks' in found)(`RAUC, streaming (${name})`, () => {
  const folder = mkdtempSync(join(tmpdir(), 'plimsoll-rauc-'))
  const slots = { A: join(folder, 'slot-a'), B: join(folder, 'slot-b') }
  let test: TestApp
  let client: Client
  let machine: RaucMachine
  let device: RaucDevice
  /** What the last installation asked for. */
  let requests: Received[] = []
  /** Called when so many were asked for. */
  let onRequest: (count: number) => void
  let began = 0
  let authority: TestAuthority
  let recipient: MadeCertificate
  let issuerId: string
  /** Where the service ends TLS itself and asks devices for certificates. */
  let securePort: number
  let tls: { certificate: string; key: string }

  beforeAll(async () => {
    for (const slot of Object.values(slots)) writeFileSync(slot, Buffer.alloc(SLOT_BYTES))
    // It starts while the service does.
    const starting =
      'folder' in found ? startRaucMachine(found.folder, Object.values(slots)) : undefined
    const port = await freePort()
    test = await startTestApp({
      publicUrl: `http://${HOST}:${port}`,
      deviceDownloadBytesPerMinute: BYTES_PER_MINUTE,
    })
    client = await givenClient(test)
    await test.app.listen({ host: '127.0.0.1', port })
    test.app.server.on('request', record)
    const { certificate } = givenSigner(folder)
    authority = givenAuthority()
    recipient = authority.issue('recipient', { extensions: 'keyUsage=keyEncipherment', key: RSA })
    issuerId = await trust(client, authority)
    tls = givenTls()
    securePort = await startSecureDoor()
    if (starting) machine = await starting
    device = await setUpRauc(machine, {
      'keyring.pem': readFileSync(certificate, 'utf8'),
      'tls.pem': tls.certificate,
      'recipient-key.pem': readFileSync(recipient.key, 'utf8'),
    })
    await putIdentity(authority.issue('nobody'))
  })
  beforeEach(() => {
    onRequest = () => undefined
  })
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  function record({ headers }: IncomingMessage, response: ServerResponse): void {
    response.once('close', () => {
      const bytes = Number(response.getHeader('content-length'))
      requests.push({ headers, status: response.statusCode, bytes })
    })
    began += 1
    onRequest(began)
  }

  async function trust({ workspaceId }: Client, issuer: TestAuthority): Promise<string> {
    const proof = issuer.issue(`plimsoll-issuer-${workspaceId}`).pem
    const made = { workspaceId, name: 'Factory', certificate: issuer.pem, proof, actor: TESTER }
    return (await createDeviceIssuer(test.ctx, made)).id
  }

  async function startSecureDoor(): Promise<number> {
    const config = {
      ...test.ctx.config,
      tls: { ...tls, files: undefined },
      asksForCertificates: true,
    }
    const { doors } = test
    const options = { roles: ['gateway'], doors, showsDocs: false } as const
    const app = await buildApi({ ...test.ctx, config }, options)
    closeAtEndOfFile(() => {
      const closed = app.close()
      app.server.closeAllConnections()
      return closed
    })
    app.server.on('request', record)
    await app.listen({ host: '127.0.0.1', port: 0 })
    const address = app.server.address()
    return typeof address === 'object' && address ? address.port : 0
  }

  /** What RAUC shows the service from now on. */
  const putIdentity = ({ pem, key }: MadeCertificate) =>
    device.put({ 'device.pem': pem, 'device-key.pem': readFileSync(key, 'utf8') })

  async function install(url: string, options = '') {
    requests = []
    began = 0
    return device.install(url, options)
  }

  /** A certificate of the host, as the machine calls it. */
  function givenTls() {
    const [key, certificate] = [join(folder, 'tls-key.pem'), join(folder, 'tls.pem')]
    const made = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-subj', '/CN=plimsoll']
    const names = ['-days', '2', '-addext', `subjectAltName=IP:${HOST},IP:127.0.0.1`]
    const args = [...made, ...names, '-keyout', key, '-out', certificate]
    execFileSync('openssl', args, { stdio: 'pipe' })
    return { certificate: readFileSync(certificate, 'utf8'), key: readFileSync(key, 'utf8') }
  }

  const readBytes = () => requests.reduce((sum, { bytes }) => sum + bytes, 0)

  /** The slot that starts next, and whether A and B are good. */
  const readBoot = async () =>
    (await device.run('cd /var/lib/rauc; cat primary state-A state-B')).trim().split('\n')

  const bundleOf = (image: Buffer, format?: 'verity' | 'crypt') =>
    makeBundle({ folder, image, format, recipient: recipient.certificate })

  const givenVersion = (bundle: Buffer) =>
    givenVersionWithArtifact(test, client, { bytes: bundle, fileName: 'gateway.raucb' })

  async function givenAddress(bundle: Buffer) {
    const { firmwareVersionId } = await givenVersion(bundle)
    const path = `/firmware-versions/${firmwareVersionId}/artifact-addresses`
    const { id, url } = (await client.post(path, { days: 1 })).json<{ id: string; url: string }>()
    return { firmwareVersionId, path, id, url }
  }

  /** The image that the device starts from, with a few blocks of 4 KiB that are new. */
  function changed(image: Buffer): Buffer {
    const next = Buffer.from(image)
    for (let at = 0; at < next.length; at += SLOT_BYTES / 2) randomBytes(64).copy(next, at)
    return next
  }

  it('reads a whole bundle in ranges, and of the next one only the blocks that its slots lack', async () => {
    await device.startFrom('B')
    const first = randomBytes(SLOT_BYTES)
    const second = changed(first)
    const bundles = [bundleOf(first), bundleOf(second)] as const
    const [whole, adaptive] = [await givenAddress(bundles[0]), await givenAddress(bundles[1])]

    const installed = await install(whole.url)

    expect(installed).toMatchObject({ succeeded: true })
    expect(readFileSync(slots.A).equals(first)).toBe(true)
    expect(await readBoot()).toEqual(['A', 'good', 'good'])
    expect(readBytes()).toBeGreaterThan(SLOT_BYTES)
    expect(readBytes()).toBeLessThan(bundles[0].length * 1.1)
    expect([...new Set(requests.map(({ status }) => status))]).toEqual([206])
    for (const { headers } of requests) expect(headers.range).toMatch(/^bytes=\d+-\d+$/)
    // Of the first request alone: its name, and what it was told to send.
    const [initial] = requests.map(({ headers }) => headers)
    expect(initial?.range).toBe('bytes=0-3')
    expect(initial?.['user-agent']).toMatch(/^rauc\/1\.\d+$/)
    expect(initial?.['rauc-transaction-id']).toBeTypeOf('string')
    const uses = requests.length

    await device.startFrom('A')
    const next = await install(adaptive.url)

    expect(next).toMatchObject({ succeeded: true })
    expect(readFileSync(slots.B).equals(second)).toBe(true)
    expect(await readBoot()).toEqual(['B', 'good', 'good'])
    expect(readBytes()).toBeLessThan(bundles[1].length / 5)
    expect(requests.length).toBeLessThan(uses / 2)
    // Written a few seconds later.
    await expect
      .poll(async () => (await client.get(whole.path)).json<{ addresses: object[] }>().addresses)
      .toMatchObject([{ uses }])
  })

  it('installs what an update offers: by its link, and at the hawkBit door with the key in a header', async () => {
    await device.startFrom('A')
    const image = changed(readFileSync(slots.A))
    const { ddi } = await givenOfferedUpdate(test, client, [await givenVersion(bundleOf(image))])
    const { deviceId, deviceKey } = ddi
    const { workspaceId } = client
    const answer = await syncingDevice(test, { workspaceId, deviceId, deviceKey }).sync({})
    const { update } = answer.json<{ update: { artifacts: { url: string }[] } }>()
    const file = `${test.ctx.config.publicUrl}${ddi.base}/softwaremodules/100/artifacts/gateway.raucb`

    const byLink = await install(update.artifacts[0]?.url ?? '')
    const ofLink = readFileSync(slots.B).equals(image)
    await device.run('dd if=/dev/zero of=/dev/vdb bs=1M count=1 conv=fsync')
    const withKey = await install(file, `--http-header='Authorization: TargetToken ${deviceKey}'`)

    expect([byLink.succeeded, ofLink]).toEqual([true, true])
    expect(withKey).toMatchObject({ succeeded: true })
    expect(readFileSync(slots.B).equals(image)).toBe(true)
  })

  it('streams an encrypted bundle by the certificate of the device, with no key in the address, until it is revoked', async () => {
    await device.startFrom('A')
    const image = randomBytes(SLOT_BYTES)
    const { ddi } = await givenOfferedUpdate(test, client, [
      await givenVersion(bundleOf(image, 'crypt')),
    ])
    const certificate = authority.issue(ddi.deviceId)
    await putIdentity(certificate)
    const path = `${ddi.base}/softwaremodules/100/artifacts/gateway.raucb`
    const url = `https://${HOST}:${securePort}${path}`

    const installed = await install(url)
    const sent = requests

    expect(installed).toMatchObject({ succeeded: true })
    expect(readFileSync(slots.B).equals(image)).toBe(true)
    expect([...new Set(sent.map(({ status }) => status))]).toEqual([206])
    for (const { headers } of sent) expect(headers.authorization).toBeUndefined()

    const other = await givenClient(test)
    const strangers = givenAuthority()
    await trust(other, strangers)
    const stranger = strangers.issue(ddi.deviceId)
    expect(await ask(path)).toMatchObject({ status: 401 })
    expect(await ask(path, stranger)).toMatchObject({ status: 401 })
    // Those that keep a session of TLS, and those that keep the connection.
    const [sessions, connections] = [new Agent(), new Agent({ keepAlive: true, maxSockets: 1 })]
    closeAtEndOfFile(() => connections.destroy())
    const first = await ask(path, certificate, sessions)
    const kept = await ask(path, certificate, connections)
    expect([first, kept]).toMatchObject([
      { status: 206, isResumed: false },
      { status: 206, isResumed: false },
    ])

    const { workspaceId } = client
    const serial = authority.serialOf(certificate)
    const of = { workspaceId, deviceIssuerId: issuerId, serial, actor: TESTER }
    expect(await revokeCertificate(test.ctx, of)).toMatchObject({ seenCount: 1 })
    const refused = await install(url)

    expect(refused.succeeded).toBe(false)
    expect(refused.output).toContain('401')
    expect([...new Set(requests.map(({ status }) => status))]).toEqual([401])
    expect(await ask(path, certificate, sessions)).toMatchObject({ status: 401, isResumed: true })
    expect(await ask(path, certificate, connections)).toMatchObject({
      status: 401,
      port: kept.port,
    })
  })

  /** One byte of the file, asked for from here. */
  async function ask(
    path: string,
    shown?: MadeCertificate,
    agent = new Agent(),
  ): Promise<{ status: number | undefined; isResumed: boolean; port: number | undefined }> {
    const sent = request({
      host: '127.0.0.1',
      port: securePort,
      path,
      agent,
      ca: tls.certificate,
      headers: { range: 'bytes=0-0' },
      ...(shown && { cert: shown.pem, key: readFileSync(shown.key, 'utf8') }),
    }).end()
    const [answer] = (await once(sent, 'response')) as [IncomingMessage]
    const isResumed = (answer.socket as TLSSocket).isSessionReused()
    const port = answer.socket.localPort
    answer.resume()
    await once(answer, 'end')
    return { status: answer.statusCode, isResumed, port }
  }

  it('goes on slowly while others at its address take all bytes that it may have', async () => {
    await device.startFrom('A')
    const image = changed(readFileSync(slots.A))
    const { url } = await givenAddress(bundleOf(image))
    const over = new AbortController()
    const statuses = new Set<number>()
    let taken = 0
    const downloadAll = async () => {
      while (!over.signal.aborted) {
        const answer = await fetch(url.replace(HOST, '127.0.0.1'), { signal: over.signal })
        statuses.add(answer.status)
        for await (const chunk of answer.body ?? []) taken += (chunk as Uint8Array).length
      }
    }
    const others = Array.from({ length: 4 }, () => downloadAll().catch(() => undefined))
    await expect.poll(() => taken).toBeGreaterThan(BYTES_PER_MINUTE)

    const installed = await install(url)
    const ofRauc = requests.filter(({ headers }) => headers.range !== undefined)
    over.abort()
    await Promise.all(others)

    expect(installed).toMatchObject({ succeeded: true })
    expect(readFileSync(slots.B).equals(image)).toBe(true)
    expect([[...statuses], [...new Set(ofRauc.map(({ status }) => status))]]).toEqual([
      [200],
      [206],
    ])
  })

  it.skipIf(!hasHaproxy)(
    'installs through a proxy with TLS and HTTP/2, which it trusts by tls-ca (skipped without haproxy)',
    async () => {
      await device.startFrom('A')
      const image = changed(readFileSync(slots.B))
      const { url } = await givenAddress(bundleOf(image))
      const upstream = Number(new URL(test.ctx.config.publicUrl).port)
      const port = await startTlsHaproxy(folder, { upstream, ...tls })
      await device.run(': > /tmp/rauc.log')

      const installed = await install(url.replace(/^http:(.*):\d+/, `https:$1:${port}`))

      expect(installed).toMatchObject({ succeeded: true })
      expect(readFileSync(slots.B).equals(image)).toBe(true)
      const log = await device.run('cat /tmp/rauc.log')
      expect(log).toContain('the nbd server was started')
      expect(log).not.toContain('using HTTP/1')
    },
  )

  it.each(['revoked', 'replaced'])(
    'fails when the address is %s meanwhile, and its slot is not started',
    async (fault) => {
      await device.startFrom('A')
      await device.run('cd /var/lib/rauc; echo A > primary')
      const [bundle, other] = [bundleOf(randomBytes(SLOT_BYTES)), bundleOf(randomBytes(SLOT_BYTES))]
      const { url, path, id, firmwareVersionId } = await givenAddress(bundle)
      const change = () =>
        fault === 'revoked'
          ? client.delete(`${path}/${id}`)
          : putArtifact(test, client, { firmwareVersionId, bytes: other })
      let answer: Promise<number> | undefined
      onRequest = (count) => {
        if (count === 15) answer = machine.hold(async () => (await change()).statusCode)
      }

      const installed = await install(url)

      expect(await answer).toBe(fault === 'revoked' ? 204 : 200)
      expect(installed.succeeded).toBe(false)
      expect(installed.output).toMatch(/Failed updating slot rootfs\.1: .*Input\/output error/)
      expect(await readBoot()).toEqual(['A', 'good', 'bad'])
      expect(requests.some(({ status }) => status === 404)).toBe(fault === 'revoked')
    },
  )
})
