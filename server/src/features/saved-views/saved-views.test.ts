/** Views that people keep for themselves and for each other, through the API. */
import { beforeAll, expect, it } from 'vitest'
import { sharedTestApp, type TestApp } from '../../../test/app.ts'
import { type Browser, givenMember, openBrowser } from '../../../test/given-people.ts'
import { type Client, givenClient } from '../../../test/given.ts'

let test: TestApp
let client: Client
let ann: Member
let ben: Member
let viewer: Member
type Member = Awaited<ReturnType<typeof givenMember>>

beforeAll(async () => {
  test = await sharedTestApp()
  client = await givenClient(test)
  ann = await givenMember(test, client.workspaceId, 'Engineer')
  ben = await givenMember(test, client.workspaceId, 'Engineer')
  viewer = await givenMember(test, client.workspaceId, 'Viewer')
})

interface View {
  id: string
  name: string
  isYours: boolean
}

const path = (more = '') => `/workspaces/${client.workspaceId}/saved-views${more}`
const view = (name: string, more: object = {}) => ({
  list: 'findings',
  name,
  search: '?severity=High',
  isShared: false,
  ...more,
})
const save = async (browser: Browser, body: object) =>
  (await browser.post(path(), body)).json<View>()
const names = async (browser: Browser, more = '?list=findings') =>
  (await browser.get(path(more))).json<{ savedViews: View[] }>().savedViews.map(({ name }) => name)

it('are of whoever saved them, until they are shared', async () => {
  const own = await save(ann.browser, view('own'))
  const shared = await save(ann.browser, view('shared', { isShared: true }))
  await save(ann.browser, view('elsewhere', { list: 'devices' }))

  expect([own.isYours, shared.isYours]).toEqual([true, true])
  expect(await names(ann.browser)).toEqual(['own', 'shared'])
  expect(await names(ann.browser, '')).toEqual(['elsewhere', 'own', 'shared'])
  expect(await names(ben.browser)).toEqual(['shared'])
  const ofKey = await client.get('/saved-views')
  expect(ofKey.json()).toMatchObject({ savedViews: [{ name: 'shared', isYours: false }] })
  expect((await ben.browser.delete(path(`/${own.id}`))).statusCode).toBe(404)
  expect((await ben.browser.put(path(`/${shared.id}`), changed)).json()).toMatchObject({
    name: 'better',
    isYours: false,
  })
  expect((await ann.browser.delete(path(`/${own.id}`))).statusCode).toBe(204)
  expect((await ben.browser.delete(path(`/${shared.id}`))).statusCode).toBe(204)
  const log = await client.get('/audit-log?resourceType=saved-view')
  expect(log.json<{ entries: { action: string }[] }>().entries.map(({ action }) => action)).toEqual(
    ['saved-view.delete', 'saved-view.update', 'saved-view.create'],
  )
})
const changed = { name: 'better', search: '', isShared: true }

it('are kept by viewers for themselves, and shared by nobody without the scope', async () => {
  const { id } = await save(viewer.browser, view('mine'))

  const shared = { ...changed, name: 'mine' }
  expect((await viewer.browser.put(path(`/${id}`), shared)).statusCode).toBe(403)
  expect((await viewer.browser.post(path(), view('x', { isShared: true }))).statusCode).toBe(403)
  expect((await client.post('/saved-views', view('of a key'))).statusCode).toBe(403)
  expect(await names(viewer.browser)).toEqual(['mine'])
})

it('have one name each', async () => {
  await save(ben.browser, view('one'))
  const { id } = await save(ben.browser, view('two'))

  expect((await ben.browser.post(path(), view('one'))).json()).toMatchObject({
    status: 409,
    type: '/problems/saved-view-exists',
  })
  const renamed = { ...changed, name: 'one', isShared: false }
  expect((await ben.browser.put(path(`/${id}`), renamed)).statusCode).toBe(409)
  const same = await ben.browser.put(path(`/${id}`), { ...renamed, name: 'two' })
  expect(same.statusCode).toBe(200)
  expect((await ben.browser.post(path(), view('one', { list: 'devices' }))).statusCode).toBe(201)
})

it('are neither written over nor deleted once somebody else changed them', async () => {
  const { id } = await save(ann.browser, view('ours', { isShared: true }))
  const own = await save(ann.browser, view('hers'))
  const read = await ann.browser.get(path(`/${id}`))
  const still = openBrowser(test, {
    ...ann.browser.headers,
    'if-match': String(read.headers.etag),
  })
  await ben.browser.put(path(`/${id}`), { ...changed, name: 'theirs' })

  const late = [
    await still.put(path(`/${id}`), { ...changed, name: 'mine' }),
    await still.delete(path(`/${id}`)),
  ]

  for (const answer of late)
    expect(answer.json()).toMatchObject({ status: 412, type: '/problems/changed-meanwhile' })
  const now = await ann.browser.get(path(`/${id}`))
  expect(now.json()).toMatchObject({ name: 'theirs', isYours: true })
  const fresh = openBrowser(test, { ...ann.browser.headers, 'if-match': String(now.headers.etag) })
  // What a GET answers a PUT takes.
  const back = await fresh.put(path(`/${id}`), now.json<object>())
  expect(back.headers.etag).toBe(now.headers.etag)
  expect((await fresh.delete(path(`/${id}`))).statusCode).toBe(204)
  expect((await ben.browser.get(path(`/${own.id}`))).statusCode).toBe(404)
  expect((await client.get(`/saved-views/${own.id}`)).statusCode).toBe(404)
  await ann.browser.delete(path(`/${own.id}`))
})

it.each([
  { search: 'https://example.com' },
  { search: `?${'x'.repeat(2_000)}` },
  { list: 'passwords' },
  { name: ' ' },
])('refuse %j', async (more) => {
  expect((await ann.browser.post(path(), view('bad', more))).statusCode).toBe(400)
})

it('stay where they were shared when their owner leaves, and are seen by no other workspace', async () => {
  const leaving = await givenMember(test, client.workspaceId, 'Engineer')
  await save(leaving.browser, view('kept', { isShared: true }))
  await save(leaving.browser, view('private'))
  const stranger = await givenMember(test, (await givenClient(test)).workspaceId)
  await client.delete(`/members/${leaving.id}`)

  const listed = await client.get('/saved-views')
  expect(listed.json()).toMatchObject({ savedViews: [{ name: 'kept', ownerName: null }] })
  const rows = await test.ctx.db
    .selectFrom('savedViews')
    .select('name')
    .where('personId', '=', leaving.id)
    .execute()
  expect(rows).toEqual([{ name: 'kept' }])
  expect((await stranger.browser.get(path())).statusCode).toBe(404)
})
