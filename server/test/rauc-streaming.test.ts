/**
 * Debian's RAUC installs bundles by their address at the service, in a virtual machine with two slots: it reads them in ranges,
 * through NBD of the kernel, while it installs. Skipped where there is no such machine.
 */
import { execFileSync, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { startTestApp, type TestApp } from './app.ts'
import { closeAtEndOfFile } from './end-of-file.ts'
import { type Client, givenClient } from './given.ts'
import { putArtifact } from './given-artifacts.ts'
import { givenOfferedUpdate, givenVersionWithArtifact } from './given-ddi.ts'
import { syncingDevice } from './given-device-sync.ts'
import { givenSigner } from './given-swu.ts'
import { hasHaproxy } from './haproxy.ts'
import { findRaucMachine, type RaucMachine, startRaucMachine } from './rauc-machine.ts'
import { freePort } from './service-process.ts'

const SLOT_BYTES = 8 * 1024 * 1024
const SYSTEM = `[system]
compatible=gateway
bootloader=custom
bundle-formats=verity
data-directory=/var/lib/rauc
[handlers]
bootloader-custom-backend=/etc/rauc/boot
[keyring]
path=/etc/rauc/keyring.pem
[streaming]
send-headers=boot-id;transaction-id
tls-ca=/etc/rauc/tls.pem
[slot.rootfs.0]
device=/dev/vda
type=raw
bootname=A
[slot.rootfs.1]
device=/dev/vdb
type=raw
bootname=B
`
/** A boot loader that is a folder: the slot to start, and of each slot whether it is good. */
const BOOT = `#!/bin/sh
cd /var/lib/rauc
case $1 in
  get-primary) cat primary ;;
  set-primary) echo "$2" > primary; echo good > "state-$2" ;;
  get-state) cat "state-$2" ;;
  set-state) echo "$3" > "state-$2" ;;
esac
`
const MANIFEST = `[update]
compatible=gateway
version=1
[bundle]
format=verity
[image.rootfs]
filename=rootfs.img
adaptive=block-hash-index
`

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
  /** What the last installation asked for. */
  let requests: Received[] = []
  /** Called when so many were asked for. */
  let onRequest: (count: number) => void
  let began = 0

  beforeAll(async () => {
    for (const slot of Object.values(slots)) writeFileSync(slot, Buffer.alloc(SLOT_BYTES))
    const port = await freePort()
    // As in the field: the limits hold. In the machine, this is the address of its host.
    test = await startTestApp({ publicUrl: `http://10.0.2.2:${port}` })
    client = await givenClient(test)
    await test.app.listen({ host: '127.0.0.1', port })
    test.app.server.on('request', record)
    const { certificate } = givenSigner(folder)
    if ('folder' in found) machine = await startRaucMachine(found.folder, Object.values(slots))
    const keyring = readFileSync(certificate)
    const files = {
      'system.conf': SYSTEM,
      boot: BOOT,
      'keyring.pem': keyring,
      'tls.pem': givenTls(),
    }
    for (const [file, text] of Object.entries(files))
      await run(
        `cat > /etc/rauc/${file} << 'END'\n${text.toString()}END\nchmod 755 /etc/rauc/${file}`,
      )
    await run('cd /var/lib/rauc; echo A > primary; echo good > state-A; echo bad > state-B')
    await boot('A')
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

  async function run(command: string): Promise<string> {
    const { status, output } = await machine.run(command)
    if (status !== 0) throw new Error(`${command}: ${status} ${output}`)
    return output
  }

  /** The device starts from this slot: its RAUC service begins anew. */
  async function boot(slot: 'A' | 'B'): Promise<void> {
    await run(`kill $(pidof rauc) 2> /dev/null; while pidof rauc; do sleep 0.1; done
rauc service --override-boot-slot=${slot} > /tmp/rauc.log 2>&1 &
for try in $(seq 200); do rauc status > /tmp/status 2>&1 && break; sleep 0.2; done
grep -q '^Booted from: .*(${slot})' /tmp/status || { cat /tmp/rauc.log /tmp/status; false; }`)
  }

  async function install(url: string, options = '') {
    requests = []
    began = 0
    const { status, output } = await machine.run(`rauc install ${options} '${url}'`)
    return { succeeded: status === 0, output }
  }

  /** A certificate of the host, as the machine calls it. */
  function givenTls(): Buffer {
    const [key, certificate] = [join(folder, 'tls-key.pem'), join(folder, 'tls.pem')]
    const request = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-subj', '/CN=plimsoll']
    const names = ['-days', '2', '-addext', 'subjectAltName=IP:10.0.2.2']
    const args = [...request, ...names, '-keyout', key, '-out', certificate]
    execFileSync('openssl', args, { stdio: 'pipe' })
    return readFileSync(certificate)
  }

  /** HAProxy before the service, with TLS and HTTP/2. */
  async function startProxy(): Promise<number> {
    const port = await freePort()
    const [pem, config] = [join(folder, 'proxy.pem'), join(folder, 'haproxy.cfg')]
    const parts = ['tls.pem', 'tls-key.pem'].map((part) => readFileSync(join(folder, part)))
    writeFileSync(pem, Buffer.concat(parts))
    writeFileSync(
      config,
      `defaults
  mode http
  timeout connect 1m
  timeout client 1m
  timeout server 1m
listen plimsoll
  bind 127.0.0.1:${port} ssl crt ${pem} alpn h2,http/1.1
  server api ${test.ctx.config.publicUrl.replace('http://10.0.2.2', '127.0.0.1')}
`,
    )
    const env = { PATH: `${process.env['PATH'] ?? ''}:/usr/sbin` }
    const child = spawn('haproxy', ['-db', '-f', config], { env, stdio: 'ignore' })
    closeAtEndOfFile(() => child.kill())
    return port
  }

  const readBytes = () => requests.reduce((sum, { bytes }) => sum + bytes, 0)

  /** The slot that starts next, and whether A and B are good. */
  const readBoot = async () =>
    (await run('cd /var/lib/rauc; cat primary state-A state-B')).trim().split('\n')

  function bundleOf(image: Buffer): Buffer {
    const [input, bundle] = [join(folder, 'input'), join(folder, 'bundle.raucb')]
    for (const path of [input, bundle]) rmSync(path, { recursive: true, force: true })
    mkdirSync(input)
    writeFileSync(join(input, 'rootfs.img'), image)
    writeFileSync(join(input, 'manifest.raucm'), MANIFEST)
    const keys = ['--cert', join(folder, 'signer.pem'), '--key', join(folder, 'signer-key.pem')]
    execFileSync('rauc', ['bundle', ...keys, input, bundle], { stdio: 'pipe' })
    return readFileSync(bundle)
  }

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
    for (let at = 0; at < next.length; at += SLOT_BYTES / 4) randomBytes(64).copy(next, at)
    return next
  }

  it('reads a whole bundle in ranges, and of the next one only the blocks that its slots lack', async () => {
    const first = randomBytes(SLOT_BYTES)
    const second = changed(first)
    const bundles = [bundleOf(first), bundleOf(second)] as const
    const [whole, adaptive] = [await givenAddress(bundles[0]), await givenAddress(bundles[1])]

    const installed = await install(whole.url)

    expect(installed).toMatchObject({ succeeded: true })
    expect(readFileSync(slots.B).equals(first)).toBe(true)
    expect(await readBoot()).toEqual(['B', 'good', 'good'])
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
    await expect
      .poll(async () => (await client.get(whole.path)).json<{ addresses: object[] }>().addresses)
      .toMatchObject([{ uses }])

    await boot('B')
    const next = await install(adaptive.url)

    expect(next).toMatchObject({ succeeded: true })
    expect(readFileSync(slots.A).equals(second)).toBe(true)
    expect(await readBoot()).toEqual(['A', 'good', 'good'])
    expect(readBytes()).toBeLessThan(bundles[1].length / 5)
    expect(requests.length).toBeLessThan(uses / 2)
    await boot('A')
  })

  it('installs what an update offers: by its link, and at the hawkBit door with the key in a header', async () => {
    const image = changed(readFileSync(slots.A))
    const { ddi } = await givenOfferedUpdate(test, client, [await givenVersion(bundleOf(image))])
    const { deviceId, deviceKey } = ddi
    const { workspaceId } = client
    const answer = await syncingDevice(test, { workspaceId, deviceId, deviceKey }).sync({})
    const { update } = answer.json<{ update: { artifacts: { url: string }[] } }>()
    const file = `${test.ctx.config.publicUrl}${ddi.base}/softwaremodules/100/artifacts/gateway.raucb`

    const byLink = await install(update.artifacts[0]?.url ?? '')
    const ofLink = readFileSync(slots.B).equals(image)
    await run('dd if=/dev/zero of=/dev/vdb bs=1M count=1 conv=fsync')
    const withoutKey = await install(file)
    const withKey = await install(file, `--http-header='Authorization: TargetToken ${deviceKey}'`)

    expect([byLink.succeeded, ofLink]).toEqual([true, true])
    expect(withoutKey.succeeded).toBe(false)
    expect(withoutKey.output).toContain('401')
    expect(withKey).toMatchObject({ succeeded: true })
    expect(readFileSync(slots.B).equals(image)).toBe(true)
  })

  it.skipIf(!hasHaproxy)(
    'installs through a proxy with TLS and HTTP/2, which it trusts by tls-ca (skipped without haproxy)',
    async () => {
      const image = changed(readFileSync(slots.B))
      const { url } = await givenAddress(bundleOf(image))
      const port = await startProxy()
      await run(': > /tmp/rauc.log')

      const installed = await install(url.replace(/^http:(.*):\d+/, `https:$1:${port}`))

      expect(installed).toMatchObject({ succeeded: true })
      expect(readFileSync(slots.B).equals(image)).toBe(true)
      const log = await run('cat /tmp/rauc.log')
      expect(log).toContain('the nbd server was started')
      expect(log).not.toContain('using HTTP/1')
    },
  )

  it.each(['revoked', 'replaced'])(
    'fails when the address is %s meanwhile, and its slot is not started',
    async (fault) => {
      await run('cd /var/lib/rauc; echo A > primary')
      const [bundle, other] = [bundleOf(randomBytes(SLOT_BYTES)), bundleOf(randomBytes(SLOT_BYTES))]
      const { url, path, id, firmwareVersionId } = await givenAddress(bundle)
      const change = () =>
        fault === 'revoked'
          ? client.delete(`${path}/${id}`)
          : putArtifact(test, client, { firmwareVersionId, bytes: other })
      let answer: Promise<number> | undefined
      onRequest = (count) => {
        if (count === 25) answer = machine.hold(async () => (await change()).statusCode)
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
