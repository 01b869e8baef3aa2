import { expect, it } from 'vitest'
import { flag, oneOf, pageSearch, pastInstant, text } from './page-search.ts'

const LIST = pageSearch({
  severity: oneOf(['High', 'Low'], (severity) => `${severity} or worse`),
  exploited: flag('exploited'),
  q: text((part) => `“${part}”`),
  sort: oneOf(['Name']),
  asOf: pastInstant(),
})

it('reads what a page knows, and nothing else', () => {
  const given = { severity: 'High', exploited: '1', q: 'ssl', sort: 'Name', colour: 'red' }

  expect(LIST.parse(given)).toEqual({ severity: 'High', exploited: '1', q: 'ssl', sort: 'Name' })
})

it('takes what somebody broke for nothing', () => {
  const given = { severity: 'Worst', exploited: 'yes', q: '', sort: 3, asOf: '2999-01-01' }

  expect(LIST.parse(given)).toEqual({})
})

it('names each parameter, so that one of the address cannot come through unread', () => {
  expect(Object.keys(LIST.parse({}))).toEqual(['severity', 'exploited', 'q', 'sort', 'asOf'])
})

it('writes instants as the service does', () => {
  expect(LIST.parse({ asOf: '2026-01-02' }).asOf).toBe('2026-01-02T00:00:00.000Z')
})

it('lists the filters in use, and neither order nor what is open', () => {
  expect(LIST.listFilters({ severity: 'High', q: 'ssl', sort: 'Name' })).toEqual([
    { name: 'severity', text: 'High or worse' },
    { name: 'q', text: '“ssl”' },
  ])
})
