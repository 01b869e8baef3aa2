/** How the device came, and the keys with which it may connect. */
import type { Device } from '@plimsoll/api-client'
import { useQuery } from '@tanstack/react-query'
import { deviceCrashesQuery } from '../../components/crashes/queries.ts'
import type { ReactNode } from 'react'
import { DeviceKeysPanel } from '../../components/device-keys-panel.tsx'
import { Panel } from '../../components/panel.tsx'
import { Time } from '../../components/time.tsx'
import { useWorkspaceId } from '../../session.ts'
import css from './devices.module.css'
import { DOORS } from './doors.ts'
import { KeyRotationPanel } from './key-rotation.tsx'

export function RegistrationTab({ device }: { device: Device }) {
  const attributes = Object.entries(device.attributes)
  return (
    <div className={css['stack']}>
      <Panel title="Registration">
        <dl className={css['registration']}>
          <dt>Registered</dt>
          <dd>
            <Time at={device.createdAt} as="dateTime" />
          </dd>
          <dt>First heard of</dt>
          <dd>
            {device.firstSeenAt === null ? (
              'never: no message of it arrived yet'
            ) : (
              <Time at={device.firstSeenAt} as="dateTime" />
            )}
          </dd>
          <dt>Speaks</dt>
          <dd>
            {device.door === null ? 'not known yet' : DOORS[device.door]}
            {device.client !== null && ` (${device.client})`}
          </dd>
          {attributes.map(([name, value]) => (
            <Attribute key={name} name={name} value={value}>
              {name === 'reportsCrashes' && <LeftOut deviceId={device.id} />}
            </Attribute>
          ))}
        </dl>
      </Panel>
      <KeyRotationPanel device={device} />
      <DeviceKeysPanel deviceId={device.id} />
    </div>
  )
}

/** What the device or its importer said of it. */
function Attribute({ name, value, children }: AttributeProps) {
  return (
    <>
      <dt>{name}</dt>
      <dd>
        {typeof value === 'string' ? value : JSON.stringify(value)}
        {children}
      </dd>
    </>
  )
}

interface AttributeProps {
  name: string
  value: unknown
  /** What else is known of it. */
  children: ReactNode
}

/** An attribute stays as it was said last. This one holds only in the session that says it. */
function LeftOut({ deviceId }: { deviceId: string }) {
  const { data } = useQuery(deviceCrashesQuery(useWorkspaceId(), deviceId))
  if (!data || data.unknownSince === null) return null
  return (
    <>
      {' '}
      (said before, and left out since <Time at={data.unknownSince} />)
    </>
  )
}
