/** Restores a backup into an empty database and an empty file store: all of it, or nothing. */
import { pipeline } from 'node:stream/promises'
import pg from 'pg'
import { from as copyFrom } from 'pg-copy-streams'
import type { Logger } from 'pino'
import { MESSAGES } from '../messages.ts'
import type { BlobStore } from '../platform/blobs/blob-store.ts'
import { keepBackupsOut } from '../platform/db/backup-locks.ts'
import { listUnknown, makeSchema, migrate } from '../platform/db/migrate.ts'
import { Queue } from '../platform/jobs/queue.ts'
import { VERSION } from '../version.ts'
import type { BackupStore } from './backup-store.ts'
import * as catalogue from './catalogue.ts'
import { withSession } from './database-session.ts'
import { COPY_JOBS, createJobTable, enqueueRestored } from './jobs.ts'
import { contentKey, type Manifest, type Rows } from './manifest.ts'
import { useLines } from './parts.ts'
import { damaged, refused } from './problems.ts'
import { forEachFile, requireWhole } from './verify-backup.ts'

export interface RestoreBackup {
  connectionString: string
  blobs: BlobStore
  store: BackupStore
  manifest: Manifest
  log: Logger
  onProgress: (text: string) => void
}

export interface Restored {
  rows: number
  files: number
  jobs: number
  /** Jobs of queues that this release does not have. */
  droppedJobs: number
}

export async function restoreBackup(restoring: RestoreBackup): Promise<Restored> {
  const { connectionString, store, manifest, onProgress } = restoring
  refuseNewer(manifest)
  await requireWhole(store, manifest, onProgress)
  const restored = await withSession(connectionString, async (client) => {
    // A service that starts meanwhile waits before it makes tables.
    await keepBackupsOut(client)
    await requireEmpty(restoring, client)
    return restoreOrClear(restoring, client)
  })
  await bringUpToDate(restoring)
  return restored
}

function refuseNewer({ migrations, release }: Manifest): void {
  const [unknown] = listUnknown(migrations)
  if (unknown)
    throw refused(
      `The backup was made by release ${release}, whose database holds ${unknown.name}, which this release (${VERSION}) ` +
        'does not know. Restore it with that release or a newer one.',
    )
}

async function requireEmpty({ blobs, manifest, store }: RestoreBackup, client: pg.Client) {
  if (!(await catalogue.isEmpty(client)))
    throw refused(
      'The database is not empty, and a restore never changes what is there. ' +
        'Name a new PLIMSOLL_DATA_DIR, or in DATABASE_URL a new database (createdb).',
    )
  const strange = await findStrangeFile(blobs, store, manifest)
  if (strange !== undefined)
    throw refused(
      `The file store is not empty: it holds ${strange}, which is not part of the backup. ` +
        'Name a new PLIMSOLL_DATA_DIR, or an empty bucket.',
    )
}

/** Files of the backup itself may be there, as after a restore that was killed. */
async function findStrangeFile(blobs: BlobStore, store: BackupStore, manifest: Manifest) {
  let known: Set<string> | undefined
  for await (const { key } of blobs.list('')) {
    known ??= await listKeys(store, manifest)
    if (!known.has(key)) return key
  }
  return undefined
}

async function listKeys(store: BackupStore, manifest: Manifest): Promise<Set<string>> {
  const keys = new Set<string>()
  await forEachFile(store, manifest, ({ key }) => void keys.add(key))
  return keys
}

async function restoreOrClear(restoring: RestoreBackup, client: pg.Client): Promise<Restored> {
  const { connectionString, log } = restoring
  const copied = { files: 0 }
  try {
    const queue = new Queue({ connectionString, log, supervise: false })
    await queue.start(MESSAGES)
    await queue.stop()
    await client.query('begin')
    const restored = await restoreDatabase(restoring, client)
    await restoreFiles(restoring, copied)
    restoring.onProgress('committing')
    await client.query('commit')
    return { ...restored, files: copied.files }
  } catch (error) {
    await client.query('rollback')
    await client.query('drop schema if exists pgboss cascade')
    await removeFiles(restoring, copied.files)
    throw error
  }
}

async function restoreDatabase({ manifest, store, onProgress }: RestoreBackup, client: pg.Client) {
  onProgress(`making the tables of release ${manifest.release}`)
  await makeSchema(client, new Set(manifest.migrations.map(({ name }) => name)))
  await catalogue.emptyTables(client)
  const keys = await catalogue.dropForeignKeys(client)
  const existing = new Set((await catalogue.listTables(client)).map(({ name }) => name))
  for (const partition of manifest.partitions)
    if (!existing.has(partition.name)) await catalogue.createPartition(client, partition)
  for (const [index, table] of manifest.tables.entries()) {
    onProgress(`table ${index + 1} of ${manifest.tables.length}: ${table.name}`)
    await copyRows(client, catalogue.copyIn(table), { store, rows: table })
  }
  for (const sequence of manifest.sequences) await catalogue.setSequence(client, sequence)
  onProgress('checking references between tables')
  await catalogue.addForeignKeys(client, keys)
  await createJobTable(client)
  await copyRows(client, COPY_JOBS, { store, rows: manifest.jobs })
  const droppedJobs = await enqueueRestored(client)
  const rows = manifest.tables.reduce((sum, table) => sum + table.rows, 0)
  return { rows, jobs: manifest.jobs.rows - droppedJobs, droppedJobs }
}

async function copyRows(
  client: pg.Client,
  statement: string,
  { store, rows }: { store: BackupStore; rows: Rows },
): Promise<void> {
  await useLines(store, rows, (lines) => pipeline(lines, client.query(copyFrom(statement))))
}

async function restoreFiles(
  { store, blobs, manifest, onProgress }: RestoreBackup,
  copied: { files: number },
): Promise<void> {
  await forEachFile(store, manifest, async ({ key, sha256 }) => {
    onProgress(`file ${copied.files + 1} of ${manifest.files.rows}: ${key}`)
    const content = contentKey(sha256)
    // Counted before, so that it is removed if it turns out to be damaged.
    copied.files += 1
    const stored = await blobs.put(key, await store.get(content))
    if (stored.sha256 !== sha256) throw damaged(content, 'has another SHA-256')
  })
}

async function removeFiles({ store, blobs, manifest }: RestoreBackup, count: number) {
  let left = count
  await forEachFile(store, manifest, async ({ key }) => {
    if (left > 0) await blobs.delete(key)
    left -= 1
  })
}

/** The restored state is committed: what follows may be done again by a start of the service. */
async function bringUpToDate({ connectionString, onProgress }: RestoreBackup): Promise<void> {
  const pool = new pg.Pool({ connectionString, max: 1 })
  try {
    await migrate(pool, onProgress)
    onProgress('counting rows for the planner')
    await pool.query('analyze')
  } finally {
    await pool.end()
  }
}
