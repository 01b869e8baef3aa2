/**
 * Evaluates a statement for a version that somebody may have built from a release: `2022.01-dirty` is that release with unknown changes
 * (formats/versions/suffixes.ts).
 */
import type { AffectedStatement } from '../../formats/advisories/model.ts'
import { countAlike, readStated, type SuffixMeaning } from '../../formats/versions/suffixes.ts'
import { isOfRegistry } from './compare-bounds.ts'
import {
  evaluateStatement,
  type Outcome,
  type RecordTerms,
  type Subject,
  joinUpdate,
} from './evaluate-statement.ts'
import { listBounds } from './statement-bounds.ts'

/** Most versions: nothing follows the release. 99 may stand for the way to the next one. */
const PLAIN = /^(?!.*\.99$)\d{1,5}(?:\.\d{1,5})*$/

/**
 * A builder's version is compared as the release that it is built from. A version of an unknown place near the release is compared as the
 * release and as what follows it: it is affected where either is.
 */
export function evaluateReadings(
  statement: AffectedStatement,
  subject: Subject,
  record: RecordTerms,
): Outcome {
  const full = joinUpdate(subject.version, subject.cpe?.update ?? '*')
  const stated =
    PLAIN.test(full) || isReadLiterally(statement, subject, record)
      ? undefined
      : readStated(full, record.key)
  if (stated === undefined || stated.meaning === 'own' || countsAlike(statement, full))
    return evaluateStatement(statement, subject, record)
  // What it is built from may be a count that follows a release, too: `1.9.5p2-dirty`.
  const asRelease = evaluateReadings(statement, released(subject, stated.release), record)
  const asStated = evaluateStatement(inGenericOrder(statement), subject, record)
  return united({ asRelease, asStated }, { full, ...stated })
}

/**
 * Registries and distributions define what their versions mean, which holds for the CPE beside a purl, too. The orderings of kernel
 * and OpenSSL leave out suffixes themselves.
 */
function isReadLiterally(
  { scheme }: AffectedStatement,
  { ecosystems }: Subject,
  { key }: RecordTerms,
): boolean {
  const isOfScheme = scheme === 'kernel' || scheme === 'openssl'
  return isOfScheme || ecosystems.size > 0 || isOfRegistry(key)
}

/** Where the record counts on from the release in the same way, the whole version is compared. */
function countsAlike(statement: AffectedStatement, full: string): boolean {
  return listBounds(statement).some((bound) => countAlike(full, bound))
}

function released(subject: Subject, version: string): Subject {
  return { ...subject, version, cpe: subject.cpe && { ...subject.cpe, update: '*' } }
}

/** In other orderings a suffix comes before the release: `3.6.0-ncs1` is a pre-release in SemVer. */
function inGenericOrder(statement: AffectedStatement): AffectedStatement {
  return statement.scheme === 'git' ? statement : { ...statement, scheme: 'generic' }
}

interface Readings {
  asRelease: Outcome
  asStated: Outcome
}

interface BuiltVersion {
  full: string
  release: string
  meaning: SuffixMeaning
}

function united(
  { asRelease, asStated }: Readings,
  { full, release, meaning }: BuiltVersion,
): Outcome {
  if (asRelease.verdict === asStated.verdict) return surer(asRelease, asStated)
  const isLater =
    meaning === 'around' && asStated.verdict === 'affected' && asStated.decidedBy !== undefined
  const [outcome, other] = isLater ? [asStated, asRelease] : [asRelease, asStated]
  if (outcome.verdict !== 'affected' && outcome.verdict !== 'unaffected') return outcome
  const words =
    meaning === 'build'
      ? `${full} is compared as release ${release}, which it is built from`
      : `${full} may be release ${release}, built by somebody, or what follows it`
  const against = 'decidedBy' in other ? other.decidedBy : undefined
  return { ...outcome, reservations: [words], ...(against && { against }) }
}

function surer(one: Outcome, other: Outcome): Outcome {
  if (!('doubts' in one) || !('doubts' in other)) return one
  return other.doubts.length < one.doubts.length ? other : one
}
