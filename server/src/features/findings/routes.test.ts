import { sql } from 'kysely'
import { beforeAll, describe, expect, it } from 'vitest'
import { startTestApp, type TestApp, type TestWorkspace } from '../../../test/app.ts'
import {
  givenFirmwareVersion,
  givenSbom,
  removeSbom,
  type GivenComponent,
} from '../../../test/given-inventory.ts'
import { affectedIn, givenAdvisory } from '../../../test/given-knowledge.ts'
import { newId } from '../../platform/ids.ts'
import { recordDecisions } from './service.ts'
import { matchChangedPackages } from '../matching/index.ts'
import { matchFirmwareVersion } from './service.ts'

let service: TestApp
beforeAll(async () => {
  service = await startTestApp()
})

interface GivenVersion extends TestWorkspace {
  firmwareVersionId: string
  sbomId: string
  version: { workspaceId: string; firmwareVersionId: string }
}

async function givenVersion(
  components: GivenComponent[],
  workspace?: TestWorkspace,
): Promise<GivenVersion> {
  const of = workspace ?? (await service.givenWorkspace())
  const firmwareVersionId = await givenFirmwareVersion(service.ctx, of.workspaceId)
  const version = { workspaceId: of.workspaceId, firmwareVersionId }
  const sbomId = await givenSbom(service.ctx, { ...version, components })
  await matchFirmwareVersion(service.ctx, version)
  return { ...of, firmwareVersionId, sbomId, version }
}

/** A product no other test speaks of, with advisories for its version 1.0. */
async function givenProduct(
  scores: number[],
): Promise<{ product: string; cpes: string[]; ids: string[] }> {
  const product = `product-${newId()}`
  const ids: string[] = []
  for (const [index, score] of scores.entries()) {
    const id = `CVE-2024-${product}-${index}`
    const severity = score >= 9 ? 'Critical' : 'Low'
    ids.push(id)
    await givenAdvisory(service.ctx.db, {
      id,
      score,
      severity,
      title: `Flaw ${index}`,
      affected: [affectedIn(`cpe:acme:${product}`, [{ fixed: '2.0' }])],
    })
  }
  return { product, cpes: [`cpe:2.3:a:acme:${product}:1.0:*:*:*:*:*:*:*`], ids }
}

interface Page {
  findings: { id: string; cveId: string; detectedAt: string; [field: string]: unknown }[]
  hasMore: boolean
  nextCursor?: string
}

async function post(given: GivenVersion, body: object) {
  return service.app.inject({
    method: 'POST',
    url: `/workspaces/${given.workspaceId}/firmware-versions/${given.firmwareVersionId}/vulnerability-findings/list`,
    headers: { authorization: `Bearer ${given.apiKey}` },
    payload: body,
  })
}

async function list(given: GivenVersion, body: object = {}): Promise<Page> {
  const response = await post(given, body)
  expect(response.statusCode).toBe(200)
  return response.json<Page>()
}

async function get({ workspaceId, apiKey }: TestWorkspace, path: string) {
  const headers = { authorization: `Bearer ${apiKey}` }
  return service.app.inject({ url: `/workspaces/${workspaceId}${path}`, headers })
}

const cves = ({ findings }: Page) => findings.map(({ cveId }) => cveId)

