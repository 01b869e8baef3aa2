/** OSV's ecosystems (https://ossf.github.io/osv-schema/#affectedpackage-field), their purls and their version schemes. */
import { makePurl, type Purl } from './purl.ts'
import type { VersionScheme } from './versions/schemes.ts'

export interface Ecosystem {
  ecosystem: string
  /** The release of a distribution: `12` of `Debian:12`, `22.04` of `Ubuntu:Pro:22.04:LTS`. */
  release: string | undefined
  /** Everything after the name, as stated. */
  suffix: string | undefined
}

interface Kind {
  type?: string
  /** The namespace of a distribution's purls. */
  namespace?: string
  scheme: VersionScheme
}

const deb = (namespace: string): Kind => ({ type: 'deb', namespace, scheme: 'deb' })
const apk = (namespace: string): Kind => ({ type: 'apk', namespace, scheme: 'apk' })
const rpm = (namespace: string): Kind => ({ type: 'rpm', namespace, scheme: 'rpm' })

/**
 * Haskell orders its lists of numbers as R does; opam orders as Debian does. Ecosystems with versions of several schemes
 * (Root, TuxCare, Docker Hardened Images) are not listed.
 */
const ECOSYSTEMS: Record<string, Kind> = {
  AlmaLinux: rpm('almalinux'),
  Alpaquita: apk('alpaquita'),
  Alpine: apk('alpine'),
  Android: { scheme: 'generic' },
  'Azure Linux': rpm('azurelinux'),
  'BellSoft Hardened Containers': apk('bellsoft-hardened-containers'),
  Bioconductor: { scheme: 'cran' },
  Bitnami: { type: 'bitnami', scheme: 'semver' },
  CRAN: { type: 'cran', scheme: 'cran' },
  Chainguard: apk('chainguard'),
  CleanStart: apk('cleanstart'),
  ConanCenter: { type: 'conan', scheme: 'generic' },
  Debian: deb('debian'),
  Echo: deb('echo'),
  FreeBSD: { scheme: 'generic' },
  GHC: { scheme: 'cran' },
  'GitHub Actions': { type: 'github', scheme: 'semver' },
  Go: { type: 'golang', scheme: 'go' },
  Hackage: { type: 'hackage', scheme: 'cran' },
  Hex: { type: 'hex', scheme: 'hex' },
  Julia: { type: 'julia', scheme: 'semver' },
  Kubernetes: { scheme: 'semver' },
  Linux: { scheme: 'kernel' },
  Mageia: rpm('mageia'),
  Maven: { type: 'maven', scheme: 'maven' },
  MinimOS: apk('minimos'),
  NuGet: { type: 'nuget', scheme: 'nuget' },
  'OSS-Fuzz': { type: 'generic', scheme: 'generic' },
  Packagist: { type: 'composer', scheme: 'composer' },
  'Photon OS': rpm('photon'),
  Pub: { type: 'pub', scheme: 'pub' },
  PyPI: { type: 'pypi', scheme: 'pypi' },
  'Red Hat': rpm('redhat'),
  'Rocky Linux': rpm('rocky-linux'),
  RubyGems: { type: 'gem', scheme: 'gem' },
  SUSE: rpm('suse'),
  SwiftURL: { type: 'swift', scheme: 'semver' },
  Ubuntu: deb('ubuntu'),
  VSCode: { type: 'vscode-extension', scheme: 'semver' },
  Wolfi: apk('wolfi'),
  'crates.io': { type: 'cargo', scheme: 'cargo' },
  npm: { type: 'npm', scheme: 'npm' },
  opam: { type: 'opam', scheme: 'deb' },
  openEuler: rpm('openeuler'),
  openSUSE: rpm('opensuse'),
}

/** Version schemes of purl types; all other types are `generic`. CocoaPods compares as RubyGems does. */
const SCHEMES: Record<string, VersionScheme> = {
  alpm: 'alpm',
  apk: 'apk',
  bitnami: 'semver',
  cargo: 'cargo',
  cocoapods: 'gem',
  composer: 'composer',
  cran: 'cran',
  deb: 'deb',
  gem: 'gem',
  git: 'git',
  golang: 'go',
  hackage: 'cran',
  hex: 'hex',
  huggingface: 'git',
  julia: 'semver',
  maven: 'maven',
  npm: 'npm',
  nuget: 'nuget',
  opam: 'deb',
  pub: 'pub',
  pypi: 'pypi',
  rpm: 'rpm',
  swift: 'semver',
  'vscode-extension': 'semver',
}

export function parseEcosystem(text: string): Ecosystem {
  const colon = text.indexOf(':')
  const ecosystem = colon < 0 ? text : text.slice(0, colon)
  const suffix = colon < 0 ? undefined : text.slice(colon + 1)
  const hasReleases = ECOSYSTEMS[ecosystem]?.namespace !== undefined
  const release = hasReleases && suffix !== undefined ? readRelease(ecosystem, suffix) : undefined
  return { ecosystem, release, suffix }
}

