/** The days of an exposure as rows that a chart stacks. */
import type { Exposure } from '../../workspace-queries.ts'

type Worst = Exposure['days'][number]['byWorst'][number]['worst']

interface Layer {
  id: string
  name: string
}

/** From the axis up: the worst is read from the axis. */
export const LAYERS: readonly (Layer & { worst: readonly Worst[] })[] = [
  { id: 'critical', name: 'Critical', worst: ['Critical'] },
  { id: 'high', name: 'High', worst: ['High'] },
  { id: 'medium', name: 'Medium', worst: ['Medium'] },
  { id: 'low', name: 'Low', worst: ['Low'] },
  { id: 'none', name: 'None', worst: ['None', 'Clean'] },
  { id: 'unknown', name: 'Unknown', worst: ['Unknown', 'NotJudged'] },
]

/** Of one vulnerability: the devices that have it, and all others. */
const HAVING: readonly Layer[] = [
  { id: 'having', name: 'With it' },
  { id: 'others', name: 'Others' },
]

export const layersOf = (isOfVulnerability: boolean): readonly Layer[] =>
  isOfVulnerability ? HAVING : LAYERS

export interface Row {
  at: Date
  total: number
  counts: Record<string, number>
}

export function rowsOf({ days }: Exposure, isOfVulnerability = false): Row[] {
  return days.map(({ day, byWorst, deviceCount, affected }) => {
    const having = affected ?? 0
    const counts: Row['counts'] = isOfVulnerability
      ? { having, others: deviceCount - having }
      : countsOf(byWorst)
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
