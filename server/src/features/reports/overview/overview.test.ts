/** The overview of a workspace, through the API. */
import { beforeAll, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../../test/app.ts'
import { givenClock, givenRule, report } from '../../../../test/given-alert-rules.ts'
import { type Client, givenClient } from '../../../../test/given.ts'
import {
  givenDecision,
  givenProduct,
  givenRunning,
  givenVersion,
} from '../../../../test/given-findings.ts'
import { givenFleetDevices } from '../../../../test/given-fleet.ts'
import { maintainDailyDevices } from '../exposure/service.ts'

let test: TestApp
beforeAll(async () => {
  test = await startTestApp()
})

interface Need {
  kind: string
  count: number
  devices: number | null
  text: string
  detail: string | null
  target: { findingFilter?: object; source?: string }
}
interface Overview {
  devices: Record<string, unknown>
  needsYou: Need[]
  waiting: Record<string, unknown>
  firmwareVersions: {
    firmwareVersion: { id: string }
    mark: { state: string }
    deviceCount: number
    trend: { devices: number }[]
  }[]
  setup: object
}
const read = async (client: Client) => (await client.get('/overview')).json<Overview>()
const kinds = ({ needsYou }: Overview) =>
  needsYou.flatMap(({ kind }) => (kind === 'StaleSource' ? [] : [kind]))

async function given(client: Client, severity: 'Critical' | 'High', isKnownExploit = false) {
  const product = await givenProduct(test.ctx, [severity], { isKnownExploit })
  const component = { packageName: product.product, version: '1.0', cpes: product.cpes }
  const version = await givenVersion(test.ctx, client.workspaceId, [component])
  return { ...version, vulnerabilityId: product.cveIds[0] ?? '' }
}

it('asks for nothing in a workspace without content but for sources, and says what is to be set up', async () => {
  const overview = await read(await givenClient(test))

  expect(kinds(overview)).toEqual([])
  expect(overview.needsYou[0]).toMatchObject({ kind: 'StaleSource', target: { source: 'cvelist' } })
  expect(overview).toMatchObject({
    devices: { total: 0, deviceCount: 0, exploited: 0, exploitedWeekAgo: null },
    firmwareVersions: [],
    firmwareVersionCount: 0,
    setup: { hasSources: false, hasFirmware: false, hasSbom: false, hasDevice: false },
  })
})

it('puts what is worst first, with counts that its lists have', async () => {
  const client = await givenClient(test)
  const high = await given(client, 'High')
  const exploited = await given(client, 'Critical', true)
  await givenFleetDevices(test.ctx, client.workspaceId, ['a', 'b'])
  await givenRunning(test.ctx, 3, exploited)
  await givenRunning(test.ctx, 8, high)
  const lastWeek = () => new Date(Date.now() - 7 * 86_400_000)
  await maintainDailyDevices({ ...test.ctx, now: lastWeek })
  await givenRunning(test.ctx, 2, exploited)

  const overview = await read(client)

  expect(kinds(overview)).toEqual(['Exploited', 'NewCritical', 'UndecidedCritical', 'NewHigh'])
  expect(overview.needsYou.map(({ text }) => text)).toContain('2 new High or worse since yesterday')
  expect(overview.waiting).toEqual({
    findings: 2,
    findingsIsLowerBound: false,
    proposals: 0,
    deployments: 0,
    alerts: 0,
    devices: 0,
  })
  expect(overview.needsYou[0]).toMatchObject({
    text: '1 known exploited, on 2 devices',
    devices: 2,
  })
  expect(overview.devices).toMatchObject({
    total: 2,
    deviceCount: 10,
    exploited: 2,
    exploitedWeekAgo: { day: lastWeek().toISOString().slice(0, 10), exploited: 3 },
  })
  for (const { count, target } of overview.needsYou.filter((need) => need.target.findingFilter)) {
    const filter = target.findingFilter
    const listed = await client.post('/vulnerabilities/list', { filter })
    expect(listed.json()).toMatchObject({ totalCount: count })
  }
  expect(
    overview.firmwareVersions.map(({ firmwareVersion, deviceCount, trend }) => [
      firmwareVersion.id,
      deviceCount,
      trend.map(({ devices }) => devices),
    ]),
  ).toEqual([
    [exploited.firmwareVersionId, 2, [3, 2]],
    [high.firmwareVersionId, 8, [8, 8]],
  ])
})

it('asks no longer for what was decided, and leaves out what a key may not read', async () => {
  const client = await givenClient(test)
  const { vulnerabilityId, ...version } = await given(client, 'Critical')
  await givenDecision(test.ctx, version, { vulnerabilityId, assessment: 'NotAffected' })
  await test.ctx.db
    .updateTable('sboms')
    .set({ parsingState: 'Failed' })
    .where('id', '=', version.sbomId)
    .execute()

  const all = await read(client)
  const key = await test.givenKey(client.workspaceId, ['Vulnerabilities: read'])
  const some = await test.app.inject({
    url: `/workspaces/${client.workspaceId}/overview`,
    headers: { authorization: `Bearer ${key}` },
  })

  expect(kinds(all)).toEqual(['FailedSbom'])
  expect(all.needsYou[0]?.text).toMatch(/^1 SBOM of .+ could not be read$/)
  expect(kinds(some.json<Overview>())).toEqual([])
  expect(some.json<Overview>().waiting).toMatchObject({
    deployments: null,
    alerts: null,
    devices: null,
  })
})

it('asks no longer for what was decided a moment ago to be exploitable, and counts as new what is asked for', async () => {
  const client = await givenClient(test)
  const { vulnerabilityId, ...version } = await given(client, 'High')

  const before = await read(client)
  const since = new Date(Date.now() + 60_000).toISOString()
  const later = (await client.get(`/overview?newSince=${since}`)).json<Overview>()
  await givenDecision(test.ctx, version, { vulnerabilityId, assessment: 'Exploitable' })
  const after = await read(client)

  expect([kinds(before), kinds(later), kinds(after)]).toEqual([['NewHigh'], [], []])
  expect([before.waiting['findings'], after.waiting['findings']]).toEqual([1, 0])
})

it('says of alerts that are firing whether people are told of them', async () => {
  const client = await givenClient(test)
  const clock = givenClock(test)
  await givenFleetDevices(test.ctx, client.workspaceId, ['a'])
  await givenRule(client)
  await report(test, client.workspaceId, { values: { a: 90 } })
  await clock.tick()
  const told = await read(client)
  const page = await client.post('/alert-incidents/list', { limit: 1 })
  const [incident] = page.json<{ incidents: { id: string }[] }>().incidents
  const body = { until: clock.instant(10), reason: 'The fan is due' }
  await client.post(`/alert-incidents/${incident?.id}/silence`, body)

  const silenced = await read(client)

  expect([told, silenced].map(({ needsYou }) => needsYou[0]?.text)).toEqual([
    '1 alert firing',
    '1 silenced alert firing',
  ])
  expect(silenced.needsYou[0]?.detail).toMatch(/; nobody is told$/)
  expect(silenced.waiting).toMatchObject({ alerts: 1 })
})
