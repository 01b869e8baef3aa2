/** Devices whose image is not that of the version that they name: listed, counted and found, as long as it is so. */
import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { sharedTestApp, type TestApp } from '../../../../test/app.ts'
import { type Client, givenClient } from '../../../../test/given.ts'
import { putArtifact } from '../../../../test/given-artifacts.ts'
import { SHALLOW } from '../../../../test/doctor.ts'
import { CHECKS, examine } from '../../../admin/doctor.ts'
import { propertyRuns } from '../../../../test/property-runs.ts'

let test: TestApp
beforeAll(async () => {
  test = await sharedTestApp()
})

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
const IMAGES = ['image one', 'image two', 'image three'] as const
const NOBODYS = sha256('nobody uploaded this')

interface Fleet {
  client: Client
  /** By name. */
  versions: Record<string, string>
}

async function givenFleet(deviceIds: readonly string[]): Promise<Fleet> {
  const client = await givenClient(test)
  for (const id of deviceIds) await client.post('/devices', { id })
  const { id } = (await client.post('/firmwares', { slug: 'main' })).json<{ id: string }>()
  const versions: Record<string, string> = {}
  for (const name of ['1', '2']) {
    const made = await client.post(`/firmwares/${id}/versions`, { name })
    versions[name] = made.json<{ id: string }>().id
  }
  return { client, versions }
}

let runs = 0
const report = (
  client: Client,
  deviceId: string,
  {
    running,
    attributes,
    at = new Date(),
  }: { running: Record<string, string>; attributes?: Record<string, string>; at?: Date },
) =>
  test.doors.intake.receive({
    workspaceId: client.workspaceId,
    deviceId,
    door: 'Http',
    receivedAt: at,
    message: {
      kind: 'session',
      session: {
        runId: `run-${runs++}`,
        firmware: Object.entries(running).map(([slug, version]) => ({ slug, version })),
        ...(attributes && { attributes }),
      },
    },
  })

const upload = async ({ client, versions }: Fleet, version: string, bytes: string) => {
  const firmwareVersionId = versions[version] ?? ''
  const { statusCode } = await putArtifact(test, client, { firmwareVersionId, bytes })
  expect([200, 201]).toContain(statusCode)
}

const remove = ({ client, versions }: Fleet, version: string) =>
  client.delete(`/firmware-versions/${versions[version]}/artifact`)

interface Spot {
  kind: string
  slug: string
  version: string
  imageHash: string | null
  deviceCount: number
  exampleDeviceId: string
  imageOf: { name: string }[]
  why: string
}

async function listSpots(client: Client, asked: object = {}): Promise<Spot[]> {
  const spots: Spot[] = []
  for (let cursor: string | undefined; ;) {
    const answer = await client.post('/blind-spots/list', { limit: 2, cursor, ...asked })
    expect(answer.statusCode).toBe(200)
    const page = answer.json<{ blindSpots: Spot[]; nextCursor?: string }>()
    spots.push(...page.blindSpots)
    cursor = page.nextCursor
    if (cursor === undefined) return spots
  }
}

async function listIds(client: Client, filter: object, order: object = {}): Promise<string[]> {
  const answer = await client.post('/devices/list', { filter, ...order })
  expect(answer.statusCode).toBe(200)
  return answer.json<{ devices: { id: string }[] }>().devices.map(({ id }) => id)
}

const readImage = async (client: Client, deviceId: string) => {
  const { firmware } = (await client.get(`/devices/${deviceId}`)).json<{
    firmware: { isBlindSpot: boolean; since: string; image: { hash: string; state: string } }[]
  }>()
  return firmware[0]
}

