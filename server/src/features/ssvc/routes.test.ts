import { sql } from 'kysely'
import { beforeAll, describe, expect, it } from 'vitest'
import { sharedTestApp, type TestApp } from '../../../test/app.ts'
import { type Client, givenClient } from '../../../test/given.ts'
import {
  countDevices,
  givenProduct,
  givenRunning,
  givenVersion,
  refreshKept,
} from '../../../test/given-findings.ts'
import { classify } from '../../formats/ssvc/classes.ts'

let test: TestApp
beforeAll(async () => {
  test = await sharedTestApp()
})

const ACTIVE_TOTAL = classify({ exploitation: 'A', automatable: 'Y', technicalImpact: 'T' })
const QUIET = classify({ exploitation: 'N', automatable: 'N', technicalImpact: 'P' })
const SETTINGS = { tree: 'Fleet', manyDevices: 100, products: [], cohorts: [] }
const DAY_MS = 86_400_000

const tablePoint = (namespace: string, key: string, values: [string, string][]) => ({
  namespace,
  key,
  version: '1.0.0',
  name: key,
  values: values.map(([one, name]) => ({ key: one, name })),
})
const WHEN = {
  namespace: 'x_test',
  key: 'DT_WHEN',
  version: '1.0.0',
  name: 'When',
  decision_points: {
    'ssvc:TI:1.0.0': tablePoint('ssvc', 'TI', [
      ['P', 'Partial'],
      ['T', 'Total'],
    ]),
    'x_test:WHEN:1.0.0': tablePoint('x_test', 'WHEN', [
      ['L', 'Later'],
      ['N', 'Now'],
    ]),
  },
  outcome: 'x_test:WHEN:1.0.0',
  mapping: [
    { 'ssvc:TI:1.0.0': 'P', 'x_test:WHEN:1.0.0': 'L' },
    { 'ssvc:TI:1.0.0': 'T', 'x_test:WHEN:1.0.0': 'N' },
  ],
}

interface World {
  client: Client
  firmwareId: string
  version: { workspaceId: string; firmwareVersionId: string }
  /** By what records publish: exploited and total, none of it, and nothing at all. */
  cveIds: string[]
}

/** A version that one device runs, with three findings. */
async function givenWorld(): Promise<World> {
  const { ctx } = test
  const client = await givenClient(test)
  const { workspaceId } = client
  const { cveIds, product, cpes } = await givenProduct(ctx, ['High', 'High', 'High'])
  for (const [index, ssvcClass] of [ACTIVE_TOTAL, QUIET, 0].entries())
    await sql`update vulnerabilities set ssvc_class = ${ssvcClass} where id = ${cveIds[index]}`.execute(
      ctx.db,
    )
  const version = await givenVersion(ctx, workspaceId, [
    { packageName: product, version: '1.0', cpes },
  ])
  await givenRunning(ctx, 1, version)
  const { rows } = await sql<{ firmwareId: string }>`
    select firmware_id from firmware_versions where id = ${version.firmwareVersionId}`.execute(
    ctx.db,
  )
  return { client, version, cveIds, firmwareId: rows[0]?.firmwareId ?? '' }
}

async function listOutcomes(
  { client }: World,
  filter: object = {},
): Promise<Record<string, string>> {
  const response = await client.post('/vulnerability-findings/list', { filter, sortColumn: 'Ssvc' })
  expect(response.statusCode).toBe(200)
  const { findings } = response.json<{ findings: { cveId: string; ssvcOutcome: string }[] }>()
  return Object.fromEntries(findings.map((one) => [one.cveId, one.ssvcOutcome]))
}

async function state(world: World, change: object): Promise<void> {
  const response = await world.client.put('/ssvc', { ...SETTINGS, ...change })
  expect([response.statusCode, response.body]).toEqual([200, expect.anything()])
  await refreshKept(test.ctx, world.version)
}

const product = (firmwareId: string, missionPrevalence: string, publicWellBeing: string) => ({
  firmwareId,
  missionPrevalence,
  publicWellBeing,
})

