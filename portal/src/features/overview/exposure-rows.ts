/** The days of an exposure as rows that a chart stacks. */
import type { Exposure } from './queries.ts'

type Worst = Exposure['days'][number]['byWorst'][number]['worst']

/** From the axis up: the worst is read from the axis. */
export const LAYERS: readonly { id: string; name: string; worst: readonly Worst[] }[] = [
  { id: 'critical', name: 'Critical', worst: ['Critical'] },
  { id: 'high', name: 'High', worst: ['High'] },
  { id: 'medium', name: 'Medium', worst: ['Medium'] },
  { id: 'low', name: 'Low', worst: ['Low'] },
  { id: 'none', name: 'None', worst: ['None', 'Clean'] },
  { id: 'unknown', name: 'Unknown', worst: ['Unknown', 'NotJudged'] },
]

export interface Row {
  at: Date
  total: number
  counts: Record<string, number>
}

export function rowsOf({ days }: Exposure): Row[] {
  return days.map(({ day, byWorst }) => {
    const counts = countsOf(byWorst)
    const total = Object.values(counts).reduce((sum, count) => sum + count, 0)
    return { at: new Date(`${day}T12:00:00Z`), total, counts }
  })
}

/** Devices by layer. */
export function countsOf(byWorst: Exposure['days'][number]['byWorst']): Record<string, number> {
  return Object.fromEntries(
    LAYERS.map(({ id, worst }) => [
      id,
      byWorst
        .filter((one) => worst.includes(one.worst))
        .reduce((sum, { devices }) => sum + devices, 0),
    ]),
  )
}
