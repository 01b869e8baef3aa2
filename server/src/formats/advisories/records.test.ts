/** What holds for every record reader: real records are read, hostile ones are skipped, nothing throws. */
import fc from 'fast-check'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { propertyRuns } from '../../../test/property-runs.ts'
import { describeWithSharedData } from '../../../test/shared-data.ts'
import { parseCveRecord } from './cve5.ts'
import { findCweName } from './cwe-names.ts'
import { parseEpss } from './epss.ts'
import { cveRecord } from './fixtures/cve-record.ts'
import { parseKevEntry } from './kev.ts'
import type { Advisory, ParsedRecord } from './model.ts'
import { parseNvdRecord } from './nvd.ts'
import { parseOsvRecord } from './osv.ts'

const READERS = { parseCveRecord, parseNvdRecord, parseOsvRecord, parseKevEntry, parseEpss }

const SEEDS: unknown[] = [
  cveRecord({
    affected: [
      {
        vendor: 'a',
        product: 'b',
        cpes: ['cpe:2.3:a:a:b:*:*:*:*:*:*:*:*'],
        versions: [
          {
            version: '1',
            lessThan: '2',
            status: 'affected',
            changes: [{ at: '1.5', status: 'unaffected' }],
          },
        ],
      },
    ],
    metrics: [{ cvssV3_1: { version: '3.1', vectorString: 'x', baseScore: 1 } }],
    cpeApplicability: [
      {
        nodes: [
          {
            operator: 'OR',
            cpeMatch: [{ vulnerable: true, criteria: 'cpe:2.3:a:a:b:*:*:*:*:*:*:*:*' }],
          },
        ],
      },
    ],
  }),
  {
    cve: {
      id: 'CVE-2024-1000',
      vulnStatus: 'x',
      metrics: { cvssMetricV31: [{ cvssData: {} }] },
      configurations: [{ operator: 'AND', nodes: [{ negate: true, cpeMatch: [] }] }],
    },
  },
  {
    id: 'GHSA-1',
    modified: '2024-01-01T00:00:00Z',
    affected: [
      {
        package: { ecosystem: 'npm', name: 'a', purl: 'pkg:npm/a' },
        versions: ['1'],
        ranges: [{ type: 'GIT', repo: 'x', events: [{ introduced: '0' }] }],
      },
    ],
  },
  { cveID: 'CVE-2024-1000', vendorProject: 'a', product: 'b', dateAdded: '2024-01-01' },
]

/** The value with the part at a random place replaced. */
function mutated(value: unknown, path: readonly number[], by: unknown): unknown {
  const [step, ...rest] = path
  if (step === undefined || typeof value !== 'object' || value === null) return by
  const keys = Object.keys(value)
  const key = keys[step % Math.max(1, keys.length)]
  if (key === undefined) return by
  if (Array.isArray(value)) return value.with(Number(key), mutated(value[Number(key)], rest, by))
  return { ...value, [key]: mutated(Reflect.get(value, key), rest, by) }
}

describe('hostile records', () => {
  const hostile = fc.oneof(
    fc.jsonValue(),
    fc.constantFrom(
      '\u0000',
      '\ud800',
      '__proto__',
      'constructor',
      '0'.repeat(300),
      -1,
      1e308,
      {},
      [],
      [[]],
      [null],
      null,
      '',
    ),
  )

  it('no record makes a reader throw, however it is changed', () => {
    const record = fc
      .tuple(fc.constantFrom(...SEEDS), fc.array(fc.nat({ max: 20 }), { maxLength: 9 }), hostile)
      .map(([seed, path, by]) => mutated(seed, path, by))
    fc.assert(
      fc.property(fc.oneof(record, hostile), (json) => {
        for (const read of Object.values(READERS)) {
          const parsed = read(json)
          if (parsed && !parsed.ok) expect(parsed.reason).not.toBe('')
        }
      }),
      { numRuns: propertyRuns(3000) },
    )
  })

  it('names of the prototype are names like others', () => {
    const json: unknown = JSON.parse(
      '{"__proto__":{"id":"GHSA-9"},"constructor":{},"id":"GHSA-1","modified":"2024-01-01T00:00:00Z"}',
    )

    expect(parseOsvRecord(json)).toMatchObject({ ok: true, value: { id: 'GHSA-1' } })
    expect(parseOsvRecord(JSON.parse('{"__proto__":{"id":"GHSA-9"}}'))).toMatchObject({ ok: false })
  })

  it('deep nesting and long lists are read in a moment', () => {
    const deep: unknown = JSON.parse(
      `{"id":"GHSA-1","affected":${'['.repeat(50_000)}${']'.repeat(50_000)}}`,
    )
    const versions = Array.from({ length: 200_000 }, (_, index) => String(index))
    const long = {
      id: 'GHSA-1',
      affected: [{ package: { ecosystem: 'npm', name: 'a' }, versions }],
    }
    const cves = cveRecord({
      affected: [
        {
          vendor: 'a',
          product: 'b',
          versions: versions.map((version) => ({ version, status: 'affected' })),
        },
      ],
    })

    expect(parseOsvRecord(deep)).toMatchObject({ ok: false })
    expect(parseOsvRecord(long)).toMatchObject({ ok: true })
    expect(parseCveRecord(cves)).toMatchObject({ ok: true })
  })
})

