/** What people decide about findings, and when a finding counts: in TypeScript and as expressions of SQL. */
import type { Acceptance } from './acceptances.ts'

export const ASSESSMENTS = [
  'NotAssessed',
  'InTriage',
  'Exploitable',
  'NotAffected',
  'FalsePositive',
  'Resolved',
] as const
export type Assessment = (typeof ASSESSMENTS)[number]

/** The origin of a decision. */
export const DECISION_SOURCES = ['User', 'ApiKey', 'Vex', 'Build', 'CarriedOver', 'System'] as const
export type DecisionSource = (typeof DECISION_SOURCES)[number]

/**
 * Whose word a decision is, the strongest first: a person or an API key, a VEX document, the build of the firmware. A
 * decision that was carried over stays the word of whoever made it (docs/decisions/0049).
 */
export const DECISION_ORIGINS = ['Person', 'Document', 'Build'] as const
export type DecisionOrigin = (typeof DECISION_ORIGINS)[number]

/** Assessments that may have a justification. */
export const JUSTIFIED_ASSESSMENTS = [
  'NotAffected',
  'FalsePositive',
] as const satisfies Assessment[]

/** Assessments with which a finding is not active. */
export const CLOSED_ASSESSMENTS = [
  'NotAffected',
  'FalsePositive',
  'Resolved',
] as const satisfies Assessment[]
/** Assessments by which a person confirms a match of low confidence. */
export const CONFIRMED_ASSESSMENTS = ['Exploitable', 'InTriage'] as const satisfies Assessment[]
/** Assessments that a proposal may still change: nobody has decided. */
export const OPEN_ASSESSMENTS = ['NotAssessed', 'InTriage'] as const satisfies Assessment[]

/** What was decided about a finding before, for another package or on other evidence. */
export interface PreviousDecision {
  firmwareVersion: { id: string; name: string }
  componentVersion: string | null
  assessment: Assessment
  ignored: boolean
  /** Absent in what was stored earlier. */
  acceptance?: Acceptance | null
  /** The release lines that it held for; absent or null: whatever version followed. */
  assessedLineId?: string | null
  ignoredLineId?: string | null
  justification: string | null
  detail: string | null
  responses: string[]
  decidedByEmail: string | null
  decidedAt: string
}

/** The document of the statement that a decision follows, as it was then. */
export interface StatedIn {
  /** Its id among the documents about the firmware version. It may be deleted meanwhile. */
  vexDocumentId: string
  format: string
  /** The id that the document states. */
  documentId: string | null
  author: string | null
  statedAt: string
  importedByEmail: string | null
  /** The SBOM in which the statement stands. */
  sbomFileName: string | null
}

/**
 * Whether a finding that holds is active: it is not ignored or closed, and its confidence is not low, unless somebody
 * confirmed it.
 */
export function isActive(finding: {
  assessment: Assessment
  ignored: boolean
  confidence: 'High' | 'Medium' | 'Low'
}): boolean {
  const { assessment, ignored, confidence } = finding
  if (ignored || CLOSED_ASSESSMENTS.some((closed) => closed === assessment)) return false
  return confidence !== 'Low' || CONFIRMED_ASSESSMENTS.some((confirmed) => confirmed === assessment)
}

const listSql = (assessments: readonly Assessment[]) =>
  `(${assessments.map((assessment) => `'${assessment}'`).join(', ')})`

/** `isActive` in SQL: of `match`, and of `decision`, which findings without a decision lack. */
export function isActiveSql({
  assessment = "coalesce(decision.assessment, 'NotAssessed')",
  ignored = 'coalesce(decision.ignored, false)',
  confidence = 'match.confidence',
} = {}): string {
  return `(not ${ignored} and ${assessment} not in ${listSql(CLOSED_ASSESSMENTS)}
    and (${confidence} <> 'Low' or ${assessment} in ${listSql(CONFIRMED_ASSESSMENTS)}))`
}

/** Whether an assessment closes a finding, as SQL. */
export function isClosedSql(assessment: string): string {
  return `(${assessment} in ${listSql(CLOSED_ASSESSMENTS)})`
}

/** Whether nobody has decided an active finding, as SQL. */
export function isUndecidedSql(assessment: string): string {
  return `(${assessment} in ${listSql(OPEN_ASSESSMENTS)})`
}

/**
 * Whose word the assessment of a row of `finding_decisions` is, as SQL; null: nobody has assessed it, or a mark took its
 * place.
 */
export function decideOriginSql(decision: string): string {
  return `(case
    when ${decision}.assessed_at is null then null
    when ${decision}.source in ('User', 'ApiKey') then 'Person'
    when ${decision}.source = 'Vex' then 'Document'
    when ${decision}.source = 'Build' then 'Build'
    when ${decision}.origin is not null then ${decision}.origin
    when ${decision}.assessment = 'NotAssessed' then null
    when ${decision}.decided_by_email is null and ${decision}.statement_id is not null then 'Document'
    else 'Person' end)`
}

/** A number for an origin, as SQL: the higher one decides. */
export function rankOriginSql(origin: string): string {
  return `coalesce(array_position('{${DECISION_ORIGINS.toReversed().join(',')}}'::text[], ${origin}), 0)`
}

/**
 * Whether a statement in an SBOM of the firmware version made a row of `finding_decisions`, as SQL: the decision ends with it,
 * and other versions have their own.
 */
export function isOfSbomSql(decision: string): string {
  return `(${decision}.source in ('Vex', 'Build') and ${decision}.stated_in ->> 'sbomFileName' is not null)`
}
