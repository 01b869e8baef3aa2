import type { Exposure } from '@plimsoll/api-client'
/** The days of an exposure as rows that a chart stacks. */

type Worst = Exposure['days'][number]['byWorst'][number]['worst']

interface Layer {
  id: string
  name: string
}

type LayerId = 'critical' | 'high' | 'medium' | 'low' | 'none' | 'unknown'

/** From the axis up: the worst is read from the axis. */
export const LAYERS: readonly (Layer & { id: LayerId; worst: readonly Worst[] })[] = [
  { id: 'critical', name: 'Critical', worst: ['Critical'] },
  { id: 'high', name: 'High', worst: ['High'] },
  { id: 'medium', name: 'Medium', worst: ['Medium'] },
  { id: 'low', name: 'Low', worst: ['Low'] },
  { id: 'none', name: 'None', worst: ['None', 'Clean'] },
  { id: 'unknown', name: 'Unknown', worst: ['Unknown', 'NotJudged'] },
]

export const EXPOSURE_RANGES = [
  { value: '30', label: '30 d' },
  { value: '90', label: '90 d' },
  { value: '365', label: '1 y' },
] as const

/** The layers of one vulnerability: the devices that have it, and all others. */
const HAVING: readonly Layer[] = [
  { id: 'having', name: 'With it' },
  { id: 'others', name: 'Others' },
]

/** What the service calls the devices of a layer. */
export const listWorst = (layerId: string): readonly Worst[] =>
  LAYERS.find(({ id }) => id === layerId)?.worst ?? []

export const listLayers = (isOfVulnerability: boolean): readonly Layer[] =>
  isOfVulnerability ? HAVING : LAYERS

export interface Row {
  at: Date
  total: number
  counts: Record<string, number>
}

export function listRows(days: Exposure['days'], isOfVulnerability = false): Row[] {
  return days.map(({ day, byWorst, deviceCount, affected }) => {
    const having = affected ?? 0
    const counts: Row['counts'] = isOfVulnerability
      ? { having, others: deviceCount - having }
      : countByLayer(byWorst)
    const total = Object.values(counts).reduce((sum, count) => sum + count, 0)
    return { at: new Date(`${day}T12:00:00Z`), total, counts }
  })
}

/** Devices by layer. */
export function countByLayer(byWorst: Exposure['days'][number]['byWorst']): Record<string, number> {
  return Object.fromEntries(
    LAYERS.map(({ id, worst }) => [
      id,
      byWorst
        .filter((one) => worst.includes(one.worst))
        .reduce((sum, { devices }) => sum + devices, 0),
    ]),
  )
}

const DAY = 86_400_000

/** From the noon of the last day that was counted to that of the next one, or from the beginning of the chart. */
export interface Gap {
  from: Date
  to: Date
}

/** Days that nobody counted: before the first row, and between rows. */
export function listGaps(rows: readonly Row[], begin: Date): Gap[] {
  const times = [begin, ...rows.map(({ at }) => at)]
  return times.slice(1).flatMap((to, index) => {
    const from = times[index] ?? to
    return to.getTime() - from.getTime() > 1.5 * DAY ? [{ from, to }] : []
  })
}

/** Rows of days that follow each other. A day alone is as wide as half of it, so that it can be seen. */
export function listStretches(rows: readonly Row[]): Row[][] {
  const stretches: Row[][] = []
  for (const row of rows) {
    const before = stretches.at(-1)?.at(-1)
    if (before && row.at.getTime() - before.at.getTime() < 1.5 * DAY) stretches.at(-1)?.push(row)
    else stretches.push([row])
  }
  return stretches.map((stretch) => {
    const [row] = stretch
    if (!row || stretch.length > 1) return stretch
    const moved = (part: number) => ({ ...row, at: new Date(row.at.getTime() + part * DAY) })
    return [moved(-0.25), moved(0.25)]
  })
}

/** What a reader points at: a day, with its row if it was counted. */
export interface PointedDay {
  at: Date
  row?: Row
}

export function findDay(
  rows: readonly Row[],
  gaps: readonly Gap[],
  at: Date,
): PointedDay | undefined {
  const away = (time: Date) => Math.abs(time.getTime() - at.getTime())
  const gap = gaps.find(({ from, to }) => from < at && at < to)
  const [nearest] = rows.toSorted((one, other) => away(one.at) - away(other.at))
  if (gap && (!nearest || away(nearest.at) > DAY / 2)) return { at }
  return nearest && { at: nearest.at, row: nearest }
}
