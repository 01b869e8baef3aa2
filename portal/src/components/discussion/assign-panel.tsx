import type { AssignedVulnerabilities } from '@plimsoll/api-client'
import { Menu } from '@mantine/core'
import type { ReactElement } from 'react'
import { useOpenedMenu } from '../menu-button.tsx'
import { api } from '../../api.ts'
import { formatCount, formatCountOf } from '../../format/counts.ts'
import { useWorkspaceId } from '../../session.ts'
import { usePerform } from '../perform.ts'
import { useColleagues } from './assignee.tsx'
import type { AssignButtonProps, AssignTarget } from './queries.ts'

const PATH = '/workspaces/{workspaceId}/vulnerabilities/bulk-assign'

export default function AssignPanel(props: AssignButtonProps & { target: ReactElement }) {
  const { target, targets, onSent } = props
  const workspaceId = useWorkspaceId()
  const colleagues = useColleagues()
  const perform = usePerform('findings')
  const assign = async (subjectId: string | null, name: string) => {
    // Where that fails, so does what follows, and its notice says why.
    const count = await countChanged(workspaceId, targets, subjectId).catch(() => undefined)
    const isDone = await perform({
      text: describeAssigned(count, name),
      send: () => assignAll(workspaceId, targets, subjectId),
    })
    // Else what is selected can be given to somebody once more.
    if (isDone) onSent()
  }
  const menu = useOpenedMenu()
  return (
    <Menu {...menu} position="bottom-end">
      <Menu.Target>{target}</Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>Who looks after them, in all versions</Menu.Label>
        {colleagues.map(({ value, name, isMe }) => (
          <Menu.Item key={value} onClick={() => void assign(value, name)}>
            {isMe ? `${name} (you)` : name}
          </Menu.Item>
        ))}
        <Menu.Divider />
        <Menu.Item onClick={() => void assign(null, 'nobody')}>Nobody</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}

/** Undefined: it is not known how many. */
function describeAssigned(count: number | undefined, name: string): string {
  if (count === undefined) return `The selected vulnerabilities: ${name} looks after them`
  const those = formatCountOf(count, 'vulnerability', 'vulnerabilities')
  return `${those}: ${name} looks after ${count === 1 ? 'it' : 'them'}`
}

/** How many would change: the notice says so before it is done. */
async function countChanged(
  workspaceId: string,
  targets: readonly AssignTarget[],
  subjectId: string | null,
): Promise<number> {
  let count = 0
  for (const target of targets) {
    const body = { ...target, subjectId, dryRun: true }
    count += (await api.post(PATH, { params: { workspaceId }, body })).changed
  }
  return count
}

/** Answers with the way back: each to whoever had it, but for what was given on since. */
async function assignAll(
  workspaceId: string,
  targets: readonly AssignTarget[],
  subjectId: string | null,
) {
  const params = { workspaceId }
  const replaced: AssignedVulnerabilities['replaced'] = []
  for (const target of targets) {
    const answer = await api.post(PATH, { params, body: { ...target, subjectId } })
    for (const group of answer.replaced) replaced.push(group)
  }
  return async () => {
    let left = 0
    for (const { assignee, cveIds } of replaced) {
      const body = {
        cveIds,
        subjectId: assignee?.subjectId ?? null,
        onlySubjectId: subjectId,
      }
      left += cveIds.length - (await api.post(PATH, { params, body })).changed
    }
    return left === 0 ? undefined : `${formatCount(left)} stayed: somebody has given them on since.`
  }
}
