/** What is restored equals what was backed up, and what is not whole is refused and leaves nothing behind. */
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../test/app.ts'
import { createEmptyDatabase } from '../../test/database.ts'
import { type Client, givenClient, givenFirmwareVersion, upload } from '../../test/given.ts'
import { openFileBlobStore } from '../platform/blobs/file-blob-store.ts'
import { createLog } from '../platform/log.ts'
import { findManifest, type Manifest } from './manifest.ts'
import { openForReading, openForWriting } from './open-store.ts'
import { restoreBackup } from './restore-backup.ts'
import { takeBackup } from './take-backup.ts'
import { verifyBackup } from './verify-backup.ts'

const root = mkdtempSync(join(tmpdir(), 'plimsoll-backup-'))
const tar = join(root, 'whole.tar')
const unpacked = join(root, 'unpacked')
const silent = () => undefined
let test: TestApp
let client: Client
let firmwareVersionId: string
let manifest: Manifest
let empty: string

/** Two devices whose names have what COPY escapes, and a partition for a day long ago. */
async function fill(): Promise<void> {
  client = await givenClient(test)
  firmwareVersionId = await givenFirmwareVersion(client)
  const files = [{ name: 'a.json', bytes: '{"bomFormat":"CycloneDX","specVersion":"1.6"}' }]
  await upload(test, client, { firmwareVersionId, files })
  await client.post('/devices', { id: 'gw-1', description: 'tab\t, \\N, \\., "quotes",\nline' })
  await test.ctx.pool.query(
    `create table metric_points_20200102 partition of metric_points
     for values from ('2020-01-02') to ('2020-01-03')`,
  )
  await test.ctx.pool.query(
    `insert into metric_points (workspace_id, series_id, time, sum)
     values ($1, 7, '2020-01-02T03:04:05Z', 'NaN'), ($1, 7, '2020-01-02T03:04:06Z', '-Infinity')`,
    [client.workspaceId],
  )
}

async function backUp(
  target: string,
  { connectionString, blobs }: { connectionString: string; blobs: TestApp['ctx']['blobs'] },
) {
  const store = await openForWriting(target, join(root, 'data'))
  try {
    return await takeBackup({ connectionString, blobs, store, onProgress: silent })
  } finally {
    await store.close()
  }
}

async function restore(source: string, connectionString: string, folder: string) {
  const store = await openForReading(source)
  try {
    const blobs = openFileBlobStore(folder)
    const log = createLog('silent')
    const restoring = { connectionString, blobs, store, log, onProgress: silent }
    return await restoreBackup({ ...restoring, manifest: await findManifest(store) })
  } finally {
    await store.close()
  }
}

const filesIn = (folder: string) =>
  existsSync(folder)
    ? readdirSync(folder, { recursive: true, withFileTypes: true }).filter((one) => one.isFile())
    : []

beforeAll(async () => {
  test = await startTestApp()
  await fill()
  const { connectionString, ctx } = test
  manifest = (await backUp(tar, { connectionString, blobs: ctx.blobs })).manifest
  mkdirSync(unpacked)
  spawnSync('tar', ['-xf', tar, '-C', unpacked])
  empty = (await createEmptyDatabase()).connectionString
})

const damaged = (name: string, change: (target: string) => void) => {
  const target = join(root, name)
  cpSync(unpacked, target, { recursive: true })
  change(target)
  return target
}

const manifestOf = (target: string) => join(target, 'manifests', `${manifest.id}.json`)
const partOf = (target: string) => join(target, 'databases', manifest.id, 'sboms.copy.zst')
const contentOf = (target: string) =>
  join(target, 'blobs', readdirSync(join(target, 'blobs'))[0] ?? '')

function flip(path: string): void {
  const bytes = readFileSync(path)
  const at = bytes.byteLength - 3
  bytes[at] = (bytes[at] ?? 0) ^ 1
  writeFileSync(path, bytes)
}

/** As somebody would who knows the format. */
function rewriteManifest(path: string, change: (body: string) => string): void {
  const { body } = JSON.parse(readFileSync(path, 'utf8')) as { body: string }
  const changed = change(body)
  const sha256 = createHash('sha256').update(changed).digest('hex')
  writeFileSync(path, JSON.stringify({ sha256, body: changed }))
}

const rewritten = (name: string, from: string, to: string) =>
  damaged(name, (target) => rewriteManifest(manifestOf(target), (body) => body.replace(from, to)))

