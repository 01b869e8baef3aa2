import { expect, it } from 'vitest'
import { listChangedMembers } from './changed-members.ts'

it('lists what differs, and nothing else', () => {
  const changed = listChangedMembers(
    { name: 'a', days: 1, tags: ['x'], updatedAt: 1 },
    { name: 'b', days: 1, tags: ['x', 'y'], updatedAt: 2 },
  )

  expect(changed).toEqual([
    { name: 'name', title: 'Name', before: 'a', after: 'b' },
    { name: 'tags', title: 'Tags', before: 'x', after: 'x, y' },
  ])
})

it('shows what was made or deleted as a whole', () => {
  expect(listChangedMembers(null, { role: 'Admin' })).toMatchObject([
    { before: 'none', after: 'Admin' },
  ])
  expect(listChangedMembers(undefined, undefined)).toEqual([])
})

it.each([
  [true, 'yes'],
  [[], 'none'],
  ['NotAssessed', 'Not assessed'],
  ['0198', 'gateway 4.1.0'],
  [{ cveCount: 2 }, 'CVE count: 2'],
  [{ assessment: 'Exploitable', count: 1200 }, 'assessment: Exploitable; count: 1,200'],
  [Array.from({ length: 22 }, () => 'x'), `${Array(20).fill('x').join(', ')} and 2 more`],
])('writes %j for people', (value, text) => {
  const names = new Map([['0198', 'gateway 4.1.0']])

  expect(listChangedMembers({}, { it: value }, names)[0]?.after).toBe(text)
})
