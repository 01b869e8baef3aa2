/** Digests of images, from a registry of our own that speaks as those on the internet do, with their faults. */
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import type { Server } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { readConfig } from '../../server/src/config/config.ts'
import { checkDigests, findImages } from './image-references.ts'
import { REPOSITORY } from './paths.ts'
import { openRegistries } from './registry.ts'

type Handler = (request: IncomingMessage, response: ServerResponse) => void

/** What the registry answers to the next requests for a manifest, before it is well again. */
let faults: Handler[] = []
/** An answer to all requests for a manifest or for a token. */
let manifest: Handler
let token: Handler
/** The tags, and the bodies of their manifests. */
const tags = new Map<string, string>()
const asked: { path: string; authorization: string | undefined }[] = []

const listen = async (server: Server) => {
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const address = server.address()
  return `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`
}
const start = async (handler: Handler) => {
  const server = createServer(handler)
  return { server, url: await listen(server) }
}
const digestOf = (body: string) => `sha256:${createHash('sha256').update(body).digest('hex')}`
const indexOf = (layer: string, architectures = ['amd64', 'arm64']) =>
  JSON.stringify({
    schemaVersion: 2,
    mediaType: 'application/vnd.oci.image.index.v1+json',
    manifests: architectures.map((architecture) => ({
      digest: digestOf(`${layer} ${architecture}`),
      platform: { os: 'linux', architecture },
    })),
  })

/** The address of the registry is written into challenges. */
const challenge = (request: IncomingMessage) =>
  `Bearer realm="http://${request.headers.host}/token",service="registry",scope="repository:library/thing:pull"`
const refuse: Handler = (request, response) => {
  response.writeHead(401, { 'www-authenticate': challenge(request) }).end()
}
const sendManifest: Handler = (request, response) => {
  if (request.headers.authorization !== 'Bearer of-the-day') return refuse(request, response)
  const [, path, tag] = /^\/v2\/(.+)\/manifests\/(.+)$/.exec(request.url ?? '') ?? []
  const body = tags.get(`${path}:${tag}`)
  if (body === undefined) return void response.writeHead(404).end()
  response.writeHead(200, { 'docker-content-digest': digestOf(body) }).end(body)
}
const sendToken: Handler = (request, response) => {
  const { searchParams } = new URL(request.url ?? '', 'http://registry')
  const isAsked = searchParams.get('service') === 'registry' && searchParams.has('scope')
  response.end(JSON.stringify(isAsked ? { token: 'of-the-day' } : {}))
}
const answerManifest =
  (body: string, digest?: string): Handler =>
  (_, response) => {
    response
      .writeHead(200, digest === undefined ? {} : { 'docker-content-digest': digest })
      .end(body)
  }
const answerStatus =
  (status: number, headers: Record<string, string> = {}): Handler =>
  (_, response) => {
    response.writeHead(status, headers).end()
  }
/** Announces all of it, and ends in the middle. */
const breakOff: Handler = (_, response) => {
  const body = indexOf('first')
  response.writeHead(200, { 'content-length': body.length })
  response.write(body.slice(0, 40), () => response.destroy())
}

let registry: Awaited<ReturnType<typeof start>>
let elsewhere: Awaited<ReturnType<typeof start>>
const seenElsewhere: IncomingMessage['headers'][] = []

beforeAll(async () => {
  registry = await start((request, response) => {
    const { url = '', headers } = request
    asked.push({ path: url, authorization: headers.authorization })
    if (url.startsWith('/token')) return token(request, response)
    const handler = faults.shift() ?? manifest
    handler(request, response)
  })
  elsewhere = await start((request, response) => {
    seenElsewhere.push(request.headers)
    response.end(indexOf('first'))
  })
})
beforeEach(() => {
  faults = []
  manifest = sendManifest
  token = sendToken
  asked.length = 0
  tags.clear()
  tags.set('library/thing:1', indexOf('first'))
})
afterAll(() => {
  registry.server.close()
  elsewhere.server.close()
})

async function findDigest(tag = '1', { url = registry.url, caFile = '' } = {}): Promise<string> {
  const http = {
    ...readConfig({}).feeds.http,
    retry: { attempts: 3, baseMs: 1, maxMs: 1_000 },
    caFile: caFile === '' ? undefined : caFile,
  }
  const mirrors = new Map([
    ['docker.io', url],
    ['elsewhere.example.com', elsewhere.url],
    ['tokens.example.com', registry.url],
  ])
  const registries = openRegistries(http, mirrors)
  try {
    return await registries.findDigest({ host: 'docker.io', path: 'library/thing', tag })
  } finally {
    await registries.close()
  }
}

