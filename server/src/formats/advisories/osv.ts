/** OSV records of any ecosystem (ossf.github.io/osv-schema 1.x). */
import { isDistribution } from '../ecosystems.ts'
import { isModular } from '../versions/rpm-modules.ts'
import type { VersionScheme } from '../versions/schemes.ts'
import { listText } from './criteria-statements.ts'
import { readDispute } from './disputed.ts'
import { repoKey } from './keys.ts'
import type {
  Advisory,
  AffectedPackage,
  AffectedStatement,
  CvssScore,
  ParsedRecord,
  RecordKind,
  Severity,
  VersionStatement,
} from './model.ts'
import { readSystemPlatforms } from './operating-systems.ts'
import { readOsvPackage, type OsvName, type OsvPackage } from './osv-packages.ts'
import {
  readLastKnownEnd,
  readOsvRanges,
  readCommits,
  readEventRanges,
  withCustomRanges,
  type OsvRange,
} from './osv-ranges.ts'
import {
  requireIdentifier,
  isCveId,
  isIdentifier,
  isObject,
  LONG_AGO,
  readObject,
  readObjects,
  readRecord,
  requireText,
  readText,
  readTexts,
  timeAt,
  type JsonObject,
} from './record-reader.ts'
import { uniteReferences } from './references.ts'
import { dropEqualScores, scoreOfVector } from './scores.ts'
import { parseSeverityWord } from './severity.ts'
import { openUnstatedStarts } from './unstated-start.ts'

export function parseOsvRecord(json: unknown): ParsedRecord {
  return readRecord(json, (record) => record['id'], readOsv)
}

function readOsv(record: JsonObject): Advisory {
  const id = requireIdentifier(record, 'id', '')
  // The prefix of the id names the database; OSV keeps the register of prefixes.
  const source = `osv:${id.split('-', 1)[0] ?? ''}`
  const specific = readObject(record, 'database_specific', '') ?? {}
  const affected = readObjects(record, 'affected', '')
  const modifiedAt = timeAt(record, 'modified', '')
  const isWithdrawn = readText(record, 'withdrawn', '') !== undefined
  const aliases = idsAt(record, 'aliases', id)
  const upstream = findUpstream(record, { id, aliases })
  const title = readText(record, 'summary', '')
  const description = readText(record, 'details', '')
  const namesCve = [id, ...aliases, ...upstream].some(isCveId)
  const isOfUpdate = NO_VULNERABILITY.test(id) && !namesCve
  return {
    source: 'osv',
    id,
    aliases,
    ...(upstream.length > 0 && { upstream }),
    publishedAt: timeAt(record, 'published', ''),
    modifiedAt,
    withdrawnAt: isWithdrawn
      ? (timeAt(record, 'withdrawn', '') ?? modifiedAt ?? LONG_AGO)
      : undefined,
    status: undefined,
    // OSV's own conversion of CVE records says so in this member.
    ...readDispute(specific['isDisputed'] === true, [title, description]),
    title,
    description,
    sourceUrl: `https://osv.dev/vulnerability/${encodeURIComponent(id)}`,
    ...readSeverity(record, affected, specific, source),
    references: uniteReferences(
      readObjects(record, 'references', '').map((reference, index) => {
        const type = readText(reference, 'type', `/references/${index}`)
        const url = requireText(reference, 'url', `/references/${index}`)
        return { url, source, tags: type === undefined ? [] : [type] }
      }),
    ),
    cweIds: [
      ...new Set(
        readTexts(specific, 'cwe_ids', '/database_specific').filter((cwe) =>
          /^CWE-\d{1,6}$/.test(cwe),
        ),
      ),
    ],
    affected:
      isWithdrawn || isOfUpdate
        ? []
        : readAffected(affected, {
            cpes: looseTexts(specific['cpes']),
            module: moduleIn(title ?? ''),
            kindOf: (entry) => (namesCve ? undefined : findKind(id, entry)),
          }),
  }
}

/**
 * Updates of a distribution that mend or add something else: of AlmaLinux (`ALBA`, `ALEA`), Red Hat (`RHBA`, `RHEA`),
 * SUSE (`-RU`, `-FU`, `-OU`) and Mageia (`MGAA`).
 */
const NO_VULNERABILITY = /^(?:ALBA|ALEA|RHBA|RHEA|MGAA|(?:open)?SUSE-[RFO]U)-/

/**
 * The CVEs from which a distribution's record derives. AlmaLinux names them in `related` only, as all distributions did
 * before version 1.7 of the schema.
 */
