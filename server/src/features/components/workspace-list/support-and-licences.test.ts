/** The list of components by the end of their support and by what the licence rules say, on the day of the clock. */
import { expect, it } from 'vitest'
import { startTestApp } from '../../../../test/app.ts'
import { givenClient, givenFirmwareVersion, matchedSboms, upload } from '../../../../test/given.ts'
import { givenFolder } from '../../../../test/given-feeds.ts'
import { supportCycle, supportList, supportProduct } from '../../../../test/given-support.ts'
import { importFeeds } from '../../advisories/index.ts'
import { deriveChangedProducts } from '../../support/index.ts'

const service = await startTestApp()
service.ctx.now = () => new Date('2026-11-29T12:00:00Z')
await service.startWorker()

const component = (name: string, version: string, more: object = {}) => ({
  type: 'library',
  name,
  version,
  purl: `pkg:generic/${name}@${version}`,
  ...more,
})
const licensed = (expression: string) => ({ licenses: [{ expression }] })

const COMPONENTS = [
  component('dead-lib', '1.2.0', licensed('MIT')),
  component('dead-lib', '2.1.0', licensed('AGPL-3.0-only')),
  component('dead-lib', '3.0.0', licensed('AGPL-3.0-only OR MIT')),
  component('dead-lib', '4.0.0', licensed('LGPL-2.1-only')),
  component('dead-lib', '9.0.0', licensed('Own words')),
  component('other-lib', '1.0.0'),
  component('acme-bsp', '2.0.0', licensed('MIT')),
]
const RULES = { allow: ['MIT'], deny: ['AGPL-3.0-only'], review: ['LGPL-2.1-or-later'], failOn: [] }

interface Row {
  packageName: string
  version: string
  supportState: string
  supportEndsOn: string | null
  supportedAs: string | null
  licenceOutcome: string | null
}

async function givenListed() {
  const releases = [
    supportCycle('1', '2024-01-01'),
    supportCycle('2', '2027-01-15'),
    supportCycle('3', '2031-01-01'),
    supportCycle('4', false),
  ]
  const product = supportProduct('dead-lib', releases, {
    label: 'Dead library',
    identifiers: ['pkg:generic/dead-lib'],
  })
  const path = givenFolder({ 'full.json': supportList([product], '2026-11-01T00:00:00Z') })
  await importFeeds(service.ctx, { path })
  await deriveChangedProducts(service.ctx, {})
  const client = await givenClient(service)
  await client.post('/support-statements', { name: 'acme-bsp', endsOn: '2026-06-30' })
  const firmwareVersionId = await givenFirmwareVersion(client)
  const document = { bomFormat: 'CycloneDX', specVersion: '1.6', components: COMPONENTS }
  const files = [{ name: 'image.json', bytes: JSON.stringify(document) }]
  await upload(service, client, { firmwareVersionId, files })
  await matchedSboms(client, firmwareVersionId)
  const ask = (filter: object) =>
    client.post('/components/list', {
      filter: { firmwareVersionIds: [firmwareVersionId], ...filter },
    })
  const list = async (filter: object) => {
    const answer = await ask(filter)
    expect([answer.statusCode, answer.body.slice(0, 300)]).toEqual([200, expect.anything()])
    return answer.json<{ components: Row[] }>().components
  }
  const count = async () =>
    (await client.get(`/firmware-versions/${firmwareVersionId}/component-counts`)).json<{
      componentCount: number
      supportStates: Record<string, number>
      endingSoon: { before: string; count: number }
      licenceOutcomes: Record<string, number> | null
    }>()
  return { client, firmwareVersionId, list, count }
}

const nameOf = ({ packageName, version }: Row) => `${packageName} ${version}`

it('tells the end of support of each component, and of what nobody lists that it is not known', async () => {
  const { list } = await givenListed()

  const rows = await list({})

  expect(
    rows.map((row) =>
      [nameOf(row), row.supportState, row.supportEndsOn, row.supportedAs].join(', '),
    ),
  ).toEqual([
    'acme-bsp 2.0.0, Ended, 2026-06-30, acme-bsp',
    'dead-lib 1.2.0, Ended, 2024-01-01, Dead library 1',
    'dead-lib 2.1.0, Ending, 2027-01-15, Dead library 2',
    'dead-lib 3.0.0, Ending, 2031-01-01, Dead library 3',
    'dead-lib 4.0.0, NoEndPlanned, , Dead library 4',
    'dead-lib 9.0.0, NotKnown, , Dead library',
    'other-lib 1.0.0, NotKnown, , ',
  ])
})

