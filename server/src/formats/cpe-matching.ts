/** How CPE names relate as sets of products (NISTIR 7696, section 6). */
import {
  ANY,
  CPE_ATTRIBUTES,
  type Cpe,
  type CpeAttribute,
  hasWildcard,
  NA,
  unquote,
} from './cpe.ts'

/** The relation of the source to the target. */
export type CpeRelation = 'Superset' | 'Subset' | 'Equal' | 'Disjoint' | 'Undefined'

export interface NameRelation {
  name: CpeRelation
  attributes: Readonly<Record<CpeAttribute, CpeRelation>>
}

/** Table 6-2, except that a pattern equals itself. */
export function compareAttributes(source: string, target: string): CpeRelation {
  if (source === target) return 'Equal'
  const isPattern = hasWildcard(target)
  if (source === ANY) return isPattern ? 'Undefined' : 'Superset'
  if (target === ANY) return 'Subset'
  if (isPattern) return 'Undefined'
  if (source === NA || target === NA) return 'Disjoint'
  return hasWildcard(source) && matchesPattern(source, unquote(target)) ? 'Superset' : 'Disjoint'
}

/** Section 6.2: one disjoint attribute makes the names disjoint; any other relation must hold for all attributes. */
export function compareNames(source: Cpe, target: Cpe): NameRelation {
  const relate = (attribute: CpeAttribute) =>
    compareAttributes(source[attribute], target[attribute])
  const attributes: Record<CpeAttribute, CpeRelation> = {
    part: relate('part'),
    vendor: relate('vendor'),
    product: relate('product'),
    version: relate('version'),
    update: relate('update'),
    edition: relate('edition'),
    language: relate('language'),
    swEdition: relate('swEdition'),
    targetSw: relate('targetSw'),
    targetHw: relate('targetHw'),
    other: relate('other'),
  }
  return { name: nameRelation(new Set(CPE_ATTRIBUTES.map((name) => attributes[name]))), attributes }
}

function nameRelation(found: ReadonlySet<CpeRelation>): CpeRelation {
  if (found.has('Disjoint')) return 'Disjoint'
  if (found.has('Undefined') || (found.has('Superset') && found.has('Subset'))) return 'Undefined'
  if (found.has('Superset')) return 'Superset'
  return found.has('Subset') ? 'Subset' : 'Equal'
}

/** At the beginning or end, a `*` matches any text, and each `?` matches one character or none. */
function matchesPattern(pattern: string, text: string): boolean {
  const [, before = '', body = '', after = ''] = /^([*?]*)(.*?)((?<!\\)[*?]*)$/s.exec(pattern) ?? []
  const literal = unquote(body)
  const room = text.length - literal.length
  if (room < 0) return false
  const most = before.includes('*') ? room : Math.min(before.length, room)
  const least = after.includes('*') ? 0 : Math.max(0, room - after.length)
  for (let start = least; start <= most; start++) if (text.startsWith(literal, start)) return true
  return false
}
