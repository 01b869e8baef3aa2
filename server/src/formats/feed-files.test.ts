import fc from 'fast-check'
import { createReadStream, existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createGunzip, gunzipSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { propertyRuns } from '../../test/property-runs.ts'
import { describeWithSharedData } from '../../test/shared-data.ts'
import {
  recogniseFeed,
  readRecords,
  TruncatedFeedFile,
  type FeedFile,
  type FeedItem,
} from './feed-files.ts'

const encode = (text: string) => new TextEncoder().encode(text)

async function* chunksOf(text: string | Uint8Array, size = 7): AsyncGenerator<Uint8Array> {
  const bytes = typeof text === 'string' ? encode(text) : text
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

async function read(
  text: string | Uint8Array,
  file: Pick<FeedFile, 'layout' | 'member'>,
  size?: number,
) {
  const items: FeedItem[] = []
  for await (const item of readRecords(chunksOf(text, size), file)) items.push(item)
  return items
}

const records = (items: FeedItem[]) =>
  items.map((item) => ('record' in item ? item.record : item.fault))

it.each`
  holds                         | text                                                                  | expected
  ${'an OSV record'}            | ${'{\n"id": "GHSA-1",\n"modified": "2024-01-01T00:00:00Z"\n}'}        | ${{ source: 'osv', layout: 'values' }}
  ${'OSV records by line'}      | ${'{"id":"GO-1","modified":"x"}\n{"id":"GO-2","modified":"x"}\n'}     | ${{ source: 'osv', layout: 'lines' }}
  ${'an array of OSV'}          | ${'[ {"schema_version":"1.5.0","id":"GO-1","affected":[]}, {"id":'}   | ${{ source: 'osv', layout: 'array' }}
  ${'an API 2.0 page'}          | ${'{"resultsPerPage":0,"format":"NVD_CVE","vulnerabilities":[]}'}     | ${{ source: 'nvd', layout: 'member', member: 'vulnerabilities' }}
  ${'a page without format'}    | ${'{"vulnerabilities":[{"cve":{"id":"CVE-2024-1000"}}]}'}             | ${{ source: 'nvd', layout: 'member', member: 'vulnerabilities' }}
  ${'NVD records by line'}      | ${'{"cve":{"id":"CVE-2024-1000"}}\n{"cve":{"id":"CVE-2024-1001"}}'}   | ${{ source: 'nvd', layout: 'lines' }}
  ${'a bare NVD record'}        | ${'{"id":"CVE-2024-1000","sourceIdentifier":"x","published":"x"}'}    | ${{ source: 'nvd', layout: 'lines' }}
  ${'a CVE record on one line'} | ${'{"dataType":"CVE_RECORD","containers":{}}'}                        | ${{ source: 'cvelist', layout: 'lines' }}
  ${'CVE records on lines'}     | ${'{"dataType":"CVE_RECORD"}\n{"dataType":"CVE_RECORD"}'}             | ${{ source: 'cvelist', layout: 'lines' }}
  ${'a CVE record'}             | ${'{\n"dataType":"CVE_RECORD",\n"containers":{}}'}                    | ${{ source: 'cvelist', layout: 'values' }}
  ${'CVE records by line'}      | ${'{"containers":{"cna":{}},"cveMetadata":{}}\n{"containers"'}        | ${{ source: 'cvelist', layout: 'lines' }}
  ${'the KEV catalogue'}        | ${'{"title":"KEV","catalogVersion":"2026","vulnerabilities":[]}'}     | ${{ source: 'kev', layout: 'member', member: 'vulnerabilities' }}
  ${'EPSS as published'}        | ${'#model_version:v2023,score_date:2024\ncve,epss,percentile\n'}      | ${{ source: 'epss', layout: 'csv' }}
  ${'EPSS without header'}      | ${'CVE-1999-0001;0.03;0.87\n'}                                        | ${{ source: 'epss', layout: 'csv' }}
  ${'EPSS as JSON'}             | ${'{"score_date":"2021","data":[{"id":"CVE-2019-1000","epss":0.1}]}'} | ${{ source: 'epss', layout: 'member', member: 'data' }}
  ${'a record with a BOM'}      | ${'\uFEFF{\n"id":"GHSA-1","affected":[]}'}                            | ${{ source: 'osv', layout: 'values' }}
`('a file with $holds is recognised', ({ text, expected }: { text: string; expected: object }) => {
  expect(recogniseFeed(encode(text))).toEqual(expected)
})

it.each`
  holds                   | text                                                        | reason
  ${'an NVD 1.1 feed'}    | ${'{"CVE_data_type":"CVE","CVE_Items":[]}'}                 | ${/^NVD 1\.1/}
  ${'NVD 1.1 by line'}    | ${'{"cve":{"data_type":"CVE","CVE_data_meta":{"ID":"C"}}}'} | ${/^NVD 1\.1/}
  ${'nothing'}            | ${' \n'}                                                    | ${'the file is empty'}
  ${'an HTML error page'} | ${'<!DOCTYPE html><html>'}                                  | ${/markup/}
  ${'a CycloneDX SBOM'}   | ${'{"bomFormat":"CycloneDX","components":[]}'}              | ${/no advisories/}
  ${'plain text'}         | ${'hello'}                                                  | ${/neither/}
  ${'a ZIP'}              | ${'PK\x03\x04'}                                             | ${'a ZIP archive'}
  ${'bytes of some kind'} | ${'{"id\0'}                                                 | ${'binary data'}
`(
  'a file with $holds is refused by name',
  ({ text, reason }: { text: string; reason: string | RegExp }) => {
    const { unsupported } = { unsupported: undefined, ...recogniseFeed(encode(text)) }

    expect(unsupported).toMatch(reason)
  },
)

it('elements of one top-level array come one by one, wherever the chunks end', async () => {
  const page = {
    a: ['x', { vulnerabilities: [9] }],
    vulnerabilities: [{ s: '}]"\\', n: [1, {}] }, 'text', 3, null],
    z: [4],
  }

  for (const size of [1, 2, 3, 5, 64, 1000]) {
    const items = await read(
      JSON.stringify(page),
      { layout: 'member', member: 'vulnerabilities' },
      size,
    )
    expect(records(items)).toEqual(page.vulnerabilities)
  }
})

it('any values come back whole from an array, a line each, or one after another', async () => {
  const values = fc.array(fc.jsonValue({ maxDepth: 4 }), { maxLength: 8 })
  await fc.assert(
    fc.asyncProperty(
      values,
      fc.integer({ min: 1, max: 40 }),
      fc.boolean(),
      async (list, size, isPretty) => {
        const expected: unknown = JSON.parse(JSON.stringify(list))
        const asArray = JSON.stringify(list, undefined, isPretty ? 2 : 0)
        const asLines = list.map((value) => JSON.stringify(value)).join('\n') + '\n'

        expect(records(await read(asArray, { layout: 'array' }, size))).toEqual(expected)
        expect(records(await read(asLines, { layout: 'lines' }, size))).toEqual(expected)
        expect(records(await read(asLines, { layout: 'values' }, size))).toEqual(expected)
      },
    ),
    { numRuns: propertyRuns(150) },
  )
})

it('a broken element is one bad record', async () => {
  const items = await read('[{"a":1},{"a":},{"a":}},{"a":2}]', { layout: 'array' })

  expect(records(items)).toEqual([
    { a: 1 },
    'the record is not JSON',
    'the record is not JSON',
    'the record is not JSON',
    { a: 2 },
  ])
})

it('a broken line is one bad record, an empty line is none', async () => {
  const items = await read('{"a":1}\n\n{"a":\n{"a":2}\n', { layout: 'lines' })

  expect(items).toEqual([
    { position: 1, line: 1, record: { a: 1 } },
    { position: 2, line: 3, fault: 'the record is not JSON' },
    { position: 3, line: 4, record: { a: 2 } },
  ])
})

it('a record with two members of one name is one bad record', async () => {
  const text = '{"a":[{"b":1}]}\n{"a":[{"b":1,"\\u0062":2}]}\n{"a":{"b":{"a":1}}}\n'

  expect(records(await read(text, { layout: 'lines' }))).toEqual([
    { a: [{ b: 1 }] },
    'the record has two members of one name in an object',
    { a: { b: { a: 1 } } },
  ])
})

it('a record that is not UTF-8 is one bad record', async () => {
  const bytes = Uint8Array.from([...encode('{"a":"'), 0xff, ...encode('"}\n{"a":1}\n')])

  expect(records(await read(bytes, { layout: 'lines' }))).toEqual([
    'the record is not UTF-8',
    { a: 1 },
  ])
})

it.each`
  layout      | text
  ${'array'}  | ${'[{"a":1},{"a":2'}
  ${'array'}  | ${'[{"a":1},'}
  ${'array'}  | ${'[{"a":1},{"a":"x'}
  ${'values'} | ${'{"a":1} {"a":'}
  ${'lines'}  | ${'{"a":1}\n{"a":'}
  ${'member'} | ${'{"v":[{"a":1}]'}
`(
  'a truncated file ($layout, $text) is an error after its good records',
  async ({ layout, text }: Pick<FeedFile, 'layout'> & { text: string }) => {
    const seen: unknown[] = []
    const reading = async () => {
      for await (const item of readRecords(chunksOf(text, 4), { layout, member: 'v' }))
        seen.push(item)
    }

    await expect(reading()).rejects.toThrow(TruncatedFeedFile)
    expect(seen).toMatchObject([{ position: 1, record: { a: 1 } }])
  },
)

it('a record over 16 MiB is skipped, the next one is not', async () => {
  const huge = `{"a":"${'x'.repeat(17 * 1024 * 1024)}"}`

  for (const [text, layout] of [
    [`[${huge},{"b":1}]`, 'array'],
    [`${huge}\n{"b":1}\n`, 'lines'],
  ] as const) {
    const items = await read(text, { layout }, 65_536)
    expect(items[0]).toMatchObject({
      position: 1,
      fault: 'the record has 17825800 bytes, more than 16777216',
    })
    expect(items[1]).toMatchObject({ position: 2, record: { b: 1 } })
  }
})

it('CSV comes line by line, a byte order mark does not come', async () => {
  const items = await read(
    '\uFEFFcve,epss,percentile\r\nCVE-2024-1000,0.1,0.2',
    { layout: 'csv' },
    2,
  )

  expect(records(items)).toEqual(['cve,epss,percentile\r', 'CVE-2024-1000,0.1,0.2'])
})

it('deep and strange JSON neither ends nor confuses the reading', async () => {
  const deep = '['.repeat(20_000) + ']'.repeat(20_000)
  const items = await read(`[${deep},{"__proto__":{"a":1}},{"a":1}]`, { layout: 'array' }, 4096)

  expect(items).toHaveLength(3)
  expect({}).not.toHaveProperty('a')
})

describeWithSharedData('feed files as published', (folder) => {
  it.each`
    file                                                  | source       | layout      | count
    ${'nvd/feeds/nvdcve-2.0-modified-2026-03-12.json.gz'} | ${'nvd'}     | ${'member'} | ${2642}
    ${'nvd/api/vunnel-full-page.json'}                    | ${'nvd'}     | ${'member'} | ${38}
    ${'nvd/api/dependency-track/cve.json'}                | ${'nvd'}     | ${'values'} | ${1}
    ${'nvd/nvd20-firmware.jsonl.gz'}                      | ${'nvd'}     | ${'lines'}  | ${1648}
    ${'cve5/openssl-cna.jsonl.gz'}                        | ${'cvelist'} | ${'lines'}  | ${272}
    ${'osv/psf.jsonl.gz'}                                 | ${'osv'}     | ${'lines'}  | ${93}
    ${'osv/schema-tests/osv-linter/CVE-2018-5407.json'}   | ${'osv'}     | ${'values'} | ${1}
    ${'kev/kev-2026-08-22.json.gz'}                       | ${'kev'}     | ${'member'} | ${1674}
    ${'epss/epss-2021-08-31-vulsio.json.gz'}              | ${'epss'}    | ${'member'} | ${72272}
    ${'epss/epss-2026-08-16.csv.gz'}                      | ${'epss'}    | ${'csv'}    | ${360142}
  `(
    '$file holds $count records of $source',
    async ({
      file,
      source,
      layout,
      count,
    }: {
      file: string
      source: string
      layout: string
      count: number
    }) => {
      const path = join(folder, file)
      const head = path.endsWith('.gz') ? gunzipSync(readFileSync(path)) : readFileSync(path)
      const recognised = recogniseFeed(head)
      expect(recognised).toMatchObject({ source, layout })
      if ('unsupported' in recognised) return

      const stream = createReadStream(path)
      const bytes = path.endsWith('.gz') ? stream.pipe(createGunzip()) : stream
      let found = 0
      for await (const item of readRecords(bytes, recognised)) if ('record' in item) found++

      expect(found).toBe(count)
    },
  )

  it('NVD 1.1 records are refused by name', () => {
    const path = join(folder, 'nvd/nvd11-sample.jsonl.gz')
    if (!existsSync(path)) return

    const recognised = recogniseFeed(gunzipSync(readFileSync(path)))
    expect(JSON.stringify(recognised)).toMatch(/^\{"unsupported":"NVD 1\.1/)
  })
})
