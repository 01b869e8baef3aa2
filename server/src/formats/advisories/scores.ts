/** CVSS scores as records state them. */
import { baseScore } from '../cvss.ts'
import type { CvssScore } from './model.ts'
import { readNumber, readText, type JsonObject } from './record-reader.ts'
import { rateScore } from './severity.ts'

/**
 * Reads a `cvssV*` or `cvssData` object of a CVE or NVD record. It keeps a valid published score, since people compare with
 * the source's page, and computes a missing one. Undefined without a vector.
 */
export function scoreOfCvssObject(
  cvss: JsonObject,
  source: string,
  at: string,
): CvssScore | undefined {
  const vectorString = readText(cvss, 'vectorString', at)
  if (vectorString === undefined || vectorString === '') return undefined
  const stated = readNumber(cvss, 'baseScore', at)
  const version = readText(cvss, 'version', at)
  if (stated === undefined || stated < 0 || stated > 10 || !CVSS_VERSIONS.has(version ?? ''))
    return scoreOfVector(vectorString, source)
  return scored(version ?? '', vectorString, roundScore(stated), source)
}

/** Scores have one decimal place. The database refuses a number like 1e-70. */
const roundScore = (score: number) => Math.round(score * 10) / 10

export function scoreOfVector(vectorString: string, source: string): CvssScore | undefined {
  const computed = baseScore(vectorString)
  return computed && scored(computed.version, vectorString, computed.score, source)
}

/** The same score from the same source counts once. */
export function dropEqualScores(scores: readonly (CvssScore | undefined)[]): CvssScore[] {
  const distinct = new Map<string, CvssScore>()
  for (const score of scores)
    if (score) distinct.set(`${score.version} ${score.source} ${score.vectorString}`, score)
  return [...distinct.values()]
}

const CVSS_VERSIONS = new Set(['2.0', '3.0', '3.1', '4.0'])

function scored(version: string, vectorString: string, score: number, source: string): CvssScore {
  const baseSeverity = rateScore(version, score).toUpperCase()
  return { version, vectorString, baseScore: score, baseSeverity, source }
}
