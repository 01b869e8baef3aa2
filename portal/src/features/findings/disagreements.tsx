/** Statements that say otherwise than a person has decided, each with the act that accepts it. */
import type { FindingDetail } from '@plimsoll/api-client'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { api } from '../../api.ts'
import { Button } from '../../components/button.tsx'
import { describeAssessment } from '../../components/decision/assessments.ts'
import { describeFailure } from '../../components/states.tsx'
import { formatDate } from '../../format/dates.ts'
import { useMay, useWorkspaceId } from '../../session.ts'
import css from './finding-page.module.css'

type Disagreement = FindingDetail['disagreements'][number]

export function Disagreements({ finding }: { finding: FindingDetail }) {
  const workspaceId = useWorkspaceId()
  const queryClient = useQueryClient()
  const mayDecide = useMay('Vulnerabilities: write')
  const accept = useMutation({
    mutationFn: (statementId: string) =>
      api.post('/workspaces/{workspaceId}/vulnerability-findings/{findingId}/accept-statement', {
        params: { workspaceId, findingId: finding.id },
        body: { statementId },
      }),
    onSuccess: () => queryClient.invalidateQueries(),
  })
  return (
    <>
      {finding.disagreements.map((one) => (
        <div key={one.statementId} className={css['disagreement']}>
          <p>
            <strong>{whoSays(one)}</strong> says “{describeAssessment(one.assessment)}” since{' '}
            {formatDate(one.since)}.
          </p>
          {one.detail !== null && <p>{one.detail}</p>}
          <p className={css['origin']}>{originOf(one)}</p>
          {mayDecide && (
            <Button
              size="small"
              isBusy={accept.isPending && accept.variables === one.statementId}
              onClick={() => accept.mutate(one.statementId)}
            >
              Accept “{describeAssessment(one.assessment)}”
            </Button>
          )}
        </div>
      ))}
      {accept.error && <p role="alert">{describeFailure(accept.error)}</p>}
    </>
  )
}

function whoSays({ statedIn: { author, sbomFileName } }: Disagreement): string {
  return author ?? (sbomFileName === null ? 'A VEX document' : 'An SBOM')
}

/** The document, and who imported it. */
function originOf({ statedIn }: Disagreement): string {
  const { sbomFileName, documentId, importedByEmail } = statedIn
  const by = importedByEmail === null ? '' : `imported by ${importedByEmail}`
  return [sbomFileName ?? documentId ?? '', by].filter((text) => text !== '').join(', ')
}
