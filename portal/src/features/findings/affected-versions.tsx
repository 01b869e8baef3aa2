import type { FindingDetail, WorkspaceVulnerabilityDetail } from '@plimsoll/api-client'
import { Link } from '@tanstack/react-router'
import { DevicesLink } from '../../components/devices-link.tsx'
import { MarkSign } from '../../components/mark.tsx'
import { PathTree } from '../../components/path-tree.tsx'
import { formatCountOf } from '../../format/counts.ts'
import { useWorkspaceId } from '../../session.ts'
import { describeAssessment } from '../../components/decision/assessments.ts'
import css from './finding-parts.module.css'
import { describeRid } from '../../components/fixes/fix-words.ts'
import type { FindingHere } from './queries.ts'

const SHOWN = 50

/** The versions that have it, those on most devices first; `findingCount`: of all, also those that the answer leaves out. */
export function AffectedVersions({
  findings,
  findingCount,
}: {
  findings: readonly FindingHere[]
  findingCount: number
}) {
  return (
    <>
      <ul className={css['versions']}>
        {findings.slice(0, SHOWN).map((finding) => (
          <VersionRow key={finding.id} finding={finding} />
        ))}
      </ul>
      {findingCount > SHOWN && (
        <p className={css['note']}>and {formatCountOf(findingCount - SHOWN, 'more finding')}</p>
      )}
    </>
  )
}

function VersionRow({ finding }: { finding: FindingHere }) {
  const workspaceId = useWorkspaceId()
  const { id, firmwareVersion, component, assessment, ignored, deviceCount } = finding
  return (
    <li>
      <MarkSign state={firmwareVersion.mark.state} size={20} />
      <Link
        to="/w/$workspaceId/versions/$versionId"
        params={{ workspaceId, versionId: firmwareVersion.id }}
        title={firmwareVersion.mark.sentence}
      >
        <strong>{firmwareVersion.firmware.name}</strong> <code>{firmwareVersion.name}</code>
      </Link>
      <code>
        {component.name} {component.version}
      </code>
      <Link to="/w/$workspaceId/findings/$findingId" params={{ workspaceId, findingId: id }}>
        {ignored ? 'ignored' : describeAssessment(assessment).toLowerCase()}
      </Link>
      <span className="numbers">
        <DevicesLink of={{ version: firmwareVersion.id }} count={deviceCount} />
      </span>
    </li>
  )
}

/** Our versions that are rid of it already. */
interface FixedInProps extends Pick<WorkspaceVulnerabilityDetail, 'fixedIn'> {
  /** A source names a version that fixes it. */
  isFixNamed: boolean
}

export function FixedIn({ fixedIn, isFixNamed }: FixedInProps) {
  const workspaceId = useWorkspaceId()
  return (
    <ul className={css['versions']}>
      {fixedIn.slice(0, SHOWN).map(({ firmwareVersion, line, component }) => (
        <li key={firmwareVersion.id}>
          <MarkSign state={firmwareVersion.mark.state} size={20} />
          <Link
            to="/w/$workspaceId/versions/$versionId"
            params={{ workspaceId, versionId: firmwareVersion.id }}
          >
            <strong>{firmwareVersion.firmware.name}</strong> <code>{firmwareVersion.name}</code>
          </Link>
          <span>
            {line && `Line ${line.name}: `}
            {describeRid([{ component }], isFixNamed)}
          </span>
          <code>{component && `${component.name} ${component.version ?? ''}`}</code>
        </li>
      ))}
    </ul>
  )
}

/** How the component got in. */
export function Paths({ finding }: { finding: FindingDetail }) {
  return <PathTree paths={finding.sboms.flatMap(({ pathsToRoot }) => pathsToRoot)} />
}
