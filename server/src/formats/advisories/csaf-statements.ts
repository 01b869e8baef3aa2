/** What a distribution's CSAF document says about one vulnerability in its packages, as statements about versions. */
import { makePurl, formatPurlKey } from '../purl.ts'
import { compareVersions } from '../versions/compare.ts'
import type { CsafPackage, CsafPackages } from './csaf-packages.ts'
import { checkKey } from './keys.ts'
import type { AffectedPackage, AffectedStatement, VersionStatement } from './model.ts'
import { isObject, type JsonObject } from './record-reader.ts'
import { cutText } from '../shorten.ts'

/**
 * CSAF 2.0, section 3.2.3.9. SUSE states the first build with the repair as `recommended`, Red Hat as `fixed`. What is
 * under investigation gives no verdict.
 */
const STATUSES = {
  fixed: 'fixed',
  first_fixed: 'fixed',
  recommended: 'fixed',
  known_affected: 'affected',
  first_affected: 'affected',
  last_affected: 'affected',
  known_not_affected: 'unaffected',
} as const
type Status = (typeof STATUSES)[keyof typeof STATUSES]

interface CsafVerdict {
  status: Status
  build: CsafPackage
  /** What the publisher does, or why it is not affected. */
  remark: string | undefined
}

export function readCsafStatements(
  vulnerability: JsonObject,
  { packageOf, productsOfGroup }: CsafPackages,
): AffectedPackage[] {
  const remarkOf = remarksReader(vulnerability, productsOfGroup)
  const groups = new Map<string, CsafVerdict[]>()
  const stated = vulnerability['product_status']
  for (const [group, status] of Object.entries(STATUSES)) {
    const ids = isObject(stated) ? stated[group] : undefined
    for (const id of new Set(readTexts(ids))) {
      const build = packageOf(id)
      if (!build || isDebugging(build.name)) continue
      const key = `${build.namespace}/${build.name} ${build.distro}`
      const said = { status, build, remark: remarkOf(id, status) }
      const known = groups.get(key)
      if (known) known.push(said)
      else groups.set(key, [said])
    }
  }
  return [...groups.values()].flatMap(createStatement)
}

/** Debugging symbols are not run. */
function isDebugging(name: string): boolean {
  return /-debug(?:info|source)(?:-common)?$/.test(name)
}

function readTexts(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : []
}

function createStatement(said: readonly CsafVerdict[]): AffectedPackage[] {
  const [first] = said
  if (!first) return []
  const { namespace, name, distro } = first.build
  const made = makePurl({ type: 'rpm', namespace, name })
  const key = 'purl' in made ? checkKey(formatPurlKey(made.purl)) : undefined
  const versions = listEntries(said)
  if (key === undefined || versions.length === 0) return []
  const statement: AffectedStatement = {
    scheme: 'rpm',
    // Every entry is explicit: a version of a module that the document does not name is not judged.
    defaultStatus: 'unknown',
    versions,
    packageName: name,
    distro,
  }
  return [{ key, statements: [statement] }]
}

/** The first entry that applies decides, so that repaired builds come before what is affected. */
function listEntries(said: readonly CsafVerdict[]): VersionStatement[] {
  const of = (status: Status) => said.filter((one) => one.status === status)
  const fixed = of('fixed').filter(({ build }) => build.version !== undefined)
  const [extended, released] = [true, false].map((isExtended) =>
    fixed.filter(({ build }) => build.isExtended === isExtended),
  )
  const entries = [
    ...(extended ?? []).flatMap(({ build }) => repairedInExtended(build.version ?? '')),
    ...byStream(released ?? []).flatMap(([stream, own]) => repairedFrom(stream, own)),
    // Support of an extended stream says nothing about the release, and the reverse.
    ...byStream(of('affected').filter(isOfRelease)).flatMap(([stream, own]) => wholly(stream, own)),
    ...byStream(of('unaffected').filter(isOfRelease)).flatMap(([stream, own]) =>
      wholly(stream, own),
    ),
  ]
  return [...new Map(entries.map((entry) => [JSON.stringify(entry), entry])).values()]
}

function isOfRelease({ build }: CsafVerdict): boolean {
  return !build.isExtended
}

function byStream(said: readonly CsafVerdict[]): [string | undefined, CsafVerdict[]][] {
  return [...Map.groupBy(said, ({ build }) => build.stream)]
}

/** Sorts after every number that a build counts up to. */
const LAST = '999999'

/**
 * Builds for a minor release count up behind its tag: `7.el8_6` has the repair from `7.el8_6.4` on, although builds with a
 * higher release for later minor releases may lack it.
 */
