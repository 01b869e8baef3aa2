import { expect, it } from 'vitest'
import { givenSigningKey } from '../../../test/given-signing-key.ts'
import { openPage, type PageRequested } from './paging.ts'

const FIRST_READ = new Date('2026-08-22T09:30:00Z')
const ctx = { signingKey: givenSigningKey(), now: () => FIRST_READ }
const NUMBERS = [1, 2, 3, 4, 5]

function readPage(request: PageRequested, now = FIRST_READ) {
  const page = openPage({ ...ctx, now: () => now }, ['numbers'], request)
  const [after = 0] = page.after ?? []
  const rows = NUMBERS.filter((number) => number > Number(after)).slice(0, page.rowLimit)
  return { ...page.cut(rows, (last) => [last]), asOf: page.asOf }
}

it('leads through all rows once', () => {
  const first = readPage({ limit: 2 })
  const cursorOf = ({ next }: ReturnType<typeof readPage>) => (next.hasMore ? next.nextCursor : '')
  const second = readPage({ limit: 2, cursor: cursorOf(first) })
  const third = readPage({ limit: 2, cursor: cursorOf(second) })

  expect([first.page, second.page, third.page]).toEqual([[1, 2], [3, 4], [5]])
  expect(third.next).toEqual({ hasMore: false })
})

it('has no next page when the rows end with the page', () => {
  expect(readPage({ limit: 5 }).next).toEqual({ hasMore: false })
  expect(readPage({}).next).toEqual({ hasMore: false })
})

it('keeps the instant of the first page', () => {
  const { next } = readPage({ limit: 1 })
  const cursor = next.hasMore ? next.nextCursor : ''

  const later = readPage({ limit: 1, cursor }, new Date('2026-08-22T10:00:00Z'))

  expect(later.asOf).toEqual(FIRST_READ)
})

it('refuses the cursor of another list', () => {
  const { nextCursor: cursor } = openPage(ctx, ['others'], {}).continueAfter([1]) as {
    nextCursor: string
  }

  expect(() => readPage({ cursor })).toThrow('is not a cursor of this list')
})
