import { existsSync, mkdtempSync, readFileSync, statSync } from 'node:fs'
import { createServer, type IncomingHttpHeaders, type RequestListener } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type FeedServer, startFeedServer } from '../../../test/feed-server.ts'
import type { Lookup } from './dispatchers.ts'
import {
  createHttpClient,
  download,
  type HttpClient,
  type HttpSettings,
  parseAllowedHost,
  readAllowedHost,
} from './index.ts'

let server: FeedServer
let to: string
const clients: HttpClient[] = []
const content = Buffer.from('0123456789'.repeat(20_000))
const { signal } = new AbortController()

beforeAll(async () => {
  server = await startFeedServer()
})
beforeEach(() => {
  server.heal()
  server.requests.length = 0
  server.put('/feed.json', content)
  to = join(mkdtempSync(join(tmpdir(), 'plimsoll-download-')), 'feed.json')
})
afterAll(async () => {
  for (const client of clients) await client.close()
  await server.close()
})

const allow = (...urls: string[]) => urls.map((url) => readAllowedHost(new URL(url)))

function givenClient(settings: Partial<HttpSettings> = {}): HttpClient {
  const client = createHttpClient({
    caFile: undefined,
    proxies: { http: undefined, https: undefined, none: [] },
    connectMs: 2_000,
    idleMs: 300,
    totalMs: 20_000,
    maxBytes: 10_000_000,
    retry: { attempts: 3, baseMs: 1, maxMs: 1_500 },
    allowedHosts: allow(server.url),
    allowedBy: 'THE_SETTING',
    ...settings,
  })
  clients.push(client)
  return client
}

const fetchFeed = (settings: Partial<HttpSettings> = {}, known = {}) =>
  download(givenClient(settings), { url: `${server.url}/feed.json`, to, known, signal })

const hasRead = (bytes: number) => existsSync(`${to}.part`) && statSync(`${to}.part`).size >= bytes

const statuses = () => server.requests.map(({ status }) => status)

describe('a download', () => {
  it('brings the file once, and nothing as long as it is the same', async () => {
    const first = await fetchFeed()
    const second = await fetchFeed({}, first)

    expect(first).toMatchObject({ isNew: true, bytes: content.length })
    expect(readFileSync(to).equals(content)).toBe(true)
    expect(second).toEqual({ isNew: false })
    expect(statuses()).toEqual([200, 304])
  })

  it.each(['truncate', 'stall'] as const)(
    'goes on where it broke off when the server has a %s',
    async (kind) => {
      server.fault('/feed.json', { kind, after: 50_000, times: 2, hasRead })

      // A busy machine may need longer than usual for the first byte.
      await fetchFeed({ idleMs: 1_000 })

      expect(readFileSync(to).equals(content)).toBe(true)
      expect(server.requests.map(({ range }) => range)).toEqual([
        undefined,
        'bytes=50000-',
        'bytes=100000-',
      ])
    },
  )

  it('goes on after its process died', async () => {
    server.fault('/feed.json', { kind: 'truncate', after: 50_000, times: 1, hasRead })
    const url = `${server.url}/feed.json`
    const stopped = new AbortController()
    const onProgress = (bytes: number) => {
      if (bytes === 50_000) stopped.abort()
    }
    const dying = download(givenClient(), { url, to, signal: stopped.signal, onProgress })
    await expect(dying).rejects.toThrow('aborted')

    await fetchFeed()

    expect(server.requests.map(({ range }) => range)).toEqual([undefined, 'bytes=50000-'])
    expect(readFileSync(to).equals(content)).toBe(true)
  })

  it('starts anew when the content became another meanwhile', async () => {
    server.fault('/feed.json', { kind: 'truncate', after: 50_000, times: 1, hasRead })
    const changed = Buffer.from('abc'.repeat(40_000))
    const client = givenClient()
    const onProgress = (bytes: number) => {
      if (bytes === 50_000) server.put('/feed.json', changed)
    }

    await download(client, { url: `${server.url}/feed.json`, to, signal, onProgress })

    expect(readFileSync(to).equals(changed)).toBe(true)
  })

  it('is tried again as late as the server asks', async () => {
    server.fault('/feed.json', { kind: 'status', status: 429, retryAfter: '1', times: 1 })
    const startedAt = Date.now()

    await fetchFeed()

    expect(statuses()).toEqual([429, 200])
    expect(Date.now() - startedAt).toBeGreaterThanOrEqual(990)
  })

  it('is given up for now when the server asks for more patience than there is', async () => {
    server.fault('/feed.json', { kind: 'status', status: 503, retryAfter: '3600' })

    await expect(fetchFeed()).rejects.toThrow('answered 503')
    expect(statuses()).toEqual([503])
  })

  it('is given up after attempts in a row that brought nothing', async () => {
    server.fault('/feed.json', { kind: 'status', status: 500 })

    await expect(fetchFeed()).rejects.toThrow('answered 500')
    expect(statuses()).toEqual([500, 500, 500])
  })

  it('of what does not exist is not repeated', async () => {
    server.remove('/feed.json')

    await expect(fetchFeed()).rejects.toThrow('answered 404')
    expect(statuses()).toEqual([404])
  })

  it('is cut off at the size limit, announced or not', async () => {
    await expect(fetchFeed({ maxBytes: 100_000 })).rejects.toThrow('more than 100000 bytes')
  })

  it('ends at the limit on its whole time', async () => {
    server.fault('/feed.json', { kind: 'stall', after: 0 })

    await expect(
      fetchFeed({ idleMs: 10_000, totalMs: 200, retry: { attempts: 99, baseMs: 1, maxMs: 10 } }),
    ).rejects.toThrow('took longer')
  })
})

