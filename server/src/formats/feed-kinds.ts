/** Tells from the first bytes what a feed file holds; the name does not matter. */
import { outlineJson, type JsonOutline } from './advisories/json-outline.ts'

export type FeedSource = 'cvelist' | 'nvd' | 'osv' | 'csaf' | 'kev' | 'epss' | 'euvd' | 'endoflife'

export interface FeedFile {
  source: FeedSource
  /** Whole values, elements of the outermost array or of the array `member`, a JSON value or CSV record per line. */
  layout: 'values' | 'array' | 'member' | 'lines' | 'csv'
  member?: string
}

export type RecognisedFile = FeedFile | { unsupported: string }

/** The number of first bytes that suffice to tell. */
export const FEED_HEAD_BYTES = 64 * 1024

export function recogniseFeed(head: Uint8Array): RecognisedFile {
  const binary = binaryFormat(head)
  if (binary !== undefined) return { unsupported: binary }
  const cveRecord = cveRecordFile(head)
  if (cveRecord) return cveRecord
  const text = new TextDecoder().decode(head.subarray(0, FEED_HEAD_BYTES)).trimStart()
  if (text === '') return { unsupported: 'the file is empty' }
  if (EPSS_LINES.test(text)) return { source: 'epss', layout: 'csv' }
  if (text.startsWith('<')) return { unsupported: 'neither JSON nor CSV, but markup' }
  if (!/^[[{]/.test(text)) return { unsupported: 'neither JSON nor EPSS scores' }
  return recogniseJson(outlineJson(text))
}

/** The CVE List has 300,000 files of one record, which begin alike: an outline of each would take longer than its parsing. */
function cveRecordFile(head: Uint8Array): FeedFile | undefined {
  const start = Buffer.from(head.buffer, head.byteOffset, Math.min(head.length, START_BYTES))
  const text = start.toString('latin1')
  if (!CVE_RECORD.test(text)) return undefined
  if (!head.includes(LINE_FEED)) return { source: 'cvelist', layout: 'lines' }
  return /^\{[ \t\r]*\n/.test(text) ? { source: 'cvelist', layout: 'values' } : undefined
}

const LINE_FEED = 0x0a
const START_BYTES = 128

const CVE_RECORD = /^\{\s*"(?:dataType"\s*:\s*"CVE_RECORD"|containers"\s*:\s*\{\s*"cna")/

const EPSS_LINES = /^(?:#model_version|cve[,;]epss|CVE-\d{4}-\d{4,}[,;]\d)/i

function binaryFormat(head: Uint8Array): string | undefined {
  const [first, second] = head
  if (first === 0x1f && second === 0x8b) return 'compressed with gzip'
  if (first === 0x50 && second === 0x4b) return 'a ZIP archive'
  if (first === 0x28 && second === 0xb5) return 'compressed with zstd'
  if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff))
    return 'UTF-16 text'
  return head.subarray(0, 1024).includes(0) ? 'binary data' : undefined
}

/** The list of all products of endoflife.date. */
const PRODUCT_LIST = ['result/[]/releases', 'result/[]/identifiers', 'result/[]/versionCommand']

/** Its older files, which do not say of which product they are. */
const NAMELESS_CYCLES = ['[]/cycle', '[]/releaseCycle']

const NVD_1_1 = ['CVE_Items', 'CVE_data_meta', 'cve/CVE_data_meta', '[]/cve/CVE_data_meta']

function recogniseJson(outline: JsonOutline): RecognisedFile {
  const { names } = outline
  if (NVD_1_1.some((name) => names.has(name)))
    return {
      unsupported:
        'NVD 1.1 (CVE JSON 4.0), which NVD retired in 2023; use the JSON 2.0 feeds or API 2.0',
    }
  if (NAMELESS_CYCLES.some((name) => names.has(name)) && names.has('[]/eol'))
    return {
      unsupported:
        'release cycles that do not say of which product they are; use api/v1/products/full of endoflife.date',
    }
  // Before the members: a document of CSAF has a list of vulnerabilities, as pages of NVD have.
  if (names.has('document/csaf_version') || names.has('[]/document/csaf_version'))
    return { source: 'csaf', layout: outline.isArray ? 'array' : 'values' }
  const member = memberFeed(names)
  if (member !== undefined) return member
  const isArray = outline.isArray
  const source = sourceOfRecord(names, isArray ? '[]/' : '')
  if (source === undefined) return { unsupported: 'JSON, but no advisories of a known source' }
  if (isArray) return { source, layout: 'array' }
  return { source, layout: outline.isFirstLineWhole ? 'lines' : 'values' }
}

/** Pages and catalogues: one object whose member is the array of records. */
function memberFeed(names: ReadonlyMap<string, string>): FeedFile | undefined {
  if (names.get('format') === 'NVD_CVE' || names.has('vulnerabilities/[]/cve'))
    return { source: 'nvd', layout: 'member', member: 'vulnerabilities' }
  if (names.has('catalogVersion') || names.has('vulnerabilities/[]/cveID'))
    return { source: 'kev', layout: 'member', member: 'vulnerabilities' }
  if (names.has('data/[]/epss')) return { source: 'epss', layout: 'member', member: 'data' }
  if (PRODUCT_LIST.some((name) => names.has(name)))
    return { source: 'endoflife', layout: 'member', member: 'result' }
  return undefined
}

function sourceOfRecord(names: ReadonlyMap<string, string>, at: string): FeedSource | undefined {
  const has = (...of: string[]) => of.some((name) => names.has(at + name))
  if (has('cveMetadata', 'containers', 'dataType')) return 'cvelist'
  if (has('cveID')) return 'kev'
  if (has('euvdId')) return 'euvd'
  if (has('epss')) return 'epss'
  if (has('result/releases') || (has('releases') && has('name'))) return 'endoflife'
  if (has('cve/id', 'cve/configurations', 'sourceIdentifier', 'vulnStatus')) return 'nvd'
  if (has('id', 'schema_version') && has(...OSV_NAMES)) return 'osv'
  return undefined
}

const OSV_NAMES = [
  'modified',
  'affected',
  'aliases',
  'schema_version',
  'details',
  'published',
  'withdrawn',
]
