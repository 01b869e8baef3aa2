/** What else changed on the devices of an incident, through the API. */
import { beforeAll, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../../test/app.ts'
import {
  givenClock,
  givenRule,
  report,
  type ShownRule,
} from '../../../../test/given-alert-rules.ts'
import { givenFleetDevices } from '../../../../test/given-fleet.ts'
import { type Client, givenClient } from '../../../../test/given.ts'

let test: TestApp
beforeAll(async () => {
  test = await startTestApp()
})

interface Answer {
  areDevices: boolean
  changes: { kind: string; deviceIds: string[]; deviceCount: number; name: string; id: string }[]
}

const runs = (workspaceId: string, deviceId: string, version: string) =>
  test.doors.intake.receive({
    workspaceId,
    deviceId,
    door: 'Mqtt',
    receivedAt: test.ctx.now(),
    message: {
      kind: 'session',
      session: { runId: crypto.randomUUID(), firmware: [{ slug: 'gateway', version }] },
    },
  })

async function givenIncident(client: Client, tick: () => Promise<void>, more: object = {}) {
  const { id } = await givenRule(client, more)
  await report(test, client.workspaceId, { values: { a: 90, b: 95, c: 20 } })
  await tick()
  return (await client.get(`/alert-rules/${id}`)).json<ShownRule>().incidentId ?? ''
}

it('names firmware, configuration and other incidents of its devices, and nothing of others', async () => {
  const clock = givenClock(test)
  const client = await givenClient(test)
  await givenFleetDevices(test.ctx, client.workspaceId, ['a', 'b', 'c'])
  await runs(client.workspaceId, 'a', '1.0')
  clock.pass(3 * 3_600_000)
  await runs(client.workspaceId, 'b', '2.0')
  await runs(client.workspaceId, 'c', '3.0')
  await client.put('/devices/a/configuration/desired', { logSeverity: 'Debug' })
  const other = await givenIncident(client, clock.tick, { name: 'First' })
  const incidentId = await givenIncident(client, clock.tick, { name: 'Second' })

  const { changes, areDevices } = (
    await client.get(`/alert-incidents/${incidentId}/changes`)
  ).json<Answer>()
  const listed = await client.post(`/alert-incidents/${incidentId}/series/list`, {})

  expect(areDevices).toBe(true)
  const names = changes.map(({ kind, name, deviceIds, deviceCount }) => [
    kind,
    name,
    deviceIds,
    deviceCount,
  ])
  expect(names).toEqual(
    expect.arrayContaining([
      ['Firmware', 'gateway 2.0', ['b'], 1],
      ['Incident', 'First', ['a', 'b'], 2],
    ]),
  )
  expect(JSON.stringify(names)).not.toMatch(/1\.0|3\.0/)
  expect(changes.find(({ kind }) => kind === 'Incident')?.id).toBe(other)
  expect(
    listed
      .json<{ series: { series: string; runs: object[] }[] }>()
      .series.map(({ series, runs: now }) => [series, now]),
  ).toEqual([
    ['a', [{ slug: 'gateway', version: '1.0', firmwareVersionId: null }]],
    ['b', [{ slug: 'gateway', version: '2.0', firmwareVersionId: null }]],
  ])
})

it('are not known where all devices are looked at together, and not to others', async () => {
  const clock = givenClock(test)
  const client = await givenClient(test)
  const stranger = await givenClient(test)
  await givenFleetDevices(test.ctx, client.workspaceId, ['a', 'b', 'c'])
  const condition = {
    metric: 'temperature',
    operator: 'GreaterThan',
    threshold: 60,
    groupBy: 'None',
  }
  const incidentId = await givenIncident(client, clock.tick, { condition })
  const path = `/alert-incidents/${incidentId}/changes`

  expect((await client.get(path)).json()).toMatchObject({ areDevices: false, changes: [] })
  expect((await stranger.get(path)).statusCode).toBe(404)
  expect((await client.get('/alert-incidents/x/changes')).statusCode).toBe(404)
})
