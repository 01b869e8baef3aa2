/** The preview of overrides, through the API, and compared with what creating them does. */
import { setTimeout as delay } from 'node:timers/promises'
import { beforeAll, describe, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../test/app.ts'
import {
  type Client,
  givenClient,
  givenFirmwareVersion,
  matchedSboms,
  upload,
} from '../../../test/given.ts'
import { affectedIn, givenAdvisory } from '../../../test/given-knowledge.ts'

const THING_CPE = 'cpe:2.3:a:acme:thing:*:*:*:*:*:*:*:*'

let test: TestApp
let client: Client

beforeAll(async () => {
  test = await startTestApp()
  await test.startWorker()
  await givenAdvisory(test.ctx.db, {
    id: 'CVE-2026-20001',
    severity: 'Medium',
    affected: [affectedIn('cpe:acme:thing', [{ fixed: '2.0' }])],
  })
  await givenAdvisory(test.ctx.db, {
    id: 'CVE-2026-20002',
    severity: 'Critical',
    isKnownExploit: true,
    affected: [affectedIn('cpe:acme:thing', [{ introduced: '1.2', fixed: '1.5' }])],
  })
  client = await givenClient(test)
})

const named = () => `part-${crypto.randomUUID()}`

async function givenSbom(components: object[]) {
  const firmwareVersionId = await givenFirmwareVersion(client)
  const document = { bomFormat: 'CycloneDX', specVersion: '1.6', version: 1, components }
  const files = [{ name: 'image.json', bytes: JSON.stringify(document) }]
  await upload(test, client, { firmwareVersionId, files })
  await matchedSboms(client, firmwareVersionId)
  return firmwareVersionId
}

interface Row {
  cveId: string
  confidence: string
}

async function findings(firmwareVersionId: string): Promise<Row[]> {
  const path = `/firmware-versions/${firmwareVersionId}/vulnerability-findings/list`
  const rows = (await client.post(path, {})).json<{ findings: Row[] }>().findings
  return rows.map(({ cveId, confidence }) => ({ cveId, confidence }))
}

interface Preview {
  componentCount: number
  packages: unknown[]
  findingCounts: Record<string, number>
  appearing: { cveId: string; firmwareVersions: { id: string }[] }[]
  disappearing: { cveId: string }[]
}

async function decide(firmwareVersionId: string, cveId: string, decision: object) {
  const path = `/firmware-versions/${firmwareVersionId}/vulnerability-findings/list`
  const listed = (await client.post(path, {})).json<{ findings: { id: string; cveId: string }[] }>()
  const id = listed.findings.find((one) => one.cveId === cveId)?.id ?? ''
  const finding = `/vulnerability-findings/${id}`
  const response =
    'ignored' in decision
      ? await client.put(`${finding}/ignore`, decision)
      : await client.post(`${finding}/assessments`, decision)
  expect([response.statusCode, response.json()]).toMatchObject([200, {}])
}

async function givenOverride(body: object): Promise<string> {
  return (await client.post('/package-overrides', body)).json<{ id: string }>().id
}

async function applied(id: string) {
  for (;;) {
    const { overrides } = (await client.get('/package-overrides')).json<{
      overrides: { id: string; componentCount: number }[]
    }>()
    if (overrides.some((one) => one.id === id && one.componentCount > 0)) return
    await delay(50)
  }
}

async function preview(
  body: object | undefined,
  path = '/package-overrides/preview',
): Promise<Preview> {
  const response = await client.post(path, body)
  expect([response.statusCode, response.json()]).toMatchObject([200, {}])
  return response.json<Preview>()
}

describe('the preview of an override', () => {
  it('shows the findings that appear, which are those that creating it brings', async () => {
    const name = named()
    const commit = 'a1'.repeat(20)
    const versions = [
      await givenSbom([{ type: 'library', name, version: commit }]),
      await givenSbom([
        { type: 'library', name, version: commit },
        { type: 'library', name: 'x' },
      ]),
    ]
    const body = { selector: { name }, cpes: [THING_CPE], version: '1.4' }

    const shown = await preview(body)

    expect(shown).toMatchObject({
      componentCount: 2,
      firmwareVersionCount: 2,
      otherOverrideComponentCount: 0,
      madeFor: [commit],
      packageCount: 1,
      packages: [
        {
          packageName: name,
          version: commit,
          componentCount: 2,
          firmwareVersionCount: 2,
          after: { names: [{ key: 'cpe:acme:thing', version: '1.4' }], isKnown: true },
        },
      ],
      findingCounts: { appearing: 4, disappearing: 0, changing: 0, staying: 0 },
      disappearing: [],
      changing: [],
    })
    // The worst first.
    expect(shown.appearing).toMatchObject([
      { cveId: 'CVE-2026-20002', severity: 'Critical', isExploited: true, confidenceBefore: null },
      { cveId: 'CVE-2026-20001', packageName: name, version: commit, firmwareVersionCount: 2 },
    ])
    expect(shown.appearing[0]?.firmwareVersions.map(({ id }) => id).toSorted()).toEqual(
      versions.toSorted(),
    )
    expect((await client.get('/package-overrides')).json()).toEqual({ overrides: [] })
    for (const id of versions) expect(await findings(id)).toEqual([])

    const created = await client.post('/package-overrides', body)

    expect(created.statusCode).toBe(201)
    for (const id of versions) {
      while ((await findings(id)).length === 0) await delay(50)
      expect((await findings(id)).map(({ cveId }) => cveId)).toEqual(
        shown.appearing.map(({ cveId }) => cveId),
      )
    }
    const { overrides } = (await client.get('/package-overrides')).json<{ overrides: object[] }>()
    expect(overrides).toMatchObject([{ componentCount: 2, madeFor: [commit] }])
  })

  it('shows the findings that disappear, and those that another component keeps', async () => {
    const name = named()
    const cpe = THING_CPE.replace(':*', ':1.4')
    await givenSbom([{ type: 'library', name, cpe }])
    await givenSbom([
      { type: 'library', name, cpe },
      { type: 'library', name: named(), cpe },
    ])

    const shown = await preview({ selector: { name }, version: '1.6' })

    expect(shown).toMatchObject({
      findingCounts: { appearing: 1, disappearing: 1, changing: 0, staying: 1 },
      appearing: [{ cveId: 'CVE-2026-20001', confidenceAfter: 'High' }],
      disappearing: [{ cveId: 'CVE-2026-20002', confidenceBefore: 'High', confidenceAfter: null }],
    })
  })

  it('shows findings that change their confidence', async () => {
    const name = named()
    await givenSbom([{ type: 'library', name, cpe: 'cpe:2.3:a:*:thing:1.6:*:*:*:*:*:*:*' }])

    const shown = await preview({
      selector: { name },
      cpes: [THING_CPE.replace(':*', ':1.6')],
    })

    expect(shown).toMatchObject({
      findingCounts: { appearing: 0, disappearing: 0, changing: 1 },
      changing: [{ cveId: 'CVE-2026-20001', confidenceBefore: 'Medium', confidenceAfter: 'High' }],
    })
  })

  it('of one that ignores shows what it hides, and pins nothing', async () => {
    const name = named()
    await givenSbom([{ type: 'library', name, cpe: THING_CPE.replace(':*', ':1.4') }])

    const shown = await preview({ selector: { name }, ignored: true, reason: 'Our own' })

    expect(shown).toMatchObject({
      madeFor: null,
      packages: [{ after: { names: [], isKnown: false, notMatchedReason: 'ignored: Our own' } }],
      findingCounts: { appearing: 0, disappearing: 2 },
    })
  })

  it('leaves components to overrides that are more specific', async () => {
    const name = named()
    await givenSbom([
      { type: 'library', name, version: '1' },
      { type: 'library', name, version: '2' },
    ])
    const specific = { selector: { name, version: '1' }, version: '1.4' }
    await client.post('/package-overrides', specific)

    const shown = await preview({ selector: { name }, version: '1.6' })

    expect(shown).toMatchObject({ componentCount: 1, otherOverrideComponentCount: 1 })
  })

  it('finds components by a purl and by a CPE', async () => {
    const name = named()
    await givenSbom([
      { type: 'library', name: 'a', purl: `pkg:generic/acme/${name}@1` },
      { type: 'library', name: 'b', cpe: `cpe:2.3:a:acme:${name}:1:*:*:*:*:*:*:*` },
    ])

    const byPurl = await preview({ selector: { purl: `pkg:generic/acme/${name}` }, version: '2' })
    const byCpe = await preview({ selector: { cpe: `acme:${name}` }, version: '2' })

    expect(byPurl).toMatchObject({ packages: [{ packageName: 'a', version: '1' }] })
    expect(byCpe).toMatchObject({ packages: [{ packageName: 'b', version: null }] })
  })

  it('is refused for what creating the override would refuse', async () => {
    const name = named()
    await client.post('/package-overrides', { selector: { name }, version: '1' })

    const taken = await client.post('/package-overrides/preview', {
      selector: { name },
      version: '2',
    })
    const empty = await client.post('/package-overrides/preview', { selector: {}, version: '2' })

    expect(taken.json()).toMatchObject({ status: 409, type: '/problems/package-override-exists' })
    expect(empty.json()).toMatchObject({ status: 400, errors: [{ pointer: '/selector' }] })
  })

  it('counts the decisions on findings that disappear', async () => {
    const name = named()
    const cpe = THING_CPE.replace(':*', ':1.4')
    const versions = [await givenSbom([{ type: 'library', name, cpe }])]
    versions.push(await givenSbom([{ type: 'library', name, cpe }]))
    for (const id of versions) await decide(id, 'CVE-2026-20001', { assessment: 'InTriage' })
    await decide(versions[0] ?? '', 'CVE-2026-20002', { ignored: true })

    const shown = await preview({ selector: { name }, ignored: true, reason: 'Our own' })

    expect(shown).toMatchObject({
      findingCounts: { disappearing: 4 },
      disappearingDecisions: { assessed: 2, ignored: 1 },
      disappearing: [
        { cveId: 'CVE-2026-20002', decisions: { assessed: 0, ignored: 1 } },
        { cveId: 'CVE-2026-20001', decisions: { assessed: 2, ignored: 0 } },
      ],
    })
  })

  it('of a deletion shows what its components would be again', async () => {
    const name = named()
    const firmwareVersionId = await givenSbom([{ type: 'library', name, version: '1.6' }])
    const id = await givenOverride({ selector: { name }, cpes: [THING_CPE], version: '1.4' })
    while ((await findings(firmwareVersionId)).length === 0) await delay(50)

    const shown = await preview(undefined, `/package-overrides/${id}/preview-deletion`)

    expect(shown).toMatchObject({
      componentCount: 0,
      endingComponentCount: 1,
      madeFor: null,
      packages: [{ packageName: name, after: { notMatchedReason: null } }],
      findingCounts: { appearing: 0, disappearing: 2 },
    })
    expect(await findings(firmwareVersionId)).toHaveLength(2)
  })

  it('of a deletion shows the override that would apply instead', async () => {
    const name = named()
    const firmwareVersionId = await givenSbom([{ type: 'library', name, version: '1.6' }])
    await givenOverride({ selector: { name }, cpes: [THING_CPE], version: '1.4' })
    const id = await givenOverride({ selector: { name, version: '1.6' }, cpes: [THING_CPE] })
    await applied(id)
    while ((await findings(firmwareVersionId)).length !== 1) await delay(50)

    const shown = await preview(undefined, `/package-overrides/${id}/preview-deletion`)

    expect(shown).toMatchObject({
      endingComponentCount: 1,
      otherOverrideComponentCount: 1,
      findingCounts: { appearing: 1, disappearing: 0, staying: 1 },
      appearing: [{ cveId: 'CVE-2026-20002' }],
    })
  })

  it('of a replacement shows what it ends for some components, and begins for others', async () => {
    const [name, other] = [named(), named()]
    const firmwareVersionId = await givenSbom([
      { type: 'library', name, version: '1' },
      { type: 'library', name: other, version: '1' },
    ])
    const id = await givenOverride({ selector: { name }, cpes: [THING_CPE], version: '1.6' })
    await applied(id)
    while ((await findings(firmwareVersionId)).length === 0) await delay(50)
    const path = `/package-overrides/${id}/preview`

    const moved = await preview(
      { selector: { name: other }, cpes: [THING_CPE], version: '1.4' },
      path,
    )
    const changed = await preview({ selector: { name }, cpes: [THING_CPE], version: '1.4' }, path)

    expect(moved).toMatchObject({ componentCount: 1, endingComponentCount: 1, madeFor: ['1'] })
    expect(moved.findingCounts).toMatchObject({ appearing: 1, disappearing: 0, staying: 1 })
    expect(changed).toMatchObject({ componentCount: 1, endingComponentCount: 0, madeFor: ['1'] })
    expect(changed.appearing).toMatchObject([{ cveId: 'CVE-2026-20002', packageName: name }])
  })

  it('of a replacement is refused where another override has the selector', async () => {
    const [name, other] = [named(), named()]
    await givenOverride({ selector: { name }, version: '1' })
    const id = await givenOverride({ selector: { name: other }, version: '1' })

    const taken = await client.post(`/package-overrides/${id}/preview`, {
      selector: { name },
      version: '1',
    })

    expect(taken.json()).toMatchObject({ status: 409, type: '/problems/package-override-exists' })
  })

  it('of an override of another workspace is not found', async () => {
    const id = await givenOverride({ selector: { name: named() }, version: '1' })
    const stranger = await givenClient(test)
    const body = { selector: { name: 'a' }, version: '1' }

    const answers = [
      await stranger.post(`/package-overrides/${id}/preview`, body),
      await stranger.post(`/package-overrides/${id}/preview-deletion`),
    ]

    expect(answers.map(({ statusCode }) => statusCode)).toEqual([404, 404])
  })

  it('sees nothing of other workspaces', async () => {
    const name = named()
    await givenSbom([{ type: 'library', name, version: '1' }])
    const stranger = await givenClient(test)

    const response = await stranger.post('/package-overrides/preview', {
      selector: { name },
      version: '1.4',
      cpes: [THING_CPE],
    })

    expect(response.json()).toMatchObject({ componentCount: 0, packages: [], appearing: [] })
  })
})
