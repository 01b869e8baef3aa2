/** Whether contacts are told by mail, with how many they are now. */
import { Checkbox } from '@mantine/core'
import type { AdvisoryRecipients } from '@plimsoll/api-client'
import { useQuery } from '@tanstack/react-query'
import { recipientsQuery } from '../../components/advisories/queries.ts'
import { describeFailure } from '../../components/states.tsx'
import { formatCountOf } from '../../format/counts.ts'
import { useWorkspaceId } from '../../session.ts'

interface MailChoiceProps {
  advisoryId: string
  isOn: boolean
  onChange: (isOn: boolean) => void
}

export function MailChoice({ advisoryId, isOn, onChange }: MailChoiceProps) {
  const workspaceId = useWorkspaceId()
  const { data, error } = useQuery(recipientsQuery(workspaceId, advisoryId))
  if (error) return <p role="alert">Who would be told is not known: {describeFailure(error)}</p>
  if (!data) return <p role="status">Counting whom it would tell…</p>
  const told = data.recipients.filter(({ isUnwanted }) => !isUnwanted)
  if (told.length === 0)
    return (
      <p>
        No contact is told by mail: none is named of cohorts or customers whose devices run affected
        versions.
      </p>
    )
  if (!data.sendsMail)
    return (
      <p>
        This service sends no mail: {formatCountOf(told.length, 'contact')} must be told otherwise.
      </p>
    )
  return (
    <Checkbox
      label={describeMails(data)}
      checked={isOn}
      onChange={({ currentTarget }) => onChange(currentTarget.checked)}
    />
  )
}

/** "Mail 14 contacts of 3 cohorts, once each". */
function describeMails({ recipients }: AdvisoryRecipients): string {
  const told = recipients.filter(({ isUnwanted }) => !isUnwanted)
  const reasons = told.flatMap((one) => one.reasons)
  const countOf = (wanted: 'Cohort' | 'Customer') =>
    new Set(reasons.flatMap(({ kind, id }) => (kind === wanted ? [id] : []))).size
  const [cohorts, customers] = [countOf('Cohort'), countOf('Customer')]
  const of = [
    ...(cohorts > 0 ? [formatCountOf(cohorts, 'cohort')] : []),
    ...(customers > 0 ? [formatCountOf(customers, 'customer')] : []),
  ]
  const earlier = told.filter((one) => one.reasons.some(({ kind }) => kind === 'EarlierRevision'))
  const unwanted = recipients.length - told.length
  return [
    `${[`Mail ${formatCountOf(told.length, 'contact')}`, of.join(' and ')].filter(Boolean).join(' of ')}, once each`,
    ...(earlier.length > 0 ? [`${earlier.length} were told of an earlier revision`] : []),
    ...(unwanted > 0 ? [`${unwanted} asked for no more mails and get none`] : []),
  ].join('; ')
}
