/** Critical findings and cases that are open as a period begins and ends. */
import { addOwnersThen } from './case-owners.ts'
import type { Facts } from './facts.ts'
import {
  type FigureCase,
  type Group,
  groupCases,
  type Measure,
  measureCases,
  type Value,
} from './figure.ts'
import type { OpenDay } from './kept-store.ts'

export interface OpenFacts {
  open: {
    before: readonly OpenDay[]
    end: readonly OpenDay[]
    months: readonly { month: string; rows: readonly OpenDay[] }[]
  }
  facts: Facts
  isOwned: boolean
}

export function createOpen(
  { open, facts, isOwned }: OpenFacts,
  names: ReadonlyMap<string, string>,
) {
  const sum = (rows: readonly OpenDay[]) =>
    rows.length === 0 ? null : rows.reduce((total, { critical }) => total + critical, 0)
  const value = (name: 'before' | 'end', rows: readonly OpenDay[]): Value => {
    const found = sum(rows)
    const title = name === 'before' ? 'Before the period' : 'At its end'
    return { name, title, unit: 'Count', value: found, cases: found ?? 0 }
  }
  const ids = new Set([...open.before, ...open.end].map(({ firmwareId }) => firmwareId))
  const firmwares = [...ids].map((key): Group => {
    const own = (rows: readonly OpenDay[]) => rows.filter((row) => row.firmwareId === key)
    const values = [value('before', own(open.before)), value('end', own(open.end))]
    return { by: 'Firmware', key, name: names.get(key) ?? key, values }
  })
  const months = open.months.map(({ month, rows }): Group => {
    return { by: 'Month', key: month, name: month, values: [value('end', rows)] }
  })
  const cases = listOpenCritical(facts, facts.period.to)
  const counted = measureCases(OPEN_CASES, cases).map((one) =>
    open.end.length === 0 ? { ...one, value: null } : one,
  )
  const owned = isOwned ? addOwnersThen(facts, cases) : []
  const owners = groupCases({ measures: OPEN_CASES, by: ['Owner'] }, owned, {
    firmwareNames: names,
    noPerson: '',
  })
  return {
    values: [value('before', open.before), value('end', open.end), ...counted],
    groups: [...months, ...firmwares.toSorted((a, b) => (a.name < b.name ? -1 : 1)), ...owners],
    notCounted: [],
    knownSince: null,
  }
}

const OPEN_CASES: readonly Measure[] = [
  { name: 'cases', title: 'Cases at its end', of: 'Open', how: 'Count' },
]

const listOpenCritical = ({ cases }: Facts, at: Date): FigureCase[] =>
  cases
    .filter(({ isOpen, severity }) => isOpen && severity === 'Critical')
    .map(({ vulnerabilityId, firmwareId, severity, detectedAt: since }) => {
      const about = { vulnerabilityId, firmwareId, severity, since, at }
      return { ...about, measure: 'Open', days: null, person: null, outcome: null }
    })
