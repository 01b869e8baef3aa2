/** What a figure is made of: cases, which are counted or measured, in all and by what they have in common. */
import type { Severity } from '../../formats/advisories/model.ts'

export const FIGURES = [
  'timeToTriage',
  'timeToFix',
  'timeToFleet',
  'openCritical',
  'decidedWithinTarget',
  'timeToVex',
  'acceptances',
  'reopened',
  'falsePositives',
] as const
export type FigureId = (typeof FIGURES)[number]

export const GROUP_KINDS = ['Severity', 'Month', 'Firmware', 'Owner'] as const
export type GroupKind = (typeof GROUP_KINDS)[number]

/** One thing that happened, behind one or more values of a figure. */
export interface FigureCase {
  /** Which values it belongs to. */
  measure: string
  vulnerabilityId: string
  /** null: of the whole fleet. */
  firmwareId: string | null
  severity: Severity | null
  since: Date
  /** When it happened: it counts in the period of this instant. */
  at: Date
  /** null: nothing is measured. */
  days: number | null
  /** Who decided, or looks after it. */
  owner: string | null
}

export const UNITS = ['Days', 'Count', 'Percent'] as const
type Unit = (typeof UNITS)[number]

export interface Value {
  name: string
  title: string
  unit: Unit
  /** null: there is no case. */
  value: number | null
  cases: number
}

/** How a value comes from the cases of its figure. */
export interface Measure {
  name: string
  title: string
  /** The cases that are measured or counted. */
  of: string
  how: 'Median' | 'P90' | 'Count' | 'Share'
}

export interface Group {
  by: GroupKind
  key: string
  name: string
  values: Value[]
}

/** The nearest rank: a number that really was among them. */
function findQuantile(numbers: readonly number[], share: number): number | null {
  const sorted = numbers.toSorted((a, b) => a - b)
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? null
}

const limitDigits = (value: number, digits: number): number =>
  Math.round(value * 10 ** digits) / 10 ** digits

export function measureCases(measures: readonly Measure[], cases: readonly FigureCase[]): Value[] {
  return measures.map(({ name, title, of, how }) => {
    const own = cases.filter(({ measure }) => measure === of)
    if (how === 'Count') return { name, title, unit: 'Count', value: own.length, cases: own.length }
    if (how === 'Share') {
      const value = cases.length === 0 ? null : limitDigits((100 * own.length) / cases.length, 1)
      return { name, title, unit: 'Percent', value, cases: cases.length }
    }
    const days = own.flatMap((one) => (one.days === null ? [] : [one.days]))
    const found = findQuantile(days, how === 'Median' ? 0.5 : 0.9)
    const value = found === null ? null : limitDigits(found, 2)
    return { name, title, unit: 'Days', value, cases: days.length }
  })
}

const SEVERITY_ORDER = ['Critical', 'High', 'Medium', 'Low', 'None', 'Unknown']

interface Naming {
  firmwareNames: ReadonlyMap<string, string>
  /** What those are called who have no address. */
  noOwner: string
}

/** Worst severity first, months in order, others by name. */
export function groupCases(
  { measures, by }: { measures: readonly Measure[]; by: readonly GroupKind[] },
  cases: readonly FigureCase[],
  { firmwareNames, noOwner }: Naming,
): Group[] {
  const keyOf: Record<GroupKind, (one: FigureCase) => string | null> = {
    Severity: ({ severity }) => severity,
    Month: ({ at }) => at.toISOString().slice(0, 7),
    Firmware: ({ firmwareId }) => firmwareId,
    Owner: ({ owner }) => owner ?? '',
  }
  const nameOf = (grouping: GroupKind, key: string) => {
    if (grouping === 'Firmware') return firmwareNames.get(key) ?? key
    return grouping === 'Owner' && key === '' ? noOwner : key
  }
  const place = (grouping: GroupKind, { key, name }: { key: string; name: string }) =>
    grouping === 'Severity' ? String(SEVERITY_ORDER.indexOf(key)) : `${name}\n${key}`
  return by.flatMap((grouping) => {
    const known = cases.filter((one) => keyOf[grouping](one) !== null)
    return [...Map.groupBy(known, (one) => keyOf[grouping](one) ?? '')]
      .map(([key, own]) => ({
        by: grouping,
        key,
        name: nameOf(grouping, key),
        values: measureCases(measures, own),
      }))
      .toSorted((a, b) => (place(grouping, a) < place(grouping, b) ? -1 : 1))
  })
}
