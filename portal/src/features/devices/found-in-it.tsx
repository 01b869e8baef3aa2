import type { Device, WorkspaceFinding } from '@plimsoll/api-client'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { findVulnerabilityPage } from '../../components/addresses.ts'
import { ListPanel } from '../../components/list-panel.tsx'
import { Exploited, SeverityBadge } from '../../components/severity.tsx'
import { Empty } from '../../components/states.tsx'
import { useWorkspaceId } from '../../session.ts'
import css from './devices.module.css'
import { worstFindingsQuery } from './queries.ts'

/** The worst of what is active in the versions that it runs. */
export function FoundInIt({ device }: { device: Device }) {
  const workspaceId = useWorkspaceId()
  const versions = device.firmware.flatMap(({ firmwareVersion }) => firmwareVersion ?? [])
  const query = useQuery({
    ...worstFindingsQuery(
      workspaceId,
      versions.map(({ id }) => id),
    ),
    enabled: versions.length > 0,
  })
  if (versions.length === 0) return null
  return (
    <ListPanel
      query={query}
      rows={query.data?.findings}
      loadingRows={3}
      title="Exposure"
      note="active findings of what it runs, by risk"
      aside={versions.map(({ id, name }) => (
        <Link
          key={id}
          to="/w/$workspaceId/versions/$versionId"
          params={{ workspaceId, versionId: id }}
        >
          All of {name}
        </Link>
      ))}
      empty={
        <Empty title="Nothing is found in it">
          No active finding is in what it runs, as far as its components could be looked up.
        </Empty>
      }
    >
      {(findings) => (
        <ul className={css['found']}>
          {findings.map((finding) => (
            <FoundRow key={`${finding.cveId} ${finding.packageId}`} finding={finding} />
          ))}
        </ul>
      )}
    </ListPanel>
  )
}

function FoundRow({ finding }: { finding: WorkspaceFinding }) {
  const workspaceId = useWorkspaceId()
  const { severity, cveId, name, componentName, componentVersion, isKnownCisaExploit } = finding
  const { componentSource } = finding
  return (
    <li>
      <SeverityBadge severity={severity} />
      <Link {...findVulnerabilityPage(workspaceId, cveId)}>
        <code>{cveId}</code>
      </Link>
      <span>{name}</span>
      <span>
        {componentName} {componentVersion}
        {componentSource ? `, of ${componentSource}` : null}
      </span>
      <span>{isKnownCisaExploit && <Exploited />}</span>
    </li>
  )
}
