/** Feed files of all sources: through the readers of the importer, and those that can be read into the database. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { cpuUsage } from 'node:process'
import fc from 'fast-check'
import { importFeeds } from '../../src/features/advisories/index.ts'
import {
  recogniseFeedFile,
  readFeedTime,
} from '../../src/features/advisories/reading/recognised-feed.ts'
import { stageBatch } from '../../src/features/advisories/reading/record-batches.ts'
import { isOfAdvisories } from '../../src/features/advisories/staging/service.ts'
import { stageRecord } from '../../src/features/advisories/staging/rows.ts'
import {
  type FeedFile,
  readRecords,
  TruncatedFeedFile,
  cutUnparsedRecords,
} from '../../src/formats/feed-files.ts'
import { bytesOf, type StoredBytes } from './bytes.ts'
import { type Door, Fault, openDoor, textOf } from './door.ts'
import { jsonBytes, mutated, oddTexts, spoiled } from './mutations.ts'
import { some } from './sbom-documents.ts'
import { refuseVague } from './sboms.ts'
import { csaf } from './vex.ts'
import type { World } from './world.ts'

interface FeedCase {
  file: StoredBytes
}

const few = (of: fc.Arbitrary<unknown>, most = 3) => fc.array(of, { maxLength: most })
const ids = fc.constantFrom('CVE-2024-1000', 'CVE-2021-44228', 'CVE-2024-99999999', 'CVE-1', 'x')
const osvIds = fc.constantFrom(
  'GHSA-aaaa-bbbb-cccc',
  'DSA-1-1',
  'PYSEC-2024-1',
  'CVE-2024-1000',
  'ALBA-1',
  'SUSE-RU-1',
)
const times = fc.constantFrom(
  '2026-01-01T00:00:00Z',
  '2026-01-01T00:00:00.000',
  '2026-01-01',
  '0000-00-00',
  '1e9',
)
const words = fc.oneof(
  { arbitrary: fc.constantFrom('busybox', 'linux', 'A flaw. More.', 'a/b'), weight: 5 },
  oddTexts,
)
const versions = fc.oneof(
  {
    arbitrary: fc.constantFrom(
      '0',
      '1.0',
      '1.0.1',
      '2.*',
      'n/a',
      '< 3',
      '2024-01-01',
      '6ea1d0b0f3c8a5f0e6d2b1c4a7f9e8d3c2b1a0f9',
      '',
    ),
    weight: 6,
  },
  oddTexts,
)
const urls = fc.constantFrom(
  'https://github.com/a/b/commit/c',
  'https://x',
  'http://[',
  'javascript:1',
)
const cpes = fc
  .tuple(words, versions)
  .map(([product, version]) => `cpe:2.3:a:acme:${product}:${version}:*:*:*:*:*:*:*`)
const vectors = fc.constantFrom(
  'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H',
  'CVSS:4.0/AV:N/AC:L/AT:N/PR:N/UI:N/VC:H/VI:H/VA:H/SC:N/SI:N/SA:N',
  'AV:N/AC:L/Au:N/C:P/I:P/A:P',
  'CVSS:3.1/AV:X',
  '',
)
const scores = some({
  version: fc.constantFrom('3.1', '4.0', '2.0'),
  vectorString: vectors,
  baseScore: fc.constantFrom(9.8, -1, 11, '7'),
  baseSeverity: fc.constantFrom('HIGH', 'x'),
})
const langs = few(some({ lang: fc.constantFrom('en', 'en-US', 'de'), value: words }))

const cve = fc
  .tuple(
    ids,
    fc.constantFrom('PUBLISHED', 'REJECTED', 'RESERVED'),
    some({
      providerMetadata: some({ orgId: words, shortName: words }),
      title: words,
      descriptions: langs,
      rejectedReasons: langs,
      affected: few(
        some({
          vendor: words,
          product: words,
          packageName: words,
          collectionURL: urls,
          repo: urls,
          defaultStatus: fc.constantFrom('affected', 'unaffected', 'unknown'),
          platforms: few(words),
          programFiles: few(words),
          cpes: few(cpes),
          versions: few(
            some({
              version: versions,
              status: fc.constantFrom('affected', 'unaffected', 'unknown'),
              lessThan: versions,
              lessThanOrEqual: versions,
              versionType: fc.constantFrom('semver', 'git', 'custom', 'rpm', 'x'),
              changes: few(some({ at: versions, status: fc.constant('unaffected') })),
            }),
          ),
        }),
      ),
      cpeApplicability: few(
        some({
          nodes: few(
            some({
              operator: fc.constant('OR'),
              negate: fc.boolean(),
              cpeMatch: few(
                some({ vulnerable: fc.boolean(), criteria: cpes, versionEndExcluding: versions }),
              ),
            }),
          ),
        }),
      ),
      metrics: few(
        some({
          cvssV3_1: scores,
          cvssV4_0: scores,
          other: some({ type: fc.constant('ssvc'), content: fc.jsonValue({ maxDepth: 2 }) }),
        }),
      ),
      problemTypes: few(
        some({
          descriptions: few(
            some({ cweId: fc.constantFrom('CWE-79', 'x'), lang: fc.constant('en') }),
          ),
        }),
      ),
      references: few(some({ url: urls, tags: few(words), name: words })),
      datePublic: times,
    }),
    few(some({ title: words, providerMetadata: some({ shortName: fc.constant('CISA-ADP') }) }), 1),
  )
  .map(([cveId, state, cna, adp]) => ({
    dataType: 'CVE_RECORD',
    dataVersion: '5.1',
    cveMetadata: { cveId, state, dateUpdated: '2026-01-01T00:00:00.000Z' },
    containers: { cna, adp },
  }))

const nvd = fc
  .tuple(
    ids,
    some({
      lastModified: times,
      published: times,
      vulnStatus: fc.constantFrom('Analyzed', 'Rejected', 'x'),
      descriptions: langs,
      metrics: some({
        cvssMetricV31: few(
          some({ source: words, type: fc.constantFrom('Primary', 'Secondary'), cvssData: scores }),
        ),
        cvssMetricV2: few(some({ cvssData: scores })),
      }),
      weaknesses: few(some({ description: langs })),
      configurations: few(
        some({
          operator: fc.constantFrom('AND', 'OR'),
          nodes: few(
            some({
              operator: fc.constantFrom('AND', 'OR'),
              negate: fc.boolean(),
              cpeMatch: few(
                some({
                  vulnerable: fc.boolean(),
                  criteria: cpes,
                  versionStartIncluding: versions,
                  versionEndExcluding: versions,
                  versionEndIncluding: versions,
                }),
              ),
            }),
          ),
        }),
      ),
      references: few(some({ url: urls, source: words, tags: few(words) })),
      cisaExploitAdd: times,
    }),
  )
  .map(([id, rest]) => ({ cve: { id, sourceIdentifier: 'x', ...rest } }))

const osv = fc
  .tuple(
    osvIds,
    some({
      modified: times,
      published: times,
      withdrawn: times,
      aliases: few(fc.oneof(ids, osvIds)),
      upstream: few(ids),
      related: few(ids),
      summary: words,
      details: words,
      severity: few(
        some({
          type: fc.constantFrom('CVSS_V3', 'CVSS_V4', 'Ubuntu'),
          score: fc.oneof(vectors, words),
        }),
      ),
      affected: few(
        some({
          package: some({
            ecosystem: fc.constantFrom(
              'PyPI',
              'npm',
              'Debian:12',
              'Alpine:v3.20',
              'Linux',
              'GIT',
              'odd',
              '',
            ),
            name: words,
            purl: fc.constantFrom('pkg:npm/a', 'pkg:deb/debian/a?distro=x', 'x'),
          }),
          ranges: few(
            some({
              type: fc.constantFrom('SEMVER', 'ECOSYSTEM', 'GIT', 'x'),
              repo: urls,
              events: few(
                fc.oneof(
                  some({ introduced: versions }),
                  some({ fixed: versions }),
                  some({ last_affected: versions }),
                  some({ limit: versions }),
                ),
                4,
              ),
              database_specific: fc.jsonValue({ maxDepth: 2 }),
            }),
          ),
          versions: few(versions),
          severity: few(some({ type: fc.constant('CVSS_V3'), score: vectors })),
          ecosystem_specific: fc.jsonValue({ maxDepth: 2 }),
          database_specific: fc.jsonValue({ maxDepth: 2 }),
        }),
      ),
      references: few(some({ type: fc.constantFrom('ADVISORY', 'FIX'), url: urls })),
      database_specific: some({
        severity: words,
        cwe_ids: few(fc.constantFrom('CWE-1', 'y')),
        cpes: few(cpes),
      }),
    }),
  )
  .map(([id, rest]) => ({ schema_version: '1.7.0', id, ...rest }))

const kev = fc.array(
  some({
    cveID: ids,
    vendorProject: words,
    product: words,
    vulnerabilityName: words,
    dateAdded: times,
    shortDescription: words,
    requiredAction: words,
    dueDate: times,
    knownRansomwareCampaignUse: words,
    cwes: few(words),
  }),
  { maxLength: 4 },
)
const epssLines = fc
  .array(
    fc.tuple(ids, fc.constantFrom('0.5', '1', '2', '1e-3', '', 'x'), fc.constantFrom('0.9', '-1')),
    { maxLength: 6 },
  )
  .map((rows) =>
    [
      '#model_version:v2025,score_date:2026-01-01T00:00:00+0000',
      'cve,epss,percentile',
      ...rows.map((row) => row.join(',')),
    ].join('\n'),
  )

const lines = (of: fc.Arbitrary<unknown>) =>
  fc
    .array(of, { minLength: 1, maxLength: 4 })
    .map((all) => all.map((one) => JSON.stringify(one)).join('\n'))

const files: fc.Arbitrary<Buffer> = fc.oneof(
  mutated(cve).map(jsonBytes),
  lines(mutated(cve)).map((text) => Buffer.from(text)),
  mutated(
    fc.array(nvd, { maxLength: 3 }).map((vulnerabilities) => ({
      format: 'NVD_CVE',
      version: '2.0',
      timestamp: '2026-01-02T00:00:00.000',
      vulnerabilities,
    })),
  ).map(jsonBytes),
  mutated(osv).map(jsonBytes),
  mutated(fc.array(osv, { maxLength: 3 })).map(jsonBytes),
  mutated(csaf).map(jsonBytes),
  mutated(
    kev.map((vulnerabilities) => ({
      catalogVersion: '2026.01.01',
      dateReleased: '2026-01-01T00:00:00Z',
      vulnerabilities,
    })),
  ).map(jsonBytes),
  mutated(
    fc.array(some({ euvdId: words, cveId: ids, dateReported: times, source: words }), {
      maxLength: 3,
    }),
  ).map(jsonBytes),
  epssLines.map((text) => Buffer.from(text)),
)

const cases: fc.Arbitrary<FeedCase> = spoiled(files, 6).map((file) => ({ file }))

/** A file may have no record that can be used, and a catalogue fewer entries than are known. */
const REFUSALS = /^none of the|^The catalogue holds/
/** As if the record were new. */
const WRITTEN_AT = '2026-01-01T00:00:00.000Z'
const HEAD_BYTES = 64 * 1024
/** Of processor time: other programs may slow a machine down. */
const SLOW_MICROSECONDS = 5_000_000

