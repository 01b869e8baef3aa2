/** Devices by day and by the worst finding of what they run, through the API. */
import { beforeAll, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../../test/app.ts'
import { type Client, givenClient } from '../../../../test/given.ts'
import {
  cpeOf,
  givenDecision,
  givenProduct,
  givenRunning,
  givenVersion,
} from '../../../../test/given-findings.ts'
import { newId } from '../../../platform/ids.ts'
import { maintainDailyDevices } from './service.ts'

let test: TestApp
beforeAll(async () => {
  test = await startTestApp()
})

interface Exposure {
  since: string
  days: {
    day: string
    deviceCount: number
    exploited: number
    affected: number | null
    byWorst: { worst: string; devices: number }[]
  }[]
  releases: { firmwareVersionId: string }[]
  rollouts: object[]
}

const daysAgo = (days: number) => () => new Date(Date.now() - days * 86_400_000)
const dayOf = (at: Date) => at.toISOString().slice(0, 10)
const maintain = (days: number) => maintainDailyDevices({ ...test.ctx, now: daysAgo(days) })
const read = async (client: Client, query = '') =>
  (await client.get(`/exposure${query}`)).json<Exposure>()
const worstOf = ({ days }: Exposure) =>
  days.map(({ byWorst }) =>
    byWorst.flatMap(({ worst, devices }) => (devices > 0 ? [`${worst} ${devices}`] : [])),
  )

async function given(client: Client, severities: ('Critical' | 'Low')[], isKnownExploit = false) {
  const product = await givenProduct(test.ctx, severities, { isKnownExploit })
  const component = { packageName: product.product, version: '1.0', cpes: product.cpes }
  const version = await givenVersion(test.ctx, client.workspaceId, [component])
  return { ...version, cveIds: product.cveIds }
}

it('counts each device once, by the worst of all it runs, and leaves out days that nobody counted', async () => {
  const client = await givenClient(test)
  const critical = await given(client, ['Critical', 'Low'], true)
  const low = await given(client, ['Low'])
  const empty = await givenVersion(test.ctx, client.workspaceId, [])
  await givenRunning(test.ctx, 5, low)
  await maintain(4)
  await givenRunning(test.ctx, 2, critical, low)
  await maintain(2)
  await maintain(2)
  await givenRunning(test.ctx, 1, empty)

  const exposure = await read(client)

  expect(exposure.since).toBe(dayOf(daysAgo(4)()))
  expect(exposure.days.map(({ day }) => day)).toEqual(
    [4, 2, 0].map((days) => dayOf(daysAgo(days)())),
  )
  expect(worstOf(exposure)).toEqual([
    ['Low 5'],
    ['Critical 2', 'Low 5'],
    ['Critical 2', 'Low 5', 'NotJudged 1'],
  ])
  expect(exposure.days.at(-1)).toMatchObject({ deviceCount: 8, exploited: 2, affected: null })
  expect(exposure.releases.map(({ firmwareVersionId }) => firmwareVersionId)).toEqual([
    critical.firmwareVersionId,
    low.firmwareVersionId,
    empty.firmwareVersionId,
  ])
  expect((await read(client, '?days=3')).days).toHaveLength(2)
})

it('counts devices with one vulnerability until it is closed or they run something else', async () => {
  const client = await givenClient(test)
  const version = await given(client, ['Critical'])
  const [vulnerabilityId = ''] = version.cveIds
  // As if it had been there for long.
  for (const table of ['firmware_version_packages', 'package_matches'] as const)
    await test.ctx.pool.query(
      `update ${table} set since = now() - interval '9 days'
      where package_id in (select package_id from package_matches where vulnerability_id = $1)`,
      [vulnerabilityId],
    )
  await givenRunning(test.ctx, 3, version)
  await maintain(2)
  await maintain(1)
  const affected = async () =>
    (await read(client, `?cveId=${vulnerabilityId}`)).days.map((day) => day.affected)

  const found = await affected()
  await givenDecision(test.ctx, version, { vulnerabilityId, assessment: 'NotAffected' })
  const closed = await affected()
  await givenRunning(test.ctx, 0, version)

  expect([found, closed, await affected()]).toEqual([
    [3, 3, 3],
    [3, 3, 0],
    [3, 3, 0],
  ])
  const unknown = await read(client, '?cveId=CVE-1999-9')
  expect(unknown.days.map((day) => day.affected)).toEqual([0, 0, 0])
})

it('shows devices of one firmware, and none of another workspace', async () => {
  const [client, stranger] = [await givenClient(test), await givenClient(test)]
  const [one, other] = [await given(client, ['Low']), await given(client, ['Critical'])]
  await givenRunning(test.ctx, 1, other)
  await maintain(1)
  await givenRunning(test.ctx, 1, one)
  const version = await client.get(`/firmware-versions/${one.firmwareVersionId}`)
  const firmwareId = version.json<{ firmware: { id: string } }>().firmware.id

  const exposure = await read(client, `?firmwareId=${firmwareId}`)

  // Yesterday was counted, and no device ran it.
  expect(worstOf(exposure)).toEqual([[], ['Low 1']])
  expect(exposure.days.map(({ deviceCount }) => deviceCount)).toEqual([0, 1])
  expect(exposure.releases).toHaveLength(1)
  expect(await read(stranger)).toMatchObject({ days: [], releases: [], rollouts: [] })
  expect((await stranger.get(`/exposure?firmwareId=${firmwareId}`)).statusCode).toBe(404)
  expect((await client.get(`/exposure?firmwareId=${newId()}`)).statusCode).toBe(404)
  expect((await client.get('/exposure?days=0')).statusCode).toBe(400)
})

it('lists as many devices of each worst as it counts', async () => {
  const client = await givenClient(test)
  const { workspaceId } = client
  const critical = await given(client, ['Critical', 'Low'])
  const low = await given(client, ['Low'])
  const empty = await givenVersion(test.ctx, workspaceId, [])
  const { product } = await givenProduct(test.ctx, ['Critical'])
  const mended = { packageName: product, version: '3.0', cpes: [cpeOf(product, '3.0')] }
  const clean = await givenVersion(test.ctx, workspaceId, [mended])
  const slugs = await test.ctx.db
    .selectFrom('firmwareVersions')
    .select(['id', 'firmwareId as slug'])
    .where('workspaceId', '=', workspaceId)
    .execute()
  const report = async (deviceId: string, ...versions: { firmwareVersionId: string }[]) => {
    await client.post('/devices', { id: deviceId })
    const firmware = versions.map(({ firmwareVersionId }) => {
      const slug = slugs.find(({ id }) => id === firmwareVersionId)?.slug ?? 'nobody-knows'
      return { slug, version: '1.0' }
    })
    const session = { runId: deviceId, firmware }
    const said = { workspaceId, deviceId, door: 'Mqtt', receivedAt: test.ctx.now() } as const
    await test.doors.intake.receive({ ...said, message: { kind: 'session', session } })
  }
  await report('both', critical, low)
  await report('low', low)
  await report('low-and-empty', low, empty)
  await report('empty', empty)
  await report('clean-and-empty', clean, empty)
  await report('clean', clean)
  await report('stranger', { firmwareVersionId: '' })
  await client.post('/devices', { id: 'never-reported' })

  const counted = (await read(client)).days.at(-1)?.byWorst ?? []
  const lists = counted.map(async ({ worst }) => {
    const listed = await client.post('/devices/list', { filter: { worst: [worst] } })
    const { devices } = listed.json<{ devices: { id: string; worst: string | null }[] }>()
    expect(devices.every((device) => (device.worst ?? 'NotJudged') === worst)).toBe(true)
    return [worst, devices.map(({ id }) => id)] as const
  })
  const listed = Object.fromEntries(await Promise.all(lists))

  expect(counted.map(({ devices }) => devices)).toEqual(
    counted.map(({ worst }) => listed[worst]?.length),
  )
  expect(listed).toMatchObject({
    Critical: ['both'],
    Low: ['low', 'low-and-empty'],
    NotJudged: ['clean-and-empty', 'empty', 'never-reported', 'stranger'],
    Clean: ['clean'],
    High: [],
  })
  expect((await client.get('/devices/stranger')).json()).toMatchObject({ worst: null })
})
