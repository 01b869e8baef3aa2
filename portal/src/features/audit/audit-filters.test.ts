import { expect, it } from 'vitest'
import { AUDIT_LOG } from '../../searches.ts'
import {
  buildExportAddress,
  describeTime,
  formatDayInput,
  readFilter,
  toggleKind,
} from './audit-filters.ts'

const now = new Date(2026, 2, 3, 12)

it('asks for whole days of the reader', () => {
  const { from = '', to = '' } = readFilter({ from: '2026-03-03', to: '2026-03-03' }, now)

  expect(new Date(from)).toEqual(new Date(2026, 2, 3))
  expect(new Date(to)).toEqual(new Date(2026, 2, 4))
})

it('asks for the last seven days, and for any time of one subject', () => {
  expect(readFilter({}, now)).toEqual({ from: new Date(2026, 1, 25).toISOString() })
  expect(readFilter({ subject: 'device:a' }, now)).toEqual({ subject: 'device:a' })
  expect(readFilter({ subject: 'device:a', when: '1' }, now)).toMatchObject({
    from: new Date(2026, 2, 3).toISOString(),
  })
  expect(describeTime({})).toBe('in the last 7 days')
  expect(formatDayInput(now, 3)).toBe('2026-02-28')
})

it('takes what is empty or no day for nothing', () => {
  const search = AUDIT_LOG.parse({ contains: '', actor: 'ines', kind: 'Jest', from: 'yesterday' })

  expect(readFilter(search, now)).toEqual({ actor: 'ines' })
})

it('asks for several kinds, each chosen and taken away by itself', () => {
  const both = toggleKind({ kind: 'Deployment' }, 'Decision')
  expect(both).toBe('Decision,Deployment')
  expect(readFilter({ kind: both, when: 'any' }, now)).toEqual({ kinds: 'Decision,Deployment' })
  expect(toggleKind({ kind: both }, 'Decision')).toBe('Deployment')
  expect(toggleKind({ kind: 'Deployment' }, 'Deployment')).toBeUndefined()
})

it('asks for all of a type of those who act', () => {
  expect(readFilter({ actor: 'System', when: 'any' }, now)).toEqual({ actorType: 'System' })
})

it('exports with the same filter', () => {
  expect(buildExportAddress('w', { contains: 'a&b' }, 'jsonl')).toBe(
    '/workspaces/w/audit-log/export?contains=a%26b&format=jsonl',
  )
})
