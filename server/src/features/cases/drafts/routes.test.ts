/** Drafts of reports through the API, over a case with a version on devices. */
import { sql } from 'kysely'
import { beforeAll, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../../test/app.ts'
import { cpeOf, givenVersion } from '../../../../test/given-findings.ts'
import { affectedIn, givenAdvisory } from '../../../../test/given-knowledge.ts'
import { type Browser, givenMember } from '../../../../test/given-people.ts'
import { type Client, givenClient } from '../../../../test/given.ts'

let test: TestApp
let client: Client
let people: Record<'engineer' | 'other' | 'viewer', Browser>
let now = new Date('2026-11-03T10:00:00Z')

beforeAll(async () => {
  test = await startTestApp()
  Object.assign(test.ctx, { now: () => now })
  client = await givenClient(test)
  const member = async (role: 'Engineer' | 'Viewer') =>
    (await givenMember(test, client.workspaceId, role)).browser
  people = {
    engineer: await member('Engineer'),
    other: await member('Engineer'),
    viewer: await member('Viewer'),
  }
})

interface Draft {
  fields: {
    key: string
    text: string
    origin: string
    isMissing: boolean
    written: { factId: string; by: string } | null
  }[]
  missing: string[]
  submittedReportId: string | null
}

const path = (id: string, more: string) =>
  `/workspaces/${client.workspaceId}/cases/${id}/drafts/${more}`
const read = async (id: string, stage = 'EarlyWarning') =>
  (await client.get(`/cases/${id}/drafts/${stage}`)).json<Draft>()
const field = async (id: string, key: string, stage = 'EarlyWarning') =>
  (await read(id, stage)).fields.find((one) => one.key === key)
const write = (by: Browser, id: string, body: object, stage = 'EarlyWarning') =>
  by.post(path(id, `${stage}/fields`), body)

let count = 10_000
async function givenCase(more: object = {}) {
  const product = `product-${crypto.randomUUID()}`
  const cveId = `CVE-2026-${(count += 1)}`
  const affected = [affectedIn(`cpe:acme:${product}`, [{ fixed: '2.0' }])]
  await givenAdvisory(test.ctx.db, { id: cveId, severity: 'High', title: 'Flaw', affected })
  const cpes = [cpeOf(product, '1.0')]
  const version = await givenVersion(test.ctx, client.workspaceId, [
    { packageName: 'busybox', cpes },
  ])
  const firmware = (await client.get(`/firmware-versions/${version.firmwareVersionId}`)).json<{
    firmware: { id: string }
  }>()
  const line = (
    await client.post('/product-lines', {
      name: `Line ${crypto.randomUUID().slice(0, 8)}`,
      manufacturer: 'Acme GmbH',
      memberStates: ['DE'],
      coordinatorState: 'DE',
      firmwareIds: [firmware.firmware.id],
    })
  ).json<{ id: string; name: string }>()
  const body = { type: 'Vulnerability', title: 'Shell', cveId, productLineIds: [line.id] }
  const { id } = (await client.post('/cases', { ...body, ...more })).json<{ id: string }>()
  return { id, line, cveId, ...version }
}

it('proposes from the case, and has nothing missing once awareness is set', async () => {
  const { id, line, cveId } = await givenCase()
  expect((await read(id)).missing).toEqual(['awareSince'])

  await client.post(`/cases/${id}/awareness`, { awareAt: '2026-11-02T21:40:00Z' })

  const draft = await read(id)
  expect(draft).toMatchObject({
    missing: [],
    article: '14(2)(a)',
    fieldSet: '1.3',
    coordinatorStates: ['DE'],
    submittedReportId: null,
  })
  const texts = new Map(draft.fields.map(({ key, text }) => [key, text]))
  expect(texts.get('product')).toBe(line.name)
  expect(texts.get('cveId')).toBe(cveId)
  expect(texts.get('component')).toContain('busybox')
  expect(texts.get('versions')).not.toBe('')
})

it('keeps what people write, once, and what is proposed when they take it back', async () => {
  const { id } = await givenCase()
  const proposed = (await field(id, 'summary'))?.text
  const body = { key: 'summary', text: '=cmd() <b>bold</b> \u202e' }

  await write(people.engineer, id, body)
  await write(people.engineer, id, body)

  expect(await field(id, 'summary')).toMatchObject({ text: body.text, origin: 'Written' })
  const facts = (await client.get(`/cases/${id}`)).json<{ facts: { kind: string }[] }>().facts
  expect(facts.filter(({ kind }) => kind === 'Field')).toHaveLength(1)
  const log = await client.get(
    `/audit-log?resourceType=case&resourceId=${id}&action=case.write-field`,
  )
  expect(log.json<{ entries: unknown[] }>().entries).toHaveLength(1)
  await write(people.other, id, { key: 'summary', text: null })
  expect(await field(id, 'summary')).toMatchObject({ text: proposed, origin: 'Proposed' })
})

it('lets nobody write over what they have not seen', async () => {
  const { id } = await givenCase()
  await write(people.engineer, id, { key: 'impact', text: 'First', insteadOf: null })

  const late = await write(people.other, id, { key: 'impact', text: 'Second', insteadOf: null })

  expect(late.json()).toMatchObject({ status: 409, type: '/problems/field-changed' })
  const seen = (await field(id, 'impact'))?.written?.factId
  const again = { key: 'impact', text: 'Second', insteadOf: seen }
  expect((await write(people.other, id, again)).statusCode).toBe(200)
})

it.each`
  stage             | body                                            | status
  ${'EarlyWarning'} | ${{ key: 'attackVector', text: 'x' }}           | ${400}
  ${'EarlyWarning'} | ${{ key: 'constructor', text: 'x' }}            | ${400}
  ${'EarlyWarning'} | ${{ key: 'title', text: 'x', fieldSet: '9.9' }} | ${400}
  ${'EarlyWarning'} | ${{ key: 'title', text: 'x'.repeat(8001) }}     | ${400}
  ${'Intermediate'} | ${{ key: 'title', text: 'x' }}                  | ${400}
  ${'EarlyWarning'} | ${{ key: 'title', text: 'x'.repeat(8000) }}     | ${200}
`('answers $status to $body at $stage', async ({ stage, body, status }) => {
  const { id } = await givenCase()
  const answer = await write(people.engineer, id, body as object, stage as string)
  expect(answer.statusCode).toBe(status)
})

it('keeps the fields of a submitted report, and carries them on', async () => {
  const { id } = await givenCase()
  await client.post(`/cases/${id}/awareness`, { awareAt: '2026-11-02T21:40:00Z' })
  await write(people.engineer, id, { key: 'title', text: 'As we call it' })
  const draft = await read(id)
  const fields = draft.fields.map(({ key, text }) => ({ key, text }))

  const body = { stage: 'EarlyWarning', submittedAt: '2026-11-03T09:00:00Z', fields }
  const recorded = await client.post(`/cases/${id}/reports`, body)

  const [report] = recorded.json<{ reports: { id: string; text: string }[] }>().reports
  expect(report).toMatchObject({
    fieldSet: '1.3',
    text: expect.stringContaining('2 Title\nAs we call it') as string,
    fields: fields.map((one) => expect.objectContaining(one) as object),
  })
  expect((await read(id)).submittedReportId).toBe(report?.id)
  // The line changes its name, and what was submitted stays.
  expect(await field(id, 'title', 'Notification')).toMatchObject({
    text: 'As we call it',
    origin: 'CarriedOn',
  })
  expect((await client.get('/cases')).statusCode).toBe(200)
})

it.each`
  more                                                                      | pointer
  ${{ fields: [{ key: 'nothing', text: 'x' }] }}                            | ${'/fields/0/key'}
  ${{ fields: [{ key: 'title', text: 'x' }, { key: 'title', text: 'y' }] }} | ${'/fields'}
  ${{ fields: [{ key: 'title', text: '' }] }}                               | ${'/text'}
  ${{}}                                                                     | ${'/text'}
  ${{ text: 'x', fieldSet: '0.9' }}                                         | ${'/fieldSet'}
`(
  'records no report of $more, and names $pointer',
  async ({ more, pointer }: { more: object; pointer: string }) => {
    const { id } = await givenCase()
    await client.post(`/cases/${id}/awareness`, { awareAt: '2026-11-02T21:40:00Z' })
    const body = { stage: 'EarlyWarning', submittedAt: '2026-11-03T09:00:00Z', ...more }
    const answer = await client.post(`/cases/${id}/reports`, body)
    expect(answer.json()).toMatchObject({ status: 400, errors: [{ pointer }] })
  },
)

it('records a report although fields are missing and too long', async () => {
  const { id } = await givenCase({ productLineIds: [] })
  await client.post(`/cases/${id}/awareness`, { awareAt: '2026-11-02T21:40:00Z' })
  expect((await read(id)).missing).toContain('memberStates')
  const body = { stage: 'EarlyWarning', submittedAt: '2026-11-03T09:00:00Z', text: 'by hand' }
  expect((await client.post(`/cases/${id}/reports`, body)).statusCode).toBe(200)
})

it('tells roll-outs of a version without the finding, and Member States that devices name', async () => {
  const { id, firmwareVersionId } = await givenCase()
  const { workspaceId } = client
  const { firmware } = (await client.get(`/firmware-versions/${firmwareVersionId}`)).json<{
    firmware: { id: string }
  }>()
  const device = (await client.post('/devices', { id: `d-${id}` })).json<{ id: string }>()
  await sql`
    update devices set attributes = '{"country": "fr"}' where workspace_id = ${workspaceId} and id = ${device.id}`.execute(
    test.ctx.db,
  )
  await sql`
    insert into device_firmwares (workspace_id, device_id, firmware_version_id, slug, version, since)
    values (${workspaceId}, ${device.id}, ${firmwareVersionId}, 'x', '1', ${now})`.execute(
    test.ctx.db,
  )

  expect(await read(id)).toMatchObject({ suggestedStates: [{ state: 'FR', deviceCount: 1 }] })
  expect(firmware.id).not.toBe('')
})

it('exports text and Markdown as files', async () => {
  const { id } = await givenCase({ isDrill: true })
  const text = await people.viewer.get(path(id, 'EarlyWarning/export'))
  expect(text.headers['content-type']).toBe('text/plain; charset=utf-8')
  expect(text.headers['content-disposition']).toContain(`early-warning-${id}.txt`)
  expect(text.body).toContain('DRILL: not to be submitted.')
  expect(text.body).toContain('v26 Aware since [missing]')
  const markdown = await people.viewer.get(path(id, 'EarlyWarning/export?format=markdown'))
  expect(markdown.headers['content-type']).toBe('text/markdown; charset=utf-8')
})

it('lets viewers read, engineers write, and shows nothing to other workspaces', async () => {
  const { id } = await givenCase()
  expect((await people.viewer.get(path(id, 'EarlyWarning'))).statusCode).toBe(200)
  const body = { key: 'title', text: 'x' }
  expect((await write(people.viewer, id, body)).statusCode).toBe(403)
  const stranger = await givenClient(test)
  expect((await stranger.get(`/cases/${id}/drafts/EarlyWarning`)).statusCode).toBe(404)
  expect((await stranger.post(`/cases/${id}/drafts/EarlyWarning/fields`, body)).statusCode).toBe(
    404,
  )
})

it('is not written once the case has ended', async () => {
  const { id } = await givenCase()
  await client.post(`/cases/${id}/dismiss`, { reason: 'Not ours' })
  const answer = await write(people.engineer, id, { key: 'title', text: 'x' })
  expect(answer.json()).toMatchObject({ status: 409, type: '/problems/case-ended' })
})

it('drafts an intermediate report of what the CSIRT asked and what is known now', async () => {
  const { id } = await givenCase()
  await client.post(`/cases/${id}/awareness`, { awareAt: now.toISOString() })
  const asked = { dueAt: '2026-11-20T12:00:00Z', text: 'How far is the roll-out?' }
  await client.post(`/cases/${id}/report-requests`, asked)
  const measure = {
    availableAt: now.toISOString(),
    measure: 'Mitigating',
    detail: 'Switch it off.',
  }
  await client.post(`/cases/${id}/measure`, measure)
  const { clocks } = (await client.get(`/cases/${id}`)).json<{
    clocks: { stage: string; requestId: string | null }[]
  }>()
  const requestId = clocks.find(({ stage }) => stage === 'IntermediateReport')?.requestId

  const draft = await client.get(`/cases/${id}/report-requests/${requestId}/draft`)
  const none = await client.get(`/cases/${id}/report-requests/${id}/draft`)

  const { text } = draft.json<{ text: string }>()
  expect(text).toContain('Article 14(6)')
  expect(text).toContain('due 2026-11-20 12:00 UTC:\nHow far is the roll-out?')
  expect(text).toContain(
    'A mitigating measure is available since 2026-11-03 10:00 UTC: Switch it off.',
  )
  expect(none.json()).toMatchObject({ status: 404, type: '/problems/report-request-not-found' })
})
