import { WORKSPACE_SORT_COLUMNS } from '../schemas.ts'
import { SHALLOW } from '../../../../test/doctor.ts'
import { sql } from 'kysely'
import { beforeAll, describe, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../../test/app.ts'
import { type Client, givenClient } from '../../../../test/given.ts'
import {
  cpeOf,
  givenDecision,
  givenProduct,
  givenRunning,
  givenVersion,
  type GivenProduct,
} from '../../../../test/given-findings.ts'
import { givenSbom, removeSbom } from '../../../../test/given-inventory.ts'
import { affectedIn, givenAdvisory } from '../../../../test/given-knowledge.ts'
import { newId } from '../../../platform/ids.ts'
import { findingChecks } from '../checks-store.ts'
import { matchFirmwareVersion } from '../service.ts'

let service: TestApp
/** To them, five matches are few, or only those of one name. */
let others: TestApp[]
beforeAll(async () => {
  service = await startTestApp({ fewMatches: 0 })
  others = [
    await startTestApp({ fewMatches: 6 }, service.connectionString),
    await startTestApp({ fewMatches: 5 }, service.connectionString),
  ]
})

interface Row {
  cveId: string
  componentName: string
  componentSource: string | null
  firmwareVersionCount: number
  activeFirmwareVersionCount: number
  detectedAt: string
  assessments: { assessment: string; count: number }[]
  firmwareVersions: { id: string; findingId: string }[]
}
interface Page {
  findings: Row[]
  nextCursor?: string
  hasMore: boolean
  totalCount: number
}

async function list(client: Client, body: object = {}): Promise<Page> {
  const response = await client.post('/vulnerability-findings/list', body)
  expect([response.statusCode, response.body.slice(0, 300)]).toEqual([200, expect.anything()])
  return response.json<Page>()
}
const cves = ({ findings }: Page) => findings.map(({ cveId }) => cveId)

const component = ({ product }: GivenProduct, version = '1.0') => ({
  packageName: product,
  version,
  cpes: [cpeOf(product, version)],
})

const versionWith = (client: Client, ...products: GivenProduct[]) =>
  givenVersion(
    service.ctx,
    client.workspaceId,
    products.map((product) => component(product)),
  )

const FILTERS = [
  {},
  { activeOnly: true },
  { severities: ['High'] },
  { ignored: true },
  { name: [{ contains: 'product' }] },
  { name: [{ contains: 'flaw 1' }] },
  { name: [{ contains: 'nothing' }], activeOnly: true },
]

const KEPT_FILTERS = [
  {},
  { activeOnly: true },
  { assessments: ['Exploitable'] },
  { assessments: ['NotAssessed', 'Resolved'] },
  { ignored: true },
  { ignored: false, confidences: ['High'] },
  { activeOnly: true, confidences: ['Low'] },
  { severities: ['Low', 'Critical'], assessments: ['Exploitable', 'Resolved'] },
  { detectedSince: '2026-01-01T00:00:00Z', ignored: false },
  { affectedDevicesOnly: true },
  { affectedDevicesOnly: true, assessments: ['Exploitable'] },
  { affectedDevicesOnly: true, activeOnly: true, assessments: ['NotAssessed'] },
]

const KEPT_LISTS = Object.entries({
  '/vulnerability-findings/list': ['DetectedAt', 'Name', 'FirmwareVersionCount'],
  '/vulnerabilities/list': ['DetectedAt', 'FindingCount'],
  '/vulnerable-components/list': ['Risk', 'DetectedAt', 'VulnerabilityCount'],
}).flatMap(([path, sortColumns]) =>
  sortColumns.flatMap((sortColumn, place) =>
    KEPT_FILTERS.map((filter, index) => ({
      path,
      sortColumn,
      filter,
      ascending: (index + place) % 2 === 0,
    })),
  ),
)

/** Three versions with two packages of five vulnerabilities; some findings are decided, of others all are. */
async function givenDecidedVersions(client: Client) {
  const products = [
    await givenProduct(service.ctx, ['High', 'Low', 'Critical']),
    await givenProduct(service.ctx, ['High', 'Low']),
  ]
  const versions = []
  for (const count of [2, 2, 1])
    versions.push(await versionWith(client, ...products.slice(0, count)))
  const [decided, other] = products
  const [closed = '', mixed = '', ignored = ''] = decided?.cveIds ?? []
  for (const version of versions) {
    await givenDecision(service.ctx, version, { vulnerabilityId: closed, assessment: 'Resolved' })
    await givenDecision(service.ctx, version, { vulnerabilityId: ignored, ignored: true })
  }
  for (const version of versions.slice(1))
    await givenDecision(service.ctx, version, { vulnerabilityId: mixed, assessment: 'Exploitable' })
  const isLow = sql`update package_matches set confidence = 'Low' where vulnerability_id = any(${[mixed, other?.cveIds[0]]}::text[])`
  await isLow.execute(service.ctx.db)
  await givenRunning(service.ctx, 3, ...versions.slice(0, 1))
  for (const { repair } of findingChecks) await repair?.(service.ctx, client.workspaceId, SHALLOW)
  // One of them no longer holds what was decided about it.
  await removeSbom(
    service.ctx,
    versions[1] ?? { workspaceId: '', firmwareVersionId: '', sbomId: '' },
  )
  return versions
}

describe('the list over a workspace', () => {
  it('has one row for a vulnerability and package, whoever holds it', async () => {
    const client = await givenClient(service)
    const product = await givenProduct(service.ctx, ['High'], { score: 7.5 })
    const first = await versionWith(client, product)
    const second = await versionWith(client, product)

    const page = await list(client)

    expect(page).toEqual({
      findings: [
        {
          cveId: product.cveIds[0],
          packageId: expect.any(String) as string,
          name: 'Flaw 0',
          componentName: product.product,
          componentVersion: '1.0',
          componentSource: null,
          severity: 'High',
          cvssScore: 7.5,
          epssScore: null,
          isKnownCisaExploit: false,
          exploitedSources: [],
          isDisputed: false,
          confidence: 'High',
          detectedAt: expect.any(String) as string,
          firmwareVersionCount: 2,
          activeFirmwareVersionCount: 2,
          assessments: [{ assessment: 'NotAssessed', count: 2 }],
          firmwareVersions: [second, first].map(({ firmwareVersionId }) => ({
            id: firmwareVersionId,
            name: '1.0',
            firmwareId: expect.any(String) as string,
            firmwareName: 'Gateway',
            findingId: expect.any(String) as string,
          })),
          affectedDeviceCount: 0,
          assignee: null,
          ssvcOutcome: 'Act',
          ssvcLeastOutcome: 'Track',
          owners: [],
          isPartlyUnowned: true,
          commentCount: 0,
        },
      ],
      hasMore: false,
      totalCount: 1,
      totalCountIsLowerBound: false,
    })
    const [shown] = page.findings[0]?.firmwareVersions ?? []
    const finding = await client.get(`/vulnerability-findings/${shown?.findingId ?? ''}`)
    expect(finding.json()).toMatchObject({ cve: { id: product.cveIds[0] } })
  })

  it('names the component as the first version shown declares it, and its source', async () => {
    const client = await givenClient(service)
    const source = `source-${newId()}`
    const affected = [affectedIn(`purl:deb/debian/${source}`, [{ fixed: '2.0-1' }], 'deb')]
    const id = `DSA-${source}`
    await givenAdvisory(service.ctx.db, { id, source: 'osv', affected })
    const given = async (...names: string[]) =>
      givenVersion(
        service.ctx,
        client.workspaceId,
        names.map((packageName) => {
          const purl = `pkg:deb/debian/${packageName}@1.0-1?distro=debian-12&upstream=${source}`
          return { packageName, version: '1.0-1', purl }
        }),
      )
    const named = async (filter: object = {}) =>
      (await list(client, { filter })).findings.map((row) => [
        row.componentName,
        row.componentSource,
      ])
    const older = await given('lib-tools', 'libx')
    const newer = await given('lib-tools')
    const own = await given(source)

    expect(await named()).toEqual([[source, null]])
    await removeSbom(service.ctx, own)
    expect(await named()).toEqual([['lib-tools', source]])
    for (const [version, name] of [
      [older, 'libx'],
      [newer, 'lib-tools'],
    ] as const)
      expect(await named({ firmwareVersionIds: [version.firmwareVersionId] })).toEqual([
        [name, source],
      ])
    await givenDecision(service.ctx, older, { vulnerabilityId: id, assessment: 'InTriage' })
    expect(await named({ assessments: ['InTriage'] })).toEqual([['libx', source]])
    expect(await named({ components: [{ packageName: 'libx' }] })).toEqual([['lib-tools', source]])
  })

  it('tells packages of one vulnerability apart', async () => {
    const client = await givenClient(service)
    const product = await givenProduct(service.ctx, ['High'])
    const components = [component(product, '1.0'), component(product, '1.5')]
    await givenVersion(service.ctx, client.workspaceId, components)

    const { findings } = await list(client, { sortColumn: 'ComponentVersion', ascending: true })

    expect(findings).toMatchObject([{ componentVersion: '1.0' }, { componentVersion: '1.5' }])
  })

  it('counts what was decided, and where it still counts', async () => {
    const client = await givenClient(service)
    const product = await givenProduct(service.ctx, ['High'])
    const versions = [
      await versionWith(client, product),
      await versionWith(client, product),
      await versionWith(client, product),
    ]
    const vulnerabilityId = product.cveIds[0] ?? ''
    const [first, second] = versions
    if (first)
      await givenDecision(service.ctx, first, { vulnerabilityId, assessment: 'NotAffected' })
    if (second) await givenDecision(service.ctx, second, { vulnerabilityId, ignored: true })

    const { findings } = await list(client)

    expect(findings).toMatchObject([
      {
        firmwareVersionCount: 3,
        activeFirmwareVersionCount: 1,
        assessments: [
          { assessment: 'NotAssessed', count: 2 },
          { assessment: 'NotAffected', count: 1 },
        ],
      },
    ])
  })

  it('keeps rows one finding of which is all that is asked for', async () => {
    const client = await givenClient(service)
    const [mixed, closed] = [
      await givenProduct(service.ctx, ['High']),
      await givenProduct(service.ctx, ['Low']),
    ]
    const first = await versionWith(client, mixed, closed)
    const second = await versionWith(client, mixed)
    const assess = (version: typeof first, product: GivenProduct, decision: object) =>
      givenDecision(service.ctx, version, {
        vulnerabilityId: product.cveIds[0] ?? '',
        ...decision,
      })
    await assess(first, mixed, { assessment: 'Resolved' })
    await assess(second, mixed, { assessment: 'InTriage', recheckReason: 'Look again' })
    await assess(first, closed, { assessment: 'FalsePositive', ignored: true })

    const kept = async (filter: object) => cves(await list(client, { filter }))

    expect(await kept({ activeOnly: true })).toEqual(mixed.cveIds)
    expect(await kept({ assessments: ['Resolved'] })).toEqual(mixed.cveIds)
    expect(await kept({ assessments: ['Resolved'], activeOnly: true })).toEqual([])
    expect(await kept({ assessments: ['FalsePositive', 'InTriage'] })).toHaveLength(2)
    expect(await kept({ assessments: ['NotAssessed'] })).toEqual([])
    expect(await kept({ ignored: true })).toEqual(closed.cveIds)
    expect(await kept({ ignored: false })).toEqual(mixed.cveIds)
    expect(await kept({ recheck: true })).toEqual(mixed.cveIds)
    const { findings } = await list(client, { filter: { assessments: ['InTriage'] } })
    expect(findings[0]?.firmwareVersions.map(({ id }) => id)).toEqual([second.firmwareVersionId])
  })

  it('tells of the firmware versions asked for alone', async () => {
    const client = await givenClient(service)
    const [both, one] = [
      await givenProduct(service.ctx, ['High']),
      await givenProduct(service.ctx, ['Critical']),
    ]
    await versionWith(client, both, one)
    const { firmwareVersionId } = await versionWith(client, both)
    const version = await client.get(`/firmware-versions/${firmwareVersionId}`)
    const firmwareId = version.json<{ firmware: { id: string } }>().firmware.id

    const inVersion = await list(client, { filter: { firmwareVersionIds: [firmwareVersionId] } })
    const inFirmware = await list(client, { filter: { firmwareIds: [firmwareId] } })

    expect(inVersion.findings).toMatchObject([
      {
        cveId: both.cveIds[0],
        firmwareVersionCount: 1,
        firmwareVersions: [{ id: firmwareVersionId }],
      },
    ])
    expect(inFirmware).toEqual(inVersion)
  })

  it('finds by id, alias, name, component, severity and known exploit', async () => {
    const client = await givenClient(service)
    const alias = `GHSA-${newId()}`
    const known = await givenProduct(service.ctx, ['High'], {
      aliases: [alias],
      title: 'Hidden Backdoor',
      isKnownExploit: true,
    })
    const other = await givenProduct(service.ctx, ['Low'])
    await versionWith(client, known, other)

    const kept = async (filter: object) => cves(await list(client, { filter }))

    for (const filter of [
      { cveIds: known.cveIds },
      { cveIds: [alias] },
      { name: [{ contains: 'backDOOR' }] },
      { name: [{ contains: alias.toLowerCase() }] },
      { name: [{ contains: known.product }] },
      { components: [{ packageName: known.product, version: '1.0' }] },
      { severities: ['High'] },
      { knownCisaExploit: true },
    ])
      expect([filter, await kept(filter)]).toEqual([filter, known.cveIds])
    expect(await kept({ knownCisaExploit: false })).toEqual(other.cveIds)
    expect(await kept({ cveIds: ['CVE-1999-0001'] })).toEqual([])
    expect(await kept({ components: [] })).toEqual([])
    expect(await kept({ components: [{ packageName: known.product, version: '2' }] })).toEqual([])
  })

  it('was detected when the first version had it, and since when the filter asks', async () => {
    const client = await givenClient(service)
    const product = await givenProduct(service.ctx, ['High'])
    const first = await versionWith(client, product)
    const [before] = (await list(client)).findings
    await versionWith(client, product)
    await removeSbom(service.ctx, first)

    const [after] = (await list(client)).findings
    const [sorted] = (await list(client, { sortColumn: 'DetectedAt' })).findings
    const since = (time: number) => ({ filter: { detectedSince: new Date(time).toISOString() } })
    const at = Date.parse(before?.detectedAt ?? '')

    expect(after?.detectedAt).toBe(before?.detectedAt)
    expect(sorted?.detectedAt).toBe(before?.detectedAt)
    expect(after?.firmwareVersionCount).toBe(1)
    expect((await list(client, since(at))).findings).toHaveLength(1)
    expect((await list(client, since(at + 1))).findings).toHaveLength(0)
  })

  it('was detected when package and match first met, also after an interruption', async () => {
    const client = await givenClient(service)
    const product = await givenProduct(service.ctx, ['High'])
    const version = await versionWith(client, product)
    await removeSbom(service.ctx, version)
    const again = { ...version, components: [component(product)] }
    await givenSbom(service.ctx, again)
    await service.ctx.db
      .updateTable('packageMatches')
      .set({ since: service.ctx.now() })
      .where('vulnerabilityId', '=', product.cveIds[0] ?? '')
      .execute()

    const [row] = (await list(client)).findings
    const [own] = (
      await client.post(
        `/firmware-versions/${version.firmwareVersionId}/vulnerability-findings/list`,
        {},
      )
    ).json<{ findings: Row[] }>().findings

    expect(row?.detectedAt).toBe(own?.detectedAt)
    expect((await list(client, { sortColumn: 'DetectedAt' })).findings).toMatchObject([
      { detectedAt: own?.detectedAt },
    ])
  })

  it.each(WORKSPACE_SORT_COLUMNS)('pages through all rows, sorted by %s', async (sortColumn) => {
    const client = await givenClient(service)
    const products = [
      await givenProduct(service.ctx, ['High', 'Low', 'Unknown']),
      await givenProduct(service.ctx, ['Critical', 'Low'], { score: 9 }),
    ]
    await versionWith(client, ...products)
    await versionWith(client, ...products.slice(1))

    for (const ascending of [false, true]) {
      const order = { sortColumn, ascending }
      const whole = cves(await list(client, order))
      const paged: string[] = []
      for (let cursor: string | undefined; ;) {
        const page = await list(client, { ...order, limit: 2, ...(cursor && { cursor }) })
        paged.push(...cves(page))
        cursor = page.nextCursor
        if (cursor === undefined) break
      }
      expect(new Set(whole).size).toBe(5)
      expect(paged).toEqual(whole)
    }
    const worst = await list(client, { limit: 1 })
    expect(cves(worst)).toEqual([products[1]?.cveIds[0]])
  })

  it('shows by risk what is exploited, then what devices run, then severities and EPSS scores', async () => {
    const client = await givenClient(service)
    const { db } = service.ctx
    const critical = await givenProduct(service.ctx, ['Critical', 'Critical', 'Critical'])
    const exploited = await givenProduct(service.ctx, ['Low'], { isKnownExploit: true })
    const run = await givenProduct(service.ctx, ['Medium', 'High'])
    const [low, none, high] = critical.cveIds
    await sql`insert into epss_scores values (${low}, 0.1, 0.5), (${high}, 0.9, 0.5)`.execute(db)
    await sql`insert into eu_exploited_entries (cve_id, date_added) values (${run.cveIds[0]}, '2026-01-01')`.execute(
      db,
    )
    await versionWith(client, critical, exploited)
    await givenRunning(service.ctx, 12, await versionWith(client, run))
    const worst = await list(client)
    const least = await list(client, { ascending: true })
    const pages: Page[] = [await list(client, { limit: 1 })]
    for (let cursor = pages[0]?.nextCursor; cursor !== undefined; cursor = pages.at(-1)?.nextCursor)
      pages.push(await list(client, { limit: 1, cursor }))
    const joined = await list(client, { filter: { name: [{ contains: 'flaw' }] } })

    // ENISA lists the first one, which devices run.
    const expected = [run.cveIds[0], exploited.cveIds[0], run.cveIds[1], high, low, none]
    const kept = async (filter: object) => cves(await list(client, { filter }))
    expect(await kept({ exploited: true })).toEqual(expected.slice(0, 2))
    expect(await kept({ exploited: false })).toEqual(expected.slice(2))
    // CISA does not list the first one.
    expect(await kept({ knownCisaExploit: false })).toEqual([expected[0], ...expected.slice(2)])
    const bySeverity = await list(client, { sortColumn: 'Severity', filter: { exploited: true } })
    expect(cves(bySeverity)).toEqual(expected.slice(0, 2))

    const byEpss = await list(client, { sortColumn: 'EpssScore' })
    const byExploit = await list(client, { sortColumn: 'KnownCisaExploit' })

    expect(cves(byEpss).slice(0, 2)).toEqual([high, low])
    expect([cves(byEpss).length, cves(byExploit).length]).toEqual([6, 6])
    expect(cves(byExploit)[0]).toBe(exploited.cveIds[0])
    expect(cves(worst)).toEqual(expected)
    expect(cves(least)).toEqual(expected.toReversed())
    expect(pages.flatMap(cves)).toEqual(expected)
    expect(cves(joined)).toEqual(expected)
    expect(pages.map(({ totalCount }) => totalCount)).toEqual([6, 6, 6, 6, 6, 6])
  })

  it.each(WORKSPACE_SORT_COLUMNS)(
    'reads a small workspace by %s as a large one',
    async (sortColumn) => {
      const client = await givenClient(service)
      const products = [
        await givenProduct(service.ctx, ['High', 'Low', 'Critical'], { score: 7 }),
        await givenProduct(service.ctx, ['Medium', 'High'], { isKnownExploit: true }),
      ]
      await versionWith(client, ...products)
      const version = await versionWith(client, ...products.slice(1))
      await givenDecision(service.ctx, version, {
        vulnerabilityId: products[1]?.cveIds[0] ?? '',
        ignored: true,
      })
      const filters = [
        ...FILTERS,
        { name: [{ contains: products[1]?.product ?? '' }] },
        { components: [{ packageName: products[1]?.product ?? '' }] },
      ]
      for (const other of others)
        for (const filter of filters) {
          const body = { sortColumn, limit: 3, filter }
          const answer = await other.app.inject({
            method: 'POST',
            url: `/workspaces/${client.workspaceId}/vulnerability-findings/list`,
            headers: { authorization: `Bearer ${client.apiKey}` },
            payload: body,
          })
          const { nextCursor: _, ...page } = await list(client, body)
          expect(answer.json()).toMatchObject(page)
        }
    },
  )

  /** Naming all versions asks for the facts, as no workspace keeps anything of some of its versions. */
  it('tells the same of what the workspace keeps as of all its facts', async () => {
    const client = await givenClient(service)
    const versions = await givenDecidedVersions(client)
    const firmwareVersionIds = versions.map(({ firmwareVersionId }) => firmwareVersionId)
    const ask = async ({ app }: TestApp, path: string, payload: object) => {
      const url = `/workspaces/${client.workspaceId}${path}`
      const headers = { authorization: `Bearer ${client.apiKey}` }
      const answer = await app.inject({ method: 'POST', url, headers, payload })
      const { nextCursor: _, ...page } = answer.json<{ nextCursor?: string }>()
      return page
    }
    for (const { path, sortColumn, filter, ascending } of KEPT_LISTS) {
      const body = { sortColumn, ascending, limit: 3 }
      const facts = await ask(service, path, { ...body, filter: { ...filter, firmwareVersionIds } })
      expect(facts).toHaveProperty('totalCount')
      for (const app of [service, ...others.slice(1)])
        expect([body, filter, await ask(app, path, { ...body, filter })]).toEqual([
          body,
          filter,
          facts,
        ])
    }
  })

  it('goes on from the cursor with what there is by then', async () => {
    const client = await givenClient(service)
    const [gone, late] = [
      await givenProduct(service.ctx, ['Critical', 'Low']),
      await givenProduct(service.ctx, ['Medium']),
    ]
    const version = await versionWith(client, gone)
    const first = await list(client, { limit: 1 })
    await removeSbom(service.ctx, version)
    await versionWith(client, late)

    const second = await list(client, { limit: 1, cursor: first.nextCursor })

    expect(cves(second)).toEqual(late.cveIds)
    expect([second.hasMore, second.totalCount]).toEqual([false, first.totalCount])
  })

  it('refuses a cursor of another filter, workspace or list, and filters that mean nothing', async () => {
    const [client, stranger] = [await givenClient(service), await givenClient(service)]
    const { firmwareVersionId } = await versionWith(
      client,
      await givenProduct(service.ctx, ['High', 'Low']),
    )
    const { nextCursor: cursor } = await list(client, { limit: 1 })
    const status = async (of: Client, body: object) =>
      (await of.post('/vulnerability-findings/list', body)).statusCode

    expect(await status(client, { cursor, filter: { activeOnly: true } })).toBe(400)
    expect(await status(stranger, { cursor })).toBe(400)
    const path = `/firmware-versions/${firmwareVersionId}/vulnerability-findings/list`
    expect((await client.post(path, { cursor })).statusCode).toBe(400)
    for (const body of [
      { sortColumn: 'Assessment' },
      { filter: { severities: ['Worst'] } },
      { filter: { detectedSince: 'yesterday' } },
      { filter: { asOf: '2026-01-01T00:00:00Z' } },
      { limit: 0 },
    ])
      expect([body, await status(client, body)]).toEqual([body, 400])
  })

  it('shows nothing of another workspace that holds the same package', async () => {
    const [client, stranger] = [await givenClient(service), await givenClient(service)]
    const product = await givenProduct(service.ctx, ['High'])
    const version = await versionWith(client, product)
    await versionWith(stranger, product)
    await givenDecision(service.ctx, version, {
      vulnerabilityId: product.cveIds[0] ?? '',
      assessment: 'InTriage',
    })
    await matchFirmwareVersion(service.ctx, version)

    expect((await list(stranger)).findings).toMatchObject([
      { firmwareVersionCount: 1, assessments: [{ assessment: 'NotAssessed', count: 1 }] },
    ])
    const filter = { firmwareVersionIds: [version.firmwareVersionId] }
    const named = await stranger.post('/vulnerability-findings/list', { filter })
    expect(named.statusCode).toBe(400)
    expect((await list(stranger, { filter: { assessments: ['InTriage'] } })).findings).toEqual([])
  })
})

it.each([
  ['100%_', ['100%_ \\ done']],
  ['\\ D', ['100%_ \\ done']],
  ['0_0', []],
  ['1%e', []],
  ['\\', ['100%_ \\ done']],
])('finds %j to the letter, whatever patterns would make of it', async (contains, names) => {
  const client = await givenClient(service)
  const product = await givenProduct(service.ctx, ['High'], { title: '100%_ \\ done' })
  await versionWith(client, product)

  const page = await client.post('/vulnerability-findings/list', {
    filter: { name: [{ contains }] },
  })

  const { findings } = page.json<{ findings: { name: string }[] }>()
  expect(findings.map(({ name }) => name)).toEqual(names)
})