describe('redirects', () => {
  it('are followed a few times', async () => {
    server.fault('/old.json', { kind: 'redirect', to: '/feed.json' })
    const asked = { url: `${server.url}/old.json`, to, signal }

    expect(await download(givenClient(), asked)).toMatchObject({ isNew: true })
  })

  it('in a circle end', async () => {
    server.fault('/feed.json', { kind: 'redirect', to: '/feed.json' })

    await expect(fetchFeed()).rejects.toThrow('redirects more than 5 times')
  })
})

/** Answers with the next address each time, the last one from then on. */
function givenLookup(...addresses: string[]) {
  const asked: string[] = []
  const lookup: Lookup = (hostname, _options, callback) => {
    const address = addresses[Math.min(asked.push(hostname), addresses.length) - 1] ?? ''
    callback(null, [{ address, family: address.includes(':') ? 6 : 4 }])
  }
  return { lookup, asked }
}

const REFUSED =
  /^\S+ has no public address; only hosts that THE_SETTING names may have a private one\.$/

describe('a host of this network', () => {
  it.each`
    target
    ${'http://127.0.0.1:9/x'}
    ${'http://127.1/x'}
    ${'http://2130706433/x'}
    ${'http://0x7f000001/x'}
    ${'http://0177.0.0.1/x'}
    ${'http://127.0.0.1./x'}
    ${'http://0.0.0.0/x'}
    ${'http://[::1]:9/x'}
    ${'http://[::ffff:127.0.0.1]/x'}
    ${'http://[::ffff:a9fe:a9fe]/x'}
    ${'http://[fd00::8]/x'}
    ${'http://[fe80::1]/x'}
    ${'http://10.1.2.3/x'}
    ${'http://172.16.0.1/x'}
    ${'http://192.168.0.1/x'}
    ${'http://100.64.0.1/x'}
    ${'http://169.254.169.254/latest/meta-data'}
    ${'https://169.254.169.254/latest/meta-data'}
    ${'http://localhost:9/x'}
  `('is refused at once, and after a redirect: $target', async ({ target }: { target: string }) => {
    server.fault('/feed.json', { kind: 'redirect', to: target })

    const atOnce = download(givenClient(), { url: target, to, signal })
    await expect(atOnce).rejects.toThrow(REFUSED)
    await expect(fetchFeed()).rejects.toThrow(REFUSED)
  })

  it.each(['127.0.0.1', '::1', '::ffff:10.0.0.1', '169.254.169.254', 'fd00::1', '100.64.1.1'])(
    'is refused behind a name, also through a proxy: %s',
    async (address) => {
      const { lookup } = givenLookup(address)
      const proxies = { http: server.url, https: server.url, none: [] }
      const asked = { url: 'http://feeds.example/x', to, signal }

      await expect(download(givenClient({ lookup }), asked)).rejects.toThrow(REFUSED)
      await expect(download(givenClient({ lookup, proxies }), asked)).rejects.toThrow(REFUSED)
      expect(server.requests).toEqual([])
    },
  )

  it('is not reached by a name that leads to it later', async () => {
    const { lookup, asked } = givenLookup('127.0.0.1', '10.0.0.1')
    const near = parseAllowedHost('127.0.0.1')
    const client = givenClient({ lookup, allowedHosts: near ? [near] : [] })
    const url = `${server.url.replace('127.0.0.1', 'feeds.example')}/feed.json`

    await download(client, { url, to, signal })
    const lookedUp = [...asked]
    const later = download(client, { url: 'http://feeds.example:9/x', to: `${to}2`, signal })

    await expect(later).rejects.toThrow(REFUSED)
    expect(lookedUp).toEqual(['feeds.example'])
  })

  it.each(['file:///etc/passwd', 'ftp://127.0.0.1/x', 'data:,x'])(
    'is asked by no other protocol: %s',
    async (target) => {
      server.fault('/feed.json', { kind: 'redirect', to: target })

      await expect(fetchFeed()).rejects.toThrow('is not an address that starts with http')
    },
  )
})

