/** Whose a finding is, and by which rule. */
import type { FindingDetail } from '@plimsoll/api-client'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useWorkspaceId } from '../../session.ts'
import { usePast } from '../past.ts'
import { describeConditions, nameFirmwares } from './describe-rule.ts'
import { ownerRulesQuery } from './queries.ts'

export function FindingOwner({ of: { owner } }: { of: Pick<FindingDetail, 'owner'> }) {
  const when = usePast() === undefined ? '' : ' now'
  if (!owner)
    return (
      <p>
        Nobody owns it{when}. <RulesLink>Owner rules</RulesLink>
      </p>
    )
  return (
    <p>
      Owned{when} by <strong>{owner.name}</strong>
      {owner.ruleId === null ? (
        ', who looks after the vulnerability.'
      ) : (
        <Rule ruleId={owner.ruleId} />
      )}
    </p>
  )
}

/** Which one it is: the number tells its place in the order. */
function Rule({ ruleId }: { ruleId: string }) {
  const { data } = useQuery(ownerRulesQuery(useWorkspaceId()))
  const place = data?.rules.findIndex(({ id }) => id === ruleId) ?? -1
  const rule = data?.rules[place]
  if (!rule) return ', by a rule.'
  const firmwareNames = nameFirmwares(rule)
  return (
    <>
      , by <RulesLink hash={`rule-${ruleId}`}>rule {place + 1}</RulesLink>:{' '}
      {describeConditions({ ...rule, firmwareNames })}.
    </>
  )
}

function RulesLink({ hash, children }: { hash?: string; children: React.ReactNode }) {
  const workspaceId = useWorkspaceId()
  return (
    <Link
      to="/w/$workspaceId/settings/owners"
      params={{ workspaceId }}
      {...(hash !== undefined && { hash })}
    >
      {children}
    </Link>
  )
}
