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

export function IntermediateActs(props: IntermediateActsProps) {
  const { data, error, refetch } = useDraft(props)
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
      <RecordIntermediate
        {...props}
        label="Record submission…"
        name="Record submission of the intermediate report…"
      />
    </>
  )
}

/** Opens with the draft as its text. */
export function RecordIntermediate({
  label,
  name,
  onAct,
  ...report
}: IntermediateActsProps & { label: string; name: string }) {
  const workspaceId = useWorkspaceId()
  const { data, isPending } = useDraft(report)
  const { one, requestId } = report
  const stage = { stage: 'IntermediateReport', requestId } as const
  const act = recordReport({ workspaceId, one }, stage, data?.text)
  // A form that is open is not filled any more.
  const blocked = isPending && { blocked: 'Its draft is being read.' }
  return <ActButtons acts={[{ act, label, name, ...blocked }]} onAct={onAct} size="small" />
}

const useDraft = ({ one, requestId }: Pick<IntermediateActsProps, 'one' | 'requestId'>) =>
  useQuery(intermediateDraftQuery(useWorkspaceId(), one.id, requestId))
