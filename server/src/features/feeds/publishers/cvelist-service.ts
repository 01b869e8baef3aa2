/** The CVE List: a baseline archive, then the archives of what changed since; or a folder that others keep current. */
import { readFileSync, statSync } from 'node:fs'
import { isAbsolute, join } from 'node:path'
import { isObject } from '../../../formats/advisories/record-reader.ts'
import { type Archive, planArchives, type ReleaseFile } from './cvelist-releases.ts'
import { type FeedIo, type FeedPart, marksOf, needsArchive } from './feed-part.ts'

const MOST_LIST_BYTES = 64 * 1024 * 1024
/** A hundred releases have some 300; each is held against all others. */
const MOST_FILES = 10_000

export async function* cvelistParts(io: FeedIo): AsyncGenerator<FeedPart> {
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
    // What follows says what changed since: without what it builds on, it would pass for all.
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
      return { path: file.path, isSnapshot, isWhole: isSnapshot, marks: marksOf(file, to) }
    },
  }
}

/** GitHub's list of releases, newest first; a mirror may give addresses relative to its own. */
async function listFiles(io: FeedIo, place: string): Promise<ReleaseFile[]> {
  const url = `${place}${place.includes('?') ? '&' : '?'}per_page=100`
  const headers = { accept: 'application/vnd.github+json' }
  const { path } = await io.fetchFile({
    url,
    headers,
    name: 'releases.json',
    maxBytes: MOST_LIST_BYTES,
    // GitHub says so to who asks too often.
    alsoTransient: [403],
  })
  const releases = parsed(readFileSync(path, 'utf8'), place)
  const files = releases.flatMap((release) =>
    isObject(release) && Array.isArray(release['assets'])
      ? release['assets'].flatMap((asset: unknown) => fileOf(asset, place) ?? [])
      : [],
  )
  if (files.length > MOST_FILES) throw new Error(`${place} lists more than ${MOST_FILES} files.`)
  return files
}

function parsed(text: string, place: string): unknown[] {
  try {
    const value: unknown = JSON.parse(text)
    if (Array.isArray(value)) return value
  } catch {
    // Said below.
  }
  throw new Error(`${place} answered no list of releases.`)
}

function fileOf(asset: unknown, place: string): ReleaseFile | undefined {
  if (!isObject(asset)) return undefined
  const { name, browser_download_url: address } = asset
  if (typeof name !== 'string' || typeof address !== 'string') return undefined
  const url = URL.parse(address, place)
  return url ? { name, url: url.href } : undefined
}

/** A clone says in its delta log when it last changed; anything else by the time of the file or folder. */
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
