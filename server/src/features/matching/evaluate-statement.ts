/** Evaluates one statement of an advisory for one version. */
import type { AffectedStatement, VersionStatement } from '../../formats/advisories/model.ts'
import type { Cpe } from '../../formats/cpe.ts'
import { versionWithUpdate } from '../../formats/identity.ts'
import { compareVersions, isVersion } from '../../formats/versions/compare.ts'
import { isGoPseudoVersion } from '../../formats/versions/semver.ts'
import { isCommit, normaliseVersion } from '../../formats/versions/normalise.ts'
import { canBeOfModule, isModular, withoutModule } from '../../formats/versions/rpm-modules.ts'
import type { VersionScheme } from '../../formats/versions/schemes.ts'
import { fitOf, SURE } from './cpe-criterion.ts'

export interface Subject {
  version: string
  /** The CPE that states the version; undefined for other identifiers. */
  cpe: Cpe | undefined
  /** Language registries of the package's purls, such as `npm` and `pypi`. */
  ecosystems: ReadonlySet<string>
}

export type Outcome =
  | {
      verdict: 'affected' | 'unaffected'
      /** undefined: the default status decided, as no entry names the version. */
      decidedBy: VersionStatement | undefined
      /** Why the verdict is uncertain. */
      doubts: string[]
    }
  | { verdict: 'undecidable'; reason: string }
  | { verdict: 'silent' }

const INCOMPARABLE = 'version cannot be compared'

/**
 * The first entry that applies to the version decides, else the default status (CVE record format 5.1,
 * "Version Status Decision Algorithm"). If an earlier entry cannot be compared, the statement is undecidable.
 */
function criterionIn(
  { cpe }: VersionStatement,
  criterionOf: (cpe: string) => Cpe | undefined,
): Cpe | undefined {
  return cpe === undefined ? undefined : criterionOf(cpe)
}

function undecidableBecause(
  { undecidable, scheme }: AffectedStatement,
  { version }: Subject,
): string | undefined {
  const isOfCommit = isCommit(version) || (scheme !== 'go' && isGoPseudoVersion(version))
  return undecidable ?? (isOfCommit && scheme !== 'git' ? 'version is a commit' : undefined)
}

export function evaluateStatement(
  statement: AffectedStatement,
  subject: Subject,
  criterionOf: (cpe: string) => Cpe | undefined,
): Outcome {
  const reason = undecidableBecause(statement, subject)
  if (reason !== undefined) return { verdict: 'undecidable', reason }

  const undecided = new Set<VersionStatement['status']>()
  let applicable = statement.versions.length === 0 ? 1 : 0
  for (const entry of statement.versions) {
    const criterion = criterionIn(entry, criterionOf)
    const fit = criterion ? fitOf(criterion, subject) : SURE
    if (!fit.fits) continue
    applicable++
    const hit = speaksOf(entry, subject, { scheme: statement.scheme, criterion })
    if (hit === undefined) undecided.add(entry.status)
    else if (hit.holds) {
      const decisive = hit.versions ? { ...entry, versions: hit.versions } : entry
      return decided(decisive, [...fit.doubts, ...hit.doubts], undecided)
    }
  }
  if (undecided.size > 0) return { verdict: 'undecidable', reason: INCOMPARABLE }
  if (applicable === 0 || statement.defaultStatus === 'unknown') return { verdict: 'silent' }
  return { verdict: statement.defaultStatus, decidedBy: undefined, doubts: [] }
}

/** A fix in one module stream says nothing of the other streams, nor of builds outside of modules. */
export function isOfOtherModule(
  { scheme, versions, module }: AffectedStatement,
  { version }: Subject,
): boolean {
  if (scheme !== 'rpm') return false
  const fixes = versions.flatMap(({ fixed }) => fixed ?? [])
  return fixes.length > 0 && !fixes.some((fixed) => canBeOfModule(version, { fixed, module }))
}

function decided(
  entry: VersionStatement,
  doubts: string[],
  undecided: ReadonlySet<VersionStatement['status']>,
): Outcome {
  const { status } = entry
  if ([...undecided].some((other) => other !== status))
    return { verdict: 'undecidable', reason: INCOMPARABLE }
  return status === 'unknown'
    ? { verdict: 'silent' }
    : { verdict: status, decidedBy: entry, doubts }
}

interface Terms {
  scheme: VersionScheme
  criterion: Cpe | undefined
}

interface Hit {
  holds: boolean
  doubts: string[]
  /** The versions of a list that equal the version. */
  versions?: string[]
}

const MISS: Hit = { holds: false, doubts: [] }
const isHit = (holds: boolean | undefined): Hit | undefined =>
  holds === undefined ? undefined : holds ? { holds, doubts: [] } : MISS

/** Whether an entry applies to the version; undefined: they cannot be compared. */
function speaksOf(entry: VersionStatement, subject: Subject, terms: Terms): Hit | undefined {
  if (entry.versions) return isListed(entry.versions, subject, terms)
  const update = subject.cpe?.update ?? '*'
  return isHit(isWithin(entry, versionOf(subject.version, update), terms.scheme))
}

