/** What the audit log says, and by what it is found, through the API. */
import { readFile } from 'node:fs/promises'
import { sql } from 'kysely'
import { beforeAll, describe, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../test/app.ts'
import { isOfCitus } from '../../../test/citus.ts'
import { givenProduct, givenVersion } from '../../../test/given-findings.ts'
import { givenMember } from '../../../test/given-people.ts'
import { type Client, givenClient } from '../../../test/given.ts'

let test: TestApp

beforeAll(async () => {
  test = await startTestApp()
})

interface Entry {
  id: string
  kind: string | null
  summary: string
  note: string | null
  parts: { text: string; subject?: { type: string; id: string } }[]
  subjects: { type: string; id: string; name: string | null }[]
}

async function readLog(client: Client, query: string): Promise<Entry[]> {
  const response = await client.get(`/audit-log?${query}`)
  expect([response.statusCode, response.statusCode === 200 ? '' : response.body]).toEqual([200, ''])
  return response.json<{ entries: Entry[] }>().entries
}

const summariesOf = (entries: Entry[]) => entries.map(({ summary }) => summary)

async function givenDecided() {
  const client = await givenClient(test)
  const { product, cpes, cveIds } = await givenProduct(test.ctx, ['Critical', 'High', 'Low'])
  const component = { packageName: product, version: '1.0', cpes }
  const { firmwareVersionId } = await givenVersion(test.ctx, client.workspaceId, [component])
  const response = await client.post('/vulnerability-findings/bulk-assess', {
    filter: { firmwareVersionIds: [firmwareVersionId] },
    assessment: 'FalsePositive',
    justification: 'inline_mitigations_already_exist',
    detail: 'It is not started.',
  })
  expect([response.statusCode, response.body.slice(0, 300)]).toEqual([200, expect.any(String)])
  const version = (await client.get(`/firmware-versions/${firmwareVersionId}`)).json<{
    name: string
    firmware: { id: string; name: string }
  }>()
  return { client, cveIds: cveIds.toSorted(), firmwareVersionId, version }
}

describe('a decision about many findings', () => {
  it('names two vulnerabilities and its version, and is found by each of them', async () => {
    const { client, cveIds, firmwareVersionId, version } = await givenDecided()
    const [entry, ...others] = await readLog(client, 'kind=Decision')

    expect(others).toEqual([])
    expect(entry?.summary).toMatch(/^Key .+ decided False positive for 3 findings of /)
    expect(entry?.summary).toContain(`and 1 more in ${version.firmware.name} ${version.name}`)
    expect(entry?.note).toBe('It is not started.')
    const subjects = [
      ...cveIds.map((id) => `vulnerability:${id}`),
      `firmware-version:${firmwareVersionId}`,
      `firmware:${version.firmware.id}`,
    ]
    for (const subject of subjects)
      expect(summariesOf(await readLog(client, `subject=${subject}`))).toContain(entry?.summary)
    expect(entry?.parts).toContainEqual({
      text: `${version.firmware.name} ${version.name}`,
      subject: { type: 'firmware-version', id: firmwareVersionId },
    })
  })

  it('that is taken back is found by them, too', async () => {
    const { client, cveIds, firmwareVersionId } = await givenDecided()
    const { decisionBatches } = (await client.get('/decision-batches')).json<{
      decisionBatches: { id: string }[]
    }>()
    await client.post(`/decision-batches/${decisionBatches[0]?.id}/undo`, {})

    const [newest] = await readLog(client, `subject=firmware-version:${firmwareVersionId}`)
    expect(newest?.summary).toContain('took back False positive from 3 findings of')
    expect(newest?.subjects.map(({ id }) => id)).toEqual(expect.arrayContaining(cveIds))
  })

  it('is not in the log of another workspace that has the vulnerability', async () => {
    const { cveIds } = await givenDecided()
    const other = await givenClient(test)
    expect(await readLog(other, `subject=vulnerability:${cveIds[0]}`)).toEqual([])
  })
})

it('keeps what a firmware was called after it is deleted', async () => {
  const client = await givenClient(test)
  const { id } = (await client.post('/firmwares', { name: 'Tide gauge', slug: 'tide' })).json<{
    id: string
  }>()
  const version = (await client.post(`/firmwares/${id}/versions`, { name: '2.0' })).json<{
    id: string
  }>()
  await client.delete(`/firmware-versions/${version.id}`)
  await client.delete(`/firmwares/${id}`)

  const summaries = summariesOf(await readLog(client, `subject=firmware:${id}`))
  expect(summaries.map((one) => one.replace(/^Key \S+ /, ''))).toEqual([
    'deleted the firmware Tide gauge with 0 versions',
    'deleted the firmware version Tide gauge 2.0',
    'created the firmware version Tide gauge 2.0',
    'created the firmware Tide gauge',
  ])
})

it('finds what a member did and what was done to them, by their name', async () => {
  const client = await givenClient(test)
  const { id, browser } = await givenMember(test, client.workspaceId, 'Admin')
  await browser.patch('/me', { displayName: 'Mara Lindqvist' })
  const url = `/workspaces/${client.workspaceId}`
  await browser.post(`${url}/firmwares`, { name: 'Gauge', slug: 'gauge' })
  await client.delete(`/members/${id}`)

  const entries = await readLog(client, `subject=member:${id}`)
  expect(entries[0]?.summary).toContain('removed Mara Lindqvist from the workspace')
  expect(summariesOf(entries)).toContain('Mara Lindqvist created the firmware Gauge')
  const found = await readLog(client, 'contains=lindqvist&kind=Member')
  expect(summariesOf(found)).toContain(entries[0]?.summary)
})

it('looks up nobody who is no member, and says so of what has no name', async () => {
  const client = await givenClient(test)
  const other = await givenClient(test)
  const { id } = await givenMember(test, other.workspaceId, 'Admin')
  const created = await client.post('/devices', { id: 'pump-1' })
  expect(created.statusCode).toBe(201)
  await test.ctx.db
    .insertInto('auditLog')
    .values({
      workspaceId: client.workspaceId,
      id,
      createdAt: new Date(),
      actorType: 'ApiKey',
      actorId: id,
      action: 'member.remove',
      resourceType: 'member',
      resourceId: client.workspaceId,
    })
    .execute()

  const [entry] = await readLog(client, 'action=member.remove')
  expect(entry?.summary).toBe(
    `The key ${id} (its name was not kept) removed ${client.workspaceId} (its name was not kept) from the workspace`,
  )
})

it('exports the sentences', async () => {
  const client = await givenClient(test)
  await client.post('/devices', { id: 'pump-7' })
  const csv = await client.get('/audit-log/export?subject=device:pump-7')
  const [head, line] = csv.body.split('\r\n')
  expect(head).toContain('createdAt,summary,actorType')
  expect(line).toContain('registered the device pump-7')
  const json = await client.get('/audit-log/export?subject=device:pump-7&format=jsonl')
  expect(JSON.parse(json.body)).toMatchObject({
    kind: 'Device',
    subjects: [{ type: 'api-key' }, { type: 'device', id: 'pump-7', name: 'pump-7' }],
  })
})

it.each(['pump-7', 'ship:1', 'device:'])(
  'refuses the subject %j, and lists the types',
  async (subject) => {
    const client = await givenClient(test)
    const response = await client.get(`/audit-log?subject=${subject}`)
    expect(response.statusCode).toBe(400)
    expect(response.body).toContain('deployment-cohort')
  },
)

describe('one entry', () => {
  it('is read by its id, as it stands in the list', async () => {
    const client = await givenClient(test)
    await client.post('/devices', { id: 'pump-3' })
    const [listed] = await readLog(client, 'subject=device:pump-3')

    const response = await client.get(`/audit-log/${listed?.id}`)
    expect([response.statusCode, response.json()]).toEqual([200, listed])
  })

  it('is in no other workspace, and an id of none is said to be none', async () => {
    const client = await givenClient(test)
    await client.post('/devices', { id: 'pump-4' })
    const [listed] = await readLog(client, 'subject=device:pump-4')
    const other = await givenClient(test)
    for (const id of [listed?.id, 'pump-4']) {
      const response = await other.get(`/audit-log/${id}`)
      expect(response.statusCode).toBe(404)
      expect(response.body).toContain('audit-entry-not-found')
    }
  })
})

describe('the counts', () => {
  interface Counts {
    count: number
    peopleCount: number
    apiKeyCount: number
    kinds: { kind: string; count: number }[]
    actors: { actorType: string; actorId: string | null; name: string | null; count: number }[]
  }
  const readCounts = async (client: Client, query = '') => {
    const response = await client.get(`/audit-log/counts?${query}`)
    expect(response.statusCode).toBe(200)
    return response.json<Counts>()
  }

  it('say who did how much of what, and agree with the list', async () => {
    const client = await givenClient(test)
    const { id, browser } = await givenMember(test, client.workspaceId, 'Admin')
    await browser.patch('/me', { displayName: 'Mara Lindqvist' })
    const url = `/workspaces/${client.workspaceId}`
    await browser.post(`${url}/firmwares`, { name: 'Gauge', slug: 'gauge' })
    for (const device of ['pump-1', 'pump-2']) await client.post('/devices', { id: device })

    const counts = await readCounts(client)
    expect(counts).toMatchObject({ peopleCount: 1, apiKeyCount: 1 })
    expect(counts.kinds).toContainEqual({ kind: 'Device', count: 2 })
    expect(counts.count).toBe((await readLog(client, 'limit=1000')).length)
    const mara = counts.actors.find(({ actorId }) => actorId === id)
    expect(mara).toMatchObject({ actorType: 'User', name: 'Mara Lindqvist' })
    expect((await readLog(client, `actor=${id}`)).length).toBe(mara?.count)
  })

  it('count what the filter selects, and nothing of another workspace', async () => {
    const client = await givenClient(test)
    await client.post('/devices', { id: 'pump-5' })

    expect(await readCounts(client, 'subject=device:pump-5')).toMatchObject({
      count: 1,
      kinds: [{ kind: 'Device', count: 1 }],
      actors: [{ actorType: 'ApiKey', count: 1 }],
    })
    expect(await readCounts(client, 'kind=Device&actorType=System')).toMatchObject({
      count: 0,
      actors: [],
    })
    const several = await readCounts(client, 'kinds=Device,Firmware')
    expect(several.kinds.map(({ kind }) => kind)).toEqual(['Device'])
    expect(several.count).toBe((await readLog(client, 'kinds=Device,Firmware')).length)
    expect(await readCounts(client, 'kinds=Device&kind=Firmware')).toMatchObject({ count: 0 })
    expect((await client.get('/audit-log?kinds=Device,Jest')).statusCode).toBe(400)
    const other = await givenClient(test)
    expect(await readCounts(other, 'subject=device:pump-5')).toMatchObject({ count: 0 })
  })
})

it('the upgrade finds the subjects of entries that were written before', async ({ skip }) => {
  if (await isOfCitus(test.ctx.pool)) skip('The migration runs before tables are spread')
  const { client } = await givenDecided()
  await client.post('/devices', { id: 'pump-9' })
  const migration = await readFile(
    new URL('../../../migrations/0042-audit-subjects.sql', import.meta.url),
    'utf8',
  )
  const fill = migration.slice(migration.indexOf('-- What past entries say'))
  const list = () =>
    test.ctx.db
      .selectFrom('auditSubjects')
      .select(['entryId', 'subjectType', 'subjectId', 'name'])
      .where('workspaceId', '=', client.workspaceId)
      .execute()
  const written = await list()
  await sql`delete from audit_subjects`.execute(test.ctx.db)
  await sql.raw(fill).execute(test.ctx.db)

  const keyOf = (row: (typeof written)[number]) => JSON.stringify(Object.values(row))
  const filled = (await list()).map(keyOf).toSorted()
  // What a bulk command was about was not written down.
  const known = written.filter(({ subjectType }) => !/^(vulnerability|firmware)/.test(subjectType))
  expect(filled).toEqual(expect.arrayContaining(known.map(keyOf)))
  expect(known.length).toBeGreaterThan(2)
})
