/** One page of a list: which rows to read, and how to answer with them. */
import { type CursorPayload, decodeCursor, encodeCursor } from './cursor.ts'
import { DEFAULT_LIMIT } from './schemas.ts'
import type { SigningKey } from '../signing-key.ts'

export interface PageRequested {
  limit?: number
  /** The `nextCursor` of the page before. */
  cursor?: string
}

type Position = CursorPayload['after']

/** Counting stops here: a list of more rows says that it has more. */
export const MOST_COUNTED = 10_000

interface TotalCount {
  totalCount: number
  totalCountIsLowerBound: boolean
}

type NextPage = { hasMore: false } | { hasMore: true; nextCursor: string }

export interface Page {
  limit: number
  /** How many rows to read: one more than the page holds, which tells whether another page follows. */
  rowLimit: number
  /** The position of the last row of the page before; undefined on the first page. */
  after: Position | undefined
  /** The instant at which the first page was read. Later pages may answer as of then. */
  asOf: Date
  /** Cuts the rows that were read to the page. `positionOf` gives what the next page begins after. */
  cut: <Row>(
    rows: readonly Row[],
    positionOf: (last: Row) => Position,
  ) => { page: Row[]; next: NextPage }
  /**
   * The same, with the number of rows of the list. Only the first page counts, by `count`, which may stop at `most`;
   * later pages repeat its answer.
   */
  cutAndCount: <Row>(
    rows: readonly Row[],
    positionOf: (last: Row) => Position,
    count: (most: number) => Promise<number>,
  ) => Promise<{ page: Row[]; next: NextPage; total: TotalCount }>
  /** The number of rows, for a list that is read otherwise if it has many: counted now, unless an earlier page did. */
  countOnce: (count: (most: number) => Promise<number>) => Promise<number>
  /** The next page, where the list itself knows the position at which it begins. */
  continueAfter: (position: Position) => NextPage
}

/** `scope` is everything the list depends on besides the position. A cursor of another scope is refused. */
export function openPage(
  { signingKey, now }: { signingKey: SigningKey; now: () => Date },
  scope: unknown,
  { limit = DEFAULT_LIMIT, cursor }: PageRequested,
): Page {
  const position = cursor === undefined ? undefined : decodeCursor(signingKey, scope, cursor)
  const asOf = position ? new Date(position.asOf) : now()
  const nextPage = (after: Position, total?: number): NextPage => {
    const payload = { after, asOf: asOf.getTime(), ...(total !== undefined && { total }) }
    return { hasMore: true, nextCursor: encodeCursor(signingKey, scope, payload) }
  }
  const cutWith =
    (total?: number): Page['cut'] =>
    (rows, positionOf) => {
      const page = rows.slice(0, limit)
      const last = page.at(-1)
      if (rows.length <= limit || last === undefined) return { page, next: { hasMore: false } }
      return { page, next: nextPage(positionOf(last), total) }
    }
  let rowCount = position?.total
  return {
    limit,
    rowLimit: limit + 1,
    after: position?.after,
    asOf,
    cut: cutWith(),
    countOnce: async (count) => (rowCount ??= await count(MOST_COUNTED + 1)),
    cutAndCount: async (rows, positionOf, count) => {
      const isWhole = position === undefined && rows.length <= limit
      const counted = rowCount ?? (isWhole ? rows.length : await count(MOST_COUNTED + 1))
      const total = {
        totalCount: Math.min(counted, MOST_COUNTED),
        totalCountIsLowerBound: counted > MOST_COUNTED,
      }
      return { ...cutWith(counted)(rows, positionOf), total }
    },
    continueAfter: nextPage,
  }
}
