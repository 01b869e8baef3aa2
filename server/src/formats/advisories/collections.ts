/** Reads `collectionURL` and `packageName` of a CVE record: a package of a registry or distribution, or a repository. */
import { makePurl, formatPurlKey } from '../purl.ts'
import { repoKey, checkKey } from './keys.ts'

export interface CollectionPackage {
  key: string
  /** The purl type; undefined for a repository. */
  type: string | undefined
  /** Whether it is a distribution's package: then CPEs and product of the record name the distribution, not the package. */
  isDistribution: boolean
}

const GO_MODULES = /^(?:pkg\.go\.dev|proxy\.golang\.org)/

type Purl = readonly [type: string, namespace?: string]

const REGISTRIES: readonly (readonly [address: RegExp, ...Purl])[] = [
  [/^(?:www\.)?npmjs\.(?:com|org)|^registry\.npmjs\.org/, 'npm'],
  [/^pypi\.(?:python\.)?org/, 'pypi'],
  [
    /^(?:repo1?\.maven\.(?:apache\.)?org|search\.maven\.org|mvnrepository\.com|central\.sonatype\.com)/,
    'maven',
  ],
  [/^(?:www\.)?rubygems\.org/, 'gem'],
  [/^crates\.io/, 'cargo'],
  [/^(?:www\.)?nuget\.org/, 'nuget'],
  [/^(?:www\.)?packagist\.org/, 'composer'],
  [GO_MODULES, 'golang'],
  [/^(?:repo\.)?hex\.pm/, 'hex'],
  [/^(?:www\.)?pub\.dev/, 'pub'],
  [/^cran\.r-project\.org/, 'cran'],
  [/^hackage\.haskell\.org/, 'hackage'],
]

const DISTRIBUTIONS: readonly (readonly [address: RegExp, ...Purl])[] = [
  [/^access\.redhat\.com\/downloads\/content\/package-browser/, 'rpm', 'redhat'],
  [/^packages\.fedoraproject\.org/, 'rpm', 'fedora'],
  [/^(?:packages|tracker)\.debian\.org/, 'deb', 'debian'],
  [/^(?:launchpad\.net\/ubuntu|packages\.ubuntu\.com)/, 'deb', 'ubuntu'],
  [/^pkgs\.alpinelinux\.org/, 'apk', 'alpine'],
]

const PARTS_OF_GO = new Map([
  ['go standard library', 'stdlib'],
  ['go toolchain', 'toolchain'],
])

/**
 * Go's own records name the module as the vendor and a package of it as the package: `golang.org/x/crypto` and
 * `golang.org/x/crypto/ssh`, `Go standard library` and `net/http` (https://go.dev/doc/security/vuln/cna).
 */
function findModule(packageName: string | undefined, vendor = ''): string | undefined {
  const part = PARTS_OF_GO.get(vendor.toLowerCase())
  return part ?? (packageName?.startsWith(`${vendor}/`) === true ? vendor : packageName)
}

export function findCollectionPackage(
  collectionUrl: string | undefined,
  { packageName: stated, vendor }: { packageName: string | undefined; vendor: string | undefined },
): CollectionPackage | undefined {
  if (collectionUrl === undefined || collectionUrl.length > 2048) return undefined
  const address = collectionUrl
    .trim()
    .toLowerCase()
    .replace(/^[a-z]+:\/\//, '')
  const packageName = GO_MODULES.test(address) ? findModule(stated, vendor) : stated
  return (
    findPackage(DISTRIBUTIONS, address, packageName, true) ??
    findPackage(REGISTRIES, address, packageName, false) ??
    repository(collectionUrl, packageName)
  )
}

function findPackage(
  collections: typeof REGISTRIES,
  address: string,
  packageName: string | undefined,
  isDistribution: boolean,
): CollectionPackage | undefined {
  const [, type, namespace] = collections.find(([pattern]) => pattern.test(address)) ?? []
  if (type === undefined || packageName === undefined) return undefined
  const [group, name] = groupAndName(type, packageName.trim())
  if (name === '' || /\s/.test(name)) return undefined
  const made = makePurl({ type, namespace: namespace ?? group, name })
  const key = 'purl' in made ? checkKey(formatPurlKey(made.purl)) : undefined
  return key === undefined ? undefined : { key, type, isDistribution }
}

/** Maven writes `group:name`, the others `namespace/name`. */
function groupAndName(type: string, packageName: string): [string | undefined, string] {
  const at = packageName.lastIndexOf(type === 'maven' ? ':' : '/')
  return at < 0 ? [undefined, packageName] : [packageName.slice(0, at), packageName.slice(at + 1)]
}

/** The repository on a forge whose address may include the owner: `https://github.com/3scale` and `APIcast`. */
function repository(
  collectionUrl: string,
  packageName: string | undefined,
): CollectionPackage | undefined {
  const key =
    repoKey(collectionUrl) ?? repoKey(`${collectionUrl.replace(/\/+$/, '')}/${packageName ?? ''}`)
  return key?.startsWith('repo:git') && checkKey(key)
    ? { key, type: undefined, isDistribution: false }
    : undefined
}
