/** Keeps what a benchmark measured, for `npm run bench`, which names the file; a benchmark that runs alone keeps nothing. */
import { appendFileSync } from 'node:fs'

export interface Figure {
  what: string
  value: number
  unit: string
  /** What the value must not exceed, or not fall below. */
  most?: number | undefined
  least?: number | undefined
}

export const FIGURES_FILE = 'PLIMSOLL_BENCH_FIGURES'

export function keepFigure(figure: Figure): void {
  const file = process.env[FIGURES_FILE]
  if (file !== undefined) appendFileSync(file, `${JSON.stringify(figure)}\n`)
}

/** A missed yardstick is a ratio above 1, whichever way it points. undefined: there is none. */
export function computeRatio({ value, most, least }: Figure): number | undefined {
  if (most !== undefined) return most === 0 ? (value === 0 ? 0 : Infinity) : value / most
  return least === undefined ? undefined : least / value
}
