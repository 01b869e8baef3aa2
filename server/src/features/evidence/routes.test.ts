/** Evidence bundles as whoever gets one verifies them: with tar, sha256sum and openssl alone. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import { sharedTestApp, type TestApp } from '../../../test/app.ts'
import { closeAtEndOfFile } from '../../../test/end-of-file.ts'
import { givenDecision, givenProduct, givenVersion } from '../../../test/given-findings.ts'
import { type Client, givenClient, upload } from '../../../test/given.ts'

const BOM = JSON.stringify({ bomFormat: 'CycloneDX', specVersion: '1.6', version: 1 }, null, 3)
const REPORT = '1 Type: Vulnerability\r\n😀 <b>as submitted</b>\n'

let test: TestApp
let client: Client
let lineId: string
let firmwareVersionId: string
let findingVersionId: string
let cveId: string

beforeAll(async () => {
  test = await sharedTestApp()
  client = await givenClient(test)
  const post = async (path: string, body: object) =>
    (await client.post(path, body)).json<{ id: string }>()
  const firmware = await post('/firmwares', { slug: 'gate-way', name: '<b>Gateway</b>' })
  const version = await post(`/firmwares/${firmware.id}/versions`, { name: '..1.0+"x"' })
  firmwareVersionId = version.id
  const files = [{ name: 'bom \\ü.json', bytes: BOM }]
  expect((await upload(test, client, { firmwareVersionId, files })).statusCode).toBe(202)
  const { cveIds, cpes } = await givenProduct(test.ctx, ['High'])
  cveId = cveIds[0] ?? ''
  const { workspaceId } = client
  const given = await givenVersion(test.ctx, workspaceId, [{ packageName: 'busybox', cpes }])
  findingVersionId = given.firmwareVersionId
  await givenDecision(test.ctx, given, { vulnerabilityId: cveId, assessment: 'NotAffected' })
  const shown = await client.get(`/firmware-versions/${findingVersionId}`)
  const other = shown.json<{ firmware: { id: string } }>().firmware.id
  const line = { name: 'Edge & gateway', manufacturer: 'Acme', firmwareIds: [firmware.id, other] }
  lineId = (await post('/product-lines', line)).id
  const held = await post('/cases', {
    type: 'Incident',
    title: 'Intruder',
    productLineIds: [lineId],
  })
  const at = new Date(Date.now() - 60_000).toISOString()
  await client.post(`/cases/${held.id}/awareness`, { awareAt: at })
  const report = { stage: 'EarlyWarning', submittedAt: at, text: REPORT }
  expect((await client.post(`/cases/${held.id}/reports`, report)).statusCode).toBe(200)
})

const ask = (query = '', by = client) => by.get(`/product-lines/${lineId}/evidence${query}`)

function unpack(bundle: Buffer): { folder: string; read: (name: string) => string } {
  const folder = mkdtempSync(join(tmpdir(), 'plimsoll-evidence-'))
  closeAtEndOfFile(() => rmSync(folder, { recursive: true }))
  writeFileSync(join(folder, 'bundle.tar'), bundle)
  execFileSync('tar', ['--extract', '--file', 'bundle.tar'], { cwd: folder })
  rmSync(join(folder, 'bundle.tar'))
  return { folder, read: (name) => readFileSync(join(folder, name), 'utf8') }
}

const VERIFY =
  'pkeyutl -verify -rawin -pubin -inkey public-key.pem -in SHA256SUMS -sigfile SHA256SUMS.sig'

function verify(folder: string): string {
  execFileSync('sha256sum', ['--check', '--strict', '--quiet', 'SHA256SUMS'], { cwd: folder })
  return execFileSync('openssl', VERIFY.split(' '), { cwd: folder, encoding: 'utf8' })
}

it('is verified by tar, sha256sum and openssl, and holds documents and reports byte by byte', async () => {
  const answer = await ask()

  expect(answer.headers['content-type']).toBe('application/x-tar')
  expect(answer.headers['content-disposition']).toContain('evidence-Edge_gateway-')
  const { folder, read } = unpack(answer.rawPayload)
  expect(verify(folder)).toContain('Verified Successfully')
  const sums = read('SHA256SUMS').split('\n')
  const path = (part: string) => sums.find((line) => line.includes(part))?.slice(66) ?? ''
  expect(read(path('  sboms/'))).toBe(BOM)
  expect(read(path('report-1-early-warning.txt'))).toBe(REPORT)
  expect(read('findings.csv')).toContain(`${cveId},busybox`)
  expect(read('findings.csv')).toContain('NotAffected')
  expect(read('decisions.csv')).toContain('ann@example.com')
  expect(read('chain.csv')).toMatch(/,SbomToImage,.*,Missing,/)
  expect(read('chain.csv')).toContain('No device reports that it runs this version.')
  const index = read('INDEX.html')
  expect(index).toContain('&lt;b&gt;Gateway&lt;/b&gt;')
  expect(index).not.toContain('<b>Gateway')
  expect(index).toContain('not known: nobody has said')
  expect(index).toContain('what did at the end of the period is not kept')
  expect(index).toMatch(/<div>\d+ cases?<\/div>/)
  expect(index).toContain('The audit log (good practice)')
  expect(index).not.toContain('0 versions without an SBOM')
})

/** Sent by somebody with a contact, answered, noted on and dismissed; one that names no product; and one to a maker of a component. */
async function givenReports(): Promise<void> {
  await client.put('/disclosure-policy', { isPublic: true, showsProductLines: true })
  const send = (fields: Record<string, string>) =>
    test.app.inject({
      method: 'POST',
      url: `/public/${client.workspaceId}/report`,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      payload: new URLSearchParams(fields).toString(),
    })
  const contact = 'eve@home.example'
  const report = { title: '<i>Root</i>', text: 'Hold the <b>button</b>', credit: 'Eve', contact }
  expect((await send({ ...report, 'product-line': lineId })).statusCode).toBe(303)
  expect((await send({ title: 'Of something', text: 'Else' })).statusCode).toBe(303)
  const { reports } = (await client.get('/disclosure-reports')).json<{
    reports: { id: string; title: string }[]
  }>()
  const path = `/disclosure-reports/${reports.find(({ title }) => title === report.title)?.id ?? ''}`
  await client.post(`${path}/answers`, { text: 'Thank you' })
  await client.post(`${path}/notes`, { text: 'SECRET note' })
  const dismissal = { as: 'NotAVulnerability', reason: 'By design' }
  expect((await client.post(`${path}/dismiss`, dismissal)).statusCode).toBe(200)
  const listed = await client.post(
    `/firmware-versions/${findingVersionId}/vulnerability-findings/list`,
    {},
  )
  const [finding] = listed.json<{ findings: { id: string }[] }>().findings
  const upstream = await client.post(
    `/vulnerability-findings/${finding?.id ?? ''}/upstream-reports`,
    {
      reportedAt: '2026-01-02T03:04:05.000Z',
      recipient: 'security@upstream.example',
      text: 'It reads too far.',
      fix: 'A patch',
    },
  )
  expect(upstream.statusCode).toBe(201)
}

