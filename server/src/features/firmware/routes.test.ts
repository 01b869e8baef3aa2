import { beforeAll, expect, it } from 'vitest'
import { sharedTestApp, type TestApp } from '../../../test/app.ts'
import { type Client, givenClient, givenFirmwareVersion } from '../../../test/given.ts'

let test: TestApp
let client: Client

beforeAll(async () => {
  test = await sharedTestApp()
  client = await givenClient(test)
})

interface NamedFirmware {
  id: string
  name: string
}

it('creates a firmware and its versions', async () => {
  const created = await client.post('/firmwares', { slug: 'gateway', name: 'Gateway' })
  const firmware = created.json<NamedFirmware>()
  const version = await client.post(`/firmwares/${firmware.id}/versions`, { name: '1.2.3' })
  const read = await client.get(`/firmware-versions/${version.json<NamedFirmware>().id}`)
  const listed = await client.get('/firmwares')

  expect(created.statusCode).toBe(201)
  expect(created.json()).toMatchObject({
    slug: 'gateway',
    name: 'Gateway',
    description: null,
    versionCount: 0,
  })
  expect(version.statusCode).toBe(201)
  expect(read.json()).toMatchObject({
    name: '1.2.3',
    sbomCount: 0,
    firmware: { id: firmware.id, slug: 'gateway' },
  })
  const { createdAt: updatedAt } = version.json<{ createdAt: string }>()
  expect(listed.json()).toMatchObject({
    firmwares: [{ slug: 'gateway', versionCount: 1, updatedAt }],
  })
})

it('takes the slug for the name when none is given', async () => {
  const created = await client.post('/firmwares', { slug: 'sensor' })

  expect(created.json()).toMatchObject({ slug: 'sensor', name: 'sensor' })
})

it('answers 409 when the slug or the version name is taken', async () => {
  const firmware = (await client.post('/firmwares', { slug: 'taken' })).json<NamedFirmware>()
  await client.post(`/firmwares/${firmware.id}/versions`, { name: '1' })

  const slug = await client.post('/firmwares', { slug: 'taken' })
  const name = await client.post(`/firmwares/${firmware.id}/versions`, { name: '1' })

  expect(slug.statusCode).toBe(409)
  expect(slug.json()).toMatchObject({ type: '/problems/firmware-slug-taken' })
  expect(name.json()).toMatchObject({ type: '/problems/firmware-version-name-taken', status: 409 })
})

it('lets another workspace use the same slug and never shows it across', async () => {
  const other = await givenClient(test)
  const mine = (await client.post('/firmwares', { slug: 'shared-slug' })).json<NamedFirmware>()

  const theirs = await other.post('/firmwares', { slug: 'shared-slug' })
  const foreign = await other.get(`/firmwares/${mine.id}`)
  const missing = await other.get(`/firmwares/${crypto.randomUUID()}`)

  expect(theirs.statusCode).toBe(201)
  expect(foreign.statusCode).toBe(404)
  expect(missing.statusCode).toBe(404)
  expect((await other.get('/firmwares')).json<{ firmwares: unknown[] }>().firmwares).toHaveLength(1)
})

it.each(['', 'Upper', 'has space', '-leading', 'x'.repeat(101), 'ä'])(
  'refuses the slug %j',
  async (slug) => {
    const response = await client.post('/firmwares', { slug })

    expect(response.statusCode).toBe(400)
    expect(response.json()).toMatchObject({ errors: [{ pointer: '/slug' }] })
  },
)

it('replaces a firmware', async () => {
  const { id } = (await client.post('/firmwares', { slug: 'before' })).json<NamedFirmware>()

  const response = await client.put(`/firmwares/${id}`, {
    slug: 'after',
    name: 'After',
    description: 'Text',
  })

  expect(response.json()).toMatchObject({ id, slug: 'after', name: 'After', description: 'Text' })
})

it('deletes a firmware with its versions', async () => {
  const { id } = (await client.post('/firmwares', { slug: 'doomed' })).json<NamedFirmware>()
  const version = (
    await client.post(`/firmwares/${id}/versions`, { name: '1' })
  ).json<NamedFirmware>()

  const response = await client.delete(`/firmwares/${id}`)

  expect(response.statusCode).toBe(204)
  expect((await client.get(`/firmware-versions/${version.id}`)).statusCode).toBe(404)
})

