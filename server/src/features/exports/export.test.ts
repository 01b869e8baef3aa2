import { sql } from 'kysely'
import { beforeAll, describe, expect, it } from 'vitest'
import { decodeFindingId } from '../../formats/finding-id.ts'
import { startTestApp, type TestApp } from '../../../test/app.ts'
import { givenSbom } from '../../../test/given-inventory.ts'
import { expectSarif } from '../../../test/sarif-shape.ts'
import { affectedIn, givenAdvisory } from '../../../test/given-knowledge.ts'
import { type Client, givenClient, givenFirmwareVersion } from '../../../test/given.ts'
import { givenDecision } from '../../../test/given-findings.ts'
import { matchFirmwareVersion } from '../findings/index.ts'
import { writeFindingsSarif } from './sarif.ts'
import { readDecided } from './export-process.ts'
import { readInOneSnapshot, readVulnerabilities } from './store.ts'

let test: TestApp
let client: Client
let version: { workspaceId: string; firmwareVersionId: string }
const path = () => `/firmware-versions/${version.firmwareVersionId}/vulnerability-findings/export`

const HOSTILE = '=HYPERLINK("http://evil.example","x")'

beforeAll(async () => {
  test = await startTestApp()
  client = await givenClient(test)
  const { workspaceId } = client
  version = { workspaceId, firmwareVersionId: await givenFirmwareVersion(client) }
  const { db } = test.ctx
  const key = 'cpe:acme:widget'
  const affected = [affectedIn(key, [{ fixed: '2.0' }])]
  const flaws = [
    { id: 'CVE-2026-0001', severity: 'Critical', score: 9.8, title: HOSTILE, isKnownExploit: true },
    {
      id: 'CVE-2026-0002',
      severity: 'Medium',
      score: 5,
      title: 'A "quoted", [long](http://x)\nname',
    },
    { id: 'CVE-2026-0003', severity: 'Low', score: 2.1, title: '<script>alert(1)</script>' },
    {
      id: 'CVE-2026-0004',
      severity: 'Unknown',
      title: 'Für \u{1f980}',
      sourceUrl: 'javascript:alert(1)',
      description: 'long '.repeat(400),
    },
  ] as const
  for (const flaw of flaws) await givenAdvisory(db, { ...flaw, affected })
  await givenSbom(test.ctx, {
    ...version,
    fileName: '../a b/böm.json',
    components: [
      {
        packageName: '@widget\r\n',
        vendor: '-acme',
        version: '1.0',
        cpes: ['cpe:2.3:a:acme:widget:1.0:*:*:*:*:*:*:*'],
        purl: 'pkg:generic/acme/widget@1.0',
      },
    ],
  })
  await matchFirmwareVersion(test.ctx, version)
  const findings = await listed()
  await assess(findings['CVE-2026-0002'], {
    assessment: 'NotAffected',
    justification: 'vulnerable_code_not_present',
    detail: '+not built,\n"ever"',
    response: 'will_not_fix',
  })
  await client.put(`/vulnerability-findings/${findings['CVE-2026-0003']}/ignore`, {
    ignored: true,
    acceptance: { reason: 'Not reachable.', until: '2099-03-01T00:00:00.000Z' },
  })
})

async function listed(): Promise<Record<string, string>> {
  const url = `/firmware-versions/${version.firmwareVersionId}/vulnerability-findings/list`
  const { findings } = (await client.post(url, {})).json<{
    findings: { id: string; cveId: string }[]
  }>()
  return Object.fromEntries(findings.map(({ id, cveId }) => [cveId, id]))
}

async function assess(id: string | undefined, body: object) {
  const answer = await client.post(`/vulnerability-findings/${id}/assessments`, body)
  expect(answer.statusCode).toBe(200)
}

/** RFC 4180, read by the letter. */
function parseCsv(text: string): string[][] {
  const records: string[][] = [[]]
  for (const [, quoted, plain, end] of text.matchAll(
    /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/g,
  )) {
    records.at(-1)?.push(quoted?.replaceAll('""', '"') ?? plain ?? '')
    if (end === '\r\n') records.push([])
  }
  return records.slice(0, -1)
}

