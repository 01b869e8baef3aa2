/** A text for an intermediate report, of what is known now, and what records its submission. */
import type { Case } from '@plimsoll/api-client'
import { useQuery } from '@tanstack/react-query'
import { intermediateDraftQuery } from '../../components/cases/queries.ts'
import { Failure } from '../../components/states.tsx'
import { useWorkspaceId } from '../../session.ts'
import { ActButtons } from './act-button.tsx'
import type { CaseAct } from './act.ts'
import css from './cases.module.css'
import { CopyText } from '../../components/copy-text.tsx'
import { recordReport } from './report-acts.ts'

interface IntermediateActsProps {
  one: Case
  requestId: string
  onAct: (act: CaseAct) => void
}

export function IntermediateActs({ one, requestId, onAct }: IntermediateActsProps) {
  const workspaceId = useWorkspaceId()
  const { data, error, refetch } = useQuery(intermediateDraftQuery(workspaceId, one.id, requestId))
  const stage = 'IntermediateReport'
  return (
    <>
      {error && !data && <Failure error={error} onRetry={() => void refetch()} />}
      {data && (
        <details className={css['report']}>
          <summary>Draft of the intermediate report</summary>
          <pre tabIndex={0}>{data.text}</pre>
          <CopyText text={data.text} label="the intermediate report" />
        </details>
      )}
      <ActButtons
        acts={[
          {
            act: recordReport({ workspaceId, one }, { stage, requestId }, data?.text),
            label: 'Record submission…',
            name: 'Record submission of the intermediate report…',
          },
        ]}
        onAct={onAct}
        size="small"
      />
    </>
  )
}
