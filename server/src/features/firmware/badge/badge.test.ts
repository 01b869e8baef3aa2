/** The badge of a firmware version, through the API. */
import { beforeAll, expect, it } from 'vitest'
import { sharedTestApp, type TestApp } from '../../../../test/app.ts'
import { type Client, givenClient, givenFirmwareVersion } from '../../../../test/given.ts'
import { drawBadge } from './svg.ts'

let test: TestApp
let client: Client
beforeAll(async () => {
  test = await sharedTestApp()
  client = await givenClient(test)
})

const linkOf = async (id: string) => {
  const { url } = (await client.get(`/firmware-versions/${id}/badge`)).json<{ url: string }>()
  const { pathname, search } = new URL(url)
  return { pathname, search }
}

it('shows name and mark to whoever has its address', async () => {
  const id = await givenFirmwareVersion(client)
  const { pathname, search } = await linkOf(id)

  const badge = await test.app.inject({ url: pathname + search })

  expect([badge.statusCode, badge.headers['content-type']]).toEqual([
    200,
    'image/svg+xml; charset=utf-8',
  ])
  expect(badge.body).toMatch(/ 1\.0\.0: Unknown: no SBOM/)
})

it('opens nothing else with its token', async () => {
  const [id, other] = [await givenFirmwareVersion(client), await givenFirmwareVersion(client)]
  const { pathname, search } = await linkOf(id)
  const stranger = await givenClient(test)
  const open = async (url: string) => (await test.app.inject({ url })).statusCode

  expect(await open(pathname.replace(id, other) + search)).toBe(404)
  expect(await open(pathname.replace(client.workspaceId, stranger.workspaceId) + search)).toBe(404)
  expect(await open(`${pathname}?token=x`)).toBe(404)
  expect(await open(pathname)).toBe(400)
  expect(await open(pathname.replace('/badge.svg', '') + search)).toBe(401)
  expect((await stranger.get(`/firmware-versions/${id}/badge`)).statusCode).toBe(404)
})

it('is gone with its version', async () => {
  const id = await givenFirmwareVersion(client)
  const { pathname, search } = await linkOf(id)
  await client.delete(`/firmware-versions/${id}`)

  expect((await test.app.inject({ url: pathname + search })).statusCode).toBe(404)
})

it.each(['Clear', 'ToDecide', 'Overloaded', 'Unknown'] as const)(
  'is well-formed and harmless as %s, whatever the names',
  (state) => {
    const name = `<script>alert("1")</script>\u202E\uD800 & '${'x'.repeat(10_000)}`

    const svg = drawBadge(name, { state, sentence: `${state}: 1 <b>` })

    expect(svg).not.toMatch(/<script|<b>|\u202E|\uD800/)
    expect(svg.length).toBeLessThan(3_000)
    expect(svg.match(/<(\w+)[^>]*[^/]>/g)?.length).toBe(svg.match(/<\/\w+>/g)?.length)
  },
)
