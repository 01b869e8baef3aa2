/** Restores a backup into an empty database and an empty file store: all of it, or nothing. */
import { pipeline } from 'node:stream/promises'
import type pg from 'pg'
import { from as copyFrom } from 'pg-copy-streams'
import type { Logger } from 'pino'
import { MESSAGES } from '../messages.ts'
import type { BlobStore } from '../platform/blobs/blob-store.ts'
import { keepBackupsOut } from '../platform/db/backup-locks.ts'
import { createPool } from '../platform/db/connect.ts'
import { listUnknown, makeSchema, migrate } from '../platform/db/migrate.ts'
import { Queue } from '../platform/jobs/queue.ts'
import { VERSION } from '../version.ts'
import type { BackupStore } from './backup-store.ts'
import * as catalogue from './catalogue.ts'
import { withSession } from './database-session.ts'
import { COPY_JOBS, createJobTable, enqueueRestored } from './jobs.ts'
import type { Manifest, Rows } from './manifest.ts'
import { useLines } from './parts.ts'
import { damaged, refused } from './problems.ts'
import { nameContentFolder, type Seal } from './seal.ts'
import { forEachFile, openContent, requireWhole, type Source } from './verify-backup.ts'

export interface RestoreBackup extends Source {
  connectionString: string
  blobs: BlobStore
  log: Logger
  onProgress: (text: string) => void
}

export interface RestoreOutcome {
  rows: number
  files: number
  jobs: number
  /** Jobs of queues that this release does not have. */
  droppedJobs: number
}

export async function restoreBackup(restoring: RestoreBackup): Promise<RestoreOutcome> {
  const restored = await restoreAsItWas(restoring)
  await bringUpToDate(restoring)
  return restored
}

/** With the schema of the release that made the backup. */
export async function restoreAsItWas(restoring: RestoreBackup): Promise<RestoreOutcome> {
  const { connectionString, manifest, onProgress } = restoring
  refuseNewer(manifest)
  await requireWhole(restoring, onProgress)
  return withSession(connectionString, async (client) => {
    // A service that starts meanwhile waits before it makes tables.
    await keepBackupsOut(client)
    await requireEmpty(restoring, client)
    return restoreOrClear(restoring, client)
  })
}

function refuseNewer({ migrations, release }: Manifest): void {
  const [unknown] = listUnknown(migrations)
  if (unknown)
    throw refused(
      `The backup was made by release ${release}, whose database holds ${unknown.name}, which this release (${VERSION}) ` +
        'does not know. Restore it with that release or a newer one.',
    )
}

async function requireEmpty(restoring: RestoreBackup, client: pg.Client) {
  if (!(await catalogue.isEmpty(client)))
    throw refused(
      'The database is not empty, and a restore never changes what is there. ' +
        'Name a new PLIMSOLL_DATA_DIR, or in DATABASE_URL a new database (createdb).',
    )
  const strange = await findStrangeFile(restoring)
  if (strange !== undefined)
    throw refused(
      `The file store is not empty: it holds ${strange}, which is not part of the backup. ` +
        'Name a new PLIMSOLL_DATA_DIR, or an empty bucket.',
    )
}

/** Files of the backup itself may be there, as after a restore that was killed. */
async function findStrangeFile(restoring: RestoreBackup) {
  let known: Set<string> | undefined
  for await (const { key } of restoring.blobs.list('')) {
    known ??= await listKeys(restoring)
    if (!known.has(key)) return key
  }
  return undefined
}

async function listKeys(source: Source): Promise<Set<string>> {
  const keys = new Set<string>()
  await forEachFile(source, ({ key }) => void keys.add(key))
  return keys
}

async function restoreOrClear(
  restoring: RestoreBackup,
  client: pg.Client,
): Promise<RestoreOutcome> {
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

async function restoreDatabase(restoring: RestoreBackup, client: pg.Client) {
  const { manifest, store, seal, onProgress } = restoring
  onProgress(`making the tables of release ${manifest.release}`)
  await makeSchema(client, new Set(manifest.migrations.map(({ name }) => name)))
  await catalogue.truncateTables(client)
  const keys = await catalogue.dropForeignKeys(client)
  const existing = new Set((await catalogue.listTables(client)).map(({ name }) => name))
  for (const partition of manifest.partitions)
    if (!existing.has(partition.name)) await catalogue.createPartition(client, partition)
  for (const [index, table] of manifest.tables.entries()) {
    onProgress(`table ${index + 1} of ${manifest.tables.length}: ${table.name}`)
    await copyRows(client, catalogue.copyIn(table), { store, rows: { ...table, seal } })
  }
  for (const sequence of manifest.sequences) await catalogue.setSequence(client, sequence)
  onProgress('checking references between tables')
  await catalogue.addForeignKeys(client, keys)
  await createJobTable(client)
  await copyRows(client, COPY_JOBS, { store, rows: { ...manifest.jobs, seal } })
  const droppedJobs = await enqueueRestored(client)
  const rows = manifest.tables.reduce((sum, table) => sum + table.rows, 0)
  return { rows, jobs: manifest.jobs.rows - droppedJobs, droppedJobs }
}

async function copyRows(
  client: pg.Client,
  statement: string,
  { store, rows }: { store: BackupStore; rows: Rows & { seal: Seal } },
): Promise<void> {
  await useLines(store, rows, (lines) => pipeline(lines, client.query(copyFrom(statement))))
}

async function restoreFiles(restoring: RestoreBackup, copied: { files: number }): Promise<void> {
  const { blobs, manifest, onProgress } = restoring
  await forEachFile(restoring, async ({ key, sha256 }) => {
    onProgress(`file ${copied.files + 1} of ${manifest.files.rows}: ${key}`)
    // Counted before, so that it is removed if it turns out to be damaged.
    copied.files += 1
    const stored = await blobs.put(key, await openContent(restoring, sha256))
    if (stored.sha256 !== sha256)
      throw damaged(`${nameContentFolder(manifest.recipients)}${sha256}`, 'has another SHA-256')
  })
}

async function removeFiles(restoring: RestoreBackup, count: number) {
  let left = count
  await forEachFile(restoring, async ({ key }) => {
    if (left > 0) await restoring.blobs.delete(key)
    left -= 1
  })
}

/** The restored state is committed: what follows may be done again by a start of the service. */
async function bringUpToDate({ connectionString, onProgress }: RestoreBackup): Promise<void> {
  const onError = () => undefined
  const pool = createPool({ connectionString, poolSize: 1, statementMs: 0, onError })
  try {
    await migrate(pool, onProgress)
    onProgress('counting rows for the planner')
    await pool.query('analyze')
  } finally {
    await pool.end()
  }
}
