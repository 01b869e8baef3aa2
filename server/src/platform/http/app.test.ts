import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { get } from 'node:https'
import { connect, type Socket } from 'node:net'
import { once } from 'node:events'
import { Type } from 'typebox'
import { Validator } from '@seriousme/openapi-schema-validator'
import { beforeAll, describe, expect, it } from 'vitest'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { startTestApp, type TestApp } from '../../../test/app.ts'
import { buildApi, PROBLEMS } from '../../api.ts'
import { type Config, ROLES } from '../../config/config.ts'
import { createLog } from '../log.ts'
import { type App, createApp } from './app.ts'
import { OneOf, Saying, Shape } from './schemas.ts'

let test: TestApp
let port: number
let documented: Promise<App>

beforeAll(async () => {
  test = await startTestApp()
  documented = buildApi(test.ctx, { roles: ROLES, doors: test.doors })
  await test.app.listen({ host: '127.0.0.1', port: 0 })
  const address = test.app.server.address()
  port = typeof address === 'object' && address ? address.port : 0
})

async function raw(text: string): Promise<string> {
  const socket = connect(port, '127.0.0.1')
  socket.end(text)
  let answer = ''
  socket.on('data', (chunk) => {
    answer += chunk.toString()
  })
  await once(socket, 'close')
  return answer
}

it('answers unknown routes with a problem', async () => {
  const response = await test.app.inject({ url: '/nothing/here?secret=1' })

  expect(response.statusCode).toBe(404)
  expect(response.json()).toEqual({
    type: '/problems/route-not-found',
    title: 'Not Found',
    status: 404,
    detail: 'Nothing answers GET /nothing/here. GET /openapi.json lists what does.',
    instance: '/nothing/here',
  })
})

it('answers a malformed path with a problem', async () => {
  const answer = await raw('GET /%zz HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n')

  expect(answer).toMatch(/^HTTP\/1\.1 400 /)
  expect(answer).toContain('application/problem+json')
})

it('answers what is not HTTP with a problem', async () => {
  const answer = await raw('NONSENSE\r\n\r\n')

  expect(answer).toMatch(/^HTTP\/1\.1 400 /)
  expect(answer).toContain('"type":"/problems/malformed-request"')
})

it.each([
  ['no host', 'x: y'],
  ['two hosts', 'host: a\r\nHost: b'],
  ['an encoding that nobody knows', 'host: a\r\ntransfer-encoding: xchunked'],
  ['a length beside an encoding', 'host: a\r\ncontent-length: 4\r\ntransfer-encoding: chunked'],
  ['two lengths', 'host: a\r\ncontent-length: 4\r\ncontent-length: 5'],
])('refuses %s, and ends the connection', async (_name, headers) => {
  const answer = await raw(`GET /openapi.json HTTP/1.1\r\n${headers}\r\n\r\n`)

  expect(answer).toMatch(/^HTTP\/1\.1 400 /)
  expect(answer).toContain('"type":"/problems/malformed-request"')
  expect(answer).toContain('x-content-type-options: nosniff\r\n')
  expect(answer).toContain('connection: close\r\n')
})

it('sends nothing back that came with TRACE', async () => {
  const answer = await raw(
    'TRACE /openapi.json HTTP/1.1\r\nhost: a\r\nconnection: close\r\nx: canary\r\n\r\n',
  )

  expect(answer).toMatch(/^HTTP\/1\.1 4/)
  expect(answer).not.toContain('canary')
})

it('takes a request that expects something else than to continue', async () => {
  const answer = await raw('GET /openapi.json HTTP/1.1\r\nhost: a\r\nexpect: x\r\n\r\n')

  expect(answer).toMatch(/^HTTP\/1\.1 200 /)
})

it('refuses a body over the limit with 413', async () => {
  const { workspaceId, apiKey } = await test.givenWorkspace()

  const response = await test.app.inject({
    method: 'PUT',
    url: `/workspaces/${workspaceId}/settings`,
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    payload: JSON.stringify({ name: 'x'.repeat(2_000_000) }),
  })

  expect(response.statusCode).toBe(413)
  expect(response.json()).toMatchObject({ type: '/problems/body-too-large' })
})

