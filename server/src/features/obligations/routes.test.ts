/** The map of the law, as a client reads it: facts follow what is there, and notes are the team's. */
import { beforeEach, expect, it } from 'vitest'
import { sharedTestApp, type TestApp } from '../../../test/app.ts'
import { givenProduct, givenVersion } from '../../../test/given-findings.ts'
import { type Client, givenClient } from '../../../test/given.ts'

interface ReadFact {
  name: string
  text: string
  count: number | null
  total: number | null
  isKnown: boolean
}
interface Point {
  id: string
  basis: string
  article: string
  facts: ReadFact[]
  note: Record<string, unknown>
}

let test: TestApp
let client: Client

beforeEach(async () => {
  test = await sharedTestApp()
  client = await givenClient(test)
})

async function readPoints(): Promise<Map<string, Point>> {
  const answer = await client.get('/obligations')
  expect(answer.statusCode).toBe(200)
  const { obligations } = answer.json<{ obligations: Point[] }>()
  return new Map(obligations.map((one) => [one.id, one]))
}
const readFact = async (id: string, name: string) =>
  (await readPoints()).get(id)?.facts.find((fact) => fact.name === name)

it('says of an empty workspace what is not known, and never that anything is complied with', async () => {
  const points = [...(await readPoints()).values()]

  const texts = points.flatMap(({ facts }) => facts.map(({ text }) => text)).join('\n')
  expect(texts).not.toMatch(/compl(y|iant|ied|iance)|fulfil|✓|conform/i)
  expect(points.every(({ facts }) => facts.length > 0)).toBe(true)
  expect(points.find(({ id }) => id === 'properties')?.facts).toMatchObject([{ isKnown: false }])
  expect(texts).toContain('There is no product line: support periods are not known')
  expect(texts).toContain('No device reports a version')
})

