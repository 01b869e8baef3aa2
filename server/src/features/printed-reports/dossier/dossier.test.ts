/** The dossier of a release, as a reader and as a spreadsheet get it. */
import { beforeAll, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../../test/app.ts'
import { givenMatchedSbom } from '../../../../test/given-findings.ts'
import { affectedIn, givenAdvisory } from '../../../../test/given-knowledge.ts'
import { type Client, givenClient } from '../../../../test/given.ts'

const HOSTILE = '=HYPERLINK("http://evil")<script>alert(1)</script>'
const DAY = '2026-06-15'

let test: TestApp
let client: Client
let older: string
let newer: string

beforeAll(async () => {
  test = await startTestApp()
  client = await givenClient(test)
  const now = Date.parse('2026-06-10T09:00:00Z')
  test.ctx.now = () => new Date(now)
  for (const [id, severity] of [
    ['CVE-2026-0001', 'Critical'],
    ['CVE-2026-0002', 'Medium'],
    ['CVE-2026-0003', 'Low'],
  ] as const)
    await givenAdvisory(test.ctx.db, {
      id,
      severity,
      title: id,
      affected: [
        affectedIn(`cpe:acme:${id === 'CVE-2026-0003' ? 'gone' : 'widget'}`, [{ fixed: '2.0' }]),
      ],
    })
  const made = await client.post('/firmwares', { slug: 'gateway', name: 'Gate & way' })
  const path = `/firmwares/${made.json<{ id: string }>().id}/versions`
  older = (await client.post(path, { name: '1.0' })).json<{ id: string }>().id
  await give(older, ['widget', 'gone'])
  newer = (await client.post(path, { name: '1.1', securityOnly: true })).json<{ id: string }>().id
  await give(newer, ['widget'])
  const [accepted] = await listIds(newer, 'CVE-2026-0002')
  const answer = await client.put(`/vulnerability-findings/${accepted}/ignore`, {
    ignored: true,
    acceptance: { reason: HOSTILE, until: '2027-03-01T00:00:00Z' },
  })
  expect([answer.body, answer.statusCode < 300]).toEqual([answer.body, true])
})

const give = (firmwareVersionId: string, products: string[]) =>
  givenMatchedSbom(
    test.ctx,
    { workspaceId: client.workspaceId, firmwareVersionId },
    products.map((product) => ({
      packageName: product,
      version: '1.0',
      cpes: [`cpe:2.3:a:acme:${product}:1.0:*:*:*:*:*:*:*`],
    })),
  )

async function listIds(versionId: string, cveId: string): Promise<string[]> {
  const path = `/firmware-versions/${versionId}/vulnerability-findings/list`
  const { findings } = (await client.post(path, {})).json<{
    findings: { id: string; cveId: string }[]
  }>()
  return findings.filter((one) => one.cveId === cveId).map(({ id }) => id)
}

function readTexts(page: string): string[] {
  return page
    .slice(page.indexOf('<body>'))
    .split(/<[^>]*>/)
    .map((text) => text.trim())
    .filter((text) => text !== '')
}

const dossier = (query = '', by = client) => by.get(`/firmware-versions/${newer}/dossier${query}`)
const table = (query = '') => client.get(`/firmware-versions/${newer}/dossier/export${query}`)

it('says what is in a release, what is open, what was accepted until when, and what was not judged', async () => {
  const { statusCode, headers, body } = await dossier()
  const texts = readTexts(body)

  expect([statusCode, headers['content-type']]).toEqual([200, 'text/html; charset=utf-8'])
  expect(body).not.toMatch(/<script|<img|<link|<iframe|\son\w+=/i)
  for (const text of ['Gate &amp; way 1.1', 'CVE-2026-0001', '1 March 2027', 'SHA-256', 'yes'])
    expect(texts).toContain(text)
  expect(texts.indexOf('CVE-2026-0001')).toBeLessThan(texts.indexOf('CVE-2026-0002'))
  const said = texts.join('\n')
  expect(said).toContain('1 finding ignored, 0 without an end.')
  expect(said).toContain('1.0 is the version before')
  expect(said).toContain('There is none here. What is installed otherwise is not known.')
  expect(said).toMatch(/components? in the firmware were looked up/)
  expect(said).toContain('Nobody has stated licence rules: none is judged.')
  expect(said).toMatch(/Older than this service allows, or never read: .*NVD/)
  expect(said).toContain('It was not rolled out by Plimsoll.')
  expect(said).toContain(
    'The version has no image, so nobody can tell which one its SBOM describes.',
  )
  expect((await table()).body).toContain('chain from SBOM to device,')
})

it('compares with the version before: what is new, in both and gone', async () => {
  const { body } = await table()
  const rows = body.split('\r\n').filter((row) => row.startsWith('comparison,'))

  expect(rows.map((row) => row.split(',').slice(1, 5))).toEqual(
    expect.arrayContaining([
      ['1.0', 'in both', 'Critical', '1'],
      ['1.0', 'gone', 'Low', '1'],
      ['1.0', 'new', 'Critical', '0'],
    ]),
  )
})

it('keeps what a past day knew, names what is not known for it, and shows no present in its place', async () => {
  const [open] = await listIds(newer, 'CVE-2026-0001')
  const now = Date.parse('2026-07-01T09:00:00Z')
  test.ctx.now = () => new Date(now)
  const decided = await client.post(`/vulnerability-findings/${open}/assessments`, {
    assessment: 'FalsePositive',
    detail: 'Decided later',
  })
  expect(decided.statusCode).toBeLessThan(300)

  const then = readTexts((await dossier(`?asOf=${DAY}`)).body).join('\n')
  const present = readTexts((await dossier()).body).join('\n')

  expect(then).not.toContain('Decided later')
  expect(then).toContain('Not assessed')
  expect(then).toContain('Not known for the past, and not shown:')
  expect(then).not.toContain('Nobody has stated licence rules')
  expect(then).toContain('Not known: devices of that day were not counted')
  expect(then).toContain('Not known for that day: which keys were trusted, and which images ran')
  expect(then).not.toContain('The version has no image')
  expect((await table(`?asOf=${DAY}`)).body).toContain(
    'chain from SBOM to device,,,not known for the past',
  )
  expect(present).toContain('Decided later')
  expect((await table(`?asOf=${DAY}`)).body).toContain('release gate,,,not known for the past')
})

it('says of a day before the version that it did not exist yet', async () => {
  const texts = readTexts((await dossier('?asOf=2026-01-31')).body).join('\n')

  expect(texts).toContain('The version did not exist yet on that day')
  expect(texts).toContain('There is no SBOM: nothing could be looked up.')
})

it('defuses formulas in the table, and escapes markup on the page', async () => {
  const { body, headers } = await table()

  expect(headers['content-disposition']).toContain('gateway-1.1-dossier-')
  expect(body).toContain(`"'=HYPERLINK(""http://evil"")`)
  expect((await dossier()).body).toContain('&lt;script&gt;alert(1)')
})

it('shows roll-outs to those alone who may read deployments', async () => {
  const apiKey = await test.givenKey(client.workspaceId, ['Vulnerabilities: read'])
  const answer = await test.app.inject({
    method: 'GET',
    url: `/workspaces/${client.workspaceId}/firmware-versions/${newer}/dossier`,
    headers: { authorization: `Bearer ${apiKey}` },
  })

  expect(answer.statusCode).toBe(200)
  expect(answer.body).toContain('for somebody who may not read deployments')
})

it.each`
  asOf            | because
  ${'2999-01-01'} | ${'the day is to come'}
  ${'2026-02-30'} | ${'there is no such day'}
  ${'yesterday'}  | ${'it is no day'}
`('refuses $asOf, as $because', async ({ asOf }) => {
  const answer = await dossier(`?asOf=${asOf as string}`)

  expect(answer.statusCode).toBe(400)
  expect(answer.body).toContain('asOf')
})

it('has nothing of another workspace', async () => {
  expect((await dossier('', await givenClient(test))).statusCode).toBe(404)
})
