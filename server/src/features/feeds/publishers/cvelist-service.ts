/** The CVE List: a baseline archive and the archives of later changes, or a local folder that others keep current. */
import { readFileSync, statSync } from 'node:fs'
import { isAbsolute, join } from 'node:path'
import { parseUniqueJson } from '../../../formats/duplicate-members.ts'
import { isObject } from '../../../formats/advisories/record-reader.ts'
import { type Archive, planArchives, type ReleaseFile } from './cvelist-releases.ts'
import { type FeedIo, type FeedPart, writePartMarks, needsArchive } from './feed-part.ts'

const MAX_LIST_BYTES = 64 * 1024 * 1024
/** A hundred releases have about 300 files. The plan compares each file with all others. */
const MAX_FILES = 10_000

export async function* planCvelistParts(io: FeedIo): AsyncGenerator<FeedPart> {
  const place = io.settings.urls.cvelist
  if (isAbsolute(place)) {
    yield localFiles(io, place)
    return
  }
  const files = await listFiles(io, place)
  const baseline = io.parts.get('baseline')
  const covered = [baseline?.position, io.parts.get('delta')?.position].reduce((a, b) =>
    (a ?? '') > (b ?? '') ? a : b,
  )
  const isBaselineDue = needsArchive(baseline, io)
  const archives = planArchives(files, { covered, isBaselineDue })
  if (archives.length === 0 && covered === undefined)
    throw new Error(`${place} lists no archive of all CVE records.`)
  for (const archive of archives) {
    yield archivePart(io, archive, archives.length)
    // Later archives hold changes only: without this one they would count as all records.
    if (io.hasFailed(archive.kind)) return
  }
}

function archivePart(io: FeedIo, { kind, url, to }: Archive, total: number): FeedPart {
  return {
    name: kind,
    total,
    fetch: async () => {
      const file = await io.fetchFile({ url })
      if (!file.isNew) return {}
      const isSnapshot = kind === 'baseline'
      return { path: file.path, isSnapshot, isWhole: isSnapshot, marks: writePartMarks(file, to) }
    },
  }
}

/** GitHub's list of releases, newest first. The addresses of a mirror may be relative. */
async function listFiles(io: FeedIo, place: string): Promise<ReleaseFile[]> {
  const url = `${place}${place.includes('?') ? '&' : '?'}per_page=100`
  const headers = { accept: 'application/vnd.github+json' }
  const { path } = await io.fetchFile({
    url,
    headers,
    name: 'releases.json',
    maxBytes: MAX_LIST_BYTES,
    // GitHub's answer to too many requests.
    alsoTransient: [403],
  })
  const releases = parsed(readFileSync(path), place)
  const files = releases.flatMap((release) =>
    isObject(release) && Array.isArray(release['assets'])
      ? release['assets'].flatMap((asset: unknown) => readFile(asset, place) ?? [])
      : [],
  )
  if (files.length > MAX_FILES) throw new Error(`${place} lists more than ${MAX_FILES} files.`)
  return files
}

function parsed(bytes: Uint8Array, place: string): unknown[] {
  try {
    const value: unknown = parseUniqueJson(bytes)
    if (Array.isArray(value)) return value
  } catch {
    // The error below covers this, too.
  }
  throw new Error(`${place} did not answer a list of releases.`)
}

function readFile(asset: unknown, place: string): ReleaseFile | undefined {
  if (!isObject(asset)) return undefined
  const { name, browser_download_url: address } = asset
  if (typeof name !== 'string' || typeof address !== 'string') return undefined
  const url = URL.parse(address, place)
  return url ? { name, url: url.href } : undefined
}

/** The time of the last change: that of the delta log in a clone of cvelistV5, else that of the file or folder. */
function localFiles(io: FeedIo, path: string): FeedPart {
  return {
    name: 'folder',
    total: 1,
    fetch: async () => {
      const log = statSync(join(path, 'cves', 'deltaLog.json'), { throwIfNoEntry: false })
      const position = (log ?? statSync(path)).mtime.toISOString()
      if (io.parts.get('folder')?.position === position) return {}
      return { path, isSnapshot: true, isWhole: true, marks: { position } }
    },
  }
}
