/** What the colours of the exposure chart mean, and how many devices are of each: each count leads to its devices. */
import { Link } from '@tanstack/react-router'
import { formatCount } from '../../format/counts.ts'
import { useWorkspaceId } from '../../session.ts'
import { type Severity, SeverityBadge } from '../severity.tsx'
import css from './exposure-chart.module.css'
import { LAYERS } from './exposure-rows.ts'

const SEVERITIES: Record<string, Severity> = {
  critical: 'Critical',
  high: 'High',
  medium: 'Medium',
  low: 'Low',
  none: 'None',
  unknown: 'Unknown',
}

const MEANINGS: Record<string, string> = {
  none: 'Devices without an active finding, or with such that have no severity',
  unknown: 'Devices of which nobody can tell: no severity is known, or no SBOM says what they run',
}

interface ExposureLegendProps {
  /** Devices by layer, now. */
  counts: Readonly<Record<string, number>>
  /** Only devices that run a version of it. */
  firmwareId?: string | undefined
}

export function ExposureLegend({ counts, firmwareId }: ExposureLegendProps) {
  const workspaceId = useWorkspaceId()
  return (
    <ul className={css['legend']} aria-label="Devices now, by worst active severity">
      {LAYERS.map(({ id, name }) => (
        <li key={id}>
          <Link
            to="/w/$workspaceId/devices"
            params={{ workspaceId }}
            search={{ worst: id, ...(firmwareId !== undefined && { firmware: firmwareId }) }}
            title={MEANINGS[id] ?? `Devices whose worst active finding is ${name}`}
          >
            <SeverityBadge severity={SEVERITIES[id] ?? 'Unknown'} /> {name}{' '}
            <strong>{formatCount(counts[id] ?? 0)}</strong>
          </Link>
        </li>
      ))}
    </ul>
  )
}

interface VulnerabilityLegendProps {
  cveId: string
  counts: Readonly<Record<string, number>>
  firmwareId?: string | undefined
}

export function VulnerabilityLegend({ cveId, counts, firmwareId }: VulnerabilityLegendProps) {
  const workspaceId = useWorkspaceId()
  return (
    <ul className={css['legend']} aria-label={`Devices now, with ${cveId} and without`}>
      <li>
        <Link
          to="/w/$workspaceId/devices"
          params={{ workspaceId }}
          search={{ cve: cveId, ...(firmwareId !== undefined && { firmware: firmwareId }) }}
          title={`Devices that run an active finding of ${cveId}`}
        >
          <span className={`${css['swatch']} ${css['withIt']}`} aria-hidden="true" /> With it{' '}
          <strong>{formatCount(counts['having'] ?? 0)}</strong>
        </Link>
      </li>
      <li>
        <span className={`${css['swatch']} ${css['withoutIt']}`} aria-hidden="true" /> Others{' '}
        <strong>{formatCount(counts['others'] ?? 0)}</strong>
      </li>
    </ul>
  )
}
