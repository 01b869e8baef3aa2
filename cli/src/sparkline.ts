/** Draws counts as one line of text. */
const BARS = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'] as const
const EMPTY = '·'

/**
 * At most `width` characters. Neighbours that share a character show the highest of them. null means unknown. Only 0 has
 * the lowest bar, so that a 1 among large counts stays visible.
 */
export function drawSparkline(values: readonly (number | null)[], width: number): string {
  const count = Math.min(values.length, Math.max(1, Math.floor(width)))
  const cells = Array.from({ length: count }, (_, cell) => {
    const from = Math.floor((cell * values.length) / count)
    const to = Math.floor(((cell + 1) * values.length) / count)
    const known = values.slice(from, to).filter((value) => value !== null)
    return known.length === 0 ? null : highest(known)
  })
  const most = highest(cells.map((cell) => cell ?? 0))
  return cells.map((cell) => (cell === null ? EMPTY : bar(cell, most))).join('')
}

function highest(values: readonly number[]): number {
  return values.reduce((most, value) => Math.max(most, value), 0)
}

function bar(value: number, most: number): string {
  const steps = BARS.length - 1
  return BARS[value <= 0 ? 0 : Math.max(1, Math.round((value / most) * steps))] ?? BARS[0]
}
