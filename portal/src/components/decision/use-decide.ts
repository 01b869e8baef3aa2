/** Sends decisions, apart from the form for many: the page of a finding needs it before. */
import { formatCountOf } from '../../format/counts.ts'
import { formatDate } from '../../format/dates.ts'
import { useWorkspaceId } from '../../session.ts'
import type { ActForm } from '../acts.ts'
import { usePerform } from '../perform.ts'
import { describeAssessment } from './assessments.ts'
import {
  type BulkDecision,
  type BulkTarget,
  decideMany,
  planTargets,
  undoDecisions,
} from './bulk.ts'

export interface DecisionSent {
  targets: readonly BulkTarget[]
  decision: BulkDecision
  /** How many findings it is for. */
  count: number
  /** A person has read that number of what the targets select: another one is not decided. */
  isCountRead?: true
  subject?: string | undefined
  form?: ActForm
}

/** Sends a decision; its notice tells how it goes, wherever one is by then. */
export function useDecide(): (sent: DecisionSent) => Promise<boolean> {
  const workspaceId = useWorkspaceId()
  const perform = usePerform('findings')
  return ({ targets, decision, count, isCountRead, subject, form }) => {
    const planned = planTargets(targets, isCountRead && count)
    const findings = `${formatCountOf(count, 'finding')}${subject === undefined ? '' : ` of ${subject}`}`
    return perform({
      text: `${findings}: ${describeDecision(decision)}`,
      isDecision: true,
      ...(form && { form }),
      send: async (tell) => {
        const batchIds = await decideMany(workspaceId, { targets: planned, decision }, tell)
        if (batchIds.length === 0) return undefined
        return (tellBack) => undoDecisions(workspaceId, batchIds, tellBack)
      },
    })
  }
}

function describeDecision(decision: BulkDecision): string {
  if ('assess' in decision) return describeAssessment(decision.assess.assessment)
  if (!decision.ignored) return 'No longer ignored'
  const { until = null } = decision.acceptance ?? {}
  return until === null ? 'Ignored' : `Ignored until ${formatDate(until)}`
}
