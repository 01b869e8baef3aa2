import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useWorkspaceId } from '../../session.ts'

interface RuleLinkProps {
  rule: { id: string; name: string }
  /** In place of its name. */
  children?: ReactNode
}

export function RuleLink({ rule: { id, name }, children = name }: RuleLinkProps) {
  const workspaceId = useWorkspaceId()
  return (
    <Link to="/w/$workspaceId/alerts/rules/$ruleId" params={{ workspaceId, ruleId: id }}>
      {children}
    </Link>
  )
}