interface PublishedFile {
  file: string
  read: (json: unknown) => ParsedRecord
  count: number
  withdrawn: number
  skipped: string[]
}

describeWithSharedData('published records', (folder) => {
  const text = (file: string) => {
    const bytes = readFileSync(join(folder, file))
    return file.endsWith('.gz') ? gunzipSync(bytes).toString() : bytes.toString()
  }
  const lines = (file: string): unknown[] =>
    text(file)
      .trim()
      .split('\n')
      .map((line): unknown => JSON.parse(line))

  it.each`
    file                                               | read              | count    | withdrawn | skipped
    ${'cve5/linux-kernel-cna.jsonl.gz'}                | ${parseCveRecord} | ${14626} | ${0}      | ${[]}
    ${'cve5/openssl-cna.jsonl.gz'}                     | ${parseCveRecord} | ${272}   | ${0}      | ${[]}
    ${'cve5/vulnrichment-firmware.jsonl.gz'}           | ${parseCveRecord} | ${170}   | ${0}      | ${[]}
    ${'cve5/vulnrichment-sample.jsonl.gz'}             | ${parseCveRecord} | ${8000}  | ${19}     | ${[]}
    ${'nvd/nvd20-sample.jsonl.gz'}                     | ${parseNvdRecord} | ${24000} | ${787}    | ${[]}
    ${'nvd/nvd20-firmware.jsonl.gz'}                   | ${parseNvdRecord} | ${1648}  | ${0}      | ${[]}
    ${'nvd/nvd20-firmware-converted-from-11.jsonl.gz'} | ${parseNvdRecord} | ${4926}  | ${0}      | ${[]}
    ${'osv/bitnami.jsonl.gz'}                          | ${parseOsvRecord} | ${591}   | ${0}      | ${[]}
    ${'osv/golang-vulndb.jsonl.gz'}                    | ${parseOsvRecord} | ${2989}  | ${12}     | ${[]}
    ${'osv/mixed-fixtures.jsonl.gz'}                   | ${parseOsvRecord} | ${98}    | ${5}      | ${['/affected/0/ranges/0/type is missing']}
    ${'osv/oss-fuzz.jsonl.gz'}                         | ${parseOsvRecord} | ${2805}  | ${17}     | ${[]}
    ${'osv/psf.jsonl.gz'}                              | ${parseOsvRecord} | ${93}    | ${0}      | ${[]}
    ${'osv/pypa.jsonl.gz'}                             | ${parseOsvRecord} | ${1855}  | ${8}      | ${[]}
  `(
    '$file has $count records, $withdrawn withdrawn, $skipped.length skipped',
    ({ file, read, count, withdrawn, skipped }: PublishedFile) => {
      const parsed = lines(file).map((json) => read(json))
      const advisories = parsed.flatMap((of) => (of.ok ? [of.value] : []))

      expect(parsed).toHaveLength(count)
      expect(parsed.flatMap((of) => (of.ok ? [] : [of.reason]))).toEqual(skipped)
      expect(advisories.filter(({ withdrawnAt }) => withdrawnAt !== undefined)).toHaveLength(
        withdrawn,
      )
      for (const advisory of advisories) expectSound(advisory)
    },
  )

  it('NVD records of other tools, the pages of the API and OSV schema tests are read', () => {
    const pages = [
      'nvd/api/vunnel-full-page.json',
      ...['dependency-track', 'osv.dev'].flatMap((of) => files(`nvd/api/${of}`)),
    ]
    const nvd = pages.flatMap((file) => elements(text(file)))
    const osv = [
      ...files('osv/schema-tests/ghsa').filter((file) => file.endsWith('.osv.json')),
      ...files('osv/schema-tests/osv-linter'),
    ]

    expect(nvd.map(parseNvdRecord).filter(({ ok }) => !ok)).toEqual([])
    expect(
      osv.map((file) => parseOsvRecord(JSON.parse(text(file)))).filter(({ ok }) => !ok),
    ).toEqual([])
    expect([nvd.length, osv.length]).toEqual([68, 23])
  })

  it('NVD records of the retired shape are skipped by its name', () => {
    const reasons = lines('nvd/nvd11-sample.jsonl.gz')
      .map((json) => parseNvdRecord(json))
      .map((of) => (of.ok ? '' : of.reason))

    expect(new Set(reasons)).toEqual(new Set(['/cve has the shape of NVD 1.1']))
  })

  it.each`
    file                            | count
    ${'kev/kev-2025-08-25.json.gz'} | ${1404}
    ${'kev/kev-2026-03.json.gz'}    | ${1542}
    ${'kev/kev-2026-08-22.json.gz'} | ${1674}
  `('$file has $count entries', ({ file, count }: { file: string; count: number }) => {
    const entries = elements(text(file)).map(parseKevEntry)

    expect(entries.filter(({ ok }) => ok)).toHaveLength(count)
    expect(entries.filter(({ ok }) => !ok)).toEqual([])
  })

  it('EPSS has 360142 scores as CSV and 72272 as JSON', () => {
    const csv = text('epss/epss-2026-08-16.csv.gz').split('\n').map(parseEpss)
    const json = elements(text('epss/epss-2021-08-31-vulsio.json.gz')).map(parseEpss)

    expect(csv.filter((of) => of?.ok === true)).toHaveLength(360_142)
    expect(json.filter((of) => of?.ok === true)).toHaveLength(72_272)
    expect([...csv, ...json].filter((of) => of?.ok === false)).toEqual([])
  })

  it('nearly every weakness that records name has a name', () => {
    const named = lines('nvd/nvd20-sample.jsonl.gz')
      .map(parseNvdRecord)
      .flatMap((of) => (of.ok ? of.value.cweIds : []))
    const nameless = new Set(named.filter((id) => findCweName(id) === undefined))

    expect(findCweName('CWE-79')).toMatch(/Cross-site Scripting/)
    expect([...nameless]).toEqual([])
  })

  function files(of: string): string[] {
    return readdirSync(join(folder, of)).map((name) => `${of}/${name}`)
  }
})

