/** The versions that have a vulnerability, with what was decided in each, by whom, and who runs it. */
import type { WorkspaceVulnerabilityDetail } from '@plimsoll/api-client'
import { Link } from '@tanstack/react-router'
import { ASSESSMENTS, describeAssessment } from '../../components/decision/assessments.ts'
import { DevicesLink } from '../../components/devices-link.tsx'
import { MarkSign } from '../../components/mark.tsx'
import { Time } from '../../components/time.tsx'
import { formatCountOf } from '../../format/counts.ts'
import { formatDate } from '../../format/dates.ts'
import { useWorkspaceId } from '../../session.ts'
import type { FindingHere } from './queries.ts'
import css from './where-table.module.css'

const SHOWN = 50

export function WhereTable({ data }: { data: WorkspaceVulnerabilityDetail }) {
  const { findings, findingCount, cveId } = data
  const workspaceId = useWorkspaceId()
  const names = new Set(findings.map(({ component }) => component.name))
  const [only] = names.size === 1 ? names : []
  return (
    <>
      <table className={css['table']} aria-label="Versions that have it">
        <thead>
          <tr>
            <th>Version</th>
            <th>{only ?? 'Component'}</th>
            <th>Decision</th>
            <th>Found</th>
            <th className="numbers">Devices</th>
          </tr>
        </thead>
        <tbody>
          {findings.slice(0, SHOWN).map((finding) => (
            <Row key={finding.id} finding={finding} isNamed={only === undefined} />
          ))}
        </tbody>
      </table>
      {findingCount > SHOWN && (
        <p className={css['note']}>
          and {formatCountOf(findingCount - SHOWN, 'more finding')}:{' '}
          <Link
            to="/w/$workspaceId/findings"
            params={{ workspaceId }}
            search={{ show: 'all', group: 'single', q: cveId }}
          >
            all of them
          </Link>
        </p>
      )}
    </>
  )
}

function Row({ finding, isNamed }: { finding: FindingHere; isNamed: boolean }) {
  const workspaceId = useWorkspaceId()
  const { firmwareVersion, component, deviceCount, isActive, detectedAt } = finding
  return (
    <tr className={isActive && deviceCount > 0 ? '' : css['quiet']}>
      <td>
        <MarkSign state={firmwareVersion.mark.state} size={20} />
        <Link
          to="/w/$workspaceId/versions/$versionId"
          params={{ workspaceId, versionId: firmwareVersion.id }}
          title={firmwareVersion.mark.sentence}
        >
          {firmwareVersion.firmware.name} <code>{firmwareVersion.name}</code>
        </Link>
      </td>
      <td>
        <code>
          {isNamed && `${component.name} `}
          {component.version ?? 'no version'}
        </code>
      </td>
      <td>
        <Decision finding={finding} />
      </td>
      <td>{formatDate(detectedAt)}</td>
      <td className="numbers">
        <DevicesLink of={{ version: firmwareVersion.id }} count={deviceCount} />
      </td>
    </tr>
  )
}

function Decision({ finding }: { finding: FindingHere }) {
  const workspaceId = useWorkspaceId()
  const { id, assessment, ignored, decision, recheckReason } = finding
  const tone = ASSESSMENTS.find(({ value }) => value === assessment)?.tone ?? 'muted'
  return (
    <span className={css['decision']}>
      <i className={css[ignored ? 'muted' : tone]} aria-hidden="true" />
      <Link
        to="/w/$workspaceId/findings/$findingId"
        params={{ workspaceId, findingId: id }}
        title={decision?.detail ?? undefined}
      >
        {ignored ? 'Ignored' : describeAssessment(assessment)}
      </Link>{' '}
      {decision && (
        <small>
          {describeDecider(decision)}, <Time at={decision.decidedAt} />
        </small>
      )}
      {recheckReason !== null && <small title={recheckReason}>check again</small>}
    </span>
  )
}

const BY = {
  User: 'somebody',
  ApiKey: 'a key',
  Vex: 'a VEX document',
  Build: 'the build',
  CarriedOver: 'carried over',
  System: 'Plimsoll',
}

/** The person, or what else has decided. */
function describeDecider({ decidedByEmail, source }: NonNullable<FindingHere['decision']>): string {
  return decidedByEmail ?? BY[source]
}
