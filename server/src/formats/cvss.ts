/** Computes scores from CVSS vectors (https://www.first.org/cvss/): OSV and many CVE records state only the vector. */
import calculator from 'ae-cvss-calculator'

const CVSS_VERSIONS = ['2.0', '3.0', '3.1', '4.0'] as const
type CvssVersion = (typeof CVSS_VERSIONS)[number]

export interface BaseScore {
  version: CvssVersion
  score: number
}

type Metrics = Readonly<Record<string, string>>

/** The values of each metric; the base metrics are mandatory. */
const BASE: Record<CvssVersion, Metrics> = {
  '2.0': { AV: 'LAN', AC: 'HML', Au: 'MSN', C: 'NPC', I: 'NPC', A: 'NPC' },
  '3.0': { AV: 'NALP', AC: 'LH', PR: 'NLH', UI: 'NR', S: 'UC', C: 'NLH', I: 'NLH', A: 'NLH' },
  '3.1': { AV: 'NALP', AC: 'LH', PR: 'NLH', UI: 'NR', S: 'UC', C: 'NLH', I: 'NLH', A: 'NLH' },
  // oxfmt-ignore
  '4.0': {
    AV: 'NALP', AC: 'LH', AT: 'NP', PR: 'NLH', UI: 'NPA',
    VC: 'HLN', VI: 'HLN', VA: 'HLN', SC: 'HLN', SI: 'HLN', SA: 'HLN',
  },
}

/** CVSS 4.0 has one score, which includes threat and environment where stated (specification, section 1.4). */
// oxfmt-ignore
const REFINING: Metrics = {
  E: 'XAPU', CR: 'XHML', IR: 'XHML', AR: 'XHML',
  MAV: 'XNALP', MAC: 'XLH', MAT: 'XNP', MPR: 'XNLH', MUI: 'XNPA',
  MVC: 'XHLN', MVI: 'XHLN', MVA: 'XHLN', MSC: 'XHLN', MSI: 'XSHLN', MSA: 'XSHLN',
}

/**
 * CVSS 2.0, 3.0 and 3.1: the base score, without temporal and environmental metrics. CVSS 4.0: the score of the whole
 * vector, as FIRST's calculator gives it; records use `baseScore` for either. Undefined for an incomplete vector.
 */
export function baseScore(vectorString: string): BaseScore | undefined {
  const read = readVector(vectorString)
  return read && { version: read.version, score: read.score }
}

export interface BaseVector extends BaseScore {
  version: '2.0' | '3.0' | '3.1'
  /** With its base metrics alone, in the order of the standard. */
  vectorString: string
}

/** Of CVSS 2.0, 3.0 or 3.1; undefined for others, and for an incomplete vector. */
export function readBaseVector(vectorString: string): BaseVector | undefined {
  const read = readVector(vectorString)
  if (read === undefined || read.version === '4.0') return undefined
  const { version, metrics, score } = read
  return { version, score, vectorString: formatVector(version, metrics) }
}

const formatVector = (version: CvssVersion, metrics: string) =>
  version === '2.0' ? metrics : `CVSS:${version}/${metrics}`

function readVector(vectorString: string) {
  const [, prefix, body = ''] =
    /^\(?(?:CVSS:([234]\.[01])\/)?([^()]*)\)?$/.exec(vectorString.trim()) ?? []
  const version = CVSS_VERSIONS.find((known) => known === (prefix ?? '2.0'))
  const metrics = readMetrics(body)
  if (version === undefined || metrics === undefined) return undefined
  const base = pick(metrics, BASE[version], true)
  const refining = pick(metrics, version === '4.0' ? REFINING : {}, false)
  if (base === undefined || refining === undefined) return undefined
  const picked = [...base, ...refining].join('/')
  const score = computeScore(version, picked)
  return score === undefined ? undefined : { version, metrics: picked, score }
}

/** Undefined where a metric is repeated or a part is not a metric. */
function readMetrics(body: string): Map<string, string> | undefined {
  if (body.length > 512) return undefined
  const metrics = new Map<string, string>()
  for (const part of body.replace(/\/$/, '').split('/')) {
    const [, name, value] = /^([A-Za-z]{1,3}):([A-Za-z]+)$/.exec(part) ?? []
    if (name === undefined || value === undefined || metrics.has(name)) return undefined
    metrics.set(name, value)
  }
  return metrics
}

/** `name:value` of each metric of the table; undefined for an unknown value or a missing mandatory metric. */
function pick(found: ReadonlyMap<string, string>, table: Metrics, isMandatory: boolean) {
  const picked: string[] = []
  for (const [name, letters] of Object.entries(table)) {
    const value = found.get(name)
    if (!isMandatory && (value === undefined || value === 'X')) continue
    if (value?.length !== 1 || !letters.includes(value)) return undefined
    picked.push(`${name}:${value}`)
  }
  return picked
}

/** A cache: a 4.0 score takes 0.1 ms, and feeds repeat a few thousand vectors. */
const known = new Map<string, number | undefined>()
const MOST_KNOWN = 10_000

function computeScore(version: CvssVersion, metrics: string): number | undefined {
  const vector = formatVector(version, metrics)
  if (known.has(vector)) return known.get(vector)
  const score = calculate(version, vector)
  if (known.size >= MOST_KNOWN) known.clear()
  known.set(vector, score)
  return score
}

function calculate(version: CvssVersion, vector: string): number | undefined {
  switch (version) {
    case '2.0':
      return new calculator.Cvss2(vector).calculateScores().base
    case '3.0':
      return new calculator.Cvss3P0(vector).calculateScores().base
    case '3.1':
      return new calculator.Cvss3P1(vector).calculateScores().base
    case '4.0':
      return new calculator.Cvss4P0(vector).calculateOverallScore()
  }
}
