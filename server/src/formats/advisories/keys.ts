/** The keys that join advisories and packages. Both sides build them here and, for purls, in `purl.ts`. */

import { rememberAnswers } from '../remembered.ts'

/** No product has a longer name, and the index could not hold it. */
const MAX_KEY_LENGTH = 512
const MAX_ADDRESS_LENGTH = 2048

/** The text of a CPE value without the backslashes of the formatted string. */
export function unescapeCpeValue(value: string): string {
  return value.includes('\\') ? value.replace(/\\(.)/gs, '$1') : value
}

/** Takes vendor and product of a CPE, escaped or not; the key is never escaped. An unstated vendor is `*`. */
export function formatCpeKey(vendor: string, product: string): string | undefined {
  const [of = '', name = ''] = [vendor, product].map((value) =>
    unescapeCpeValue(value).toLowerCase(),
  )
  if (name === '' || name === '*' || name === '-' || of === '' || of === '-') return undefined
  return checkKey(`cpe:${of}:${name}`)
}

/** The weakest key, from names as people write them: `name:the_gnu_c_library/glibc`; without a vendor the first part is `*`. */
export function nameKey(vendor: string | undefined, product: string): string | undefined {
  const name = normalizedName(product)
  return name && checkKey(`name:${normaliseMaker(vendor ?? '') ?? '*'}/${name}`)
}

/** `wolfSSL Inc.` is wolfSSL. */
function normaliseMaker(vendor: string): string | undefined {
  const name = normalizedName(vendor)
  return name?.replace(LEGAL_FORM, '') || name
}

const LEGAL_FORM =
  /(?:[_,.]+(?:inc|incorporated|ltd|limited|llc|gmbh|ag|corp|corporation|co|s\.?a|b\.?v|pty)\.?)+$/

/** Undefined for placeholders: `n/a`, `unspecified`, punctuation. */
export const normalizedName = rememberAnswers((text: string): string | undefined => {
  if (text.length > MAX_KEY_LENGTH) return undefined
  const name = text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}.+-]+/gu, '_')
    .replace(/^_|_$/g, '')
  return NAMELESS.has(name) || !/[\p{L}\p{N}]/u.test(name) ? undefined : name
})

const NAMELESS = new Set([
  'n_a',
  'na',
  'none',
  'unknown',
  'unspecified',
  'various',
  'multiple',
  'notfound',
])

/**
 * `repo:github.com/curl/curl` from any spelling of a repository's address; undefined where the path names no repository.
 * Always lower case: the large hosts ignore case, and none has two repositories that differ only in case.
 */
export const repoKey = rememberAnswers((address: string): string | undefined => {
  const text = address.trim()
  if (text.length > MAX_ADDRESS_LENGTH) return undefined
  const scp = /^[\w.-]+@([\w.-]+):(?!\/)(.+)$/.exec(text)
  const url = /^(?:[a-z][a-z+]*:)?\/\/(?:[^/@\s]*@)?([^/:\s]+)(?::\d*)?\/([^?#]*)/i.exec(text)
  const [, host, path] = scp ?? url ?? []
  if (host === undefined || path === undefined) return undefined

  const server = host.toLowerCase().replace(/^www\./, '')
  const named = repositorySegments(server, path.toLowerCase().split('/').filter(Boolean))
  const last = named.at(-1)?.replace(/\.git$/, '')
  return last ? checkKey(`repo:${[server, ...named.slice(0, -1), last].join('/')}`) : undefined
})

/** Hosts whose first two path segments name the repository; the rest is a page of it. */
const FORGES = new Set(['github.com', 'bitbucket.org', 'gitee.com', 'codeberg.org'])

function repositorySegments(server: string, segments: string[]): string[] {
  if (FORGES.has(server)) return segments.length >= 2 ? segments.slice(0, 2) : []
  const page = segments.findIndex((segment) => segment === '-' || segment === '+')
  const path = page < 0 ? segments : segments.slice(0, page)
  return server.startsWith('gitlab.') && path.length < 2 ? [] : path
}

export function checkKey(key: string | undefined): string | undefined {
  return key !== undefined && key.length <= MAX_KEY_LENGTH ? key : undefined
}

/** The key of the same product under any vendor; undefined for a key without vendor. */
export function dropVendor(key: string): string | undefined {
  if (key.startsWith('cpe:')) return `cpe:*:${key.slice(key.indexOf(':', 4) + 1)}`
  if (key.startsWith('name:')) return `name:*/${key.slice(key.indexOf('/') + 1)}`
  return undefined
}
