/** The published records of the corpus' vulnerabilities, as far as the shared data has them. */
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'

/** Decide which labels are compared. */
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

/** Further records, for the labels of images. */
const MORE_FILES = [
  'osv/almalinux.jsonl.gz',
  'osv/alpine-secdb-2020.jsonl.gz',
  'osv/bitnami.jsonl.gz',
  'osv/debian-dsa-dla.jsonl.gz',
  'osv/mixed-fixtures.jsonl.gz',
  'osv/psf.jsonl.gz',
]

/**
 * Whether the available records cover the component. They have few of distributions, and only PyPI and Go of the registries; other
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

/** The records of `wanted`; `cveIds` are those with a record in the first files. */
export function recordsOf(sharedData: string, wanted: ReadonlySet<string>): RealRecords {
  const feeds = mkdtempSync(join(tmpdir(), 'plimsoll-corpus-'))
  const cveIds = new Set<string>()
  for (const [index, path] of [...FILES, ...MORE_FILES].entries()) {
    const kept = gunzipSync(readFileSync(join(sharedData, path)))
      .toString('utf8')
      .split('\n')
      .filter((line) => {
        const { own, derived } = subjectsOf(line, wanted)
        if (index < FILES.length) for (const id of own) cveIds.add(id)
        return own.length + (index < FILES.length ? 0 : derived.length) > 0
      })
    if (kept.length > 0) writeFileSync(join(feeds, `${index}.jsonl`), `${kept.join('\n')}\n`)
  }
  return { feeds, cveIds }
}

/** The wanted vulnerabilities that a record is about or derives from; others may only be mentioned. */
function subjectsOf(line: string, wanted: ReadonlySet<string>) {
  if (!mentions(line, wanted)) return { own: [], derived: [] }
  const record = JSON.parse(line) as {
    id?: string
    aliases?: string[]
    upstream?: string[]
    related?: string[]
    cve?: { id?: string }
    cveMetadata?: { cveId?: string }
  }
  const { id, aliases = [], upstream = [], related = [], cve, cveMetadata } = record
  const isWanted = (one: string | undefined) => one !== undefined && wanted.has(one)
  return {
    own: [id, ...aliases, cve?.id, cveMetadata?.cveId].filter((one): one is string =>
      isWanted(one),
    ),
    derived: [...upstream, ...related].filter(isWanted),
  }
}

/** A quick check before parsing the line. */
function mentions(line: string, wanted: ReadonlySet<string>): boolean {
  return (line.match(/(?:CVE-\d{4}-\d{4,}|GHSA(?:-[0-9a-z]{4}){3})/g) ?? []).some((id) =>
    wanted.has(id),
  )
}
