/** Findings of a firmware version, and which of them are active. */
import { allPages, type AnswerOf, type BodyOf } from '../../api-client/src/index.ts'
import type { Session } from './session.ts'

export type Finding = AnswerOf<'listVulnerabilityFindings'>['findings'][number]
export type FindingsQuery = Omit<BodyOf<'listVulnerabilityFindings'>, 'cursor' | 'limit'>
export type FindingFilter = NonNullable<FindingsQuery['filter']>
export type Severity = Finding['severity']
type Assessment = Finding['assessment']

/** Worst first. */
export const SEVERITIES = [
  'Critical',
  'High',
  'Medium',
  'Low',
  'None',
  'Unknown',
] as const satisfies readonly Severity[]

export const ASSESSMENTS = [
  'NotAssessed',
  'InTriage',
  'Exploitable',
  'NotAffected',
  'FalsePositive',
  'Resolved',
] as const satisfies readonly Assessment[]

export const SORT_COLUMNS = [
  'Severity',
  'CvssScore',
  'EpssScore',
  'CveId',
  'Name',
  'ComponentName',
  'ComponentVersion',
  'Assessment',
  'KnownCisaExploit',
  'DetectedAt',
] as const satisfies readonly FindingsQuery['sortColumn'][]

const PAGE = 1000

/** Reads page by page, at most `most` findings. */
export async function listFindings(
  { client, workspaceId }: Session,
  firmwareVersionId: string,
  query: FindingsQuery,
  most = Number.POSITIVE_INFINITY,
): Promise<Finding[]> {
  const path =
    '/workspaces/{workspaceId}/firmware-versions/{firmwareVersionId}/vulnerability-findings/list'
  const params = { workspaceId, firmwareVersionId }
  const limit = Math.min(PAGE, most)
  const pages = allPages((cursor) =>
    client.post(path, { params, body: { ...query, limit, ...cursor } }),
  )
  const all: Finding[] = []
  for await (const { findings } of pages) {
    all.push(...findings)
    if (all.length >= most) break
  }
  return all.slice(0, most)
}

/** Asks the service only for findings that nobody has closed. */
export const UNDECIDED: FindingFilter = {
  ignored: false,
  assessments: ['NotAssessed', 'InTriage', 'Exploitable'],
}

/** Counts as the service does in its summaries: a Low match counts only after a person confirmed it. */
export function isActive({ ignored, assessment, confidence }: Finding): boolean {
  const vouched = assessment === 'Exploitable' || assessment === 'InTriage'
  return !ignored && (vouched || (assessment === 'NotAssessed' && confidence !== 'Low'))
}