describe('findings as CSV', () => {
  it('are a record each, with a header, and nothing a spreadsheet would run', async () => {
    const answer = await client.get(`${path()}?format=csv`)
    const [header = [], ...records] = parseCsv(answer.body)
    const rows = records.map((record) =>
      Object.fromEntries(header.map((name, place) => [name, record[place]])),
    )

    expect(answer.statusCode).toBe(200)
    expect(answer.headers).toMatchObject({
      'content-type': 'text/csv; charset=utf-8; header=present',
      'x-content-type-options': 'nosniff',
    })
    expect(answer.headers['content-disposition']).toMatch(
      /^attachment; filename="fw-.*-1\.0\.0-findings\.csv"/,
    )
    expect(header.slice(0, 3)).toEqual(['id', 'cveId', 'name'])
    expect(records.every(({ length }) => length === header.length)).toBe(true)
    expect(rows[0]).toMatchObject({
      cveId: 'CVE-2026-0001',
      name: `'${HOSTILE}`,
      severity: 'Critical',
      cvssScore: '9.8',
      epssScore: '',
      isKnownCisaExploit: 'true',
      componentName: "'@widget\r\n",
      componentVersion: '1.0',
      componentVendor: "'-acme",
      assessment: 'NotAssessed',
      ignored: 'false',
      isActive: 'true',
      firmwareVersion: '1.0.0',
    })
    expect(decodeFindingId(rows[0]?.['id'] ?? '')).toMatchObject({
      firmwareVersionId: version.firmwareVersionId,
      vulnerabilityId: 'CVE-2026-0001',
    })
    expect(rows[1]).toMatchObject({
      name: 'A "quoted", [long](http://x)\nname',
      assessment: 'NotAffected',
      justification: 'vulnerable_code_not_present',
      responses: 'will_not_fix',
      detail: '\'+not built,\n"ever"',
      isActive: 'false',
    })
    expect(rows[2]).toMatchObject({
      name: '<script>alert(1)</script>',
      ignored: 'true',
      acceptedUntil: '2099-03-01T00:00:00.000Z',
      acceptanceOwner: '',
      acceptanceReason: 'Not reachable.',
    })
    expect(rows[3]).toMatchObject({ name: 'Für \u{1f980}', cvssScore: '', severity: 'Unknown' })
    expect(rows).toHaveLength(4)
    expect(records.flat().filter((cell) => /^[=+\-@\t\r]/.test(cell))).toEqual([])
  })

  it('are a header alone where there are none', async () => {
    const empty = await givenFirmwareVersion(client)
    const url = `/firmware-versions/${empty}/vulnerability-findings/export`

    expect(parseCsv((await client.get(url)).body)).toHaveLength(1)
    expect((await client.get(`${url}?format=sarif`)).json()).toMatchObject({
      runs: [{ tool: { driver: { rules: [] } }, results: [] }],
    })
  })
})

interface Sarif {
  $schema: string
  version: string
  runs: {
    tool: { driver: { name: string; rules: { id: string; [field: string]: unknown }[] } }
    results: { ruleId: string; ruleIndex: number; [field: string]: unknown }[]
    invocations?: { toolExecutionNotifications: { message: { text: string } }[] }[]
  }[]
}