it('deletes a firmware version once', async () => {
  const id = await givenFirmwareVersion(client)

  const first = await client.delete(`/firmware-versions/${id}`)
  const second = await client.delete(`/firmware-versions/${id}`)

  expect([first.statusCode, second.statusCode]).toEqual([204, 404])
})

it.each(['not-a-uuid', '%00', 'a'.repeat(300)])(
  'answers 404 for the firmware version id %j',
  async (id) => {
    const response = await client.get(`/firmware-versions/${id}`)

    expect(response.statusCode).toBe(404)
    expect(response.headers['content-type']).toBe('application/problem+json')
  },
)

it('writes each change into the audit log', async () => {
  const own = await givenClient(test)
  const { id } = (await own.post('/firmwares', { slug: 'audited' })).json<NamedFirmware>()
  await own.delete(`/firmwares/${id}`)

  const response = await own.get(`/audit-log?resourceId=${id}`)

  expect(
    response.json<{ entries: { action: string }[] }>().entries.map(({ action }) => action),
  ).toEqual(['firmware.delete', 'firmware.create'])
})

it('pages the audit log without gaps and refuses a cursor of another filter', async () => {
  const own = await givenClient(test)
  for (const slug of ['a', 'b', 'c', 'd', 'e']) await own.post('/firmwares', { slug })
  const seen: string[] = []
  let query = '?limit=2'
  let cursor: string | undefined

  do {
    const page = (await own.get(`/audit-log${query}`)).json<{
      entries: { id: string }[]
      nextCursor?: string
      hasMore: boolean
    }>()
    seen.push(...page.entries.map(({ id }) => id))
    cursor = page.nextCursor
    expect(page.hasMore).toBe(cursor !== undefined)
    if (cursor !== undefined) query = `?limit=2&cursor=${encodeURIComponent(cursor)}`
  } while (cursor !== undefined)
  const first = (await own.get('/audit-log?limit=2')).json<{ nextCursor: string }>()
  const foreign = await own.get(
    `/audit-log?limit=2&action=x&cursor=${encodeURIComponent(first.nextCursor)}`,
  )

  // The workspace, its key and five firmwares.
  expect(new Set(seen).size).toBe(7)
  expect(seen).toHaveLength(7)
  expect(foreign.statusCode).toBe(400)
  expect(foreign.json()).toMatchObject({
    type: '/problems/invalid-cursor',
    errors: [{ pointer: '/cursor' }],
  })
})

it.each(['0', '-1', '1000000000', 'x', '1.5', ''])('refuses the limit %j', async (limit) => {
  const response = await client.get(`/audit-log?limit=${limit}`)

  expect(response.statusCode).toBe(400)
  expect(response.json()).toMatchObject({ errors: [{ pointer: '/query/limit' }] })
})

it('deletes what two delete at once, and audits it, once', async () => {
  const { id } = (await client.post('/firmwares', { slug: 'twice' })).json<NamedFirmware>()
  const version = (
    await client.post(`/firmwares/${id}/versions`, { name: '1' })
  ).json<NamedFirmware>()
  const both = async (path: string) => {
    const answers = await Promise.all([client.delete(path), client.delete(path)])
    return answers.map(({ statusCode }) => statusCode).toSorted((a, b) => a - b)
  }

  expect(await both(`/firmware-versions/${version.id}`)).toEqual([204, 404])
  expect(await both(`/firmwares/${id}`)).toEqual([204, 404])
  for (const resourceId of [id, version.id]) {
    const { entries } = (await client.get(`/audit-log?resourceId=${resourceId}`)).json<{
      entries: { action: string }[]
    }>()
    expect(entries.filter(({ action }) => action.endsWith('.delete'))).toHaveLength(1)
  }
})

it('answers 201 or 404 to a version that is made while its firmware is deleted', async () => {
  for (let round = 0; round < 10; round += 1) {
    const { id } = (
      await client.post('/firmwares', { slug: `going-${round}` })
    ).json<NamedFirmware>()

    const [created, deleted] = await Promise.all([
      client.post(`/firmwares/${id}/versions`, { name: '1' }),
      client.delete(`/firmwares/${id}`),
    ])

    expect([201, 404]).toContain(created.statusCode)
    expect(deleted.statusCode).toBe(204)
  }
})
