/** Quarters as reports name them: "2026-Q3", in UTC. */
const nameQuarter = (year: number, index: number) => `${year}-Q${index + 1}`

/** The quarter that it is, and those before, the newest first. */
export function listQuarters(now: Date, count: number): string[] {
  const current = now.getUTCFullYear() * 4 + Math.floor(now.getUTCMonth() / 3)
  return Array.from({ length: count }, (_, back) => {
    const quarter = current - back
    return nameQuarter(Math.floor(quarter / 4), quarter % 4)
  })
}

export const nameLastQuarter = (now: Date): string => listQuarters(now, 2)[1] ?? ''
