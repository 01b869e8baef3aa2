/** What a backup holds. It is written last: without its manifest a backup does not exist. */
import { createHash } from 'node:crypto'
import { text } from 'node:stream/consumers'
import { type Static, Type } from 'typebox'
import { Compile } from 'typebox/compile'
import { AppError } from '../platform/errors.ts'
import type { BackupStore } from './backup-store.ts'
import { damaged, noBackup, refused } from './problems.ts'

const FORMAT = 1

const Part = Type.Object({
  key: Type.String(),
  sizeBytes: Type.Number(),
  /** The hash of the stored bytes. */
  sha256: Type.String(),
})
export type Part = Static<typeof Part>

const Rows = Type.Object({ rows: Type.Number(), part: Type.Union([Part, Type.Null()]) })
export type Rows = Static<typeof Rows>

const Table = Type.Intersect([
  Rows,
  Type.Object({
    name: Type.String(),
    columns: Type.Array(Type.String()),
    /** SHA-256 of the rows of a day that is over, as COPY writes them in binary form; its part may be that of an earlier backup. */
    digest: Type.Optional(Type.String()),
    /** As long as the partition has this mark, its rows are these. Missing: it had none, or was changed since it got one. */
    mark: Type.Optional(Type.String()),
  }),
])

const Manifest = Type.Object({
  format: Type.Literal(FORMAT),
  id: Type.String(),
  /** When the transaction began whose state the backup holds, by the clock of the database. */
  takenAt: Type.String(),
  endedAt: Type.String(),
  /** Public keys of age. Empty: the backup is not encrypted. */
  recipients: Type.Array(Type.String()),
  release: Type.String(),
  migrations: Type.Array(Type.Object({ name: Type.String(), checksum: Type.String() })),
  tables: Type.Array(Table),
  /** Those that the service makes while it runs. */
  partitions: Type.Array(
    Type.Object({ name: Type.String(), parent: Type.String(), bound: Type.String() }),
  ),
  sequences: Type.Array(
    Type.Object({ name: Type.String(), value: Type.String(), isCalled: Type.Boolean() }),
  ),
  /** Work that was accepted and not done. */
  jobs: Rows,
  /** What rows name: a line each. */
  files: Rows,
  /** The distinct contents of the files: a line each. Never encrypted, so that a schedule without keys knows what is used. */
  contents: Rows,
  contentBytes: Type.Number(),
  /** Files that rows name, and that could not be read when the backup was made. */
  missing: Type.Array(Type.Object({ key: Type.String(), reason: Type.String() })),
})
export type Manifest = Static<typeof Manifest>

const checker = Compile(Manifest)
const FOLDER = 'manifests/'

/** `20261123T220512123Z-1f9a4c`, so that names are in the order of time. */
const BACKUP_ID = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)(\d{3})Z-[0-9a-f]{6}$/

export const nameManifest = (id: string) => `${FOLDER}${id}.json`
/** When the backup was taken, as its id tells. */
export function readTimeOfId(id: string): Date {
  const parts = BACKUP_ID.exec(id)?.slice(1).map(Number) ?? []
  const [year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0, ms = 0] = parts
  return new Date(Date.UTC(year, month - 1, day, hour, minute, second, ms))
}

export const nameDatabaseFolder = (id: string) => `databases/${id}/`

export async function writeManifest(
  store: BackupStore,
  manifest: Omit<Manifest, 'format'>,
): Promise<void> {
  const body = JSON.stringify({ format: FORMAT, ...manifest })
  const file = JSON.stringify({ sha256: sha256Of(body), body })
  await store.put(nameManifest(manifest.id), only(Buffer.from(file)))
}

// eslint-disable-next-line @typescript-eslint/require-await -- a store takes its content as it arrives
async function* only(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}

function sha256Of(body: string): string {
  return createHash('sha256').update(body).digest('hex')
}

/** The oldest first. */
export async function listBackupIds(store: BackupStore): Promise<string[]> {
  const ids: string[] = []
  for await (const { key } of store.list(FOLDER)) {
    const id = key.slice(FOLDER.length).replace(/\.json$/, '')
    if (BACKUP_ID.test(id)) ids.push(id)
  }
  return ids.toSorted()
}

/** The newest backup, or the one with the id. */
export async function findManifest(store: BackupStore, id?: string): Promise<Manifest> {
  const wanted = id ?? (await listBackupIds(store)).at(-1)
  if (wanted === undefined)
    throw noBackup(`${store.name} holds no whole backup: there is no manifest in it.`)
  if (!BACKUP_ID.test(wanted)) throw noBackup(`${JSON.stringify(wanted)} is no id of a backup.`)
  return readManifest(store, wanted)
}

export async function readManifest(store: BackupStore, id: string): Promise<Manifest> {
  const key = nameManifest(id)
  const stored = await store.get(key).then(text, (error: unknown) => {
    if (error instanceof AppError && error.code === 'blob-not-found')
      throw noBackup(`${store.name} holds no backup ${id}.`)
    throw error
  })
  const manifest = parse(parseSealed(stored) ?? '')
  if (manifest === undefined) throw damaged(key, 'was altered or cut off')
  if (isOfNewerFormat(manifest))
    throw refused(`The backup ${id} was made by a newer release. Use that release or a newer one.`)
  if (!checker.Check(manifest)) throw damaged(key, 'is not a manifest of this release')
  return manifest
}

/** The body, if it has the checksum that stands beside it. */
function parseSealed(stored: string): string | undefined {
  const sealed = parse(stored)
  if (typeof sealed !== 'object' || sealed === null) return undefined
  if (!('body' in sealed) || !('sha256' in sealed) || typeof sealed.body !== 'string')
    return undefined
  return sha256Of(sealed.body) === sealed.sha256 ? sealed.body : undefined
}

function parse(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    return undefined
  }
}

function isOfNewerFormat(manifest: unknown): boolean {
  const isObject = typeof manifest === 'object' && manifest !== null
  return isObject && 'format' in manifest && Number(manifest.format) > FORMAT
}