describe('the list of blind spots', () => {
  it('names images that are not those of the versions, by devices, with the devices of each', async () => {
    const fleet = await givenFleet(['a', 'b', 'c', 'd', 'e', 'f', 'g'])
    const { client, versions } = fleet
    const other = await givenFleet(['a'])
    await upload(fleet, '1', IMAGES[0])
    await upload(fleet, '2', IMAGES[1])
    await upload(other, '1', IMAGES[2])
    const hash = (value: string) => ({ imageHash: value })
    await report(client, 'a', { running: { main: '1' }, attributes: hash(sha256(IMAGES[0])) })
    await report(client, 'b', { running: { main: '1' }, attributes: hash(sha256(IMAGES[1])) })
    // That of another workspace is one that nobody uploaded here.
    for (const id of ['c', 'd'])
      await report(client, id, { running: { main: '2' }, attributes: hash(sha256(IMAGES[2])) })
    await report(client, 'e', { running: { main: '2' }, attributes: hash('not a hash') })
    await report(client, 'f', { running: { main: '2' } })
    await report(client, 'g', { running: { main: '9' }, attributes: hash(NOBODYS) })

    const spots = await listSpots(client)
    const told = spots.map(({ kind, version, imageHash, deviceCount, exampleDeviceId }) => [
      kind,
      version,
      imageHash,
      deviceCount,
      exampleDeviceId,
    ])

    expect(told).toEqual([
      ['UnknownImage', '2', sha256(IMAGES[2]), 2, expect.stringMatching(/^[cd]$/)],
      ['OtherImage', '1', sha256(IMAGES[1]), 1, 'b'],
      ['NotAHash', '2', 'not a hash', 1, 'e'],
      ['UnknownVersion', '9', null, 1, 'g'],
    ])
    expect(spots[1]).toMatchObject({
      imageOf: [{ name: '2' }],
      why: expect.stringContaining('the image of main@2') as string,
    })
    expect((await client.get('/device-summary')).json()).toMatchObject({
      blindSpots: 4,
      blindSpotDevices: 5,
      unknownVersionDevices: 1,
      otherImageDevices: 4,
    })
    const images = { blindSpotKinds: ['UnknownImage', 'OtherImage', 'NotAHash'] }
    const found = {
      all: await listIds(client, { blindSpot: true }),
      none: await listIds(client, { blindSpot: false }),
      images: await listIds(client, images),
      unnamed: await listIds(client, { blindSpotKinds: ['UnknownVersion'] }),
      ofOne: await listIds(client, { imageHashes: [`SHA256:${sha256(IMAGES[2]).toUpperCase()}`] }),
      ofOneVersion: await listIds(client, { ...images, firmwareVersionIds: [versions['1']] }),
    }
    expect(found).toEqual({
      all: ['b', 'c', 'd', 'e', 'g'],
      none: ['a', 'f'],
      images: ['b', 'c', 'd', 'e'],
      unnamed: ['g'],
      ofOne: ['c', 'd'],
      ofOneVersion: ['b'],
    })
    const kinds = await listSpots(client, { filter: { kinds: ['OtherImage', 'NotAHash'] } })
    expect(kinds.map(({ kind }) => kind)).toEqual(['OtherImage', 'NotAHash'])
    const text = await listSpots(client, { filter: { text: sha256(IMAGES[2]).slice(3, 20) } })
    expect(text.map(({ kind }) => kind)).toEqual(['UnknownImage'])
    expect(await listSpots(other.client)).toEqual([])
  })

  it('has those first that report another image for longest', async () => {
    const { client } = await givenFleet(['a', 'b', 'c', 'd'])
    const day = (of: number) => new Date(Date.UTC(2026, 10, of))
    await report(client, 'a', {
      running: { main: '1' },
      attributes: { imageHash: NOBODYS },
      at: day(3),
    })
    await report(client, 'b', { running: { main: '9' }, at: day(2) })
    await report(client, 'c', { running: { main: '1' }, at: day(1) })
    await report(client, 'd', {
      running: { main: '1', modem: '4' },
      attributes: { 'imageHash.main': NOBODYS },
      at: day(1),
    })
    const asked = { sortColumn: 'UnknownSince' }

    expect(await listIds(client, {}, asked)).toEqual(['d', 'b', 'a', 'c'])
    expect(await listIds(client, {}, { ...asked, ascending: false })).toEqual(['c', 'a', 'b', 'd'])
    expect(await listIds(client, { blindSpot: true }, asked)).toEqual(['d', 'b', 'a'])
  })

  it('counts a device once that has two of them', async () => {
    const { client } = await givenFleet(['a', 'b', 'c'])
    const { id } = (await client.post('/firmwares', { slug: 'modem' })).json<{ id: string }>()
    await client.post(`/firmwares/${id}/versions`, { name: '1' })
    const [main, modem] = [{ 'imageHash.main': NOBODYS }, { 'imageHash.modem': NOBODYS }]
    const both = { main: '1', modem: '1' }
    await report(client, 'a', { running: both, attributes: { ...main, ...modem } })
    await report(client, 'b', { running: both, attributes: main })
    await report(client, 'c', { running: { main: '1', modem: '9' }, attributes: main })

    const summary = await client.get('/device-summary')

    expect(summary.json()).toMatchObject({
      blindSpots: 3,
      blindSpotDevices: 3,
      unknownVersionDevices: 1,
      otherImageDevices: 3,
    })
  })

  it('is counted in the overview, and says so', async () => {
    const { client } = await givenFleet(['a', 'b'])
    await report(client, 'a', { running: { main: '1' }, attributes: { imageHash: NOBODYS } })
    await report(client, 'b', { running: { main: '9' } })

    const overview = (await client.get('/overview')).json<{
      devices: object
      waiting: object
      needsYou: { kind: string; count: number; target: object }[]
    }>()

    expect(overview.devices).toMatchObject({ withUnknownFirmware: 1, withOtherImage: 1 })
    expect(overview.waiting).toMatchObject({ devices: 2 })
    const blind = overview.needsYou.filter(({ kind }) => /Image|Firmware/.test(kind))
    expect(blind).toMatchObject([
      {
        kind: 'OtherImage',
        count: 1,
        target: {
          deviceFilter: { blindSpotKinds: ['UnknownImage', 'OtherImage', 'NotAHash'] },
        },
      },
      {
        kind: 'UnknownFirmware',
        count: 1,
        target: { deviceFilter: { blindSpotKinds: ['UnknownVersion'] } },
      },
    ])

    await client.delete('/devices/a')

    expect((await client.get('/device-summary')).json()).toMatchObject({
      blindSpots: 1,
      blindSpotDevices: 1,
      otherImageDevices: 0,
    })
    expect(await listSpots(client)).toMatchObject([{ kind: 'UnknownVersion' }])
  })
})

