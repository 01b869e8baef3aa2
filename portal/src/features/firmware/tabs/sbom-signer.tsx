/** Who signed the document, in its own member or beside it. */
import type { SbomVerification } from '@plimsoll/api-client'
import { useQuery } from '@tanstack/react-query'
import { SbomSignatures } from '../../../components/artifacts/sbom-signatures.tsx'
import { Dot, type Tone } from '../../../components/tag.tsx'
import { Time } from '../../../components/time.tsx'
import { useWorkspaceId } from '../../../session.ts'
import { sbomSignaturesQuery } from '../queries.ts'

interface SbomSignerProps {
  versionId: string
  sbomId: string
}

export function SbomSigner({ versionId, sbomId }: SbomSignerProps) {
  const { data, error } = useQuery(sbomSignaturesQuery(useWorkspaceId(), versionId))
  const found = data?.verifications.find((one) => one.sbomId === sbomId)
  if (error && !data) return <Dot tone="warn">Who signed it could not be read</Dot>
  if (!found) return null
  const { state, reason, signatures } = found
  const { tone, text } = STATES[state]
  const signed = signatures.filter(({ trustedKey }) => trustedKey !== null)
  return (
    <>
      <Dot tone={tone} isHollow={state === 'Checking'}>
        {text}
      </Dot>
      <span>{reason}</span>
      {signed.map(({ scheme, trustedKey, endsAt }) => (
        <span key={`${scheme} ${trustedKey?.id ?? ''}`}>
          {scheme} by {trustedKey?.name}
          {endsAt !== null && (
            <>
              , whose certificate ends <Time at={endsAt} as="date" />
            </>
          )}
        </span>
      ))}
      <SbomSignatures {...found} />
    </>
  )
}

/** Most documents are not signed, which is no fault. */
const STATES: Record<SbomVerification['state'], { tone: Tone; text: string }> = {
  Verified: { tone: 'ok', text: 'Signed by a trusted key' },
  Untrusted: { tone: 'warn', text: 'Signed by no trusted key' },
  NotSigned: { tone: 'muted', text: 'Not signed' },
  Broken: { tone: 'danger', text: 'Signature broken' },
  NotChecked: { tone: 'warn', text: 'Signature could not be checked' },
  Checking: { tone: 'accent', text: 'Signature being checked' },
}
