import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { LookupAddress } from 'node:dns'
import { createServer } from 'node:net'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { setImmediate } from 'node:timers/promises'
import { startWebhookServer, type WebhookServer } from '../../../test/webhook-server.ts'
import { asking } from '../asking.ts'
import { type AllowedHost, parseAllowedHost } from './allowed-hosts.ts'
import type { Lookup } from './dispatchers.ts'
import { limitLookups } from './limit-lookups.ts'
import { createPostClient, type PostClient, type PostSettings } from './post-client.ts'

let server: WebhookServer
const closers: (() => Promise<void>)[] = []
const { signal } = new AbortController()
const MESSAGE = { headers: { 'content-type': 'application/json' }, body: '{"said":"ü"}' }

beforeAll(async () => {
  server = await startWebhookServer()
})
beforeEach(() => {
  server.behave({ kind: 'answer', status: 204 })
  server.requests.length = 0
})
afterAll(async () => {
  for (const close of closers) await close()
  await server.close()
})

function givenClient(allowed: string[] = [], settings: Partial<PostSettings> = {}): PostClient {
  const client = createPostClient({
    caFile: undefined,
    proxies: { http: undefined, https: undefined, none: [] },
    connectMs: 2_000,
    totalMs: 20_000,
    allowedHosts: allowed.map((entry) => parseAllowedHost(entry) as AllowedHost),
    allowedBy: 'THE_SETTING',
    ...settings,
  })
  closers.push(() => client.close())
  return client
}

/** Says its port, then that a message arrived, and answers it a little later. */
const ANSWERING = `
import { createServer } from 'node:http'
const server = createServer((request, response) => {
  request.resume().on('end', () => {
    process.stdout.write('arrived\\n')
    setTimeout(() => response.end('taken'), 200)
  })
})
server.listen(0, '127.0.0.1', () => process.stdout.write(server.address().port + '\\n'))
`

const near = (settings: Partial<PostSettings> = {}) => givenClient(['127.0.0.1'], settings)

/** Answers with the next addresses each time, the last ones from then on. */
function givenLookup(...answers: string[][]): Lookup {
  let asked = 0
  return (_hostname, _options, callback) => {
    const addresses = answers[Math.min(asked++, answers.length - 1)] ?? []
    callback(
      null,
      addresses.map((address): LookupAddress => ({
        address,
        family: address.includes(':') ? 6 : 4,
      })),
    )
  }
}

const nowhere: Lookup = (hostname, _options, callback) => {
  callback(Object.assign(new Error(`ENOTFOUND ${hostname}`), { code: 'ENOTFOUND' }), [])
}

describe('a message', () => {
  it('arrives as it was written, and the answer comes back', async () => {
    server.behave({ kind: 'answer', status: 500, headers: { 'retry-after': '7' }, body: 'later' })

    const posted = await near().post(`${server.url}/in?x=1`, MESSAGE, signal)

    expect(posted).toMatchObject({ status: 500, headers: { 'retry-after': '7' }, text: 'later' })
    expect(server.requests).toMatchObject([
      { method: 'POST', path: '/in?x=1', body: MESSAGE.body, headers: MESSAGE.headers },
    ])
  })

  it('does not follow a redirect', async () => {
    server.behave({ kind: 'answer', status: 307, headers: { location: `${server.url}/other` } })

    const posted = await near().post(server.url, MESSAGE, signal)

    expect(posted.status).toBe(307)
    expect(server.requests).toHaveLength(1)
  })

  it.each(['hang', 'drip-head'] as const)('ends in time when the server does: %s', async (kind) => {
    server.behave({ kind })

    const posting = near({ totalMs: 300 }).post(server.url, MESSAGE, signal)

    await expect(posting).rejects.toThrow(`127.0.0.1:${server.port} took longer than 0.3 s.`)
  })

  it.each`
    when                      | stoppedMs
    ${'it waits'}             | ${1_000}
    ${'nothing has left yet'} | ${2_000}
  `(
    'is answered though the process was stopped for longer than its time when $when',
    async ({ when, stoppedMs }: { when: string; stoppedMs: number }) => {
      // In a process of its own, as it answers while this one does nothing.
      const child = spawn(process.execPath, ['--input-type=module', '--eval', ANSWERING])
      const port = String(await once(child.stdout, 'data').then(([line]) => line as Buffer)).trim()
      const posting = near({ totalMs: 400 }).post(`http://127.0.0.1:${port}/`, MESSAGE, signal)
      if (when === 'it waits') await once(child.stdout, 'data')

      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, stoppedMs)

      expect(await posting).toMatchObject({ status: 200, text: 'taken' })
      child.kill()
    },
  )

  it('ends in time when the body drips; the status stands', async () => {
    server.behave({ kind: 'drip-body' })

    const { status, text } = await near({ totalMs: 300 }).post(server.url, MESSAGE, signal)

    expect(status).toBe(200)
    expect(text).toMatch(/^a+$/)
  })

  it('reads no more of an answer without end than it keeps', async () => {
    server.behave({ kind: 'flood' })

    const { status, text } = await near().post(server.url, MESSAGE, signal)

    expect(status).toBe(200)
    expect(text).toHaveLength(4096)
  })

  it('fails in words when the connection is closed or refused, or no name is found', async () => {
    server.behave({ kind: 'close' })
    const closed = near().post(server.url, MESSAGE, signal)
    await expect(closed).rejects.toThrow('the connection was closed')

    const refused = near().post('http://127.0.0.1:1/', MESSAGE, signal)
    await expect(refused).rejects.toThrow('the connection was refused')

    const unknown = givenClient([], { lookup: nowhere }).post(
      'https://gone.example',
      MESSAGE,
      signal,
    )
    await expect(unknown).rejects.toThrow('the name does not exist')
  })

  it('fails when no TLS is spoken within the time to connect', async () => {
    const silent = createServer(() => undefined).listen(0, '127.0.0.1')
    await once(silent, 'listening')
    const address = silent.address()
    const port = typeof address === 'object' && address ? address.port : 0

    const posting = near({ connectMs: 200 }).post(`https://127.0.0.1:${port}`, MESSAGE, signal)

    await expect(posting).rejects.toThrow('no connection within the time limit')
    silent.close()
  })

  it('stops when it is told to', async () => {
    server.behave({ kind: 'hang' })
    const stopping = new AbortController()
    const posting = near().post(server.url, MESSAGE, stopping.signal)

    stopping.abort(new Error('stopped'))

    await expect(posting).rejects.toThrow('stopped')
  })
})

