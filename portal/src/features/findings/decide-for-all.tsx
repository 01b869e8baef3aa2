/** One decision for all findings of a vulnerability. */
import type { WorkspaceVulnerabilityDetail } from '@plimsoll/api-client'
import { describeAssessment } from '../../components/decision/assessments.ts'
import { formatCount } from '../../format/counts.ts'
import { Decide, type SharedDecision } from './decide.tsx'
import { listReaches } from './decision-scope.ts'

type Detail = WorkspaceVulnerabilityDetail

export function DecideForAll({ data }: { data: Detail }) {
  return (
    <Decide
      cveId={data.cveId}
      finding={readShared(data)}
      reaches={listReaches(data.cveId, data)}
      onDecided={() => undefined}
      isTall
    />
  )
}

/** What all findings have in common: where they differ, the form begins empty. */
function readShared({ findings }: Pick<Detail, 'findings'>): SharedDecision {
  const each = findings.map(({ assessment, ignored, decision }): SharedDecision => ({
    assessment,
    ignored,
    justification: decision?.justification ?? null,
    response: decision?.response ?? null,
    detail: decision?.detail ?? null,
  }))
  const [first] = each
  const isShared = new Set(each.map((one) => JSON.stringify(one))).size === 1
  if (first && isShared) return first
  const isDecided = each.some(({ assessment }) => assessment !== 'NotAssessed')
  return { ...EMPTY, assessment: isDecided ? undefined : 'NotAssessed' }
}

const EMPTY = { ignored: false, justification: null, response: null, detail: null }

/** "7 exploitable", "4 exploitable, 3 not assessed". */
export function describeDecided({ findings, findingCount }: Detail): string {
  const byState = Map.groupBy(findings, ({ assessment, ignored }) =>
    ignored ? 'ignored' : describeAssessment(assessment).toLowerCase(),
  )
  const parts = [...byState].map(([state, own]) => `${formatCount(own.length)} ${state}`)
  return parts.join(', ') + (findingCount > findings.length ? ', …' : '')
}
