/** Package URLs (ECMA-427, https://github.com/package-url/purl-spec/blob/16f3d0e39343/docs/standard/purl-specification.md). */
import { findRecordsNamespace } from './distributions.ts'
import { normaliseNamePath } from './purl-names.ts'
import { findPurlFault, normaliseParts, type PurlParts } from './purl-types.ts'

/** Normalised by the rules of its type. */
export type Purl = Readonly<PurlParts>

export type PurlReading = { purl: Purl } | { fault: string }

export function parsePurl(text: string): Purl | undefined {
  const reading = readPurl(text)
  return 'purl' in reading ? reading.purl : undefined
}

/** The purl, or the reason in words why the text is not one. */
export function readPurl(text: string): PurlReading {
  // PostgreSQL stores no text that holds it.
  if (/%00|\u0000/.test(text)) return { fault: 'it holds U+0000' }
  try {
    return readParts(text.trim())
  } catch (error) {
    if (error instanceof URIError) return { fault: 'a percent sign begins no UTF-8 character' }
    throw error
  }
}

function readParts(text: string): PurlReading {
  const [, afterScheme] = /^pkg:\/*(.*)$/is.exec(text) ?? []
  if (afterScheme === undefined) return { fault: 'it does not begin with pkg:' }
  const [beforeSubpath, subpath] = splitLast(afterScheme, '#')
  const [path, query] = splitLast(beforeSubpath, '?')
  const slash = path.indexOf('/')
  if (slash < 0) return { fault: 'it has no name' }
  const type = path.slice(0, slash).toLowerCase()
  const [names, version] = splitVersion(path.slice(slash + 1).replace(/^\/+|\/+$/g, ''))
  const segments = names.split('/').map(decodeURIComponent)
  const qualifiers = readQualifiers(query ?? '')
  if (typeof qualifiers === 'string') return { fault: qualifiers }
  // The host of a Git repository is its namespace, the whole path on the host its name.
  const firstOfName = type === 'git' ? 1 : segments.length - 1
  return makePurl({
    type,
    namespace: segments.slice(0, firstOfName).join('/'),
    name: segments.slice(firstOfName).join('/'),
    version: version === undefined ? undefined : decodeURIComponent(version),
    qualifiers,
    subpath: subpath?.split('/').map(decodeURIComponent).join('/'),
  })
}

interface LooseParts {
  type: string
  namespace?: string | undefined
  name: string
  version?: string | undefined
  qualifiers?: Readonly<Record<string, string>> | undefined
  subpath?: string | undefined
}

/** A purl of parts that are not percent-encoded. */
export function makePurl(parts: LooseParts): PurlReading {
  const type = parts.type.toLowerCase()
  if (!/^[a-z][a-z0-9.-]*$/.test(type))
    return { fault: `${type === '' ? 'the empty text' : type} is not a type` }
  const entries = Object.entries(parts.qualifiers ?? {})
    .map(([key, value]) => [key.toLowerCase(), value] as const)
    .filter(([, value]) => value !== '')
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
  const wrongKey = entries.find(([key]) => !/^[a-z._-][a-z0-9._-]*$/.test(key))
  if (wrongKey !== undefined) return { fault: `${wrongKey[0]} is not a qualifier` }
  const subpath = splitSegments(parts.subpath).filter((segment) => !/^\.\.?$/.test(segment))
  const purl = normaliseParts({
    type,
    namespace: splitSegments(parts.namespace).join('/') || undefined,
    name: splitSegments(parts.name).join('/'),
    version: parts.version || undefined,
    qualifiers: Object.fromEntries(entries),
    subpath: subpath.join('/') || undefined,
  })
  if (purl.name === '') return { fault: 'it has no name' }
  const fault = findPurlFault(purl)
  return fault === undefined ? { purl } : { fault }
}

/** The canonical text of what somebody declares. What is not a purl stays as it was received. */
export function normalisePurl(text: string): string {
  const purl = parsePurl(text)
  return purl ? formatPurl(purl) : text
}

/** The canonical text. */
export function formatPurl({ type, namespace, name, version, qualifiers, subpath }: Purl): string {
  const path = [
    type,
    ...splitSegments(namespace),
    ...(type === 'git' ? splitSegments(name) : [name]),
  ]
  const query = Object.entries(qualifiers).map(([key, value]) => `${key}=${encode(value)}`)
  return [
    `pkg:${path.map(encode).join('/')}`,
    version === undefined ? '' : `@${encode(version)}`,
    query.length === 0 ? '' : `?${query.join('&')}`,
    subpath === undefined ? '' : `#${splitSegments(subpath).map(encode).join('/')}`,
  ].join('')
}

const DISTRIBUTION_TYPES = new Set(['deb', 'rpm', 'apk', 'alpm'])

/**
 * `purl:type/namespace/name`: the key that joins advisories and components. It is coarser than the canonical purl where
 * registries and tools are (purl-names.ts): tools name a distribution by its os-release, OSV by its vendor.
 */
export function formatPurlKey(purl: Pick<Purl, 'type' | 'namespace' | 'name'>): string {
  const { type, name } = purl
  const given = purl.namespace
  const namespace =
    given !== undefined && DISTRIBUTION_TYPES.has(type) ? findRecordsNamespace(given) : given
  return `purl:${type}/${normaliseNamePath(type, { namespace, name })}`
}

function splitSegments(path: string | undefined): string[] {
  return path === undefined ? [] : path.split('/').filter((segment) => segment !== '')
}

/** ECMA-427 keeps the colon and encodes everything except letters, digits and `.-_~`. */
function encode(text: string): string {
  return encodeURIComponent(text.toWellFormed())
    .replaceAll('%3A', ':')
    .replace(/[!'()*]/g, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`)
}

function splitLast(text: string, separator: string): [string, string | undefined] {
  const index = text.lastIndexOf(separator)
  return index < 0 ? [text, undefined] : [text.slice(0, index), text.slice(index + 1)]
}

/** `@scope/name` without encoding begins with an @ that does not introduce a version. */
function splitVersion(path: string): [string, string | undefined] {
  const at = path.lastIndexOf('@')
  const isScope = (at === 0 || path[at - 1] === '/') && path.includes('/', at)
  return isScope ? [path, undefined] : splitLast(path, '@')
}

function readQualifiers(query: string): Record<string, string> | string {
  const qualifiers: [string, string][] = []
  for (const pair of query.split('&')) {
    if (pair === '') continue
    const equals = pair.indexOf('=')
    if (equals < 0) return `the qualifier ${pair} has no value`
    qualifiers.push([pair.slice(0, equals), decodeURIComponent(pair.slice(equals + 1))])
  }
  return Object.fromEntries(qualifiers)
}
