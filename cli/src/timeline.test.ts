import type { AlertRuleDryRunStretch } from '../../api-client/src/index.ts'
import { expect, it } from 'vitest'
import { drawTimeline } from './timeline.ts'

const span = (
  from: number,
  to: number,
  status: AlertRuleDryRunStretch['status'],
  firingCount = 0,
): AlertRuleDryRunStretch => ({
  from: new Date(from * 60_000).toISOString(),
  to: new Date(to * 60_000).toISOString(),
  status,
  firingCount,
})

it.each`
  spans                                                                 | turns | expected  | because
  ${[span(0, 59, 'Ok')]}                                                | ${60} | ${'▁▁▁▁'} | ${'all was well'}
  ${[span(0, 29, 'Ok'), span(30, 59, 'Firing', 3)]}                     | ${60} | ${'▁▁██'} | ${'half of the time it fired'}
  ${[span(0, 30, 'Ok'), span(31, 31, 'Firing', 1), span(32, 59, 'Ok')]} | ${60} | ${'▁▁█▁'} | ${'one turn of many is seen'}
  ${[span(0, 58, 'NoData'), span(59, 59, 'Firing', 1)]}                 | ${60} | ${'···█'} | ${'the last is seen as well'}
  ${[span(0, 29, 'NoData', 2), span(30, 59, 'Failed')]}                 | ${60} | ${'██··'} | ${'for want of data it fires still, and then nobody can tell'}
  ${[span(0, 0, 'Ok'), span(360, 360, 'Firing', 1)]}                    | ${2}  | ${'▁█'}   | ${'there were two turns'}
  ${[span(7, 7, 'Firing', 1)]}                                          | ${1}  | ${'█'}    | ${'there was one turn'}
  ${[]}                                                                 | ${0}  | ${''}     | ${'there was none'}
`(
  'is $expected, as $because',
  ({
    spans,
    turns,
    expected,
  }: {
    spans: AlertRuleDryRunStretch[]
    turns: number
    expected: string
  }) => {
    expect(drawTimeline(spans, { turns, width: 4 })).toBe(expected)
  },
)
