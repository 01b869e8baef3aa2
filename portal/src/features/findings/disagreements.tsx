/** Statements that say otherwise than a person has decided, each with the act that accepts it. */
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { api } from '../../api.ts'
import { Button } from '../../components/button.tsx'
import { assessmentText } from '../../components/decision/assessments.ts'
import { failureText } from '../../components/states.tsx'
import { formatDate } from '../../format/dates.ts'
import { useMay, useWorkspaceId } from '../../session.ts'
import type { Finding } from './queries.ts'

type Disagreement = Finding['disagreements'][number]

export function Disagreements({ finding }: { finding: Finding }) {
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
        <p key={one.statementId}>
          {whoSays(one)} says “{assessmentText(one.assessment)}” since {formatDate(one.since)}
          {detailsOf(one)}{' '}
          {mayDecide && (
            <Button isBusy={accept.isPending} onClick={() => accept.mutate(one.statementId)}>
              Accept
            </Button>
          )}
        </p>
      ))}
      {accept.error && <p role="alert">{failureText(accept.error)}</p>}
    </>
  )
}

function whoSays({ statedIn }: Pick<Disagreement, 'statedIn'>): string {
  const { author, documentId, sbomFileName } = statedIn
  const document = sbomFileName ?? documentId
  const who = author ?? (sbomFileName === null ? 'A VEX document' : 'An SBOM')
  return document === null ? who : `${who} (${document})`
}

function detailsOf({ detail, statedIn }: Disagreement): string {
  const by = statedIn.importedByEmail === null ? '' : `, imported by ${statedIn.importedByEmail}`
  return `${by}.${detail === null ? '' : ` ${detail}`}`
}
