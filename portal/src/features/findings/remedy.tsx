import type { FindingDetail, WorkspaceVulnerabilityDetail } from '@plimsoll/api-client'
import { Link } from '@tanstack/react-router'
import { DevicesLink } from '../../components/devices-link.tsx'
import { formatCountOf } from '../../format/counts.ts'
import { formatDate } from '../../format/dates.ts'
import { useWorkspaceId } from '../../session.ts'
import css from './finding-parts.module.css'
import type { FindingHere } from './queries.ts'
import { FixedIn } from './affected-versions.tsx'

/** The fix upstream, which of our versions hold it already, and who still runs others. */
export function Remedy({
  finding,
  vulnerability,
}: {
  finding: FindingDetail
  /** Over all versions. */
  vulnerability?: WorkspaceVulnerabilityDetail
}) {
  const { fixedVersions, knownExploit, component } = finding
  const { fixedIn = [], findings = [] } = vulnerability ?? {}
  const due = knownExploit?.dueDate ?? undefined
  return (
    <div className={css['todo']}>
      {fixedVersions.length > 0 ? (
        <p>
          Fixed upstream: update <strong>{component.name}</strong> to{' '}
          <code>{fixedVersions.join(', ')}</code> or later.
        </p>
      ) : (
        <p>No source names a version that holds the fix.</p>
      )}
      {fixedIn.length > 0 && <FixedIn fixedIn={fixedIn} isFixNamed={fixedVersions.length > 0} />}
      <StillRunning findings={findings} />
      {due !== undefined && <p>CISA asks agencies to act by {formatDate(due)}.</p>}
      {knownExploit?.ransomware === true && <p>Used by ransomware, says CISA.</p>}
    </div>
  )
}

const SHOWN = 5

/** Versions that devices run although the vulnerability is active in them, those on most devices first. */
function StillRunning({ findings }: { findings: readonly FindingHere[] }) {
  const workspaceId = useWorkspaceId()
  const byVersion = new Map(
    findings
      .filter(({ isActive, deviceCount }) => isActive && deviceCount > 0)
      .map(({ firmwareVersion, deviceCount }) => [
        firmwareVersion.id,
        { ...firmwareVersion, deviceCount },
      ]),
  )
  const versions = [...byVersion.values()].toSorted((a, b) => b.deviceCount - a.deviceCount)
  if (versions.length === 0) return null
  return (
    <p>
      Still run:{' '}
      {versions.slice(0, SHOWN).map(({ id, name, firmware, deviceCount }, index) => (
        <span key={id}>
          {index > 0 && ', '}
          <Link to="/w/$workspaceId/versions/$versionId" params={{ workspaceId, versionId: id }}>
            {firmware.name} <code>{name}</code>
          </Link>{' '}
          by <DevicesLink of={{ version: id }} count={deviceCount} />
        </span>
      ))}
      {versions.length > SHOWN && ` and ${formatCountOf(versions.length - SHOWN, 'more version')}`}.
    </p>
  )
}
