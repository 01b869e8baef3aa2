/** CVE records, CVE JSON 5.x (github.com/CVEProject/cve-schema), with their CNA and ADP containers. */
import { readCveAffected } from './cve5-affected.ts'
import { readDispute, hasDisputedTag } from './disputed.ts'
import type {
  Advisory,
  AffectedPackage,
  CvssScore,
  ParsedRecord,
  Reference,
  Severity,
} from './model.ts'
import { readSsvc } from './cve5-ssvc.ts'
import {
  requireCveId,
  readEnglishText,
  fault,
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
import { dropEqualScores, scoreOfCvssObject } from './scores.ts'
import { parseSeverityWord } from './severity.ts'
import { withUnstatedStarts } from './unstated-start.ts'

export function parseCveRecord(json: unknown): ParsedRecord {
  return readRecord(
    json,
    (record) => (isObject(record['cveMetadata']) ? record['cveMetadata']['cveId'] : undefined),
    readCve,
  )
}

interface Container {
  of: JsonObject
  at: string
  /** Short name of the organisation, else its id. */
  source: string
}

function readCve(record: JsonObject): Advisory {
  const version = readText(record, 'dataVersion', '')
  if (!version?.startsWith('5.')) throw fault('/dataVersion', `is not 5.x: ${version ?? 'none'}`)
  const metadata = readObject(record, 'cveMetadata', '')
  if (metadata === undefined) throw fault('/cveMetadata', 'is missing')
  const id = requireCveId(metadata, 'cveId', '/cveMetadata')
  const state = requireText(metadata, 'state', '/cveMetadata')
  const [cna, ...adps] = readContainers(record)
  const containers = [cna, ...adps]
  const isRejected = state === 'REJECTED'
  const ssvc = isRejected ? [] : containers.flatMap(readSsvc)
  const title = readText(cna.of, 'title', cna.at)
  const description =
    readEnglishText(cna.of, 'descriptions', cna.at) ??
    readEnglishText(cna.of, 'rejectedReasons', cna.at)
  const isTagged = containers.some(({ of }) => hasDisputedTag(of['tags']))
  return {
    source: 'cvelist',
    id,
    aliases: [],
    ...readTimes(metadata, isRejected),
    status: state,
    ...readDispute(isTagged, [title, description]),
    title,
    description,
    sourceUrl: `https://www.cve.org/CVERecord?id=${id}`,
    ...readSeverity(containers),
    ...(ssvc.length > 0 && { ssvc }),
    references: uniteReferences(containers.flatMap(readReferences)),
    cweIds: [...new Set(containers.flatMap(readCweIds))],
    affected: isRejected
      ? []
      : united([
          readCveAffected(cna.of, cna.at),
          ...adps.map(({ of, at }) => asOfAdp(withUnstatedStarts(readCveAffected(of, at)))),
        ]),
  }
}

function readTimes(metadata: JsonObject, isRejected: boolean) {
  const publishedAt = timeAt(metadata, 'datePublished', '/cveMetadata')
  const modifiedAt = timeAt(metadata, 'dateUpdated', '/cveMetadata')
  const rejectedAt = timeAt(metadata, 'dateRejected', '/cveMetadata') ?? modifiedAt ?? publishedAt
  return { publishedAt, modifiedAt, withdrawnAt: isRejected ? (rejectedAt ?? LONG_AGO) : undefined }
}

function readContainers(record: JsonObject): [Container, ...Container[]] {
  const containers = readObject(record, 'containers', '')
  const cna = containers && readObject(containers, 'cna', '/containers')
  if (containers === undefined || cna === undefined) throw fault('/containers/cna', 'is missing')
  const adps = readObjects(containers, 'adp', '/containers')
  return [
    container(cna, '/containers/cna'),
    ...adps.map((adp, index) => container(adp, `/containers/adp/${index}`)),
  ]
}

function container(of: JsonObject, at: string): Container {
  const provider = readObject(of, 'providerMetadata', at) ?? {}
  const path = `${at}/providerMetadata`
  const source =
    readText(provider, 'shortName', path) ?? readText(provider, 'orgId', path) ?? 'unknown'
  return { of, at, source }
}

function asOfAdp(affected: AffectedPackage[]): AffectedPackage[] {
  return affected.map(({ key, statements }) => ({
    key,
    statements: statements.map((statement) => ({ ...statement, isOfAdp: true as const })),
  }))
}

/** Unites what the containers say about one key. */
function united(lists: AffectedPackage[][]): AffectedPackage[] {
  const byKey = new Map<string, AffectedPackage>()
  for (const { key, statements } of lists.flat()) {
    const known = byKey.get(key)
    byKey.set(key, { key, statements: known ? [...known.statements, ...statements] : statements })
  }
  return [...byKey.values()]
}

const CVSS = ['cvssV4_0', 'cvssV3_1', 'cvssV3_0', 'cvssV2_0'] as const

/** Words count only without a score. SSVC states urgency, not severity. */
function readSeverity(containers: Container[]): {
  scores: CvssScore[]
  statedSeverity: Severity | undefined
} {
  const metrics = containers.flatMap(({ of, at, source }) =>
    readObjects(of, 'metrics', at).map((metric, index) => ({
      metric,
      at: `${at}/metrics/${index}`,
      source,
    })),
  )
  const scores = dropEqualScores(
    metrics.flatMap(({ metric, at, source }) =>
      CVSS.map((name) => {
        const cvss = readObject(metric, name, at)
        return cvss && scoreOfCvssObject(cvss, source, `${at}/${name}`)
      }),
    ),
  )
  const words = metrics.map(({ metric, at }) => severityInWords(readObject(metric, 'other', at)))
  const stated = scores.length > 0 ? undefined : words.find((word) => word !== undefined)
  return { scores, statedSeverity: stated }
}

/** OpenSSL's `{text: "Moderate"}`, Red Hat's `{value: "Important"}`; the content has no fixed form. */
function severityInWords(other: JsonObject | undefined): Severity | undefined {
  const content = other?.['content']
  if (!isObject(content)) return undefined
  const word = [content['text'], content['value'], content['other']].find(
    (text) => typeof text === 'string',
  )
  return typeof word === 'string' ? parseSeverityWord(word) : undefined
}

function readReferences({ of, at, source }: Container): Reference[] {
  return readObjects(of, 'references', at).map((reference, index) => {
    const path = `${at}/references/${index}`
    return {
      url: requireText(reference, 'url', path),
      source,
      tags: readTexts(reference, 'tags', path),
    }
  })
}

/** In its own field, or at the beginning of the description in records converted from older formats. */
function readCweIds({ of, at }: Container): string[] {
  return readObjects(of, 'problemTypes', at).flatMap((type, index) => {
    const path = `${at}/problemTypes/${index}`
    return readObjects(type, 'descriptions', path).flatMap((description, position) => {
      const place = `${path}/descriptions/${position}`
      const stated =
        readText(description, 'cweId', place) ?? readText(description, 'description', place)
      const id = /^\s*(CWE-\d{1,6})\b/i.exec(stated ?? '')?.[1]
      return id === undefined ? [] : [id.toUpperCase()]
    })
  })
}