describe('findings as SARIF', () => {
  it('are results with level, place, fingerprint and what suppresses them', async () => {
    const answer = await client.get(`${path()}?format=sarif`)
    const sarif = answer.json<Sarif>()
    expectSarif(sarif)
    const [run] = sarif.runs
    const ids = await listed()

    expect(answer.headers['content-type']).toBe('application/sarif+json; charset=utf-8')
    expect(answer.headers['content-disposition']).toContain('-1.0.0-findings.sarif')
    expect(sarif).toMatchObject({
      version: '2.1.0',
      $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    })
    expect(run?.tool.driver.rules.map(({ id }) => id)).toEqual(Object.keys(ids).toSorted())
    for (const { ruleId, ruleIndex } of run?.results ?? [])
      expect(run?.tool.driver.rules[ruleIndex]?.id).toBe(ruleId)
    expect(run?.tool.driver.rules[0]).toEqual({
      id: 'CVE-2026-0001',
      shortDescription: { text: HOSTILE },
      fullDescription: { text: 'A flaw that lets attackers in.' },
      help: { text: 'A flaw that lets attackers in.\n\nhttps://example.org/CVE-2026-0001' },
      helpUri: 'https://example.org/CVE-2026-0001',
      defaultConfiguration: { level: 'error' },
      properties: {
        tags: ['security', 'vulnerability'],
        severity: 'Critical',
        'security-severity': '9.8',
      },
    })
    expect(run?.tool.driver.rules[3]).not.toHaveProperty('helpUri')
    expect(run?.tool.driver.rules[3]).toMatchObject({
      fullDescription: { text: `${'long '.repeat(200)}…` },
      help: { text: `${'long '.repeat(400)}\n\njavascript:alert(1)` },
    })
    expect(run?.results[0]).toMatchObject({
      level: 'error',
      fingerprints: { 'plimsollFinding/v1': ids['CVE-2026-0001'] },
      suppressions: [],
      locations: [
        {
          logicalLocations: [
            { name: 'pkg:generic/acme/widget@1.0', kind: 'package' },
            { kind: 'firmware', name: expect.stringMatching(/^fw-.*@1\.0\.0$/) as string },
          ],
          physicalLocation: {
            artifactLocation: { uri: '..%2Fa%20b%2Fb%C3%B6m.json' },
            region: { startLine: 1 },
          },
        },
      ],
      properties: { isActive: true, isKnownCisaExploit: true, cvssScore: 9.8 },
    })
    expect(run?.results[1]).toMatchObject({
      level: 'warning',
      suppressions: [
        {
          kind: 'external',
          status: 'accepted',
          justification: 'NotAffected: vulnerable_code_not_present: +not built,\n"ever"',
        },
      ],
    })
    expect(JSON.stringify(run?.results[1])).toContain(String.raw`\\[long\\](http://x)`)
    expect(run?.results[2]).toMatchObject({
      level: 'note',
      suppressions: [
        {
          justification: expect.stringMatching(
            /^Accepted until 2099-03-01 by \S+: Not reachable\.$/,
          ) as string,
        },
      ],
      properties: { acceptedUntil: '2099-03-01T00:00:00.000Z', acceptanceReason: 'Not reachable.' },
    })
    expect(run?.results[3]).toMatchObject({ level: 'warning', suppressions: [] })
  })

  it('are for a person to look at, and no alert, where they do not count for want of confidence', async () => {
    const { workspaceId } = client
    const firmwareVersionId = await givenFirmwareVersion(client)
    const affected = [affectedIn('cpe:acme:doubtful', [{}])]
    await givenAdvisory(test.ctx.db, { id: 'CVE-2026-0009', severity: 'High', affected })
    const cpes = ['cpe:2.3:a:acme:doubtful:1.0:*:*:*:*:*:*:*']
    const components = [{ packageName: 'doubtful', version: '1.0', cpes }]
    await givenSbom(test.ctx, { workspaceId, firmwareVersionId, components })
    await matchFirmwareVersion(test.ctx, { workspaceId, firmwareVersionId })

    const answer = await client.get(
      `/firmware-versions/${firmwareVersionId}/vulnerability-findings/export?format=sarif`,
    )

    expect(answer.json<Sarif>().runs[0]?.results).toMatchObject([
      { kind: 'review', level: 'none', suppressions: [], properties: { isActive: false } },
    ])
  })

  it("describe a vulnerability in the words of the source that names it, distributions' documents last", async () => {
    const { workspaceId } = client
    const firmwareVersionId = await givenFirmwareVersion(client)
    const affected = [affectedIn('cpe:acme:described', [{}])]
    const described = { vulnerabilityId: 'CVE-2026-0010', affected }
    for (const [source, id] of [
      ['csaf', 'CVE-2026-0010'],
      ['osv', 'ZZZ-2026-1'],
    ] as const)
      await givenAdvisory(test.ctx.db, { ...described, source, id, description: `By ${source}.` })
    const cpes = ['cpe:2.3:a:acme:described:1.0:*:*:*:*:*:*:*']
    const components = [{ packageName: 'described', version: '1.0', cpes }]
    await givenSbom(test.ctx, { workspaceId, firmwareVersionId, components })
    await matchFirmwareVersion(test.ctx, { workspaceId, firmwareVersionId })

    const answer = await client.get(
      `/firmware-versions/${firmwareVersionId}/vulnerability-findings/export?format=sarif`,
    )

    expect(answer.json<Sarif>().runs[0]?.tool.driver.rules).toMatchObject([
      { id: 'CVE-2026-0010', fullDescription: { text: 'By osv.' } },
    ])
  })
})

