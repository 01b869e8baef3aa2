/** Statements that say otherwise than a person has decided, each with the act that accepts it. */
import type { FindingDetail } from '@plimsoll/api-client'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { api } from '../../api.ts'
import { ConfirmedButton } from '../../components/confirm.tsx'
import { describeAssessment } from '../../components/decision/assessments.ts'
import { formatDate } from '../../format/dates.ts'
import { useMay, useWorkspaceId } from '../../session.ts'
import css from './finding-page.module.css'

type Disagreement = FindingDetail['disagreements'][number]

export function Disagreements({ finding }: { finding: FindingDetail }) {
  const mayDecide = useMay('Vulnerabilities: write')
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
          {mayDecide && <Accept finding={finding} statement={one} />}
        </div>
      ))}
    </>
  )
}

/** The word of a document replaces that of a person, and no batch has a way back from it: so this asks first. */
function Accept({ finding, statement }: { finding: FindingDetail; statement: Disagreement }) {
  const workspaceId = useWorkspaceId()
  const queryClient = useQueryClient()
  const accept = useMutation({
    mutationFn: () =>
      api.post('/workspaces/{workspaceId}/vulnerability-findings/{findingId}/accept-statement', {
        params: { workspaceId, findingId: finding.id },
        body: { statementId: statement.statementId },
      }),
    onSuccess: () => queryClient.invalidateQueries(),
  })
  const assessment = describeAssessment(statement.assessment)
  return (
    <ConfirmedButton
      size="small"
      title={`Accept “${assessment}”?`}
      verb={`Accept “${assessment}”`}
      act={accept}
      what={`1 finding of ${finding.cve.id} then has what ${whoSays(statement)} says, instead of “${describeAssessment(finding.assessment)}”. History keeps both.`}
    >
      Accept “{assessment}”…
    </ConfirmedButton>
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