function findUpstream(
  record: JsonObject,
  { id, aliases }: { id: string; aliases: readonly string[] },
): string[] {
  const upstream = idsAt(record, 'upstream', id)
  if ([id, ...aliases, ...upstream].some(isCveId)) return upstream
  const isOfDistribution = readObjects(record, 'affected', '').some((entry, index) => {
    const stated = readObject(entry, 'package', `/affected/${index}`) ?? {}
    return isDistribution(readText(stated, 'ecosystem', `/affected/${index}/package`) ?? '')
  })
  const related = isOfDistribution ? idsAt(record, 'related', id).filter(isCveId) : []
  return [...upstream, ...related]
}

/** The module stream of a record of Red Hat or its rebuilds: `nodejs:12` of `Important: nodejs:12 security update`. */
function moduleIn(summary: string): string | undefined {
  const [, module] = /(?:^|\s)([a-z][\w.+-]*:\w[\w.]*)(?=\s|,|$)/i.exec(summary) ?? []
  return module
}

/** Leaves out invalid ids and the record's own id. */
function idsAt(record: JsonObject, key: string, ownId: string): string[] {
  const ids = readTexts(record, key, '').map((id) => id.trim())
  return [...new Set(ids.filter((id) => id !== ownId && isIdentifier(id)))]
}

/** Members added by databases have no schema: values of another type are ignored. */
function looseTexts(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : []
}

function readSeverity(
  record: JsonObject,
  affected: readonly JsonObject[],
  specific: JsonObject,
  source: string,
): { scores: CvssScore[]; statedSeverity: Severity | undefined } {
  const places = [
    { of: record, at: '' },
    ...affected.map((of, index) => ({ of, at: `/affected/${index}` })),
  ]
  const severities = places.flatMap(({ of, at }) =>
    readObjects(of, 'severity', at).map((severity, index) => ({
      type: readText(severity, 'type', `${at}/severity/${index}`),
      score: readText(severity, 'score', `${at}/severity/${index}`) ?? '',
    })),
  )
  const [vectors, words] = [
    severities.filter(isVector),
    severities.filter((severity) => !isVector(severity)),
  ]
  const scores = dropEqualScores(vectors.map(({ score }) => scoreOfVector(score.trim(), source)))
  if (scores.length > 0) return { scores, statedSeverity: undefined }
  const stated = [
    specific['severity'],
    ...words.map(({ score }) => score),
    ...affected.map((of) => readObject(of, 'ecosystem_specific', '/affected')?.['severity']),
  ]
  const severity = stated.map((word) =>
    typeof word === 'string' ? parseSeverityWord(word) : undefined,
  )
  return { scores, statedSeverity: severity.find((word) => word !== undefined) }
}

function isVector({ type }: { type: string | undefined }): boolean {
  return type?.startsWith('CVSS_') === true
}

/** What the record says about all its packages. */
interface RecordFacts {
  cpes: readonly string[]
  module: string | undefined
  kindOf: (entry: JsonObject) => RecordKind | undefined
}

/** The kind of a record without a CVE: `OSV-…` are the records of OSS-Fuzz, and RustSec marks its notices. */
function findKind(id: string, entry: JsonObject): RecordKind | undefined {
  if (/^OSV-\d/.test(id)) return 'fuzzing'
  const notice = readObject(entry, 'database_specific', '/affected')?.['informational']
  return notice === 'unmaintained' || notice === 'notice' ? 'informational' : undefined
}

function readAffected(entries: readonly JsonObject[], shared: RecordFacts): AffectedPackage[] {
  const byKey = new Map<string, AffectedPackage>()
  for (const [index, entry] of entries.entries())
    for (const { key, statement } of readEntry(entry, `/affected/${index}`, shared)) {
      const known = byKey.get(key)
      if (known === undefined) byKey.set(key, { key, statements: [statement] })
      else known.statements.push(statement)
    }
  return [...byKey.values()]
}

interface KeyedStatement {
  key: string
  statement: AffectedStatement
}