describe('the list', () => {
  it('shows what advisories say of the components', async () => {
    const { cpes, ids, product } = await givenProduct([9.8])
    const given = await givenVersion([{ packageName: 'thing', version: '1.0', cpes }])

    const page = await list(given)

    expect(page).toEqual({
      findings: [
        {
          affectedDeviceCount: 0,
          assignee: null,
          ssvcOutcome: 'Act',
          ssvcLeastOutcome: 'Track',
          owners: [],
          isPartlyUnowned: true,
          commentCount: 0,
          id: expect.any(String) as string,
          cveId: ids[0],
          name: 'Flaw 0',
          componentName: 'thing',
          componentVersion: '1.0',
          componentSource: null,
          severity: 'Critical',
          assessment: 'NotAssessed',
          ignored: false,
          isKnownCisaExploit: false,
          exploitedSources: [],
          isDisputed: false,
          detectedAt: expect.any(String) as string,
          cvssScore: 9.8,
          epssScore: null,
          confidence: 'High',
          recheckReason: null,
        },
      ],
      hasMore: false,
      totalCount: 1,
      totalCountIsLowerBound: false,
      switchedOffCount: 0,
      notMatchedYet: { sbomCount: 0, packageCount: 0 },
    })
    expect(product).toBeTruthy()
  })

  it('has one finding for components that are one package, under the shortest name', async () => {
    const { cpes } = await givenProduct([5])
    const names = ['thing-dev', 'thing', 'thing-doc']
    const given = await givenVersion(
      names.map((packageName) => ({ packageName, version: '1.0', cpes })),
    )

    const { findings } = await list(given)

    expect(findings).toMatchObject([{ componentName: 'thing' }])
  })

  it('names the component as the SBOM does, and its source', async () => {
    const source = `source-${newId()}`
    const purl = `pkg:deb/debian/a@1.0-1?distro=debian-12&upstream=${source}`
    const affected = [affectedIn(`purl:deb/debian/${source}`, [{ fixed: '2.0-1' }], 'deb')]
    await givenAdvisory(service.ctx.db, { id: `DSA-${source}`, source: 'osv', affected })

    const given = await givenVersion([{ packageName: 'a', version: '1.0-1', purl }])

    const { findings } = await list(given)
    const detail = await get(given, `/vulnerability-findings/${findings[0]?.id ?? ''}`)

    expect(findings).toMatchObject([{ componentName: 'a', componentSource: source }])
    expect(detail.json()).toMatchObject({ components: [{ name: 'a', source }] })
  })

  it('lists the findings of the vulnerabilities that are named, also by an alias', async () => {
    const { cpes, ids } = await givenProduct([9.8, 5.0])
    const given = await givenVersion([{ packageName: 'thing', version: '1.0', cpes }])
    const listed = async (cveIds: string[]) =>
      (await list(given, { filter: { cveIds } })).findings.map(({ cveId }) => cveId)

    expect(await listed(ids.slice(0, 1))).toEqual(ids.slice(0, 1))
    expect(await listed(['CVE-1999-0001'])).toEqual([])
    expect(await listed([])).toEqual([])
    await sql`insert into vulnerability_aliases (alias, vulnerability_id)
      values (${`GHSA-${String(ids[1])}`}, ${ids[1]})`.execute(service.ctx.db)
    expect(await listed([`GHSA-${String(ids[1])}`])).toEqual(ids.slice(1, 2))
  })

  it.each(['LIBCRYPTO', 'thing-', 'vendorless-'])(
    'is found by what its component is called: %s',
    async (part) => {
      const id = newId()
      const affected = [`cpe:acme:thing-${id}`, `cpe:acme:vendorless-${id}`].map((key) =>
        affectedIn(key, [{ fixed: '2.0' }]),
      )
      await givenAdvisory(service.ctx.db, { id: `CVE-2024-${id}`, affected })
      const cpes = [`a:acme:thing-${id}`, `*:*:vendorless-${id}`].map(
        (name) => `cpe:2.3:${name}:1.0:*:*:*:*:*:*:*`,
      )
      const given = await givenVersion([{ packageName: 'libcrypto3', version: '1.0', cpes }])

      expect(cves(await list(given, { filter: { name: [{ contains: part }] } }))).toHaveLength(1)
      expect(cves(await list(given, { filter: { name: [{ contains: 'acme' }] } }))).toEqual([])
    },
  )

  it('leaves to the components what could not be compared', async () => {
    const product = `product-${newId()}`
    const commits = affectedIn(`cpe:acme:${product}`, [{ introduced: 'a'.repeat(40) }], 'git')
    await givenAdvisory(service.ctx.db, { id: `CVE-2024-${product}`, affected: [commits] })
    const cpes = [`cpe:2.3:a:acme:${product}:1.0:*:*:*:*:*:*:*`]
    const given = await givenVersion([
      { packageName: 'thing', cpes },
      { packageName: 'unknown', cpes: [] },
    ])

    const listed = await get(given, `/firmware-versions/${given.firmwareVersionId}/sbom-components`)
    const page = await service.app.inject({
      method: 'POST',
      url: `/workspaces/${given.workspaceId}/sboms/${given.sbomId}/components/list`,
      headers: { authorization: `Bearer ${given.apiKey}` },
      payload: {},
    })

    const undecided = [
      { packageName: 'thing', undecided: { 'version cannot be compared': 1 } },
      { packageName: 'unknown', undecided: {} },
    ]
    const shown = (text: string) =>
      (JSON.parse(text) as { components: (typeof undecided)[number][] }).components.map(
        ({ packageName, undecided: counts }) => ({ packageName, undecided: counts }),
      )
    expect(shown(listed.body)).toEqual(undecided)
    expect(shown(page.body)).toEqual(undecided)
  })

  it('leaves out versions that are not affected', async () => {
    const { cpes } = await givenProduct([5])
    const fixed = cpes.map((cpe) => cpe.replace(':1.0:', ':2.0:'))
    const given = await givenVersion([{ packageName: 'thing', cpes: fixed }])

    expect(await list(given)).toMatchObject({ findings: [], hasMore: false, totalCount: 0 })
  })

  it('comes worst first, page by page, each finding once', async () => {
    const { cpes, ids } = await givenProduct([5, 9.8, 7, 9.1, 5, 5])
    const given = await givenVersion([{ packageName: 'thing', cpes }])

    const pages: string[] = []
    let cursor: string | undefined
    do {
      const page = await list(given, { limit: 2, ...(cursor !== undefined && { cursor }) })
      pages.push(...cves(page))
      cursor = page.nextCursor
    } while (cursor !== undefined)

    expect(pages).toEqual([1, 3, 2, 5, 4, 0].map((index) => ids[index]))
  })

  it.each([
    'Severity',
    'CvssScore',
    'EpssScore',
    'CveId',
    'Name',
    'ComponentName',
    'ComponentVersion',
    'Assessment',
    'KnownCisaExploit',
    'DetectedAt',
  ])('sorts by %s, and the other way round', async (sortColumn) => {
    const { cpes } = await givenProduct([5, 9.8, 7, 3.3])
    const given = await givenVersion([{ packageName: 'thing', cpes }])
    const all = async (ascending: boolean) => {
      const first = await list(given, { sortColumn, ascending, limit: 3 })
      const rest = await list(given, { sortColumn, ascending, limit: 3, cursor: first.nextCursor })
      return [...cves(first), ...cves(rest)]
    }

    const [up, down] = [await all(true), await all(false)]

    expect(up).toHaveLength(4)
    expect(down).toEqual(up.toReversed())
  })

  it('answers later pages as of the first one', async () => {
    const { cpes, product } = await givenProduct([5, 6])
    const given = await givenVersion([{ packageName: 'thing', cpes }])
    const first = await list(given, { limit: 1 })
    const affected = [affectedIn(`cpe:acme:${product}`, [{ fixed: '2.0' }])]
    const revision = await givenAdvisory(service.ctx.db, {
      id: `CVE-1-${product}`,
      score: 1,
      severity: 'None',
      affected,
    })
    await matchChangedPackages(service.ctx, { revision })

    const second = await list(given, { limit: 10, cursor: first.nextCursor })

    expect(second.findings).toHaveLength(1)
    expect((await list(given)).findings).toHaveLength(3)
  })

  it.each`
    filter                                                         | expected
    ${{ severities: ['Critical'] }}                                | ${[1]}
    ${{ severities: ['Critical', 'Low'] }}                         | ${[1, 0]}
    ${{ severities: [] }}                                          | ${[]}
    ${{ assessments: ['NotAssessed'] }}                            | ${[1, 0]}
    ${{ assessments: ['InTriage'] }}                               | ${[]}
    ${{ ignored: false }}                                          | ${[1, 0]}
    ${{ ignored: true }}                                           | ${[]}
    ${{ knownCisaExploit: true }}                                  | ${[]}
    ${{ name: [{ contains: 'FLAW 0' }] }}                          | ${[0]}
    ${{ name: [{ contains: 'cve-2024' }] }}                        | ${[1, 0]}
    ${{ name: [{ contains: '%' }] }}                               | ${[]}
    ${{ components: [{ packageName: 'thing-dev' }] }}              | ${[1, 0]}
    ${{ components: [{ packageName: 'thing', version: '9' }] }}    | ${[]}
    ${{ components: [{ packageName: 'Thing' }, { vendor: 'x' }] }} | ${[]}
    ${{ confidences: ['Low'] }}                                    | ${[]}
  `('filters by $filter', async ({ filter, expected }: { filter: object; expected: number[] }) => {
    const { cpes, ids } = await givenProduct([5, 9.8])
    const given = await givenVersion(
      ['thing', 'thing-dev'].map((packageName) => ({ packageName, version: '1.0', cpes })),
    )

    expect(cves(await list(given, { filter }))).toEqual(expected.map((index) => ids[index]))
  })

  it.each([
    { limit: 0 },
    { limit: 1001 },
    { limit: '5' },
    { cursor: 'nonsense' },
    { sortColumn: 'Colour' },
    { filter: { severities: ['Bad'] } },
    { filter: { colour: [] } },
    { colour: 1 },
  ])('refuses %o', async (body) => {
    const given = await givenVersion([])

    const response = await post(given, body)

    expect(response.statusCode).toBe(400)
    expect(response.headers['content-type']).toContain('application/problem+json')
  })

  it('refuses the cursor of another filter, sort or version', async () => {
    const { cpes } = await givenProduct([5, 6])
    const given = await givenVersion([{ packageName: 'thing', cpes }])
    const other = await givenVersion([{ packageName: 'thing', cpes }], given)
    const { nextCursor: cursor } = await list(given, { limit: 1 })

    for (const [of, body] of [
      [given, { cursor, sortColumn: 'Name' }],
      [given, { cursor, ascending: true }],
      [given, { cursor, filter: { ignored: false } }],
      [other, { cursor }],
    ] as const)
      expect((await post(of, body)).statusCode).toBe(400)
  })

  it('does not know versions of another workspace', async () => {
    const [given, stranger] = [await givenVersion([]), await service.givenWorkspace()]

    expect((await post({ ...given, ...stranger }, {})).statusCode).toBe(404)
    expect((await post({ ...given, firmwareVersionId: 'x' }, {})).statusCode).toBe(404)
  })
})

