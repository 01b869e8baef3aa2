import { beforeAll, describe, expect, it } from 'vitest'
import { sharedTestApp, type TestApp } from '../../../../test/app.ts'
import { type Client, givenClient } from '../../../../test/given.ts'

let test: TestApp
let client: Client
let firmwareId: string

interface CreatedResource {
  id: string
}

beforeAll(async () => {
  test = await sharedTestApp()
  client = await givenClient(test)
  const create = async (path: string, body: object) =>
    (await client.post(path, body)).json<CreatedResource>()
  ;({ id: firmwareId } = await create('/firmwares', { slug: 'gateway', name: 'Gateway main' }))
  await create(`/firmwares/${firmwareId}/versions`, { name: '2.4@rc' })
  for (const slug of ['twin-a', 'twin-b']) await create('/firmwares', { slug, name: 'Twin' })
  await create('/devices', { id: 'gw-1', tags: ['pilot'] })
  await create('/devices', { id: 'gw-2' })
  await create('/deployment-cohorts', { name: 'pilots', tagRule: { all: ['pilot'] } })
  await create('/alert-rules', {
    name: 'Silent',
    type: 'DeviceOffline',
    evaluationFrequency: '1m',
    condition: { offlineFor: '1h' },
  })
})

const METRIC = {
  metric: 'x',
  from: '2026-01-01T00:00:00Z',
  to: '2026-01-02T00:00:00Z',
  aggregation: 'Average',
}
const inFilter = (member: string) => (name: string) => ({ filter: { [member]: [name] } })

/** Every member of a filter that names something, with what it is called and a name that nothing has. */
const MEMBERS = [
  ['/devices/list', '/filter/cohortIds/0', inFilter('cohortIds'), ['pilots']],
  ['/devices/list', '/filter/firmwareIds/0', inFilter('firmwareIds'), ['gateway', 'Gateway main']],
  [
    '/devices/list',
    '/filter/firmwareVersionIds/0',
    inFilter('firmwareVersionIds'),
    ['gateway@2.4@rc'],
  ],
  ['/vulnerability-findings/list', '/filter/firmwareIds/0', inFilter('firmwareIds'), ['gateway']],
  [
    '/vulnerabilities/list',
    '/filter/firmwareVersionIds/0',
    inFilter('firmwareVersionIds'),
    ['gateway@2.4@rc'],
  ],
  ['/components/list', '/filter/firmwareIds/0', inFilter('firmwareIds'), ['gateway']],
  ['/alert-incidents/list', '/filter/alertRuleIds/0', inFilter('alertRuleIds'), ['Silent']],
  ['/device-logs/list', '/filter/deviceIds/0', inFilter('deviceIds'), ['gw-1']],
  [
    '/metrics/query',
    '/deviceIds/0',
    (name: string) => ({ ...METRIC, deviceIds: [name] }),
    ['gw-1'],
  ],
  [
    '/metrics/query',
    '/deploymentCohortId',
    (name: string) => ({ ...METRIC, deploymentCohortId: name }),
    ['pilots'],
  ],
] as const

describe.each(MEMBERS)('%s %s', (path, pointer, body, names) => {
  it.each(names)('takes the name %s', async (name) => {
    const answer = await client.post(path, body(name))

    expect([answer.statusCode, answer.body]).toEqual([200, answer.body])
  })

  it.each(['nobody', crypto.randomUUID()])('refuses what nothing is called: %s', async (name) => {
    const answer = await client.post(path, body(name))

    expect(answer.statusCode).toBe(400)
    expect(answer.json()).toMatchObject({
      detail: expect.stringContaining(JSON.stringify(name)) as string,
      errors: [{ pointer }],
    })
  })
})

it('lists the devices of the cohort that is named', async () => {
  const answer = await client.post('/devices/list', { filter: { cohortIds: ['pilots'] } })

  expect(answer.json<{ devices: CreatedResource[] }>().devices.map(({ id }) => id)).toEqual([
    'gw-1',
  ])
})

it('asks for the id where several have the name', async () => {
  const answer = await client.post('/components/list', { filter: { firmwareIds: ['Twin'] } })

  expect(answer.statusCode).toBe(400)
  expect(answer.json()).toMatchObject({ detail: expect.stringContaining('state the id') as string })
})

it('does not know what another workspace calls so', async () => {
  const other = await givenClient(test)

  for (const name of ['gateway', firmwareId])
    expect(
      (await other.post('/components/list', { filter: { firmwareIds: [name] } })).statusCode,
    ).toBe(400)
})
