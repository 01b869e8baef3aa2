/** Versions and ranges that limit statements. Ranges: https://github.com/package-url/vers-spec/blob/9305f036fae4 */
import { compareVersions } from '../versions/compare.ts'
import { normaliseVersion } from '../versions/normalise.ts'
import { VERSION_SCHEMES, type VersionScheme } from '../versions/schemes.ts'
import { decodePercent } from './reading.ts'

const SCHEMES: ReadonlyMap<string, VersionScheme> = new Map<string, VersionScheme>([
  ...VERSION_SCHEMES.map((scheme) => [scheme, scheme] as const),
  ['golang', 'go'],
  ['alpine', 'apk'],
  ['arch', 'alpm'],
  ['intdot', 'generic'],
  ['all', 'generic'],
  ['vls', 'generic'],
])

const COMPARATOR = /^(<=|>=|!=|<|>|=)?\s*(\S+)$/
const BOUND = /^(?:<=|>=|<|>)\s*\S+$/

/** undefined: the limit cannot be read or cannot be compared with the version. */
export function isWithin(version: string, limit: string): boolean | undefined {
  const text = limit.trim()
  if (text === '*' || /^all versions$/i.test(text)) return true
  const [, name, constraints] = /^vers:([a-z0-9.+-]+)\/(.+)$/is.exec(text) ?? []
  if (name !== undefined && constraints !== undefined) {
    const scheme = SCHEMES.get(name.toLowerCase())
    return scheme && isWithinRange(version, scheme, decodePercent(constraints))
  }
  if (text.split('|').every((part) => BOUND.test(part.trim())))
    return isWithinRange(version, 'generic', text)
  if (/[<>|\s]/.test(text)) return undefined
  return isSameVersion(version, text)
}

/** Ignores a `v` before the number, which tags and releases may have. */
export function isSameVersion(a: string, b: string): boolean {
  return a === b || normaliseVersion(a) === normaliseVersion(b)
}

interface Constraint {
  comparator: string
  /** The order of the version and the constraint's version; negative means before. */
  place: number
  version: string
}

/** "Using VERS": equal ones first, then the ranges that neighbours of the sorted constraints span. */
function isWithinRange(version: string, scheme: VersionScheme, text: string): boolean | undefined {
  const parts = text.split('|').map((part) => part.trim())
  if (parts.includes('*')) return parts.length === 1 ? true : undefined
  const constraints: Constraint[] = []
  for (const part of parts) {
    const [, comparator = '=', other = ''] = COMPARATOR.exec(part) ?? []
    const place = compareVersions(scheme, normaliseVersion(version), normaliseVersion(other))
    if (other === '' || place === undefined) return undefined
    constraints.push({ comparator, place, version: normaliseVersion(other) })
  }
  const equal = constraints.find(({ place }) => place === 0)
  if (equal && /^!?=$/.test(equal.comparator)) return equal.comparator === '='
  const bounds = constraints
    .filter(({ comparator }) => /[<>]/.test(comparator))
    .toSorted((a, b) => compareVersions(scheme, a.version, b.version) ?? 0)
  if (bounds.length === 0) return constraints.every(({ comparator }) => comparator === '!=')
  return bounds.some((bound, index) => {
    if (!holds(bound)) return false
    const neighbour = bound.comparator.startsWith('<') ? bounds[index - 1] : bounds[index + 1]
    const closes = neighbour?.comparator.startsWith(bound.comparator.startsWith('<') ? '>' : '<')
    return closes === true ? neighbour !== undefined && holds(neighbour) : true
  })
}

function holds({ comparator, place }: Constraint): boolean {
  switch (comparator) {
    case '<':
      return place < 0
    case '<=':
      return place <= 0
    case '>':
      return place > 0
    default:
      return place >= 0
  }
}
