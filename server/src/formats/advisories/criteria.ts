/** One CPE match criterion: a CPE 2.3 name with bounds on its version. */
import { formatCpeKey, unescapeCpeValue } from './keys.ts'
import type { VersionStatement } from './model.ts'
import { incrementPrefix } from './version-bounds.ts'

export interface Bounds {
  startIncluding: string | undefined
  startExcluding: string | undefined
  endIncluding: string | undefined
  endExcluding: string | undefined
}

export interface Criterion {
  text: string
  /** The name with any version: it groups the exact versions of one product and update. */
  textOfAnyVersion: string
  key: string
  isVulnerable: boolean
  part: string
  vendor: string
  product: string
  version: string
  bounds: Bounds
}

/** Undefined for an invalid name and for one that fits every product (`cpe:2.3:*:*:*…`, `null:null`). */
export function parseCriterion(
  text: string,
  isVulnerable: boolean,
  bounds: Bounds,
): Criterion | undefined {
  const fields = text.length <= MAX_LENGTH ? splitFields(text) : undefined
  if (fields === undefined) return undefined
  const [, , part = '', vendor = '', product = '', version = '*', ...rest] = fields
  const [of, name] = [
    unescapeCpeValue(vendor).toLowerCase(),
    unescapeCpeValue(product).toLowerCase(),
  ]
  const key = formatCpeKey(of, name)
  if (key === undefined) return undefined
  const textOfAnyVersion = ['cpe', '2.3', part, vendor, product, '*', ...rest].join(':')
  return {
    text,
    textOfAnyVersion,
    key,
    isVulnerable,
    part,
    vendor: of,
    product: name,
    version,
    bounds,
  }
}

const MAX_LENGTH = 1024

/** The bounds as a range; undefined where the criterion names one version instead. */
export function readCriterionRange({
  version,
  bounds,
}: Criterion): Omit<VersionStatement, 'status' | 'text'> | undefined {
  if (version !== '*') return prefixRange(version)
  return {
    ...(bounds.startIncluding !== undefined && { introduced: bounds.startIncluding }),
    ...(bounds.startExcluding !== undefined && { introducedAfter: bounds.startExcluding }),
    ...(bounds.endIncluding !== undefined && { lastAffected: bounds.endIncluding }),
    ...(bounds.endExcluding !== undefined && { fixed: bounds.endExcluding }),
  }
}

/** `5.10.*` with an unquoted wildcard stands for all versions with that prefix (NISTIR 7695, 5.3.2). */
function prefixRange(version: string) {
  const prefix = /^(\d+(?:\.\d+)*)\.\*$/.exec(version)?.[1]
  if (prefix === undefined) return undefined
  return { introduced: prefix, fixed: incrementPrefix(prefix), fixedIsDerived: true }
}

/** The 13 fields of a formatted string, still escaped; a colon within a value is escaped. */
function splitFields(text: string): string[] | undefined {
  if (!text.startsWith('cpe:2.3:')) return undefined
  const fields = text.includes('\\:') ? text.split(/(?<!\\):/) : text.split(':')
  return fields.length === 13 ? fields : undefined
}
