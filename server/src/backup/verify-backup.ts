/** Reads all of a backup, or as much of it as tells whether it is whole. */
import { measureContent } from '../platform/blobs/measured-content.ts'
import { AppError } from '../platform/errors.ts'
import type { BackupStore } from './backup-store.ts'
import { type BackedUpFile, type Content, listContents } from './copy-files.ts'
import type { Manifest, Rows } from './manifest.ts'
import { checkPart, splitLines, useLines } from './parts.ts'
import { damaged } from './problems.ts'
import { nameContentFolder, PLAIN, type Seal } from './seal.ts'

interface NamedPart {
  name: string
  rows: Rows
  seal: Seal
}

function listParts({ manifest, seal }: Source): NamedPart[] {
  const { tables, jobs, files, contents } = manifest
  return [
    ...tables.map((table) => ({ name: `table ${table.name}`, rows: table, seal })),
    { name: 'jobs', rows: jobs, seal },
    { name: 'files', rows: files, seal },
    { name: 'contents', rows: contents, seal: PLAIN },
  ]
}

async function forEachLine(
  store: BackupStore,
  rows: Rows & { seal: Seal },
  use: (line: string) => Promise<void> | void,
): Promise<void> {
  await useLines(store, rows, async (chunks) => {
    for await (const line of splitLines(chunks)) await use(line)
  })
}

/** A backup that is read. */
export interface Source {
  store: BackupStore
  manifest: Manifest
  seal: Seal
}

export async function forEachFile(
  { store, manifest: { files }, seal }: Source,
  use: (file: BackedUpFile) => Promise<void> | void,
): Promise<void> {
  await forEachLine(store, { ...files, seal }, (line) => use(JSON.parse(line) as BackedUpFile))
}

export async function forEachContent(
  { store, manifest: { contents } }: Pick<Source, 'store' | 'manifest'>,
  use: (content: Content) => Promise<void> | void,
): Promise<void> {
  await forEachLine(store, { ...contents, seal: PLAIN }, (line) => use(JSON.parse(line) as Content))
}

/** Before a restore: the bytes of the database, and that all contents of files are there with their sizes. */
export async function requireWhole(
  source: Source,
  onProgress: (text: string) => void,
): Promise<void> {
  const { store, manifest } = source
  // The first thing to be opened: a wrong key is told before all else.
  await forEachFile(source, () => undefined)
  const parts = listParts(source)
  for (const [index, { name, rows }] of parts.entries()) {
    onProgress(`checking part ${index + 1} of ${parts.length}: ${name}`)
    if (rows.part) await checkPart(store, rows.part)
  }
  const folder = nameContentFolder(manifest.recipients)
  const present = await listContents(store, folder)
  await forEachContent(source, (content) => requirePresent(present, content, folder))
}

function requirePresent(
  present: ReadonlyMap<string, number>,
  { sha256, sizeBytes }: Content,
  folder: string,
): void {
  const found = present.get(sha256)
  if (found === undefined) throw damaged(`${folder}${sha256}`, 'is missing')
  if (found !== sizeBytes)
    throw damaged(`${folder}${sha256}`, `has ${found} bytes instead of ${sizeBytes}`)
}

export interface VerifyOutcome {
  id: string
  takenAt: string
  tables: number
  rows: number
  files: number
  contents: number
  contentBytes: number
  /** `Stored`: what is encrypted was compared with its sums and sizes, and not opened. */
  read: 'All' | 'Stored'
  faults: string[]
  missing: Manifest['missing']
}

/** Reads every byte. Goes on after a fault, so that all are told. */
export async function verifyBackup(
  source: Source,
  onProgress: (text: string) => void,
): Promise<VerifyOutcome> {
  const { manifest, seal } = source
  const faults: string[] = []
  const attempt = async (work: () => Promise<void> | void) => {
    try {
      await work()
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'backup-damaged') throw error
      faults.push(error.message)
    }
  }
  const opens = manifest.recipients.length === 0 || seal.canOpen
  const parts = listParts(source)
  for (const [index, part] of parts.entries()) {
    onProgress(`part ${index + 1} of ${parts.length}: ${part.name}`)
    await attempt(() => verifyPart(source, part))
  }
  const folder = nameContentFolder(manifest.recipients)
  const present = await listContents(source.store, folder)
  const listed = new Set<string>()
  await attempt(() =>
    forEachContent(source, async (content) => {
      onProgress(`content ${listed.size + 1} of ${manifest.contents.rows}: ${content.sha256}`)
      listed.add(content.sha256)
      await attempt(async () => {
        requirePresent(present, content, folder)
        if (opens) await verifyContent(source, content)
      })
    }),
  )
  if (opens)
    await attempt(() =>
      forEachFile(source, ({ key, sha256 }) => {
        if (!listed.has(sha256)) faults.push(`No content is listed for the file ${key}.`)
      }),
    )
  return { ...countContents(manifest), read: opens ? 'All' : 'Stored', faults }
}

function countContents({ id, takenAt, tables, files, contents, ...rest }: Manifest) {
  return {
    id,
    takenAt,
    tables: tables.length,
    rows: tables.reduce((sum, { rows }) => sum + rows, 0),
    files: files.rows,
    contents: contents.rows,
    contentBytes: rest.contentBytes,
    missing: rest.missing,
  }
}

async function verifyPart({ store }: Source, { rows, seal }: NamedPart): Promise<void> {
  const isClosed = seal.recipients.length > 0 && !seal.canOpen
  if (isClosed && rows.part) return checkPart(store, rows.part)
  await useLines(store, { ...rows, seal }, async (chunks) => {
    for await (const chunk of chunks) void chunk
  })
}

async function verifyContent(source: Source, { sha256 }: Content): Promise<void> {
  const { chunks, result } = measureContent(await openContent(source, sha256))
  for await (const chunk of chunks) void chunk
  if (result().sha256 !== sha256)
    throw damaged(
      `${nameContentFolder(source.manifest.recipients)}${sha256}`,
      'has another SHA-256',
    )
}

export async function openContent(
  { store, manifest, seal }: Source,
  sha256: string,
): Promise<AsyncIterable<Uint8Array>> {
  const key = `${nameContentFolder(manifest.recipients)}${sha256}`
  return seal.open(await store.get(key), key)
}
