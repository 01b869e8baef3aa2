/** The published records of the corpus' vulnerabilities, as far as the shared data has them. */
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'

const FILES = [
  'cve5/openssl-cna.jsonl.gz',
  'cve5/linux-kernel-cna.jsonl.gz',
  'cve5/vulnrichment-firmware.jsonl.gz',
  'cve5/vulnrichment-sample.jsonl.gz',
  'nvd/nvd20-firmware.jsonl.gz',
  'nvd/nvd20-firmware-converted-from-11.jsonl.gz',
  'nvd/nvd20-sample.jsonl.gz',
  'osv/golang-vulndb.jsonl.gz',
  'osv/pypa.jsonl.gz',
]

/**
 * Whether the available records cover the component. They have no distributions, and only PyPI and Go of the registries; other
 * packages would count as unaffected only because their record is missing.
 */
export function isCovered(component: string): boolean {
  const type = /(?:^| )pkg:([^/]+)/.exec(component)?.[1]
  return type === undefined || COVERED.has(type)
}

const COVERED = new Set(['generic', 'github', 'git@github', 'gitlab', 'yocto', 'pypi', 'golang'])

export interface RealRecords {
  /** A folder of feeds. */
  feeds: string
  /** The vulnerabilities with a record. */
  cveIds: Set<string>
}

export function recordsOf(sharedData: string, wanted: ReadonlySet<string>): RealRecords {
  const feeds = mkdtempSync(join(tmpdir(), 'plimsoll-corpus-'))
  const cveIds = new Set<string>()
  for (const [index, path] of FILES.entries()) {
    const kept = gunzipSync(readFileSync(join(sharedData, path)))
      .toString('utf8')
      .split('\n')
      .filter((line) => {
        const named = subjectsOf(line, wanted).filter((id) => wanted.has(id))
        for (const id of named) cveIds.add(id)
        return named.length > 0
      })
    if (kept.length > 0) writeFileSync(join(feeds, `${index}.jsonl`), `${kept.join('\n')}\n`)
  }
  return { feeds, cveIds }
}

/** The vulnerabilities that a record is about; others may only be mentioned. */
function subjectsOf(line: string, wanted: ReadonlySet<string>): string[] {
  if (!mentions(line, wanted)) return []
  const record = JSON.parse(line) as {
    id?: string
    aliases?: string[]
    cve?: { id?: string }
    cveMetadata?: { cveId?: string }
  }
  const { id, aliases = [], cve, cveMetadata } = record
  return [id, ...aliases, cve?.id, cveMetadata?.cveId].filter((one) => one !== undefined)
}

/** A quick check before parsing the line. */
function mentions(line: string, wanted: ReadonlySet<string>): boolean {
  return (line.match(/CVE-\d{4}-\d{4,}/g) ?? []).some((id) => wanted.has(id))
}