/** `v3.19`, `Pro:22.04:LTS`, `rhel_eus:8.6::appstream`, `openshift:4.12::el8`, `Linux Enterprise Server 15 SP4`. */
function readRelease(ecosystem: string, suffix: string): string | undefined {
  if (ecosystem === 'openEuler') return suffix
  const [, enterpriseLinux] = /::el(\d+)/.exec(suffix) ?? []
  if (enterpriseLinux !== undefined) return enterpriseLinux
  const [, version, servicePack] = /(\d+(?:\.\d+)*)(?: SP(\d+))?/.exec(suffix) ?? []
  return servicePack === undefined ? version : `${version}.${servicePack}`
}

/** Whether the ecosystem, stated with or without release, is a distribution's. */
export function isDistribution(text: string): boolean {
  return ECOSYSTEMS[parseEcosystem(text).ecosystem]?.namespace !== undefined
}

/** The version scheme of an ecosystem, stated with or without release; undefined where it has none of its own. */
export function findEcosystemScheme(text: string): VersionScheme | undefined {
  return ECOSYSTEMS[parseEcosystem(text).ecosystem]?.scheme
}

export function findPurlType(text: string): string | undefined {
  return ECOSYSTEMS[parseEcosystem(text).ecosystem]?.type
}

/** Vendor records name repositories (CVE List, GIT ranges of OSV). */
const TYPES_OF_REPOSITORIES = ['github', 'gitlab', 'bitbucket', 'git']

const TYPES_WITH_ADVISORIES = new Set(
  Object.values(ECOSYSTEMS)
    .flatMap(({ type }) => type ?? [])
    .concat(TYPES_OF_REPOSITORIES),
)

/** Whether any source publishes advisories for packages of this type. */
export function hasAdvisories(purlType: string): boolean {
  return TYPES_WITH_ADVISORIES.has(purlType)
}

/** Types of packages of distributions; the namespace says which distribution. */
const DISTRIBUTION_TYPES = 'deb|rpm|apk|alpm'
const REGISTRY_OF_DISTRIBUTION = new RegExp(`^purl:(?:${DISTRIBUTION_TYPES})/[^/]+/(?=.)`)

/** The registries and distributions with records of their own, as the beginnings of keys: `purl:npm/`, `purl:deb/debian/`. */
const REGISTRIES: readonly string[] = [
  ...new Set(
    Object.values(ECOSYSTEMS).flatMap(({ type, namespace }) =>
      type === undefined || TYPES_OF_REPOSITORIES.includes(type) || type === 'generic'
        ? []
        : [namespace === undefined ? `purl:${type}/` : `purl:${type}/${namespace}/`],
    ),
  ),
]

/** The registry or distribution of a key, also of a distribution without records; undefined for all other names. */
export function findRegistryOfKey(key: string): string | undefined {
  const distribution = REGISTRY_OF_DISTRIBUTION.exec(key)?.[0]
  return distribution ?? REGISTRIES.find((registry) => key.startsWith(registry))
}

/** `purl:npm/` of `npm`, `purl:deb/debian/` of `Debian:12`; undefined for an ecosystem without packages of its own. */
export function findRegistryOfEcosystem(text: string): string | undefined {
  const { type, namespace } = ECOSYSTEMS[parseEcosystem(text).ecosystem] ?? {}
  if (type === undefined) return undefined
  return namespace === undefined ? `purl:${type}/` : `purl:${type}/${namespace}/`
}

/** `npm` of `purl:npm/`; undefined for a registry without records. */
export function findEcosystemOfRegistry(registry: string): string | undefined {
  return Object.keys(ECOSYSTEMS).find((name) => findRegistryOfEcosystem(name) === registry)
}

/** The name of an ecosystem as its publisher writes it, with a release if it has one; undefined for all else. */
export function findEcosystemName(text: string): string | undefined {
  return parseEcosystem(text).ecosystem in ECOSYSTEMS ? text : undefined
}

export function isRegistryOfDistribution(registry: string): boolean {
  return REGISTRY_OF_DISTRIBUTION.test(`${registry}x`)
}

export function getPurlTypeScheme(type: string): VersionScheme {
  return SCHEMES[type] ?? 'generic'
}

/**
 * The purl, without version, of a package as an ecosystem names it: `org.slf4j:slf4j-api` of Maven. Undefined where the
 * name gives no purl: Julia's purls need a UUID, which only the purl of a record states.
 */
export function createPackagePurl(ecosystem: string, name: string): Purl | undefined {
  const kind = ECOSYSTEMS[parseEcosystem(ecosystem).ecosystem]
  if (kind?.type === undefined) return undefined
  const { type } = kind
  const [namespace, plainName] =
    kind.namespace === undefined ? splitName(type, name) : [kind.namespace, name]
  const made = makePurl({ type, namespace, name: plainName })
  return 'purl' in made ? made.purl : undefined
}

function splitName(type: string, name: string): [string | undefined, string] {
  switch (type) {
    case 'maven':
      return splitAtLast(name, ':')
    case 'swift':
      return splitAtLast(name.replace(/^https?:\/\/|\.git$/g, ''), '/')
    case 'github':
      return splitAtLast(name.split('/').slice(0, 2).join('/'), '/')
    case 'vscode-extension':
      return splitAtLast(name, name.includes('/') ? '/' : '.')
    default:
      return splitAtLast(name, '/')
  }
}

function splitAtLast(text: string, separator: string): [string | undefined, string] {
  const index = text.lastIndexOf(separator)
  return index < 0 ? [undefined, text] : [text.slice(0, index), text.slice(index + 1)]
}