it.each([
  { supportStates: ['Ended'] },
  { supportStates: ['Ending', 'NoEndPlanned'] },
  { supportStates: ['NotKnown'] },
  { supportStates: ['NotKnown', 'Ended'] },
])(
  'has with $supportStates the components that say so, in a version and in the workspace',
  async (filter) => {
    const { client, list } = await givenListed()

    const expected = (await list({})).filter((row) =>
      filter.supportStates.includes(row.supportState),
    )

    expect((await list(filter)).map(nameOf)).toEqual(expected.map(nameOf))
    const everywhere = await client.post('/components/list', { filter })
    expect(everywhere.json<{ components: Row[] }>().components.map(nameOf)).toEqual(
      expected.map(nameOf),
    )
  },
)

it('has before a day what ends before it or has ended, and nothing of which nothing is known', async () => {
  const { list, count } = await givenListed()

  const { endingSoon } = await count()
  const before = { supportEndsBefore: endingSoon.before }

  expect((await list(before)).map(nameOf)).toEqual([
    'acme-bsp 2.0.0',
    'dead-lib 1.2.0',
    'dead-lib 2.1.0',
  ])
  const soon = await list({ ...before, supportStates: ['Ending', 'NotKnown'] })
  expect(soon.map(nameOf)).toEqual(['dead-lib 2.1.0'])
  expect(endingSoon).toEqual({ before: '2027-02-28', count: soon.length })
})

it('judges each component by the licence rules, and none where there are none', async () => {
  const { client, list, count } = await givenListed()

  expect((await list({})).map(({ licenceOutcome }) => licenceOutcome)).toEqual(
    COMPONENTS.map(() => null),
  )
  expect(await list({ licenceOutcomes: ['allowed', 'denied', 'unknown'] })).toEqual([])
  expect((await count()).licenceOutcomes).toBeNull()

  await client.put('/licence-rules', { rules: RULES })

  expect((await list({})).map((row) => `${nameOf(row)} ${row.licenceOutcome}`)).toEqual([
    'acme-bsp 2.0.0 allowed',
    'dead-lib 1.2.0 allowed',
    'dead-lib 2.1.0 denied',
    'dead-lib 3.0.0 allowed',
    'dead-lib 4.0.0 review',
    'dead-lib 9.0.0 unknown',
    'other-lib 1.0.0 unknown',
  ])
  const denied = await list({ licenceOutcomes: ['denied', 'review'] })
  expect(denied.map(nameOf)).toEqual(['dead-lib 2.1.0', 'dead-lib 4.0.0'])
})

it('counts as many as the list has with each filter', async () => {
  const { client, list, count } = await givenListed()
  await client.put('/licence-rules', { rules: RULES })

  const { componentCount, supportStates, licenceOutcomes } = await count()

  expect(componentCount).toBe((await list({})).length)
  for (const [state, expected] of Object.entries(supportStates))
    expect([state, (await list({ supportStates: [state] })).length]).toEqual([state, expected])
  for (const [outcome, expected] of Object.entries(licenceOutcomes ?? {}))
    expect([outcome, (await list({ licenceOutcomes: [outcome] })).length]).toEqual([
      outcome,
      expected,
    ])
  expect([supportStates, licenceOutcomes]).toEqual([
    { Ended: 2, Ending: 2, NoEndPlanned: 1, NotKnown: 2 },
    { allowed: 3, review: 1, notListed: 0, unknown: 2, denied: 1 },
  ])
})

it('refuses outcomes of licences without a firmware or a version, as rules are of firmwares', async () => {
  const { client } = await givenListed()

  const answer = await client.post('/components/list', { filter: { licenceOutcomes: ['denied'] } })

  expect([answer.statusCode, answer.json<{ errors: object[] }>().errors]).toMatchObject([
    400,
    [{ pointer: '/filter/licenceOutcomes' }],
  ])
})

it('shows other workspaces nothing, and takes no other into account', async () => {
  const { firmwareVersionId } = await givenListed()
  const stranger = await givenClient(service)

  const counts = await stranger.get(`/firmware-versions/${firmwareVersionId}/component-counts`)

  expect(counts.statusCode).toBe(404)
})