it('refuses another media type with 415', async () => {
  const { workspaceId, apiKey } = await test.givenWorkspace()

  const response = await test.app.inject({
    method: 'PUT',
    url: `/workspaces/${workspaceId}/settings`,
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'text/xml' },
    payload: '<a/>',
  })

  expect(response.statusCode).toBe(415)
})

it('gives every answer a request id', async () => {
  const response = await test.app.inject({ url: '/openapi.json' })

  expect(response.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/)
})

it('logs each request under the id of its answer', async () => {
  const lines: string[] = []
  const log = createLog('info', { write: (line) => lines.push(line) })
  const logging = await buildApi({ ...test.ctx, log }, { roles: ROLES, doors: test.doors })

  const found = await logging.inject({ url: '/openapi.json?secret=1' })
  const refused = await logging.inject({ url: '/whoami' })
  await logging.close()

  const [ofFound, ofRefused] = [found, refused].map(({ headers }) => headers['x-request-id'])
  expect(lines.map((line) => JSON.parse(line) as unknown)).toMatchObject([
    { msg: 'request', reqId: ofFound, path: '/openapi.json', status: 200 },
    { msg: 'request refused', reqId: ofRefused, problem: 'unauthorized' },
    { msg: 'request', reqId: ofRefused, path: '/whoami', status: 401 },
  ])
})

it.each`
  requestLog                          | actor    | address
  ${{ actor: true, address: false }}  | ${true}  | ${false}
  ${{ actor: false, address: true }}  | ${false} | ${true}
  ${{ actor: true, address: true }}   | ${true}  | ${true}
  ${{ actor: false, address: false }} | ${false} | ${false}
`(
  'logs who asked if told so: actor $actor, address $address',
  async ({ requestLog, actor, address }) => {
    const lines: Record<string, unknown>[] = []
    const write = (line: string) => lines.push(JSON.parse(line) as Record<string, unknown>)
    const ctx = {
      ...test.ctx,
      log: createLog('info', { write }),
      config: { ...test.ctx.config, requestLog: requestLog as Config['requestLog'] },
    }
    const logging = await buildApi(ctx, { roles: ROLES, doors: test.doors })
    const { apiKey } = await test.givenWorkspace()

    await logging.inject({ url: '/whoami', headers: { authorization: `Bearer ${apiKey}` } })
    await logging.close()

    const [line] = lines
    expect(line).toMatchObject({ msg: 'request', path: '/whoami', status: 200 })
    expect([line?.['actorType'], typeof line?.['actorId']]).toEqual(
      actor === true ? ['ApiKey', 'string'] : [undefined, 'undefined'],
    )
    expect(line?.['address']).toBe(address === true ? '127.0.0.1' : undefined)
    expect(JSON.stringify(line)).not.toContain('@')
  },
)

