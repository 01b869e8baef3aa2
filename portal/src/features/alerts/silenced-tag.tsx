import type { AlertIncident } from '@plimsoll/api-client'
import { Tag } from '../../components/tag.tsx'
import { Time } from '../../components/time.tsx'

/** Draws nothing where the incident is not silenced. */
export function SilencedTag({ incident }: { incident: Pick<AlertIncident, 'silencedUntil'> }) {
  const { silencedUntil } = incident
  if (silencedUntil === null) return null
  return (
    <Tag tone="warn">
      silenced until <Time at={silencedUntil} as="dateTime" />, tells nobody
    </Tag>
  )
}
