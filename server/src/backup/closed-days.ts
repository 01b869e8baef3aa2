/**
 * Tables of days that are over, such as those of packed metrics and logs: written once, and named by each later backup for as long
 * as their rows are the same.
 */
import type { Client } from 'pg'
import { to as copyTo } from 'pg-copy-streams'
import { measureContent } from '../platform/blobs/measured-content.ts'
import { AppError } from '../platform/errors.ts'
import type { BackupStore } from './backup-store.ts'
import { copyOut, type Table } from './catalogue.ts'
import { listBackupIds, type Manifest, readManifest } from './manifest.ts'
import type { Seal } from './seal.ts'

export const DAYS_FOLDER = 'days/'

export type CopiedTable = Manifest['tables'][number]

/** As the telemetry names its partitions. A late row makes a day that is over another one, which is then written again. */
export function isDayOver(name: string, at: Date): boolean {
  const day = /_(\d{8})$/.exec(name)?.[1]
  return day !== undefined && day < at.toISOString().slice(0, 10).replaceAll('-', '')
}

/** Of the rows in binary form, which costs less than half of text: their compressed or encrypted form is another one each time. */
export async function measureRows(client: Client, table: Table): Promise<string> {
  const { chunks, result } = measureContent(
    client.query(copyTo(`${copyOut(table)} (format binary)`)),
  )
  for await (const chunk of chunks) void chunk
  return result().sha256
}

/** A stored day whose rows are the same, as its mark or its digest tells. undefined: no such day is known. */
export type FindEarlierDay = (
  table: Table,
  by: 'mark' | 'digest',
  value: string | undefined,
) => CopiedTable | undefined

/** A part that was lost since is not found, so that the next backup heals it. */
export async function findEarlierDays(
  store: BackupStore,
  { recipients }: Seal,
): Promise<FindEarlierDay> {
  const sizes = new Map<string, number>()
  for await (const { key, sizeBytes } of store.list(DAYS_FOLDER)) sizes.set(key, sizeBytes)
  const earlier = await findEarlier(store, recipients)
  return (table, by, value) => {
    const found = earlier.get(table.name)
    if (!found || value === undefined || found[by] !== value) return undefined
    if (String(found.columns) !== String(table.columns)) return undefined
    const isThere = found.part === null || sizes.get(found.part.key) === found.part.sizeBytes
    return isThere ? found : undefined
  }
}

/** Of the newest backup that can be read and is encrypted to the same keys. */
async function findEarlier(
  store: BackupStore,
  recipients: readonly string[],
): Promise<Map<string, CopiedTable>> {
  for (const id of (await listBackupIds(store)).toReversed()) {
    const manifest = await readManifest(store, id).catch(ignoreUnreadable)
    if (manifest && String(manifest.recipients) === String(recipients))
      return new Map(manifest.tables.map((table) => [table.name, table]))
  }
  return new Map()
}

function ignoreUnreadable(error: unknown): undefined {
  if (!(error instanceof AppError)) throw error
}

/** Deletes days that no backup names. None as long as a backup cannot tell which it names. */
export async function deleteUnusedDays(store: BackupStore): Promise<void> {
  const used = new Set<string>()
  for (const id of await listBackupIds(store)) {
    const manifest = await readManifest(store, id).catch(ignoreUnreadable)
    if (!manifest) return
    for (const { part } of manifest.tables) if (part) used.add(part.key)
  }
  for await (const { key } of store.list(DAYS_FOLDER)) if (!used.has(key)) await store.delete(key)
}