describe('the headers for browsers', () => {
  const POLICY =
    "default-src 'self'; img-src 'self' data:; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"

  it.each`
    url                          | status
    ${'/docs'}                   | ${200}
    ${'/docs/static/index.css'}  | ${200}
    ${'/docs/static/none.css'}   | ${404}
    ${'/openapi.json'}           | ${200}
    ${'/'}                       | ${302}
    ${'/nowhere'}                | ${404}
    ${'/whoami'}                 | ${401}
    ${'/%zz'}                    | ${400}
    ${'/workspaces/x/settings'}  | ${401}
    ${'/x/controller/v1/device'} | ${401}
  `('stand on $status of $url', async ({ url, status }: { url: string; status: number }) => {
    const app = await documented

    const { statusCode, headers } = await app.inject({ url })

    expect(statusCode).toBe(status)
    expect(headers).toMatchObject({
      'content-security-policy': POLICY,
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'same-origin',
      'cache-control': url.startsWith('/docs/static/index') ? 'public, max-age=0' : 'no-store',
    })
    expect(headers).not.toHaveProperty('strict-transport-security')
  })

  it('stand on the answer to what is not HTTP', async () => {
    const answer = await raw('NONSENSE\r\n\r\n')

    expect(answer).toContain(`content-security-policy: ${POLICY}\r\n`)
    expect(answer).toContain('x-content-type-options: nosniff\r\n')
  })

  it.each([
    '/setup',
    '/problems/invalid-request',
    '/notifications/confirm',
    '/workspaces/a/incidents/b',
  ])('allow the styles of the page %s by their hash alone', async (url) => {
    const { headers, body } = await test.app.inject({ url })

    const [, style = ''] = /<style>([^]*?)<\/style>/.exec(body) ?? []
    const hash = createHash('sha256').update(style).digest('base64')
    const policy = String(headers['content-security-policy'])
    expect(policy).toContain(`style-src 'self' 'sha256-${hash}'`)
    expect(policy).toContain("frame-ancestors 'none'")
    expect(policy).not.toContain('unsafe')
    expect(headers['referrer-policy']).toBe('no-referrer')
  })

  it('ask browsers to stay with https where the public URL is', async () => {
    const told = async (coversSubdomains: boolean) => {
      const publicUrl = 'https://plimsoll.example.com'
      const config = { ...test.ctx.config, publicUrl, coversSubdomains }
      const app = await buildApi({ ...test.ctx, config }, { roles: ROLES, doors: test.doors })
      const { headers } = await app.inject({ url: '/whoami' })
      await app.close()
      return headers['strict-transport-security']
    }

    expect(await told(false)).toBe('max-age=31536000')
    expect(await told(true)).toBe('max-age=31536000; includeSubDomains')
  })
})

it('lets nobody keep answers with data of a workspace', async () => {
  const { workspaceId, apiKey } = await test.givenWorkspace()
  const headers = { authorization: `Bearer ${apiKey}` }
  const url = `/workspaces/${workspaceId}`

  for (const path of ['/firmwares', '/devices', '/settings', '/findings/export', '/nowhere']) {
    const answer = await test.app.inject({ url: url + path, headers })
    expect([path, answer.headers['cache-control']]).toEqual([path, 'no-store'])
  }
})

it('serves the description and the documentation without a key', async () => {
  const description = await test.app.inject({ url: '/openapi.json' })
  const docs = await (await documented).inject({ url: '/docs' })

  expect(description.json()).toMatchObject({ openapi: '3.1.0', info: { title: 'Plimsoll' } })
  expect(docs.statusCode).toBe(200)
})

it('writes a schema with a name once, and what a place says of it beside its name', async () => {
  const Colour = OneOf('Colour', ['red', 'blue'])
  const Lamp = Shape('Lamp', { colour: Saying(Colour, { description: 'At night' }) })
  const app = await describedApp({ 200: Type.Array(Lamp), 201: Lamp })

  expect(app.swagger()).toMatchObject({
    paths: {
      '/lamps': {
        get: {
          responses: {
            200: { content: json({ type: 'array', items: { $ref: '#/components/schemas/Lamp' } }) },
            201: { content: json({ $ref: '#/components/schemas/Lamp' }) },
          },
        },
      },
    },
    components: {
      schemas: {
        Colour: { enum: ['red', 'blue'] },
        Lamp: {
          properties: {
            colour: { $ref: '#/components/schemas/Colour', description: 'At night' },
          },
        },
      },
    },
  })
})

it('refuses one name for two schemas', async () => {
  const app = await describedApp({
    200: Shape('Lamp', { colour: Type.String() }),
    201: Shape('Lamp', { watts: Type.Integer() }),
  })

  expect(() => app.swagger()).toThrow('Two schemas have the name Lamp')
})

const json = (schema: object) => ({ 'application/json': { schema } })

