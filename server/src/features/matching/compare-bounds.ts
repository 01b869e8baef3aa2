/** Compares the version of a package with one that a record states, where their order means anything. */
import { findRegistryOfKey } from '../../formats/ecosystems.ts'
import { isDistributionBuild, readUpstreamVersion } from '../../formats/identity/versions.ts'
import { rememberAnswers } from '../../formats/remembered.ts'
import { compareVersions } from '../../formats/versions/compare.ts'
import { isCommit, normaliseVersion } from '../../formats/versions/normalise.ts'
import { isModular, withoutModule } from '../../formats/versions/rpm-modules.ts'
import type { VersionScheme } from '../../formats/versions/schemes.ts'

export interface ComparisonTerms {
  scheme: VersionScheme
  /** The name that the record has for the product. */
  key: string
}

/** Registries and distributions define what their versions mean. */
export function isOfRegistry(key: string): boolean {
  return key.startsWith('purl:') && findRegistryOfKey(key) !== undefined
}

/** undefined: their order says nothing. */
export function compareWithBound(
  version: string,
  bound: string,
  terms: ComparisonTerms,
): number | undefined {
  const { scheme, key } = terms
  if (scheme === 'rpm' && isOfOtherRelease(version, bound)) return undefined
  if (!isOfRegistry(key)) {
    if (isBuildBesideUpstream(version, bound)) return beforeBuild(version, bound, scheme)
    if (!isOneForm(version, bound, terms)) return undefined
  }
  const [own, other] = scheme === 'rpm' ? comparableBuilds(version, bound) : [version, bound]
  return compareVersions(scheme, own, other)
}

export function isSame(a: string, b: string, { scheme, key }: ComparisonTerms): boolean {
  if (a.toLowerCase() === b.toLowerCase()) return true
  if (scheme === 'git') return !isCommit(a) && normaliseVersion(a) === normaliseVersion(b)
  return compareVersions(scheme, a, b) === 0 && !differInMonth(a, b, key)
}

/**
 * Whether the order of the scheme means anything for two versions of a product. The generic one orders all texts, but
 * `TF-M-2.3` and `1.3`, `2.40` and `2023-03-01`, or `2.40` and `2.39-28.fc40` only by chance; `r57` and `r60` are of one kind.
 */
export function isOneForm(a: string, b: string, { scheme, key }: ComparisonTerms): boolean {
  const [left, right] = [formOf(a), formOf(b)]
  if (scheme === 'generic' && left.prefix !== right.prefix) return false
  const isDateBesideNumber = (left.isDate && right.isSmall) || (right.isDate && left.isSmall)
  return !isDateBesideNumber && !isBuildBesideUpstream(a, b) && !differInMonth(a, b, key)
}

interface Form {
  /** The letters before the first number. */
  prefix: string
  isDate: boolean
  isSmall: boolean
  isBuild: boolean
}

/** A whole date, with or without hyphens. `2023.02` and `20.04` are versions that a product counts by months. */
const DATE =
  /^(?:19|20)\d\d([-._]?)(?:0[1-9]|1[0-2])\1(?:0[1-9]|[12]\d|3[01])(?:\d{4}|\d{6})?(?!\d)/
/** Versions by the year may be compared with dates, smaller numbers not. */
const YEAR = /^(?:19|20)\d\d/

const formOf = rememberAnswers((text: string): Form => {
  const version = normaliseVersion(text)
  const [letters = ''] = /^\P{Nd}*/u.exec(version.toLowerCase()) ?? []
  return {
    prefix: letters.replace(/[^\p{L}]/gu, ''),
    isDate: DATE.test(version),
    isSmall: /^\d/.test(version) && !YEAR.test(version),
    isBuild: isDistributionBuild(text),
  }
})

/** A record that states the build of a distribution tells at which one it was repaired there, not in which release of upstream. */
function isBuildBesideUpstream(version: string, bound: string): boolean {
  return formOf(bound).isBuild && !formOf(version).isBuild
}

/** What is older than the release that was repaired has no repair; a newer one may have its own. */
function beforeBuild(version: string, bound: string, scheme: VersionScheme): number | undefined {
  const ordering = scheme === 'openssl' || scheme === 'kernel' ? scheme : 'generic'
  const order = compareVersions(ordering, version, readUpstreamVersion(bound))
  return order !== undefined && order < 0 ? order : undefined
}

/** Products whose second number is a month of two digits, as in 6.06 and 22.03. */
const MONTHLY =
  /[:/](?:ubuntu[-_]linux|ubuntu[-_]touch|[kx]ubuntu|openwrt|lede|nixos|dpdk)$|^cpe:(?:ubuntu|canonical):|^name:(?:ubuntu|canonical)\//

/** `6.6` is no version of a product that writes June as `6.06`. */
function differInMonth(a: string, b: string, key: string): boolean {
  if (!MONTHLY.test(key)) return false
  const [left, right] = [a, b].map((text) => /^v?(\d{1,2})\.(\d{1,2})(?!\d)/i.exec(text.trim()))
  const isOfOneYear = left?.[1] !== undefined && left[1] === right?.[1]
  return isOfOneYear && left?.[2] !== right?.[2] && Number(left?.[2]) === Number(right?.[2])
}

/**
 * Leaves out what only one of the two states: many SBOMs and some records drop epochs. Builds of one module differ by
 * the build of the module, too, which says nothing about the package.
 */
function comparableBuilds(version: string, bound: string): [string, string] {
  const [own, other] =
    isModular(version) && isModular(bound)
      ? [withoutModule(version), withoutModule(bound)]
      : comparableRebuilds(version, bound)
  const haveEpochs = [own, other].map((text) => EPOCH.test(text))
  return haveEpochs[0] === haveEpochs[1]
    ? [own, other]
    : [own.replace(EPOCH, ''), other.replace(EPOCH, '')]
}

/**
 * CentOS marks the builds that it changed (`2.4.6-99.el7.centos.1` of Red Hat's `2.4.6-99.el7_9.1`): it replaces the minor release,
 * before which rpm would order every such build.
 */
function comparableRebuilds(version: string, bound: string): [string, string] {
  return REBUILD.test(version)
    ? [version.replace(REBUILD, '$1'), bound.replace(/(\.el\d+)_\d+/, '$1')]
    : [version, bound]
}

const REBUILD = /(\.el\d+)\.centos(?=\.|$)/
const EPOCH = /^\d+:/

/** `2.el8` and `1.el9` are builds of different distributions: their order says nothing about patches. */
function isOfOtherRelease(a: string, b: string): boolean {
  const [left, right] = [a, b].map((text) => /\.(?:module[+_])?el(\d+)/.exec(text)?.[1])
  return left !== undefined && right !== undefined && left !== right
}