describe('outcomes of SSVC', () => {
  it('lean to the urgent side as long as nothing is known of a product', async () => {
    const world = await givenWorld()
    const [active = '', quiet = '', unknown = ''] = world.cveIds
    expect(await listOutcomes(world)).toEqual({
      [active]: 'Act',
      [quiet]: 'Track',
      [unknown]: 'Act',
    })
    expect(Object.keys(await listOutcomes(world))[2]).toBe(quiet)
  })

  it('follow what is stated of a product, and filter by it', async () => {
    const world = await givenWorld()
    const [active = '', quiet = '', unknown = ''] = world.cveIds
    await state(world, { products: [product(world.firmwareId, 'Minimal', 'Minimal')] })
    const outcomes = await listOutcomes(world)
    expect(outcomes).toEqual({ [active]: 'Attend', [quiet]: 'Track', [unknown]: 'Attend' })
    expect(Object.keys(await listOutcomes(world, { ssvcOutcomes: ['track'] }))).toEqual([quiet])
    expect(
      Object.keys(await listOutcomes(world, { ssvcOutcomes: ['Act', 'AT'] })).toSorted(),
    ).toEqual([active, unknown].toSorted())
  })

  it('are as urgent in the list of the version and of vulnerabilities', async () => {
    const world = await givenWorld()
    const { firmwareVersionId } = world.version
    const path = `/firmware-versions/${firmwareVersionId}/vulnerability-findings/list`
    const list = async (body: object) =>
      (await world.client.post(path, body)).json<{
        findings: { cveId: string; ssvcOutcome: string }[]
      }>().findings
    const expected = await listOutcomes(world)
    const rows = await list({ sortColumn: 'Ssvc' })
    expect(Object.fromEntries(rows.map((one) => [one.cveId, one.ssvcOutcome]))).toEqual(expected)
    expect(rows[2]?.ssvcOutcome).toBe('Track')
    expect(await list({ filter: { ssvcOutcomes: ['Act'] } })).toHaveLength(2)
    expect(await list({ filter: { ssvcFrom: 'attend' } })).toHaveLength(2)
    expect(await list({ filter: { ssvcFrom: 'Track' } })).toHaveLength(3)
    expect(await list({ filter: { ssvcFrom: 'Attend', ssvcOutcomes: ['Track'] } })).toHaveLength(0)
    const grouped = await world.client.post('/vulnerabilities/list', {
      sortColumn: 'Ssvc',
      filter: { ssvcOutcomes: ['Act'] },
    })
    const { vulnerabilities } = grouped.json<{ vulnerabilities: { ssvcOutcome: string }[] }>()
    expect(vulnerabilities.map((one) => one.ssvcOutcome)).toEqual(['Act', 'Act'])
  })

  it('are in all files, as what it may be where something is not known', async () => {
    const world = await givenWorld()
    const [active = '', quiet = '', unknown = ''] = world.cveIds
    await state(world, { products: [product(world.firmwareId, 'Minimal', 'Minimal')] })
    const ofVersion = `/firmware-versions/${world.version.firmwareVersionId}/vulnerability-findings`
    const files = [
      await world.client.post('/vulnerability-findings/export', {}),
      await world.client.post('/vulnerabilities/export', {}),
      await world.client.post(`${ofVersion}/export`, {}),
      await world.client.get(`${ofVersion}/export?format=csv`),
    ]
    for (const { body } of files) {
      const [header = [], ...rows] = body
        .trimEnd()
        .split('\r\n')
        .map((line) => line.split(','))
      const cellOf = (row: string[], name: string) => row[header.indexOf(name)] ?? ''
      expect(
        Object.fromEntries(rows.map((row) => [cellOf(row, 'cveId'), cellOf(row, 'ssvcOutcome')])),
      ).toEqual({ [active]: 'Track to Attend', [quiet]: 'Track', [unknown]: 'Track to Attend' })
    }
    const sarif = await world.client.get(`${ofVersion}/export?format=sarif`)
    const { runs } = sarif.json<{
      runs: { results: { ruleId: string; properties: { ssvcOutcome: string } }[] }[]
    }>()
    const results = runs[0]?.results.map((one) => [one.ruleId, one.properties.ssvcOutcome])
    expect(Object.fromEntries(results ?? [])).toMatchObject({
      [active]: 'Track to Attend',
      [quiet]: 'Track',
    })
  })

  it('order components, and are counted as many as the lists have', async () => {
    const world = await givenWorld()
    const counted = await world.client.post('/vulnerability-findings/counts', { chips: ['bySsvc'] })
    const { bySsvc, overdue } = counted.json<{
      bySsvc: { outcome: string; filter: object; totalCount: number }[]
      overdue: null
    }>()
    expect(bySsvc.map(({ outcome, totalCount }) => [outcome, totalCount])).toEqual([
      ['Act', 2],
      ['Attend', 2],
      ['Track*', 2],
      ['Track', 3],
    ])
    expect(overdue).toBeNull()
    for (const { filter, totalCount } of bySsvc) {
      const list = await world.client.post('/vulnerabilities/list', { filter })
      expect(list.json<{ totalCount: number }>().totalCount).toBe(totalCount)
    }
    const listComponents = async (body: object) =>
      (await world.client.post('/vulnerable-components/list', body)).json<{
        components: { ssvcOutcome: string | null }[]
      }>().components
    const [, quiet = ''] = world.cveIds
    expect(await listComponents({ sortColumn: 'Ssvc' })).toMatchObject([{ ssvcOutcome: 'Act' }])
    expect(await listComponents({ sortColumn: 'Ssvc', filter: { cveIds: [quiet] } })).toMatchObject(
      [{ ssvcOutcome: 'Track' }],
    )
    const { firmwareVersionId } = world.version
    expect(
      await listComponents({
        sortColumn: 'Ssvc',
        filter: { firmwareVersionIds: [firmwareVersionId] },
      }),
    ).toMatchObject([{ ssvcOutcome: 'Act' }])
    expect(await listComponents({})).toMatchObject([{ ssvcOutcome: null }])
  })

  it('are explained step by step for a finding', async () => {
    const world = await givenWorld()
    await state(world, { products: [product(world.firmwareId, 'Support', 'Material')] })
    const list = await world.client.post('/vulnerability-findings/list', {
      filter: { cveIds: [world.cveIds[2]] },
    })
    const { findings } = list.json<{ findings: { firmwareVersions: { findingId: string }[] }[] }>()
    const id = findings[0]?.firmwareVersions[0]?.findingId
    const finding = await world.client.get(`/vulnerability-findings/${id}`)
    expect(finding.json<{ ssvcDecision: object }>().ssvcDecision).toMatchObject({
      tree: 'Fleet',
      outcome: 'Act',
      possibleOutcomes: ['Track', 'Track*', 'Attend', 'Act'],
      steps: [
        {
          name: 'Exploitation',
          isKnown: false,
          values: ['None', 'Public PoC', 'Active'],
          source: 'Record',
        },
        { name: 'Automatable', isKnown: false },
        { name: 'Technical Impact', isKnown: false },
        {
          name: 'Mission and Well-Being Impact',
          isKnown: true,
          values: ['Medium'],
          source: 'Product',
        },
        { name: 'System Exposure', isKnown: false, source: 'Fleet' },
        { name: 'Prevalence in the Fleet', isKnown: true, values: ['Few'], source: 'Fleet' },
      ],
    })
    const past = await world.client.get(
      `/vulnerability-findings/${id}?asOf=${encodeURIComponent(new Date().toISOString())}`,
    )
    expect(past.json<{ ssvcDecision: unknown }>().ssvcDecision).toBeNull()
  })

  it('count a list of exploited vulnerabilities as active exploitation at once', async () => {
    const world = await givenWorld()
    const [, quiet = ''] = world.cveIds
    await sql`update vulnerabilities set is_known_exploit = true where id = ${quiet}`.execute(
      test.ctx.db,
    )
    expect((await listOutcomes(world))[quiet]).toBe('Attend')
  })

  it('know the exposure by the cohorts whose devices run the version', async () => {
    const world = await givenWorld()
    const { workspaceId, firmwareVersionId } = world.version
    const cohort = await world.client.post('/deployment-cohorts', { name: 'Cellar' })
    const cohortId = cohort.json<{ id: string }>().id
    await world.client.post('/devices', { id: 'gw-1' })
    await sql`
      update devices set cohort_id = ${cohortId}::uuid where workspace_id = ${workspaceId} and id = 'gw-1'`.execute(
      test.ctx.db,
    )
    await sql`
      insert into device_firmwares (workspace_id, device_id, slug, version, firmware_version_id, since)
      values (${workspaceId}, 'gw-1', 'main', '1.0', ${firmwareVersionId}, now())`.execute(
      test.ctx.db,
    )
    const products = [product(world.firmwareId, 'Minimal', 'Minimal')]
    const [active = ''] = world.cveIds
    await state(world, { products, cohorts: [{ cohortId, exposure: 'Open' }] })
    expect((await listOutcomes(world))[active]).toBe('Attend')
    await state(world, { products, cohorts: [{ cohortId, exposure: 'Small' }] })
    expect((await listOutcomes(world))[active]).toBe('Track')
    // A device outside of all known cohorts may be reached.
    await world.client.post('/devices', { id: 'gw-2' })
    await sql`
      insert into device_firmwares (workspace_id, device_id, slug, version, firmware_version_id, since)
      values (${workspaceId}, 'gw-2', 'main', '1.0', ${firmwareVersionId}, now())`.execute(
      test.ctx.db,
    )
    await countDevices(test.ctx, world.version)
    expect((await listOutcomes(world))[active]).toBe('Attend')
  })
})