export function feedDoor({ test: { ctx } }: World): Door {
  const read: FeedCase[] = []
  return openDoor({
    cases,
    run: async (one) => {
      const begun = cpuUsage()
      if (await isReadToItsEnd(bytesOf(one.file))) read.push(one)
      if (cpuUsage(begun).user > SLOW_MICROSECONDS)
        throw new Fault('slow: a small file takes seconds')
    },
    check: async () => {
      const all = read.splice(0)
      const failed = await importing(all)
      if (failed === undefined) return
      for (const one of all) {
        const alone = await importing([one])
        if (alone !== undefined) throw new Fault(`import: ${alone}`, one)
      }
      throw new Fault(`import of these together: ${failed}\n${JSON.stringify(all)}`)
    },
  })

  /** @returns why the import failed. */
  async function importing(all: readonly FeedCase[]): Promise<string | undefined> {
    if (all.length === 0) return undefined
    const folder = mkdtempSync(join(tmpdir(), 'plimsoll-fuzz-'))
    try {
      for (const [index, { file }] of all.entries())
        writeFileSync(join(folder, `${index}.json`), bytesOf(file))
      const outcomes = await importFeeds(ctx, { path: folder })
      const failed = outcomes.find(({ error }) => error !== undefined && !REFUSALS.test(error))
      return failed?.error
    } catch (error) {
      return textOf(error)
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  }
}

/** Whether it is a feed file, without a fault that stops its import. */
async function isReadToItsEnd(bytes: Buffer): Promise<boolean> {
  const head = bytes.subarray(0, HEAD_BYTES)
  const feed = recogniseFeedFile({ head, failure: undefined }, undefined)
  if (!('source' in feed)) {
    refuseVague(feed.reason)
    return false
  }
  try {
    await stage(bytes, feed, readFeedTime(feed.source, head))
    return true
  } catch (error) {
    if (!(error instanceof TruncatedFeedFile)) throw error
    return false
  }
}

async function stage(bytes: Buffer, feed: FeedFile, feedAt: string | undefined): Promise<void> {
  const { source } = feed
  if (!isOfAdvisories(source)) {
    for await (const item of readRecords(chunksOf(bytes), feed))
      if ('record' in item) stageRecord(source, item.record, { ordinal: 1, feedAt })
    return
  }
  for (const item of cutUnparsedRecords(bytes, feed)) {
    if (!('bytes' in item)) continue
    const batch = { source, feedAt, ordinals: [1], ends: [item.bytes.length], bytes: item.bytes }
    stageBatch({ ...batch, writtenAt: WRITTEN_AT })
    const { skipped } = stageBatch({ ...batch, writtenAt: undefined })
    const [fault] = skipped
    if (fault && item.isLast === true && !fault.isParsed) throw new TruncatedFeedFile('last line')
    if (fault) refuseVague(`the record ${fault.reason}`)
  }
}

const CHUNK = 1_000

// oxlint-disable-next-line typescript/require-await -- as a file is read
async function* chunksOf(bytes: Buffer): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += CHUNK) yield bytes.subarray(at, at + CHUNK)
}
