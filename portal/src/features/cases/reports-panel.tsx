/** The exact texts that were submitted, and which of them the CSIRT did not accept. */
import type { CaseReport } from '@plimsoll/api-client'
import { STAGE_WORDS } from '../../components/cases/words.ts'
import { Panel } from '../../components/panel.tsx'
import { Tag } from '../../components/tag.tsx'
import { Time } from '../../components/time.tsx'
import { useWorkspaceId } from '../../session.ts'
import { ActButtons } from './act-button.tsx'
import type { CasePart } from './act.ts'
import css from './cases.module.css'
import { CopyText } from '../../components/copy-text.tsx'
import { invalidateReport } from './report-acts.ts'

export function ReportsPanel({ one, onAct }: CasePart) {
  return (
    <Panel title="What was submitted" note="word for word; nothing is sent from here">
      {one.reports.length === 0 && <p>No submission is recorded.</p>}
      {one.reports.map((report) => (
        <Report key={report.id} report={report} one={one} onAct={onAct} />
      ))}
    </Panel>
  )
}

interface ReportProps extends Pick<CasePart, 'one' | 'onAct'> {
  report: CaseReport
}

function Report({ report, one, onAct }: ReportProps) {
  const workspaceId = useWorkspaceId()
  const { stage, submittedAt, reference, text, recordedBy, invalidatedAt, invalidation } = report
  return (
    <details className={css['report']}>
      <summary>
        <strong>{STAGE_WORDS[stage]}</strong> submitted <Time at={submittedAt} as="dateTime" />
        {reference === null ? ', no reference' : ` as ${reference}`}
        {invalidatedAt !== null && (
          <>
            {' '}
            <Tag tone="danger">not accepted</Tag>
          </>
        )}
      </summary>
      <pre tabIndex={0}>{text}</pre>
      <p className={css['note']}>
        Recorded by {recordedBy ?? 'an API key'}, <Time at={report.recordedAt} as="dateTime" />
      </p>
      {invalidatedAt !== null && (
        <p>
          Not accepted since <Time at={invalidatedAt} as="dateTime" />: <q>{invalidation}</q>
        </p>
      )}
      <div className={css['acts']}>
        <CopyText text={text} label={`the ${STAGE_WORDS[stage].toLowerCase()}`} />
        {invalidatedAt === null && one.state === 'Open' && (
          <ActButtons
            size="small"
            acts={[
              {
                act: invalidateReport({ workspaceId, one }, report),
                label: 'The CSIRT did not accept it…',
              },
            ]}
            onAct={onAct}
          />
        )}
      </div>
    </details>
  )
}
