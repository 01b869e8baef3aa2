/** Selects the primary score of a vulnerability and its severity, in TypeScript and as expressions of SQL. */
import { type CvssScore, SEVERITIES, type Severity } from './model.ts'

/** The qualitative scale of CVSS 3.x and 4.0 (section 5 and 6 of the specifications): where each severity ends. */
const SCALE = { None: 0.1, Low: 4, Medium: 7, High: 9, Critical: Infinity }

/** CVSS 2.0 defines no severities; these are NVD's (https://nvd.nist.gov/vuln-metrics/cvss). */
const SCALE_OF_CVSS2 = { Low: 4, Medium: 7, High: Infinity }

export function rateScore(cvssVersion: string, baseScore: number): Severity {
  const scale = Object.entries(cvssVersion.startsWith('2') ? SCALE_OF_CVSS2 : SCALE)
  const word = scale.find(([, end]) => baseScore < end)?.[0]
  return SEVERITIES.find((severity) => severity === word) ?? 'Unknown'
}

/** `rateScore` in SQL, for a version in text and a score in numeric. */
export function severityOfScoreSql(cvssVersion: string, baseScore: string): string {
  const choose = (scale: Record<string, number>) =>
    `case ${Object.entries(scale)
      .map(([word, end]) =>
        end === Infinity ? `else '${word}'` : `when ${baseScore} < ${end} then '${word}'`,
      )
      .join(' ')} end`
  return `case when starts_with(${cvssVersion}, '2') then ${choose(SCALE_OF_CVSS2)} else ${choose(SCALE)} end`
}

/** 1 for Unknown to 6 for Critical, as SQL. Exactly as in the index over all matches. */
export function severityRankSql(severity: string): string {
  return `array_position('{${SEVERITIES.toReversed().join(',')}}'::text[], ${severity})`
}

/**
 * The newest CVSS version wins, since it replaces the older ones. Within one version NVD comes first: it scores all products
 * by one rule, and other tools show it. Then the CNA, which knows the product best, then CISA's addition, then OSV databases,
 * which mostly repeat another score. Among equals the higher score wins.
 */
export function choosePrimaryScore(scores: readonly CvssScore[]): CvssScore | undefined {
  return scores.toSorted(
    (a, b) =>
      Number(b.version) - Number(a.version) ||
      sourceRank(a.source) - sourceRank(b.source) ||
      b.baseScore - a.baseScore ||
      (a.vectorString < b.vectorString ? -1 : 1),
  )[0]
}

/** The severity of the primary score, else the stated one, else `Unknown`. */
export function decideSeverity(
  scores: readonly CvssScore[],
  stated: Severity | undefined,
): Severity {
  const score = choosePrimaryScore(scores)
  return score === undefined ? (stated ?? 'Unknown') : rateScore(score.version, score.baseScore)
}

/** The words databases use, in any case: GHSA's `MODERATE`, Red Hat's `Important`, Debian's `unimportant`. */
export function parseSeverityWord(word: string): Severity | undefined {
  return WORDS.get(word.trim().toLowerCase())
}

const WORDS = new Map<string, Severity>([
  ['critical', 'Critical'],
  ['high', 'High'],
  ['important', 'High'],
  ['medium', 'Medium'],
  ['moderate', 'Medium'],
  ['low', 'Low'],
  ['minor', 'Low'],
  ['negligible', 'Low'],
  ['unimportant', 'Low'],
  ['none', 'None'],
])

const NVD = 'nvd@nist.gov'

/** CISA's ADP container, by name and by its organisation id, as NVD names it. */
const CISA = ['CISA-ADP', '134c704f-9b21-4f2e-91b3-4a467353bcc0']

function sourceRank(source: string): number {
  if (source === NVD) return 0
  if (source.startsWith('osv:')) return 3
  return CISA.includes(source) ? 2 : 1
}

/** As `primaryScore` orders scores that are JSON, as SQL. */
export function primaryScoreOrderSql(score: string): string {
  const source = `(${score} ->> 'source')`
  return `${score} ->> 'version' collate "C" desc,
    case when ${source} = '${NVD}' then 0 when starts_with(${source}, 'osv:') then 3
      when ${source} in (${CISA.map((id) => `'${id}'`).join(', ')}) then 2 else 1 end,
    (${score} ->> 'baseScore')::numeric desc, ${score} ->> 'vectorString' collate "C"`
}
