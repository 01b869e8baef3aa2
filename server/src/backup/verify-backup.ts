/** Reads all of a backup, or as much of it as tells whether it is whole. */
import { measureContent } from '../platform/blobs/measured-content.ts'
import { AppError } from '../platform/errors.ts'
import type { BackupStore } from './backup-store.ts'
import { type BackedUpFile, type Content, listContents } from './copy-files.ts'
import { contentKey, type Manifest, type Rows } from './manifest.ts'
import { checkPart, linesOf, useLines } from './parts.ts'
import { damaged } from './problems.ts'

/** The parts of the database with their names. */
function partsOf(manifest: Manifest): { name: string; rows: Rows }[] {
  const tables = manifest.tables.map((table) => ({ name: `table ${table.name}`, rows: table }))
  const { jobs, files, contents } = manifest
  return [
    ...tables,
    { name: 'jobs', rows: jobs },
    { name: 'files', rows: files },
    { name: 'contents', rows: contents },
  ]
}

async function forEachLine(
  store: BackupStore,
  rows: Rows,
  use: (line: string) => Promise<void> | void,
): Promise<void> {
  await useLines(store, rows, async (chunks) => {
    for await (const line of linesOf(chunks)) await use(line)
  })
}

export async function forEachFile(
  store: BackupStore,
  { files }: Manifest,
  use: (file: BackedUpFile) => Promise<void> | void,
): Promise<void> {
  await forEachLine(store, files, (line) => use(JSON.parse(line) as BackedUpFile))
}

async function forEachContent(
  store: BackupStore,
  { contents }: Manifest,
  use: (content: Content) => Promise<void> | void,
): Promise<void> {
  await forEachLine(store, contents, (line) => use(JSON.parse(line) as Content))
}

/** Before a restore: the bytes of the database, and that all contents of files are there with their sizes. */
export async function requireWhole(
  store: BackupStore,
  manifest: Manifest,
  onProgress: (text: string) => void,
): Promise<void> {
  const parts = partsOf(manifest)
  for (const [index, { name, rows }] of parts.entries()) {
    onProgress(`checking part ${index + 1} of ${parts.length}: ${name}`)
    if (rows.part) await checkPart(store, rows.part)
  }
  const present = await listContents(store)
  await forEachContent(store, manifest, ({ sha256, sizeBytes }) => {
    const found = present.get(sha256)
    if (found === undefined) throw damaged(contentKey(sha256), 'is missing')
    if (found !== sizeBytes)
      throw damaged(contentKey(sha256), `has ${found} bytes instead of ${sizeBytes}`)
  })
}

export interface Verified {
  id: string
  takenAt: string
  tables: number
  rows: number
  files: number
  contents: number
  contentBytes: number
  faults: string[]
  missing: Manifest['missing']
}

/** Reads every byte. Goes on after a fault, so that all are told. */
export async function verifyBackup(
  store: BackupStore,
  manifest: Manifest,
  onProgress: (text: string) => void,
): Promise<Verified> {
  const faults: string[] = []
  const attempt = async (work: () => Promise<void>) => {
    try {
      await work()
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      faults.push(error.message)
    }
  }
  const parts = partsOf(manifest)
  for (const [index, { name, rows }] of parts.entries()) {
    onProgress(`part ${index + 1} of ${parts.length}: ${name}`)
    await attempt(() =>
      useLines(store, rows, async (chunks) => {
        for await (const chunk of chunks) void chunk
      }),
    )
  }
  const read = new Set<string>()
  await attempt(() =>
    forEachContent(store, manifest, async (content) => {
      onProgress(`content ${read.size + 1} of ${manifest.contents.rows}: ${content.sha256}`)
      read.add(content.sha256)
      await attempt(() => verifyContent(store, content))
    }),
  )
  await attempt(() =>
    forEachFile(store, manifest, ({ key, sha256 }) => {
      if (!read.has(sha256)) faults.push(`No content is listed for the file ${key}.`)
    }),
  )
  return {
    id: manifest.id,
    takenAt: manifest.takenAt,
    tables: manifest.tables.length,
    rows: manifest.tables.reduce((sum, { rows }) => sum + rows, 0),
    files: manifest.files.rows,
    contents: manifest.contents.rows,
    contentBytes: manifest.contentBytes,
    faults,
    missing: manifest.missing,
  }
}

async function verifyContent(store: BackupStore, { sha256, sizeBytes }: Content): Promise<void> {
  const key = contentKey(sha256)
  const stored = await store.get(key).catch((error: unknown) => {
    const isMissing = error instanceof AppError && error.code === 'blob-not-found'
    throw isMissing ? damaged(key, 'is missing') : error
  })
  const { chunks, result } = measureContent(stored)
  for await (const chunk of chunks) void chunk
  const found = result()
  if (found.sizeBytes !== sizeBytes)
    throw damaged(key, `has ${found.sizeBytes} bytes instead of ${sizeBytes}`)
  if (found.sha256 !== sha256) throw damaged(key, 'has another SHA-256')
}