describe('the hash that a device reports', () => {
  const HASH = sha256(IMAGES[0])
  it.each([
    ['in lower case', HASH, 'Proved', HASH],
    ['in upper case', HASH.toUpperCase(), 'Proved', HASH],
    ['with its algorithm', `sha256:${HASH}`, 'Proved', HASH],
    ['with its algorithm in another way', `SHA-256: ${HASH.toUpperCase()}`, 'Proved', HASH],
    ['with blanks around', ` ${HASH}\n`, 'Proved', HASH],
    ['of an unknown image by SHA-512', 'ab'.repeat(64), 'UnknownImage', 'ab'.repeat(64)],
    ['as SHA-1', 'ab'.repeat(20), 'NotAHash', 'ab'.repeat(20)],
    ['one digit short', HASH.slice(1), 'NotAHash', HASH.slice(1)],
    ['with the wrong algorithm', `sha512:${HASH}`, 'NotAHash', `sha512:${HASH}`],
    ['as no hexadecimal', 'z'.repeat(64), 'NotAHash', 'z'.repeat(64)],
    ['as a long text', 'x'.repeat(1_000), 'NotAHash', 'x'.repeat(200)],
    ['as an empty text', '', 'NotReported', null],
    ['as blanks', '  ', 'NotReported', null],
  ])('%s is told in one form', async (_how, said, state, hash) => {
    const fleet = await givenFleet(['a'])
    await upload(fleet, '1', IMAGES[0])

    await report(fleet.client, 'a', { running: { main: '1' }, attributes: { imageHash: said } })

    expect(await readImage(fleet.client, 'a')).toMatchObject({
      isBlindSpot: state === 'NotAHash' || state === 'UnknownImage',
      image: { state, hash },
    })
  })

  it('is that of the version that ran when it was reported, and none once another runs', async () => {
    const fleet = await givenFleet(['a'])
    const { client } = fleet
    await upload(fleet, '1', IMAGES[0])
    const at = (minute: number) => new Date(Date.UTC(2026, 10, 3, 10, minute))
    const attributes = { imageHash: sha256(IMAGES[0]) }
    await report(client, 'a', { running: { main: '1' }, at: at(1) })
    await report(client, 'a', { running: { main: '1' }, attributes, at: at(2) })
    const proved = await readImage(client, 'a')

    await report(client, 'a', { running: { main: '2' }, at: at(3) })
    const updated = await readImage(client, 'a')
    await report(client, 'a', { running: { main: '2' }, attributes, at: at(4) })
    const wrong = await readImage(client, 'a')
    await client.patch('/devices/a', { attributes: { imageHash: null } })

    // Its hash was told later, of what had been running.
    expect(proved).toMatchObject({ image: { state: 'Proved' }, since: at(1).toISOString() })
    expect(updated).toMatchObject({ image: { state: 'NotReported' }, since: at(3).toISOString() })
    expect(wrong).toMatchObject({ image: { state: 'OtherImage' }, isBlindSpot: true })
    expect(await readImage(client, 'a')).toMatchObject({ image: { state: 'NotReported' } })
  })

  it('stands for each firmware of a device by its slug, and follows the slug of a build', async () => {
    const { client, versions } = await givenFleet(['a', 'b'])
    await report(client, 'a', {
      running: { main: '1', modem: '4' },
      attributes: { imageHash: NOBODYS },
    })
    const unnamed = await listSpots(client, { filter: { kinds: ['UnknownImage'] } })
    const session = { runId: 'r', buildId: 'cafe', attributes: { 'imageHash.main': NOBODYS } }
    await test.doors.intake.receive({
      workspaceId: client.workspaceId,
      deviceId: 'b',
      door: 'Mqtt',
      receivedAt: new Date(),
      message: { kind: 'session', session },
    })

    await client.patch(`/firmware-versions/${versions['1']}`, { buildId: 'cafe' })

    expect(unnamed).toEqual([])
    const spots = await listSpots(client, { filter: { kinds: ['UnknownImage'] } })
    expect(spots).toMatchObject([{ slug: 'main', version: '1', exampleDeviceId: 'b' }])
  })
})

