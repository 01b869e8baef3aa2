/** One page of a list: which rows to read, and how to answer with them. */
import { type CursorPayload, decodeCursor, encodeCursor } from './cursor.ts'
import { DEFAULT_LIMIT } from './schemas.ts'

export interface PageRequested {
  limit?: number
  /** The `nextCursor` of the page before. */
  cursor?: string
}

type Position = CursorPayload['after']

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
  /** The next page, where the list itself knows the position at which it begins. */
  continueAfter: (position: Position) => NextPage
}

/** `scope` is everything the list depends on besides the position. A cursor of another scope is refused. */
export function openPage(
  { signingKey, now }: { signingKey: Buffer; now: () => Date },
  scope: unknown,
  { limit = DEFAULT_LIMIT, cursor }: PageRequested,
): Page {
  const position = cursor === undefined ? undefined : decodeCursor(signingKey, scope, cursor)
  const asOf = position ? new Date(position.asOf) : now()
  const continueAfter = (after: Position): NextPage => {
    const nextCursor = encodeCursor(signingKey, scope, { after, asOf: asOf.getTime() })
    return { hasMore: true, nextCursor }
  }
  return {
    limit,
    rowLimit: limit + 1,
    after: position?.after,
    asOf,
    cut: (rows, positionOf) => {
      const page = rows.slice(0, limit)
      const last = page.at(-1)
      if (rows.length <= limit || last === undefined) return { page, next: { hasMore: false } }
      return { page, next: continueAfter(positionOf(last)) }
    },
    continueAfter,
  }
}
