import { isCommit, normaliseVersion } from '../versions/normalise.ts'
import { isKernelName } from './families.ts'
import { readKernelRelease } from './kernel-releases.ts'

/** `351150e3…-dirty`, `…-off`: suffixes of tools for a changed working tree. */
const COMMIT_OF_WORKING_TREE = /^([0-9a-f]{40}|[0-9a-f]{64})[-+](?:dirty|off|extra)$/i

/**
 * What builds write where they know no version: CMake's and git's failures (`-128-NOTFOUND`, `HEAD-HASH-NOTFOUND`), variables that nobody
 * filled in, the names of branches, and requirements that nobody resolved (`^1.2`, `>= 1.2`, `[1.2,)`, `1.2 || 2.0`).
 */
const NO_VERSION: readonly RegExp[] = [
  /(?:^|[-_ ])not[-_ ]?found$/i,
  /\$[{(]|%\{|\{\{|^[@<%].*[@>%]$/,
  /^-\d/,
  /^(?:[<>^]|~[>=]?|!=|[[(])=?\s*v?\d|\|\||,\s*[)\]]/,
  /^(?:unknown|undefined|unspecified|unversioned|none|null|nil|n\/a|na|noassertion|invalid|error|missing|tbd|todo|head|tip|latest|main|master|trunk|develop|development|devel|dev|nightly|snapshot|unreleased|local)(?![a-z\d.])(?!.*\d\.\d)/i,
]

function namesNoVersion(text: string): boolean {
  return !/\d/.test(text) || NO_VERSION.some((pattern) => pattern.test(text))
}

const NO_RELEASE: readonly RegExp[] = [
  // Branches: `6.6.y`, `lf-6.6.y`, `2.x`, `v3.5-branch`, `maint-1.2`, OpenSSL's `OpenSSL_1_1_1-stable`, BusyBox's `1_36_stable`, glibc's `release/2.38/master`.
  // Behind a whole release it is of how that was built: `5.15.71-lts-5.15.y`.
  /^(?!v?\d+(?:\.\d+){2,}[-+_~])(?:.*[-_/v])?\d+(?:\.\d+)*\.[xy*](?=$|[-_+~/])/i,
  /^(?!v?\d+(?:\.\d+){2,}[-+_~]).*[-_.]branch$|^(?:branch|maint|maintenance)[-_/]|\d\/(?:master|main)$/i,
  /^(?:openssl_)?\d+(?:_\d+)+[-_]stable$/i,
  // The zero of builds that have no version yet: `0.0.0`, `0.0.0-unknown`, `0.0.0-SNAPSHOT`, and the commits since no tag.
  /^v?0+(?:\.0+)*(?:$|[-+_~.][a-z]|-\d+-g[\da-f]{4})/i,
]

/** Tags of board support packages, which name no release of the software that they tag. */
const TAG_OF_PACKAGE =
  /^(?:linux4(?:sam|microchip)(?:\+fpga)?|xilinx|xlnx|petalinux|lsdk|openstlinux|(?:tegra-)?l4t)[-_](?:v|r|rel[-_]v?)?\d/i

/** TI tags what its boards start with by the number of its SDK: `08.06.00.007` of U-Boot (https://git.ti.com/cgit/ti-u-boot/ti-u-boot/refs/tags). */
const NUMBER_OF_SDK = /^\d\d\.\d\d\.\d\d\.\d{2,3}(?=$|[-+_])/
const TAGGED_BY_SDK =
  /^(?:ti[-_])?(?:u[-_]?boot|(?:arm[-_])?trusted[-_]firmware(?:[-_]a)?|tf[-_]a|atf|op[-_]?tee(?:[-_].*)?)(?:[-_].*)?$/i

function isTagOfPackage(text: string, product = ''): boolean {
  return TAG_OF_PACKAGE.test(text) || (NUMBER_OF_SDK.test(text) && TAGGED_BY_SDK.test(product))
}

/** A version, a commit, or undefined for what is neither: `main`, `NOASSERTION`, `${VERSION}`, nothing. */
export function readVersion(text: string | undefined, product?: string): string | undefined {
  const trimmed = text?.trim() ?? ''
  const commit = COMMIT_OF_WORKING_TREE.exec(trimmed)?.[1] ?? trimmed
  if (isCommit(commit)) return commit.toLowerCase()
  if (namesNoVersion(trimmed) || NO_RELEASE.some((pattern) => pattern.test(trimmed)))
    return undefined
  if (product !== undefined && isKernelName(product)) return readKernelRelease(trimmed)
  if (isTagOfPackage(trimmed, product)) return undefined
  const version = normaliseVersion(trimmed)
  return product === undefined ? version : withoutProduct(version, product)
}

/** `edk2-stable202605` of edk2: tag forms do not cover names that end in a digit. */
function withoutProduct(version: string, product: string): string {
  if (!version.toLowerCase().startsWith(product.toLowerCase())) return version
  const rest = version.slice(product.length).replace(/^[-_ ]?(?:stable|release|v)?[-_ ]?/i, '')
  return /^\d/.test(rest) ? rest : version
}

/** Versions of registries are compared as they are. */
export function readRegistryVersion(text: string | undefined): string | undefined {
  const trimmed = text?.trim() ?? ''
  return namesNoVersion(trimmed) ? undefined : trimmed
}

/** Versions that only distributions have: `7.61.1-25.el8`, `1.2-3+deb11u1`, `2.34-0ubuntu3`, `1:1.2-3`; a bare `-r0` may be a recipe's. */
const DISTRIBUTION_BUILD =
  /-\d[\w.~+]*\.(?:el|fc|amzn|sle|azl|cm|mga|ph|lp|oe)\d+|[+~-](?:deb|bpo)\d+|-\d[\w.+~]*ubuntu\d|^\d{1,2}:\d[^-]*-\d/i

export function isDistributionBuild(text: string | undefined): boolean {
  return text !== undefined && DISTRIBUTION_BUILD.test(text)
}

/** The upstream part of a distribution's version: `1:1.1.1k-1+deb11u1` is 1.1.1k, `2.35-r4` is 2.35. */
export function readUpstreamVersion(text: string): string {
  const bare = text.replace(/^\d+:/, '')
  const end = bare.lastIndexOf('-')
  const upstream = end > 0 ? bare.slice(0, end) : bare
  // `5.6.1+really5.4.5` is 5.4.5, packaged after 5.6.1.
  return upstream.replace(/^.*\+really/s, '').replace(/[+~.](?:dfsg|ds\d|repack)[\w.+~]*$/, '')
}
