/** SemVer 2.0.0 (https://semver.org/spec/v2.0.0.html) and the ecosystems that order their versions by it. */
import {
  compareLists,
  compareNumberLists,
  compareNumbers,
  compareText,
  splitNumbers,
  orderBy,
  stripZeros,
} from './ordering.ts'

interface Identifier {
  numeric: boolean
  text: string
}

interface SemanticVersion {
  numbers: string[]
  prerelease: Identifier[]
  build: Identifier[]
}

/**
 * Accepts any count of numbers; missing ones count as 0. So OSV's `0` bound and CVE records with `1.2` or `1.2.3.4` have
 * the meaning that readers expect.
 */
const SYNTAX = /^[v=]?(\d+(?:\.\d+)*)(?:-([0-9a-z.-]+))?(?:\+([0-9a-z.-]+))?$/i

/** node-semver's loose syntax also accepts a pre-release without its hyphen: `1.2.3beta`. */
const NPM_SYNTAX =
  /^[v=\s]*(\d+(?:\.\d+)*)(?:-([0-9a-z.-]+)|([a-z][0-9a-z.-]*))?(?:\+[0-9a-z.-]+)?$/i

/** Releases of Go itself: the vulnerability database calls `go1.21rc2` `1.21.0-rc.2`. */
const GO_TOOLCHAIN = /^(?:go)?(\d+(?:\.\d+)*)(rc|beta)(\d+)$/

export const semver = orderBy((text) => parseSemver(text), compareSemver)
export const npm = orderBy(parseNpm, compareSemver)
export const go = orderBy(parseGo, compareSemver)
/** pub_semver also orders by build metadata; a version without it comes before versions with it. */
export const pub = orderBy(
  (text) => parseSemver(text),
  (a, b) => compareSemver(a, b) || compareLists(a.build, b.build, compareIdentifiers),
)

export function parseSemver(text: string): SemanticVersion | undefined {
  const [, numbers, prerelease, build] = SYNTAX.exec(text) ?? []
  return assemble(numbers, prerelease, build)
}

function parseNpm(text: string): SemanticVersion | undefined {
  const [, numbers, prerelease, loose] = NPM_SYNTAX.exec(text) ?? []
  return assemble(numbers, prerelease ?? loose)
}

function parseGo(text: string): SemanticVersion | undefined {
  const [, numbers, stage, count] = GO_TOOLCHAIN.exec(text) ?? []
  if (numbers !== undefined) return parseSemver(`${numbers}-${stage}.${count}`)
  return parseSemver(text.startsWith('go') ? text.slice(2) : text)
}

function assemble(numbers?: string, prerelease?: string, build?: string) {
  if (numbers === undefined) return undefined
  const before = splitIdentifiers(prerelease)
  const after = splitIdentifiers(build)
  if (before === undefined || after === undefined) return undefined
  return { numbers: splitNumbers(numbers), prerelease: before, build: after }
}

/**
 * A commit by its date, which Go writes as a pre-release of a version that it comes after or before by chance
 * (https://go.dev/ref/mod#pseudo-versions): `v17.12.0-ce-rc1.0.20200916142827-bd33bbf0497b`.
 */
export function isGoPseudoVersion(text: string): boolean {
  return /^v?\d+\.\d+\.\d+-(?:[0-9a-z.-]+\.)?\d{14}-[0-9a-f]{12}(?:\+incompatible)?$/i.test(text)
}

/** Undefined where an identifier is empty (SemVer rule 9). */
function splitIdentifiers(text: string | undefined): Identifier[] | undefined {
  if (text === undefined) return []
  const parts = text.split('.')
  return parts.includes('') ? undefined : parts.map(identifier)
}

function identifier(text: string): Identifier {
  const numeric = /^\d+$/.test(text)
  return { numeric, text: numeric ? stripZeros(text) : text }
}

/** SemVer rule 11; build metadata does not count. */
export function compareSemver(a: SemanticVersion, b: SemanticVersion): number {
  return compareNumberLists(a.numbers, b.numbers) || comparePrerelease(a.prerelease, b.prerelease)
}

function comparePrerelease(a: readonly Identifier[], b: readonly Identifier[]): number {
  if (a.length === 0 || b.length === 0) return Number(a.length === 0) - Number(b.length === 0)
  return compareLists(a, b, compareIdentifiers)
}

function compareIdentifiers(a: Identifier, b: Identifier): number {
  if (a.numeric !== b.numeric) return a.numeric ? -1 : 1
  return a.numeric ? compareNumbers(a.text, b.text) : compareText(a.text, b.text)
}
