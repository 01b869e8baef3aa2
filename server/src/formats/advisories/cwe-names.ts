import categories from './cwe-categories.json' with { type: 'json' }
import names from './cwe-names.json' with { type: 'json' }

const NAMES = new Map<string, string>(Object.entries(names))

/** The name of `CWE-79` in MITRE's list, version 4.15; undefined for an unknown id. */
export function findCweName(id: string): string | undefined {
  return id.startsWith('CWE-') ? NAMES.get(id.slice(4)) : undefined
}

/** Groups of weaknesses, which records name, too. */
const CATEGORIES = new Set(categories)
/** Spelled otherwise in other versions of the list. */
const RENAMED = new Set(['280', '600', '1039', '1290'])

/** The name of a weakness as all versions of MITRE's list have it. undefined for categories, and for what the list has given up. */
export function findWeaknessName(id: string): string | undefined {
  const name = findCweName(id)
  const number = id.slice(4)
  const isNone = CATEGORIES.has(Number(number)) || RENAMED.has(number)
  return isNone || name?.startsWith('DEPRECATED') === true ? undefined : name
}
