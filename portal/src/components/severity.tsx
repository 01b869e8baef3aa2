import { IconFlameFilled } from '@tabler/icons-react'
import css from './severity.module.css'

export type Severity = 'Critical' | 'High' | 'Medium' | 'Low' | 'None' | 'Unknown'

/** Worst first. */
export const SEVERITIES: readonly Severity[] = [
  'Critical',
  'High',
  'Medium',
  'Low',
  'None',
  'Unknown',
]

/** A letter on the colour of the severity; read out as the word. */
export function SeverityBadge({ severity }: { severity: Severity }) {
  const letter = severity === 'Unknown' ? '?' : severity.charAt(0)
  return (
    <span className={`${css['badge']} ${css[severity]}`} title={severity}>
      <span aria-hidden="true">{letter}</span>
      <span className="visually-hidden">{severity}</span>
    </span>
  )
}

export function Exploited({ since }: { since?: string | undefined }) {
  return (
    <span className={css['exploited']}>
      <IconFlameFilled size={13} aria-hidden="true" />
      exploited{since === undefined ? '' : ` since ${since}`}
    </span>
  )
}
