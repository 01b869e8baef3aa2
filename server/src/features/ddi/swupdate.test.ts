/** Debian's unmodified swupdate in its hawkBit mode: polling, download, installation and feedback. */
import { execFileSync, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../test/app.ts'
import { type Client, givenClient } from '../../../test/given.ts'
import {
  deploy,
  givenDdiDevice,
  givenDeviceKey,
  givenOfferedUpdate,
  givenVersionWithArtifact,
  runningOf,
  updateOf,
} from '../../../test/given-ddi.ts'
import { givenSigner, type Signer, swuOf } from '../../../test/given-swu.ts'
import { freePort } from '../../../test/service-process.ts'

function isInstalled(): boolean {
  try {
    // Fails because no key is given, or prints its version.
    execFileSync('sh', ['-c', 'command -v swupdate && command -v openssl'], { stdio: 'pipe' })
    return true
  } catch {
    return false
  }
}

const installed = isInstalled()
if (!installed && process.env['PLIMSOLL_REQUIRE_SERVICES'] === '1')
  throw new Error('PLIMSOLL_REQUIRE_SERVICES is set, and swupdate or openssl is missing')

const folder = mkdtempSync(join(tmpdir(), 'plimsoll-swupdate-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** What a boot loader would tell SWUpdate about the image that it started. */
const STATES = { success: 2, failure: 3 }

/** It may have ended a moment ago, which Node tells a moment later. */
function endGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

/** The configuration of docs/guide/hawkbit.md with other values. */
function guideConfig(values: Readonly<Record<string, string>>): string {
  const path = join(import.meta.dirname, '../../../../docs/guide/hawkbit.md')
  const [, config = ''] = /^```\n(globals:.*?)^```$/ms.exec(readFileSync(path, 'utf8')) ?? []
  return Object.entries(values).reduce(
    (text, [name, value]) => text.replace(new RegExp(`(\\b${name} *= )"[^"]*"`), `$1"${value}"`),
    config,
  )
}

/** What the file of the guide calls the version. */
const [, GUIDE_ATTRIBUTE = ''] = /identify: [^\n]*name = "([^"]*)"/.exec(guideConfig({})) ?? []

interface Device {
  workspaceId: string
  deviceId: string
  deviceKey: string
  /** What its image calls itself; undefined: it tells nobody. */
  version?: string
  /** The attribute that has it: that of the guide, if left out. */
  attribute?: string
  /** The hash of the image that runs, as it says it. */
  imageHash?: string
}

/** The attribute that reports the firmware which the deployment installs. */
const OF_DEPLOYMENT = { attribute: 'version' }

/** Of one device: more than an update needs here, and little enough to be used up. */
const BYTES_PER_MINUTE = 8 * 1024 * 1024

interface Boot {
  confirm?: 'success' | 'failure'
  token?: 'targettoken' | 'gatewaytoken'
  done: () => Promise<boolean>
}

describe.skipIf(!installed)('swupdate', () => {
  let test: TestApp
  let client: Client
  let signer: Signer
  let url: string
  let line: Line

  afterAll(() => line.close())

  beforeAll(async () => {
    const port = await freePort()
    line = await openLine(port)
    url = `http://127.0.0.1:${line.port}`
    test = await startTestApp({
      publicUrl: url,
      deviceRequestsPerMinute: 0,
      deviceDownloadBytesPerMinute: BYTES_PER_MINUTE,
    })
    client = await givenClient(test)
    // SWUpdate takes its polling interval from the service.
    await test.ctx.db
      .updateTable('workspaces')
      .set({ devicePollingSeconds: 1, deviceAutoRegistration: true })
      .where('id', '=', client.workspaceId)
      .execute()
    await test.app.listen({ host: '127.0.0.1', port })
    signer = givenSigner(folder)
  })

  /** Runs it as at one boot of the device, until `done`; its log when that does not come. */
  async function boot(
    { workspaceId, deviceId, deviceKey, version, attribute = GUIDE_ATTRIBUTE, imageHash }: Device,
    { confirm, token = 'targettoken', done }: Boot,
  ): Promise<void> {
    const home = mkdtempSync(join(folder, 'boot-'))
    const identity = version === undefined ? ['board', 'test'] : [attribute, version]
    const config = guideConfig({
      'public-key-file': signer.certificate,
      url,
      tenant: workspaceId,
      id: deviceId,
      targettoken: deviceKey,
      name: identity[0] ?? '',
      value: identity[1] ?? '',
    })
      .replace('targettoken', token)
      .replace(/retrywait +=.*/, 'retrywait = "1";')
      .replace(/^identify: \((.*)\);/m, (all, first: string) =>
        imageHash === undefined
          ? all
          : `identify: (${first}, { name = "imageHash"; value = "${imageHash}"; } );`,
      )
      // Before the service tells it an interval, it waits 45 seconds after a request that failed.
      .replace('suricatta: {', 'suricatta: { polldelay = 1;')
    writeFileSync(join(home, 'swupdate.cfg'), config)
    const child = spawn(
      'swupdate',
      ['-f', 'swupdate.cfg', '-H', 'test:1.0', '-u', confirm ? `-c ${STATES[confirm]}` : ''],
      {
        cwd: home,
        env: { ...process.env, TMPDIR: home },
        stdio: ['ignore', 'pipe', 'pipe'],
        detached: true,
      },
    )
    let log = ''
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => {
        log += chunk.toString()
      })
    try {
      await expect.poll(done, { interval: 200 }).toBe(true)
    } catch (error) {
      const said = log.split('\n').filter((one) => !one.includes('[print_registered_handlers]'))
      const end = child.exitCode ?? child.signalCode ?? 'it ran on'
      throw new Error(`swupdate did not get there (${end}):\n${said.slice(-40).join('\n')}`, {
        cause: error,
      })
    } finally {
      // SWUpdate starts child processes, so the whole group is ended.
      const ended = once(child, 'exit')
      if (child.pid !== undefined && child.exitCode === null && child.signalCode === null) {
        endGroup(child.pid)
        await ended
      }
    }
  }

  async function givenImage(content: Buffer, by = signer) {
    const target = join(folder, crypto.randomUUID(), 'firmware.bin')
    const bytes = swuOf(folder, by, { version: '2.0.0', target, content })
    const version = await givenVersionWithArtifact(test, client, { bytes })
    return { target, version }
  }

  /** A part of it may have been written. */
  const isWhole = (target: string, content: Buffer) =>
    existsSync(target) && readFileSync(target).equals(content)

  it('installs an update, and succeeds when the new version runs', async () => {
    const { workspaceId } = client
    const content = Buffer.from('new firmware '.repeat(50_000))
    const { target, version } = await givenImage(content)
    const { ddi } = await givenOfferedUpdate(test, client, [version])
    const device = { workspaceId, deviceId: ddi.deviceId, deviceKey: ddi.deviceKey }
    const update = () => updateOf(test, workspaceId, ddi.deviceId)

    await boot(
      { ...device, ...OF_DEPLOYMENT, version: '1.0.0' },
      { done: async () => isWhole(target, content) && (await update()).state === 'inProgress' },
    )

    expect(readFileSync(target).equals(content)).toBe(true)
    expect(await runningOf(test, workspaceId, ddi.deviceId)).toMatchObject([
      { slug: version.slug, version: '1.0.0' },
    ])

    await boot(
      { ...device, ...OF_DEPLOYMENT, version: '2.0.0' },
      { confirm: 'success', done: async () => (await update()).state === 'succeeded' },
    )

    expect(await update()).toMatchObject({ state: 'succeeded', unconfirmed: false })
    expect(await runningOf(test, workspaceId, ddi.deviceId)).toMatchObject([
      { slug: version.slug, version: '2.0.0', confirmed: true },
    ])
  })

  it('says of which firmware its version is, as the file of the guide does', async () => {
    const { workspaceId } = client
    for (const slug of ['gateway', 'radio'])
      await client.post('/firmwares', { slug, name: `The ${slug}` })
    const { deviceId, deviceKey } = await givenDdiDevice(test, client)
    const device = { workspaceId, deviceId, deviceKey, version: '2.4.1' }
    const shown = async () =>
      (await client.get(`/devices/${deviceId}`)).json<{
        firmware: { slug: string; version: string }[]
        unnamedVersion: object | null
      }>()

    await boot(
      { ...device, attribute: 'version' },
      { done: async () => (await shown()).unnamedVersion !== null },
    )
    const unnamed = await shown()
    // The service asks again once a day.
    await test.ctx.db
      .updateTable('ddiDevices')
      .set({ attributesWanted: true })
      .where('deviceId', '=', deviceId)
      .execute()
    await boot(device, { done: async () => (await shown()).firmware.length > 0 })

    expect(unnamed).toMatchObject({
      firmware: [],
      unnamedVersion: { attribute: 'version', version: '2.4.1' },
    })
    expect(await shown()).toMatchObject({
      firmware: [{ slug: 'gateway', version: '2.4.1' }],
      unnamedVersion: null,
    })
  })

  it('proves by an attribute which image runs, and is a blind spot with that of another', async () => {
    const { workspaceId } = client
    const version = await givenVersionWithArtifact(test, client, { slug: 'prover' })
    const { deviceId, deviceKey } = await givenDdiDevice(test, client)
    const running = { version: version.version, attribute: 'firmware.prover' }
    const device = { workspaceId, deviceId, deviceKey, ...running }
    const shown = async () =>
      (await client.get(`/devices/${deviceId}`)).json<{
        firmware: { isBlindSpot: boolean; image: { state: string } }[]
      }>().firmware[0]
    const hash = createHash('sha256').update(version.bytes).digest('hex')

    await boot(
      { ...device, imageHash: `sha256:${hash.toUpperCase()}` },
      { done: async () => (await shown())?.image.state === 'Proved' },
    )
    // The service asks again once a day.
    await test.ctx.db
      .updateTable('ddiDevices')
      .set({ attributesWanted: true })
      .where('deviceId', '=', deviceId)
      .execute()
    await boot(
      { ...device, imageHash: hash.replaceAll(/[0-9]/g, 'a') },
      { done: async () => (await shown())?.image.state === 'UnknownImage' },
    )

    expect((await shown())?.isBlindSpot).toBe(true)
  })

  it('registers itself with the key of the fleet, goes on after a broken download, and is taken at its word', async () => {
    const { workspaceId } = client
    const content = Buffer.from(Array.from({ length: 3_000_000 }, (_, index) => (index * 7) % 251))
    const { target, version } = await givenImage(content)
    const deviceId = `fleet-${crypto.randomUUID()}`
    const device = { workspaceId, deviceId, deviceKey: await givenDeviceKey(test, workspaceId) }
    const isThere = async () => (await client.get(`/devices/${deviceId}`)).statusCode === 200
    await boot(device, { token: 'gatewaytoken', done: isThere })
    const cohort = await client.post('/deployment-cohorts', { name: deviceId })
    const { id: cohortId } = cohort.json<{ id: string }>()
    await client.put(`/deployment-cohorts/${cohortId}/devices`, { deviceIds: [deviceId] })
    await deploy(client, cohortId, { versions: [version] })
    const update = () => updateOf(test, workspaceId, deviceId)
    line.breakAfter(1_000_000)

    await boot(device, {
      token: 'gatewaytoken',
      done: async () => isWhole(target, content) && (await update()).state === 'inProgress',
    })
    await boot(device, {
      token: 'gatewaytoken',
      confirm: 'success',
      done: async () => (await update()).state === 'succeeded',
    })

    expect(line.breaks()).toBe(1)
    expect(readFileSync(target).equals(content)).toBe(true)
    expect(await update()).toMatchObject({ state: 'succeeded', unconfirmed: true })
    expect(await runningOf(test, workspaceId, deviceId)).toMatchObject([
      { slug: version.slug, version: '2.0.0', confirmed: false },
    ])
  })

  it('ends an update at the first 429, whatever Retry-After says', async () => {
    const { workspaceId } = client
    const { target, version } = await givenImage(Buffer.from('new firmware'))
    const { ddi } = await givenOfferedUpdate(test, client, [version])
    const device = { workspaceId, deviceId: ddi.deviceId, deviceKey: ddi.deviceKey }
    const update = () => updateOf(test, workspaceId, ddi.deviceId)
    const file = `http://127.0.0.1:${line.service}${ddi.base}/softwaremodules/100/artifacts/${encodeURIComponent(version.fileName)}`
    const headers = { authorization: `TargetToken ${ddi.deviceKey}` }
    await ddi.poll()
    // So many of its own downloads are under way that the service has to refuse the next one.
    const over = new AbortController()
    const others = Array.from({ length: 120 }, () => fetch(file, { headers, signal: over.signal }))
    const statuses = (await Promise.all(others)).map(({ status }) => status)
    const next = await fetch(file, { method: 'HEAD', headers })

    await boot(device, { done: async () => (await update()).state === 'failed' })
    over.abort()

    expect(statuses).toContain(200)
    expect([next.status, next.headers.get('retry-after')]).toEqual([429, '10'])
    expect((await update()).reason).toMatch(/429/)
    expect(existsSync(target)).toBe(false)
  })

  it('says why it does not install an image that somebody else signed', async () => {
    const { workspaceId } = client
    const elsewhere = mkdtempSync(join(folder, 'other-'))
    const { target, version } = await givenImage(Buffer.from('evil'), givenSigner(elsewhere))
    const { ddi } = await givenOfferedUpdate(test, client, [version])
    const device = { workspaceId, deviceId: ddi.deviceId, deviceKey: ddi.deviceKey }
    const update = () => updateOf(test, workspaceId, ddi.deviceId)

    await boot(device, { done: async () => (await update()).state === 'failed' })

    expect((await update()).reason).toMatch(/signature|corrupted|compatible SW not found/i)
    expect(existsSync(target)).toBe(false)
  })

  it('stops what was cancelled', async () => {
    const { workspaceId } = client
    const { version } = await givenImage(Buffer.from('new firmware'))
    const given = await givenOfferedUpdate(test, client, [version])
    const { ddi, cohortId, deploymentId } = given
    const device = { workspaceId, deviceId: ddi.deviceId, deviceKey: ddi.deviceKey }
    await ddi.poll()
    await client.post(`/deployment-cohorts/${cohortId}/deployments/${deploymentId}/cancel`)
    const isTold = async () => (await ddi.poll())._links['cancelAction'] !== undefined
    expect(await isTold()).toBe(true)

    await boot(device, { done: async () => !(await isTold()) })

    expect(await updateOf(test, workspaceId, ddi.deviceId)).toMatchObject({ state: 'cancelled' })
  })
})

interface Line {
  port: number
  /** Of the service, behind it. */
  service: number
  /** Once, when so many bytes went to the client on one connection. */
  breakAfter: (bytes: number) => void
  breaks: () => number
  close: () => void
}

/** An unreliable network between device and service. */
async function openLine(service: number): Promise<Line> {
  let [limit, broken] = [Infinity, 0]
  const server = createServer((device) => {
    const upstream = connect(service, '127.0.0.1')
    let bytes = 0
    upstream.on('data', (chunk) => {
      bytes += chunk.length
      if (bytes < limit) return
      ;[limit, broken] = [Infinity, broken + 1]
      device.destroy()
      upstream.destroy()
    })
    for (const socket of [device, upstream]) socket.on('error', () => socket.destroy())
    device.pipe(upstream).pipe(device)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  return {
    port: typeof address === 'object' && address ? address.port : 0,
    service,
    breakAfter: (after) => {
      limit = after
    },
    breaks: () => broken,
    close: () => server.close(),
  }
}
