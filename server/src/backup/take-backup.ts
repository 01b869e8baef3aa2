/** Takes a backup while the service runs: one state of the database, then the files that its rows name. */
import { randomBytes } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Client } from 'pg'
import { to as copyTo } from 'pg-copy-streams'
import type { Keep } from '../config/backup-settings.ts'
import { addMs, DAY_MS } from '../formats/instants.ts'
import type { BlobStore } from '../platform/blobs/blob-store.ts'
import { beginBackup } from '../platform/db/backup-locks.ts'
import { listApplied, listUnknown } from '../platform/db/migrate.ts'
import { VERSION } from '../version.ts'
import type { BackupStore } from './backup-store.ts'
import * as catalogue from './catalogue.ts'
import {
  type CopiedTable,
  DAYS_FOLDER,
  deleteUnusedDays,
  measureRows,
  findEarlierDays,
  isDayOver,
} from './closed-days.ts'
import { copyFiles, type CopiedFiles } from './copy-files.ts'
import { listDayMarks, markDays } from './day-marks.ts'
import { createQueryBuilder, withSession } from './database-session.ts'
import { hasQueue, OPEN_JOBS } from './jobs.ts'
import {
  nameDatabaseFolder,
  listBackupIds,
  type Manifest,
  type Rows,
  writeManifest,
} from './manifest.ts'
import { listNamedFiles } from './named-files.ts'
import { putLines } from './parts.ts'
import { refused } from './problems.ts'
import { deleteOldBackups } from './retention.ts'
import type { Seal } from './seal.ts'
import { isTableGone } from '../platform/db/failures.ts'

export interface TakeBackup {
  connectionString: string
  blobs: BlobStore
  store: BackupStore
  seal: Seal
  /** undefined: older backups stay. */
  keep?: Keep | undefined
  /** Gets what is being done, for a person to read. */
  onProgress: (text: string) => void
}

export interface BackupOutcome {
  manifest: Manifest
  copied: CopiedFiles
  /** Days that are over and were in the store already, and those that were written. */
  days: DayCounts
}

/** `read`: of those kept and written, how many were read, as no mark told that they are unchanged. */
interface DayCounts {
  kept: number
  written: number
  read: number
}

