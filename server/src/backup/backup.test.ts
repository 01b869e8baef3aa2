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
import { generateX25519Identity, identityToRecipient } from 'age-encryption'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { startTestApp, type TestApp } from '../../test/app.ts'
import { createEmptyDatabase } from '../../test/database.ts'
import { type Client, givenClient, givenFirmwareVersion, upload } from '../../test/given.ts'
import { hasS3Server, startS3Server } from '../../test/s3-server.ts'
import { readConfig } from '../config/config.ts'
import { openFileBlobStore } from '../platform/blobs/file-blob-store.ts'
import { createLog } from '../platform/log.ts'
import type { BackupStore } from './backup-store.ts'
import { findManifest, type Manifest } from './manifest.ts'
import { openForReading, openForWriting } from './open-store.ts'
import { restoreBackup } from './restore-backup.ts'
import { takeBackup } from './take-backup.ts'
import { openSeal, PLAIN, sealTo } from './seal.ts'
import { type Source, verifyBackup } from './verify-backup.ts'

const root = mkdtempSync(join(tmpdir(), 'plimsoll-backup-'))
const tar = join(root, 'whole.tar')
const unpacked = join(root, 'unpacked')
const settings = {
  dataDir: join(root, 'data'),
  s3: { ...readConfig({}).s3, accessKeyId: '', secretAccessKey: '' },
}
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

interface BackUp {
  connectionString: string
  blobs: TestApp['ctx']['blobs']
  encryptTo?: string[]
}

async function backUp(target: string, { connectionString, blobs, encryptTo = [] }: BackUp) {
  const store = await openForWriting(target, settings)
  try {
    const seal = await sealTo(encryptTo)
    return await takeBackup({ connectionString, blobs, store, seal, onProgress: silent })
  } finally {
    await store.close()
  }
}

async function restore(
  address: string,
  {
    connectionString,
    folder,
    identity,
  }: { connectionString: string; folder: string; identity?: string },
) {
  const store = await openForReading(address, settings)
  try {
    const blobs = openFileBlobStore(folder)
    const log = createLog('silent')
    const restoring = { connectionString, blobs, log, onProgress: silent }
    const source = await sourceOf(store, identity)
    return await restoreBackup({ ...restoring, ...source })
  } finally {
    await store.close()
  }
}

async function sourceOf(store: BackupStore, identity?: string): Promise<Source> {
  const found = await findManifest(store)
  return { store, manifest: found, seal: await openSeal(found.recipients, identity) }
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
  ['other rows', () => rewritten('h', '"rows":1,', '"rows":2,'), /has 1 row instead of 2/],
])('refuses %s, and leaves nothing behind', async (_what, source, reason) => {
  const folder = mkdtempSync(join(root, 'files-'))

  await expect(restore(source(), { connectionString: empty, folder })).rejects.toThrow(reason)

  expect(filesIn(folder)).toEqual([])
})

it('restores into the database that refused them, and a backup of it has the same parts', async () => {
  const folder = join(root, 'files')

  const restored = await restore(tar, { connectionString: empty, folder })
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
  await expect(restore(tar, { connectionString: empty, folder })).rejects.toThrow(
    'The database is not empty',
  )
})

it('restores into no file store that holds something else', async () => {
  const folder = mkdtempSync(join(root, 'files-'))
  writeFileSync(join(folder, 'installation'), 'of others')

  const { connectionString } = await createEmptyDatabase()

  await expect(restore(tar, { connectionString, folder })).rejects.toThrow('it holds installation')
})

it('tells all faults of a backup', async () => {
  const store = await openForReading(
    damaged('faulty', (target) => {
      flip(partOf(target))
      flip(contentOf(target))
    }),
    settings,
  )

  const { faults } = await verifyBackup(await sourceOf(store), silent)

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
  ['a bucket without a name', () => 's3:///x', 'is not of the form'],
])('takes no backup to %s', async (_what, target, reason) => {
  await expect(openForWriting(target(), settings)).rejects.toThrow(reason)
})