it('goes through the proxy, but not for what is exempt', async () => {
  const asked: string[] = []
  const proxy = createServer((request, response) => {
    asked.push(request.url ?? '')
    response.end('by proxy')
  })
  proxy.listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  const address = proxy.address()
  const port = typeof address === 'object' && address ? address.port : 0
  const proxies = { http: `http://127.0.0.1:${port}`, https: undefined, none: ['127.0.0.1'] }
  const client = givenClient({ proxies, retry: { attempts: 1, baseMs: 1, maxMs: 1 } })

  await download(client, { url: `${server.url}/feed.json`, to, signal })
  await download(client, { url: 'http://feeds.example/x', to: `${to}2`, signal })

  expect(server.requests).toHaveLength(1)
  expect(asked).toEqual(['http://feeds.example/x'])
  expect(readFileSync(`${to}2`, 'utf8')).toBe('by proxy')
  proxy.close()
})

const fixture = (name: string) => join(import.meta.dirname, 'fixtures', name)

async function startSecureServer(listener: RequestListener) {
  const secure = createSecureServer(
    { cert: readFileSync(fixture('localhost.pem')), key: readFileSync(fixture('localhost.key')) },
    listener,
  )
  secure.listen(0, '127.0.0.1')
  await once(secure, 'listening')
  const address = secure.address()
  const port = typeof address === 'object' && address ? address.port : 0
  return { url: `https://127.0.0.1:${port}`, close: () => secure.close() }
}

it('trusts an internal authority where its certificate is given, and nobody it does not know', async () => {
  const secure = await startSecureServer((_request, response) => response.end('from within'))
  const asked = { url: `${secure.url}/feed.json`, to, signal }

  const unknown = download(givenClient({ allowedHosts: allow(secure.url) }), asked)
  await expect(unknown).rejects.toThrow(/certificate/)
  const allowedHosts = allow(secure.url)
  await download(givenClient({ allowedHosts, caFile: fixture('authority.pem') }), asked)

  expect(readFileSync(to, 'utf8')).toBe('from within')
  secure.close()
})

it('never goes from https to http, not even to a mirror', async () => {
  const secure = await startSecureServer((_request, response) =>
    response.writeHead(302, { location: `${server.url}/feed.json` }).end(),
  )
  const client = givenClient({
    allowedHosts: allow(secure.url, server.url),
    caFile: fixture('authority.pem'),
  })

  const asked = client.get(`${secure.url}/feed.json`, { apiKey: 'secret' }, signal)

  await expect(asked).rejects.toThrow('redirects from https to http')
  expect(server.requests).toEqual([])
  secure.close()
})

it('gives credentials to the origin they are for alone', async () => {
  const heard: IncomingHttpHeaders[] = []
  const secure = await startSecureServer((request, response) => {
    heard.push(request.headers)
    response.end()
  })
  const allowedHosts = allow(secure.url, server.url)
  const client = givenClient({ allowedHosts, caFile: fixture('authority.pem') })
  server.fault('/old.json', { kind: 'redirect', to: '/feed.json' })
  server.fault('/feed.json', { kind: 'redirect', to: `${secure.url}/x` })
  const headers = { apiKey: 'secret', Authorization: 'Bearer secret', 'if-none-match': '"1"' }

  await (await client.get(`${server.url}/old.json`, headers, signal)).discard()

  expect(server.requests.map((one) => [one.path, one.headers['apikey']])).toEqual([
    ['/old.json', 'secret'],
    ['/feed.json', 'secret'],
  ])
  expect(heard).toHaveLength(1)
  expect(heard[0]).toMatchObject({ 'if-none-match': '"1"' })
  expect(heard[0]).not.toHaveProperty('apikey')
  expect(heard[0]).not.toHaveProperty('authorization')
  secure.close()
})
