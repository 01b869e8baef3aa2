/** Which columns a table shows in how much room. */
import { expect, it } from 'vitest'
import { findNeededWidth, findRoom } from './table-surroundings.ts'

const COLUMNS = [
  { width: '150px' },
  { width: 'minmax(216px, 1.2fr)' },
  { width: 'minmax(0, 1fr)' },
  { width: '250px', isWideOnly: true },
]
// 150 + 216 + 72 + 250, three gaps of 12, and 16 at each side.
const NEEDED = 756

it('shows all columns where each has its least width, and fewer where it has not', () => {
  expect(findRoom(NEEDED, findNeededWidth(COLUMNS))).toBe('All')
  expect(findRoom(NEEDED - 1, findNeededWidth(COLUMNS))).toBe('Needed')
})

it('shows cards on narrow screens, however little the columns need', () => {
  expect(findRoom(640, findNeededWidth(COLUMNS.slice(0, 1)))).toBe('All')
  expect(findRoom(639, findNeededWidth(COLUMNS.slice(0, 1)))).toBe('Cards')
})
