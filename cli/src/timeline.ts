/** Draws the evaluations of a rule as one line. */
import type { AlertRuleDryRunStretch } from '../../api-client/src/index.ts'
import { drawSparkline } from './sparkline.ts'

interface TimelineSize {
  /** The number of evaluations, evenly spread between the first and the last. */
  turns: number
  width: number
}

/** Firing series per slice of time of equal length; a gap where nothing was evaluated. */
export function drawTimeline(
  spans: readonly AlertRuleDryRunStretch[],
  { turns, width }: TimelineSize,
): string {
  const first = Date.parse(spans[0]?.from ?? '')
  const apart = (Date.parse(spans.at(-1)?.to ?? '') - first) / Math.max(1, turns - 1)
  const place = (time: string) => Math.round((Date.parse(time) - first) / (apart || 1))
  const counts = Array<number | null>(spans.length === 0 ? 0 : turns).fill(null)
  for (const { from, to, status, firingCount } of spans)
    if (status === 'Ok' || firingCount > 0) counts.fill(firingCount, place(from), place(to) + 1)
  return drawSparkline(counts, width)
}
