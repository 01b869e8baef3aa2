/** Product lines through the API. */
import { beforeAll, expect, it } from 'vitest'
import { sharedTestApp, type TestApp } from '../../../test/app.ts'
import { givenMember } from '../../../test/given-people.ts'
import { type Client, givenClient } from '../../../test/given.ts'

let test: TestApp
let client: Client

beforeAll(async () => {
  test = await sharedTestApp()
  client = await givenClient(test)
})

interface Line {
  id: string
  name: string
  firmwareIds: string[]
}

const unique = (word: string) => `${word} ${crypto.randomUUID().slice(0, 8)}`
const line = (more: object = {}) => ({ name: unique('Line'), manufacturer: 'Acme GmbH', ...more })
const create = async (body: object) => (await client.post('/product-lines', body)).json<Line>()
const givenFirmware = async () => {
  const slug = `fw-${crypto.randomUUID()}`
  return (await client.post('/firmwares', { slug })).json<{ id: string }>().id
}

it('answers what was written, with defaults that claim nothing', async () => {
  const { id } = await create(line({ memberStates: ['FR', 'DE'], supportEndsIn: '2031-12' }))

  expect((await client.get(`/product-lines/${id}`)).json()).toMatchObject({
    memberStates: ['DE', 'FR'],
    supportEndsIn: '2031-12',
    coordinatorState: null,
    expectedUseYears: null,
    productClass: 'Default',
    role: 'Manufacturer',
    timeZone: 'UTC',
  })
})

it('has each firmware in one line at most, and lists the firmware in none', async () => {
  const firmwareId = await givenFirmware()
  const without = async () =>
    (await client.get('/product-lines'))
      .json<{ firmwaresWithoutLine: { id: string }[] }>()
      .firmwaresWithoutLine.map(({ id }) => id)
  expect(await without()).toContain(firmwareId)
  const first = await create(line({ firmwareIds: [firmwareId] }))
  const second = await create(line())

  const taken = await client.patch(`/product-lines/${second.id}`, { firmwareIds: [firmwareId] })
  expect(taken.json()).toMatchObject({ status: 409, type: '/problems/firmware-in-other-line' })
  expect(taken.json<{ detail: string }>().detail).toContain(first.name)
  expect(await without()).not.toContain(firmwareId)

  await client.patch(`/product-lines/${first.id}`, { firmwareIds: [] })
  const moved = await client.patch(`/product-lines/${second.id}`, { firmwareIds: [firmwareId] })
  expect(moved.json()).toMatchObject({ firmwareIds: [firmwareId] })
  await client.delete(`/firmwares/${firmwareId}`)
  expect((await client.get(`/product-lines/${second.id}`)).json()).toMatchObject({ firmwares: [] })
})

it('refuses names that are taken, in whatever letters', async () => {
  const { name } = await create(line())
  const again = await client.post('/product-lines', line({ name: name.toUpperCase() }))
  expect(again.json()).toMatchObject({ status: 409, type: '/problems/product-line-name-taken' })
})

it('keeps the change of somebody else from being overwritten', async () => {
  const { id } = await create(line())
  const path = `/workspaces/${client.workspaceId}/product-lines/${id}`
  const headers = { authorization: `Bearer ${client.apiKey}` }
  const tag = String((await test.app.inject({ url: path, headers })).headers['etag'])
  await client.patch(`/product-lines/${id}`, { contact: 'psirt@acme.example' })

  const late = await test.app.inject({
    method: 'PATCH',
    url: path,
    headers: { ...headers, 'if-match': tag, 'content-type': 'application/json' },
    payload: { contact: 'nobody@acme.example' },
  })
  expect(late.statusCode).toBe(412)
})

it.each`
  body                                      | pointer
  ${{ timeZone: 'Europe/Atlantis' }}        | ${'/timeZone'}
  ${{ memberStates: ['US'] }}               | ${'/memberStates/0'}
  ${{ memberStates: ['DE', 'DE'] }}         | ${'/memberStates'}
  ${{ supportEndsIn: '2031-13' }}           | ${'/supportEndsIn'}
  ${{ firstPlacedOn: '2026-02-30' }}        | ${'/firstPlacedOn'}
  ${{ manufacturer: 'Acme\u202e' }}         | ${'/manufacturer'}
  ${{ firmwareIds: [crypto.randomUUID()] }} | ${'/firmwareIds/0'}
`('refuses $body, and names $pointer', async ({ body, pointer }) => {
  const response = await client.post('/product-lines', line(body as object))
  expect(response.statusCode).toBe(400)
  expect(response.json<{ errors: { pointer: string }[] }>().errors[0]?.pointer).toBe(pointer)
})

it('lets engineers change lines and viewers read them, and is of its workspace alone', async () => {
  const { id } = await create(line())
  const path = `/workspaces/${client.workspaceId}/product-lines/${id}`
  const engineer = await givenMember(test, client.workspaceId, 'Engineer')
  const viewer = await givenMember(test, client.workspaceId, 'Viewer')
  const stranger = await givenClient(test)

  expect((await engineer.browser.patch(path, { contact: 'Vera' })).statusCode).toBe(200)
  expect((await viewer.browser.get(path)).statusCode).toBe(200)
  expect((await viewer.browser.patch(path, { contact: 'x' })).statusCode).toBe(403)
  expect((await stranger.get(`/product-lines/${id}`)).statusCode).toBe(404)
  expect((await client.delete(`/product-lines/${id}`)).statusCode).toBe(204)
  const log = await client.get(`/audit-log?resourceType=product-line&resourceId=${id}`)
  expect(log.json<{ entries: { action: string }[] }>().entries.map(({ action }) => action)).toEqual(
    ['product-line.delete', 'product-line.update', 'product-line.create'],
  )
})
