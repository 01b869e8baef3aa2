import { sql } from 'kysely'
import { beforeAll, describe, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../test/app.ts'
import { type Client, givenClient } from '../../../test/given.ts'
import {
  askForRefreshes,
  countDevices,
  cpeOf,
  givenDecision,
  givenProduct,
  givenVersion,
  refreshKept,
  type GivenProduct,
} from '../../../test/given-findings.ts'
import { removeSbom } from '../../../test/given-inventory.ts'
import { newId } from '../../platform/ids.ts'
import { VULNERABILITY_SORT_COLUMNS } from './schemas.ts'

let service: TestApp
beforeAll(async () => {
  service = await startTestApp({ fewMatches: 0 })
})

interface Row {
  cveId: string
  detectedAt: string
  firmwareVersionCount: number
  findingCount: number
}
interface Page {
  vulnerabilities: Row[]
  nextCursor?: string
  hasMore: boolean
  totalCount: number
}

async function list(client: Client, body: object = {}): Promise<Page> {
  const response = await client.post('/vulnerabilities/list', body)
  expect([response.statusCode, response.body.slice(0, 300)]).toEqual([200, expect.anything()])
  return response.json<Page>()
}
const cves = ({ vulnerabilities }: Page) => vulnerabilities.map(({ cveId }) => cveId)

async function everyPage(client: Client, body: object): Promise<Page[]> {
  const pages = [await list(client, body)]
  for (let cursor = pages[0]?.nextCursor; cursor !== undefined; cursor = pages.at(-1)?.nextCursor)
    pages.push(await list(client, { ...body, cursor }))
  return pages
}

const component = ({ product }: GivenProduct, version = '1.0') => ({
  packageName: product,
  version,
  cpes: [cpeOf(product, version)],
})
const versionWith = (client: Client, ...components: ReturnType<typeof component>[]) =>
  givenVersion(service.ctx, client.workspaceId, components)

/** As if this many devices reported exactly these versions. */
const givenDevices = (
  { workspaceId }: Client,
  devices: number,
  ...versions: { firmwareVersionId: string }[]
) =>
  sql`
  insert into firmware_set_device_counts (workspace_id, firmware_version_ids, devices)
  values (${workspaceId}, ${versions.map((one) => one.firmwareVersionId)}::uuid[], ${devices})`.execute(
    service.ctx.db,
  )

describe('the vulnerabilities of a workspace', () => {
  it('have one row each, with counts over all packages and firmware versions', async () => {
    const client = await givenClient(service)
    const product = await givenProduct(service.ctx, ['High'], { score: 7.5 })
    const vulnerabilityId = product.cveIds[0] ?? ''
    // The first version has two packages of the vulnerability, and counts once.
    const first = await versionWith(client, component(product, '1.0'), component(product, '1.5'))
    const second = await versionWith(client, component(product, '1.0'))
    const third = await versionWith(client, component(product, '1.5'))
    await givenDecision(service.ctx, second, { vulnerabilityId, assessment: 'NotAffected' })
    await givenDecision(service.ctx, third, { vulnerabilityId, ignored: true })
    await givenDevices(client, 5, first, second)
    await givenDevices(client, 2, third)
    await givenDevices(client, 40, { firmwareVersionId: newId() })

    expect(await list(client)).toEqual({
      vulnerabilities: [
        {
          cveId: vulnerabilityId,
          name: 'Flaw 0',
          severity: 'High',
          cvssScore: 7.5,
          epssScore: null,
          isKnownCisaExploit: false,
          exploitedSources: [],
          isDisputed: false,
          detectedAt: expect.any(String) as string,
          firmwareVersionCount: 3,
          findingCount: 4,
          activeFindingCount: 2,
          assessments: [
            { assessment: 'NotAssessed', count: 3 },
            { assessment: 'NotAffected', count: 1 },
          ],
          affectedDeviceCount: 7,
          assignee: null,
          owners: [],
          isPartlyUnowned: true,
          ssvcOutcome: 'Act',
          ssvcLeastOutcome: 'Track',
          commentCount: 0,
          componentCount: 2,
          components: [
            { name: product.product, version: '1.5' },
            { name: product.product, version: '1.0' },
          ],
        },
      ],
      hasMore: false,
      totalCount: 1,
      totalCountIsLowerBound: false,
    })
    const opened = await client.post('/vulnerability-findings/list', {
      filter: { cveIds: [vulnerabilityId] },
    })
    expect(opened.json<{ totalCount: number }>().totalCount).toBe(2)
  })

  it('are listed for what one of their findings is, and count all of them', async () => {
    const client = await givenClient(service)
    const mixed = await givenProduct(service.ctx, ['High'])
    const closed = await givenProduct(service.ctx, ['Low'], { isKnownExploit: true })
    const vulnerabilityId = mixed.cveIds[0] ?? ''
    const first = await versionWith(client, component(mixed), component(closed))
    const second = await versionWith(client, component(mixed, '1.5'))
    await givenDecision(service.ctx, first, { vulnerabilityId, assessment: 'InTriage' })
    await givenDecision(service.ctx, first, {
      vulnerabilityId: closed.cveIds[0] ?? '',
      assessment: 'FalsePositive',
      ignored: true,
    })
    await givenDevices(client, 1, second)
    await countDevices(service.ctx, client)

    const kept = async (filter: object) => cves(await list(client, { filter }))
    const both = [...closed.cveIds, ...mixed.cveIds]

    expect(await kept({})).toEqual(both)
    expect(await kept({ activeOnly: true })).toEqual(mixed.cveIds)
    expect(await kept({ assessments: ['FalsePositive', 'InTriage'] })).toEqual(both)
    expect(await kept({ assessments: ['NotAssessed'] })).toEqual(mixed.cveIds)
    expect(await kept({ ignored: true })).toEqual(closed.cveIds)
    expect(await kept({ severities: ['Low', 'None'] })).toEqual(closed.cveIds)
    expect(await kept({ knownCisaExploit: true })).toEqual(closed.cveIds)
    expect(await kept({ knownCisaExploit: false })).toEqual(mixed.cveIds)
    expect(await kept({ affectedDevicesOnly: true })).toEqual(mixed.cveIds)
    expect(await kept({ cveIds: mixed.cveIds })).toEqual(mixed.cveIds)
    expect(await kept({ name: [{ contains: closed.product }] })).toEqual(closed.cveIds)
    expect(await kept({ confidences: ['Low'] })).toEqual([])
    const packages = [{ packageName: mixed.product, version: '1.5' }]
    expect(
      (await list(client, { filter: { components: packages } })).vulnerabilities,
    ).toMatchObject([{ cveId: vulnerabilityId, findingCount: 2 }])
  })

  it('are those of the firmware versions asked for alone', async () => {
    const client = await givenClient(service)
    const [both, one] = [
      await givenProduct(service.ctx, ['High']),
      await givenProduct(service.ctx, ['Critical']),
    ]
    const first = await versionWith(client, component(both), component(one))
    const second = await versionWith(client, component(both))
    await givenDevices(client, 3, first)
    const { firmwareVersionId } = second
    const version = await client.get(`/firmware-versions/${firmwareVersionId}`)
    const firmwareId = version.json<{ firmware: { id: string } }>().firmware.id

    const inVersion = await list(client, { filter: { firmwareVersionIds: [firmwareVersionId] } })

    expect(inVersion.vulnerabilities).toMatchObject([
      {
        cveId: both.cveIds[0],
        findingCount: 1,
        firmwareVersionCount: 1,
        affectedDeviceCount: 0,
        assessments: [{ assessment: 'NotAssessed', count: 1 }],
      },
    ])
    expect(await list(client, { filter: { firmwareIds: [firmwareId] } })).toEqual(inVersion)
    const active = { firmwareVersionIds: [firmwareVersionId], activeOnly: true }
    expect(await list(client, { filter: active })).toEqual(inVersion)
    await givenDecision(service.ctx, second, {
      vulnerabilityId: both.cveIds[0] ?? '',
      assessment: 'Resolved',
    })
    expect(await list(client, { filter: active })).toMatchObject({ vulnerabilities: [] })
  })

  it('were detected with their first finding', async () => {
    const client = await givenClient(service)
    const product = await givenProduct(service.ctx, ['High'])
    const late = await givenProduct(service.ctx, ['High'])
    await versionWith(client, component(product))
    const [before] = (await list(client)).vulnerabilities
    await versionWith(client, component(product, '1.5'), component(late))

    const at = Date.parse(before?.detectedAt ?? '')
    const since = (time: number) => ({ filter: { detectedSince: new Date(time).toISOString() } })
    const newest = await list(client, { sortColumn: 'DetectedAt' })

    expect(cves(newest)).toEqual([...late.cveIds, ...product.cveIds])
    expect(newest.vulnerabilities[1]?.detectedAt).toBe(before?.detectedAt)
    expect(cves(await list(client, since(at)))).toHaveLength(2)
    expect(cves(await list(client, since(at + 1)))).toEqual(late.cveIds)
  })

  it('come by risk: exploited, run by most devices, worst, most likely', async () => {
    const client = await givenClient(service)
    const critical = await givenProduct(service.ctx, ['Critical', 'Critical', 'Critical'])
    const exploited = await givenProduct(service.ctx, ['Low'], { isKnownExploit: true })
    const run = await givenProduct(service.ctx, ['Medium', 'High'])
    const [low, none, high] = critical.cveIds
    await sql`insert into epss_scores values (${low}, 0.1, 0.5), (${high}, 0.9, 0.5)`.execute(
      service.ctx.db,
    )
    await versionWith(client, component(critical), component(exploited))
    const version = await versionWith(client, component(run))
    await givenDevices(client, 12, version)
    await countDevices(service.ctx, client)
    const expected = [...exploited.cveIds, run.cveIds[1], run.cveIds[0], high, low, none]

    expect(cves(await list(client))).toEqual(expected)
    expect(cves(await list(client, { ascending: true }))).toEqual(expected.toReversed())
    const byEpss = await list(client, { sortColumn: 'EpssScore' })
    expect(cves(byEpss).slice(0, 2)).toEqual([high, low])
  })

  it('come by devices once a job has counted these', async () => {
    const client = await givenClient(service)
    const run = await givenProduct(service.ctx, ['Low'])
    const critical = await givenProduct(service.ctx, ['Critical'])
    await versionWith(client, component(critical))
    const version = await versionWith(client, component(run))
    await givenDevices(client, 12, version)
    const waiting = async () => {
      const { rows } = await sql`
        select from pgboss.job where name = 'findings.devices-moved'
          and data ->> 'workspaceId' = ${client.workspaceId}`.execute(service.ctx.db)
      return rows.length
    }

    expect(cves(await list(client))).toEqual([...critical.cveIds, ...run.cveIds])
    expect(await waiting()).toBe(0)
    await askForRefreshes(service.ctx)
    expect(await waiting()).toBe(1)
    await refreshKept(service.ctx, client)
    await askForRefreshes(service.ctx)
    expect(await waiting()).toBe(1)

    expect(cves(await list(client))).toEqual([...run.cveIds, ...critical.cveIds])
    const components = await client.post('/vulnerable-components/list', {})
    expect(components.json()).toMatchObject({ components: [{ name: run.product }, {}] })
    const findings = await client.post('/vulnerability-findings/list', {})
    expect(findings.json()).toMatchObject({ findings: [{ cveId: run.cveIds[0] }, {}] })
    // As many sets of versions, of as many devices.
    await sql`delete from firmware_set_device_counts where workspace_id = ${client.workspaceId}`.execute(
      service.ctx.db,
    )
    await givenDevices(client, 12, { firmwareVersionId: newId() })
    await refreshKept(service.ctx, client)
    expect(cves(await list(client))).toEqual([...critical.cveIds, ...run.cveIds])
  })

  it('are found by their names, and by new ones once a job has copied these', async () => {
    const client = await givenClient(service)
    const { db } = service.ctx
    const product = await givenProduct(service.ctx, ['High', 'Low'])
    await versionWith(client, component(product))
    const found = async (contains: string) =>
      cves(await list(client, { filter: { name: [{ contains }] } }))
    const [first = '', second = ''] = product.cveIds

    expect(await found('FLAW 0')).toEqual([first])
    await refreshKept(service.ctx, client)
    expect(await found('FLAW 0')).toEqual([first])
    await sql`update vulnerabilities set name = 'Änderung' where id = ${second}`.execute(db)
    await sql`
      update workspace_kept_locks set names_copied_at = (names_copied_at at time zone 'UTC' - interval '1 hour') at time zone 'UTC'
      where workspace_id = ${client.workspaceId}`.execute(db)
    await refreshKept(service.ctx, client)
    expect(await found('äNDER')).toEqual([second])
    expect(await found('flaw 1')).toEqual([])
    expect(cves(await list(client, { sortColumn: 'Name' }))).toEqual([second, first])
  })

  it('come by EPSS score, and by new ones once a job has copied these', async () => {
    const client = await givenClient(service)
    const { db } = service.ctx
    const product = await givenProduct(service.ctx, ['High', 'High', 'High'])
    const [first = '', second = '', third = ''] = product.cveIds
    const listed = async () => cves(await list(client, { sortColumn: 'EpssScore' }))
    const publish = async (scores: Record<string, number>) => {
      await sql`
        insert into epss_scores select key, value::real, 0.5 from jsonb_each(${JSON.stringify(scores)}::jsonb)
        on conflict (cve_id) do update set score = excluded.score`.execute(db)
      await sql`
        insert into vulnerability_sources as known (source, score_revision) values ('epss', 1)
        on conflict (source) do update set score_revision = known.score_revision + 1`.execute(db)
    }

    await publish({ [second]: 0.5, [third]: 0.25 })
    await versionWith(client, component(product))
    expect(await listed()).toEqual([second, third, first])
    await refreshKept(service.ctx, client)
    expect(await listed()).toEqual([second, third, first])
    await publish({ [first]: 0.375, [second]: 0.125 })
    await refreshKept(service.ctx, client)

    expect(await listed()).toEqual([first, third, second])
    const components = await client.post('/vulnerable-components/list', { sortColumn: 'EpssScore' })
    expect(components.json()).toMatchObject({ components: [{ epssScore: 0.375 }] })
    const findings = await client.post('/vulnerability-findings/list', { sortColumn: 'EpssScore' })
    const expected = [first, third, second].map((cveId) => ({ cveId }))
    expect(findings.json()).toMatchObject({ findings: expected })
  })

  it.each(VULNERABILITY_SORT_COLUMNS)('fill pages by %s, each once', async (sortColumn) => {
    const client = await givenClient(service)
    const products = [
      await givenProduct(service.ctx, ['High', 'Low', 'Unknown']),
      await givenProduct(service.ctx, ['Critical', 'Low'], { score: 9 }),
    ] as const
    const versions = ['1.0', '1.5', '1.6']
    await versionWith(
      client,
      ...products.flatMap((product) => versions.map((version) => component(product, version))),
    )
    await versionWith(client, component(products[1]))

    for (const ascending of [false, true]) {
      const order = { sortColumn, ascending }
      const whole = cves(await list(client, order))
      const pages = await everyPage(client, { ...order, limit: 2 })
      expect(new Set(whole).size).toBe(5)
      expect(pages.flatMap(cves)).toEqual(whole)
      expect(pages.map(({ totalCount }) => totalCount)).toEqual([5, 5, 5])
    }
  })

  it('go on from the cursor with what there is by then', async () => {
    const client = await givenClient(service)
    const [gone, late] = [
      await givenProduct(service.ctx, ['Critical', 'Low']),
      await givenProduct(service.ctx, ['Medium']),
    ]
    const version = await versionWith(client, component(gone))
    const { nextCursor: cursor } = await list(client, { limit: 1 })
    await removeSbom(service.ctx, version)
    await versionWith(client, component(late))

    expect(cves(await list(client, { limit: 1, cursor }))).toEqual(late.cveIds)
    expect(await list(client)).toMatchObject({ vulnerabilities: [{}], totalCount: 1 })
  })

  it('are not shown to another workspace, nor do they count its versions', async () => {
    const [client, stranger] = [await givenClient(service), await givenClient(service)]
    const [shared, own] = [
      await givenProduct(service.ctx, ['High', 'Low']),
      await givenProduct(service.ctx, ['Critical']),
    ]
    const version = await versionWith(client, component(shared), component(own))
    await versionWith(stranger, component(shared))
    const { nextCursor: cursor } = await list(client, { limit: 1 })

    expect((await list(stranger)).vulnerabilities).toMatchObject(
      shared.cveIds.map((cveId) => ({ cveId, firmwareVersionCount: 1, findingCount: 1 })),
    )
    const filter = { firmwareVersionIds: [version.firmwareVersionId] }
    expect((await stranger.post('/vulnerabilities/list', { filter })).statusCode).toBe(400)
    const refused = await stranger.post('/vulnerabilities/list', { limit: 1, cursor })
    expect(refused.statusCode).toBe(400)
  })
})
