/** Durations as the API writes them: `5m`, `1h`, `7d`. */
import { DAY_SECONDS } from '../../formats/instants.ts'

export const DURATION_PATTERN = '^[1-9][0-9]{0,5}[mhd]$'

const SECONDS: Readonly<Record<string, number>> = { m: 60, h: 3_600, d: DAY_SECONDS }

/** The text has to match the pattern. */
export function parseDuration(text: string): number {
  return Number(text.slice(0, -1)) * (SECONDS[text.slice(-1)] ?? Number.NaN)
}

/** In the largest unit that gives a whole number. */
export function formatDuration(seconds: number): string {
  if (seconds % DAY_SECONDS === 0) return `${seconds / DAY_SECONDS}d`
  if (seconds % 3_600 === 0) return `${seconds / 3_600}h`
  return `${seconds / 60}m`
}