async function describedApp(response: object): Promise<App> {
  const options = { log: test.ctx.log, version: '1', showsDocs: false, trustedProxies: [] }
  const app = await createApp({ ...test.ctx.config, ...options })
  app.get('/lamps', { schema: { response } }, () => ({}))
  await app.ready()
  return app
}

it('gives a name to each object of three members or more that it has twice', () => {
  const { paths, components } = JSON.parse(JSON.stringify(test.app.swagger())) as {
    paths: object
    components: { schemas: Record<string, object> }
  }
  // The device protocol is described apart, in asyncapi.json, and knows no names.
  const { DeviceSync: _, ...schemas } = components.schemas
  const seen = new Map<string, number>()
  const count = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return
    const { type, properties } = node as { type?: unknown; properties?: object }
    const text = JSON.stringify(node)
    if (type === 'object' && Object.keys(properties ?? {}).length >= 3)
      seen.set(text, (seen.get(text) ?? 0) + 1)
    for (const inner of Object.values(node)) count(inner)
  }
  count(paths)
  count(schemas)

  expect([...seen].filter(([, times]) => times > 1)).toEqual([])
})

interface Operation {
  operationId?: string
  summary?: string
  requestBody?: { content?: Record<string, { schema?: object }> }
}

/** As a client reads them. */
function describedOperations<Shape>(): Shape[] {
  const { paths } = JSON.parse(JSON.stringify(test.app.swagger())) as {
    paths: Record<string, Record<string, Shape>>
  }
  return Object.values(paths).flatMap((methods) => Object.values(methods))
}

it('gives every operation an id, a summary and JSON schemas that compile', () => {
  const { components } = test.app.swagger() as { components: object }
  const ajv = new Ajv2020({ strict: false, logger: false })
  const operations = describedOperations<Operation>()
  const ids = operations.map(({ operationId = '' }) => operationId)
  const bodies = operations.flatMap(({ requestBody }) => Object.values(requestBody?.content ?? {}))
  for (const { schema } of bodies) if (schema) ajv.compile({ ...schema, components })

  expect(operations.filter(({ summary }) => !summary)).toEqual([])
  expect(ids).not.toContain('')
  expect(new Set(ids).size).toBe(ids.length)
})

it('describes the API as an independent validator accepts it', async () => {
  const described = JSON.parse(JSON.stringify(test.app.swagger())) as Record<string, unknown>

  const { valid, errors } = await new Validator().validate(described)

  expect([valid, errors]).toEqual([true, undefined])
})

it('explains every problem type on a page', async () => {
  for (const slug of Object.keys(PROBLEMS)) {
    const response = await test.app.inject({ url: `/problems/${slug}` })

    expect([slug, response.statusCode]).toEqual([slug, 200])
  }
  expect((await test.app.inject({ url: '/problems/__proto__' })).statusCode).toBe(404)
})

it('refuses a body with __proto__', async () => {
  const { workspaceId, apiKey } = await test.givenWorkspace()

  const response = await test.app.inject({
    method: 'POST',
    url: `/workspaces/${workspaceId}/firmwares`,
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    payload: '{"slug":"x","__proto__":{"admin":true}}',
  })

  expect(response.statusCode).toBe(400)
})

it('answers 503 to what arrives on an open connection while it is closing', async () => {
  const own = await startTestApp()
  await own.app.listen({ host: '127.0.0.1', port: 0 })
  const address = own.app.server.address()
  const accepted = once(own.app.server, 'connection') as Promise<[Socket]>
  const socket = connect(typeof address === 'object' && address ? address.port : 0, '127.0.0.1')
  let answer = ''
  socket.on('data', (chunk) => {
    answer += chunk.toString()
  })
  socket.write('GET /openapi.json HTTP/1.1\r\nhost: x\r\n')
  const [served] = await accepted
  await expect.poll(() => served.bytesRead).toBeGreaterThan(0)
  const closing = own.app.close()
  await expect.poll(() => own.app.server.listening).toBe(false)

  socket.write('\r\n')
  await once(socket, 'close')
  await closing

  expect(answer).toMatch(/^HTTP\/1\.1 503 /)
  expect(answer).toContain('"type":"/problems/shutting-down"')
})

