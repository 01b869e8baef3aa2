/** Whose statement a CPE is: of the maker of the product, of a distribution, or of a tool that made it up. */
import { formatPurlKey } from '../purl.ts'
import { findAliasedProducts } from './alias-index.ts'
import type { PairOrigin } from './canonical.ts'
import type { DeclaredPurl } from './identifiers.ts'

/** Distributions' package formats; their versions are the distribution's, not upstream's. */
export const DISTRO_TYPES = new Set(['deb', 'rpm', 'apk', 'alpm'])
export interface Build {
  version: string | undefined
  isDistro: boolean
  /** Whether there are several vendors. */
  hasVendors: boolean
  purl: DeclaredPurl | undefined
  /** Whether a distribution's purl tells the source package. */
  isSourceStated: boolean
}

/** What says less than a CPE that the maker of the product states. */
export function judgeCpeOrigin(key: string, build: Build): PairOrigin | undefined {
  const { purl, isDistro, hasVendors, isSourceStated } = build
  if (SYSTEMS.test(key)) return 'platform'
  if (purl !== undefined && isOfRegistry(purl))
    return isSameProduct(formatPurlKey(purl), key) ? undefined : 'registry'
  if (!isDistro) return undefined
  if (hasVendors) return 'guess'
  if (isPlatform(key, purl)) return 'platform'
  return purl !== undefined && !isSourceStated ? 'guess' : 'distribution'
}

function isSameProduct(a: string, b: string): boolean {
  const products = findAliasedProducts(a)
  return findAliasedProducts(b).some((product) => products.includes(product))
}

/** Registries of programming languages, whose packages have no CPE of their own: scanners make them up from the name. */
const REGISTRIES = new Set(
  'npm pypi gem maven cargo golang nuget composer hex pub cran swift cocoapods cpan hackage'.split(
    ' ',
  ),
)

function isOfRegistry({ type }: DeclaredPurl): boolean {
  return REGISTRIES.has(type)
}

/** Distributions as vendors of CPEs. */
const DISTRIBUTORS =
  /^cpe:(?:redhat|suse|opensuse|novell|debian|canonical|fedoraproject|centos|almalinux|rocky|rockylinux|alpinelinux):/
const SYSTEMS =
  /^cpe:(?:redhat:enterprise_linux\w*|debian:debian_linux|canonical:ubuntu(?:_linux)?|fedoraproject:(?:fedora|extra_packages_for_enterprise_linux)|centos:centos|(?:suse|novell|opensuse):(?:(?:suse_)?linux_enterprise\w*|leap|opensuse|tumbleweed|sles|sled)|oracle:linux|alpinelinux:alpine(?:_linux)?|alpine:alpine_linux|amazon:linux(?:_2)?|amazon:amazon_linux|almalinux:almalinux|rocky(?:linux)?:rocky(?:_linux)?|vmware:photon_os|microsoft:(?:cbl-mariner|azure_linux))$/

/**
 * The product of a distribution that one of its packages belongs to (`redhat:ansible_automation_platform` on an rpm). Records list
 * such platforms, and operating systems, beside the product that has the flaw.
 */
function isPlatform(key: string, purl: DeclaredPurl | undefined): boolean {
  if (purl === undefined || !DISTRO_TYPES.has(purl.type) || !DISTRIBUTORS.test(key)) return false
  // A distribution is the maker of a few of its packages: debian:advanced_package_tool is apt.
  if (isSameProduct(`package:${purl.name.toLowerCase()}`, key)) return false
  const written = (text: string) => text.toLowerCase().replaceAll('_', '-')
  const [product, name] = [written(key.slice(key.indexOf(':', 4) + 1)), written(purl.name)]
  return !(name.includes(product) || (name.length > 2 && product.includes(name)))
}
