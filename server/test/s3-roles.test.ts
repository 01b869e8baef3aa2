/** Files in S3 with credentials of the machine, the container or a web identity instead of keys in the settings. */
import { createServer } from 'node:http'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { buffer, text } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { openS3BlobStore } from '../src/platform/blobs/s3-blob-store.ts'
import { type GivenCredentials, startCredentialServer } from './credential-server.ts'
import { createTestDatabase } from './database.ts'
import { closeAtEndOfFile } from './end-of-file.ts'
import { hasS3Server, startS3Server } from './s3-server.ts'
import { freePort, runAdmin, type ServiceSettings } from './service-process.ts'

const SOURCES = ['container', 'machine', 'web identity'] as const

afterEach(() => {
  vi.unstubAllEnvs()
})

/** Refuses credentials that are not valid now, and notes the token of each request. */
async function startStrictStore(valid: () => GivenCredentials[], tokens: unknown[]) {
  const objects = new Map<string, Buffer>()
  const server = createServer(async (request, response) => {
    const { method, url = '', headers } = request
    const body = await buffer(request)
    const token = headers['x-amz-security-token']
    tokens.push(token)
    const isKnown = valid().some(
      ({ accessKeyId, sessionToken }) =>
        headers.authorization?.includes(`Credential=${accessKeyId}/`) && token === sessionToken,
    )
    const path = new URL(url, 'http://s3').pathname
    if (!isKnown) response.writeHead(403).end('<Error><Code>ExpiredToken</Code></Error>')
    else if (method === 'PUT') {
      objects.set(path, body)
      response.setHeader('etag', '"x"').end()
    } else response.end(objects.get(path))
  })
  const port = await freePort()
  await new Promise<void>((done) => server.listen(port, '127.0.0.1', done))
  closeAtEndOfFile(async () => {
    await server[Symbol.asyncDispose]()
  })
  return `http://127.0.0.1:${port}`
}

it.each(SOURCES)('asks the %s for credentials, and again before they end', async (source) => {
  const credentialsOf = (turn: number) => ({
    accessKeyId: `ASIA${turn}`,
    secretAccessKey: `secret-${turn}`,
    sessionToken: `token-${turn}`,
  })
  let turn = 1
  let valid = [credentialsOf(1)]
  const tokens: unknown[] = []
  const cachedMs = 1_500
  const { environments } = await startCredentialServer(() => credentialsOf(turn), cachedMs)
  for (const [name, value] of Object.entries(environments[source])) vi.stubEnv(name, value)
  const store = openS3BlobStore({
    kind: 's3',
    endpoint: await startStrictStore(() => valid, tokens),
    region: 'us-east-1',
    bucket: 'blobs',
    accessKeyId: '',
    secretAccessKey: '',
    forcePathStyle: true,
  })

  const putMore = async () => {
    await store.put('b', Readable.from([Buffer.from('two')]))
    return tokens.at(-1)
  }
  await store.put('a', Readable.from([Buffer.from('one')]))
  await delay(cachedMs)
  turn = 2
  valid = [credentialsOf(1), credentialsOf(2)]
  // Those of before are used until the new ones have come.
  await expect.poll(putMore).toBe('token-2')
  valid = [credentialsOf(2)]

  expect(tokens[0]).toBe('token-1')
  expect(await text(await store.get('a'))).toBe('one')
  expect(await text(await store.get('b'))).toBe('two')
  const url = new URL((await store.signedUrl('a', { fileName: 'a', expiresInSeconds: 60 })) ?? '')
  expect(url.searchParams.get('X-Amz-Security-Token')).toBe('token-2')
})

const settingsWith = async (env: Record<string, string>): Promise<ServiceSettings> => ({
  dataDir: mkdtempSync(join(tmpdir(), 'plimsoll-roles-')),
  port: await freePort(),
  managementPort: await freePort(),
  env: { DATABASE_URL: (await createTestDatabase()).connectionString, ...env },
})

it('tells in a sentence that there are no credentials', async () => {
  const settings = await settingsWith({
    PLIMSOLL_S3_ENDPOINT: `http://127.0.0.1:${await freePort()}`,
    AWS_EC2_METADATA_DISABLED: 'true',
  })

  const { code, stderr } = await runAdmin(settings, 'backup', 's3://blobs/backups')

  expect(code).toBe(1)
  expect(stderr).toMatch(/gets no credentials for it.*PLIMSOLL_S3_ACCESS_KEY_ID.*a role/)
  expect(stderr).not.toMatch(/^\s+at /m)
})

it('tells that one of two keys is missing', async () => {
  const settings = await settingsWith({ PLIMSOLL_S3_ACCESS_KEY_ID: 'AKIA' })

  const { code, stderr } = await runAdmin(settings, 'backup', 's3://blobs/backups')

  expect(code).not.toBe(0)
  expect(stderr).toContain('PLIMSOLL_S3_SECRET_ACCESS_KEY are set together, or neither')
})

describe.skipIf(!hasS3Server)('a store that checks signatures (skipped where it is absent)', () => {
  it.each(SOURCES)('takes backups with credentials of the %s', async (source) => {
    const { config, stop } = await startS3Server()
    closeAtEndOfFile(stop)
    const { accessKeyId, secretAccessKey, endpoint = '' } = config
    // versitygw refuses tokens of sessions.
    const sessionToken = ''
    const given = () => ({ accessKeyId, secretAccessKey, sessionToken })
    const { environments, countGiven } = await startCredentialServer(given)
    const settings = await settingsWith({ PLIMSOLL_S3_ENDPOINT: endpoint })
    const path = join(settings.dataDir, 'plimsoll.env')
    const lines = Object.entries(environments[source]).map(([name, value]) => `${name}=${value}\n`)
    writeFileSync(path, lines.join(''))
    const fromFile = { ...settings, env: { ...settings.env, PLIMSOLL_ENV_FILE: path } }

    const taken = await runAdmin(fromFile, 'backup', 's3://blobs/backups')
    const verified = await runAdmin(fromFile, 'backup', 'verify', 's3://blobs/backups')

    expect([taken.code, taken.stderr]).toEqual([0, expect.not.stringContaining('credentials')])
    expect([verified.code, verified.stdout]).toEqual([0, expect.stringContaining('is whole')])
    expect(countGiven()).toBe(2)
  })
})
