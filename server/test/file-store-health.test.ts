/** A bucket that is away, refuses or never answers: what the management port, `status` and the doctor say of it. */
import { mkdtempSync } from 'node:fs'
import { createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import type { BlobStore, BlobStoreConfig } from '../src/platform/blobs/blob-store.ts'
import { openBlobStore } from '../src/platform/blobs/open-blob-store.ts'
import { reportStoreHealth } from '../src/platform/blobs/store-health.ts'
import { createTestDatabase } from './database.ts'
import { closeAtEndOfFile } from './end-of-file.ts'
import { hasS3Server, startS3Server } from './s3-server.ts'
import {
  freePort,
  runAdmin,
  type ServiceSettings,
  startServiceProcess,
  endProcess,
} from './service-process.ts'

type S3Config = Extract<BlobStoreConfig, { kind: 's3' }>

const bucketAt = (endpoint: string): S3Config => ({
  kind: 's3',
  endpoint,
  region: 'us-east-1',
  bucket: 'blobs',
  accessKeyId: 'test-access',
  secretAccessKey: 'test-secret',
  forcePathStyle: true,
})

/** Takes connections and says nothing. */
async function startSilentStore(): Promise<number> {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => sockets.add(socket.on('error', () => undefined)))
  const port = await freePort()
  await new Promise<void>((done) => server.listen(port, '127.0.0.1', done))
  closeAtEndOfFile(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return port
}

it('says that a bucket refuses connections, or never answers', async () => {
  const nowhere = `http://127.0.0.1:${await freePort()}`
  const silent = `http://127.0.0.1:${await startSilentStore()}`

  const faults = await Promise.all(
    [nowhere, silent].map(async (url) => (await openBlobStore(bucketAt(url))).findFault()),
  )

  expect(faults).toEqual([
    { isAway: true, detail: `the bucket blobs at ${nowhere} cannot be reached (ECONNREFUSED).` },
    { isAway: true, detail: `the bucket blobs at ${silent} did not answer within 4 s.` },
  ])
})

describe.skipIf(!hasS3Server)('a real store (skipped where it is absent)', () => {
  let config: S3Config

  beforeAll(async () => {
    const server = await startS3Server()
    closeAtEndOfFile(server.stop)
    config = server.config
  })

  it.each([
    { what: 'a bucket that is there', change: {}, fault: undefined },
    { what: 'another bucket', change: { bucket: 'nothing' }, fault: 'NoSuchBucket' },
    { what: 'another key', change: { accessKeyId: 'nobody' }, fault: '\\w*User\\w*' },
    { what: 'another secret', change: { secretAccessKey: 'x' }, fault: 'SignatureDoesNotMatch' },
  ])('is asked for $what', async ({ change, fault }) => {
    const found = await (await openBlobStore({ ...config, ...change })).findFault()

    if (fault === undefined) expect(found).toBeUndefined()
    else
      expect(found).toEqual({
        isAway: false,
        detail: expect.stringMatching(
          new RegExp(`^The file store refuses: ${fault}: .*Check PLIMSOLL_S3_BUCKET`),
        ) as string,
      })
  })
})

it('asks no more than every 15 seconds, and is unknown until the first answer', async () => {
  const { promise, resolve } = Promise.withResolvers<undefined>()
  let asked = 0
  let nowMs = 0
  const blobs: Pick<BlobStore, 'findFault'> = {
    findFault: async () => {
      asked += 1
      return asked === 1 ? promise : { isAway: true, detail: 'away' }
    },
  }
  const context = { blobs, config: { blobs: bucketAt('http://s3') } }
  const health = reportStoreHealth(context as Parameters<typeof reportStoreHealth>[0], () => nowMs)
  const readGauge = () => health.gauges[0]?.values()

  expect(await health.describe()).toEqual({ place: 'the bucket blobs at http://s3', isThere: null })
  expect(await readGauge()).toEqual([])
  resolve(undefined)
  expect(await health.describe()).toMatchObject({ isThere: true, fault: null })
  nowMs = 14_999
  expect(await readGauge()).toEqual([{ labels: {}, value: 1 }])
  expect(asked).toBe(1)
  nowMs = 15_001
  expect(await health.describe()).toMatchObject({ isThere: false, fault: 'away' })
  expect(await readGauge()).toEqual([{ labels: {}, value: 0 }])
  expect(asked).toBe(2)
})

it.each([
  { store: 'refuses connections', listen: freePort, told: /cannot be reached \(ECONNREFUSED\)/ },
  { store: 'never answers', listen: startSilentStore, told: /did not answer within 4 s/ },
])('starts while the store $store, stays ready, and says so', async ({ listen, told }) => {
  const storePort = await listen()
  const settings: ServiceSettings = {
    dataDir: mkdtempSync(join(tmpdir(), 'plimsoll-store-')),
    port: await freePort(),
    managementPort: await freePort(),
    env: {
      DATABASE_URL: (await createTestDatabase()).connectionString,
      PLIMSOLL_S3_ENDPOINT: `http://127.0.0.1:${storePort}`,
      PLIMSOLL_S3_BUCKET: 'blobs',
      PLIMSOLL_S3_ACCESS_KEY_ID: 'test-access',
      PLIMSOLL_S3_SECRET_ACCESS_KEY: 'test-secret',
    },
  }
  const service = await startServiceProcess(settings)
  const at = (path: string) => fetch(`http://127.0.0.1:${settings.managementPort}${path}`)
  const readReady = async () => {
    const answer = await at('/health/ready')
    const { fileStore } = (await answer.json()) as { fileStore: object }
    return { status: answer.status, fileStore }
  }

  await expect.poll(readReady, { timeout: 20_000 }).toEqual({
    status: 200,
    fileStore: {
      place: `the bucket blobs at http://127.0.0.1:${storePort}`,
      isThere: false,
      fault: expect.stringMatching(told) as string,
      askedAt: expect.any(String) as string,
    },
  })
  const metrics = await (await at('/metrics')).text()
  const status = await runAdmin(settings, 'status')
  const doctor = await runAdmin(settings, 'doctor', '--check', 'file-store')
  await endProcess(service.child, 'SIGTERM')

  expect(metrics).toMatch(/^plimsoll_file_store_up 0$/m)
  expect(status.stdout).toMatch(new RegExp(`^! files: .*${told.source}`, 'm'))
  expect(status.code).toBe(1)
  expect(doctor.stdout).toMatch(told)
  expect(doctor.code).toBe(1)
})
