/** Evaluates one statement of an advisory for one version. */
import type { AffectedStatement, VersionStatement } from '../../formats/advisories/model.ts'
import type { Cpe } from '../../formats/cpe.ts'
import { joinVersionUpdate } from '../../formats/identity.ts'
import { compareVersions, isVersion } from '../../formats/versions/compare.ts'
import { isGoPseudoVersion } from '../../formats/versions/semver.ts'
import { isCommit } from '../../formats/versions/normalise.ts'
import { canBeOfModule } from '../../formats/versions/rpm-modules.ts'
import type { VersionScheme } from '../../formats/versions/schemes.ts'
import { type ComparisonTerms, compareWithBound, isOneForm, isSame } from './compare-bounds.ts'
import { fitCriterion, SURE } from './cpe-criterion.ts'

export interface Subject {
  version: string
  /** The CPE that states the version; undefined for other identifiers. */
  cpe: Cpe | undefined
  /** Language registries of the package's purls, such as `npm` and `pypi`. */
  ecosystems: ReadonlySet<string>
}

/** How a record means what it says. */
export interface RecordTerms {
  /** The record's name of the product. */
  key: string
  criterionOf: (cpe: string) => Cpe | undefined
}

export type Outcome =
  | {
      verdict: 'affected' | 'unaffected'
      /** undefined: the default status decided, as no entry names the version. */
      decidedBy: VersionStatement | undefined
      /** Why the verdict is uncertain. */
      doubts: string[]
      /** Why it is not certain. */
      reservations?: string[]
      /** An entry that decides otherwise in another reading of the version, and comes first where it does. */
      against?: VersionStatement
    }
  | { verdict: 'undecidable'; reason: string }
  | { verdict: 'silent' }

const INCOMPARABLE = 'version cannot be compared'

/**
 * The first entry that applies to the version decides, else the default status (CVE record format 5.1,
 * "Version Status Decision Algorithm"). If an earlier entry cannot be compared, the statement is undecidable.
 */
function criterionIn({ cpe }: VersionStatement, { criterionOf }: RecordTerms): Cpe | undefined {
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
  record: RecordTerms,
): Outcome {
  const reason = undecidableBecause(statement, subject)
  if (reason !== undefined) return { verdict: 'undecidable', reason }

  const undecided = new Set<VersionStatement['status']>()
  let applicable = statement.versions.length === 0 ? 1 : 0
  for (const entry of statement.versions) {
    const criterion = criterionIn(entry, record)
    const fit = criterion ? fitCriterion(criterion, subject) : SURE
    if (!fit.fits) continue
    applicable++
    const hit = findHit(entry, subject, { scheme: statement.scheme, key: record.key, criterion })
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

interface Terms extends ComparisonTerms {
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
function findHit(entry: VersionStatement, subject: Subject, terms: Terms): Hit | undefined {
  if (entry.versions) return isListed(entry.versions, subject, terms)
  const update = subject.cpe?.update ?? '*'
  return isHit(isWithin(entry, joinUpdate(subject.version, update), terms))
}

function isListed(versions: readonly string[], subject: Subject, terms: Terms): Hit | undefined {
  const { criterion } = terms
  // `-` in a CPE is "not applicable": the record knows no versions, so it may mean any version.
  if (versions.length === 1 && versions[0] === '-')
    return { holds: true, doubts: ['the criterion states no version'] }
  const own = subject.cpe?.update ?? '*'
  const listed = criterion?.update ?? '*'
  const full = joinUpdate(subject.version, own)
  const isMeant = (version: string) =>
    isSame(joinUpdate(version, listed), full, terms) ||
    (listed === '*' && own !== '*' && isSame(version, subject.version, terms))
  const meant = versions.filter(isMeant)
  if (meant.length > 0) return { holds: true, doubts: [], versions: meant }
  const alike = own === '*' ? listAlike(versions, subject, { ...terms, listed }) : []
  if (alike.length > 0) {
    const doubt = `the criterion is of update ${listed}, the component states none`
    return { holds: true, doubts: [doubt], versions: alike }
  }
  return isReadable(versions, full, terms) ? MISS : undefined
}

/** Versions that the component's may be with the criterion's update. */
function listAlike(
  versions: readonly string[],
  subject: Subject,
  terms: ComparisonTerms & { listed: string },
): string[] {
  const { listed } = terms
  if (listed === '*' || listed === '-') return []
  return versions.filter(
    (version) => isSame(version, subject.version, terms) && !isStage(version, terms),
  )
}

function isReadable(versions: readonly string[], full: string, terms: ComparisonTerms): boolean {
  const { scheme } = terms
  if (scheme === 'git' || !isVersion(scheme, full)) return false
  return scheme !== 'generic' || versions.some((version) => isOneForm(full, version, terms))
}

/** NVD writes `1.9.5:patch1` for the version that its maker calls 1.9.5p1. */
export function joinUpdate(version: string, update: string): string {
  return joinVersionUpdate(version, update.replace(/^patch_?(?=\d+$)/, 'p'))
}

/** `2021.04:rc1` comes before 2021.04. SBOMs state candidates, but often leave out patches. */
function isStage(
  version: string,
  { listed, scheme }: { listed: string; scheme: VersionScheme },
): boolean {
  const order = compareVersions(scheme, joinUpdate(version, listed), version)
  return order !== undefined && order < 0
}

/** If the version is beyond one bound, that decides, even if the other bound cannot be compared. */
function isWithin(
  { introduced, introducedAfter, fixed, lastAffected }: VersionStatement,
  version: string,
  terms: ComparisonTerms,
): boolean | undefined {
  const meets = (bound: string | undefined, test: (order: number) => boolean) => {
    if (bound === undefined) return true
    const order = compareWithBound(version, bound, terms)
    return order === undefined ? undefined : test(order)
  }
  const isInside = new Set([
    // In OSV and CVE records 0 is the beginning of all versions, in every scheme.
    introduced === '0' || meets(introduced, (order) => order >= 0),
    meets(introducedAfter, (order) => order > 0),
    meets(fixed, (order) => order < 0),
    meets(lastAffected, (order) => order <= 0),
  ])
  if (isInside.has(false)) return false
  return isInside.has(undefined) ? undefined : true
}
