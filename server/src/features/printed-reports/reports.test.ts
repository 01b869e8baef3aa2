/** Reports to print, over HTTP: what they say, what they leave out, and that they run nothing. */
import { createHash } from 'node:crypto'
import { beforeAll, describe, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../test/app.ts'
import { type Client, givenClient } from '../../../test/given.ts'
import { givenSbom } from '../../../test/given-inventory.ts'
import { affectedIn, type GivenAdvisory, givenAdvisory } from '../../../test/given-knowledge.ts'
import { matchFirmwareVersion } from '../findings/index.ts'

let test: TestApp
let client: Client
let versionId: string
let batchId: string

const HOSTILE = '<script>alert("x")</script>'
const ESCAPED = '&lt;script&gt;alert(&quot;x&quot;)&lt;/script&gt;'

beforeAll(async () => {
  test = await startTestApp()
  client = await givenClient(test)
  versionId = await givenNamedVersion('gateway', '4.2.0')
  await givenFlaw({
    id: 'CVE-2026-0001',
    severity: 'Critical',
    score: 9.8,
    title: HOSTILE,
    isKnownExploit: true,
  })
  await givenFlaw({ id: 'CVE-2026-0002', severity: 'Medium', score: 5 })
  await givenFlaw({ id: 'CVE-2026-0003', severity: 'Low', score: 2 })
  const version = { workspaceId: client.workspaceId, firmwareVersionId: versionId }
  const cpes = ['cpe:2.3:a:acme:widget:1.0:*:*:*:*:*:*:*']
  const components = [
    { packageName: 'widget', version: '1.0', cpes },
    { packageName: 'nobody-knows-it', version: '3.1' },
  ]
  await givenSbom(test.ctx, { ...version, fileName: '<b>image</b>.json', components })
  await matchFirmwareVersion(test.ctx, version)
  batchId = await decide(['CVE-2026-0002', 'CVE-2026-0003'], {
    assessment: 'NotAffected',
    justification: 'vulnerable_code_not_present',
    detail: `${HOSTILE} is not built in.`,
  })
  await client.post('/devices', { id: 'pump-1', description: HOSTILE })
  await givenSession('pump-1', { slug: 'gateway', version: '4.2.0' })
})

async function givenNamedVersion(slug: string, name: string): Promise<string> {
  const firmware = await client.post('/firmwares', { slug, name: 'Gateway' })
  const { id } = firmware.json<{ id: string }>()
  const made = await client.post(`/firmwares/${id}/versions`, { name })
  return made.json<{ id: string }>().id
}

const givenFlaw = (flaw: Omit<GivenAdvisory, 'affected'>) => {
  const affected = [affectedIn('cpe:acme:widget', [{ fixed: '2.0' }])]
  return givenAdvisory(test.ctx.db, { ...flaw, affected })
}

const givenSession = (deviceId: string, firmware: { slug: string; version: string }) =>
  test.doors.intake.receive({
    workspaceId: client.workspaceId,
    deviceId,
    door: 'Mqtt',
    receivedAt: test.ctx.now(),
    message: {
      kind: 'session',
      session: { runId: crypto.randomUUID(), firmware: [firmware] },
    },
  })

async function decide(cveIds: string[], decision: object): Promise<string> {
  const answer = await client.post('/vulnerability-findings/bulk-assess', {
    filter: { cveIds },
    ...decision,
  })
  return answer.json<{ decisionBatchId: string }>().decisionBatchId
}

/** What a reader sees: the texts, one line each, without marks and addresses. */
function readTexts(page: string): string[] {
  const body = page.slice(page.indexOf('<body>'))
  return body
    .split(/<[^>]*>/)
    .map((text) => text.trim())
    .filter((text) => text !== '')
}

const versionReport = () => client.get(`/firmware-versions/${versionId}/report`)
const decisionsReport = (from = '2020-01-01T00:00:00Z', to = '') =>
  client.get(`/decisions/report?from=${from}${to === '' ? '' : `&to=${to}`}`)

describe('the report of a firmware version', () => {
  it('is a page that runs and loads nothing, with its one style in the policy', async () => {
    const { statusCode, headers, body } = await versionReport()
    const style = /<style>([^]*?)<\/style>/.exec(body)?.[1] ?? ''
    const hash = createHash('sha256').update(style).digest('base64')

    expect(statusCode).toBe(200)
    expect(headers['content-type']).toBe('text/html; charset=utf-8')
    expect(headers['content-security-policy']).toContain(`style-src 'self' 'sha256-${hash}'`)
    expect(headers['content-security-policy']).toContain("default-src 'self'")
    expect(body).not.toMatch(/<script|<img|<link|<iframe|\son\w+=|javascript:/i)
    expect(body).toContain(ESCAPED)
    expect(body).toContain('&lt;b&gt;image&lt;/b&gt;.json')
  })

  it('says the mark, what counts, and who decided what, when and why', async () => {
    const texts = readTexts((await versionReport()).body)

    expect(texts).toContain('Gateway 4.2.0')
    expect(texts).toContain('Overloaded: 1 known exploited, 1 Critical without a decision.')
    expect(texts).toContain(
      '3 findings, of which 1 counts. A finding is one vulnerability of one package.',
    )
    expect(texts.indexOf('CVE-2026-0001')).toBeGreaterThan(texts.indexOf('Findings that count'))
    expect(texts.indexOf('CVE-2026-0002')).toBeGreaterThan(
      texts.indexOf('Findings that do not count'),
    )
    expect(texts).toContain('Vulnerable code is not built in')
    expect(texts).toContain(`${ESCAPED} is not built in.`)
    expect(texts.join('\n')).toMatch(/by an API key of \S+, \d+ \w+ \d{4}, \d\d:\d\d UTC/)
  })

  it('says what could not be judged, and which sources were never read', async () => {
    const texts = readTexts((await versionReport()).body).join('\n')

    expect(texts).toMatch(
      /1 of 2 components in the firmware were looked up .* Of 1 nothing can be told/,
    )
    expect(texts).toMatch(/Older than this service allows, or never read: .*NVD/)
    expect(texts).not.toMatch(/up to date/)
  })

  it('names devices to those only who may read devices', async () => {
    const url = `/workspaces/${client.workspaceId}/firmware-versions/${versionId}/report`
    const ask = async (scopes: Parameters<typeof test.givenKey>[1]) => {
      const key = await test.givenKey(client.workspaceId, scopes)
      return test.app.inject({ url, headers: { authorization: `Bearer ${key}` } })
    }
    const blind = (await ask(['Vulnerabilities: read'])).body
    const seeing = (await ask(['Vulnerabilities: read', 'Devices: read'])).body

    expect(seeing).toContain('pump-1')
    expect(blind).not.toContain('pump-1')
    expect(blind).toContain('1 device reports this version')
    expect(blind).toContain('They are not named')
    expect((await ask(['Devices: read'])).statusCode).toBe(403)
  })

  it('is not there for another workspace', async () => {
    const other = await givenClient(test)
    const answer = await other.get(`/firmware-versions/${versionId}/report`)

    expect(answer.statusCode).toBe(404)
    expect(answer.body).not.toContain('Gateway')
  })

  it('says that nothing was looked up where there is no SBOM', async () => {
    const id = await givenNamedVersion('bare', '1.0')
    const texts = readTexts((await client.get(`/firmware-versions/${id}/report`)).body)

    expect(texts.join('\n')).toMatch(/^Unknown: no SBOM/m)
    expect(texts).toContain('There is no SBOM: nothing could be looked up.')
    expect(texts).toContain('No component is known: nothing could be judged.')
    expect(texts.join('\n')).toMatch(
      /It could not be told whether it has a reason to stop this version\./,
    )
  })
})

describe('a report that is refused', () => {
  const navigate = (path: string) =>
    test.app.inject({
      url: `/workspaces/${client.workspaceId}${path}`,
      headers: { authorization: `Bearer ${client.apiKey}`, 'sec-fetch-mode': 'navigate' },
    })

  it('says why on a page in a tab of a browser, and to programs in problem details', async () => {
    const path = `/firmware-versions/${versionId}/report?asOf=2999-01-01T00:00:00Z`
    const shown = await navigate(path)
    const told = await client.get(path)

    expect([shown.statusCode, told.statusCode]).toEqual([400, 400])
    expect(told.headers['content-type']).toMatch('application/problem+json')
    expect(shown.headers['content-type']).toMatch('text/html')
    expect(shown.body).toContain(told.json<{ detail: string }>().detail)
  })

  it('has what was asked as text on its page', async () => {
    const shown = await navigate(`/vulnerabilities/${encodeURIComponent(HOSTILE)}/report`)

    expect(shown.statusCode).toBeGreaterThanOrEqual(400)
    expect(shown.body).toContain('<h1>')
    expect(shown.body).not.toContain('<script')
  })
})

describe('the report of a vulnerability', () => {
  it('says where it is, who runs it, and what was decided', async () => {
    const texts = readTexts((await client.get('/vulnerabilities/CVE-2026-0001/report')).body)
    const decided = readTexts((await client.get('/vulnerabilities/CVE-2026-0002/report')).body)

    expect(texts.join('\n')).toMatch(
      /It was found in 1 firmware version since .*, and counts in 1;/,
    )
    expect(texts).toContainEqual(expect.stringMatching(/^affected: /))
    expect(texts).toContain('pump-1')
    expect(texts).toContain('Nobody has decided anything about it yet.')
    expect(decided.join('\n')).toMatch(/It counts in none of them now\./)
    expect(decided).not.toContain('pump-1')
  })

  it('tells what was looked at where the workspace does not have it', async () => {
    const unknown = await client.get('/vulnerabilities/CVE-2026-9999/report')
    const texts = readTexts(unknown.body)

    expect(unknown.statusCode).toBe(200)
    expect(texts).toContain(
      'No source that was read knows this id, so that nothing could be compared with it.',
    )
    expect(texts.join('\n')).toMatch(
      /1 firmware version without an SBOM that was read: it may be there\./,
    )
    expect((await client.get('/vulnerabilities/nonsense/report')).statusCode).toBe(404)
  })
})

describe('a report of a past time', () => {
  let undecided: string
  beforeAll(async () => {
    const pause = () => new Promise((resolve) => setTimeout(resolve, 5))
    await pause()
    undecided = test.ctx.now().toISOString()
    await pause()
    await decide(['CVE-2026-0001'], { assessment: 'Resolved', detail: 'Patched since.' })
  })
  const readPast = async (path: string, asOf = undecided) =>
    readTexts((await client.get(`${path}/report?asOf=${asOf}`)).body)
  const version = () => `/firmware-versions/${versionId}`

  it('has the findings as they were decided then, by whom and why', async () => {
    const past = await readPast(version())
    const now = readTexts((await versionReport()).body)

    const counted = past.indexOf('Findings that counted')
    const others = past.indexOf('Findings that did not count')
    const place = (cveId: string) => past.indexOf(cveId)
    expect(counted).toBeLessThan(place('CVE-2026-0001'))
    expect(place('CVE-2026-0001')).toBeLessThan(others)
    expect(others).toBeLessThan(place('CVE-2026-0002'))
    expect(past).toContain(
      '3 findings, of which 1 counts. A finding is one vulnerability of one package.',
    )
    expect(past).not.toContain('Patched since.')
    expect(past).toContain(`${ESCAPED} is not built in.`)
    expect(past.join('\n')).toMatch(/by an API key of \S+, \d+ \w+ \d{4}, \d\d:\d\d UTC/)
    expect(now).toContain('Patched since.')
  })

  it('names what is not known for the past in place of what holds now', async () => {
    const past = (await readPast(version())).join('\n')

    expect(past).toContain('Not known for the past')
    expect(past).toContain('What linked SBOMs, images and devices')
    expect(past).not.toContain('Overloaded')
    expect(past).not.toContain('pump-1')
    expect(past).not.toContain('EPSS 0')
  })

  it('says of a vulnerability where it was then', async () => {
    const past = await readPast('/vulnerabilities/CVE-2026-0001')
    const later = await readPast('/vulnerabilities/CVE-2026-0001', test.ctx.now().toISOString())

    expect(past).toContain('of Gateway 4.2.0')
    expect(past).toContain('There were none.')
    expect(later).toContain('Patched since.')
    expect(later.join('\n')).toMatch(/^No finding counted\./m)
  })

  it('says that there was nothing to look up, and refuses the future', async () => {
    const before = '2020-01-01T00:00:00Z'

    expect((await readPast(version(), before)).join('\n')).toMatch(/The version did not exist yet/)
    expect(await readPast('/vulnerabilities/CVE-2026-0001', before)).toContain(
      'No component was known then: nothing was looked up.',
    )
    const future = await client.get(`${version()}/report?asOf=2999-01-01T00:00:00Z`)
    expect(future.statusCode).toBe(400)
  })

  it('has nothing of another workspace', async () => {
    const other = await givenClient(test)
    const vulnerability = await other.get(`/vulnerabilities/CVE-2026-0001/report?asOf=${undecided}`)

    expect((await other.get(`${version()}/report?asOf=${undecided}`)).statusCode).toBe(404)
    expect(vulnerability.body).not.toContain('Gateway')
  })
})

describe('the report of decisions', () => {
  it('says who decided what, for what, and why', async () => {
    const texts = readTexts((await decisionsReport()).body)

    expect(texts).toContain('Not affected')
    expect(texts).toContain('2 findings')
    expect(texts).toContain('CVE-2026-0002, CVE-2026-0003')
    expect(texts).toContain('in widget')
    expect(texts).toContain('of Gateway 4.2.0')
    expect(texts).toContain('Vulnerable code is not built in')
  })

  it('has nothing of what was before or after its period', async () => {
    const { body } = await decisionsReport('2020-01-01T00:00:00Z', '2020-02-01T00:00:00Z')

    expect(body).toContain('Nothing was decided in this period')
    expect(body).not.toContain('CVE-2026-0002')
    expect((await decisionsReport('2021-01-01T00:00:00Z', '2020-01-01T00:00:00Z')).statusCode).toBe(
      400,
    )
    expect((await client.get('/decisions/report')).statusCode).toBe(400)
  })

  it('says of what was taken back when, and by whom', async () => {
    await client.post(`/decision-batches/${batchId}/undo`, {})
    const texts = readTexts((await decisionsReport()).body)

    expect(texts).toContain('Taken back: Not assessed again')
    expect(texts.join('\n')).toMatch(/^Taken back \d+ \w+ \d{4}, \d\d:\d\d UTC by \S+\.$/m)
  })

  it('has nothing of another workspace', async () => {
    const other = await givenClient(test)
    const { body } = await other.get('/decisions/report?from=2020-01-01T00:00:00Z')

    expect(body).toContain('Nothing was decided in this period')
  })
})

describe('the report of figures', () => {
  it('is a page with each figure, its definition, and what it does not count', async () => {
    const { statusCode, body } = await client.get('/figures/report?from=2026-01-01')
    const texts = readTexts(body)

    expect(statusCode).toBe(200)
    expect(body).not.toMatch(/<script|<img|<link|<iframe|\son\w+=|javascript:/i)
    for (const title of ['Time to triage', 'Open critical findings', 'Accepted risks'])
      expect(texts).toContain(title)
    expect(texts).toContain('The period is not over: these figures still change.')
    expect(texts.join('\n')).toMatch(
      /^From the detection of a case to the first decision of a person/m,
    )
    expect((await client.get('/figures/report?from=2026-02-30')).statusCode).toBe(400)
  })

  it('has nothing of another workspace', async () => {
    const other = await givenClient(test)
    const { firmwareId } = await test.ctx.db
      .selectFrom('firmwareVersions')
      .select('firmwareId')
      .where('id', '=', versionId)
      .executeTakeFirstOrThrow()

    const foreign = await other.get(`/figures/report?from=2026-01-01&firmwareId=${firmwareId}`)

    expect(foreign.statusCode).toBe(404)
  })
})
