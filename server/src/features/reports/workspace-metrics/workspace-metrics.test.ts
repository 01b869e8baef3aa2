/** What the operator's metrics count of workspaces, beside what these answer themselves. */
import { beforeAll, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../../test/app.ts'
import { type Client, givenClient } from '../../../../test/given.ts'
import { givenProduct, givenVersion } from '../../../../test/given-findings.ts'
import { MINUTE_MS } from '../../../formats/instants.ts'
import { reportWorkspaceCounts } from './health.ts'

let test: TestApp
let large: Client
let small: Client
beforeAll(async () => {
  test = await startTestApp()
  const clients = [await givenClient(test), await givenClient(test)] as const
  ;[large, small] = clients
  const product = await givenProduct(test.ctx, ['Critical', 'High', 'High'])
  const component = { packageName: product.product, version: '1.0', cpes: product.cpes }
  await givenVersion(test.ctx, large.workspaceId, [component])
  for (const id of ['one', 'two', 'three']) await large.post('/devices', { id })
  await small.post('/devices', { id: 'lonely' })
})

const watch = (metricsWorkspaces: number) =>
  reportWorkspaceCounts({ ...test.ctx, config: { ...test.ctx.config, metricsWorkspaces } })

async function read({ gauges }: ReturnType<typeof watch>, name: string, client?: Client) {
  const values = (await gauges.find((gauge) => gauge.name === name)?.values()) ?? []
  return values
    .filter(({ labels }) => !client || labels['workspace'] === client.workspaceId)
    .map(({ labels, value }) => [
      labels['presence'] ?? labels['severity'] ?? labels['state'],
      value,
    ])
}

it('counts devices and findings of each workspace, zeros too', async () => {
  const metrics = watch(10)

  const devices = await read(metrics, 'plimsoll_devices', large)
  const findings = await read(metrics, 'plimsoll_findings', large)
  const others = await read(metrics, 'plimsoll_findings', small)

  expect(devices.reduce((sum, [, count]) => sum + Number(count), 0)).toBe(3)
  expect(Object.fromEntries(findings)).toMatchObject({ critical: 1, high: 2, low: 0 })
  expect(others.map(([, count]) => count)).toEqual([0, 0, 0, 0, 0, 0])
  expect(await read(metrics, 'plimsoll_devices', small)).toContainEqual(['never', 1])
  expect(await read(metrics, 'plimsoll_device_updates', small)).toContainEqual(['pending', 0])
})

it('counts the workspaces with the most devices, and says how many are left out', async () => {
  const metrics = watch(1)

  expect(await read(metrics, 'plimsoll_devices', large)).toHaveLength(5)
  expect(await read(metrics, 'plimsoll_devices', small)).toEqual([])
  expect(await read(metrics, 'plimsoll_metrics_workspaces_left_out')).toEqual([[undefined, 1]])
  expect(await read(watch(0), 'plimsoll_devices')).toEqual([])
})

it('counts once a minute', async () => {
  let now = Date.now()
  const config = { ...test.ctx.config, metricsWorkspaces: 10 }
  const metrics = reportWorkspaceCounts({ ...test.ctx, now: () => new Date(now), config })
  const before = await read(metrics, 'plimsoll_devices', small)

  await small.post('/devices', { id: 'second' })
  const same = await read(metrics, 'plimsoll_devices', small)
  now += MINUTE_MS
  const after = await read(metrics, 'plimsoll_devices', small)

  expect(same).toEqual(before)
  expect(after).toContainEqual(['never', 2])
})

it('rests longer where counting takes long, so that it takes a small part of a processor', async () => {
  let now = Date.now()
  /** Each look at the clock is a second later: counting looks at it. */
  const slow = () => new Date((now += 1_000))
  const config = { ...test.ctx.config, metricsWorkspaces: 1 }
  const metrics = reportWorkspaceCounts({ ...test.ctx, now: slow, config })
  const before = await read(metrics, 'plimsoll_devices', large)

  await large.post('/devices', { id: 'fourth' })
  now += 2 * MINUTE_MS
  const same = await read(metrics, 'plimsoll_devices', large)
  now += 20 * MINUTE_MS
  const after = await read(metrics, 'plimsoll_devices', large)

  expect(same).toEqual(before)
  expect(after).not.toEqual(before)
})