function isListed(versions: readonly string[], subject: Subject, terms: Terms): Hit | undefined {
  const { scheme, criterion } = terms
  // `-` in a CPE is "not applicable": the record knows no versions, so it may mean any version.
  if (versions.length === 1 && versions[0] === '-')
    return { holds: true, doubts: ['the criterion states no version'] }
  const own = subject.cpe?.update ?? '*'
  const listed = criterion?.update ?? '*'
  const full = versionOf(subject.version, own)
  const isMeant = (version: string) =>
    isSame(versionOf(version, listed), full, scheme) ||
    (listed === '*' && own !== '*' && isSame(version, subject.version, scheme))
  const meant = versions.filter(isMeant)
  if (meant.length > 0) return { holds: true, doubts: [], versions: meant }
  const alike = own === '*' ? listAlike(versions, subject, { listed, scheme }) : []
  if (alike.length > 0) {
    const doubt = `the criterion is of update ${listed}, the component states none`
    return { holds: true, doubts: [doubt], versions: alike }
  }
  return isReadable(versions, full, scheme) ? MISS : undefined
}

/** Versions that the component's may be with the criterion's update. */
function listAlike(
  versions: readonly string[],
  subject: Subject,
  { listed, scheme }: { listed: string; scheme: Terms['scheme'] },
): string[] {
  if (listed === '*' || listed === '-') return []
  return versions.filter(
    (version) => isSame(version, subject.version, scheme) && !isStage(version, { listed, scheme }),
  )
}

function isReadable(versions: readonly string[], full: string, scheme: Terms['scheme']): boolean {
  if (scheme === 'git' || !isVersion(scheme, full)) return false
  return scheme !== 'generic' || versions.some(sharesPrefix(full))
}

/** NVD writes `1.9.5:patch1` for the version that its maker calls 1.9.5p1. */
function versionOf(version: string, update: string): string {
  return versionWithUpdate(version, update.replace(/^patch_?(?=\d+$)/, 'p'))
}

/** `2021.04:rc1` comes before 2021.04. SBOMs state candidates, but often leave out patches. */
function isStage(
  version: string,
  { listed, scheme }: { listed: string; scheme: VersionScheme },
): boolean {
  const order = compareVersions(scheme, versionOf(version, listed), version)
  return order !== undefined && order < 0
}

function isSame(a: string, b: string, scheme: VersionScheme): boolean {
  if (a.toLowerCase() === b.toLowerCase()) return true
  if (scheme === 'git') return !isCommit(a) && normaliseVersion(a) === normaliseVersion(b)
  return compareVersions(scheme, a, b) === 0
}

/** If the version is beyond one bound, that decides, even if the other bound cannot be compared. */
function isWithin(
  { introduced, introducedAfter, fixed, lastAffected }: VersionStatement,
  version: string,
  scheme: VersionScheme,
): boolean | undefined {
  const isInside = new Set([
    // In OSV and CVE records 0 is the beginning of all versions, in every scheme.
    introduced === undefined ||
      introduced === '0' ||
      compares(scheme, version, introduced, (order) => order >= 0),
    introducedAfter === undefined ||
      compares(scheme, version, introducedAfter, (order) => order > 0),
    fixed === undefined || compares(scheme, version, fixed, (order) => order < 0),
    lastAffected === undefined || compares(scheme, version, lastAffected, (order) => order <= 0),
  ])
  if (isInside.has(false)) return false
  return isInside.has(undefined) ? undefined : true
}

function compares(
  scheme: VersionScheme,
  version: string,
  bound: string,
  test: (order: number) => boolean,
): boolean | undefined {
  if (scheme === 'rpm' && isOfOtherRelease(version, bound)) return undefined
  if (scheme === 'generic' && !sharesPrefix(version)(bound)) return undefined
  const [own, other] = scheme === 'rpm' ? comparableBuilds(version, bound) : [version, bound]
  const order = compareVersions(scheme, own, other)
  return order === undefined ? undefined : test(order)
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

/**
 * Whether the generic order means anything for two versions. It orders all texts, but `TF-M-2.3` and `1.3` only by
 * chance; `r57` and `r60` are of one kind.
 */
function sharesPrefix(version: string): (other: string) => boolean {
  const own = prefixOf(version)
  return (other) => prefixOf(other) === own
}

function prefixOf(text: string): string {
  const [letters = ''] = /^\P{Nd}*/u.exec(normaliseVersion(text).toLowerCase()) ?? []
  return letters.replace(/[^\p{L}]/gu, '')
}

/** `2.el8` and `1.el9` are builds of different distributions: their order says nothing about patches. */
function isOfOtherRelease(a: string, b: string): boolean {
  const [left, right] = [a, b].map((text) => /\.(?:module[+_])?el(\d+)/.exec(text)?.[1])
  return left !== undefined && right !== undefined && left !== right
}
