import { Link, useParams } from '@tanstack/react-router'
import type { ComponentType } from 'react'
import { findAuditLog } from '../../components/addresses.ts'
import { Page } from '../../components/page.tsx'
import { Empty } from '../../components/states.tsx'
import { TopBar } from '../../components/top-bar.tsx'
import { useWorkspaceId } from '../../session.ts'
import { ApiKeysPart } from './api-keys-part.tsx'
import { MembersPart } from './members-part.tsx'
import css from './settings-page.module.css'
import { SourcesPart } from './sources-part.tsx'
import { TrustedKeysPart } from './trusted-keys-part.tsx'
import { WorkspacePart } from './workspace-part.tsx'

const PARTS: readonly { id: string; name: string; Part: ComponentType }[] = [
  { id: 'workspace', name: 'Workspace', Part: WorkspacePart },
  { id: 'members', name: 'Members', Part: MembersPart },
  { id: 'api-keys', name: 'Keys', Part: ApiKeysPart },
  { id: 'trusted-keys', name: 'Trusted keys', Part: TrustedKeysPart },
  { id: 'sources', name: 'Sources', Part: SourcesPart },
]

export function SettingsPage() {
  const workspaceId = useWorkspaceId()
  const { part: open = 'workspace' } = useParams({ strict: false })
  const found = PARTS.find(({ id }) => id === open)
  return (
    <>
      <TopBar title={found?.name ?? 'Settings'} trail={[<span key="settings">Settings</span>]} />
      <div className={css['split']}>
        <nav className={css['parts']} aria-label="Settings" data-paper="none">
          {PARTS.map(({ id, name }) => (
            <Link
              key={id}
              to="/w/$workspaceId/settings/$part"
              params={{ workspaceId, part: id }}
              className={id === open ? css['open'] : undefined}
              aria-current={id === open ? 'page' : undefined}
            >
              {name}
            </Link>
          ))}
          <Link to="/w/$workspaceId/settings/suppliers" params={{ workspaceId }}>
            Suppliers
          </Link>
          <Link to="/w/$workspaceId/settings/advisories" params={{ workspaceId }}>
            Advisories
          </Link>
          <Link to="/w/$workspaceId/settings/ssvc" params={{ workspaceId }}>
            Urgency (SSVC)
          </Link>
          <Link to="/w/$workspaceId/settings/owners" params={{ workspaceId }}>
            Owners
          </Link>
          <Link {...findAuditLog(workspaceId)}>Audit log</Link>
        </nav>
        <Page isNarrowColumn>
          {found ? <found.Part /> : <Empty title="There is no such part of the settings" />}
        </Page>
      </div>
    </>
  )
}
