/** Figures as a table: a line for each value, of all cases and of each part of them. */
import { writeCsvTable } from '../../formats/csv.ts'
import type { Figure } from './service.ts'

interface Line {
  figure: string
  title: string
  value: number | null
  unit: string
  measure: string
  cases: number
  by: string
  group: string
  definition: string
}

const TABLE = writeCsvTable<Line>([
  'figure',
  'title',
  'by',
  'group',
  'measure',
  'value',
  'unit',
  'cases',
  'definition',
])

export function writeFiguresCsv(figures: readonly Figure[]): string {
  return [TABLE.header, ...figures.flatMap(listLines).map(TABLE.line)].join('')
}

function listLines({ id, title, values, groups, notCounted, definition }: Figure): Line[] {
  const about = { figure: id, title, definition }
  const all = [{ by: 'All', name: '', values }, ...groups]
  const measured = all.flatMap(({ by, name: group, values: own }) =>
    own.map(({ name: measure, value, unit, cases }) => ({
      ...about,
      by,
      group,
      measure,
      value,
      unit,
      cases,
    })),
  )
  const unknown = notCounted.map(({ reason: group, count }) => ({
    ...about,
    by: 'NotCounted',
    group,
    measure: 'count',
    value: count,
    unit: 'Count',
    cases: count,
  }))
  return [...measured, ...unknown]
}
