/** What was decided is taken over by findings that begin, through real uploads, overrides, feeds and jobs. */
import { setTimeout as delay } from 'node:timers/promises'
import { beforeAll, describe, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../../test/app.ts'
import { type GivenOsv, givenFolder, nvdPage, osvRecord } from '../../../../test/given-feeds.ts'
import { type Client, givenClient, matchedSboms, upload } from '../../../../test/given.ts'
import { importFeeds } from '../../advisories/index.ts'

let test: TestApp
let client: Client

beforeAll(async () => {
  test = await startTestApp()
  await test.startWorker()
  client = await givenClient(test)
})

interface ShownFinding {
  id: string
  cveId: string
  assessment: string
  cve: { id: string }
  recheckReason: string | null
  timeline: { type: string; source?: string; createdByEmail?: string; assessment?: object }[]
}

let products = 0
/** A PyPI package no other test speaks of. */
const newProduct = () => `product${process.pid}x${++products}`
let numbers = 0
const newCve = () => `CVE-2026-${70_000 + ++numbers}`
const newGhsa = () => `GHSA-aaaa-bbbb-${String(++numbers).padStart(4, '2')}`

async function importOsv(...records: GivenOsv[]) {
  const files = records.map((record) => [`osv/${record.id}.json`, osvRecord(record)] as const)
  await importFeeds(test.ctx, { path: givenFolder(Object.fromEntries(files)) })
}

async function givenFirmware(): Promise<string> {
  const response = await client.post('/firmwares', { slug: `fw-${crypto.randomUUID()}` })
  return response.json<{ id: string }>().id
}

async function givenVersion(firmwareId: string, name: string, body: object = {}): Promise<string> {
  const response = await client.post(`/firmwares/${firmwareId}/versions`, { name, ...body })
  return response.json<{ id: string }>().id
}

const pypi = (name: string, version = '1.0') => ({
  type: 'library',
  name,
  version,
  purl: `pkg:pypi/${name}@${version}`,
})

/** Uploads an SBOM of these components and answers what is found. */
async function uploaded(
  firmwareVersionId: string,
  ...components: object[]
): Promise<ShownFinding[]> {
  const document = { bomFormat: 'CycloneDX', specVersion: '1.6', version: 1, components }
  const files = [{ name: `${crypto.randomUUID()}.json`, bytes: JSON.stringify(document) }]
  await upload(test, client, { firmwareVersionId, files })
  await matchedSboms(client, firmwareVersionId)
  return findings(firmwareVersionId)
}

async function findings(firmwareVersionId: string): Promise<ShownFinding[]> {
  const path = `/firmware-versions/${firmwareVersionId}/vulnerability-findings/list`
  const list = await client.post(path, { sortColumn: 'CveId', ascending: true })
  return list.json<{ findings: ShownFinding[] }>().findings
}

const read = async (findingId: string) =>
  (await client.get(`/vulnerability-findings/${findingId}`)).json<ShownFinding>()
const only = async (found: ShownFinding[]) => {
  expect(found).toHaveLength(1)
  return read(found[0]?.id ?? '')
}

async function assess(finding: ShownFinding | undefined, body: object) {
  const path = `/vulnerability-findings/${finding?.id ?? ''}/assessments`
  const response = await client.post(path, body)
  expect(response.statusCode).toBe(200)
}

/** Jobs follow the answer; what never comes ends the test. */
async function eventually<Value>(
  look: () => Promise<Value>,
  holds: (value: Value) => boolean,
): Promise<Value> {
  for (;;) {
    const value = await look()
    if (holds(value)) return value
    await delay(50)
  }
}

const NOT_AFFECTED = {
  assessment: 'NotAffected',
  justification: 'vulnerable_code_not_present',
  detail: 'Not compiled.',
  response: 'will_not_fix',
}

/** A product with one flaw below 2.0, in the first version of a firmware. */
async function givenFirst() {
  const product = newProduct()
  const cveId = newCve()
  await importOsv({ id: cveId, fixed: { [product]: '2.0' } })
  const firmwareId = await givenFirmware()
  const first = await givenVersion(firmwareId, '1')
  const [finding] = await uploaded(first, pypi(product))
  expect(finding?.cveId).toBe(cveId)
  return { product, cveId, firmwareId, first, finding }
}

describe('from version to version', () => {
  it('decisions are taken over, as such, from the newest earlier version that has an SBOM', async () => {
    const { product, firmwareId, finding } = await givenFirst()
    await assess(finding, NOT_AFFECTED)
    await givenVersion(firmwareId, 'without an SBOM')
    const second = await givenVersion(firmwareId, '2')

    const shown = await only(await uploaded(second, pypi(product)))

    expect(shown).toMatchObject({ ...NOT_AFFECTED, recheckReason: null, isActive: false })
    expect(shown.id).not.toBe(finding?.id)
    const [entry, ...others] = shown.timeline.filter(({ type }) => type === 'Assessment')
    expect(entry).toMatchObject({
      source: 'CarriedOver',
      createdByEmail: expect.stringContaining('@example.com') as string,
      assessment: NOT_AFFECTED,
    })
    expect(others).toEqual([])
    const summary = await client.get(`/firmware-versions/${second}/vulnerability-findings/summary`)
    expect(summary.json()).toMatchObject({ totalActiveIssues: 0 })
  })

  it('what was only ignored is ignored, and nothing more is said', async () => {
    const { product, firmwareId, finding } = await givenFirst()
    await client.put(`/vulnerability-findings/${finding?.id ?? ''}/ignore`, { ignored: true })

    const shown = await only(await uploaded(await givenVersion(firmwareId, '2'), pypi(product)))

    expect(shown).toMatchObject({ ignored: true, assessment: 'NotAssessed', recheckReason: null })
    expect(shown.timeline.map(({ type, source }) => [type, source])).toEqual([
      ['Detected', undefined],
      ['Ignored', 'CarriedOver'],
    ])
  })

  it('evidence that changed since asks for another look', async () => {
    const { product, cveId, firmwareId, finding } = await givenFirst()
    await assess(finding, NOT_AFFECTED)
    await importOsv({ id: cveId, modified: '2026-02-01T00:00:00Z', fixed: { [product]: '2.1' } })
    await eventually(
      async () => (await read(finding?.id ?? '')) as unknown as { fixedVersions: string[] },
      ({ fixedVersions }) => fixedVersions.includes('2.1'),
    )
    await eventually(pendingJobs, (count) => count === 0)

    const shown = await only(await uploaded(await givenVersion(firmwareId, '2'), pypi(product)))

    expect(shown).toMatchObject({
      assessment: 'NotAssessed',
      justification: null,
      detail: null,
      responses: [],
      recheckReason: 'Not affected in 1 on evidence that has changed since',
      isActive: true,
    })
  })

  it('another version of the package asks for another look', async () => {
    const { product, firmwareId, finding } = await givenFirst()
    await assess(finding, NOT_AFFECTED)

    const shown = await only(
      await uploaded(await givenVersion(firmwareId, '2'), pypi(product, '1.1')),
    )

    expect(shown).toMatchObject({
      assessment: 'NotAssessed',
      recheckReason: 'Not affected in 1 for version 1.0 of this package; this is version 1.1',
    })
    await assess(shown, { assessment: 'Exploitable' })
    expect(await read(shown.id)).toMatchObject({ assessment: 'Exploitable', recheckReason: null })
  })

  it('a decision for findings to come holds for it too, unless somebody has decided otherwise since', async () => {
    const { product, cveId, firmwareId } = await givenFirst()
    const standing = { ...NOT_AFFECTED, filter: { cveIds: [cveId] }, alsoFuture: true }
    await client.post('/vulnerability-findings/bulk-assess', standing)

    const second = await only(
      await uploaded(await givenVersion(firmwareId, '2'), pypi(product, '1.1')),
    )
    await assess(second, { assessment: 'Exploitable' })
    const third = await only(
      await uploaded(await givenVersion(firmwareId, '3'), pypi(product, '1.2')),
    )

    expect(second).toMatchObject({ ...NOT_AFFECTED, recheckReason: null, isActive: false })
    expect(third).toMatchObject({
      assessment: 'NotAssessed',
      recheckReason: 'Exploitable in 2 for version 1.1 of this package; this is version 1.2',
    })
  })

  it('who has not looked again is asked in the version after as well', async () => {
    const { product, firmwareId, finding } = await givenFirst()
    await assess(finding, NOT_AFFECTED)
    await uploaded(await givenVersion(firmwareId, '2'), pypi(product, '1.1'))

    const same = await uploaded(await givenVersion(firmwareId, '3'), pypi(product, '1.1'))
    const other = await uploaded(await givenVersion(firmwareId, '4'), pypi(product, '1.2'))

    for (const found of [same, other])
      expect(await only(found)).toMatchObject({
        assessment: 'NotAssessed',
        recheckReason: 'Not affected in 1 for version 1.0 of this package; this is version 1.1',
      })
  })

  it('what was ignored for another version of the package is marked, and can be ignored again', async () => {
    const { product, firmwareId, first, finding } = await givenFirst()
    await client.put(`/vulnerability-findings/${finding?.id ?? ''}/ignore`, { ignored: true })
    const second = await givenVersion(firmwareId, '2')

    const shown = await only(await uploaded(second, pypi(product, '1.1')))

    expect(shown).toMatchObject({
      assessment: 'NotAssessed',
      ignored: false,
      isActive: true,
      recheckReason: 'Ignored in 1 for version 1.0 of this package; this is version 1.1',
      previousDecision: {
        firmwareVersion: { id: first, name: '1' },
        componentVersion: '1.0',
        assessment: 'NotAssessed',
        ignored: true,
        decidedByEmail: expect.stringContaining('@example.com') as string,
      },
    })
    const filter = { previouslyIgnored: true, firmwareVersionIds: [second] }
    const list = `/firmware-versions/${second}/vulnerability-findings/list`
    const marked = await client.post(list, { filter: { previouslyIgnored: true } })
    expect(marked.json()).toMatchObject({ findings: [{ id: shown.id }] })
    const repeat = '/vulnerability-findings/bulk-repeat'
    const counts = {
      matched: 1,
      changed: 1,
      assessments: [{ assessment: 'NotAssessed', count: 1 }],
    }
    expect((await client.post(repeat, { filter, dryRun: true })).json()).toEqual(counts)
    expect(await read(shown.id)).toMatchObject({ ignored: false })

    expect((await client.post(repeat, { filter })).json()).toEqual({
      ...counts,
      decisionBatchId: expect.any(String) as string,
    })

    const after = await read(shown.id)
    expect(after).toMatchObject({
      ignored: true,
      isActive: false,
      recheckReason: null,
      previousDecision: null,
    })
    expect(after.timeline.slice(-1)).toMatchObject([{ type: 'Ignored', source: 'ApiKey' }])
    expect((await client.post(repeat, { filter })).json()).toMatchObject({ matched: 0 })
    const asOf = new Date().toISOString()
    const past = await client.get(`/vulnerability-findings/${shown.id}?asOf=${asOf}`)
    expect(past.json()).toMatchObject({ ignored: true, recheckReason: null })
  })

  it('what was ignored is ignored again only on the terms that the workspace demands by now', async () => {
    const { product, firmwareId, finding } = await givenFirst()
    await client.put(`/vulnerability-findings/${finding?.id ?? ''}/ignore`, { ignored: true })
    const second = await givenVersion(firmwareId, '2')
    const shown = await only(await uploaded(second, pypi(product, '1.1')))
    await client.patch('/settings', { acceptanceRequirements: ['Reason'] })
    const repeat = (more: object) =>
      client.post('/vulnerability-findings/bulk-repeat', { findingIds: [shown.id], ...more })

    const preview = await repeat({ dryRun: true })
    const refused = await repeat({})
    const between = await read(shown.id)
    const done = await repeat({ acceptance: { reason: 'Not reachable.' } })
    await client.patch('/settings', { acceptanceRequirements: [] })

    for (const answer of [preview, refused])
      expect(answer.json()).toMatchObject({
        type: '/problems/acceptance-incomplete',
        errors: [{ pointer: '/acceptance/reason' }],
      })
    expect(between).toMatchObject({ ignored: false })
    expect(done.json()).toMatchObject({ changed: 1 })
    expect(await read(shown.id)).toMatchObject({
      ignored: true,
      recheckReason: null,
      acceptance: { reason: 'Not reachable.' },
    })
  })

  it('all that was decided before can be decided again, with its reasons', async () => {
    const { product, firmwareId, finding } = await givenFirst()
    await assess(finding, NOT_AFFECTED)
    await client.put(`/vulnerability-findings/${finding?.id ?? ''}/ignore`, { ignored: true })
    const second = await givenVersion(firmwareId, '2')
    await uploaded(second, pypi(product, '1.1'))
    const third = await givenVersion(firmwareId, '3')
    const shown = await only(await uploaded(third, pypi(product, '1.2')))
    expect(shown).toMatchObject({
      recheckReason:
        'Not affected and ignored in 1 for version 1.0 of this package; this is version 1.1',
      previousDecision: { firmwareVersion: { name: '1' }, componentVersion: '1.0' },
    })

    const body = { findingIds: [shown.id] }
    const response = await client.post('/vulnerability-findings/bulk-repeat', body)

    expect(response.json()).toMatchObject({ matched: 1, changed: 1 })
    const after = await read(shown.id)
    const cleared = { recheckReason: null, previousDecision: null }
    expect(after).toMatchObject({ ...NOT_AFFECTED, ignored: true, ...cleared })
  })

  it('a package whose new version comes into the same firmware version is marked, too', async () => {
    const { product, first, finding } = await givenFirst()
    await client.put(`/vulnerability-findings/${finding?.id ?? ''}/ignore`, { ignored: true })
    const [old] = await matchedSboms(client, first)
    await client.delete(`/sboms/${old?.id ?? ''}`)

    const shown = await only(await uploaded(first, pypi(product, '1.1')))

    expect(shown).toMatchObject({
      ignored: false,
      recheckReason: 'Ignored in 1 for version 1.0 of this package; this is version 1.1',
    })
  })

  it('the predecessor that is named counts', async () => {
    const { product, firmwareId, first, finding } = await givenFirst()
    await assess(finding, NOT_AFFECTED)
    const second = await givenVersion(firmwareId, '2')
    const [inSecond] = await uploaded(second, pypi(product))
    await assess(inSecond, { assessment: 'Exploitable' })
    const branch = await givenVersion(firmwareId, '1.0.1', { predecessorId: first })

    const shown = await only(await uploaded(branch, pypi(product)))

    expect(shown).toMatchObject(NOT_AFFECTED)
  })

  it('a flaw that becomes known later takes nothing over, as nothing was decided of it', async () => {
    const { product, firmwareId, finding } = await givenFirst()
    await assess(finding, NOT_AFFECTED)
    const second = await givenVersion(firmwareId, '2')
    await uploaded(second, pypi(product))
    const later = newCve()

    await importOsv({ id: later, fixed: { [product]: '3.0' } })

    const found = await eventually(
      () => findings(second),
      ({ length }) => length === 2,
    )
    expect(found).toMatchObject([{ assessment: 'NotAffected' }, { assessment: 'NotAssessed' }])
  })

  it('nothing is taken over where the workspace does not want it', async () => {
    const settings = (await client.get('/settings')).json<Record<string, unknown>>()
    const { id: _, updatedAt: __, ...writable } = settings
    const { product, firmwareId, finding } = await givenFirst()
    await assess(finding, NOT_AFFECTED)
    await client.put('/settings', { ...writable, carryOverAssessments: false })

    const [found] = await uploaded(await givenVersion(firmwareId, '2'), pypi(product))
    await client.put('/settings', writable)

    expect(found).toMatchObject({ assessment: 'NotAssessed' })
    await client.put('/settings', { ...writable, carryOverAssessments: true })
  })

  it('other firmwares and workspaces take nothing over', async () => {
    const { product, finding } = await givenFirst()
    await assess(finding, NOT_AFFECTED)

    const [found] = await uploaded(await givenVersion(await givenFirmware(), '2'), pypi(product))

    expect(found).toMatchObject({ assessment: 'NotAssessed' })
  })

  it('a person who decides later is not overruled by the version before', async () => {
    const { product, firmwareId, finding } = await givenFirst()
    const second = await givenVersion(firmwareId, '2')
    const [inSecond] = await uploaded(second, pypi(product))
    await assess(finding, NOT_AFFECTED)

    await uploaded(second, pypi(product), pypi('unrelated'))

    expect(await read(inSecond?.id ?? '')).toMatchObject({ assessment: 'NotAssessed' })
  })
})

describe('within a version', () => {
  it('an override that identifies the package otherwise keeps the decision, and the old id leads on', async () => {
    const { product, first, finding } = await givenFirst()
    await assess(finding, NOT_AFFECTED)
    const before = finding?.id ?? ''

    const cpe = `cpe:2.3:a:${product}:${product}:*:*:*:*:*:*:*:*`
    const selector = { purl: `pkg:pypi/${product}` }
    const purls = [`pkg:pypi/${product}`]
    const override = await client.post('/package-overrides', { selector, purls, cpes: [cpe] })
    expect(override.statusCode).toBe(201)

    const [after] = await eventually(
      () => findings(first),
      ([found]) => found !== undefined && found.id !== before,
    )
    expect(after).toMatchObject({ assessment: 'NotAffected' })
    const shown = await read(before)
    expect(shown).toMatchObject({ id: after?.id, ...NOT_AFFECTED, isActive: false })
    const told = shown.timeline.filter(({ type }) => type === 'Assessment')
    expect(told).toMatchObject([{ source: 'ApiKey' }])

    await assess(finding, { assessment: 'Exploitable', detail: 'By its former id.' })

    expect(await read(after?.id ?? '')).toMatchObject({ detail: 'By its former id.' })
    const ignored = await client.put(`/vulnerability-findings/${before}/ignore`, { ignored: true })
    expect(ignored.json()).toMatchObject({ id: after?.id, ignored: true })

    const { id } = override.json<{ id: string }>()
    await client.delete(`/package-overrides/${id}`)

    const [back] = await eventually(
      () => findings(first),
      ([found]) => found?.id === before,
    )
    expect(back).toMatchObject({ assessment: 'Exploitable', ignored: true })
    expect(await read(after?.id ?? '')).toMatchObject({ id: before, detail: 'By its former id.' })
  })

  it.each(['before', 'after'])(
    'an SBOM written anew by another tool keeps the decision, uploaded %s the old one goes',
    async (order) => {
      const { product, firmwareId, first, finding } = await givenFirst()
      await assess(finding, NOT_AFFECTED)
      const [old] = await matchedSboms(client, first)
      const anew = {
        ...pypi(product),
        cpe: `cpe:2.3:a:${product}:${product}:1.0:*:*:*:*:*:*:*`,
      }

      if (order === 'before') await uploaded(first, anew)
      await client.delete(`/sboms/${old?.id ?? ''}`)
      if (order === 'after') await uploaded(first, anew)

      const shown = await only(await findings(first))
      expect(shown).toMatchObject({ ...NOT_AFFECTED, recheckReason: null })
      expect(shown.id).not.toBe(finding?.id)
      expect(await read(finding?.id ?? '')).toMatchObject({ id: shown.id })
      const second = await only(await uploaded(await givenVersion(firmwareId, '2'), anew))
      expect(second).toMatchObject({ ...NOT_AFFECTED, recheckReason: null })
    },
  )

  it('packages of one product side by side are not each other', async () => {
    const { product, first, finding } = await givenFirst()
    await assess(finding, NOT_AFFECTED)
    const [old] = await matchedSboms(client, first)
    const cpe = `cpe:2.3:a:${product}:${product}:1.0:*:*:*:*:*:*:*`
    const both = [pypi(product), { ...pypi(product), name: 'other', cpe }]

    const found = await uploaded(first, ...both)
    await client.delete(`/sboms/${old?.id ?? ''}`)

    expect(found).toHaveLength(2)
    const assessments = (await findings(first)).map(({ id, assessment }) => [id, assessment])
    expect(Object.fromEntries(assessments)).toMatchObject({ [finding?.id ?? '']: 'NotAffected' })
    expect(assessments.map(([, assessment]) => assessment)).toContain('NotAssessed')
    expect(await read(finding?.id ?? '')).toMatchObject({ id: finding?.id })
  })
})

describe('vulnerabilities that are united', () => {
  async function givenAdvisoryWithoutCve() {
    const product = newProduct()
    const ghsa = newGhsa()
    await importOsv({ id: ghsa, fixed: { [product]: '2.0' } })
    const firmwareVersionId = await givenVersion(await givenFirmware(), '1')
    const [finding] = await uploaded(firmwareVersionId, pypi(product))
    expect(finding).toMatchObject({ cveId: ghsa })
    return { product, ghsa, firmwareVersionId, finding, oldId: finding?.id ?? '' }
  }

  it('keep the decision under the id they have by then, and the old one leads there', async () => {
    const { product, ghsa, firmwareVersionId, finding, oldId } = await givenAdvisoryWithoutCve()
    await assess(finding, NOT_AFFECTED)
    const cve = newCve()

    await importOsv({
      id: ghsa,
      aliases: [cve],
      modified: '2026-02-01T00:00:00Z',
      fixed: { [product]: '2.0' },
    })

    const [united] = await eventually(
      () => findings(firmwareVersionId),
      (found) => found.length === 1 && found[0]?.cveId === cve,
    )
    expect(united).toMatchObject({ assessment: 'NotAffected' })
    const shown = await read(oldId)
    expect(shown).toMatchObject({ id: united?.id, cve: { id: cve }, ...NOT_AFFECTED })
    expect(shown.timeline.find(({ type }) => type === 'Assessment')).toMatchObject({
      source: 'ApiKey',
      assessment: NOT_AFFECTED,
    })
    await assess(finding, { assessment: 'InTriage' })
    expect(await read(united?.id ?? '')).toMatchObject({ assessment: 'InTriage' })
  })

  it('take the newest decision where people disagreed, and ask for another look', async () => {
    const { product, ghsa, firmwareVersionId, finding } = await givenAdvisoryWithoutCve()
    const cve = newCve()
    await importOsv({ id: cve, fixed: { [product]: '2.0' } })
    const both = await eventually(
      () => findings(firmwareVersionId),
      ({ length }) => length === 2,
    )
    const ofCve = both.find(({ cveId }) => cveId === cve)
    await assess(ofCve, { assessment: 'Exploitable', detail: 'We call it.' })
    await assess(finding, NOT_AFFECTED)

    await importOsv({
      id: ghsa,
      aliases: [cve],
      modified: '2026-02-01T00:00:00Z',
      fixed: { [product]: '2.0' },
    })

    await eventually(
      () => findings(firmwareVersionId),
      ({ length }) => length === 1,
    )
    const shown = await eventually(
      () => read(ofCve?.id ?? ''),
      ({ recheckReason }) => recheckReason !== null,
    )
    expect(shown).toMatchObject({ assessment: 'NotAffected', detail: 'Not compiled.' })
    expect(shown.recheckReason).toBe(
      `${ghsa} was assessed as not affected, ${cve} as exploitable; they are now one finding`,
    )
    const details = shown.timeline.map(({ assessment }) => assessment)
    expect(details).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ detail: 'We call it.' }),
        expect.objectContaining({ detail: 'Not compiled.' }),
      ]),
    )
  })

  it.each`
    act                                        | united                                               | because
    ${{ assess: 'Exploitable' }}               | ${{ assessment: 'Exploitable', origin: 'Person' }}   | ${'a person has decided'}
    ${{ ignore: true }}                        | ${{ assessment: 'NotAffected', origin: 'Document' }} | ${'a person has only ignored it'}
    ${{ assess: 'Exploitable', ignore: true }} | ${{ assessment: 'Exploitable', origin: 'Person' }}   | ${'a person has done both'}
  `(
    'are $united beside a later document, as $because',
    async ({ act, united }: { act: { assess?: string; ignore?: true }; united: object }) => {
      const { product, ghsa, firmwareVersionId, finding, oldId } = await givenAdvisoryWithoutCve()
      const cve = newCve()
      await importOsv({ id: cve, fixed: { [product]: '2.0' } })
      await eventually(
        () => findings(firmwareVersionId),
        ({ length }) => length === 2,
      )
      if (act.assess !== undefined) await assess(finding, { assessment: act.assess })
      const path = `/vulnerability-findings/${oldId}/ignore`
      if (act.ignore) await client.put(path, { ignored: true })
      await client.post(`/firmware-versions/${firmwareVersionId}/vex`, {
        '@context': 'https://openvex.dev/ns/v0.2.0',
        '@id': `https://example.com/${cve}`,
        author: 'Supplier',
        timestamp: new Date().toISOString(),
        version: 1,
        statements: [
          {
            vulnerability: { name: cve },
            products: [{ '@id': pypi(product).purl }],
            status: 'not_affected',
          },
        ],
      })

      const modified = '2026-02-01T00:00:00Z'
      await importOsv({ id: ghsa, aliases: [cve], modified, fixed: { [product]: '2.0' } })

      await eventually(
        () => findings(firmwareVersionId),
        ({ length }) => length === 1,
      )
      await eventually(pendingJobs, (jobs) => jobs === 0)
      expect(await read(oldId)).toMatchObject({
        cve: { id: cve },
        ignored: act.ignore === true,
        ...united,
      })
    },
  )

  it('each keep the decision when they are parted again', async () => {
    const product = newProduct()
    const [one, other] = [newGhsa(), newGhsa()]
    const fixed = { [product]: '2.0' }
    await importOsv({ id: one, fixed }, { id: other, aliases: [one], fixed })
    const firmwareVersionId = await givenVersion(await givenFirmware(), '1')
    const [finding] = await uploaded(firmwareVersionId, pypi(product))
    await assess(finding, NOT_AFFECTED)

    await importOsv({ id: other, modified: '2026-02-01T00:00:00Z', fixed })

    const parts = await eventually(
      () => findings(firmwareVersionId),
      ({ length }) => length === 2,
    )
    await eventually(pendingJobs, (count) => count === 0)
    expect(parts.map(({ cveId }) => cveId).toSorted()).toEqual([one, other].toSorted())
    for (const { id } of await findings(firmwareVersionId))
      expect(await read(id)).toMatchObject(NOT_AFFECTED)
    expect(await read(finding?.id ?? '')).toMatchObject(NOT_AFFECTED)
  })

  it('are found by NVD as well: one finding, one decision', async () => {
    const { product, first, finding, cveId } = await givenFirst()
    await assess(finding, NOT_AFFECTED)

    const page = nvdPage([{ id: cveId, score: 9.8, fixed: { [`acme:${product}`]: '2.0' } }])
    await importFeeds(test.ctx, { path: givenFolder({ 'nvd.json': JSON.stringify(page) }) })
    await eventually(pendingJobs, (count) => count === 0)

    expect(await only(await findings(first))).toMatchObject(NOT_AFFECTED)
  })
})

async function pendingJobs(): Promise<number> {
  const { rows } = await test.ctx.pool.query<{ count: number }>(
    `select count(*)::int as count from pgboss.job
     where name = 'advisories.knowledge-changed' and state in ('created', 'retry', 'active')`,
  )
  return rows[0]?.count ?? 0
}
