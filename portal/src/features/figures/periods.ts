/** Periods that people ask for, in days of UTC. */

const formatDay = (at: Date): string => at.toISOString().slice(0, 10)

export function findPeriods(now: Date) {
  const [year, month] = [now.getUTCFullYear(), now.getUTCMonth()]
  const first = month - (month % 3)
  const dayAt = (...parts: [year: number, month: number, day: number]) =>
    formatDay(new Date(Date.UTC(...parts)))
  const today = formatDay(now)
  return {
    lastQuarter: {
      name: 'Last quarter',
      from: dayAt(year, first - 3, 1),
      to: dayAt(year, first, 0),
    },
    quarter: { name: 'This quarter', from: dayAt(year, first, 1), to: today },
    year: { name: '12 months', from: dayAt(year, month - 11, 1), to: today },
  }
}