describe('findings as SARIF beyond the limit', () => {
  /** As the export has it, if GitHub took so few results. */
  async function write(of: typeof version, most: number): Promise<Sarif> {
    const named = { ...of, firmwareSlug: 'gateway', firmwareVersionName: '1.0.0' }
    const texts = readInOneSnapshot(test.ctx.db, (tx) => {
      const input = {
        version: named,
        release: '0.1.0',
        vulnerabilities: (limit: number) => readVulnerabilities(tx, of, limit),
        findings: () => readDecided(tx, of),
      }
      return writeFindingsSarif(input, most)
    })
    let document = ''
    for await (const text of texts) document += text
    return JSON.parse(document) as Sarif
  }
  const noted = ({ runs: [run] }: Sarif) =>
    run?.invocations?.[0]?.toolExecutionNotifications[0]?.message.text.replace(
      /,? as a run.*: /,
      ': ',
    )

  it('keep active ones, the worst first, then those of low confidence, each with its rule', async () => {
    const firmwareVersionId = await givenFirmwareVersion(client)
    const of = { workspaceId: client.workspaceId, firmwareVersionId }
    const flaws = [
      ['CVE-2026-0109', 'Critical', { isKnownExploit: true }],
      ['CVE-2026-0108', 'Critical', {}],
      ['CVE-2026-0107', 'Medium', {}],
      ['CVE-2026-0101', 'High', {}],
      ['CVE-2026-0100', 'Low', {}],
    ] as const
    const affected = [affectedIn('cpe:acme:limited', [{ fixed: '2.0' }])]
    for (const [id, severity, more] of flaws)
      await givenAdvisory(test.ctx.db, { id, severity, affected, ...more })
    const doubtful = { id: 'CVE-2026-0106', severity: 'Critical' } as const
    await givenAdvisory(test.ctx.db, {
      ...doubtful,
      affected: [affectedIn('cpe:acme:limited-too', [{}])],
    })
    const components = ['limited', 'limited-too'].map((packageName) => ({
      packageName,
      version: '1.0',
      cpes: [`cpe:2.3:a:acme:${packageName}:1.0:*:*:*:*:*:*:*`],
    }))
    await givenSbom(test.ctx, { ...of, components })
    await matchFirmwareVersion(test.ctx, of)
    const decide = (vulnerabilityId: string, decision: object) =>
      givenDecision(test.ctx, of, { vulnerabilityId, ...decision })
    await decide('CVE-2026-0109', { assessment: 'FalsePositive' })
    await decide('CVE-2026-0108', { ignored: true })

    const read = async (most: number) => {
      const sarif = await write(of, most)
      expectSarif(sarif)
      const [run] = sarif.runs
      const rules = run?.tool.driver.rules.map(({ id }) => id) ?? []
      const results = run?.results ?? []
      expect(results.map(({ ruleIndex }) => rules[ruleIndex])).toEqual(
        results.map(({ ruleId }) => ruleId),
      )
      expect(rules.length).toBeLessThanOrEqual(most)
      return [results.map(({ ruleId }) => ruleId.slice(-3)).join(' '), noted(sarif)]
    }

    const end =
      'Active ones are kept first, the most severe before others. Export them as CSV to have all.'
    expect(await read(6)).toEqual(['109 108 106 101 107 100', undefined])
    expect(await read(5)).toEqual([
      '109 106 101 107 100',
      `1 finding is left out: 1 closed or ignored. ${end}`,
    ])
    expect(await read(2)).toEqual([
      '101 107',
      `4 findings are left out: 2 closed or ignored, 1 of low confidence, 1 active. ${end}`,
    ])
    expect(await read(1)).toEqual(['101', expect.stringContaining('2 active')])
  })
})

describe('the export', () => {
  it('tells of all findings, however many pages of a list they would be', async () => {
    const many = await givenFirmwareVersion(client)
    await sql`
      insert into vulnerabilities (id, name, severity, updated_at)
      select 'CVE-2025-' || number, 'Flaw ' || number, 'High', now()
      from generate_series(10001, 12500) as number`.execute(test.ctx.db)
    const of = { workspaceId: client.workspaceId, firmwareVersionId: many }
    const cpes = [`cpe:2.3:a:acme:many-${many}:1.0:*:*:*:*:*:*:*`]
    await givenSbom(test.ctx, {
      ...of,
      components: [{ packageName: 'many', version: '1.0', cpes }],
    })
    await matchFirmwareVersion(test.ctx, of)
    await sql`
      insert into package_matches (package_id, vulnerability_id, since, cause, confidence, severity)
      select fact.package_id, vulnerability.id, now(), 'Matched', 'High', 'High'
      from firmware_version_packages as fact, vulnerabilities as vulnerability
      where fact.firmware_version_id = ${many} and vulnerability.id like 'CVE-2025-%'`.execute(
      test.ctx.db,
    )
    const url = `/firmware-versions/${many}/vulnerability-findings/export`

    const csv = parseCsv((await client.get(url)).body)
    const sarif = (await client.get(`${url}?format=sarif`)).json<Sarif>()

    expectSarif(sarif)
    expect(csv).toHaveLength(2_501)
    expect(new Set(csv.map(([id]) => id)).size).toBe(2_501)
    expect(sarif.runs[0]?.results).toHaveLength(2_500)
    expect(sarif.runs[0]?.tool.driver.rules).toHaveLength(2_500)
  })

  it('is refused for another format, workspace or scope', async () => {
    const stranger = await givenClient(test)
    const key = await test.givenKey(client.workspaceId, ['SBOMs: read'])
    const foreign = await stranger.get(path())
    const unknown = await client.get(`${path()}?format=xlsx`)
    const unscoped = await test.app.inject({
      url: `/workspaces/${client.workspaceId}${path()}`,
      headers: { authorization: `Bearer ${key}` },
    })

    expect([foreign.statusCode, unknown.statusCode, unscoped.statusCode]).toEqual([404, 400, 403])
  })
})
