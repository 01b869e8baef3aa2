/** Findings of a firmware version, and which of them are active. */
import {
  readAllPages,
  type BodyOf,
  type VulnerabilityFinding,
  type VulnerabilityFindingPage,
} from '../../api-client/src/index.ts'
import { formatCount } from './print.ts'
import type { Session } from './session.ts'

export type FindingsQuery = Omit<BodyOf<'listVulnerabilityFindings'>, 'cursor' | 'limit'>
export type FindingFilter = NonNullable<FindingsQuery['filter']>
export type Severity = VulnerabilityFinding['severity']

/** What a person decides about a finding. */
export type AssessFinding = BodyOf<'assessVulnerabilityFinding'>
export const SORT_COLUMNS = [
  'Risk',
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
  'Ssvc',
] as const satisfies readonly FindingsQuery['sortColumn'][]

const PAGE = 1000

type CountedFindings = Pick<
  VulnerabilityFindingPage,
  'findings' | 'totalCount' | 'totalCountIsLowerBound' | 'switchedOffCount'
>

/** Reads page by page, at most `most` findings; counts all that meet the filter. */
export async function readFindings(
  { client, workspaceId }: Session,
  firmwareVersionId: string,
  query: FindingsQuery,
  most = Number.POSITIVE_INFINITY,
): Promise<CountedFindings> {
  const path =
    '/workspaces/{workspaceId}/firmware-versions/{firmwareVersionId}/vulnerability-findings/list'
  const params = { workspaceId, firmwareVersionId }
  const limit = Math.min(PAGE, most)
  const pages = readAllPages((cursor) =>
    client.post(path, { params, body: { ...query, limit, ...cursor } }),
  )
  const all: CountedFindings = {
    findings: [],
    totalCount: 0,
    totalCountIsLowerBound: false,
    switchedOffCount: 0,
  }
  for await (const { findings, totalCount, totalCountIsLowerBound, switchedOffCount } of pages) {
    for (const each of findings) all.findings.push(each)
    Object.assign(all, { totalCount, totalCountIsLowerBound, switchedOffCount })
    if (all.findings.length >= most) break
  }
  return all
}

export async function listFindings(
  session: Session,
  firmwareVersionId: string,
  query: FindingsQuery,
): Promise<VulnerabilityFinding[]> {
  return (await readFindings(session, firmwareVersionId, query)).findings
}

/** What the lists of the workspace leave out. */
export function describeSwitchedOff(count: number): string[] {
  if (count === 0) return []
  return [
    `${formatCount(count, 'finding')} of OSS-Fuzz, without CVE, not listed: the workspace has switched them off (--fuzzing lists them).`,
  ]
}

/** Asks the service only for findings that nobody has closed. */
export const UNDECIDED: FindingFilter = {
  ignored: false,
  assessments: ['NotAssessed', 'InTriage', 'Exploitable'],
}

/** Counts as the service does in its summaries: a Low match counts only after a person confirmed it. */
export function isActive({ ignored, assessment, confidence }: VulnerabilityFinding): boolean {
  const vouched = assessment === 'Exploitable' || assessment === 'InTriage'
  return !ignored && (vouched || (assessment === 'NotAssessed' && confidence !== 'Low'))
}