describe('targets of outcomes', () => {
  /** All was detected ten days ago. */
  async function givenOldWorld(): Promise<World> {
    const world = await givenWorld()
    const { workspaceId, firmwareVersionId } = world.version
    const ago = new Date(Date.now() - 10 * DAY_MS)
    await sql`
      update firmware_version_packages set since = ${ago}
      where workspace_id = ${workspaceId} and firmware_version_id = ${firmwareVersionId}`.execute(
      test.ctx.db,
    )
    await sql`
      update package_matches set since = ${ago} where vulnerability_id = any(${world.cveIds})`.execute(
      test.ctx.db,
    )
    await sql`
      update workspace_matches set detected_at = ${ago} where workspace_id = ${workspaceId}`.execute(
      test.ctx.db,
    )
    await sql`
      update workspace_component_vulnerabilities set first_detected_at = ${ago}, last_detected_at = ${ago}
      where workspace_id = ${workspaceId}`.execute(test.ctx.db)
    return world
  }

  const listOverdue = async ({ client }: World, filter: object = {}) => {
    const body = { filter: { ...filter, overdue: true } }
    const read = async (path: string, name: string) => {
      const answer = (await client.post(path, body)).json<Record<string, { cveId: string }[]>>()
      return answer[name]?.map(({ cveId }) => cveId).toSorted()
    }
    const rows = await read('/vulnerability-findings/list', 'findings')
    expect(await read('/vulnerabilities/list', 'vulnerabilities')).toEqual(rows)
    const selected = await client.post('/vulnerability-findings/bulk-ignore', {
      ...body,
      ignored: true,
      dryRun: true,
    })
    expect(selected.json()).toMatchObject({ matched: rows?.length })
    return rows
  }

  it('make findings overdue before the target of their severity does', async () => {
    const world = await givenOldWorld()
    const { firmwareVersionId } = world.version
    const [active = '', quiet = '', unknown = ''] = world.cveIds
    expect(await listOverdue(world)).toEqual([])
    await state(world, { targetDays: { Act: 7 } })
    expect(await listOverdue(world)).toEqual([active, unknown].toSorted())
    const inVersion = { firmwareVersionIds: [firmwareVersionId] }
    expect(await listOverdue(world, inVersion)).toEqual([active, unknown].toSorted())
    // Of minimal mission and well-being nothing is Act.
    await state(world, { products: [product(world.firmwareId, 'Minimal', 'Minimal')] })
    expect(await listOverdue(world)).toEqual([])
    await state(world, {
      products: [product(world.firmwareId, 'Minimal', 'Minimal')],
      targetDays: { Track: 7, Attend: 20 },
    })
    expect(await listOverdue(world)).toEqual([quiet])
  })

  it('are due as early as the finding says', async () => {
    const world = await givenOldWorld()
    const [active = ''] = world.cveIds
    await state(world, { targetDays: { Act: 7 } })
    const read = async () =>
      (await world.client.get(`/vulnerabilities/${active}`)).json<{
        findings: { id: string; dueAt: string; detectedAt: string }[]
      }>().findings[0]
    const found = await read()
    const days = ({ dueAt }: { dueAt: string }, from: string) =>
      Math.round((Date.parse(dueAt) - Date.parse(from)) / DAY_MS)
    expect(found && days(found, found.detectedAt)).toBe(7)
    const finding = (await world.client.get(`/vulnerability-findings/${found?.id}`)).json<{
      dueAt: string
      overdue: boolean
    }>()
    expect([finding.dueAt, finding.overdue]).toEqual([found?.dueAt, true])
    // That of its severity, High, is sooner than 200 days.
    await state(world, { targetDays: { Act: 200 } })
    const later = await read()
    expect(later && days(later, later.detectedAt)).toBe(30)
  })

  it('stay where they are not stated, and are refused for what is no outcome', async () => {
    const world = await givenWorld()
    await state(world, { targetDays: { Act: 7 } })
    await state(world, { manyDevices: 7 })
    const kept = await world.client.get('/ssvc')
    expect(kept.json()).toMatchObject({ targetDays: { Act: 7 }, manyDevices: 7 })
    const wrong = await world.client.put('/ssvc', { ...SETTINGS, targetDays: { Now: 3 } })
    expect([wrong.statusCode, wrong.json()]).toEqual([
      400,
      expect.objectContaining({
        errors: [
          {
            pointer: '/targetDays/Now',
            detail: 'is no outcome of the SSVC tree "CISA with the fleet"',
          },
        ],
      }),
    ])
  })
})