describe('an address that is not public', () => {
  it.each`
    url
    ${'https://127.0.0.1/'}
    ${'https://127.1/'}
    ${'https://2130706433/'}
    ${'https://0177.0.0.1/'}
    ${'https://0x7f.0.0.1/'}
    ${'https://127.0.0.1./'}
    ${'https://10.1.2.3/'}
    ${'https://192.168.0.1:8443/'}
    ${'https://169.254.169.254/latest/meta-data'}
    ${'https://0.0.0.0/'}
    ${'https://[::1]/'}
    ${'https://[::ffff:127.0.0.1]/'}
    ${'https://[::ffff:7f00:1]/'}
    ${'https://[fd00::1]/'}
    ${'https://localhost/'}
    ${'https://LocalHost/'}
  `('is refused at once and when something is posted: $url', async ({ url }: { url: string }) => {
    const client = givenClient()

    const refusal = await client.refusalOf(url)

    expect(refusal).toMatch(/has no public address; only hosts that THE_SETTING names may/)
    await expect(client.post(url, MESSAGE, signal)).rejects.toThrow('has no public address')
  })

  it('is refused behind a name, also as one of several', async () => {
    for (const addresses of [['10.0.0.1'], ['93.184.216.34', 'fd00::1']]) {
      const client = givenClient([], { lookup: givenLookup(addresses) })

      expect(await client.refusalOf('https://hooks.example')).toBe(
        'hooks.example has no public address; only hosts that THE_SETTING names may have a private one.',
      )
      const posting = client.post('https://hooks.example', MESSAGE, signal)
      await expect(posting).rejects.toThrow('hooks.example has no public address')
    }
  })

  it('is refused when a name leads to it later', async () => {
    const lookup = givenLookup(['93.184.216.34'], ['127.0.0.1'])
    const client = givenClient([], { lookup })
    const url = `https://hooks.example:${server.port}`

    expect(await client.refusalOf(url)).toBeUndefined()
    await expect(client.post(url, MESSAGE, signal)).rejects.toThrow(
      'hooks.example has no public address',
    )
  })

  it('is not asked of a proxy either', async () => {
    const proxies = { http: server.url, https: server.url, none: [] }
    const url = 'https://hooks.example'
    const client = givenClient([], { proxies, lookup: givenLookup(['10.0.0.1']) })

    await expect(client.post(url, MESSAGE, signal)).rejects.toThrow(
      'hooks.example has no public address',
    )
  })
})

