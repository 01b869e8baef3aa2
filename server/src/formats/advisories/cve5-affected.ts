/**
 * Reads what a container of a CVE record says about products: every `affected[]` entry, and `cpeApplicability` for products
 * that `affected[]` does not decide. `affected[]` is better for a product that both name: it can say "unaffected" (the
 * kernel's `cpeApplicability` ranges overlap the fixed releases of its stable branches).
 */
import type { VersionScheme } from '../versions/schemes.ts'
import { compareVersions, isVersion } from '../versions/compare.ts'
import { readConfigurations } from './configurations.ts'
import { readProduct, type Product, type ProductName } from './cve5-products.ts'
import { readCveVersions, readStatus, type CveVersions } from './cve5-versions.ts'
import { listText } from './criteria-statements.ts'
import type { AffectedPackage, AffectedStatement, VersionStatement } from './model.ts'
import { readSystemPlatforms } from './operating-systems.ts'
import { listVulnerablePaths } from './program-files.ts'
import { readObjects, readText, readTexts, type JsonObject } from './record-reader.ts'

type Status = AffectedStatement['defaultStatus']
type StatementsByKey = Map<string, AffectedStatement[]>
/** For each key: where the vulnerable code is, by every entry that names the key. */
type CodeByKey = Map<string, (string[] | undefined)[]>

export function readCveAffected(container: JsonObject, at: string): AffectedPackage[] {
  const statements: StatementsByKey = new Map()
  const code: CodeByKey = new Map()
  const urls = readObjects(container, 'references', at).map(
    (reference, index) => readText(reference, 'url', `${at}/references/${index}`) ?? '',
  )
  for (const [index, entry] of readObjects(container, 'affected', at).entries())
    noteCode(code, entry, addEntry(statements, entry, `${at}/affected/${index}`, urls))
  for (const [key, applicability] of readConfigurations(container, 'cpeApplicability', at))
    if (!(statements.get(key) ?? []).some(decides)) add(statements, key, applicability)
  return [...statements].map(([key, of]) => ({
    key,
    statements: withVulnerableCode(withoutIdle(of), code.get(key) ?? []),
  }))
}

function noteCode(code: CodeByKey, entry: JsonObject, keys: readonly string[]): void {
  const paths = listVulnerablePaths(readTexts(entry, 'programFiles', ''))
  for (const key of keys) code.set(key, [...(code.get(key) ?? []), paths])
}

/** One entry without vulnerable code leaves it open for the whole key. */
function withVulnerableCode(
  statements: AffectedStatement[],
  code: readonly (string[] | undefined)[],
): AffectedStatement[] {
  const [first, ...rest] = statements
  const known = code.filter((paths) => paths !== undefined)
  if (first === undefined || known.length === 0 || known.length < code.length) return statements
  return [{ ...first, vulnerableCode: [...new Set(known.flat())].toSorted() }, ...rest]
}

/** @returns the keys of the entry. */
function addEntry(
  statements: StatementsByKey,
  entry: JsonObject,
  at: string,
  referenceUrls: readonly string[],
): string[] {
  const product = readProduct(entry, at, referenceUrls)
  const versions = readCveVersions(entry, at)
  const defaultStatus = readStatus(entry, 'defaultStatus', at) ?? 'unknown'
  const programFiles = readTexts(entry, 'programFiles', at)
  const systems = readSystemPlatforms(readTexts(entry, 'platforms', at))
  const origin = {
    ...(product.vendor !== undefined && { vendor: product.vendor }),
    ...readOrigin(product),
    ...(programFiles.length > 0 && { programFiles }),
    ...(systems && { platforms: [systems] }),
  }
  for (const name of product.names)
    add(statements, name.key, createStatements(name, versions, defaultStatus, origin))
  if (product.repository !== undefined)
    add(
      statements,
      product.repository,
      repositoryStatements(product, versions, defaultStatus, origin),
    )
  const { names, repository } = product
  return [...names.map(({ key }) => key), ...(repository === undefined ? [] : [repository])]
}