describe('the outcome that the release gate asks for', () => {
  it('stays where it is not stated, and has to be of the tree', async () => {
    const client = await givenClient(test)
    const put = (stated: object) => client.put('/ssvc', { ...SETTINGS, ...stated })
    const wrong = await put({ gateFrom: 'Now' })
    expect([wrong.statusCode, wrong.json()]).toEqual([
      400,
      expect.objectContaining({ errors: [expect.objectContaining({ pointer: '/gateFrom' })] }),
    ])

    await put({ gateFrom: 'Act' })
    expect((await put({ manyDevices: 5 })).json()).toMatchObject({ gateFrom: 'Act' })

    const added = await client.post('/ssvc/trees', { tables: [WHEN] })
    const other = await put({ tree: added.json<{ id: string }>().id })
    expect(other.statusCode).toBe(400)
    expect(other.json<{ detail: string }>().detail).toContain('asks for "Act"')
    const changed = await put({ tree: added.json<{ id: string }>().id, gateFrom: null })
    expect(changed.json()).toMatchObject({ gateFrom: null })
  })
})

describe('settings of SSVC', () => {
  it('say before what they would change', async () => {
    const world = await givenWorld()
    const change = { ...SETTINGS, products: [product(world.firmwareId, 'Minimal', 'Minimal')] }
    const preview = await world.client.post('/ssvc/preview', change)
    expect(preview.json()).toEqual({
      findingCount: 3,
      changedCount: 2,
      changes: [
        { from: 'Act', to: 'Attend', count: 2 },
        { from: 'Track', to: 'Track', count: 1 },
      ],
    })
    const before = await listOutcomes(world)
    expect(Object.values(before).toSorted()).toEqual(['Act', 'Act', 'Track'])
    await state(world, change)
    expect(Object.values(await listOutcomes(world)).toSorted()).toEqual([
      'Attend',
      'Attend',
      'Track',
    ])
  })

  it('take a tree of one’s own, which holds once it is chosen', async () => {
    const world = await givenWorld()
    const tables = [WHEN]
    const added = await world.client.post('/ssvc/trees', { tables })
    expect(added.json()).toMatchObject({
      id: '1',
      outcomes: ['Later', 'Now'],
      asks: ['Technical Impact'],
    })
    expect(Object.values(await listOutcomes(world))).toContain('Act')
    await state(world, { tree: '1' })
    const [active = '', quiet = '', unknown = ''] = world.cveIds
    expect(await listOutcomes(world)).toEqual({
      [active]: 'Now',
      [quiet]: 'Later',
      [unknown]: 'Now',
    })
    const stored = await world.client.get('/ssvc/trees/1')
    expect(stored.json<{ tables: object[] }>().tables).toEqual(tables)
    const wrong = await world.client.post('/vulnerability-findings/list', {
      filter: { ssvcOutcomes: ['Act'] },
    })
    expect([wrong.statusCode, wrong.json<{ detail: string }>().detail]).toEqual([
      400,
      '"Act" is no outcome of the SSVC tree "When": Later, Now.',
    ])
    const other = await givenClient(test)
    expect((await other.get('/ssvc/trees/1')).statusCode).toBe(404)
    expect((await other.put('/ssvc', { ...SETTINGS, tree: '1' })).statusCode).toBe(400)
  })

  it('refuse a table with a missing branch in words', async () => {
    const world = await givenWorld()
    const { tables } = (await world.client.get('/ssvc/trees/Cisa')).json<{
      tables: { mapping: object[]; decision_points: object }[]
    }>()
    const [table] = tables
    const response = await world.client.post('/ssvc/trees', {
      tables: [{ ...table, mapping: table?.mapping.slice(2) }],
    })
    expect(response.statusCode).toBe(400)
    expect(response.json()).toMatchObject({
      detail: expect.stringMatching(
        /^The mapping of table 1 "CISA" decides 34 of 36 combinations/,
      ) as string,
      errors: [{ pointer: '/tables/0/mapping' }],
    })
    const [point = ''] = Object.keys(table?.decision_points ?? {})
    const circle = { ...table, outcome: point, name: 'Second' }
    const asking = await world.client.post('/ssvc/trees', { tables: [table, circle] })
    expect(asking.statusCode).toBe(400)
    expect(asking.json<{ detail: string }>().detail).toBe(
      'Table 1 "CISA" asks for its own outcome: CISA → Second → CISA.',
    )
  })

  it('refuse firmware and cohorts of other workspaces, and what is named twice', async () => {
    const [world, other] = [await givenWorld(), await givenWorld()]
    const foreign = await world.client.put('/ssvc', {
      ...SETTINGS,
      products: [product(other.firmwareId, 'Minimal', 'Minimal')],
    })
    expect([foreign.statusCode, foreign.json()]).toEqual([
      400,
      expect.objectContaining({
        errors: [{ pointer: '/products/0/firmwareId', detail: 'is not in this workspace' }],
      }),
    ])
    const own = product(world.firmwareId, 'Minimal', 'Minimal')
    const twice = await world.client.put('/ssvc', { ...SETTINGS, products: [own, own] })
    expect(twice.statusCode).toBe(400)
    expect((await world.client.put('/ssvc', { ...SETTINGS, tree: '7' })).statusCode).toBe(400)
  })
})