it('keeps what is law apart from good practice, and names an article for each point of the law', async () => {
  const points = [...(await readPoints()).values()]

  for (const { basis, article } of points)
    expect([article, /^(Annex|1[34]\()/.test(article)]).toEqual([article, basis === 'Law'])
  expect(points.map(({ article }) => article)).toContain('Annex I, part I, (2)(b), (d)–(m)')
})

it('counts for which firmware the gate blocks: a release line comes before the workspace', async () => {
  await client.patch('/settings', { releaseGate: 'Off' })
  for (const slug of ['one', 'two', 'three']) {
    const made = await client.post('/firmwares', { slug, name: slug })
    const path = `/firmwares/${made.json<{ id: string }>().id}`
    await client.post(`${path}/versions`, { name: '1.0' })
    if (slug === 'three') continue
    const lines = [{ name: 'all', patterns: ['^1'], releaseGate: 'Block' }]
    expect((await client.put(`${path}/lines`, { lines })).statusCode).toBe(200)
  }

  expect(await readFact('known-vulnerabilities', 'gate-blocks')).toMatchObject({
    count: 2,
    total: 3,
    text: expect.stringMatching(/^2 of 3 firmwares/) as string,
  })
  expect(await readFact('known-vulnerabilities', 'gate-off')).toMatchObject({ count: 1, total: 3 })
})

it('counts SBOMs of newest versions alone, and those that name what the product itself depends on', async () => {
  const { cpes } = await givenProduct(test.ctx, ['Critical'])
  await givenVersion(test.ctx, client.workspaceId, [
    { packageName: 'busybox', version: '1.0', cpes },
  ])

  expect(await readFact('sboms', 'sboms')).toMatchObject({ count: 1, total: 1 })
  expect(await readFact('remedies', 'undecided')).toMatchObject({ count: 1 })
  expect(await readFact('sboms', 'top-level')).toMatchObject({ total: 1 })
})

it('tells of product lines, cases, drills, reports and pages as they are', async () => {
  const firmware = await client.post('/firmwares', { slug: 'gw', name: 'Gateway' })
  const firmwareIds = [firmware.json<{ id: string }>().id]
  const line = { name: 'Gateway', manufacturer: 'Acme', supportEndsIn: '2020-01', firmwareIds }
  const made = await client.post('/product-lines', line)
  const productLineIds = [made.json<{ id: string }>().id]
  const begin = async (title: string, isDrill: boolean) => {
    const body = { type: 'Incident', title, productLineIds, isDrill }
    const { id } = (await client.post('/cases', body)).json<{ id: string }>()
    const awareAt = new Date(Date.now() - 30 * 3_600_000).toISOString()
    expect((await client.post(`/cases/${id}/awareness`, { awareAt })).statusCode).toBe(200)
  }
  await begin('Intruder', false)
  await begin('Practice', true)
  await client.put('/disclosure-policy', { isPublic: true })
  await client.get(`/product-lines/${productLineIds[0]}/evidence`)

  const points = await readPoints()
  const told = (id: string) => points.get(id)?.facts.map(({ text }) => text)

  expect(told('reports')).toContain('1 of 1 of these have a report that is late')
  expect(told('drills')).toMatchObject([expect.stringMatching(/^1 drill, /)])
  expect(told('support')).toContain('1 of 1 product lines: support has ended')
  expect(told('support')).toContain('0 of 1 product lines: nobody has said when support ends')
  expect(told('disclosure-policy')).toContain('The public page is on')
  expect(told('disclosure-policy')).toContain('Nobody has written a policy for it')
  expect(told('authorities')).toMatchObject([
    expect.stringMatching(/^Bundles are signed with a key of /),
    expect.stringMatching(/^The last bundle was made on /),
  ])
})

const NOTE = {
  responsible: 'Vera Holm',
  dueOn: '2027-03-01',
  text: '<b>See</b> the assessment.',
  link: 'https://docs.example/risk',
}

it('keeps a note of the team, audited, and one write that changes nothing leaves no entry', async () => {
  const put = await client.put('/obligations/properties/note', NOTE)
  const again = await client.put('/obligations/properties/note', NOTE)
  const patched = await client.patch('/obligations/properties/note', { dueOn: null })

  expect(put.json()).toMatchObject({ id: 'properties', ...NOTE })
  expect(again.json()).toEqual(put.json())
  expect(patched.json()).toMatchObject({ ...NOTE, dueOn: null })
  expect((await readPoints()).get('properties')?.note).toMatchObject({ ...NOTE, dueOn: null })
  const { entries } = (await client.get('/audit-log?limit=10')).json<{ entries: object[] }>()
  const written = entries.filter((one) => 'action' in one && one.action === 'obligation.note')
  expect(written).toHaveLength(2)
})

it('shows nothing of another workspace', async () => {
  await client.put('/obligations/sboms/note', NOTE)
  const other = await givenClient(test)

  expect((await other.get('/obligations/sboms/note')).json()).toMatchObject({
    responsible: null,
    updatedAt: null,
  })
})

it.each`
  path         | body                                 | status | pointer
  ${'sboms'}   | ${{ link: 'javascript:alert(1)' }}   | ${400} | ${'/link'}
  ${'sboms'}   | ${{ link: 'https://a:b@c.example' }} | ${400} | ${'/link'}
  ${'sboms'}   | ${{ dueOn: '2027-02-30' }}           | ${400} | ${'/dueOn'}
  ${'sboms'}   | ${{ responsible: 'a\u202Eb' }}       | ${400} | ${'/responsible'}
  ${'sboms'}   | ${{ text: ' ' }}                     | ${400} | ${'/text'}
  ${'nothing'} | ${{ text: 'x' }}                     | ${404} | ${undefined}
`('refuses $body at $path', async ({ path, body, status, pointer }) => {
  const answer = await client.put(`/obligations/${path}/note`, body as object)

  expect(answer.statusCode).toBe(status)
  if (pointer !== undefined) expect(answer.body).toContain(pointer)
})
