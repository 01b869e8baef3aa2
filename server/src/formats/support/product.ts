/**
 * When the release cycles of products end, as endoflife.date publishes it (https://endoflife.date/docs/api/v1: the elements of `result` of
 * `products/full`). Copies of it may use the older words of its files (`eol`, `support`, `extendedSupport`: a day, or true and false).
 *
 * What a record leaves open stays open: a cycle whose end is missing or cannot be read is kept without one, and says why.
 */
import type { ParseOutcome } from '../advisories/model.ts'
import {
  fault,
  type JsonObject,
  isObject,
  makeStorable,
  readRecord,
  readText,
  requireText,
} from '../advisories/record-reader.ts'

export interface SupportProduct {
  /** `openssl`: what the source calls it in addresses. */
  name: string
  label: string
  /** The page of the product. */
  link?: string
  identifiers: SupportIdentifier[]
  /** In the order of the source, which is the newest first. */
  cycles: SupportCycle[]
}

export interface SupportIdentifier {
  /** `purl`, `cpe`, `repology` and whatever else there may be. */
  type: string
  id: string
}

export interface SupportCycle {
  /** `1.1.1`, `22.04`: versions of the cycle begin with it. */
  name: string
  codename?: string
  releasedOn?: string
  isLts: boolean
  /** The first day without security fixes for everybody. */
  endsOn?: string
  /** What is said of the end where no day is: it has come, or none is planned. */
  hasEnded?: boolean
  /** The first day on which only security fixes are made. */
  activeEndsOn?: string
  /** The first day without fixes for those who have extended support, which may cost money or hold for a part of the product. */
  extendedEndsOn?: string
  latest?: string
  link?: string
  /** Why the end is not known though something is said about it. */
  fault?: string
}

/** An element of `result`, or the answer about one product. */
export function parseSupportProduct(json: unknown): ParseOutcome<SupportProduct> {
  const record = isObject(json) && isObject(json['result']) ? json['result'] : json
  return readRecord(record, ({ name }) => name, readProduct)
}

const MAX_CYCLES = 2_000
const MAX_IDENTIFIERS = 1_000

function readProduct(record: JsonObject): SupportProduct {
  const name = requireText(record, 'name', '')
  if (!/^[a-z0-9][a-z0-9._+-]{0,99}$/i.test(name))
    throw fault('/name', 'is not the name of a product')
  const releases = record['releases']
  if (!Array.isArray(releases)) throw fault('/releases', 'is not an array')
  const link = linkAt(isObject(record['links']) ? record['links'] : {}, 'html')
  return {
    name,
    label: shortText(record, 'label') ?? name,
    ...(link !== undefined && { link }),
    identifiers: readIdentifiers(record['identifiers']),
    cycles: uniteCycles(releases.slice(0, MAX_CYCLES).flatMap(readCycle)),
  }
}

function readIdentifiers(value: unknown): SupportIdentifier[] {
  if (!Array.isArray(value)) return []
  return value.slice(0, MAX_IDENTIFIERS).flatMap((one: unknown) => {
    if (!isObject(one)) return []
    const { type, id } = one
    if (typeof type === 'string' && typeof id === 'string' && id.length <= 512)
      return [{ type, id: makeStorable(id) }]
    // The files of the source have the type as the name of the member.
    return Object.entries(one).flatMap(([kind, text]) =>
      typeof text === 'string' && text.length <= 512
        ? [{ type: kind, id: makeStorable(text) }]
        : [],
    )
  })
}

/** A cycle without a name cannot be told from others, and is left out. */
function readCycle(value: unknown): SupportCycle[] {
  if (!isObject(value)) return []
  const name = cycleName(value['name'] ?? value['releaseCycle'] ?? value['cycle'])
  if (name === undefined) return []
  const end = readEnd(value, ['eolFrom', 'isEol', 'eol'])
  const active = readEnd(value, ['eoasFrom', 'isEoas', 'support'])
  const extended = readEnd(value, ['eoesFrom', 'isEoes', 'extendedSupport'])
  const optional = {
    codename: shortText(value, 'codename'),
    releasedOn: readDay(value['releaseDate']),
    endsOn: end.day,
    hasEnded: end.day === undefined ? end.hasEnded : undefined,
    activeEndsOn: active.day,
    extendedEndsOn: extended.day,
    latest: latestVersion(value['latest']),
    link: linkAt(isObject(value['latest']) ? value['latest'] : value, 'link'),
    fault: end.fault,
  }
  return [{ name, isLts: isLts(value), ...dropUnstated(optional) }]
}

