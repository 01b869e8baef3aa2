/** What the indexes of publishers say there is to fetch. */
import { describe, expect, it } from 'vitest'
import { planArchives } from './cvelist-releases.ts'
import {
  planNextReading,
  formatNvdPosition,
  readNvdPositionTime,
  buildPageUrl,
  parseApiPosition,
  parseNvdMeta,
  readPageHead,
} from './nvd-responses.ts'
import {
  readCveOfFile,
  readFeedDocuments,
  readProviderListings,
  parseChange,
  readSecurityTextProviders,
} from './csaf-index.ts'
import { parseEcosystemIndex, readOsvIndex } from './osv-index.ts'

describe('archives of the CVE List', () => {
  const files = [
    '2026-08-22_all_CVEs_at_midnight.zip.zip',
    '2026-08-22_delta_CVEs_at_0900Z.zip',
    '2026-08-22_delta_CVEs_at_0800Z.zip',
    '2026-08-21_all_CVEs_at_midnight.zip.zip',
    '2026-08-21_delta_CVEs_at_end_of_day.zip',
    '2026-08-20_delta_CVEs_at_end_of_day.zip',
    'release_notes.md',
    '2026-99-99_delta_CVEs_at_0100Z.zip',
  ].map((name) => ({ name, url: `/${name}` }))
  const planned = (covered: string | undefined, isBaselineDue = false) =>
    planArchives(files, { covered, isBaselineDue }).map(({ name }) => name.slice(0, 29))

  it.each`
    covered                       | plan                                                                                                   | because
    ${undefined}                  | ${['2026-08-22_all_CVEs_at_midnig', '2026-08-22_delta_CVEs_at_0900']}                                  | ${'nothing is known'}
    ${'2026-08-22T08:00:00.000Z'} | ${['2026-08-22_delta_CVEs_at_0900']}                                                                   | ${'the newest delta holds the hours before'}
    ${'2026-08-22T09:00:00.000Z'} | ${[]}                                                                                                  | ${'it is current'}
    ${'2026-08-20T15:00:00.000Z'} | ${['2026-08-20_delta_CVEs_at_end_', '2026-08-21_delta_CVEs_at_end_', '2026-08-22_delta_CVEs_at_0900']} | ${'whole days join up'}
    ${'2026-08-18T15:00:00.000Z'} | ${['2026-08-22_all_CVEs_at_midnig', '2026-08-22_delta_CVEs_at_0900']}                                  | ${'a day is missing'}
  `(
    'from $covered are $plan, as $because',
    ({ covered, plan }: { covered: string | undefined; plan: string[] }) => {
      expect(planned(covered)).toEqual(plan)
    },
  )

  it('begin with a baseline when it is due', () => {
    expect(planned('2026-08-22T09:00:00.000Z', true)).toHaveLength(2)
  })
})

describe('NVD', () => {
  it('says in a .meta file when a feed was made and what it is', () => {
    const sha256 = 'AB'.repeat(32)
    const meta = parseNvdMeta(
      `lastModifiedDate:2026-01-19T16:00:01-05:00\r\nsize:15114674\r\nsha256:${sha256}\r\n`,
    )

    expect(meta).toEqual({ lastModified: '2026-01-19T21:00:01.000Z', sha256: sha256.toLowerCase() })
    expect(meta && readNvdPositionTime(formatNvdPosition(meta))).toBe('2026-01-19T21:00:01.000Z')
    expect(parseNvdMeta('<html>lastModifiedDate:2026-01-19</html>')).toBeUndefined()
    expect(parseNvdMeta(`lastModifiedDate:yesterday\nsha256:${sha256}`)).toBeUndefined()
  })

  it('is asked in windows of 120 days, and goes on with the reading under way', () => {
    const now = new Date('2026-08-22T00:00:00Z')
    const covered = '2026-01-01T00:00:00.000Z'
    const first = planNextReading({}, { covered, now })
    const under = { from: covered, to: '2026-05-01T00:00:00.000Z', next: 2_000 }

    expect(first).toEqual({ ...under, next: 0 })
    expect(planNextReading({ under }, { covered, now })).toEqual(under)
    expect(planNextReading({}, { covered: now.toISOString(), now })).toBeUndefined()
    expect(buildPageUrl('https://nvd/api', under, 2_000)).toBe(
      'https://nvd/api?resultsPerPage=2000&startIndex=2000&lastModStartDate=2026-01-01T00%3A00%3A00.000Z&lastModEndDate=2026-05-01T00%3A00%3A00.000Z',
    )
    expect(parseApiPosition('no JSON')).toEqual({})
  })

  it('begins a page with its numbers', () => {
    const head = '{"resultsPerPage":2000,"startIndex":4000,"totalResults":310000,"format":"NVD_CVE"'

    expect(readPageHead(head)).toEqual({
      resultsPerPage: 2000,
      startIndex: 4000,
      totalResults: 310_000,
    })
    expect(readPageHead('<html>')).toBeUndefined()
  })
})

