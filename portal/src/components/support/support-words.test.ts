import type { SupportEntry, VersionSupport } from '@plimsoll/api-client'
import { expect, it } from 'vitest'
import { formatCalendarDay } from '../../format/dates.ts'
import {
  describeComponents,
  describeEnd,
  describeSupport,
  describeSupportChange,
  pickTone,
} from './support-words.ts'

const given = (more: Partial<SupportEntry>): SupportEntry => ({
  state: 'Ending',
  source: 'endoflife',
  label: 'OpenSSL',
  cycle: '3.0',
  codename: null,
  isLts: true,
  endsOn: null,
  hasEnded: null,
  extendedEndsOn: null,
  latest: null,
  endsBeforePromise: false,
  why: 'By its name.',
  link: null,
  note: null,
  statementId: null,
  componentCount: 1,
  components: [{ name: 'openssl', version: '3.0.2' }],
  ...more,
})

it.each`
  entry                                                                     | end                                                                                                  | tone
  ${{ state: 'Ended', endsOn: '2024-08-14', extendedEndsOn: '2026-08-31' }} | ${`out since ${formatCalendarDay('2024-08-14')}, extended until ${formatCalendarDay('2026-08-31')}`} | ${'danger'}
  ${{ state: 'Ended', hasEnded: true }}                                     | ${'out of support'}                                                                                  | ${'danger'}
  ${{ state: 'Ending', endsOn: '2028-04-30' }}                              | ${`until ${formatCalendarDay('2028-04-30')}`}                                                        | ${'ok'}
  ${{ state: 'Ending', endsOn: '2028-04-30', endsBeforePromise: true }}     | ${`until ${formatCalendarDay('2028-04-30')}, before the promise`}                                    | ${'warn'}
  ${{ state: 'NoEndPlanned', hasEnded: false }}                             | ${'no end planned'}                                                                                  | ${'ok'}
  ${{ state: 'NotKnown' }}                                                  | ${'not known'}                                                                                       | ${'warn'}
`('says "$end"', ({ entry, end, tone }) => {
  const one = given(entry as Partial<SupportEntry>)

  expect([describeEnd(one), pickTone(one)]).toEqual([end, tone])
})

it('names some components and counts the rest', () => {
  const components = ['a', 'b', 'c', 'd'].map((name) => ({ name, version: '1' }))

  expect(describeComponents(given({ components, componentCount: 214 }))).toBe(
    'a 1, b 1, c 1 and 211 more',
  )
})

it('never leaves out what is not known', () => {
  const counts = {
    ended: 2,
    ending: 3,
    endingBeforePromise: 1,
    noEndPlanned: 0,
    notKnown: 1,
    notListed: 40,
  }
  const support = {
    counts,
    deviceCount: 7,
    supportEndsOn: '2031-12-31',
    day: '2026-11-29',
  } as VersionSupport

  expect(describeSupport(support)).toBe(
    `2 components out of support on ${formatCalendarDay('2026-11-29')}; the version runs on 7 devices. Support is promised until ${formatCalendarDay('2031-12-31')}; that of 1 component ends before. Not known: 41 components.`,
  )
})

it.each`
  brought   | left      | words
  ${[0, 0]} | ${[0, 0]} | ${undefined}
  ${[0, 2]} | ${[0, 0]} | ${'Brings 2 components whose support ends within 90 days'}
  ${[1, 2]} | ${[3, 0]} | ${'Brings 1 component out of support and 2 components whose support ends within 90 days. Leaves behind 3 components out of support'}
`('says of a comparison: $words', ({ brought, left, words }) => {
  const count = ([endedCount = 0, endingCount = 0]: number[]) => ({ endedCount, endingCount })
  const change = {
    withinDays: 90,
    brought: count(brought as number[]),
    left: count(left as number[]),
  }

  expect(describeSupportChange(change)).toBe(words)
})