describe('the summary', () => {
  const summary = (given: GivenVersion) =>
    get(given, `/firmware-versions/${given.firmwareVersionId}/vulnerability-findings/summary`)

  it('counts active findings by severity, worst first', async () => {
    const { cpes } = await givenProduct([5, 9.8, 9.1])
    const given = await givenVersion([{ packageName: 'thing', cpes }])

    const response = await summary(given)

    expect(response.json()).toEqual({
      sourceFileHints: [],
      notMatchedYet: { sbomCount: 0, packageCount: 0 },
      totalActiveIssues: 3,
      notJudged: { componentCount: 1, notJudgedCount: 0, reasons: [] },
      affectedDeviceCount: 0,
      affectedDevices: { runningNow: 0, seenLastDay: 0, seenLastWeek: 0, older: 0 },
      countsBySeverity: [
        { severity: 'Critical', count: 2 },
        { severity: 'High', count: 0 },
        { severity: 'Medium', count: 0 },
        { severity: 'Low', count: 1 },
        { severity: 'None', count: 0 },
        { severity: 'Unknown', count: 0 },
      ],
    })
  })

  it('leaves out what is known by a name that products of two vendors have', async () => {
    const { product } = await givenProduct([5])
    await givenAdvisory(service.ctx.db, {
      id: `CVE-2024-${product}-other`,
      affected: [affectedIn(`cpe:other:${product}`, [{ fixed: '2.0' }])],
    })
    const given = await givenVersion([{ packageName: product, version: '1.0' }])

    const { findings } = await list(given)

    expect(new Set(findings.map(({ confidence }) => confidence))).toEqual(new Set(['Low']))
    expect((await summary(given)).json()).toMatchObject({ totalActiveIssues: 0 })
    expect(await list(given, { filter: { activeOnly: true } })).toMatchObject({ findings: [] })
  })

  it.each`
    decision                                        | counted
    ${{ ignored: true }}                            | ${0}
    ${{ assessment: 'NotAffected' }}                | ${0}
    ${{ assessment: 'FalsePositive' }}              | ${0}
    ${{ assessment: 'Resolved' }}                   | ${0}
    ${{ assessment: 'InTriage' }}                   | ${1}
    ${{ assessment: 'Exploitable' }}                | ${1}
    ${{ assessment: 'Exploitable', ignored: true }} | ${0}
  `(
    'counts $counted of $decision',
    async ({ decision, counted }: { decision: object; counted: number }) => {
      const { cpes, ids } = await givenProduct([5])
      const given = await givenVersion([{ packageName: 'thing', cpes }])
      const held = await service.ctx.db
        .selectFrom('firmwareVersionPackages')
        .select('packageId')
        .where('firmwareVersionId', '=', given.firmwareVersionId)
        .executeTakeFirstOrThrow()
      const decided = { ...given.version, ...held, vulnerabilityId: ids[0] ?? '', ...decision }
      const by = { source: 'User' as const, createdByEmail: 'ann@example.com' }
      await service.ctx.db
        .transaction()
        .execute((tx) =>
          recordDecisions(service.ctx, tx, { ...given, decisions: [{ ...decided, ...by }] }),
        )

      const active = await list(given, { filter: { activeOnly: true } })
      expect((await summary(given)).json()).toMatchObject({ totalActiveIssues: counted })
      expect(active.findings).toHaveLength(counted)
    },
  )

  it('is a 404 for a version that is not there', async () => {
    const [given, stranger] = [await givenVersion([]), await service.givenWorkspace()]

    expect((await summary({ ...given, ...stranger })).statusCode).toBe(404)
  })
})

