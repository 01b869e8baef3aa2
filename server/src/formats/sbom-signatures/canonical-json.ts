/** The one text that a JSON value has for whoever signs it: the JSON Canonicalization Scheme (RFC 8785). */

/** The value has no canonical text; the message is for people. */
export class CanonicalFault extends Error {}

/** No SBOM nests deeper; each level takes room on the stack. */
const MOST_DEPTH = 500

/** Of a value that JSON.parse made. Throws `CanonicalFault`. */
export function canonicalizeJson(value: unknown, depth = 0): string {
  if (depth > MOST_DEPTH)
    throw new CanonicalFault(`The document nests deeper than ${MOST_DEPTH} levels.`)
  if (typeof value === 'string') return quote(value)
  if (typeof value === 'number' && !Number.isFinite(value))
    throw new CanonicalFault('The document has a number that no reader can keep.')
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  if (Array.isArray(value))
    return `[${value.map((one) => canonicalizeJson(one, depth + 1)).join(',')}]`
  return joinMembers(
    Object.entries(value).map(([name, one]) => [name, canonicalizeJson(one, depth + 1)]),
  )
}

/** Names with canonical texts, in any order. Names are sorted by their UTF-16 code units (section 3.2.3). */
export function joinMembers(members: readonly (readonly [string, string])[]): string {
  const sorted = members.toSorted(([a], [b]) => (a < b ? -1 : 1))
  return `{${sorted.map(([name, text]) => `${quote(name)}:${text}`).join(',')}}`
}

/** With the `u` flag, the class stands for surrogates that have no partner. */
const LONE_SURROGATE = /[\uD800-\uDFFF]/u

/** "Lone surrogates … MUST cause … an appropriate error" (section 3.2.2.2). */
function quote(text: string): string {
  if (LONE_SURROGATE.test(text))
    throw new CanonicalFault('The document has a text with half of a character.')
  return JSON.stringify(text)
}
