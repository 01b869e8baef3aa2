/** Package overrides, through the API, with real parser processes and jobs. */
import { setTimeout as delay } from 'node:timers/promises'
import { sql } from 'kysely'
import { beforeAll, describe, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../../test/app.ts'
import {
  type Client,
  givenClient,
  givenFirmwareVersion,
  matchedSboms,
  upload,
} from '../../../../test/given.ts'
import { affectedIn, givenAdvisory } from '../../../../test/given-knowledge.ts'
import { rowsRead } from '../../../../test/plans.ts'
import { listSelectorHandles } from './selector-handles.ts'
import { meetsHandles } from './store.ts'

let test: TestApp
let client: Client

beforeAll(async () => {
  test = await startTestApp()
  await test.startWorker()
  await givenAdvisory(test.ctx.db, {
    id: 'CVE-2026-10001',
    affected: [affectedIn('cpe:acme:thing', [{ fixed: '2.0' }])],
  })
  client = await givenClient(test)
})

const THING_CPE = 'cpe:2.3:a:acme:thing:*:*:*:*:*:*:*:*'

interface Override {
  id: string
  componentCount: number
}

interface Component {
  id: string
  packageName: string
  overrideId: string | null
  notMatchedReason: string | null
}

async function givenSbom(components: object[]) {
  const firmwareVersionId = await givenFirmwareVersion(client)
  const document = { bomFormat: 'CycloneDX', specVersion: '1.6', version: 1, components }
  const files = [{ name: 'image.json', bytes: JSON.stringify(document) }]
  await upload(test, client, { firmwareVersionId, files })
  const [sbom] = await matchedSboms(client, firmwareVersionId)
  return { firmwareVersionId, sbomId: sbom?.id ?? '' }
}

async function listed(sbomId: string, body: object = {}): Promise<Component[]> {
  const response = await client.post(`/sboms/${sbomId}/components/list`, body)
  return response.json<{ components: Component[] }>().components
}

async function findings(firmwareVersionId: string) {
  const path = `/firmware-versions/${firmwareVersionId}/vulnerability-findings/list`
  const response = await client.post(path, {})
  return response.json<{ findings: { id: string }[] }>().findings.map(({ id }) => id)
}

/** Jobs run after the answer: polls until the result is there. */
async function eventually<Value>(read: () => Promise<Value>, holds: (value: Value) => boolean) {
  for (;;) {
    const value = await read()
    if (holds(value)) return value
    await delay(50)
  }
}

async function givenOverride(body: object): Promise<Override> {
  const response = await client.post('/package-overrides', body)
  expect(response.statusCode).toBe(201)
  return response.json<Override>()
}

const THING = { type: 'library', name: 'some-part', version: '1.4' }

describe('an override', () => {
  it('gives components of the workspace identifiers, and takes them away again', async () => {
    const { firmwareVersionId, sbomId } = await givenSbom([THING, { ...THING, version: '3' }])
    expect(await findings(firmwareVersionId)).toEqual([])

    const selector = { name: 'some-part', version: '1.4' }
    const override = await givenOverride({ selector, cpes: [THING_CPE] })

    const found = await eventually(
      () => findings(firmwareVersionId),
      ({ length }) => length > 0,
    )
    const rows = await listed(sbomId)
    expect(rows.map(({ overrideId }) => overrideId)).toEqual([override.id, null])
    const { overrides } = (await client.get('/package-overrides')).json<{ overrides: Override[] }>()
    expect(overrides).toMatchObject([{ id: override.id, selector, componentCount: 1 }])
    const { facts } = await factsOf(firmwareVersionId)
    expect(facts.map(({ cause }) => cause)).toContain('OverrideChanged')

    const removed = await client.delete(`/package-overrides/${override.id}`)

    expect(removed.statusCode).toBe(204)
    await eventually(
      () => findings(firmwareVersionId),
      ({ length }) => length === 0,
    )
    expect((await listed(sbomId)).map(({ overrideId }) => overrideId)).toEqual([null, null])
    const detail = await client.get(`/vulnerability-findings/${found[0] ?? ''}`)
    expect(detail.statusCode).toBe(200)
    const audit = await client.get('/audit-log?limit=20')
    const actions = audit.json<{ entries: { action: string }[] }>().entries
    expect(actions.map(({ action }) => action)).toEqual(
      expect.arrayContaining(['package-override.create', 'package-override.delete']),
    )
  })

  it('states the version, whatever identifiers say, and holds for SBOMs that come later', async () => {
    const override = await givenOverride({
      selector: { cpe: 'acme:thing', version: 'main' },
      version: '1.0',
    })

    const { firmwareVersionId, sbomId } = await givenSbom([
      { type: 'library', name: 'a', version: 'main', cpe: THING_CPE.replace(':*', ':9.9') },
      { type: 'library', name: 'b', version: 'main', cpe: THING_CPE },
      { type: 'library', name: 'c', version: '2.5', cpe: THING_CPE },
    ])

    const rows = await listed(sbomId)
    expect(rows.map(({ overrideId }) => overrideId)).toEqual([override.id, override.id, null])
    // Both belong to one package, since both are acme's thing 1.0 now.
    expect(await findings(firmwareVersionId)).toHaveLength(1)
  })

  it('ignores components, with the reason, which the list and the counts show', async () => {
    const { firmwareVersionId, sbomId } = await givenSbom([
      { ...THING, name: 'thing', purl: 'pkg:generic/acme/thing@1.0', cpe: THING_CPE },
      { ...THING, name: 'other', version: undefined },
    ])
    expect(await findings(firmwareVersionId)).toHaveLength(1)

    await givenOverride({
      selector: { purl: 'pkg:generic/acme/thing' },
      ignored: true,
      reason: 'Our own code',
    })

    await eventually(
      () => findings(firmwareVersionId),
      ({ length }) => length === 0,
    )
    const ignored = await listed(sbomId, { notMatchedReason: 'ignored' })
    expect(ignored).toMatchObject([{ notMatchedReason: 'ignored: Our own code' }])
    const sboms = await client.get(`/firmware-versions/${firmwareVersionId}/sboms`)
    expect(sboms.json()).toMatchObject({
      sboms: [
        {
          notMatchedReasons: [
            { reason: 'ignored', count: 1 },
            { reason: 'no identifier', count: 1 },
          ],
        },
      ],
    })
    expect(await listed(sbomId, { hasNotMatchedReason: false })).toEqual([])
  })

  it('can be replaced, and the component with it', async () => {
    const name = `part-${crypto.randomUUID()}`
    const { firmwareVersionId } = await givenSbom([{ type: 'library', name, version: '1.0' }])
    const override = await givenOverride({ selector: { name }, purls: ['pkg:npm/nothing'] })

    const response = await client.put(`/package-overrides/${override.id}`, {
      selector: { name },
      cpes: [THING_CPE],
    })

    expect(response.json()).toMatchObject({ id: override.id, purls: [], cpes: [THING_CPE] })
    await eventually(
      () => findings(firmwareVersionId),
      ({ length }) => length === 1,
    )
  })

  it('takes decisions along where vulnerability, name and version stay', async () => {
    const name = `part-${crypto.randomUUID()}`
    const cpe = THING_CPE.replace(':*', ':1.1')
    const { firmwareVersionId } = await givenSbom([{ type: 'library', name, cpe }])
    const [before = ''] = await findings(firmwareVersionId)
    const path = `/vulnerability-findings/${before}`
    await client.post(`${path}/assessments`, { assessment: 'Exploitable', detail: 'Reached' })

    await givenOverride({ selector: { name }, purls: ['pkg:npm/nothing@1.1'] })

    const [after = ''] = await eventually(
      () => findings(firmwareVersionId),
      ([id]) => id !== undefined && id !== before,
    )
    const detail = await client.get(`/vulnerability-findings/${after}`)
    expect(detail.json()).toMatchObject({ id: after, assessment: 'Exploitable' })
    expect((await client.get(path)).statusCode).toBe(200)
  })

  it('that states a version keeps to the declared versions it was made for, and shows others', async () => {
    const name = `part-${crypto.randomUUID()}`
    const [commit, next] = ['a1'.repeat(20), 'b2'.repeat(20)]
    const first = await givenSbom([{ type: 'library', name, version: commit }])
    const override = await givenOverride({ selector: { name }, cpes: [THING_CPE], version: '1.4' })
    await eventually(
      () => findings(first.firmwareVersionId),
      ({ length }) => length === 1,
    )

    const second = await givenSbom([{ type: 'library', name, version: next }])

    expect(await findings(second.firmwareVersionId)).toEqual([])
    const { overrides } = (await client.get('/package-overrides')).json<{ overrides: object[] }>()
    expect(overrides).toContainEqual(
      expect.objectContaining({
        id: override.id,
        componentCount: 1,
        madeFor: [commit],
        otherVersions: [{ version: next, componentCount: 1 }],
      }),
    )

    await client.put(`/package-overrides/${override.id}`, {
      selector: { name },
      cpes: [THING_CPE],
      version: '1.4',
      anyVersion: true,
    })

    await eventually(
      () => findings(second.firmwareVersionId),
      ({ length }) => length === 1,
    )
  })

  it('is shown with the other versions of one firmware version, and of components that it selects only', async () => {
    const product = `thing-${crypto.randomUUID()}`
    const cpe = (version: string) => `cpe:2.3:a:acme:${product}:${version}:*:*:*:*:*:*:*`
    const first = await givenSbom([{ type: 'library', name: 'a', version: '1', cpe: cpe('1') }])
    const override = await givenOverride({ selector: { cpe: `acme:${product}` }, version: '1.1' })
    const shown = async (query = '') => {
      const response = await client.get(`/package-overrides${query}`)
      const { overrides } = response.json<{ overrides: { id: string; madeFor: unknown }[] }>()
      return overrides.find(({ id }) => id === override.id)
    }
    await eventually(shown, (one) => one?.madeFor !== null)

    const second = await givenSbom([
      { type: 'library', name: 'b', version: '2', cpe: cpe('2') },
      { type: 'library', name: 'c', version: '3', purl: `pkg:generic/${product}@3` },
    ])

    const ofSecond = await shown(`?firmwareVersionId=${second.firmwareVersionId}`)
    expect(ofSecond).toMatchObject({
      componentCount: 0,
      madeFor: ['1'],
      otherVersions: [{ version: '2', componentCount: 1 }],
    })
    const ofFirst = await shown(`?firmwareVersionId=${first.firmwareVersionId}`)
    expect(ofFirst).toMatchObject({ componentCount: 1, otherVersions: [] })
    expect(await shown()).toMatchObject({ componentCount: 1, otherVersions: [{ version: '2' }] })
    const stranger = await givenClient(test)
    const path = `/package-overrides?firmwareVersionId=${second.firmwareVersionId}`
    expect((await stranger.get(path)).statusCode).toBe(404)
  })

  it('warns of components that have no package too, found by purl or CPE', async () => {
    const name = `part-${crypto.randomUUID()}`
    const purl = `pkg:generic/acme/${name}`
    const selectors = [{ purl }, { cpe: `acme:${name}` }]
    const first = [
      { type: 'library', name: 'a', purl: `${purl}@1` },
      { type: 'library', name: 'b', version: '1', cpe: `cpe:2.3:a:acme:${name}:1:*:*:*:*:*:*:*` },
    ]
    await givenSbom(first)
    for (const selector of selectors) await givenOverride({ selector, version: '2' })
    const shown = async () => {
      const list = (await client.get('/package-overrides')).json<{
        overrides: (Override & { selector: object; otherVersions: object[] })[]
      }>()
      return list.overrides.filter(({ selector }) => JSON.stringify(selector).includes(name))
    }
    await eventually(shown, (all) => all.every(({ componentCount }) => componentCount === 1))

    await givenSbom([
      { type: 'library', name: 'a', purl },
      { type: 'library', name: 'b', cpe: `cpe:2.3:a:acme:${name}:*:*:*:*:*:*:*:*` },
    ])

    const warned = await shown()
    const other = [{ version: '', componentCount: 1 }]
    expect(warned.map(({ otherVersions }) => otherVersions)).toEqual([other, other])
  })

  it.each(['purl', 'cpe', 'name'] as const)('reads what its %s finds', async (kind) => {
    const components = Array.from({ length: 3_000 }, (_one, index) => ({
      type: 'library',
      name: `part-${index}`,
      purl: `pkg:generic/acme/part-${index}@1`,
      cpe: `cpe:2.3:a:acme:part-${index}:1:*:*:*:*:*:*:*`,
    }))
    await givenSbom(components)
    await sql`analyze sbom_components`.execute(test.ctx.db)
    const selectors = { purl: 'pkg:generic/acme/part-7', cpe: 'acme:part-7', name: 'part-7' }
    const selector = { purl: null, cpe: null, name: null, version: null, [kind]: selectors[kind] }
    const { workspaceId } = client

    const query = sql`
      select package_name from sbom_components as component
      where workspace_id = ${workspaceId} and ${meetsHandles(listSelectorHandles(workspaceId, [{ selector }]))}`
    const { rows } = await sql<{ packageName: string }>`${query}`.execute(test.ctx.db)

    expect(new Set(rows.map(({ packageName }) => packageName))).toEqual(new Set(['part-7']))
    expect(await rowsRead(test.ctx.db, query)).toBeLessThan(50)
  })

  it('leaves other workspaces alone', async () => {
    const name = `part-${crypto.randomUUID()}`
    const override = await givenOverride({ selector: { name }, version: '1' })
    const stranger = await givenClient(test)

    const list = await stranger.get('/package-overrides')
    const put = await stranger.put(`/package-overrides/${override.id}`, {
      selector: { name },
      version: '2',
    })
    const removed = await stranger.delete(`/package-overrides/${override.id}`)

    expect(list.json()).toEqual({ overrides: [] })
    expect([put.statusCode, removed.statusCode]).toEqual([404, 404])
  })

  it('is refused a second time for the same components', async () => {
    const name = `part-${crypto.randomUUID()}`
    await givenOverride({ selector: { name }, version: '1' })

    const response = await client.post('/package-overrides', { selector: { name }, version: '2' })

    expect(response.statusCode).toBe(409)
    expect(response.json()).toMatchObject({ type: '/problems/package-override-exists' })
  })

  it.each`
    body                                                               | pointer
    ${{ selector: {}, version: '1' }}                                  | ${'/selector'}
    ${{ selector: { version: '1' }, version: '1' }}                    | ${'/selector'}
    ${{ selector: { purl: 'thing' }, version: '1' }}                   | ${'/selector/purl'}
    ${{ selector: { purl: 'pkg:npm/a@1' }, version: '1' }}             | ${'/selector/purl'}
    ${{ selector: { cpe: 'thing' }, version: '1' }}                    | ${'/selector/cpe'}
    ${{ selector: { name: 'a' } }}                                     | ${'/ignored'}
    ${{ selector: { name: 'a' }, version: '1', ignored: true }}        | ${'/ignored'}
    ${{ selector: { name: 'a' }, ignored: true }}                      | ${'/reason'}
    ${{ selector: { name: 'a' }, purls: ['pkg:npm/a', 'a'] }}          | ${'/purls/1'}
    ${{ selector: { name: 'a' }, cpes: ['cpe:2.3:a'] }}                | ${'/cpes/0'}
    ${{ selector: { name: ' ' }, version: '1' }}                       | ${'/selector/name'}
    ${{ selector: { name: 'a', vendor: 'b' }, version: '1' }}          | ${'/selector/vendor'}
    ${{ selector: { name: 'a' }, purls: Array(21).fill('pkg:npm/a') }} | ${'/purls'}
  `(
    'of $body is refused at $pointer',
    async ({ body, pointer }: { body: object; pointer: string }) => {
      const response = await client.post('/package-overrides', body)

      expect(response.statusCode).toBe(400)
      const { errors } = response.json<{ errors: { pointer: string }[] }>()
      expect(errors.map((error) => error.pointer)).toContain(pointer)
    },
  )
})

async function factsOf(firmwareVersionId: string) {
  const facts = await test.ctx.db
    .selectFrom('firmwareVersionPackages')
    .select(['packageId', 'cause', 'endedCause', 'until'])
    .where('workspaceId', '=', client.workspaceId)
    .where('firmwareVersionId', '=', firmwareVersionId)
    .execute()
  return { facts }
}

describe('an override set while SBOMs are parsed', () => {
  it.each([0, 5, 20, 50, 100, 200])('after %d ms, holds for them too', async (pause) => {
    const name = `part-${crypto.randomUUID()}`
    const firmwareVersionId = await givenFirmwareVersion(client)
    const document = {
      bomFormat: 'CycloneDX',
      specVersion: '1.6',
      components: [{ type: 'library', name, version: '1.0' }],
    }
    const files = [{ name: 'image.json', bytes: JSON.stringify(document) }]
    await upload(test, client, { firmwareVersionId, files })
    await delay(pause)

    const override = await givenOverride({ selector: { name }, cpes: [THING_CPE] })

    await eventually(
      () => findings(firmwareVersionId),
      ({ length }) => length === 1,
    )
    const [sbom] = await matchedSboms(client, firmwareVersionId)
    expect(await listed(sbom?.id ?? '')).toMatchObject([{ overrideId: override.id }])
  })
})