function repairedInExtended(version: string): VersionStatement[] {
  const [, build] = /^(.+\.el\d+_\d+)(?:\.[\d.]+)?$/.exec(version) ?? []
  if (build === undefined) return []
  const text = `repaired from ${version} on, for its minor release`
  return [{ status: 'unaffected', introduced: version, fixed: `${build}.${LAST}`, text }]
}

/** If several errata name a repair of one stream, the last one completes it. */
function repairedFrom(
  stream: string | undefined,
  said: readonly CsafVerdict[],
): VersionStatement[] {
  const versions = said.flatMap(({ build }) => build.version ?? [])
  const version = versions.reduce((a, b) => ((compareVersions('rpm', a, b) ?? 0) < 0 ? b : a))
  const bounds = findBounds(stream, version)
  const start = bounds && { introduced: bounds.from }
  const name = stream === undefined ? '' : `, stream ${stream}`
  const end = bounds && { fixed: bounds.to, fixedIsDerived: true }
  return [
    { status: 'affected', ...start, fixed: version, text: `< ${version}${name}` },
    { status: 'unaffected', introduced: version, ...end, text: `>= ${version}${name}` },
  ]
}

interface Bounds {
  from: string
  to: string
}

/** A stream that is named by versions has only these. undefined: its name says nothing about versions (`rhel8`). */
function findBounds(stream: string | undefined, version: string): Bounds | undefined {
  if (!isNamedByVersions(stream)) return undefined
  const [, epoch = '', upstream = ''] = /^(\d+:)?(.*)$/.exec(version) ?? []
  return `${upstream}.`.startsWith(`${stream}.`) ? boundsWithEpoch(stream, epoch) : undefined
}

function isNamedByVersions(stream: string | undefined): stream is string {
  return stream !== undefined && /^\d+(?:\.\d+)*$/.test(stream)
}

function boundsWithEpoch(stream: string, epoch: string): Bounds {
  return { from: `${epoch}${stream}`, to: `${epoch}${stream}.${LAST}` }
}

/** The documents do not state the epoch of packages without a version; no module has a higher one. */
const EPOCHS = ['', '1:', '2:', '3:', '4:']

/** All versions, or all of a module's stream. */
function wholly(stream: string | undefined, said: readonly CsafVerdict[]): VersionStatement[] {
  const status = said[0]?.status
  const remark = said[0]?.remark
  const named = stream === undefined ? 'all versions' : `all versions of stream ${stream}`
  const entry = {
    status: status === 'unaffected' ? ('unaffected' as const) : ('affected' as const),
    text: remark === undefined ? named : `${named}; ${remark}`,
  }
  if (!isNamedByVersions(stream)) return [entry]
  return EPOCHS.map((epoch) => {
    const { from, to } = boundsWithEpoch(stream, epoch)
    return { ...entry, introduced: from, fixed: to, fixedIsDerived: true }
  })
}

const REMEDIES: ReadonlyMap<unknown, string> = new Map<unknown, string>([
  ['no_fix_planned', 'no fix is planned'],
  ['none_available', 'no fix is available'],
])
const MOST_CHARACTERS = 120

/** The words of the publisher about what it does (`Will not fix`, `Fix deferred`), or why a product is not affected. */
function remarksReader(
  vulnerability: JsonObject,
  productsOfGroup: CsafPackages['productsOfGroup'],
): (id: string, status: Status) => string | undefined {
  const idsOf = (remark: JsonObject) => [
    ...readTexts(remark['product_ids']),
    ...readTexts(remark['group_ids']).flatMap(productsOfGroup),
  ]
  const remedies = byProduct(vulnerability['remediations'], idsOf, ({ category, details }) => {
    const words = REMEDIES.get(category)
    if (words === undefined) return undefined
    const said = typeof details === 'string' ? cutText(details.trim(), MOST_CHARACTERS) : ''
    return said === '' ? words : `${words}: ${said}`
  })
  const flags = byProduct(vulnerability['flags'], idsOf, ({ label }) =>
    typeof label === 'string' ? cutText(label, MOST_CHARACTERS) : undefined,
  )
  return (id, status) => {
    if (status === 'affected') return remedies.get(id)
    return status === 'unaffected' ? flags.get(id) : undefined
  }
}

function byProduct(
  list: unknown,
  idsOf: (remark: JsonObject) => string[],
  wordsOf: (remark: JsonObject) => string | undefined,
) {
  const words = new Map<string, string>()
  for (const remark of Array.isArray(list) ? list.filter(isObject) : []) {
    const said = wordsOf(remark)
    if (said === undefined) continue
    for (const id of idsOf(remark)) if (!words.has(id)) words.set(id, said)
  }
  return words
}