it.each<[string, () => string, RegExp]>([
  ['no folder', () => join(root, 'nowhere'), /There is no file or folder/],
  ['a folder without a backup', () => root, /holds no whole backup/],
  [
    'a tar file that is cut off',
    () => {
      const cut = join(root, 'cut.tar')
      cpSync(tar, cut)
      truncateSync(cut, Math.floor(readFileSync(tar).byteLength / 2))
      return cut
    },
    /is cut off/,
  ],
  ['an altered part', () => damaged('a', (to) => flip(partOf(to))), /has another SHA-256/],
  ['a lost part', () => damaged('b', (to) => rmSync(partOf(to))), /is missing/],
  ['an altered file', () => damaged('c', (to) => flip(contentOf(to))), /has another SHA-256/],
  ['a lost file', () => damaged('d', (to) => rmSync(contentOf(to))), /is missing/],
  ['an altered manifest', () => damaged('e', (to) => flip(manifestOf(to))), /was altered/],
  [
    'a newer release',
    () => rewritten('f', '"migrations":[', '"migrations":[{"name":"9999-x.sql","checksum":""},'),
    /Restore it with that release or a newer one/,
  ],
  ['a newer format', () => rewritten('g', '"format":1', '"format":2'), /by a newer release/],
  ['other rows', () => rewritten('h', '"rows":1,', '"rows":2,'), /has 1 rows instead of 2/],
])('refuses %s, and leaves nothing behind', async (_what, source, reason) => {
  const folder = mkdtempSync(join(root, 'files-'))

  await expect(restore(source(), empty, folder)).rejects.toThrow(reason)

  expect(filesIn(folder)).toEqual([])
})

it('restores into the database that refused them, and a backup of it has the same parts', async () => {
  const folder = join(root, 'files')

  const restored = await restore(tar, empty, folder)
  const again = await backUp(join(root, 'again'), {
    connectionString: empty,
    blobs: openFileBlobStore(folder),
  })

  const partsOf = ({ tables }: Manifest) =>
    tables.map(({ name, rows, part }) => [name, rows, part?.sha256])
  expect(partsOf(again.manifest)).toEqual(partsOf(manifest))
  expect(again.manifest.files).toMatchObject({ rows: manifest.files.rows })
  expect(again.manifest.contents.part?.sha256).toBe(manifest.contents.part?.sha256)
  expect(again.manifest).toMatchObject({
    partitions: manifest.partitions,
    sequences: manifest.sequences,
    missing: [],
  })
  expect(again.manifest.jobs.rows).toBe(restored.jobs)
  expect(restored).toMatchObject({ files: 1, jobs: manifest.jobs.rows, droppedJobs: 0 })
  await expect(restore(tar, empty, folder)).rejects.toThrow('The database is not empty')
})

it('restores into no file store that holds something else', async () => {
  const folder = mkdtempSync(join(root, 'files-'))
  writeFileSync(join(folder, 'installation'), 'of others')

  const { connectionString } = await createEmptyDatabase()

  await expect(restore(tar, connectionString, folder)).rejects.toThrow('it holds installation')
})

it('tells all faults of a backup', async () => {
  const store = await openForReading(
    damaged('faulty', (target) => {
      flip(partOf(target))
      flip(contentOf(target))
    }),
  )

  const { faults } = await verifyBackup(store, await findManifest(store), silent)

  expect(faults).toHaveLength(2)
})

it('backs up what is there when a stored file is lost, and says so', async () => {
  const files = [{ name: 'b.json', bytes: '{"bomFormat":"CycloneDX","specVersion":"1.5"}' }]
  const response = await upload(test, client, { firmwareVersionId, files })
  const [sbom] = response.json<{ sboms: { id: string }[] }>().sboms
  const key = `sboms/${client.workspaceId}/${firmwareVersionId}/${sbom?.id}`
  await test.ctx.blobs.delete(key)
  const { connectionString, ctx } = test

  const { manifest: made } = await backUp(join(root, 'lossy'), {
    connectionString,
    blobs: ctx.blobs,
  })

  expect(made.missing).toEqual([{ key, reason: 'it is not in the file store' }])
})

it.each([
  ['a file that exists', () => tar, 'exists already'],
  ['a folder of the service', () => join(root, 'data/blobs/x'), 'keeps its data'],
  ['a file as a folder', () => contentOf(unpacked), 'is a file'],
])('takes no backup to %s', async (_what, target, reason) => {
  await expect(openForWriting(target(), join(root, 'data'))).rejects.toThrow(reason)
})