describe('a finding', () => {
  async function givenFinding(components?: (cpes: string[]) => GivenComponent[]) {
    const { cpes, ids, product } = await givenProduct([])
    const id = `CVE-2024-${product}`
    await givenAdvisory(service.ctx.db, {
      id,
      aliases: [`GHSA-${product}`],
      severity: 'Critical',
      score: 9.8,
      title: 'Flaw',
      publishedAt: '2024-01-02T03:04:05.000Z',
      cweIds: ['CWE-79'],
      scores: [
        {
          version: '3.1',
          vectorString: 'CVSS:3.1/AV:N',
          baseScore: 9.8,
          baseSeverity: 'CRITICAL',
          source: 'nvd@nist.gov',
        },
      ],
      references: [{ url: 'https://example.org/patch', source: 'nvd@nist.gov', tags: ['Patch'] }],
      affected: [
        affectedIn(`cpe:acme:${product}`, [
          { introduced: '0.5', fixed: '2.0', cpe: cpes[0]?.replace(':1.0:', ':*:') ?? '' },
        ]),
      ],
    })
    const given = await givenVersion(
      components?.(cpes) ?? [{ packageName: 'thing', version: '1.0', cpes, vendor: 'Acme' }],
    )
    const { findings } = await list(given)
    return { given, id, ids, product, cpes, findingId: findings[0]?.id ?? '' }
  }

  it('shows all that is known', async () => {
    const { given, id, cpes, findingId, product } = await givenFinding((names) => [
      { packageName: 'image' },
      { packageName: 'thing', version: '1.0', cpes: names, vendor: 'Acme', parents: [0] },
    ])

    const response = await get(given, `/vulnerability-findings/${findingId}`)

    expect(response.statusCode).toBe(200)
    const shown = response.json<Record<string, unknown>>()
    expect(shown).toMatchObject({
      id: findingId,
      assessment: 'NotAssessed',
      ignored: false,
      isKnownCisaExploit: false,
      exploitedSources: [],
      component: { name: 'thing', version: '1.0', vendor: 'Acme', purl: null, cpe: cpes[0] },
      components: [{ name: 'thing' }],
      cve: {
        id,
        source: 'nvd',
        sourceUrl: `https://example.org/${id}`,
        description: 'A flaw that lets attackers in.',
        status: 'Analyzed',
        severity: 'Critical',
        primaryBaseScore: 9.8,
        cvssScores: [
          { version: '3.1', baseScore: 9.8, baseSeverity: 'CRITICAL', source: 'nvd@nist.gov' },
        ],
        references: [{ url: 'https://example.org/patch', tags: ['Patch'] }],
        cwes: [{ id: 'CWE-79', name: expect.stringContaining('Cross-site Scripting') as string }],
        publishedAt: '2024-01-02T03:04:05.000Z',
      },
      affectedPackages: [
        { versions: [{ versionStartIncluding: '0.5', versionEndExcluding: '2.0' }] },
      ],
      sboms: [
        {
          sbomId: given.sbomId,
          fileName: 'image.spdx.json',
          pathsToRoot: [['thing@1.0', 'image@']],
        },
      ],
      timeline: [{ type: 'Published' }, { type: 'Detected', cause: 'PackageMatched' }],
      isActive: true,
      confidence: 'High',
      evidence: [
        {
          source: 'nvd',
          advisoryId: id,
          key: `cpe:acme:${product}`,
          verdict: 'affected',
          version: '1.0',
        },
      ],
      fixedVersions: ['2.0'],
      overdue: false,
    })
    const detectedAt = (shown['timeline'] as { timestamp: string }[])[1]?.timestamp ?? ''
    const week = 7 * 86_400_000
    expect(shown['dueAt']).toBe(new Date(new Date(detectedAt).getTime() + week).toISOString())
  })

  it('shows the evidence of a record that says otherwise, as the description has it', async () => {
    const { product, cpes, ids } = await givenProduct([9])
    await givenAdvisory(service.ctx.db, {
      id: `${ids[0]}-of-the-maker`,
      source: 'cvelist',
      vulnerabilityId: ids[0] ?? '',
      affected: [affectedIn(`cpe:acme:${product}`, [{ introduced: '1.5', fixed: '2.0' }])],
    })
    const given = await givenVersion([{ packageName: 'thing', version: '1.0', cpes }])
    const [finding] = (await list(given)).findings

    const response = await get(given, `/vulnerability-findings/${finding?.id}`)

    const { evidence } = response.json<{ evidence: Record<string, unknown>[] }>()
    const [affected, unaffected] = evidence.toSorted((a, b) =>
      String(a['verdict']).localeCompare(String(b['verdict'])),
    )
    expect([affected, unaffected]).toMatchObject([
      { source: 'nvd', verdict: 'affected' },
      { source: 'cvelist', verdict: 'unaffected' },
    ])
    expect(Object.keys(unaffected ?? {})).toEqual(Object.keys(affected ?? {}))
  })

  it('stays readable when its SBOM is deleted, and comes back the same', async () => {
    const { given, cpes, findingId } = await givenFinding()
    const path = `/vulnerability-findings/${findingId}`
    const before = (await get(given, path)).json<{ timeline: { timestamp: string }[] }>()

    await removeSbom(service.ctx, { ...given.version, sbomId: given.sbomId })
    const gone = await get(given, path)
    const listed = await list(given)
    await givenSbom(service.ctx, {
      ...given.version,
      components: [{ packageName: 'thing', version: '1.0', cpes }],
    })
    const back = await get(given, path)

    expect(listed.findings).toEqual([])
    expect(gone.json()).toMatchObject({
      isActive: false,
      component: { name: 'thing' },
      sboms: [],
      timeline: [
        { type: 'Published' },
        { type: 'Detected' },
        { type: 'Resolved', cause: 'SbomDeleted' },
      ],
    })
    expect(back.json()).toMatchObject({ id: findingId, isActive: true })
    const types = back.json<{ timeline: { type: string }[] }>().timeline.map(({ type }) => type)
    expect(types).toEqual(['Published', 'Detected', 'Resolved', 'Reopened'])
    expect((await list(given)).findings).toMatchObject([
      { detectedAt: before.timeline[1]?.timestamp },
    ])
  })

  it('resolves when advisories no longer say so', async () => {
    const { given, id, product, findingId } = await givenFinding()
    const affected = [affectedIn(`cpe:acme:${product}`, [{ fixed: '0.9' }])]

    await matchChangedPackages(service.ctx, {
      revision: await givenAdvisory(service.ctx.db, { id, affected }),
    })

    const shown = (await get(given, `/vulnerability-findings/${findingId}`)).json<{
      timeline: object[]
    }>()
    expect(shown.timeline.at(-1)).toMatchObject({ type: 'Resolved', cause: 'KnowledgeChanged' })
    expect((await list(given)).findings).toEqual([])
  })

  it('is found by an alias of its vulnerability', async () => {
    const { given, id, product, findingId } = await givenFinding()
    const bytes = Buffer.from(findingId, 'base64url').subarray(0, 32)
    const byAlias = Buffer.concat([bytes, Buffer.from(`GHSA-${product}`)]).toString('base64url')

    const response = await get(given, `/vulnerability-findings/${byAlias}`)

    expect(response.json()).toMatchObject({ id: findingId, cve: { id } })
  })

  it('is a 404 when it never was', async () => {
    const { given, findingId } = await givenFinding()
    const stranger = await service.givenWorkspace()
    const bytes = Buffer.from(findingId, 'base64url').subarray(0, 32)
    const never = Buffer.concat([bytes, Buffer.from('CVE-1999-1')]).toString('base64url')

    for (const id of ['x', `${findingId}A`, 'A'.repeat(60), never])
      expect((await get(given, `/vulnerability-findings/${id}`)).statusCode).toBe(404)
    expect((await get(stranger, `/vulnerability-findings/${findingId}`)).statusCode).toBe(404)
  })
})
