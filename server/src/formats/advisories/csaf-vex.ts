/**
 * CSAF 2.0 documents of distributions about one vulnerability (profile VEX, section 4.5): which packages of which releases
 * are affected, fixed or not affected. https://docs.oasis-open.org/csaf/csaf/v2.0/os/csaf-v2.0-os.html
 */
import { readCsafPackages } from './csaf-packages.ts'
import { readCsafStatements } from './csaf-statements.ts'
import { type Advisory, type ParsedRecord, SEVERITIES } from './model.ts'
import {
  fault,
  requireIdentifier,
  isCveId,
  isObject,
  type JsonObject,
  readObject,
  readObjects,
  readRecord,
  requireText,
  readText,
  timeAt,
} from './record-reader.ts'
import { uniteReferences } from './references.ts'
import { dropEqualScores, scoreOfCvssObject } from './scores.ts'
import { parseSeverityWord } from './severity.ts'

export function parseCsafVex(json: unknown): ParsedRecord {
  return readRecord(json, idOfDocument, readDocument)
}

function idOfDocument(csaf: JsonObject): unknown {
  const { document } = csaf
  const tracking = (document as JsonObject | undefined)?.['tracking']
  return (tracking as JsonObject | undefined)?.['id']
}

function readDocument(csaf: JsonObject): Advisory {
  const document = required(csaf, 'document', '')
  const version = requireText(document, 'csaf_version', '/document')
  if (!/^2\.\d+$/.test(version)) throw fault('/document/csaf_version', 'is not 2.0')
  const tracking = required(document, 'tracking', '/document')
  const publisher = nameSource(required(document, 'publisher', '/document'))
  const at = '/document/tracking'
  const common = {
    source: 'csaf' as const,
    id: `${publisher}:${requireIdentifier(tracking, 'id', at)}`,
    aliases: [],
    modifiedAt: timeAt(tracking, 'current_release_date', at),
    status: readText(tracking, 'status', at),
    title: readText(document, 'title', '/document'),
    sourceUrl: findSelf(document),
  }
  if (common.status === 'deleted') return { ...ABSENT, ...common, ...withdrawn(tracking) }
  const vulnerabilities = readObjects(csaf, 'vulnerabilities', '')
  const [vulnerability, ...others] = vulnerabilities
  if (vulnerability === undefined) throw fault('/vulnerabilities', 'is empty')
  // One record has one set of statements, which are about one vulnerability.
  if (others.length > 0) throw fault('/vulnerabilities', 'are several; one document is about one')
  return {
    ...ABSENT,
    ...common,
    ...described(vulnerability, publisher),
    publishedAt:
      timeAt(vulnerability, 'release_date', '/vulnerabilities/0') ??
      timeAt(tracking, 'initial_release_date', at),
    affected: readCsafStatements(vulnerability, readCsafPackages(csaf['product_tree'])),
  }
}

const ABSENT = {
  publishedAt: undefined,
  withdrawnAt: undefined,
  description: undefined,
  scores: [],
  statedSeverity: undefined,
  references: [],
  cweIds: [],
  affected: [],
}

/** The id of a record that is deleted may be that of its vulnerability. */
function withdrawn(tracking: JsonObject): Partial<Advisory> {
  const id = requireText(tracking, 'id', '/document/tracking').toUpperCase()
  const at = timeAt(tracking, 'current_release_date', '/document/tracking')
  return { withdrawnAt: at ?? '1970-01-01T00:00:00.000Z', upstream: isCveId(id) ? [id] : [] }
}

function required(of: JsonObject, key: string, at: string): JsonObject {
  const value = readObject(of, key, at)
  if (value === undefined) throw fault(`${at}/${key}`, 'is missing')
  return value
}

/** Both publishers use the CVE as the id of their document, so the publisher is part of the id of the record. */
const PUBLISHERS: readonly (readonly [host: RegExp, name: string])[] = [
  [/(?:^|\.)redhat\.com$/, 'redhat'],
  [/(?:^|\.)suse\.(?:com|de)$/, 'suse'],
]

function nameSource(publisher: JsonObject): string {
  const known = knownPublisher(requireText(publisher, 'namespace', '/document/publisher'))
  if (known !== undefined) return known
  throw fault('/document/publisher/namespace', 'is not a distribution whose packages are known')
}

function knownPublisher(namespace: string): string | undefined {
  const host = URL.parse(namespace)?.hostname ?? ''
  return PUBLISHERS.find(([pattern]) => pattern.test(host))?.[1]
}

/** What the ids of the publisher's records begin with. Undefined for a document that is not read. */
export function readCsafPublisher(json: unknown): string | undefined {
  const document = isObject(json) ? json['document'] : undefined
  const publisher = isObject(document) ? document['publisher'] : undefined
  const namespace = isObject(publisher) ? publisher['namespace'] : undefined
  return typeof namespace === 'string' ? knownPublisher(namespace) : undefined
}

function findSelf(document: JsonObject): string {
  const references = readObjects(document, 'references', '/document')
  const self = references.findIndex(({ category }) => category === 'self')
  const chosen = references[self]
  return (chosen && readText(chosen, 'url', `/document/references/${self}`)) ?? ''
}

function described(vulnerability: JsonObject, publisher: string): Partial<Advisory> {
  const at = '/vulnerabilities/0'
  const cve = readText(vulnerability, 'cve', at)?.trim().toUpperCase()
  if (cve === undefined || !isCveId(cve)) throw fault(`${at}/cve`, 'is not a CVE id')
  const notes = readObjects(vulnerability, 'notes', at)
  const note = notes.findIndex(({ category }) => category === 'description')
  const description = notes[note]
  const cwe = readObject(vulnerability, 'cwe', at)
  const cweId = cwe && readText(cwe, 'id', `${at}/cwe`)
  return {
    upstream: [cve],
    description: description && readText(description, 'text', `${at}/notes/${note}`),
    scores: readScores(vulnerability, publisher),
    statedSeverity: severityIn(vulnerability),
    references: uniteReferences(
      readObjects(vulnerability, 'references', at).map((reference, index) => ({
        url: readText(reference, 'url', `${at}/references/${index}`) ?? '',
        source: publisher,
        tags: [],
      })),
    ),
    cweIds: cweId !== undefined && /^CWE-\d+$/.test(cweId) ? [cweId] : [],
  }
}

/** Distributions score a vulnerability as it is in their builds: `osv:` gives the score the rank of other databases. */
function readScores(vulnerability: JsonObject, publisher: string) {
  const at = '/vulnerabilities/0/scores'
  return dropEqualScores(
    readObjects(vulnerability, 'scores', '/vulnerabilities/0').flatMap((score, index) =>
      ['cvss_v4', 'cvss_v3', 'cvss_v2'].map((name) => {
        const cvss = readObject(score, name, `${at}/${index}`)
        return cvss && scoreOfCvssObject(cvss, `osv:${publisher}`, `${at}/${index}/${name}`)
      }),
    ),
  )
}

function severityIn(vulnerability: JsonObject) {
  const words = new Set(
    readObjects(vulnerability, 'threats', '/vulnerabilities/0')
      .filter(({ category }) => category === 'impact')
      .map(({ details }) => (typeof details === 'string' ? parseSeverityWord(details) : undefined)),
  )
  return SEVERITIES.find((severity) => words.has(severity))
}