export async function takeBackup(options: TakeBackup): Promise<BackupOutcome> {
  const folder = await mkdtemp(join(tmpdir(), 'plimsoll-backup-'))
  try {
    return await withSession(options.connectionString, async (client) => {
      if (!(await beginBackup(client)))
        throw refused(
          'Another backup of this database runs, or its schema is being changed. Try again when that has ended.',
        )
      return takeWithLock({
        ...options,
        client,
        listPath: join(folder, 'files'),
        daysRead: new Set(),
      })
    })
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

interface BackupSession extends TakeBackup {
  client: Client
  /** A file of this machine for the list of files to copy. */
  listPath: string
  daysRead: Set<string>
}

async function takeWithLock(taking: BackupSession): Promise<BackupOutcome> {
  const { client, store, blobs, seal, onProgress, listPath } = taking
  await requireOwnSchema(client)
  await removeLeftOvers(store)
  const names = (await catalogue.listTables(client)).map(({ name }) => name)
  await markDays(client, { names, before: addMs(new Date(await readTime(client)), -DAY_MS) })
  const snapshot = await inSnapshot(client, async (tables) => readDatabase(taking, tables))
  const folder = nameDatabaseFolder(snapshot.id)
  const copied = await copyFiles({ store, blobs, seal, folder, listPath, onProgress })
  const { files, contents, contentBytes, missing } = copied
  // A connection that was lost let others delete files meanwhile.
  const endedAt = await readTime(client)
  const manifest = { ...snapshot, endedAt, files, contents, contentBytes, missing }
  await writeManifest(store, manifest)
  await store.finish()
  if (taking.keep) await deleteOldBackups(store, { keep: taking.keep, now: new Date(endedAt) })
  return {
    manifest: { format: 1, ...manifest },
    copied,
    days: { ...countDays(manifest), read: taking.daysRead.size },
  }
}

function countDays({ id, tables }: Pick<Manifest, 'id' | 'tables'>): Omit<DayCounts, 'read'> {
  const days = tables.flatMap(({ digest, part }) => (digest !== undefined && part ? [part] : []))
  const written = days.filter(({ key }) => key.startsWith(nameDayFolder(id))).length
  return { kept: days.length - written, written }
}

const nameDayFolder = (id: string) => `${DAYS_FOLDER}${id}/`

async function requireOwnSchema(client: Client): Promise<void> {
  const { rows } = await client.query<{ isThere: boolean }>(
    `select to_regclass('public.schema_migrations') is not null and to_regclass('public.backup_state') is not null
       as "isThere"`,
  )
  if (rows[0]?.isThere !== true)
    throw refused(
      'There is nothing to back up: the database does not hold the tables of Plimsoll, or not all of them, as after a first start that was interrupted.',
    )
  const [unknown] = listUnknown(await listApplied(client))
  if (unknown)
    throw refused(
      `The database was changed by another release: it holds ${unknown.name}. Back it up with that release.`,
    )
}

/** Parts of backups that were interrupted. Files they copied stay, as the next one needs them again. */
async function removeLeftOvers(store: BackupStore): Promise<void> {
  await store.sweep()
  const whole = new Set(await listBackupIds(store))
  const folder = 'databases/'
  for await (const { key } of store.list(folder))
    if (!whole.has(key.slice(folder.length).split('/')[0] ?? '')) await store.delete(key)
  await deleteUnusedDays(store)
}

const MOST_TRIES = 10

/** Locks the tables before it looks at rows, so that none is dropped in between. */
async function inSnapshot<Result>(
  client: Client,
  read: (tables: catalogue.Table[]) => Promise<Result>,
): Promise<Result> {
  for (let tries = 1; ; tries += 1) {
    const listed = await catalogue.listTables(client)
    await client.query('begin isolation level repeatable read read only')
    try {
      await catalogue.lockTables(client, listed)
      const tables = await catalogue.listTables(client)
      const isSame = JSON.stringify(tables) === JSON.stringify(listed)
      if (isSame) return await read(tables)
    } catch (error) {
      if (!isTableGone(error) || tries === MOST_TRIES) throw error
    } finally {
      await client.query('rollback')
    }
    if (tries === MOST_TRIES) throw new Error('The tables of the database change all the time.')
  }
}

type Snapshot = Omit<
  Manifest,
  'format' | 'endedAt' | 'files' | 'contents' | 'contentBytes' | 'missing'
>

async function readDatabase(taking: BackupSession, tables: catalogue.Table[]): Promise<Snapshot> {
  const { client, store, seal, onProgress, listPath } = taking
  const takenAt = await readTime(client)
  const name = takenAt.replaceAll(/[-:.]/g, '')
  const id = `${name}-${randomBytes(3).toString('hex')}`
  const copyPart = async (
    part: string,
    statement: string,
    folder = nameDatabaseFolder(id),
  ): Promise<Rows> => {
    const lines = client.query(copyTo(statement))
    return putLines(store, { key: `${folder}${part}.copy.zst`, seal }, lines)
  }
  const findEarlierDay = await findEarlierDays(store, seal)
  const marks = await listDayMarks(client)
  const copyTable = async (table: catalogue.Table): Promise<CopiedTable> => {
    const statement = catalogue.copyOut(table)
    if (!isDayOver(table.name, new Date(takenAt)))
      return { ...table, ...(await copyPart(table.name, statement)) }
    const mark = marks.get(table.name)
    const unchanged = findEarlierDay(table, 'mark', mark)
    if (unchanged) return unchanged
    const digest = await measureRows(client, table)
    const same = findEarlierDay(table, 'digest', digest) ?? {
      ...table,
      digest,
      ...(await copyPart(table.name, statement, nameDayFolder(id))),
    }
    if (same.part) taking.daysRead.add(table.name)
    return mark === undefined ? same : { ...same, mark }
  }
  const copies: Manifest['tables'] = []
  for (const [index, table] of tables.entries()) {
    onProgress(`table ${index + 1} of ${tables.length}: ${table.name}`)
    copies.push(await copyTable(table))
  }
  const jobs = (await hasQueue(client))
    ? await copyPart('jobs', OPEN_JOBS)
    : { rows: 0, part: null }
  onProgress('list of files')
  await writeList(client, listPath)
  return {
    id,
    takenAt,
    recipients: [...seal.recipients],
    release: VERSION,
    migrations: await listApplied(client),
    tables: copies,
    partitions: await catalogue.listPartitions(client),
    sequences: await catalogue.listSequences(client),
    jobs,
  }
}

async function writeList(client: Client, path: string): Promise<void> {
  const db = createQueryBuilder(client)
  async function* lines(): AsyncGenerator<string> {
    for await (const file of listNamedFiles(db)) yield `${JSON.stringify(file)}\n`
  }
  await pipeline(Readable.from(lines()), createWriteStream(path, { mode: 0o600 }))
}

async function readTime(client: Client): Promise<string> {
  const { rows } = await client.query<{ at: Date }>('select clock_timestamp() as at')
  const [row] = rows
  if (!row) throw new Error('The database did not tell its time.')
  return row.at.toISOString()
}
