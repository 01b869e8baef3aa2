/** Requests nobody sends by mistake: each has its problem, none is a fault on our side. */
import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { sharedTestApp, type TestApp } from '../../../test/app.ts'
import { type Client, givenClient, givenFirmwareVersion, upload } from '../../../test/given.ts'
import { PROBLEMS } from '../../api.ts'

let test: TestApp
let client: Client
let firmwareVersionId: string

beforeAll(async () => {
  test = await sharedTestApp()
  client = await givenClient(test)
  firmwareVersionId = await givenFirmwareVersion(client)
})

describe('texts the database cannot hold', () => {
  it.each([
    ['a name with U+0000', '/firmwares', '{"slug":"a","name":"a\\u0000b"}', '/name'],
    ['a name with half a pair', '/firmwares', '{"slug":"a","name":"a\\ud800b"}', '/name'],
    [
      'a filter with U+0000',
      '/firmware-versions/VERSION/vulnerability-findings/list',
      '{"filter":{"name":[{"contains":"a"},{"contains":"\\u0000"}]}}',
      '/filter/name/1/contains',
    ],
    [
      'a component with U+0000',
      '/firmware-versions/VERSION/vulnerability-findings/list',
      '{"filter":{"components":[{"vendor":"\\u0000"}]}}',
      '/filter/components/0/vendor',
    ],
  ])('refuses %s', async (_name, path, payload, pointer) => {
    const response = await test.app.inject({
      method: 'POST',
      url: `/workspaces/${client.workspaceId}${path.replace('VERSION', firmwareVersionId)}`,
      headers: { authorization: `Bearer ${client.apiKey}`, 'content-type': 'application/json' },
      payload,
    })

    expect(response.statusCode).toBe(400)
    expect(response.json()).toMatchObject({
      type: '/problems/invalid-request',
      errors: [{ pointer }],
    })
  })

  it('refuses them in a query, too', async () => {
    const response = await client.get('/audit-log?actor=%00')

    expect(response.statusCode).toBe(400)
    expect(response.json()).toMatchObject({ errors: [{ pointer: '/query/actor' }] })
  })

  it('takes them in an id for a name of nothing', async () => {
    expect((await client.get('/sboms/%00/content')).statusCode).toBe(404)
    expect((await client.get('/vulnerability-findings/%00')).statusCode).toBe(404)
    expect((await client.get('/vulnerabilities/CVE-%00')).statusCode).toBe(404)
    expect((await client.get('/vulnerabilities/CVE-%00/fixes')).statusCode).toBe(404)
  })

  it('cuts a long file name between characters', async () => {
    const name = `${'a'.repeat(254)}😀.json`

    const response = await upload(test, client, {
      firmwareVersionId,
      files: [{ name, bytes: '{"a":1}' }],
    })

    expect(response.statusCode).toBe(202)
    const { sboms } = (await client.get(`/firmware-versions/${firmwareVersionId}/sboms`)).json<{
      sboms: { fileName: string }[]
    }>()
    expect(sboms.map(({ fileName }) => fileName)).toContain(`${'a'.repeat(254)}😀`)
  })
})

it('refuses a time with a leap second, which it cannot compare with', async () => {
  const response = await client.get('/audit-log?from=2016-12-31T23:59:60Z')

  expect(response.statusCode).toBe(400)
  expect(response.json()).toMatchObject({ errors: [{ pointer: '/query/from' }] })
})

it('serves a file that was uploaded under another spelling of the workspace id', async () => {
  const headers = { authorization: `Bearer ${client.apiKey}` }
  const uploaded = await test.app.inject({
    method: 'POST',
    url: `/workspaces/${client.workspaceId.toUpperCase()}/firmware-versions/${firmwareVersionId}/sboms`,
    headers: { ...headers, 'content-type': 'application/octet-stream' },
    payload: 'these bytes',
  })
  const id = uploaded.json<{ sboms: { id: string }[] }>().sboms[0]?.id ?? ''
  const link = (await client.get(`/sboms/${id}/content`)).json<{ contentSasLink: string }>()
  const { pathname, search } = new URL(link.contentSasLink)

  const content = await test.app.inject({ url: pathname + search })

  expect([content.statusCode, content.body]).toEqual([200, 'these bytes'])
})

it('says of the description that it is JSON', async () => {
  const response = await test.app.inject({ url: '/openapi.json' })

  expect(response.headers['content-type']).toBe('application/json; charset=utf-8')
})

const SOURCES = resolve(import.meta.dirname, '../..')
/** Said to operators at a terminal only. */
const OF_COMMANDS =
  /^(?:backup-(?:damaged|not-found|refused)$|bundle-altered$|embedded-database|import-path-not-found$|implausible-(?:snapshot|withdrawal)$|internal$|other-encryption-key$)/

function slugsThrown(): Map<string, string> {
  const files = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' }).filter(
    (name) => name.endsWith('.ts') && !name.endsWith('.test.ts'),
  )
  const slugs = new Map<string, string>()
  for (const file of files) {
    const text = readFileSync(join(SOURCES, file), 'utf8')
    for (const [, slug = ''] of text.matchAll(
      /(?:new AppError\(\s*'\w+',|refuseUndone\(\w+,|\brefuse\()\s*'([^']+)'/g,
    ))
      slugs.set(slug, file)
    // Those of RFC 8628 come from a table.
    for (const [, refusals = ''] of text.matchAll(/type Refusal = (.+)/g))
      for (const [, slug = ''] of refusals.matchAll(/'([^']+)'/g)) slugs.set(slug, file)
    for (const [, what = ''] of text.matchAll(/notFound\(\s*'([^']+)'/g))
      slugs.set(`${what.replaceAll(' ', '-').toLowerCase()}-not-found`, file)
  }
  return slugs
}

it('explains every problem the code can answer with, and no other', () => {
  const thrown = [...slugsThrown().keys()].filter((slug) => !OF_COMMANDS.test(slug))
  // Quotas take theirs from a table.
  const explained = Object.keys(PROBLEMS).filter((slug) => !slug.startsWith('quota-'))

  expect(thrown.length).toBeGreaterThan(20)
  expect(thrown.toSorted()).toEqual(explained.toSorted())
})
