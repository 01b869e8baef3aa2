/** The few facts of a vulnerability that lists sort and count by, made of all its advisories. */
import {
  type Advisory,
  type AdvisorySource,
  type CvssScore,
  type Severity,
} from '../../formats/advisories/model.ts'
import { primaryScore, severityOf } from '../../formats/advisories/severity.ts'

/** What of an advisory its vulnerabilities' rows are made of. */
export interface DescribingAdvisory {
  source: AdvisorySource
  id: string
  name: string | null
  primaryScore: CvssScore | null
  statedSeverity: Severity | null
  publishedAt: Date | null
  modifiedAt: Date | null
  withdrawnAt: Date | null
}

export interface NarrowRow {
  id: string
  name: string
  severity: Severity
  primaryScore: number | undefined
  publishedAt: Date | undefined
  modifiedAt: Date | undefined
}

/**
 * Withdrawn advisories speak only where no other is left. The name is that of the first in `compareDescribing` that
 * has one; the score by the rule of `primaryScore` over all, which the best of each advisory suffices for.
 */
export function narrowRow(id: string, advisories: readonly DescribingAdvisory[]): NarrowRow {
  const inForce = advisories.filter(({ withdrawnAt }) => withdrawnAt === null)
  const speaking = (inForce.length > 0 ? inForce : advisories).toSorted(compareDescribing)
  const scores = speaking.flatMap((advisory) => advisory.primaryScore ?? [])
  const stated = speaking.find(({ statedSeverity }) => statedSeverity !== null)?.statedSeverity
  const published = speaking.flatMap(({ publishedAt }) => publishedAt?.getTime() ?? [])
  const modified = speaking.flatMap(({ modifiedAt }) => modifiedAt?.getTime() ?? [])
  return {
    id,
    name: speaking.find(({ name }) => name !== null)?.name ?? id,
    severity: severityOf(scores, stated ?? undefined),
    primaryScore: primaryScore(scores)?.baseScore,
    publishedAt: published.length > 0 ? new Date(Math.min(...published)) : undefined,
    modifiedAt: modified.length > 0 ? new Date(Math.max(...modified)) : undefined,
  }
}

const RANKS: Record<AdvisorySource, number> = { cvelist: 0, nvd: 1, osv: 2 }

/**
 * Whose words describe a vulnerability: the CVE List's, as written by who assigned the id; then NVD's; then OSV's, of
 * those GitHub's, which people review, before others by id.
 */
export function compareDescribing(
  a: Pick<DescribingAdvisory, 'source' | 'id'>,
  b: Pick<DescribingAdvisory, 'source' | 'id'>,
): number {
  return (
    RANKS[a.source] - RANKS[b.source] ||
    Number(b.id.startsWith('GHSA-')) - Number(a.id.startsWith('GHSA-')) ||
    (a.id < b.id ? -1 : a.id > b.id ? 1 : 0)
  )
}

const MAX_NAME_LENGTH = 300

/** The record's title, else the first sentence of its description, on one line. */
export function advisoryName({
  title,
  description,
}: Pick<Advisory, 'title' | 'description'>): string | undefined {
  const name = onOneLine(title ?? '') || firstSentence(onOneLine(description ?? ''))
  if (name === '') return undefined
  return name.length <= MAX_NAME_LENGTH ? name : `${name.slice(0, MAX_NAME_LENGTH - 1).trimEnd()}…`
}

/** Enough of a description that may have megabytes to hold its first sentence. */
const LOOKED_AT = 4 * MAX_NAME_LENGTH

function onOneLine(text: string): string {
  return text.slice(0, LOOKED_AT).toWellFormed().replaceAll(/\s+/g, ' ').trim()
}

/** Up to a full stop before a new beginning, so that neither `v1.2.3`, `e.g. this` nor `Foo Inc. bar` ends one. */
function firstSentence(text: string): string {
  return FIRST_SENTENCE.exec(text)?.[0] ?? text
}

const FIRST_SENTENCE =
  /^.*?(?<!\b(?:e\.g|i\.e|vs|etc|cf|[Nn]o|ver|approx))[.!?](?=\s+["'(]?\p{Lu})/u
