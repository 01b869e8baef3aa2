/** How long a roll-out may still take. */

interface Progress {
  finished: number
  left: number
  elapsedMs: number
}

/** Fewer say nothing about the pace. */
const FEWEST = 3

const UNITS = [
  { name: 'day', ms: 86_400_000 },
  { name: 'hour', ms: 3_600_000 },
  { name: 'minute', ms: 60_000 },
] as const

/** If it goes on as fast as it went on average; undefined: too little is known, or it is done. */
export function estimateRest({ finished, left, elapsedMs }: Progress): string | undefined {
  if (finished < FEWEST || left === 0 || elapsedMs <= 0) return undefined
  const restMs = (elapsedMs / finished) * left
  const unit = UNITS.find(({ ms }) => restMs >= 2 * ms)
  if (!unit) return 'about a minute more at this pace'
  return `about ${Math.round(restMs / unit.ms)} ${unit.name}s more at this pace`
}
