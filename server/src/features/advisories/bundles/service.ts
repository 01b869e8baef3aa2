/** Writes all knowledge into one file, for machines that cannot fetch feeds. */
import { createHash, randomUUID } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { lstat, realpath, rename, rm, stat, writeFile } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { ADVISORY_SOURCES } from '../../../formats/advisories/model.ts'
import type { FeedSource } from '../../../formats/feed-files.ts'
import type { AppContext } from '../../../platform/context.ts'
import type { Tx } from '../../../platform/db/connect.ts'
import { AppError, invalid, readCode } from '../../../platform/errors.ts'
import { BUNDLE_VERSION, type BundleHeading } from './lines.ts'
import * as bundle from './store.ts'

export interface WrittenBundle {
  file: string
  bytes: number
  /** The hash of the whole file. The operator compares it on the other machine. */
  sha256: string
  records: Record<string, number>
}

/** Writes to a temporary name first: `file` appears when it is complete. */
export async function writeBundle(
  { db, now }: Pick<AppContext, 'db' | 'now'>,
  file: string,
): Promise<WrittenBundle> {
  const records: Record<string, number> = {}
  const target = await findTarget(file)
  const part = `${target}.${randomUUID()}.part`
  await createFile(part, file)
  try {
    await db
      .transaction()
      .setIsolationLevel('repeatable read')
      .setAccessMode('read only')
      .execute((tx) =>
        pipeline(
          Readable.from(chunks(tx, { at: now(), records })),
          createGzip(),
          createWriteStream(part),
        ),
      )
    await rename(part, target)
  } finally {
    await rm(part, { force: true })
  }
  return { file, bytes: (await stat(file)).size, sha256: await fileSha256(file), records }
}

/** The file that a name leads to, which may be a link. A folder, a device or a pipe is not replaced. */
async function findTarget(file: string): Promise<string> {
  const found = await stat(file).catch(() => undefined)
  const isLink = await lstat(file).then(
    (link) => link.isSymbolicLink(),
    () => false,
  )
  if (!found && isLink) throw invalid(`${file} is a link to a file that is not there.`)
  if (!found) return file
  if (!found.isFile())
    throw invalid(`${file} is there already and is no file. Name a file to write.`)
  return realpath(file)
}

/** Fails at once if the file cannot be written, not after minutes of reading. */
async function createFile(part: string, file: string): Promise<void> {
  try {
    await writeFile(part, '', { flag: 'wx' })
  } catch (error) {
    const isFolderAbsent = readCode(error) === 'ENOENT'
    throw isFolderAbsent ? invalid(`${file} cannot be written: there is no such folder.`) : error
  }
}

async function fileSha256(file: string): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of createReadStream(file)) hash.update(chunk as Buffer)
  return hash.digest('hex')
}

/** Refuses a file with another checksum. */
export async function checkBundle(file: string, sha256: string): Promise<void> {
  const actual = await fileSha256(file)
  if (actual === sha256.toLowerCase()) return
  throw new AppError(
    'invalid',
    'bundle-altered',
    `${file} has the SHA-256 ${actual}, not ${sha256}: it was altered or is another file.`,
  )
}

interface BundleOutput {
  at: Date
  records: Record<string, number>
}

async function* chunks(tx: Tx, { at, records }: BundleOutput): AsyncGenerator<string> {
  const hash = createHash('sha256')
  let count = 0
  const heading = `${JSON.stringify(await readHeading(tx, at))}\n`
  hash.update(heading)
  yield heading
  for (const [source, pages] of sections(tx))
    for await (const page of pages) {
      const text = page.map(({ line }) => `${line}\n`).join('')
      hash.update(text)
      count += page.length
      records[source] = (records[source] ?? 0) + page.length
      yield text
    }
  yield `${JSON.stringify({ end: true, records: count, sha256: hash.digest('hex') })}\n`
}

function sections(tx: Tx): [FeedSource, AsyncGenerator<{ line: string }[]>][] {
  return [
    ['kev', bundle.streamKevLines(tx)],
    ['epss', bundle.streamEpssLines(tx)],
    ['euvd', bundle.streamEuvdLines(tx)],
    ['endoflife', bundle.streamSupportLines(tx)],
    ...ADVISORY_SOURCES.map((source): [FeedSource, AsyncGenerator<{ line: string }[]>] => [
      source,
      bundle.streamAdvisoryLines(tx, source),
    ]),
  ]
}

async function readHeading(tx: Tx, at: Date): Promise<BundleHeading> {
  const sources = await bundle.listSourceStates(tx)
  return {
    plimsollFeedBundle: BUNDLE_VERSION,
    createdAt: at.toISOString(),
    sources: sources.map(({ source, lastSuccessAt, snapshotAt, recordCount, complete }) => ({
      source,
      lastSuccessAt: lastSuccessAt?.toISOString() ?? null,
      snapshotAt: snapshotAt?.toISOString() ?? null,
      recordCount,
      ...(complete.length > 0 && { complete }),
    })),
  }
}