/** The records of a page, or the one record. */
function elements(text: string): unknown[] {
  const page: unknown = JSON.parse(text)
  if (typeof page !== 'object' || page === null) return []
  const list: unknown = Reflect.get(page, 'vulnerabilities') ?? Reflect.get(page, 'data')
  return Array.isArray(list) ? list : [page]
}

const KEY = /^(?:purl:[a-z0-9.-]+\/.|cpe:[^:A-Z]+:[^A-Z]|repo:[^/A-Z]+\/.|name:[^/A-Z]+\/.)/
const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/

/** What those who store and match advisories rely on. */
function expectSound({ affected, publishedAt, modifiedAt, scores }: Advisory): void {
  const keys = affected.map(({ key }) => key)
  const faults = [
    ...keys.filter((key) => !KEY.test(key) || key.length > 512),
    ...(new Set(keys).size === keys.length ? [] : ['a key occurs twice']),
    ...[publishedAt, modifiedAt].filter((time) => time !== undefined && !TIME.test(time)),
    ...scores.filter(({ baseScore }) => !(baseScore >= 0 && baseScore <= 10)),
    ...affected.filter(({ statements }) => statements.length === 0),
    ...affected
      .flatMap(({ statements }) => statements)
      .filter(
        (of) =>
          of.undecidable !== undefined &&
          of.versions.length > 0 &&
          of.undecidable !== 'a negated configuration',
      ),
  ]
  if (faults.length > 0) expect(faults).toEqual([])
}