type Command =
  | { act: 'report'; device: number; version: string; said: string }
  | { act: 'change'; device: number; said: string }
  | { act: 'upload'; version: string; image: number }
  | { act: 'remove'; version: string }

const DEVICES = ['a', 'b', 'c']
const SAID: Record<string, string> = {
  nothing: '',
  nobodys: NOBODYS,
  garbage: 'no hash',
  '0': sha256(IMAGES[0]),
  '1': sha256(IMAGES[1]).toUpperCase(),
  '2': `sha256:${sha256(IMAGES[2])}`,
}
const device = fc.nat(DEVICES.length - 1)
const said = fc.constantFrom(...Object.keys(SAID))
const known = fc.constantFrom('1', '2')
const command: fc.Arbitrary<Command> = fc.oneof(
  fc.record({
    act: fc.constant('report' as const),
    device,
    version: fc.constantFrom('1', '2', '9'),
    said,
  }),
  fc.record({ act: fc.constant('change' as const), device, said }),
  fc.record({
    act: fc.constant('upload' as const),
    version: known,
    image: fc.nat(IMAGES.length - 1),
  }),
  fc.record({ act: fc.constant('remove' as const), version: known }),
)

/** What was reported last of each device, and the image of each version. */
interface Model {
  running: Map<string, { version: string; said: string }>
  images: Map<string, string>
}

function judge({ images }: Model, { version, said: told }: { version: string; said: string }) {
  if (version === '9') return 'UnknownVersion'
  if (told === 'nothing') return undefined
  if (told === 'garbage') return 'NotAHash'
  if (images.get(version) === told) return undefined
  return [...images.values()].includes(told) ? 'OtherImage' : 'UnknownImage'
}

function expectedSpots(model: Model): string[] {
  const spots = [...model.running.values()].flatMap((one) => {
    const kind = judge(model, one)
    if (kind === undefined) return []
    return kind === 'UnknownVersion' ? [`${kind} 9`] : [`${kind} ${one.version} ${one.said}`]
  })
  const counted = Map.groupBy(spots, (spot) => spot)
  return [...counted].map(([spot, same]) => `${spot} on ${same.length}`).toSorted()
}

