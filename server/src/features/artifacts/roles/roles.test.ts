import { createHash, generateKeyPairSync, randomBytes } from 'node:crypto'
import { beforeAll, describe, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../../test/app.ts'
import { readByteRanges } from '../../../../test/byteranges.ts'
import { closeAtEndOfFile } from '../../../../test/end-of-file.ts'
import { type Client, givenClient, givenFirmwareVersion } from '../../../../test/given.ts'
import { putArtifact } from '../../../../test/given-artifacts.ts'
import {
  ddiClient,
  deploy,
  type DdiClient,
  givenDdiDevice,
  givenVersionWithArtifact,
  type VersionWithArtifact,
} from '../../../../test/given-ddi.ts'
import { syncingDevice } from '../../../../test/given-device-sync.ts'
import { makeMcubootImage } from '../../../../test/given-mcuboot.ts'
import { hasS3Server, startS3Server } from '../../../../test/s3-server.ts'
import { sweepArtifactFiles } from '../sweep-service.ts'

let test: TestApp
let client: Client
beforeAll(async () => {
  test = await startTestApp({ publicUrl: 'https://plimsoll.example', deviceRequestsPerMinute: 0 })
  client = await givenClient(test)
})

const of = ({ firmwareVersionId }: VersionWithArtifact) =>
  `/firmware-versions/${firmwareVersionId}/artifacts`

interface Sent {
  role: string
  base?: VersionWithArtifact
  bytes?: Buffer
  fileName?: string
}

function put(version: VersionWithArtifact, sent: Sent, { workspaceId, apiKey } = client) {
  const { role, base, bytes = randomBytes(1000), fileName } = sent
  return test.app.inject({
    method: 'PUT',
    url: `/workspaces/${workspaceId}${of(version)}/${role}`,
    query: {
      ...(base && { baseVersionId: base.firmwareVersionId }),
      ...(fileName !== undefined && { fileName }),
    },
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/octet-stream' },
    payload: bytes,
  })
}

/** A firmware with three versions, of which 3.0 has deltas from both others and a boot loader. */
async function givenVersions() {
  const slug = `fw-${crypto.randomUUID()}`
  const given = (version: string) =>
    givenVersionWithArtifact(test, client, { slug, version, fileName: `${version}.bin` })
  const [first, second, third] = [await given('1.0'), await given('2.0'), await given('3.0')]
  const [small, boot] = [randomBytes(500), randomBytes(700)]
  for (const sent of [
    { role: 'delta', base: first, fileName: 'from-1.bin' },
    { role: 'delta', base: second, bytes: small, fileName: 'from-2.bin' },
    { role: 'bootloader', bytes: boot, fileName: 'boot.bin' },
  ])
    expect((await put(third, sent)).statusCode).toBe(201)
  return { slug, first, second, third, small, boot }
}

const problem = (slug: string) => ({ type: `/problems/${slug}` })

describe('further artifacts of a version', () => {
  it('are listed behind the full image, with role, base, size and digest', async () => {
    const { third, boot } = await givenVersions()

    const { isDeployed, artifacts } = (await client.get(of(third))).json<{
      isDeployed: boolean
      artifacts: { role: string; baseVersion: string | null; sizeBytes: number }[]
    }>()

    expect(isDeployed).toBe(false)
    expect(artifacts.map(({ role, baseVersion }) => [role, baseVersion])).toEqual([
      ['image', null],
      ['bootloader', null],
      ['delta', '1.0'],
      ['delta', '2.0'],
    ])
    expect(artifacts[1]).toMatchObject({ fileName: 'boot.bin', sizeBytes: boot.length })
  })

  it('download in ranges, count as stored bytes, and are deleted with what they took', async () => {
    const { third, second, small } = await givenVersions()
    const used = async () => {
      const row = await test.ctx.db
        .selectFrom('workspaceUsage')
        .select('used')
        .where('workspaceId', '=', client.workspaceId)
        .where('quota', '=', 'storedBytes')
        .executeTakeFirstOrThrow()
      return row.used
    }
    const delta = `${of(third)}/delta`
    const base = `?baseVersionId=${second.firmwareVersionId}`
    const before = await used()

    const { rawPayload } = await client.get(`${delta}/content${base}`)
    const deleted = await client.delete(`${delta}${base}`)

    expect(rawPayload.equals(small)).toBe(true)
    expect(deleted.statusCode).toBe(204)
    expect(before - (await used())).toBe(small.length)
    expect((await client.get(`${delta}/content${base}`)).json()).toMatchObject(
      problem('artifact-not-found'),
    )
  })

  it('arrive in parts side by side, each file of the version by itself', async () => {
    const { first, second, third } = await givenVersions()
    const files = [
      { role: 'rootfs', bytes: randomBytes(2_000), query: {} },
      {
        role: 'delta',
        bytes: randomBytes(2_000),
        query: { baseVersionId: first.firmwareVersionId },
      },
      {
        role: 'delta',
        bytes: randomBytes(2_000),
        query: { baseVersionId: second.firmwareVersionId },
      },
    ]
    const send = ({ role, bytes, query }: (typeof files)[number], start: number, uploadId = '') =>
      test.app.inject({
        method: 'PUT',
        url: `/workspaces/${client.workspaceId}${of(third)}/${role}`,
        query: { ...query, ...(uploadId !== '' && { uploadId }) },
        headers: {
          authorization: `Bearer ${client.apiKey}`,
          'content-type': 'application/octet-stream',
          'content-range': `bytes ${start}-${start + 999}/2000`,
        },
        payload: bytes.subarray(start, start + 1_000),
      })

    const begun = []
    for (const file of files) begun.push(await send(file, 0))
    const ids = begun.map((answer) => answer.json<{ uploadId: string }>().uploadId)
    const listUnfinished = async () =>
      (await client.get(of(third))).json<{
        uploads: { uploadId: string; role: string; baseVersion: string | null }[]
      }>().uploads
    const unfinished = await listUnfinished()
    const ended = []
    for (const [index, file] of files.entries()) ended.push(await send(file, 1_000, ids[index]))

    expect(begun.map(({ statusCode }) => statusCode)).toEqual([202, 202, 202])
    expect(new Set(ids).size).toBe(3)
    expect(new Set(unfinished.map(({ uploadId }) => uploadId))).toEqual(new Set(ids))
    expect(unfinished.map(({ role, baseVersion }) => `${role} ${baseVersion}`).toSorted()).toEqual([
      'delta 1.0',
      'delta 2.0',
      'rootfs null',
    ])
    expect(unfinished[0]).toMatchObject({ receivedBytes: 1_000, totalBytes: 2_000 })
    expect(await listUnfinished()).toEqual([])
    // The boot loader and the deltas were there before.
    expect(ended.map(({ statusCode }) => statusCode)).toEqual([201, 200, 200])
    for (const { role, bytes, query } of files) {
      const search = new URLSearchParams(query).toString()
      const { rawPayload } = await client.get(`${of(third)}/${role}/content?${search}`)
      expect(rawPayload.equals(bytes)).toBe(true)
    }
  })

  it('count the devices that are offered each, and those that run what a delta begins with', async () => {
    const { slug, third } = await givenVersions()
    const path = `/firmware-versions/${third.firmwareVersionId}/artifact-offers`
    const counts = async () => {
      const { artifacts } = (await client.get(path)).json<{ artifacts: ArtifactCount[] }>()
      return artifacts.map((one) => [one.role, one.baseDeviceCount, one.offeredDeviceCount])
    }
    const cohort = await client.post('/deployment-cohorts', { name: crypto.randomUUID() })
    const { id } = cohort.json<{ id: string }>()
    const deviceIds = []
    for (const version of ['1.0', '2.0', '2.0', '2.0-rc1']) {
      const ddi = await givenDdiDevice(test, client)
      const device = syncingDevice(test, { ...client, ...ddi })
      await device.sync({ session: { runId: 'r1', firmware: [{ slug, version }] } })
      deviceIds.push(ddi.deviceId)
    }
    await client.put(`/deployment-cohorts/${id}/devices`, { deviceIds })

    const before = await counts()
    await deploy(client, id, { versions: [third] })
    const during = await counts()
    const other = await givenClient(test)

    expect(before).toEqual([
      ['image', null, 0],
      ['bootloader', null, 0],
      ['delta', 1, 0],
      ['delta', 2, 0],
    ])
    expect(during).toEqual([
      ['image', null, 1],
      ['bootloader', null, 4],
      ['delta', 1, 1],
      ['delta', 2, 2],
    ])
    expect((await other.get(path)).statusCode).toBe(404)
  })

  it('keep their files when left-overs are swept', async () => {
    const { third, boot } = await givenVersions()

    await sweepArtifactFiles(test.ctx, new Date(Date.now() + 60_000))

    const { rawPayload } = await client.get(`${of(third)}/bootloader/content`)
    expect(rawPayload.equals(boot)).toBe(true)
  })

  it('replace one another until a deployment holds the version', async () => {
    const { first, second, third } = await givenVersions()
    const again = await put(third, { role: 'bootloader', fileName: 'boot.bin' })
    const cohort = await client.post('/deployment-cohorts', { name: crypto.randomUUID() })
    await deploy(client, cohort.json<{ id: string }>().id, { versions: [third] })

    const late = await put(third, { role: 'bootloader' })
    const added = await put(third, { role: 'rootfs' })
    const removed = await client.delete(
      `${of(third)}/delta?baseVersionId=${first.firmwareVersionId}`,
    )

    expect(again.statusCode).toBe(200)
    for (const refused of [late, added, removed]) {
      expect(refused.statusCode).toBe(409)
      expect(refused.json()).toMatchObject(problem('artifact-deployed'))
    }
    expect((await put(second, { role: 'bootloader' })).statusCode).toBe(201)
  })

  it('are refused where they make no sense, and unknown to others', async () => {
    const { first, third } = await givenVersions()
    const stranger = await givenVersionWithArtifact(test, client)
    const other = await givenClient(test)

    const refused = [
      await put(third, { role: 'delta' }),
      await put(third, { role: 'delta', base: third }),
      await put(third, { role: 'delta', base: stranger }),
      await put(third, { role: 'rootfs', base: first }),
      await put(third, { role: 'image' }),
      await put(third, { role: 'Root FS' }),
      await put(third, { role: 'rootfs', bytes: Buffer.alloc(0) }),
    ]
    for (const role of ['rootfs', 'kernel', 'splash']) await put(third, { role })
    const fifth = await put(third, { role: 'modem' })

    expect(refused.map(({ statusCode }) => statusCode)).toEqual([400, 400, 400, 400, 400, 400, 400])
    expect([fifth.statusCode, fifth.json()]).toMatchObject([
      409,
      problem('artifact-too-many-parts'),
    ])
    expect((await other.get(of(third))).statusCode).toBe(404)
    expect((await put(third, { role: 'rootfs' }, other)).statusCode).toBe(404)
    expect((await other.get(`${of(third)}/bootloader/content`)).statusCode).toBe(404)
  })
})

describe('a delta that is added once its version is deployed', () => {
  it('is offered by deployments that are made from then on, and can change until one is', async () => {
    const { slug, third } = await givenVersions()
    const base = await givenVersionWithArtifact(test, client, { slug, version: '2.5' })
    const delta = `${of(third)}/delta?baseVersionId=${base.firmwareVersionId}`
    const [early, late] = [await givenRunning(slug, '2.5'), await givenRunning(slug, '2.5')]
    const sent = { role: 'delta', base, fileName: 'from-2.5.bin' }
    const isHeld = async () =>
      (await client.get(of(third)))
        .json<{ artifacts: { baseVersion: string | null; isDeployed: boolean }[] }>()
        .artifacts.find(({ baseVersion }) => baseVersion === '2.5')?.isDeployed
    await givenOffer(third, early.ddi)
    const whole = await early.offered()

    const added = await put(third, sent)
    const deleted = await client.delete(delta)
    const again = await put(third, sent)
    const smaller = await put(third, { ...sent, bytes: randomBytes(300) })

    expect([added.statusCode, deleted.statusCode]).toEqual([201, 204])
    expect([again.statusCode, smaller.statusCode]).toEqual([201, 200])
    expect(smaller.json()).toMatchObject({ isDeployed: false })
    expect(await isHeld()).toBe(false)
    expect(await early.offered()).toEqual(whole)
    expect((await readOffer(early.ddi)).artifacts[0]).toMatchObject({
      role: 'image',
      fileName: '3.0.bin',
      reason: 'DeployedBefore',
    })
    expect((await readOffer(late.ddi, third)).artifacts[0]).toMatchObject({ reason: 'RunsBase' })

    await givenOffer(third, late.ddi)
    const refused = [await put(third, sent), await client.delete(delta)]

    expect((await late.offered())[0]).toMatchObject({
      role: 'delta',
      baseVersion: '2.5',
      size: 300,
    })
    expect(await early.offered()).toEqual(whole)
    expect(await isHeld()).toBe(true)
    for (const answer of refused) expect(answer.json()).toMatchObject(problem('artifact-deployed'))
    const { artifacts } = (
      await client.get(`/firmware-versions/${third.firmwareVersionId}/artifact-offers`)
    ).json<{ artifacts: ArtifactCount[] }>()
    expect(artifacts.map((one) => [one.role, one.baseDeviceCount, one.offeredDeviceCount])).toEqual(
      [
        ['image', null, 1],
        ['bootloader', null, 2],
        ['delta', 0, 0],
        ['delta', 0, 0],
        ['delta', 2, 1],
      ],
    )
  })

  it('is not taken by a deployment of a node whose clock is ahead', async () => {
    const { slug, third } = await givenVersions()
    const base = await givenVersionWithArtifact(test, client, { slug, version: '2.5' })
    const { ddi, offered } = await givenRunning(slug, '2.5')
    await givenOffer(third, ddi)
    await test.ctx.db
      .updateTable('deployments')
      .set({ createdAt: new Date(Date.now() + 60_000) })
      .where('workspaceId', '=', client.workspaceId)
      .execute()

    const added = await put(third, { role: 'delta', base })

    expect(added.statusCode).toBe(201)
    expect((await offered())[0]?.role).toBeUndefined()
  })
})

interface ArtifactCount {
  role: string
  baseDeviceCount: number | null
  offeredDeviceCount: number
}

interface Offered {
  order: number
  role?: string
  baseVersion?: string
  url: string
  size: number
}

async function givenOffer(third: VersionWithArtifact, ddi: DdiClient): Promise<string> {
  const cohort = await client.post('/deployment-cohorts', { name: crypto.randomUUID() })
  const { id } = cohort.json<{ id: string }>()
  await client.put(`/deployment-cohorts/${id}/devices`, { deviceIds: [ddi.deviceId] })
  await deploy(client, id, { versions: [third] })
  return id
}

async function givenRunning(slug: string, version?: string) {
  const ddi = await givenDdiDevice(test, client)
  const device = syncingDevice(test, { ...client, ...ddi })
  const firmware = version === undefined ? [] : [{ slug, version }]
  await device.sync({ session: { runId: 'r1', firmware } })
  const offered = async () => {
    const { update } = (await device.sync({})).json<{ update: { artifacts: Offered[] } }>()
    return update.artifacts
  }
  return { ddi, device, offered }
}

describe("a device at the product's own door", () => {
  it.each`
    runs         | role         | baseVersion  | file         | reason          | because
    ${'1.0'}     | ${'delta'}   | ${'1.0'}     | ${'from-1'}  | ${'RunsBase'}   | ${'there is a delta from it'}
    ${'2.0'}     | ${'delta'}   | ${'2.0'}     | ${'from-2'}  | ${'RunsBase'}   | ${'there is a delta from it'}
    ${'2.0-rc1'} | ${undefined} | ${undefined} | ${'3.0.bin'} | ${'RunsNoBase'} | ${'no delta begins with exactly this'}
    ${undefined} | ${undefined} | ${undefined} | ${'3.0.bin'} | ${'RunsNoBase'} | ${'nobody knows what it runs'}
  `(
    'that runs $runs is offered $file and the boot loader, as $because',
    async ({ runs, role, baseVersion, file, reason }: Running) => {
      const { slug, third, boot } = await givenVersions()
      const { ddi, offered } = await givenRunning(slug, runs)
      const supposed = await readOffer(ddi, third)
      const before = await readOffer(ddi)
      await givenOffer(third, ddi)

      const [main, part, ...rest] = await offered()
      const told = await readOffer(ddi)

      expect(before).toEqual({ update: null, artifacts: [], leftOut: [] })
      expect(told.artifacts).toEqual(supposed.artifacts)
      expect(told.artifacts).toMatchObject([
        {
          role: role ?? 'image',
          baseVersion: baseVersion ?? null,
          sizeBytes: main?.size,
          imageBytes: third.bytes.length,
          reason,
          runs: runs === undefined ? null : { version: runs, confirmed: true },
        },
        { role: 'bootloader', reason: 'Part' },
      ])

      expect(main).toMatchObject({ order: 0, url: expect.stringContaining(file) as unknown })
      expect([main?.role, main?.baseVersion]).toEqual([role, baseVersion])
      expect(part).toMatchObject({ order: 1, role: 'bootloader', size: boot.length })
      expect(rest).toEqual([])
      const { pathname, search } = new URL(part?.url ?? '')
      const { rawPayload } = await test.app.inject({ url: pathname + search })
      expect(rawPayload.equals(boot)).toBe(true)
      const link = new URL(main?.url ?? '')
      expect((await test.app.inject({ url: link.pathname + link.search })).statusCode).toBe(200)
      link.searchParams.set('artifactId', crypto.randomUUID())
      expect((await test.app.inject({ url: link.pathname + link.search })).statusCode).toBe(404)
    },
  )

  it('gets the full image for its second attempt', async () => {
    const { slug, third } = await givenVersions()
    const { ddi, device, offered } = await givenRunning(slug, '2.0')
    const cohortId = await givenOffer(third, ddi)
    await test.ctx.db
      .updateTable('deployments')
      .set({ maxAttempts: 2 })
      .where('cohortId', '=', cohortId)
      .execute()
    const { update } = (await device.sync({})).json<{ update: { updateId: string } }>()

    await device.sync({ update: { updateId: update.updateId, state: 'inProgress' } })
    await device.sync({ update: { updateId: update.updateId, state: 'failed', reason: 'patch' } })

    expect((await offered())[0]).toMatchObject({
      url: expect.stringContaining('3.0.bin') as unknown,
    })
    expect(await readOffer(ddi)).toMatchObject({
      update: { attempt: 2 },
      artifacts: [{ role: 'image', reason: 'AttemptFailed' }, { role: 'bootloader' }],
    })
  })

  it('gets the full image on the way back', async () => {
    const { slug, first, second } = await givenVersions()
    await put(first, { role: 'delta', base: second, fileName: 'back.bin' })
    const { ddi, device, offered } = await givenRunning(slug, '1.0')
    const cohortId = await givenOffer(first, ddi)
    await deploy(client, cohortId, { versions: [second] })
    await device.sync({ session: { runId: 'r2', firmware: [{ slug, version: '2.0' }] } })
    const { deployments } = (await client.get(`/deployment-cohorts/${cohortId}/deployments`)).json<{
      deployments: { id: string; isActive: boolean }[]
    }>()
    const active = deployments.find(({ isActive }) => isActive)?.id ?? ''

    const back = await client.post(`/deployment-cohorts/${cohortId}/deployments/${active}/rollback`)

    expect(back.statusCode).toBe(200)
    const [main] = await offered()
    expect(main?.role).toBeUndefined()
    expect(main?.url).toContain('1.0.bin')
    expect((await readOffer(ddi)).artifacts).toMatchObject([{ role: 'image', reason: 'RollBack' }])
  })
})

interface Offer {
  artifacts: { role: string; fileName: string; reason: string }[]
  leftOut: string[]
}

/** What people are told that the device is offered, or would be of a version. */
async function readOffer({ deviceId }: DdiClient, version?: VersionWithArtifact): Promise<Offer> {
  const query = version ? `?firmwareVersionId=${version.firmwareVersionId}` : ''
  const answer = await client.get(`/devices/${deviceId}/artifact-offer${query}`)
  expect(answer.statusCode).toBe(200)
  return answer.json()
}

interface Running {
  reason: string
  runs?: string
  role?: string
  baseVersion?: string
  file: string
}

interface HawkbitClient {
  userAgent?: string
  chunks: [string, string][]
  reason: string
}

describe('a hawkBit client', () => {
  it.each`
    userAgent                     | chunks                                                  | reason
    ${'libcurl-agent/1.0'}        | ${[['bApp', 'from-2.bin'], ['bootloader', 'boot.bin']]} | ${'RunsBase'}
    ${'rauc-hawkbit-updater/1.3'} | ${[['bApp', 'from-2.bin']]}                             | ${'RunsBase'}
    ${undefined}                  | ${[['bApp', '3.0.bin']]}                                | ${'ClientTakesNoDelta'}
  `(
    'of $userAgent is told of $chunks and gets them',
    async ({ userAgent, chunks, reason }: HawkbitClient) => {
      const { slug, third } = await givenVersions()
      const given = await givenDdiDevice(test, client)
      const headers = userAgent === undefined ? { userAgent: '' } : { userAgent }
      const ddi = ddiClient(test, { ...client, ...given }, headers)
      const data = { [`firmware.${slug}`]: '2.0' }
      await ddi.put('/configData', { mode: 'merge', data })
      await givenOffer(third, ddi)
      if (userAgent === undefined)
        await test.ctx.db
          .updateTable('devices')
          .set({ client: null })
          .where('id', '=', ddi.deviceId)
          .execute()

      const { deployment } = (await ddi.get('/deploymentBase/1')).json<{
        deployment: {
          chunks: {
            part: string
            artifacts: { filename: string; _links: { download: { href: string } } }[]
          }[]
        }
      }>()

      const told = deployment.chunks.map(({ part, artifacts: [file] }) => [part, file?.filename])
      expect(told).toEqual(chunks)
      const offer = await readOffer(ddi)
      expect(offer.artifacts.map(({ fileName }) => fileName)).toEqual(
        chunks.map(([, name]) => name),
      )
      expect([offer.artifacts[0]?.reason, offer.leftOut]).toEqual([
        reason,
        chunks.length === 1 ? ['bootloader'] : [],
      ])
      const counts = (
        await client.get(`/firmware-versions/${third.firmwareVersionId}/artifact-offers`)
      ).json<{
        artifacts: { offeredDeviceCount: number; baseDeviceCount: number | null }[]
      }>()
      expect(
        counts.artifacts.reduce((sum, { offeredDeviceCount }) => sum + offeredDeviceCount, 0),
      ).toBe(chunks.length)
      for (const { artifacts } of deployment.chunks) {
        const { statusCode } = await ddi.get(artifacts[0]?._links.download.href ?? '')
        expect(statusCode).toBe(200)
      }
    },
  )
})

const MEBIBYTE = 1024 * 1024

describe.skipIf(!hasS3Server)(
  'on an S3-compatible store (skipped where versitygw is absent)',
  () => {
    beforeAll(async () => {
      const { config, stop } = await startS3Server()
      closeAtEndOfFile(stop)
      test = await startTestApp({
        blobs: config,
        publicUrl: 'https://plimsoll.example',
        deviceRequestsPerMinute: 0,
      })
      client = await givenClient(test)
    })

    const listBlobs = async () => {
      const keys: string[] = []
      for (const prefix of ['artifacts/', 'artifact-parts/'])
        for await (const { key } of test.ctx.blobs.list(`${prefix}${client.workspaceId}/`))
          keys.push(key)
      return keys
    }

    const download = (path: string, headers: Record<string, string> = {}) =>
      test.app.inject({
        url: `/workspaces/${client.workspaceId}${path}`,
        headers: { authorization: `Bearer ${client.apiKey}`, ...headers },
      })

    it('arrive in parts and are read in ranges exact to the byte, and leave nothing of the parts', async () => {
      const { second, third, small } = await givenVersions()
      // Larger than a part of the store, and not a whole number of parts of the upload.
      const bytes = randomBytes(9 * MEBIBYTE + 7)
      const sha256 = createHash('sha256').update(bytes).digest()
      const digest = `sha-256=:${sha256.toString('base64')}:`
      let uploadId = ''
      let last = 0
      for (let start = 0; start < bytes.length; start += 4 * MEBIBYTE) {
        const part = bytes.subarray(start, start + 4 * MEBIBYTE)
        const answer = await test.app.inject({
          method: 'PUT',
          url: `/workspaces/${client.workspaceId}${of(third)}/rootfs`,
          query: { ...(uploadId !== '' && { uploadId }) },
          headers: {
            authorization: `Bearer ${client.apiKey}`,
            'content-type': 'application/octet-stream',
            'content-range': `bytes ${start}-${start + part.length - 1}/${bytes.length}`,
            'repr-digest': digest,
          },
          payload: part,
        })
        last = answer.statusCode
        uploadId = answer.json<{ uploadId?: string }>().uploadId ?? ''
      }
      const path = `${of(third)}/rootfs/content`
      const tag = `"${sha256.toString('hex')}"`

      const whole = await download(path)
      const some = await download(path, { range: 'bytes=0-0, 8388600-8388615, -5' })
      const one = await download(path, { range: 'bytes=8388607-8388608', 'if-range': tag })
      const other = await download(path, { range: 'bytes=0-9', 'if-range': '"another"' })
      const outside = await download(path, { range: `bytes=${bytes.length}-` })
      const known = await download(path, { 'if-none-match': tag })
      const delta = await download(
        `${of(third)}/delta/content?baseVersionId=${second.firmwareVersionId}`,
        { range: 'bytes=100-' },
      )

      expect(last).toBe(201)
      expect(whole.rawPayload.equals(bytes)).toBe(true)
      expect(whole.headers).toMatchObject({
        etag: tag,
        'repr-digest': digest,
        'content-length': String(bytes.length),
      })
      expect([some.statusCode, some.headers.etag]).toEqual([206, tag])
      const parts = readByteRanges(String(some.headers['content-type']), some.rawPayload)
      expect(parts.map(({ first, last: end }) => [first, end])).toEqual([
        [0, 0],
        [8_388_600, 8_388_615],
        [bytes.length - 5, bytes.length - 1],
      ])
      for (const { first, last: end, bytes: sent } of parts)
        expect(sent.equals(bytes.subarray(first, end + 1))).toBe(true)
      expect([one.statusCode, one.headers['content-range']]).toEqual([
        206,
        `bytes 8388607-8388608/${bytes.length}`,
      ])
      expect(one.rawPayload.equals(bytes.subarray(8_388_607, 8_388_609))).toBe(true)
      expect([other.statusCode, other.rawPayload.length]).toEqual([200, bytes.length])
      expect([outside.statusCode, outside.headers['content-range']]).toEqual([
        416,
        `bytes */${bytes.length}`,
      ])
      expect([known.statusCode, known.rawPayload.length]).toEqual([304, 0])
      expect(delta.rawPayload.equals(small.subarray(100))).toBe(true)
      expect((await listBlobs()).filter((key) => key.startsWith('artifact-parts/'))).toEqual([])
    })

    it('are offered to a device, which reads a delta in ranges', async () => {
      const { slug, third, small } = await givenVersions()
      const ddi = await givenDdiDevice(test, client)
      const device = syncingDevice(test, { ...client, ...ddi })
      await device.sync({ session: { runId: 'r1', firmware: [{ slug, version: '2.0' }] } })
      await givenOffer(third, ddi)
      const { update } = (await device.sync({})).json<{ update: { artifacts: Offered[] } }>()
      const { pathname, search } = new URL(update.artifacts[0]?.url ?? '')

      const answer = await test.app.inject({
        url: pathname + search,
        headers: { range: 'bytes=0-9,200-499' },
      })

      const parts = readByteRanges(String(answer.headers['content-type']), answer.rawPayload)
      expect(parts.map(({ bytes }) => bytes)).toEqual([small.subarray(0, 10), small.subarray(200)])
    })

    it('are gone from the store when they are deleted, and when they were replaced or never completed', async () => {
      const { first, second, third } = await givenVersions()
      const before = await listBlobs()
      const of3 = (keys: string[]) => keys.filter((key) => key.includes(third.firmwareVersionId))
      await client.delete(`${of(third)}/delta?baseVersionId=${second.firmwareVersionId}`)
      const deleted = await listBlobs()
      await put(third, { role: 'delta', base: first })
      await test.app.inject({
        method: 'PUT',
        url: `/workspaces/${client.workspaceId}${of(third)}/rootfs`,
        headers: {
          authorization: `Bearer ${client.apiKey}`,
          'content-type': 'application/octet-stream',
          'content-range': 'bytes 0-99/200',
        },
        payload: randomBytes(100),
      })
      const begun = await listBlobs()
      await client.delete(`${of(third)}/rootfs/upload`)

      const swept = await sweepArtifactFiles(test.ctx, new Date(Date.now() + 60_000))

      expect(of3(before)).toHaveLength(4)
      expect(of3(deleted)).toHaveLength(3)
      expect(of3(begun)).toHaveLength(5)
      expect(swept).toBeGreaterThanOrEqual(1)
      expect(of3(await listBlobs())).toHaveLength(3)
      const kept = (await client.get(of(third))).json<{ artifacts: { role: string }[] }>().artifacts
      expect(kept.map(({ role }) => role)).toEqual(['image', 'bootloader', 'delta'])
      for (const { role } of kept) {
        const query = role === 'delta' ? `?baseVersionId=${first.firmwareVersionId}` : ''
        const place = role === 'image' ? of(third).replace(/s$/, '') : `${of(third)}/${role}`
        expect((await download(`${place}/content${query}`)).statusCode).toBe(200)
      }
    })

    it('are checked where they lie, in the process that has no credentials of the store', async () => {
      // Files of the tests above wait for their checks in the other workspace.
      const own = await givenClient(test)
      const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
      const key = publicKey.export({ type: 'spki', format: 'pem' }).toString()
      const firmwareVersionId = await givenFirmwareVersion(own)
      // Read in several pieces.
      const bytes = makeMcubootImage({ keys: [privateKey], body: randomBytes(3 * MEBIBYTE) })
      expect((await putArtifact(test, own, { firmwareVersionId, bytes })).statusCode).toBe(201)
      expect((await own.post('/trusted-keys', { name: 'Release key', key })).statusCode).toBe(201)

      await test.startWorker()

      const path = `/firmware-versions/${firmwareVersionId}/image-verifications`
      const readState = async () =>
        (await own.get(path)).json<{ verifications: { state: string }[] }>().verifications[0]?.state
      await expect.poll(readState, { timeout: 300_000 }).toBe('Verified')
    })
  },
)