it('has reports from outside with answers and times, without contact and notes, and those to makers of components', async () => {
  await givenReports()

  const { folder, read } = unpack((await ask()).rawPayload)

  expect(verify(folder)).toContain('Verified Successfully')
  const paths = read('SHA256SUMS')
    .split('\n')
    .map((line) => line.slice(66))
  const pathOf = (part: RegExp) => paths.find((path) => part.test(path)) ?? ''
  expect(read(pathOf(/^reports-from-outside\/.*\.txt$/))).toBe('Hold the <b>button</b>')
  const report = read(pathOf(/^reports-from-outside\/.*\.json$/))
  expect(JSON.parse(report)).toMatchObject({
    title: '<i>Root</i>',
    credit: 'Eve',
    contact: 'Left out: the manufacturer has it',
    notesLeftOut: 1,
    clocks: [{ step: 'Answer', state: 'Done' }, {}, {}],
    events: [
      { kind: 'Answer', text: 'Thank you', isByReporter: false },
      { kind: 'Dismissed', text: 'By design', dismissal: 'NotAVulnerability' },
    ],
  })
  expect(JSON.parse(read(pathOf(/^upstream-reports\//)))).toMatchObject({
    vulnerabilityId: cveId,
    recipient: 'security@upstream.example',
    text: 'It reads too far.',
    fix: 'A patch',
  })
  const index = read('INDEX.html')
  expect(index).toContain('1 report from outside')
  expect(index).toContain('1 report to upstream')
  expect(index).toContain('1 report to the manufacturer chose no product line')
  expect(index).toContain('&lt;i&gt;Root&lt;/i&gt;')
  for (const path of paths.filter((one) => one !== ''))
    expect([path, /eve@home|SECRET/.test(read(path))]).toEqual([path, false])
})

it('names a document whose file is missing instead of leaving it out', async () => {
  const { read } = unpack((await ask()).rawPayload)

  expect(read('sboms.csv')).toContain('The file is missing')
  expect(read('INDEX.html')).toContain('1 have no file any more')
})

it('shows findings as they were at the end of the period, and decisions of the period alone', async () => {
  const before = unpack((await ask('?to=2020-01-01T00:00:00Z')).rawPayload)
  const later = new Date(Date.now() - 1).toISOString()
  const after = unpack((await ask(`?from=${later}`)).rawPayload)

  expect(before.read('findings.csv').trim().split('\n')).toHaveLength(1)
  expect(before.read('versions.csv').trim().split('\n')).toHaveLength(1)
  // It has no other devices than those of now, and says so.
  expect(before.read('versions.csv').split(/[\r\n]/)[0]).toContain(',deviceCountWhenMade,')
  expect(before.read('INDEX.html')).toContain('ran a version when the bundle was made')
  expect(after.read('findings.csv')).toContain(cveId)
  expect(after.read('decisions.csv').trim().split('\n')).toHaveLength(1)
})

it.each([
  ['?to=2999-01-01T00:00:00Z', '/query/to'],
  ['?from=2999-01-01T00:00:00Z', '/query/from'],
  ['?from=2026-02-01T00:00:00Z&to=2026-01-01T00:00:00Z', '/query/from'],
  ['?from=2026-02-30T00:00:00Z', '/query/from'],
  ['?from=yesterday', '/query/from'],
])('refuses the period %s, and names what is wrong with it', async (query, pointer) => {
  const answer = await ask(query)

  expect(answer.statusCode).toBe(400)
  expect(answer.json()).toMatchObject({ errors: [{ pointer }] })
})

it('is not handed to a key that may not read all that it holds', async () => {
  const { workspaceId } = client
  const apiKey = await test.givenKey(workspaceId, ['Cases: read'])

  const answer = await test.app.inject({
    url: `/workspaces/${workspaceId}/product-lines/${lineId}/evidence`,
    headers: { authorization: `Bearer ${apiKey}` },
  })

  expect(answer.statusCode).toBe(403)
  expect(answer.json()).toMatchObject({ type: '/problems/insufficient-scope' })
})

it('leaves who asked for what in the audit log, with the sum of the sums and the key', async () => {
  await ask()

  const log = await client.get('/audit-log?action=evidence.create')
  const [entry] = log.json<{ entries: { summary: string; after: { sumsSha256: string } }[] }>()
    .entries
  const keys = (await client.get('/evidence-keys')).json<{ keys: { fingerprint: string }[] }>().keys
  expect(entry?.summary).toContain('the evidence bundle of the product line Edge & gateway')
  expect(entry?.after.sumsSha256).toMatch(/^[0-9a-f]{64}$/)
  expect(entry?.after).toMatchObject({
    fingerprint: keys[0]?.fingerprint,
  })
})

it('verifies bundles of a key that was replaced, and signs new ones with the new key', async () => {
  const old = unpack((await ask()).rawPayload)

  const rotated = await client.post('/evidence-keys/rotate')

  expect(rotated.statusCode).toBe(201)
  const now = unpack((await ask()).rawPayload)
  expect(verify(old.folder)).toContain('Verified Successfully')
  expect(verify(now.folder)).toContain('Verified Successfully')
  expect(now.read('public-key.pem')).toBe(rotated.json<{ publicKey: string }>().publicKey)
  const { keys } = (await client.get('/evidence-keys')).json<{
    keys: { publicKey: string; retiredAt: string | null }[]
  }>()
  expect(keys.map(({ retiredAt }) => retiredAt === null)).toEqual([true, false])
  expect(keys[1]?.publicKey).toBe(old.read('public-key.pem'))
  const stored = await test.ctx.db
    .selectFrom('evidenceKeys')
    .select('secret')
    .where('workspaceId', '=', client.workspaceId)
    .where('retiredAt', 'is not', null)
    .execute()
  expect(stored).toEqual([{ secret: null }])
})

it('makes one key, however many bundles a new workspace asks for at once', async () => {
  const other = await givenClient(test)
  const made = await other.post('/product-lines', { name: 'Other', manufacturer: 'Acme' })
  const path = `/product-lines/${made.json<{ id: string }>().id}/evidence`

  const answers = await Promise.all([other.get(path), other.get(path)])

  expect(answers.map(({ statusCode }) => statusCode)).toEqual([200, 200])
  expect((await other.get('/evidence-keys')).json<{ keys: unknown[] }>().keys).toHaveLength(1)
  expect((await other.get(`/product-lines/${lineId}/evidence`)).statusCode).toBe(404)
})
