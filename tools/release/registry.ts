/**
 * Asks registries for the digests of tags, without an account.
 * https://github.com/opencontainers/distribution-spec/blob/main/spec.md and https://distribution.github.io/distribution/spec/auth/token/
 */
import { createHash } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  createHttpClient,
  download,
  type HttpClient,
  HttpFailure,
  type HttpSettings,
  readAllowedHost,
} from '../../server/src/platform/http-client/index.ts'
import type { ImageName } from './image-references.ts'

/** The specification asks registries to take manifests of this size. */
const MOST_BYTES = 4 * 1024 * 1024
/** In the names of images, Docker Hub has another host than its registry. */
const REGISTRIES: Readonly<Record<string, string>> = { 'docker.io': 'registry-1.docker.io' }
const INDEX_TYPES = [
  'application/vnd.oci.image.index.v1+json',
  'application/vnd.docker.distribution.manifest.list.v2+json',
]
const MANIFEST_TYPES = [
  'application/vnd.oci.image.manifest.v1+json',
  'application/vnd.docker.distribution.manifest.v2+json',
]
/** What the Containerfile is built for. */
const PLATFORMS = ['linux/amd64', 'linux/arm64']

export interface Registries {
  /** Throws an HttpFailure, which says why there is none. */
  findDigest: (image: ImageName) => Promise<string>
  close: () => Promise<void>
}

/** Mirrors answer in place of the hosts in names; they alone may have private addresses. */
export function openRegistries(
  http: HttpSettings,
  mirrors: ReadonlyMap<string, string> = new Map(),
): Registries {
  const allowedHosts = [...mirrors.values()].map((url) => readAllowedHost(new URL(url)))
  const client = createHttpClient({
    ...http,
    maxBytes: MOST_BYTES,
    allowedHosts,
    allowedBy: '--mirror',
  })
  return {
    findDigest: async (image) => {
      const base = mirrors.get(image.host) ?? `https://${REGISTRIES[image.host] ?? image.host}`
      return verifyManifest(await fetchManifest(client, base, image), image)
    },
    close: () => client.close(),
  }
}

interface Answer {
  body: Buffer
  headers: Record<string, string>
}

/** The body is read, not its HEAD asked for: only a body shows whether the stated digest is its own. */
async function fetchManifest(client: HttpClient, base: string, image: ImageName): Promise<Answer> {
  const url = `${base.replace(/\/$/, '')}/v2/${image.path}/manifests/${image.tag}`
  const headers = { accept: [...INDEX_TYPES, ...MANIFEST_TYPES].join(', ') }
  try {
    return await fetchFile(client, url, headers).catch(async (error: unknown) => {
      if (!(error instanceof HttpFailure) || error.status !== 401) throw error
      const token = await fetchToken(client, { challenge: error.challenge ?? '', url, image })
      return fetchFile(client, url, { ...headers, authorization: `Bearer ${token}` })
    })
  } catch (error) {
    if (!(error instanceof HttpFailure)) throw error
    if (error.status === 404) throw new HttpFailure(`${base} has no such tag.`, { cause: error })
    if (error.status !== 401 && error.status !== 403) throw error
    throw new HttpFailure(
      `${base} answers ${error.status}: it wants an account, or has no such image.`,
    )
  }
}

interface Challenge {
  challenge: string
  url: string
  image: ImageName
}

async function fetchToken(client: HttpClient, challenge: Challenge): Promise<string> {
  const place = readTokenPlace(challenge)
  const { body } = await fetchFile(client, place.href, {})
  const answer = parseObject(body)
  const token = answer?.['token'] ?? answer?.['access_token']
  if (typeof token === 'string' && token !== '') return token
  throw new HttpFailure(`${place.host} answers without a token.`)
}

function readTokenPlace({ challenge, url, image }: Challenge): URL {
  const { host, protocol } = new URL(url)
  const [, values = ''] = /^bearer\s+(.*)$/i.exec(challenge) ?? []
  const { realm, service, scope } = Object.fromEntries(
    [...values.matchAll(/(\w+)="([^"]*)"/g)].map(([, name = '', value]) => [name, value]),
  )
  const place = URL.parse(realm ?? '')
  if (!place) throw new HttpFailure(`${host} asks for a login, and names nobody who gives tokens.`)
  if (protocol === 'https:' && place.protocol !== 'https:')
    throw new HttpFailure(`${host} has its tokens from ${place.host}, without TLS.`)
  if (service !== undefined) place.searchParams.set('service', service)
  place.searchParams.set('scope', scope ?? `repository:${image.path}:pull`)
  return place
}

async function fetchFile(
  client: HttpClient,
  url: string,
  headers: Record<string, string>,
): Promise<Answer> {
  const folder = mkdtempSync(join(tmpdir(), 'plimsoll-manifest-'))
  const to = join(folder, 'answer')
  const { signal } = new AbortController()
  let received: Record<string, string> = {}
  const onHeaders = (given: Record<string, string>) => {
    received = given
  }
  try {
    await download(client, { url, to, headers, signal, onHeaders })
    return { body: readFileSync(to), headers: received }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** The digest of the body, which has to be the one that the registry states, of an image for all our platforms. */
function verifyManifest({ body, headers }: Answer, { host, path, tag }: ImageName): string {
  const digest = `sha256:${createHash('sha256').update(body).digest('hex')}`
  const stated = headers['docker-content-digest']
  if (stated !== undefined && stated !== digest)
    throw new HttpFailure(`${host} states ${stated}, and sends what has ${digest}.`)
  const manifest = parseObject(body)
  if (manifest?.['schemaVersion'] !== 2)
    throw new HttpFailure(`${host} sends no manifest for ${path}:${tag}.`)
  const platforms = Array.isArray(manifest['manifests'])
    ? manifest['manifests'].map(namePlatform)
    : []
  const missing = PLATFORMS.filter((one) => !platforms.includes(one))
  if (missing.length > 0)
    throw new HttpFailure(`${path}:${tag} does not state an image for ${missing.join(' and ')}.`)
  return digest
}

function namePlatform(entry: unknown): string {
  const { os, architecture } =
    (entry as { platform?: Record<string, unknown> } | null)?.platform ?? {}
  return `${String(os)}/${String(architecture)}`
}

function parseObject(body: Buffer): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(body.toString())
    return typeof value === 'object' && value !== null ? { ...value } : undefined
  } catch {
    return undefined
  }
}
