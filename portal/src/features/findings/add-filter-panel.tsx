import { Menu } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { ReactElement } from 'react'
import { useOpenedMenu } from '../../components/menu-button.tsx'
import { type FindingsSearch, SEVERITY_STEPS } from '../../searches.ts'
import { useColleagues } from '../../components/discussion/assignee.tsx'
import { useWorkspaceId } from '../../session.ts'
import { NOBODY, formatOutcome, stepText } from './finding-filters.ts'
import { ssvcQuery } from '../../components/ssvc/queries.ts'

interface AddFilterPanelProps {
  target: ReactElement
  search: FindingsSearch
  onChange: (next: FindingsSearch) => void
}

export default function AddFilterPanel({ target, search, onChange }: AddFilterPanelProps) {
  const colleagues = useColleagues()
  const menu = useOpenedMenu()
  const { data: ssvc } = useQuery(ssvcQuery(useWorkspaceId()))
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
          <Menu.Item key={outcome} onClick={() => onChange({ ssvc: outcome })}>
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