describe('hosts the operator allows', () => {
  it.each`
    allowed              | url                            | address        | isAllowed
    ${'hooks.corp'}      | ${'https://hooks.corp'}        | ${'10.1.2.3'}  | ${true}
    ${'hooks.corp'}      | ${'http://hooks.corp:8080'}    | ${'10.1.2.3'}  | ${true}
    ${'HOOKS.corp'}      | ${'http://Hooks.Corp'}         | ${'10.1.2.3'}  | ${true}
    ${'hooks.corp:8443'} | ${'https://hooks.corp:8443'}   | ${'10.1.2.3'}  | ${true}
    ${'hooks.corp:8443'} | ${'https://hooks.corp'}        | ${'10.1.2.3'}  | ${false}
    ${'hooks.corp:443'}  | ${'https://hooks.corp'}        | ${'10.1.2.3'}  | ${true}
    ${'hooks.corp'}      | ${'https://a.hooks.corp'}      | ${'10.1.2.3'}  | ${false}
    ${'hooks.corp'}      | ${'https://evilhooks.corp'}    | ${'10.1.2.3'}  | ${false}
    ${'10.0.0.0/8'}      | ${'https://chat.corp'}         | ${'10.1.2.3'}  | ${true}
    ${'10.0.0.0/8'}      | ${'http://chat.corp'}          | ${'10.1.2.3'}  | ${true}
    ${'10.0.0.0/8'}      | ${'https://chat.corp'}         | ${'11.0.0.1'}  | ${true}
    ${'10.0.0.0/8'}      | ${'http://chat.corp'}          | ${'11.0.0.1'}  | ${false}
    ${'10.0.0.0/8'}      | ${'https://chat.corp'}         | ${'127.0.0.1'} | ${false}
    ${'10.1.2.3'}        | ${'https://10.1.2.3'}          | ${'-'}         | ${true}
    ${'10.1.2.3'}        | ${'https://[::ffff:10.1.2.3]'} | ${'-'}         | ${true}
    ${'10.1.2.3'}        | ${'https://10.1.2.4'}          | ${'-'}         | ${false}
    ${'10.1.2.3:80'}     | ${'http://10.1.2.3'}           | ${'-'}         | ${true}
    ${'10.1.2.3:80'}     | ${'http://10.1.2.3:81'}        | ${'-'}         | ${false}
    ${'[fd00::1]:8080'}  | ${'http://[fd00::1]:8080'}     | ${'-'}         | ${true}
    ${'fd00::/8'}        | ${'https://[fd12::1]'}         | ${'-'}         | ${true}
    ${'nothing.else'}    | ${'http://example.com'}        | ${'1.1.1.1'}   | ${false}
  `(
    '$allowed: $url at $address is allowed: $isAllowed',
    async (row: { allowed: string; url: string; address: string; isAllowed: boolean }) => {
      const client = givenClient([row.allowed], { lookup: givenLookup([row.address]) })

      expect((await client.refusalOf(row.url)) === undefined).toBe(row.isAllowed)
    },
  )

  it('are said to need https when they are public', async () => {
    const client = givenClient([], { lookup: givenLookup(['1.1.1.1']) })

    expect(await client.refusalOf('http://hooks.example')).toBe(
      'hooks.example needs https: only hosts that THE_SETTING names are reached without.',
    )
  })

  it('are taken when nobody can tell where they are', async () => {
    const silent = givenClient([], { connectMs: 50, lookup: () => undefined })

    expect(await givenClient([], { lookup: nowhere }).refusalOf('https://a.b')).toBeUndefined()
    expect(await silent.refusalOf('https://a.b')).toBeUndefined()
  })
})

it('workspaces take turns at lookups, so that name servers that never answer hold up their own only', async () => {
  const started: string[] = []
  const ends: (() => void)[] = []
  const limits = { all: 2, each: 1, waitMs: 60_000 }
  const limited = limitLookups((hostname, _options, callback) => {
    started.push(hostname)
    ends.push(() => callback(null, []))
  }, limits)
  const lookUp = (workspaceId: string, name: string) =>
    asking.run({ workspaceId }, () => limited(name, { all: true }, () => undefined))

  for (const name of ['a', 'b', 'c']) lookUp('many', name)
  lookUp('one', 'mine')
  await setImmediate()
  const atFirst = [...started]
  ends[0]?.()
  await setImmediate()

  expect(atFirst).toEqual(['a', 'mine'])
  expect(started).toEqual(['a', 'mine', 'b'])
})

it('a failure does not tell the address of a host that is named', async () => {
  for (const address of ['10.1.2.3:443', '[fd00::1:2]:443', 'fd00::7']) {
    const unreachable = Object.assign(new Error(`connect EHOSTUNREACH ${address} - Local`), {
      code: 'EHOSTUNREACH',
    })
    const client = givenClient([], { lookup: (_host, _options, done) => done(unreachable, []) })
    const posting = client.post('https://inside.example', MESSAGE, signal)

    await expect(posting).rejects.toThrow('inside.example: connect EHOSTUNREACH (address) - Local')
  }
})