describe('an encrypted backup', () => {
  const target = join(root, 'encrypted')
  const key = join(root, 'key.txt')
  const otherKey = join(root, 'other.txt')

  beforeAll(async () => {
    const [identity, other] = [await generateX25519Identity(), await generateX25519Identity()]
    writeFileSync(key, `# created by a test\n${identity}\n`)
    writeFileSync(otherKey, `${other}\n`)
    const encryptTo = [await identityToRecipient(identity)]
    const { connectionString, ctx } = test
    await backUp(target, { connectionString, blobs: ctx.blobs, encryptTo })
  })

  it('is restored with its key', async () => {
    const { connectionString } = await createEmptyDatabase()
    const folder = join(root, 'decrypted')

    const { files } = await restore(target, { connectionString, folder, identity: key })

    expect(files).toBe(1)
    const [file] = filesIn(folder)
    expect(readFileSync(join(file?.parentPath ?? '', file?.name ?? ''), 'utf8')).toContain('1.6')
  })

  it('shows nothing of what it holds without it', () => {
    const bytes = filesIn(target).map(({ parentPath, name }) =>
      readFileSync(join(parentPath, name)),
    )

    const isEncrypted = bytes.filter((one) => one.includes('age-encryption.org/v1'))
    // All but the manifest and the list of contents.
    expect(bytes.length - isEncrypted.length).toBe(2)
    expect(bytes.some((one) => one.includes('bomFormat'))).toBe(false)
  })

  it('is verified without a key as far as that goes, and wholly with it', async () => {
    const store = await openForReading(target, settings)

    const closed = await verifyBackup(await sourceOf(store), silent)
    const opened = await verifyBackup(await sourceOf(store, key), silent)

    expect(closed).toMatchObject({ read: 'Stored', faults: [] })
    expect(opened).toMatchObject({ read: 'All', faults: [] })
  })

  it.each([
    ['no key', () => undefined, 'Name the file with its key'],
    ['a wrong key', () => otherKey, 'cannot open the backup'],
    ['a file without a key', () => tar, 'holds no key of age'],
    ['a file that is not there', () => join(root, 'none'), '--identity: ENOENT'],
  ])('is refused with %s, and leaves nothing behind', async (_what, identityOf, reason) => {
    const { connectionString } = await createEmptyDatabase()
    const folder = join(root, 'refused')
    const identity = identityOf()
    const restoring = restore(target, {
      connectionString,
      folder,
      ...(identity !== undefined && { identity }),
    })

    await expect(restoring).rejects.toThrow(reason)

    expect(filesIn(folder)).toEqual([])
  })

  it('is refused with a file that was altered', async () => {
    const altered = join(root, 'altered')
    cpSync(target, altered, { recursive: true })
    const [folder = ''] = readdirSync(join(altered, 'blobs'))
    flip(join(altered, 'blobs', folder, readdirSync(join(altered, 'blobs', folder))[0] ?? ''))
    const { connectionString } = await createEmptyDatabase()
    const files = join(root, 'refused')

    await expect(
      restore(altered, { connectionString, folder: files, identity: key }),
    ).rejects.toThrow('cannot be decrypted')

    expect(filesIn(files)).toEqual([])
  })

  it('takes no recipient that is none', async () => {
    await expect(sealTo(['age1nonsense'])).rejects.toThrow('is no recipient of age')
  })
})

it.runIf(hasS3Server)('backs up to a bucket and restores from it', async () => {
  const server = await startS3Server()
  onTestFinished(() => server.stop())
  const { connectionString, ctx } = test
  const s3 = { ...settings, s3: server.config }
  const address = 's3://blobs/of/plimsoll'
  const backUpToBucket = async () => {
    const store = await openForWriting(address, s3)
    const blobs = ctx.blobs
    return takeBackup({ connectionString, blobs, store, seal: PLAIN, onProgress: silent })
  }
  await backUpToBucket()
  const { copied } = await backUpToBucket()
  const store = await openForReading(address, s3)
  const source = await sourceOf(store)
  const target = (await createEmptyDatabase()).connectionString
  const blobs = openFileBlobStore(join(root, 'from-bucket'))
  const log = createLog('silent')

  const restored = await restoreBackup({
    ...source,
    connectionString: target,
    blobs,
    log,
    onProgress: silent,
  })
  const { faults } = await verifyBackup(source, silent)

  expect(copied.newContents).toBe(0)
  expect(faults).toEqual([])
  expect(restored.files).toBe(1)
})