type Origin = Pick<AffectedStatement, 'vendor' | 'packageName' | 'programFiles' | 'platforms'>

function readOrigin({ packageName, product }: Product): Origin {
  const name = packageName ?? product
  return name === undefined ? {} : { packageName: name }
}

function createStatements(
  name: ProductName,
  versions: CveVersions,
  defaultStatus: Status,
  origin: Origin,
): AffectedStatement[] {
  const about = {
    ...origin,
    ...(name.purl !== undefined && { purl: name.purl }),
    ...(name.distro !== undefined && { distro: name.distro }),
  }
  const stated = withImplied(name, dottedStatements(name, versions, defaultStatus), versions)
  const scheme = name.scheme ?? chooseScheme(versions.versionTypes, stated)
  const dotted = scheme === 'kernel' ? stated.map(beforeCandidates) : stated
  const status = statusOfRest(versions, defaultStatus)
  const reasons = undecidedReasons(versions, dotted)
  const isBoundless = dotted.length === 0 && isOfAnyRelease(name)
  if (isBoundless && status === 'affected') reasons.push('neither version nor release is stated')
  const decided: AffectedStatement[] =
    dotted.length > 0 || (status !== 'unknown' && !isBoundless)
      ? [{ scheme, defaultStatus: status, versions: dotted, ...about }]
      : []
  if (reasons.length === 0) return decided
  const undecidable = [...new Set(reasons)].slice(0, 3).join('; ')
  return [...decided, { scheme, defaultStatus: 'unknown', versions: [], ...about, undecidable }]
}

/**
 * Red Hat writes `unaffected: 2.39` and nothing else of upstream's product, without a default status: the version with the
 * repair. So the versions before it may be affected.
 */
function withImplied(
  { key }: ProductName,
  stated: VersionStatement[],
  { hidden, isRestStated }: CveVersions,
): VersionStatement[] {
  const named = stated.flatMap(({ status, versions = [] }) =>
    status === 'unaffected' && versions.length > 0 ? versions : [undefined],
  )
  const isOfProduct = /^(?:cpe|name):/.test(key)
  if (
    !isOfProduct ||
    isRestStated ||
    hidden.size > 0 ||
    named.length === 0 ||
    named.includes(undefined)
  )
    return stated
  const [first] = named
    .filter((version) => version !== undefined)
    .toSorted((a, b) => compareVersions('generic', a, b) ?? 0)
  if (first === undefined || !isVersion('generic', first)) return stated
  const text = `before ${first}, the first version that the record names as not affected`
  return [
    ...stated,
    { status: 'affected', fixed: first, startIsUnstated: true, isImplied: true, text },
  ]
}

/** A distribution's package without version and release would mean every release that ever existed. */
function isOfAnyRelease({ key, distro }: ProductName): boolean {
  return distro === undefined && /^purl:(?:rpm|deb|apk)\//.test(key)
}

/** Ends a branch before the candidates of the next one: 5.11-rc1 comes after `5.10.*`. */
function beforeCandidates(statement: VersionStatement): VersionStatement {
  const { fixed, fixedIsDerived } = statement
  return fixedIsDerived === true && fixed !== undefined
    ? { ...statement, fixed: `${fixed}-rc0` }
    : statement
}

/** Statements with the attributes of their CPE; without stated versions, the versions of the CPEs. */
function dottedStatements(
  name: ProductName,
  versions: CveVersions,
  defaultStatus: Status,
): VersionStatement[] {
  const { cpe, cpeVersions = [] } = name
  const areNone = versions.dotted.length === 0 && versions.hidden.size === 0
  const dotted: VersionStatement[] =
    areNone && defaultStatus === 'affected' && cpeVersions.length > 0
      ? [{ status: 'affected', versions: [...new Set(cpeVersions)], text: listText(cpeVersions) }]
      : versions.dotted
  return cpe === undefined ? dotted : dotted.map((statement) => ({ ...statement, cpe }))
}

