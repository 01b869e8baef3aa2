/**
 * Whether a record of upstream's product includes a version, by a comparison of its own: numbers as numbers, letters as letters. It
 * only sorts labels by what records can tell, and is deliberately not that of the service.
 */
import type { ImagePackage } from './image-packages.ts'

export interface StatedRange {
  /** `gnu:glibc` */
  product: string
  /** Exactly this version; `*` and `-` are all. */
  version?: string | undefined
  from?: string | undefined
  after?: string | undefined
  before?: string | undefined
  until?: string | undefined
}

interface CpeMatch {
  criteria?: string
  vulnerable?: boolean
  versionStartIncluding?: string
  versionStartExcluding?: string
  versionEndExcluding?: string
  versionEndIncluding?: string
}

interface Entry {
  vendor?: string
  product?: string
  packageName?: string
  defaultStatus?: string
  versions?: {
    version?: string
    lessThan?: string
    lessThanOrEqual?: string
    status?: string
  }[]
}

interface OsvEntry {
  ranges?: { events?: { introduced?: string; fixed?: string; last_affected?: string }[] }[]
}

/** The ranges of an NVD, CVE or OSV record. Those of an OSV record are of all its packages and CPEs: `products`. */
export function rangesIn(record: unknown, products: readonly string[]): StatedRange[] {
  return [
    ...membersOf<CpeMatch>(record, 'cpeMatch').flatMap(rangeOfMatch),
    ...membersOf<Entry>(record, 'affected').flatMap(rangesOfEntry),
    ...membersOf<OsvEntry>(record, 'affected').flatMap(({ ranges = [] }) =>
      ranges
        .flatMap(({ events = [] }) => stretchesOf(events))
        .flatMap((range) => products.map((product) => ({ product, ...range }))),
    ),
  ]
}

type OsvEvents = NonNullable<NonNullable<OsvEntry['ranges']>[number]['events']>

/** Events come in order of version in the records that are read here. */
function stretchesOf(events: OsvEvents): Omit<StatedRange, 'product'>[] {
  return events.flatMap(({ introduced }, index) => {
    if (introduced === undefined) return []
    const end = events[index + 1]
    return [{ from: introduced, before: end?.fixed, until: end?.last_affected }]
  })
}

/** All elements of arrays of that name, at any depth. */
function membersOf<T>(value: unknown, name: string): T[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, inner]: [string, unknown]) => [
    ...(key === name && Array.isArray(inner) ? (inner as T[]) : []),
    ...membersOf<T>(inner, name),
  ])
}

function rangeOfMatch(match: CpeMatch): StatedRange[] {
  const [, , , vendor = '', product = '', version = '*', update = '*'] = (
    match.criteria ?? ''
  ).split(/(?<!\\):/)
  if (match.vulnerable === false) return []
  const isStage = !['*', '-'].includes(update)
  return [
    {
      product: `${vendor}:${product}`.replaceAll('\\', ''),
      ...(version !== '*' && { version: isStage ? `${version}${update}` : version }),
      from: match.versionStartIncluding,
      after: match.versionStartExcluding,
      before: match.versionEndExcluding,
      until: match.versionEndIncluding,
    },
  ]
}

function rangesOfEntry(entry: Entry): StatedRange[] {
  const { vendor = '*', product = entry.packageName ?? '', versions = [] } = entry
  const name = `${vendor}:${product}`.toLowerCase().replaceAll(' ', '_')
  const affected = versions.filter(({ status }) => status === 'affected')
  if (affected.length === 0 && entry.defaultStatus === 'affected') return [{ product: name }]
  return affected.map(({ version, lessThan, lessThanOrEqual }) =>
    lessThan === undefined && lessThanOrEqual === undefined
      ? { product: name, version }
      : { product: name, from: version, before: lessThan, until: lessThanOrEqual },
  )
}

/** Texts that are no versions include every one. */
export function includes(range: StatedRange, of: ImagePackage): boolean {
  const own = /^(?:\d+:|v)?([^-+~]*)/.exec(of.version)?.[1] ?? of.version
  const { version, from, after, before, until } = range
  if (version !== undefined && /^\d[\w.-]*$/.test(version)) return order(own, version) === 0
  const holds = (bound: string | undefined, test: (sign: number) => boolean) =>
    bound === undefined || !/^\d/.test(bound) || test(order(own, bound))
  return (
    holds(from, (sign) => sign >= 0) &&
    holds(after, (sign) => sign > 0) &&
    holds(before, (sign) => sign < 0) &&
    holds(until, (sign) => sign <= 0)
  )
}

function order(one: string, other: string): number {
  const [left, right] = [one, other].map((text) => text.toLowerCase().match(/\d+|[a-z]+/g) ?? [])
  const length = Math.max(left?.length ?? 0, right?.length ?? 0)
  for (let index = 0; index < length; index++) {
    const [a = '0', b = '0'] = [left?.[index], right?.[index]]
    const areNumbers = /\d/.test(a) && /\d/.test(b)
    const sign = areNumbers ? Number(a) - Number(b) : a < b ? -1 : a > b ? 1 : 0
    if (sign !== 0) return sign
  }
  return 0
}
