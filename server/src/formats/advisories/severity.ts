/** Selects the primary score of a vulnerability and its severity. */
import type { CvssScore, Severity } from './model.ts'

/** The qualitative scales of CVSS 3.x and 4.0 (section 5 and 6 of the specifications) and NVD's for 2.0. */
export function severityOfScore(
  cvssVersion: string,
  baseScore: number,
): Exclude<Severity, 'Unknown'> {
  if (cvssVersion.startsWith('2')) return baseScore < 4 ? 'Low' : baseScore < 7 ? 'Medium' : 'High'
  if (baseScore === 0) return 'None'
  if (baseScore < 4) return 'Low'
  if (baseScore < 7) return 'Medium'
  return baseScore < 9 ? 'High' : 'Critical'
}

/**
 * The newest CVSS version wins, since it replaces the older ones. Within one version NVD comes first: it scores all products
 * by one rule, and other tools show it. Then the CNA, which knows the product best, then CISA's addition, then OSV databases,
 * which mostly repeat another score. Among equals the higher score wins.
 */
export function primaryScore(scores: readonly CvssScore[]): CvssScore | undefined {
  return scores.toSorted(
    (a, b) =>
      Number(b.version) - Number(a.version) ||
      sourceRank(a.source) - sourceRank(b.source) ||
      b.baseScore - a.baseScore ||
      (a.vectorString < b.vectorString ? -1 : 1),
  )[0]
}

/** The severity of the primary score, else the stated one, else `Unknown`. */
export function severityOf(scores: readonly CvssScore[], stated: Severity | undefined): Severity {
  const score = primaryScore(scores)
  return score === undefined
    ? (stated ?? 'Unknown')
    : severityOfScore(score.version, score.baseScore)
}

/** The words databases use, in any case: GHSA's `MODERATE`, Red Hat's `Important`, Debian's `unimportant`. */
export function severityOfWord(word: string): Severity | undefined {
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

function sourceRank(source: string): number {
  if (source === 'nvd@nist.gov') return 0
  if (source.startsWith('osv:')) return 3
  return CISA.has(source) ? 2 : 1
}

/** CISA's ADP container, by name and by its organisation id, as NVD names it. */
export const CISA: ReadonlySet<string> = new Set([
  'CISA-ADP',
  '134c704f-9b21-4f2e-91b3-4a467353bcc0',
])