const nameSaid = (hash: string | null) =>
  Object.keys(SAID).find(
    (name) =>
      hash !== null && name !== 'nothing' && (SAID[name] ?? '').toLowerCase().endsWith(hash),
  )

async function apply(fleet: Fleet, model: Model, asked: Command): Promise<void> {
  const { client } = fleet
  if (asked.act === 'upload') {
    await upload(fleet, asked.version, IMAGES[asked.image] ?? '')
    model.images.set(asked.version, String(asked.image))
  } else if (asked.act === 'remove') {
    await remove(fleet, asked.version)
    model.images.delete(asked.version)
  } else {
    const id = DEVICES[asked.device] ?? ''
    const attributes = { imageHash: SAID[asked.said] ?? '' }
    const before = model.running.get(id)
    if (asked.act === 'report') {
      await report(client, id, { running: { main: asked.version }, attributes })
      model.running.set(id, { version: asked.version, said: asked.said })
    } else {
      await client.patch(`/devices/${id}`, { attributes })
      if (before) model.running.set(id, { ...before, said: asked.said })
    }
  }
}

/** What is kept of devices and of images. */
const examineKept = (workspaceId: string) =>
  examine(test.ctx, {
    checks: CHECKS.filter(({ name }) =>
      ['device-images', 'image-facts', 'device-image-counts'].includes(name),
    ),
    workspaceIds: [workspaceId],
    repairs: false,
    ...SHALLOW,
  })

it('lists what a plain model lists, after any reports, uploads and deletions', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(command, { minLength: 2, maxLength: 9 }), async (commands) => {
      const fleet = await givenFleet(DEVICES)
      const { client } = fleet
      const model: Model = { running: new Map(), images: new Map() }
      for (const asked of commands) await apply(fleet, model, asked)

      const spots = (await listSpots(client)).map(
        ({ kind, version, imageHash, deviceCount }) =>
          `${kind} ${[version, nameSaid(imageHash)].filter(Boolean).join(' ')} on ${deviceCount}`,
      )
      const blind = DEVICES.filter((id) => {
        const running = model.running.get(id)
        return running !== undefined && judge(model, running) !== undefined
      })

      expect(spots.toSorted()).toEqual(expectedSpots(model))
      for (const kinds of [['OtherImage', 'UnknownVersion'], ['UnknownImage']]) {
        const some = (await listSpots(client, { filter: { kinds } })).map(({ kind }) => kind)
        const all = spots.flatMap((spot) => spot.split(' ')[0] ?? [])
        expect(some.toSorted()).toEqual(all.filter((kind) => kinds.includes(kind)).toSorted())
        expect(await listIds(client, { blindSpotKinds: kinds })).toEqual(
          DEVICES.filter((id) => {
            const running = model.running.get(id)
            return running !== undefined && kinds.includes(judge(model, running) ?? '')
          }),
        )
      }
      const since = await listIds(client, {}, { sortColumn: 'UnknownSince' })
      expect(since.slice(0, blind.length).toSorted()).toEqual(blind)
      expect(await examineKept(client.workspaceId)).toMatchObject([
        { state: 'Clean' },
        { state: 'Clean' },
        { state: 'Clean' },
      ])
      expect(await listIds(client, { blindSpot: true })).toEqual(blind)
      const summary = (await client.get('/device-summary')).json<object>()
      expect(summary).toMatchObject({ blindSpotDevices: blind.length, blindSpots: spots.length })
      const chain = await client.get(`/firmware-versions/${fleet.versions['1']}/chain`)
      const ofOne = [...model.running.values()].filter(({ version }) => version === '1')
      const count = (kind: string) => ofOne.filter((one) => judge(model, one) === kind).length
      expect(chain.json<{ devices: object }>().devices).toEqual({
        running: ofOne.length,
        proved: ofOne.filter((one) => one.said === model.images.get('1')).length,
        ofOther: count('OtherImage'),
        unknown: count('UnknownImage'),
        notAHash: count('NotAHash'),
        named: ofOne.filter((one) => one.said === 'nothing').length,
      })
    }),
    { numRuns: propertyRuns(60, 10), endOnFailure: true },
  )
})