describe('OSV', () => {
  async function* index(...lines: string[]) {
    yield* lines
  }

  it('lists what was modified since, to the microsecond', async () => {
    const lines = index(
      '2026-08-22T10:00:00.5Z,GHSA-3',
      'PyPI is not here',
      '2026-08-22T10:00:00Z,npm/GHSA-2',
      '2026-08-21T10:00:00.000001Z,GHSA-1',
      '2026-08-22T11:00:00Z,../../etc/passwd',
    )

    expect(await readOsvIndex(lines, '2026-08-22T10:00:00.000000000Z')).toEqual({
      newest: '2026-08-22T10:00:00.500000000Z',
      ids: ['GHSA-3'],
    })
  })

  it('has releases of a distribution in the archive of the distribution', () => {
    const text = 'Debian\nDebian:12\r\nAlpine:v3.19\n\nGitHub Actions\n../up\n'

    expect(parseEcosystemIndex(text)).toEqual(['Debian', 'Alpine:v3.19', 'GitHub Actions'])
  })
})

describe('CSAF', () => {
  it.each`
    line                                                        | expected
    ${'"2024/cve-2024-6119.json","2024-09-04T10:00:00+02:00"'}  | ${{ path: '2024/cve-2024-6119.json', at: '2024-09-04T08:00:00.000Z' }}
    ${'cve-2024-6119.json, 2024-09-04T08:00:00Z'}               | ${{ path: 'cve-2024-6119.json', at: '2024-09-04T08:00:00.000Z' }}
    ${'"2024/cve-2024-6119.json","2024-09-04T1'}                | ${undefined}
    ${'"2024/../../cve-2024-6119.json","2024-09-04T08:00:00Z"'} | ${undefined}
    ${'"/etc/cve-2024-6119.json","2024-09-04T08:00:00Z"'}       | ${undefined}
    ${'"%2e%2e/cve-2024-6119.json","2024-09-04T08:00:00Z"'}     | ${undefined}
    ${'"https://x/cve-2024-6119.json","2024-09-04T08:00:00Z"'}  | ${undefined}
    ${'path,time'}                                              | ${undefined}
  `('reads the line $line of a list', ({ line, expected }: { line: string; expected: unknown }) => {
    expect(parseChange(line)).toEqual(expected)
  })

  it('tells the CVE of a file', () => {
    const files = ['2024/cve-2024-6119.json', 'https://x/CVE-2024-10001.json', 'rhsa-2024_1.json']

    expect(files.map(readCveOfFile)).toEqual(['CVE-2024-6119', 'CVE-2024-10001', undefined])
  })

  it('reads the entries of a ROLIE feed that have an address and a time', () => {
    const updated = '2026-08-01T00:00:00Z'
    const base = 'https://example.com/csaf/feed.json'
    const entry = [
      { updated, content: { src: 'a.json' }, link: [{ rel: 'hash', href: 'a.json.sha512' }] },
      { updated, link: [{ rel: 'self', href: 'https://other.example/b.json' }] },
      { updated: 'today', content: { src: 'c.json' } },
      { updated, content: { src: 'file:///etc/passwd.json' } },
      { updated, content: { src: 'http://example.com/unsafe.json' } },
      { updated, content: { src: 'https://user:secret@example.com/d.json' } },
      { updated, content: { src: 'page.html' } },
      'nonsense',
    ]

    const at = '2026-08-01T00:00:00.000Z'
    expect(readFeedDocuments({ feed: { entry } }, base)).toEqual([
      {
        url: 'https://example.com/csaf/a.json',
        at,
        hashUrl: 'https://example.com/csaf/a.json.sha512',
      },
      { url: 'https://other.example/b.json', at, hashUrl: undefined },
    ])
    expect(readFeedDocuments({ entry }, base)).toBeUndefined()
  })

  it('takes the directories of VEX documents, else the feeds that everybody may read', () => {
    const base = 'https://example.com/provider-metadata.json'
    const feeds = ['WHITE', 'GREEN', 'CLEAR'].map((label) => ({
      tlp_label: label,
      url: `${label.toLowerCase()}.json`,
    }))
    const offered = (distributions: unknown) => readProviderListings({ distributions }, base)

    expect(offered([{ directory_url: '/advisories/' }, { directory_url: '/vex/' }])).toEqual([
      { kind: 'directory', url: 'https://example.com/vex' },
    ])
    expect(offered([{ rolie: { feeds } }])?.map(({ url }) => url)).toEqual([
      'https://example.com/white.json',
      'https://example.com/clear.json',
    ])
    expect(offered([{ directory_url: 'ftp://example.com/' }, 7])).toEqual([])
    expect(offered('none')).toBeUndefined()
  })

  it('reads the addresses of metadata in security.txt', () => {
    const text = 'Contact: mailto:a@example.com\r\nCSAF: https://a.example/p.json\ncsaf: p2.json\n'

    expect(readSecurityTextProviders(text, 'https://b.example/x/security.txt')).toEqual([
      'https://a.example/p.json',
      'https://b.example/x/p2.json',
    ])
  })
})
