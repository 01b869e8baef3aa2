/** NVD CVE records in the shape of API 2.0, which the JSON 2.0 feed files share (csrc.nist.gov/schema/nvd/api/2.0). */
import { readConfigurations } from './configurations.ts'
import { readDispute, hasDisputedTag } from './disputed.ts'
import type { Advisory, CvssScore, ParsedRecord, Reference } from './model.ts'
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

/** An element of `vulnerabilities[]`, or the object under its `cve`. */
export function parseNvdRecord(json: unknown): ParsedRecord {
  return readRecord(
    json,
    (record) => (isObject(record['cve']) ? record['cve']['id'] : record['id']),
    (record) => {
      const cve = readObject(record, 'cve', '')
      return cve === undefined ? readCve(record, '') : readCve(cve, '/cve')
    },
  )
}

function readCve(cve: JsonObject, at: string): Advisory {
  if (cve['CVE_data_meta'] !== undefined) throw fault(at, 'has the shape of NVD 1.1')
  const id = requireCveId(cve, 'id', at)
  const status = readText(cve, 'vulnStatus', at)
  const publishedAt = timeAt(cve, 'published', at)
  const modifiedAt = timeAt(cve, 'lastModified', at)
  const isRejected = status?.toLowerCase() === 'rejected'
  const description = readEnglishText(cve, 'descriptions', at)
  const statements = isRejected ? [] : readConfigurations(cve, 'configurations', at)
  return {
    source: 'nvd',
    id,
    aliases: [],
    publishedAt,
    modifiedAt,
    withdrawnAt: isRejected ? (modifiedAt ?? publishedAt ?? LONG_AGO) : undefined,
    status,
    ...readDispute(isTaggedDisputed(cve), [description]),
    title: readText(cve, 'cisaVulnerabilityName', at),
    description,
    sourceUrl: `https://nvd.nist.gov/vuln/detail/${id}`,
    scores: readScores(cve, at),
    statedSeverity: undefined,
    references: readReferences(cve, at),
    cweIds: readCweIds(cve, at),
    affected: [...statements].map(([key, of]) => ({ key, statements: of })),
  }
}

/** `cveTags` has an element for each source of tags. */
function isTaggedDisputed({ cveTags }: JsonObject): boolean {
  return (
    Array.isArray(cveTags) &&
    cveTags.some((of: unknown) => isObject(of) && hasDisputedTag(of['tags']))
  )
}

const METRICS = ['cvssMetricV40', 'cvssMetricV31', 'cvssMetricV30', 'cvssMetricV2'] as const

function readScores(cve: JsonObject, at: string): CvssScore[] {
  const metrics = readObject(cve, 'metrics', at)
  if (metrics === undefined) return []
  return dropEqualScores(
    METRICS.flatMap((name) =>
      readObjects(metrics, name, `${at}/metrics`).map((metric, index) => {
        const path = `${at}/metrics/${name}/${index}`
        const cvss = readObject(metric, 'cvssData', path)
        return (
          cvss &&
          scoreOfCvssObject(cvss, readText(metric, 'source', path) ?? '', `${path}/cvssData`)
        )
      }),
    ),
  )
}

function readReferences(cve: JsonObject, at: string): Reference[] {
  return uniteReferences(
    readObjects(cve, 'references', at).map((reference, index) => {
      const path = `${at}/references/${index}`
      return {
        url: requireText(reference, 'url', path),
        source: readText(reference, 'source', path) ?? '',
        tags: readTexts(reference, 'tags', path),
      }
    }),
  )
}

/** Leaves out `NVD-CWE-Other` and `NVD-CWE-noinfo`, which are not weaknesses. */
function readCweIds(cve: JsonObject, at: string): string[] {
  const ids = readObjects(cve, 'weaknesses', at).flatMap((weakness, index) =>
    readObjects(weakness, 'description', `${at}/weaknesses/${index}`).map((description, position) =>
      readText(description, 'value', `${at}/weaknesses/${index}/description/${position}`),
    ),
  )
  return [...new Set(ids.filter((id): id is string => /^CWE-\d{1,6}$/.test(id ?? '')))]
}
