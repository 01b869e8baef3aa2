/** What is stated of the support of a version, in every answer that shows the version, on the day of the clock. */
import { beforeEach, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../../test/app.ts'
import { givenProduct, givenVersion } from '../../../../test/given-findings.ts'
import { type Client, givenClient } from '../../../../test/given.ts'

let test: TestApp
let client: Client
let day = '2026-11-29'
beforeEach(async () => {
  day = '2026-11-29'
  test ??= await startTestApp()
  test.ctx.now = () => new Date(`${day}T12:00:00Z`)
  client = await givenClient(test)
})

interface Shown {
  id: string
  name: string
  firmware: { id: string; slug: string }
  mark: { state: string; sentence: string; supportNote?: string }
  supportPeriod: { state: string; endsOn: string | null; daysLeft: number | null; sentence: string }
}

const read = async (id: string) => (await client.get(`/firmware-versions/${id}`)).json<Shown>()

/** A version with a High finding that a device runs, and the ids by which it is found. */
async function givenShown() {
  const { product, cpes } = await givenProduct(test.ctx, ['High'])
  const { firmwareVersionId: id } = await givenVersion(test.ctx, client.workspaceId, [
    { packageName: product, version: '1.0', cpes },
  ])
  const { name, firmware } = await read(id)
  const deviceId = 'pump-1'
  await client.post('/devices', { id: deviceId })
  await test.doors.intake.receive({
    workspaceId: client.workspaceId,
    deviceId,
    door: 'Http',
    receivedAt: test.ctx.now(),
    message: {
      kind: 'session',
      session: { runId: crypto.randomUUID(), firmware: [{ slug: firmware.slug, version: name }] },
    },
  })
  return { id, deviceId, firmwareId: firmware.id }
}

async function givenLine(firmwareIds: string[], supportEndsIn: string | null): Promise<string> {
  const body = { name: 'Pump', manufacturer: 'Acme', firmwareIds, supportEndsIn }
  const made = await client.post('/product-lines', body)
  expect(made.statusCode).toBe(201)
  return made.json<{ id: string }>().id
}

it('says so in every answer once the support of the product line is over, and leaves the state of the mark', async () => {
  const { id, deviceId, firmwareId } = await givenShown()
  const before = (await read(id)).mark
  await givenLine([firmwareId], '2026-09')
  const sentence = `${before.sentence}; out of support since 2026-10-01`
  const mark = { state: before.state, sentence, supportNote: 'out of support since 2026-10-01' }

  const [one, versions, vulnerable, overview, firmwares, device, devices, badge] =
    await Promise.all([
      read(id),
      client.get(`/firmwares/${firmwareId}/versions`),
      client.get('/vulnerable-firmware-versions'),
      client.get('/overview'),
      client.get('/firmware-overview'),
      client.get(`/devices/${deviceId}`),
      client.post('/devices/list', {}),
      client.get(`/firmware-versions/${id}/badge`),
    ])

  const supportPeriod = {
    state: 'Ended',
    endsOn: '2026-10-01',
    daysLeft: -59,
    sentence: 'Out of support since 2026-10-01, as stated for the product line Pump',
  }
  expect(one).toMatchObject({ mark, supportPeriod })
  expect(versions.json()).toMatchObject({ firmwareVersions: [{ mark, supportPeriod }] })
  expect(vulnerable.json()).toMatchObject([{ mark }])
  expect(firmwares.json()).toMatchObject({ firmwares: [{ versions: [{ mark }] }] })
  expect(device.json()).toMatchObject({ firmware: [{ firmwareVersion: { mark } }] })
  expect(devices.json()).toMatchObject({ devices: [{ firmware: [{ firmwareVersion: { mark } }] }] })
  expect(overview.json()).toMatchObject({
    firmwareVersions: [{ mark }],
    needsYou: expect.arrayContaining([
      expect.objectContaining({
        kind: 'PastSupport',
        devices: 1,
        text: '1 device runs what is out of support',
        detail: 'Pump',
      }),
    ]) as unknown,
  })
  const { url } = badge.json<{ url: string }>()
  const image = await test.app.inject({ url: new URL(url).pathname + new URL(url).search })
  expect(image.body).toContain('out of support since 2026-10-01')
})

it('moves from promised to soon to over with the clock', async () => {
  const { id, firmwareId } = await givenShown()
  await givenLine([firmwareId], '2027-12')

  const seen: string[] = []
  for (const now of ['2027-07-04', '2027-07-05', '2027-12-31', '2028-01-01']) {
    day = now
    const { supportPeriod, mark } = await read(id)
    seen.push(`${supportPeriod.state} ${supportPeriod.daysLeft}: ${mark.supportNote ?? ''}`)
  }

  expect(seen).toEqual([
    'Promised 181: ',
    'EndsSoon 180: support ends in 180 days, after 2027-12-31',
    'EndsSoon 1: support ends in 1 day, after 2027-12-31',
    'Ended 0: out of support since 2028-01-01',
  ])
})

it('shows both where the release line says otherwise than the product line', async () => {
  const { id, firmwareId } = await givenShown()
  await givenLine([firmwareId], '2031-12')
  const lines = [{ name: 'old', patterns: ['.'], supportEndsOn: '2026-01-01' }]
  expect((await client.put(`/firmwares/${firmwareId}/lines`, { lines })).statusCode).toBe(200)

  const { mark, supportPeriod } = await read(id)

  expect(supportPeriod).toMatchObject({
    state: 'Promised',
    sentence:
      'Supported until 2031-12-31, as stated for the product line Pump; the release line old: out of support since 2026-01-01',
    statements: [
      { statedFor: 'ProductLine', name: 'Pump', endsOn: '2032-01-01', state: 'Promised' },
      { statedFor: 'ReleaseLine', name: 'old', endsOn: '2026-01-01', state: 'Ended' },
    ],
  })
  expect(mark.supportNote).toBe(
    'supported until 2031-12-31; its release line: out of support since 2026-01-01',
  )
})

it('says that no end is known where none is stated, and never calls that supported', async () => {
  const { id, firmwareId } = await givenShown()

  const without = (await read(id)).supportPeriod
  await givenLine([firmwareId], null)
  const { supportPeriod, mark } = await read(id)

  expect([without.state, supportPeriod.state]).toEqual(['NotKnown', 'NotKnown'])
  expect(without.sentence).toContain('of no product line')
  expect(supportPeriod.sentence).toContain('nobody has stated one for the product line Pump')
  expect(mark.supportNote).toBeUndefined()
})

it('holds components to the day of the product line where release line and firmware state none', async () => {
  const { id, firmwareId } = await givenShown()
  const promise = async () =>
    (await client.get(`/firmware-versions/${id}/support`)).json<{ supportEndsOn: string | null }>()
      .supportEndsOn
  expect(await promise()).toBeNull()

  await givenLine([firmwareId], '2031-12')
  expect(await promise()).toBe('2032-01-01')
  await client.patch(`/firmwares/${firmwareId}`, { supportEndsOn: '2029-01-01' })
  expect(await promise()).toBe('2029-01-01')
})

it('sees no product line of another workspace', async () => {
  const { id } = await givenShown()
  const other = await givenClient(test)
  await other.post('/product-lines', {
    name: 'Pump',
    manufacturer: 'Acme',
    supportEndsIn: '2020-01',
  })

  expect((await read(id)).supportPeriod.state).toBe('NotKnown')
})