function readEntry(entry: JsonObject, at: string, shared: RecordFacts): KeyedStatement[] {
  const { cpes, module } = shared
  const of = readOsvPackage(entry, at, cpes)
  const specific = readObject(entry, 'ecosystem_specific', at) ?? {}
  const custom = readOsvRanges(specific, `${at}/ecosystem_specific`, 'custom_ranges')
  const ranges = withCustomRanges(readOsvRanges(entry, at), custom)
  const versions = [
    ...new Set(readTexts(entry, 'versions', at).map((version) => version.trim())),
  ].filter(Boolean)
  const lastKnown = readObject(entry, 'database_specific', at)?.[
    'last_known_affected_version_range'
  ]
  const end = readLastKnownEnd(typeof lastKnown === 'string' ? lastKnown : undefined)
  const kind = shared.kindOf(entry)
  const about = {
    ...(of.name !== undefined && { packageName: of.name }),
    ...(of.purl !== undefined && { purl: of.purl }),
    ...(of.distro !== undefined && { distro: of.distro }),
    ...readSystems(specific),
  }
  const statements = of.names.map((name) => {
    const statement: AffectedStatement = {
      ...packageStatement(name, ranges, versions, end),
      ...about,
    }
    if (module !== undefined && isOfModule(statement)) statement.module = module
    return {
      key: name.key,
      statement: of.isStartUnstated ? openUnstatedStarts(statement) : statement,
    }
  })
  const all = [...statements, ...repositoryStatements(ranges, versions, of)]
  return kind ? all.map(({ key, statement }) => ({ key, statement: { ...statement, kind } })) : all
}

/** Go's database says per package in which systems it is vulnerable (https://go.dev/doc/security/vuln/database#schema). */
function readSystems(specific: JsonObject): Pick<AffectedStatement, 'platforms'> {
  const lists = (Array.isArray(specific['imports']) ? specific['imports'] : []).map((one) =>
    isObject(one) ? looseTexts(one['goos']) : [],
  )
  // A package without systems is vulnerable in all of them.
  const systems = lists.some((list) => list.length === 0) ? [] : lists.flat()
  const platforms = readSystemPlatforms(systems)
  return platforms ? { platforms: [platforms] } : {}
}

function isOfModule({ scheme, versions }: AffectedStatement): boolean {
  return scheme === 'rpm' && versions.some(({ fixed = '' }) => isModular(fixed))
}

/** A version is affected if it is listed or in a range. A commit range says nothing about an unlisted version. */
function packageStatement(
  name: OsvName,
  ranges: readonly OsvRange[],
  versions: string[],
  lastKnown: Partial<VersionStatement>,
): AffectedStatement {
  const numbered = ranges.filter(({ type }) => type === 'SEMVER' || type === 'ECOSYSTEM')
  const isStarted = numbered.every(({ events }) => events.some(({ kind }) => kind === 'introduced'))
  const scheme = name.cpe === undefined ? chooseScheme(name.scheme, numbered) : name.scheme
  const statements = [
    ...listed(versions),
    ...numbered.flatMap((range) => readEventRanges(range, scheme, lastKnown)),
  ].map((statement) => (name.cpe === undefined ? statement : { ...statement, cpe: name.cpe }))
  if (statements.length === 0)
    return {
      scheme,
      defaultStatus: 'unknown',
      versions: [],
      undecidable: explainRanges(ranges, isStarted),
    }
  const isComplete = ranges.length === 0 || (numbered.length > 0 && isStarted)
  return { scheme, defaultStatus: isComplete ? 'unaffected' : 'unknown', versions: statements }
}

/** Uses SEMVER where the record states it and the ecosystem has no scheme of its own. */
function chooseScheme(scheme: VersionScheme, ranges: readonly OsvRange[]): VersionScheme {
  return scheme === 'generic' && ranges.length > 0 && ranges.every(({ type }) => type === 'SEMVER')
    ? 'semver'
    : scheme
}

function explainRanges(ranges: readonly OsvRange[], isStarted: boolean): string {
  if (ranges.length === 0) return 'neither versions nor ranges are stated'
  if (!isStarted) return 'a range has no beginning'
  return ranges.some(({ type }) => type === 'GIT')
    ? 'the ranges are of commits'
    : 'the ranges are of an unknown type'
}

function repositoryStatements(
  ranges: readonly OsvRange[],
  versions: string[],
  of: OsvPackage,
): KeyedStatement[] {
  const ofCommits = ranges.filter(({ type, repo }) => type === 'GIT' && repo !== undefined)
  const byKey = Map.groupBy(ofCommits, ({ repo }) => repoKey(repo ?? '') ?? '')
  return [...byKey].flatMap(([key, own]) => {
    const statements = [...listed(versions), ...readCommits(own)]
    if (key === '' || statements.length === 0) return []
    const packageName = of.name === undefined ? {} : { packageName: of.name }
    return [
      {
        key,
        statement: {
          scheme: 'git',
          defaultStatus: 'unknown',
          versions: statements,
          ...packageName,
        },
      },
    ]
  })
}

function listed(versions: string[]): VersionStatement[] {
  return versions.length === 0 ? [] : [{ status: 'affected', versions, text: listText(versions) }]
}
