import { expect, it } from 'vitest'
import type { FeedSource } from '../../../formats/feed-files.ts'
import { readFeedTime } from './recognised-feed.ts'

it.each`
  source       | head                                                                              | expected
  ${'nvd'}     | ${'{"resultsPerPage": 1, "timestamp": "2026-03-12T01:00:01.7061516", "vulner'}    | ${'2026-03-12T01:00:01.706Z'}
  ${'kev'}     | ${'{"catalogVersion": "x", "dateReleased": "2025-08-25T17:04:19.9796Z", "vul'}    | ${'2025-08-25T17:04:19.979Z'}
  ${'epss'}    | ${'#model_version:v2025.03.14,score_date:2026-08-16T12:00:00+0000\ncve,epss,per'} | ${'2026-08-16T12:00:00.000Z'}
  ${'epss'}    | ${'{"score_date": "2021-08-31T00:00:00+0000", "data": ['}                         | ${'2021-08-31T00:00:00.000Z'}
  ${'epss'}    | ${'CVE-1999-0001;0.1;0.2'}                                                        | ${undefined}
  ${'nvd'}     | ${'{"cve": {"id": "CVE-2026-0001"}}'}                                             | ${undefined}
  ${'osv'}     | ${'{"id": "GHSA-1", "timestamp": "2026-03-12T01:00:01Z"}'}                        | ${undefined}
  ${'cvelist'} | ${'{}'}                                                                           | ${undefined}
`(
  'a file of $source that begins with $head was made $expected',
  ({ source, head, expected }: { source: FeedSource; head: string; expected?: string }) => {
    expect(readFeedTime(source, Buffer.from(head))).toBe(expected)
  },
)
