import { expect, it } from 'vitest'
import { listDays } from './days.ts'

const at = (day: number, hour: number) => new Date(2026, 10, day, hour).toISOString()
const entry = (id: string, createdAt: string, actorType: 'User' | 'System' = 'User') => ({
  id,
  createdAt,
  actorType,
  kind: 'Deployment' as const,
})
const idsOf = (entries: readonly { id: string }[]) => entries.map(({ id }) => id).join('')

it('parts the entries by the days of the reader', () => {
  const days = listDays([entry('a', at(27, 0)), entry('b', at(26, 23))], () => false)

  expect(days.map(({ entries }) => idsOf(entries))).toEqual(['a', 'b'])
})

it('folds what the service did more than once in a day, and nothing that people did', () => {
  const entries = [
    entry('a', at(27, 9)),
    entry('b', at(27, 8), 'System'),
    entry('c', at(27, 7), 'System'),
    entry('d', at(27, 6), 'System'),
    entry('e', at(27, 5)),
    entry('f', at(26, 5), 'System'),
    entry('g', at(26, 4), 'System'),
  ]
  const fold = (isUnfolded: boolean) =>
    listDays(entries, () => isUnfolded).map(({ shown, folded }) => [idsOf(shown), idsOf(folded)])

  expect(fold(false)).toEqual([
    ['abe', 'cd'],
    ['fg', ''],
  ])
  expect(fold(true)).toEqual([
    ['abcde', ''],
    ['fg', ''],
  ])
})
