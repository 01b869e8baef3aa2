import { Menu } from '@mantine/core'
import type { FindingCounts, WorkspaceFindingFilter } from '@plimsoll/api-client'
import { useQuery } from '@tanstack/react-query'
import type { ReactElement } from 'react'
import { useOpenedMenu } from '../../components/menu-button.tsx'
import { type FindingsSearch, SEVERITY_STEPS } from '../../searches.ts'
import { useColleagues } from '../../components/discussion/assignee.tsx'
import { ownerRulesQuery } from '../../components/owners/queries.ts'
import { useWorkspaceId } from '../../session.ts'
import { NOBODY, readGroup, stepText } from './finding-filters.ts'
import { countsQuery } from './queries.ts'
import { formatCount } from '../../format/counts.ts'
import { formatOutcome } from '../../components/ssvc/outcome.ts'
import { ssvcQuery } from '../../components/ssvc/queries.ts'

interface AddFilterPanelProps {
  target: ReactElement
  search: FindingsSearch
  /** That of the list: how many rows it would have with each outcome. */
  filter: WorkspaceFindingFilter
  onChange: (next: FindingsSearch) => void
}

export default function AddFilterPanel({ target, search, filter, onChange }: AddFilterPanelProps) {
  const colleagues = useColleagues()
  const menu = useOpenedMenu()
  const workspaceId = useWorkspaceId()
  const { data: owners } = useQuery(ownerRulesQuery(workspaceId))
  const { data: ssvc } = useQuery(ssvcQuery(workspaceId))
  const counted = { group: readGroup(search), filter, chips: ['bySsvc'] as const }
  const { data: counts } = useQuery(countsQuery(workspaceId, counted))
  // All findings have the least urgent one or a more urgent one.
  const outcomes = (ssvc?.outcomes ?? []).slice(1).toReversed()
  return (
    <Menu {...menu}>
      <Menu.Target>{target}</Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>Severity</Menu.Label>
        {SEVERITY_STEPS.map((step) => (
          <Menu.Item key={step} onClick={() => onChange({ severity: step })}>
            {stepText(step)}
          </Menu.Item>
        ))}
        {outcomes.length > 0 && <Menu.Label>SSVC</Menu.Label>}
        {outcomes.map((outcome) => (
          <Menu.Item
            key={outcome}
            rightSection={describeCount(counts?.bySsvc, outcome)}
            onClick={() => onChange({ ssvc: outcome })}
          >
            {formatOutcome(outcome, outcome === outcomes[0])}
          </Menu.Item>
        ))}
        <Menu.Label>Disputes</Menu.Label>
        <Menu.Item onClick={() => onChange({ disputed: 'yes' })}>Only disputed ones</Menu.Item>
        <Menu.Item onClick={() => onChange({ disputed: 'no' })}>Only undisputed ones</Menu.Item>
        <Menu.Label>Devices</Menu.Label>
        <Menu.Item onClick={() => onChange({ devices: '1' })}>Only what devices run</Menu.Item>
        <Menu.Label>Looked after by</Menu.Label>
        {colleagues.map(({ value, name, isMe }) => (
          <Menu.Item key={value} onClick={() => onChange({ assignee: value })}>
            {isMe ? `${name} (you)` : name}
          </Menu.Item>
        ))}
        {(owners?.teams ?? []).map(({ id, name }) => (
          <Menu.Item key={id} onClick={() => onChange({ assignee: id })}>
            {name} (team)
          </Menu.Item>
        ))}
        <Menu.Item onClick={() => onChange({ assignee: NOBODY })}>Nobody</Menu.Item>
        <Menu.Label>Decisions</Menu.Label>
        <Menu.Item onClick={() => onChange({ show: 'active' })} disabled={search.show === 'active'}>
          All active
        </Menu.Item>
        <Menu.Item onClick={() => onChange({ show: 'all' })} disabled={search.show === 'all'}>
          Ignored and settled ones too
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}

/** How many rows the list would have; nothing while that is unknown. */
function describeCount(counts: FindingCounts['bySsvc'] | undefined, outcome: string) {
  const found = counts?.find((one) => one.outcome === outcome)
  if (!found) return undefined
  return `${formatCount(found.totalCount)}${found.totalCountIsLowerBound ? '+' : ''}`
}
