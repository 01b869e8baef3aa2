import type { Device } from '@plimsoll/api-client'
import { Dot } from '../../components/tag.tsx'
import { Time } from '../../components/time.tsx'

/** Whether it is here, or when it was. */
export function Presence({ device }: { device: Pick<Device, 'connected' | 'lastSeenAt'> }) {
  const { connected, lastSeenAt } = device
  if (connected) return <Dot tone="ok">connected</Dot>
  if (lastSeenAt === null)
    return (
      <Dot tone="muted" isHollow>
        never seen
      </Dot>
    )
  return (
    <Dot tone="muted" isHollow>
      seen <Time at={lastSeenAt} />
    </Dot>
  )
}
