/**
 * Where a project is at home, in one spelling of many: `github.com/curl/curl` for any page of the repository, `curl.se` for a site.
 * Two addresses that mean one project are one text; it is never shown as a link.
 */

const MAX_LENGTH = 2_048
/** Hosts whose first two segments name the repository. */
const FORGES =
  /^(?:github\.com|bitbucket\.org|codeberg\.org|gitee\.com|gitlab\..+|[^/]+\.gitlab\..+)$/
/** Segments that introduce the name of a project. */
const PROJECT_SEGMENTS: Record<string, ReadonlySet<string>> = {
  'sourceforge.net': new Set(['projects', 'project', 'p']),
  'savannah.gnu.org': new Set(['projects', 'cgit', 'git', 'r', 'releases', 'download']),
  'gnu.org': new Set(['software']),
  'code.google.com': new Set(['p']),
}
const HOST_NAMES: Record<string, string> = {
  'sf.net': 'sourceforge.net',
  'savannah.nongnu.org': 'savannah.gnu.org',
  'raw.githubusercontent.com': 'github.com',
}
/** Pages of cgit and gitweb within a repository. */
const PAGES = new Set(['commit', 'tree', 'log', 'diff', 'patch', 'plain', 'tag', 'refs', '+'])

/** Undefined where the address names neither a repository nor a site. */
export function projectAddress(address: string): string | undefined {
  const place = readPlace(address)
  if (place === undefined) return undefined
  const { host, segments, query } = place
  if (FORGES.test(host)) return ofForge(host, segments)
  // Any host of a project: `giflib.sourceforge.net`.
  const projectOfHost = /^([\w-]+)\.(?:sourceforge|sf)\.(?:net|io)$/.exec(host)?.[1]
  if (projectOfHost !== undefined) return `sourceforge.net/${projectOfHost}`
  const introducing = PROJECT_SEGMENTS[host]
  if (introducing) return ofProject(host, segments, introducing)
  const repository = readRepositoryName(segments, query)
  return repository === undefined ? host : `${host}/${repository}`
}

/** Addresses whose path or query may name a project; of all others the host is all that counts. */
const NAMES_PROJECT =
  /github|gitlab|bitbucket|codeberg|gitee|sourceforge|sf\.net|savannah|gnu\.org|code\.google|\.git|cgit|[?;&]p=|\/\+\//i

/** The same for the millions of references of records, of which few are of a project. */
export function projectAddressOfReference(url: string): string | undefined {
  if (NAMES_PROJECT.test(url)) return projectAddress(url)
  const start = url.indexOf('://') + 3
  const slash = url.indexOf('/', start)
  const host = url.slice(start, slash < 0 ? undefined : slash).toLowerCase()
  return PLAIN_HOST.test(host) ? host.replace(SERVER, '') : projectAddress(url)
}

const PLAIN_HOST = /^[a-z][a-z\d-]*(?:\.[a-z\d-]+)*\.[a-z]+$/

/** `github.com/curl/curl` and not `curl.se`. */
export function isRepositoryAddress(address: string): boolean {
  return address.includes('/')
}

/** Servers of one site. */
const SERVER = /^(?:www|git|downloads?)\.(?=.+\.)/

interface Place {
  host: string
  segments: string[]
  query: string
}

function readPlace(address: string): Place | undefined {
  const text = address.trim().toLowerCase()
  if (text.length > MAX_LENGTH) return undefined
  const scp = /^[\w.-]+@([\w.-]+):(?!\/)([^?#]+)$/.exec(text)
  const url = /^(?:[a-z][a-z+]*:)?\/\/(?:[^/@\s]*@)?([\w.-]+)(?::\d*)?([^?#]*)(?:\?([^#]*))?/.exec(
    text,
  )
  const [, host = '', path = '', query = ''] = scp ?? url ?? []
  if (!host.includes('.') || /^[\d.]+$/.test(host)) return undefined
  const server = host.replace(SERVER, '')
  return { host: HOST_NAMES[server] ?? server, segments: path.split('/').filter(Boolean), query }
}

function ofForge(host: string, [owner, repository]: readonly string[]): string | undefined {
  if (owner === undefined || repository === undefined) return undefined
  return NO_OWNERS.has(owner) ? undefined : `${host}/${owner}/${bare(repository)}`
}

/** Pages of the forge itself, such as `github.com/advisories/GHSA-…`. */
const NO_OWNERS = new Set(['advisories', 'orgs', 'sponsors', 'topics', 'marketplace', 'features'])

function ofProject(
  host: string,
  segments: readonly string[],
  introducing: ReadonlySet<string>,
): string | undefined {
  const name = segments[segments.findIndex((segment) => introducing.has(segment)) + 1]
  return name === undefined || introducing.has(name) ? undefined : `${host}/${bare(name)}`
}

/**
 * Only the last part of the path: the kernel's trees, and mirrors of one repository on a host, differ in the folders before it.
 */
function readRepositoryName(segments: readonly string[], query: string): string | undefined {
  const asked = /(?:^|[;&])p=([^;&]+)/.exec(query)?.[1]
  const named = asked?.split('/').at(-1) ?? segments.find((segment) => segment.endsWith('.git'))
  if (named !== undefined) return bare(named)
  if (!segments.includes('cgit') && !segments.includes('+')) return undefined
  const page = segments.findIndex((segment) => PAGES.has(segment))
  return (page < 0 ? segments : segments.slice(0, page)).at(-1)
}

function bare(name: string): string {
  return name.replace(/@.*$/, '').replace(/\.git$/, '')
}