const manifestsAsked = () => asked.filter(({ path }) => path.startsWith('/v2/'))

describe('a registry', () => {
  it('gives a token first, and then the index of all architectures', async () => {
    expect(await findDigest()).toBe(digestOf(indexOf('first')))
    expect(asked.map(({ authorization }) => authorization)).toEqual([
      undefined,
      undefined,
      'Bearer of-the-day',
    ])
  })

  it.each([
    ['a 503', answerStatus(503)],
    ['a 429 that asks to wait', answerStatus(429, { 'retry-after': '0' })],
    ['an answer that breaks off', breakOff],
  ])('is asked again after %s', async (_, fault) => {
    faults = [refuse, fault]

    expect(await findDigest()).toBe(digestOf(indexOf('first')))
  })

  it.each<[string, Handler, RegExp]>([
    [
      'states another digest',
      answerManifest(indexOf('first'), digestOf('other')),
      /states sha256:/,
    ],
    [
      'sends a part of what it states',
      answerManifest(indexOf('first').slice(0, 40), digestOf(indexOf('first'))),
      /states sha256:/,
    ],
    ['sends a part', answerManifest(indexOf('first').slice(0, 40)), /sends no manifest/],
    ['sends a page', answerManifest('<html>Sign in</html>'), /sends no manifest/],
    ['breaks off each time', breakOff, /closed|shorter/],
    ['is down', answerStatus(500), /answered 500/],
    ['sends without end', answerManifest(' '.repeat(5 * 1024 * 1024)), /more than 4194304 bytes/],
    ['has one architecture', answerManifest(indexOf('first', ['amd64'])), /image for linux\/arm64/],
    [
      'has a manifest without architectures',
      answerManifest(JSON.stringify({ schemaVersion: 2, layers: [] })),
      /linux\/amd64 and linux\/arm64/,
    ],
    ['wants a password', answerStatus(401, { 'www-authenticate': 'Basic realm="x"' }), /a login/],
    ['forbids it', answerStatus(403), /wants an account/],
  ])('has no digest when it %s', async (_, fault, message) => {
    manifest = fault

    await expect(findDigest()).rejects.toThrow(message)
  })

  it('has no digest of a tag that is gone', async () => {
    await expect(findDigest('2')).rejects.toThrow(/has no such tag/)
  })

  it('is left alone when it refuses its own token, and when it gives none', async () => {
    manifest = refuse
    await expect(findDigest()).rejects.toThrow(/answers 401: it wants an account/)
    expect(manifestsAsked()).toHaveLength(2)

    token = (_, response) => void response.end('{}')
    await expect(findDigest()).rejects.toThrow(/without a token/)
    expect(manifestsAsked()).toHaveLength(3)
  })

  it('may lead elsewhere, where its token is not sent', async () => {
    faults = [refuse, answerStatus(307, { location: `${elsewhere.url}/manifest` })]

    expect(await findDigest()).toBe(digestOf(indexOf('first')))
    expect(asked.at(-1)?.authorization).toBe('Bearer of-the-day')
    expect(seenElsewhere.at(-1)).not.toHaveProperty('authorization')
  })
})

it('has its tokens by TLS, or it gets no question', async () => {
  const fixture = (name: string) =>
    join(REPOSITORY, 'server/src/platform/http-client/fixtures', name)
  const [cert, key] = ['localhost.pem', 'localhost.key'].map((name) => readFileSync(fixture(name)))
  const secure = createSecureServer({ cert, key }, (_, response) => {
    const realm = `Bearer realm="${registry.url}/token",service="registry"`
    response.writeHead(401, { 'www-authenticate': realm }).end()
  })
  const url = (await listen(secure)).replace('http:', 'https:')

  await expect(findDigest('1', { url, caFile: fixture('authority.pem') })).rejects.toThrow(
    /has its tokens from .*, without TLS/,
  )
  secure.close()
  expect(asked).toEqual([])
})