/**
 * Commits decide by equality only; numbered releases of the same repository decide by order. Products with a CPE need them
 * once, since the alias table leads from the repository to the CPE.
 */
function repositoryStatements(
  product: Product,
  versions: CveVersions,
  defaultStatus: Status,
  { programFiles, ...origin }: Origin,
): AffectedStatement[] {
  const { commits, dotted, versionTypes } = versions
  const ofCommits: AffectedStatement[] =
    commits.length > 0
      ? [{ scheme: 'git', defaultStatus: 'unknown', versions: commits, ...origin }]
      : []
  const isKnown = product.names.some(
    ({ key, scheme }) => key.startsWith('cpe:') && scheme !== undefined,
  )
  if (dotted.length === 0 || isKnown) return ofCommits
  const scheme = chooseScheme(versionTypes, dotted)
  const status = statusOfRest(versions, defaultStatus)
  const files = programFiles && { programFiles }
  return [{ scheme, defaultStatus: status, versions: dotted, ...origin, ...files }, ...ofCommits]
}

/**
 * Entries that could not be understood may mean any version. So the rest has the default status only where these entries
 * state the same status.
 */
function statusOfRest({ hidden }: CveVersions, defaultStatus: Status): Status {
  return [...hidden].every((status) => status === defaultStatus) ? defaultStatus : 'unknown'
}

function undecidedReasons(
  { reasons, commits }: CveVersions,
  dotted: readonly VersionStatement[],
): string[] {
  return commits.length > 0 && dotted.length === 0 ? [...reasons, ONLY_COMMITS] : [...reasons]
}

const ONLY_COMMITS = 'the versions are commits'

const SCHEME_OF_TYPE = new Map<string, VersionScheme>([
  ['semver', 'semver'],
  ['npm', 'npm'],
  ['maven', 'maven'],
  ['python', 'pypi'],
  ['pypi', 'pypi'],
  ['rpm', 'rpm'],
  ['deb', 'deb'],
  ['dpkg', 'deb'],
  ['apk', 'apk'],
  ['nuget', 'nuget'],
  ['gem', 'gem'],
  ['rubygems', 'gem'],
])

/** The stated scheme, if every version is valid in it: CNAs write `semver` beside `1.1.1q` and `3.2`. */
function chooseScheme(
  types: ReadonlySet<string>,
  statements: readonly VersionStatement[],
): VersionScheme {
  const [type, ...more] = types
  const scheme = type === undefined || more.length > 0 ? undefined : SCHEME_OF_TYPE.get(type)
  return scheme !== undefined && statements.every((statement) => isAll(scheme, statement))
    ? scheme
    : 'generic'
}

function isAll(scheme: VersionScheme, statement: VersionStatement): boolean {
  const { versions = [], introduced, introducedAfter, fixed, lastAffected } = statement
  const bounds = [introduced, introducedAfter, fixed, lastAffected].filter(
    (bound) => bound !== undefined,
  )
  return [...versions, ...bounds].every((version) => isVersion(scheme, version))
}

function decides({ undecidable, scheme }: AffectedStatement): boolean {
  return undecidable === undefined && scheme !== 'git'
}

/** Drops commit statements beside release statements: the kernel states every record in both forms. */
function withoutIdle(statements: AffectedStatement[]): AffectedStatement[] {
  if (!statements.some(decides)) return statements
  return statements.filter(({ undecidable }) => undecidable !== ONLY_COMMITS)
}

function add(statements: StatementsByKey, key: string, more: AffectedStatement[]): void {
  if (more.length === 0) return
  const known = statements.get(key)
  if (known === undefined) statements.set(key, more)
  else for (const each of more) known.push(each)
}
