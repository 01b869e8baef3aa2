/** Shows the findings of one decision, each with what it had before. */
import type { AuditLogEntry, DecidedFinding } from '@plimsoll/api-client'
import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { describeAssessment } from '../../components/decision/assessments.ts'
import { OlderButton } from '../../components/list-panel.tsx'
import { Failure, Loading } from '../../components/states.tsx'
import { useWorkspaceId } from '../../session.ts'
import css from './entry-pane.module.css'
import { decidedFindingsQuery } from './queries.ts'

export function DecidedFindings({ entry }: { entry: AuditLogEntry }) {
  const batchId = readBatchId(entry)
  return batchId === undefined ? null : <Findings batchId={batchId} />
}

/** The batch that the entry made, or took back. */
function readBatchId({ after, resourceType, resourceId }: AuditLogEntry): string | undefined {
  if (resourceType === 'decision-batch') return resourceId
  if (typeof after !== 'object' || after === null || !('decisionBatchId' in after)) return undefined
  return typeof after.decisionBatchId === 'string' ? after.decisionBatchId : undefined
}

function Findings({ batchId }: { batchId: string }) {
  const workspaceId = useWorkspaceId()
  const list = useInfiniteQuery(decidedFindingsQuery(workspaceId, batchId))
  const findings = list.data?.pages.flatMap((page) => page.findings) ?? []
  return (
    <section>
      <h3>What it decided, by version</h3>
      {list.isPending && <Loading rows={3} />}
      {list.error && <Failure error={list.error} onRetry={() => void list.refetch()} />}
      {findings.length > 0 && (
        <div className={css['frame']}>
          <table className={css['changes']} aria-label="What it decided, by version">
            <thead>
              <tr>
                <th scope="col">Finding</th>
                <th scope="col">Before</th>
                <th scope="col">Decided</th>
              </tr>
            </thead>
            <tbody>
              {findings.map((one) => (
                <tr key={one.findingId}>
                  <th scope="row">
                    <Link
                      to="/w/$workspaceId/findings/$findingId"
                      params={{ workspaceId, findingId: one.findingId }}
                    >
                      {one.cveId}
                    </Link>{' '}
                    {one.firmwareVersion.firmwareName} {one.firmwareVersion.name}
                  </th>
                  <td>{describeState(one.before)}</td>
                  <td>{describeState(one.after)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      <OlderButton list={list} size="small" />
    </section>
  )
}

function describeState({ assessment, ignored }: DecidedFinding['before']): string {
  return `${describeAssessment(assessment)}${ignored ? ', ignored' : ''}`
}
