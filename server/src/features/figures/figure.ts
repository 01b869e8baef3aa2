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

export const GROUP_KINDS = ['Severity', 'Outcome', 'Month', 'Firmware', 'Owner', 'Person'] as const
export type GroupKind = (typeof GROUP_KINDS)[number]

/** A member or a team, by the name of that day. */
export interface CaseOwner {
  type: 'Member' | 'Team'
  id: string
  name: string
}

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
  /** The address of whoever decided, or was named for an accepted risk. */
  person: string | null
  /** What SSVC decided when it was due; null: it is not known, or does not matter. */
  outcome: string | null
}

export interface OwnedCase extends FigureCase {
  /** Whom its findings belonged to then; null: it was not kept. */
  owners: readonly CaseOwner[] | null
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
  noPerson: string
}

interface Key {
  key: string
  name: string
}

const NOBODY: Key = { key: '', name: 'Nobody' }
const NOT_KEPT: Key = { key: '?', name: 'Not known: it was not kept yet' }

/** Which groups of a kind a case belongs to: one with several owners to several. */
function listKeys(kind: GroupKind, one: OwnedCase, { firmwareNames, noPerson }: Naming): Key[] {
  const named = (key: string | null, name = key) =>
    key === null || name === null ? [] : [{ key, name }]
  switch (kind) {
    case 'Severity':
      return named(one.severity)
    case 'Outcome':
      return named(one.outcome)
    case 'Month':
      return named(one.at.toISOString().slice(0, 7))
    case 'Firmware':
      return named(one.firmwareId, firmwareNames.get(one.firmwareId ?? ''))
    case 'Person':
      return named(one.person ?? '', one.person ?? noPerson)
    case 'Owner':
      if (one.owners === null) return [NOT_KEPT]
      return one.owners.length === 0
        ? [NOBODY]
        : one.owners.map(({ id: key, name }) => ({ key, name }))
  }
}

/** Worst severity first, months in order, others by name. */
export function groupCases(
  { measures, by }: { measures: readonly Measure[]; by: readonly GroupKind[] },
  cases: readonly OwnedCase[],
  naming: Naming,
): Group[] {
  const place = (kind: GroupKind, { key, name }: Key) =>
    kind === 'Severity' ? String(SEVERITY_ORDER.indexOf(key)) : `${name}\n${key}`
  return by.flatMap((kind) => {
    const keyed = cases.flatMap((one) =>
      listKeys(kind, one, naming).map((key) => ({ ...key, one })),
    )
    return [...Map.groupBy(keyed, ({ key }) => key)]
      .map(([key, own]) => ({
        by: kind,
        key,
        name: own[0]?.name ?? key,
        values: measureCases(
          measures,
          own.map(({ one }) => one),
        ),
      }))
      .toSorted((a, b) => (place(kind, a) < place(kind, b) ? -1 : 1))
  })
}