it('answers 404 to files outside of the folder of /docs', async () => {
  const app = await buildApi(test.ctx, { roles: ROLES, doors: test.doors })
  await app.listen({ host: '127.0.0.1', port: 0 })
  const address = app.server.address()
  const at = typeof address === 'object' && address ? address.port : 0
  const ask = async (path: string) => {
    const socket = connect(at, '127.0.0.1')
    socket.end(`GET ${path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`)
    let answer = ''
    for await (const chunk of socket) answer += String(chunk)
    return answer.split('\r\n')[0]
  }

  for (const path of [
    '/docs/static/../..',
    '/docs/static/../../package.json',
    '/docs/static/%2e%2e/x',
  ])
    expect([path, await ask(path)]).toEqual([path, 'HTTP/1.1 404 Not Found'])
  await app.close()
})

it('says in the description what the service checks beyond schemas', () => {
  const text = JSON.stringify(test.app.swagger())

  expect(text.includes('"oneOf":[{"required":["findingIds"]},{"required":["filter"]}]')).toBe(true)
  expect(text.includes('"says"')).toBe(false)
})

it('describes what every operation answers, and when its body is refused', () => {
  interface Described {
    operationId: string
    requestBody?: object
    parameters?: object[]
    responses: Record<string, { description: string }>
  }
  const operations = describedOperations<Described>()

  for (const { operationId, requestBody, parameters, responses } of operations) {
    const words = Object.values(responses).map(({ description }) => description)
    expect([operationId, words.includes('Default Response')]).toEqual([operationId, false])
    expect(Object.keys(responses)).toEqual(
      expect.arrayContaining([
        '401',
        '403',
        '429',
        '431',
        '500',
        '503',
        ...((requestBody ?? parameters) ? ['400'] : []),
        ...(requestBody ? ['413', '415'] : []),
      ]),
    )
  }
})

it('speaks HTTPS with a certificate, and no HTTP beside it', async () => {
  const fixture = (name: string) =>
    readFileSync(new URL(`../http-client/fixtures/${name}`, import.meta.url), 'utf8')
  const pair = { certificate: fixture('localhost.pem'), key: fixture('localhost.key') }
  const config = { ...test.ctx.config, tls: { ...pair, files: undefined } }
  const app = await buildApi({ ...test.ctx, config }, { roles: ROLES, doors: test.doors })
  await app.listen({ host: '127.0.0.1', port: 0 })
  const address = app.server.address()
  const at = `localhost:${typeof address === 'object' && address ? address.port : 0}`
  const ca = fixture('authority.pem')

  const [answer] = (await once(get(`https://${at}/whoami`, { ca }), 'response')) as [
    IncomingMessage,
  ]
  const plain = await fetch(`http://${at}/whoami`).then(String, String)
  answer.resume()
  await app.close()

  expect(answer.statusCode).toBe(401)
  expect(plain).toContain('fetch failed')
})

it('believes the address that a trusted proxy states, and nobody else’s', async () => {
  const addressOf = async (trustedProxies: string[] | number) => {
    const options = { log: test.ctx.log, version: '1', showsDocs: false }
    const app = await createApp({ ...test.ctx.config, ...options, trustedProxies })
    app.get('/ip', ({ ip }) => ({ ip }))
    const response = await app.inject({
      url: '/ip',
      headers: { 'x-forwarded-for': '6.6.6.6, 7.7.7.7' },
    })
    return response.json<{ ip: string }>().ip
  }

  expect(await addressOf([])).toBe('127.0.0.1')
  expect(await addressOf(['10.0.0.0/8'])).toBe('127.0.0.1')
  expect(await addressOf(['loopback'])).toBe('7.7.7.7')
  // What a client forges stands before what the proxies add.
  expect(await addressOf(1)).toBe('7.7.7.7')
  expect(await addressOf(2)).toBe('6.6.6.6')
})