function dropUnstated<T extends object>(values: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>
  }
}

/** YAML reads `3.10` as a number, and some copies pass that on. */
function cycleName(value: unknown): string | undefined {
  if (typeof value === 'number') return String(value)
  if (typeof value !== 'string') return undefined
  const name = makeStorable(value).trim()
  return name === '' || name.length > 100 ? undefined : name
}

interface StatedEnd {
  day?: string
  hasEnded?: boolean
  fault?: string
}

/** Members in the order in which they count: one with the day, one that says whether, one with either. */
function readEnd(
  value: JsonObject,
  [from, whether, either]: readonly [string, string, string],
): StatedEnd {
  for (const text of [value[from], value[either]]) {
    const day = readDay(text)
    if (day !== undefined) return { day }
    if (typeof text !== 'string' || text === '') continue
    const reason = `its end is stated as ${JSON.stringify(text.slice(0, 40))}, which is not a day`
    // That it has ended is known then, and not when. That it has not ended yet is no promise to go on.
    return value[whether] === true ? { fault: reason, hasEnded: true } : { fault: reason }
  }
  const stated = value[whether] ?? value[either]
  // The older word `support: true` says that it is supported; `eol: true` that it has ended.
  if (typeof stated === 'boolean') return { hasEnded: stated }
  return {}
}

/** A day of the calendar; a time of a day counts as its day. */
function readDay(value: unknown): string | undefined {
  const [day] = typeof value === 'string' ? (/^\d{4}-\d{2}-\d{2}(?=$|T)/.exec(value) ?? []) : []
  if (day === undefined) return undefined
  const time = new Date(day)
  // An impossible day has no time, or becomes another day.
  return Number.isNaN(time.getTime()) || !time.toISOString().startsWith(day) ? undefined : day
}

function latestVersion(value: unknown): string | undefined {
  const name = isObject(value) ? value['name'] : value
  return typeof name === 'string' && name !== '' && name.length <= 100
    ? makeStorable(name)
    : undefined
}

/** `lts` of older files is true, false, or the day from which it is. */
function isLts(value: JsonObject): boolean {
  const { isLts: stated, lts } = value
  return stated === true || lts === true || readDay(lts) !== undefined
}

function shortText(value: JsonObject, key: string): string | undefined {
  const text = typeof value[key] === 'string' ? readText(value, key, '') : undefined
  return text === undefined || text === '' ? undefined : text.slice(0, 200)
}

/** Pages make a link of it. */
function linkAt(value: JsonObject, key: string): string | undefined {
  const text = value[key]
  return typeof text === 'string' && text.length <= 500 && /^https?:\/\//i.test(text)
    ? makeStorable(text)
    : undefined
}

/** One cycle per name. Where a name is stated twice with different ends, neither is known to be right. */
function uniteCycles(cycles: readonly SupportCycle[]): SupportCycle[] {
  const byName = Map.groupBy(cycles, ({ name }) => name)
  return [...byName.values()].flatMap(([first, ...others]) => {
    if (!first) return []
    const other = others.find((one) => describeEnd(one) !== describeEnd(first))
    if (!other) return [first]
    const { endsOn: _endsOn, hasEnded: _hasEnded, ...rest } = first
    const both = `${describeEnd(first)}, and ${describeEnd(other)}`
    return [{ ...rest, fault: `it is stated twice: ${both}` }]
  })
}

function describeEnd({ endsOn, hasEnded }: SupportCycle): string {
  if (endsOn !== undefined) return `ends on ${endsOn}`
  if (hasEnded === undefined) return 'end not stated'
  return hasEnded ? 'ended' : 'no end planned'
}
