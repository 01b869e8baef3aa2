import { expect, it } from 'vitest'
import { AUDIT_LOG } from '../../searches.ts'
import { buildExportAddress, readFilter } from './audit-filters.ts'

it('asks for whole days of the reader', () => {
  const { from = '', to = '' } = readFilter({ from: '2026-03-03', to: '2026-03-03' })

  expect(new Date(from)).toEqual(new Date(2026, 2, 3))
  expect(new Date(to)).toEqual(new Date(2026, 2, 4))
})

it('takes what is empty or no day for nothing', () => {
  expect(
    readFilter(AUDIT_LOG.parse({ contains: '', actor: 'ines', from: 'yesterday', to: '' })),
  ).toEqual({
    actor: 'ines',
  })
})

it('exports with the same filter', () => {
  expect(buildExportAddress('w', { contains: 'a&b' }, 'jsonl')).toBe(
    '/workspaces/w/audit-log/export?contains=a%26b&format=jsonl',
  )
})