describe('npm run digests', () => {
  let folder: string
  const FILES = {
    Containerfile:
      'FROM docker.io/library/thing:1 AS build\nFROM build\nFROM docker.io/library/thing:1\n',
    'deploy/compose.yaml':
      "services:\n  plimsoll:\n    image: plimsoll:0.1.0\n  other:\n    image: 'docker.io/library/other:2' # theirs\n",
    'deploy/helm/values.yaml': "image:\n  tag: ''\n",
    'docs/guide/ci.md': '```yaml\n  image: docker.io/library/thing:1\n```\n',
  }
  const readFile = (path: string) => readFileSync(join(folder, path), 'utf8')

  const FIRST = 'Containerfile:1: docker.io/library/thing:1'
  const askRelease = (how: { isSigned: boolean; mayFloat: boolean }) =>
    checkDigests(findImages(folder), how)

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'plimsoll-digests-'))
    for (const [path, content] of Object.entries(FILES)) {
      mkdirSync(dirname(join(folder, path)), { recursive: true })
      writeFileSync(join(folder, path), content)
    }
    return () => rmSync(folder, { recursive: true })
  })

  async function run(...options: string[]) {
    const program = join(REPOSITORY, 'tools/digests.ts')
    const child = spawn(process.execPath, [
      program,
      folder,
      `--mirror=docker.io=${registry.url}`,
      ...options,
    ])
    const [out, errors] = await Promise.all([text(child.stdout), text(child.stderr)])
    if (child.exitCode === null) await once(child, 'exit')
    return { code: child.exitCode, lines: `${out}${errors}`.trim().split('\n') }
  }

  it('writes digests behind tags, and brings them up to date when a tag moves', async () => {
    tags.set('library/other:2', indexOf('other'))
    expect(askRelease({ isSigned: false, mayFloat: false })).toContain(FIRST)
    expect(askRelease({ isSigned: true, mayFloat: true })).toContain(FIRST)
    expect(() => askRelease({ isSigned: true, mayFloat: false })).toThrow(FIRST)
    expect(await run('--check')).toEqual({
      code: 1,
      lines: [
        'Containerfile:1',
        'Containerfile:3',
        'deploy/compose.yaml:5',
        'docs/guide/ci.md:2',
      ].map((place) => expect.stringMatching(new RegExp(`^${place}: .* has no digest$`)) as string),
    })
    expect(asked).toEqual([])

    expect(await run()).toMatchObject({ code: 0 })
    const [thing, other] = [digestOf(indexOf('first')), digestOf(indexOf('other'))]
    expect(readFile('Containerfile')).toBe(
      FILES.Containerfile.replaceAll('thing:1', `thing:1@${thing}`),
    )
    expect(readFile('deploy/compose.yaml')).toBe(
      FILES['deploy/compose.yaml'].replace('other:2', `other:2@${other}`),
    )
    expect(readFile('docs/guide/ci.md')).toContain(`image: docker.io/library/thing:1@${thing}\n`)
    expect(readFile('deploy/helm/values.yaml')).toBe(FILES['deploy/helm/values.yaml'])
    expect(askRelease({ isSigned: true, mayFloat: false })).toBeUndefined()
    expect(await run('--check')).toMatchObject({ code: 0 })

    tags.set('library/other:2', indexOf('newer'))
    const stale = await run('--check')
    expect(stale).toMatchObject({
      code: 1,
      lines: [
        expect.stringContaining('deploy/compose.yaml:5: docker.io/library/other:2 is out of date'),
      ],
    })
    expect(readFile('deploy/compose.yaml')).toContain(other)
    await run()
    expect(readFile('deploy/compose.yaml')).toContain(
      `other:2@${digestOf(indexOf('newer'))}' # theirs`,
    )
  })

  it('ends with 1 when a tag is gone, and writes the digests of the others', async () => {
    const { code, lines } = await run()

    expect(code).toBe(1)
    expect(lines.at(-1)).toMatch(/^docker\.io\/library\/other:2: .* has no such tag\.$/)
    expect(readFile('Containerfile')).toContain(`thing:1@${digestOf(indexOf('first'))}`)
    expect(readFile('deploy/compose.yaml')).toBe(FILES['deploy/compose.yaml'])
  })

  it.each(['postgres:18', 'docker.io/library/postgres', 'docker.io/library/a:1@sha256:0'])(
    'refuses %s, which is no complete name',
    (name) => {
      writeFileSync(join(folder, 'Containerfile'), `# Ours\nFROM ${name}\n`)

      expect(() => findImages(folder)).toThrow(`Containerfile:2: write ${name} in full`)
    },
  )
})
