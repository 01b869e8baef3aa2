/**
 * Windows of many rules overlap: the time they reach over is cut where any of them begins or ends, points are added up once
 * for each piece, and a window is made of its pieces.
 */
export interface Span {
  /** Milliseconds since 1970; half-open. */
  from: number
  to: number
}

export interface Pieces {
  /** Where they begin, in order, and where the last ends. */
  bounds: number[]
  /** Which piece, counted from 1, belongs to which span, counted from 0. */
  parts: { span: number; piece: number }[]
}

export function cutIntoPieces(spans: readonly Span[]): Pieces {
  const bounds = [...new Set(spans.flatMap(({ from, to }) => [from, to]))].toSorted((a, b) => a - b)
  const parts = spans.flatMap(({ from, to }, span) =>
    bounds.flatMap((bound, at) => (bound >= from && bound < to ? [{ span, piece: at + 1 }] : [])),
  )
  return { bounds, parts }
}

const CLASSES_MS = [15, 60, 6 * 60, 24 * 60].map((minutes) => minutes * 60_000)

/** Which windows are worth looking at together: one that is long would make many short ones read as much. */
export function lengthClass(milliseconds: number): number {
  return CLASSES_MS.findIndex((most) => milliseconds <= most)
}
