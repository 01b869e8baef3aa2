import { expect, it } from 'vitest'
import { listChangedMembers } from './changed-members.ts'

it('lists what differs, and nothing else', () => {
  expect(
    listChangedMembers(
      { name: 'a', days: 1, tags: ['x'] },
      { name: 'b', days: 1, tags: ['x', 'y'] },
    ),
  ).toEqual([
    { name: 'name', before: 'a', after: 'b' },
    { name: 'tags', before: '["x"]', after: '["x","y"]' },
  ])
})

it('shows what was made or deleted as a whole', () => {
  expect(listChangedMembers(null, { role: 'Admin' })).toEqual([
    { name: 'role', before: '–', after: 'Admin' },
  ])
  expect(listChangedMembers(undefined, undefined)).toEqual([])
})
