/** How far a device is that was asked to replace its key itself, and the request. */
import type { Device } from '@plimsoll/api-client'
import { useQueryClient } from '@tanstack/react-query'
import { Fragment } from 'react'
import { api } from '../../api.ts'
import { Button } from '../../components/button.tsx'
import { Panel } from '../../components/panel.tsx'
import { usePerform } from '../../components/perform.ts'
import { Tag, type Tone } from '../../components/tag.tsx'
import { Time } from '../../components/time.tsx'
import { useMay, useWorkspaceId } from '../../session.ts'
import css from './devices.module.css'

const ROTATION = '/workspaces/{workspaceId}/devices/{deviceId}/key-rotation'

type KeyRotation = NonNullable<Device['keyRotation']>

const TONES: Record<KeyRotation['state'], Tone> = {
  Asked: 'muted',
  Told: 'accent',
  Fetched: 'accent',
  Done: 'ok',
  Unable: 'warn',
}

export function KeyRotationPanel({ device }: { device: Device }) {
  const mayWrite = useMay('Devices: write')
  const { keyRotation } = device
  return (
    <Panel
      title="Replacing its key"
      note={
        keyRotation ? <Tag tone={TONES[keyRotation.state]}>{keyRotation.state}</Tag> : undefined
      }
      aside={mayWrite && <RotationAct device={device} />}
    >
      {keyRotation ? (
        <Standing keyRotation={keyRotation} />
      ) : (
        <p>
          When it is asked, the device fetches its next key itself. Its present one goes on until
          the next one was used.
        </p>
      )}
    </Panel>
  )
}

const STEPS = [
  ['askedAt', 'Asked'],
  ['toldAt', 'Told'],
  ['fetchedAt', 'Fetched'],
  ['doneAt', 'Used first'],
] as const

function Standing({ keyRotation }: { keyRotation: KeyRotation }) {
  return (
    <>
      <p>{keyRotation.standing}</p>
      <dl className={css['registration']}>
        {STEPS.map(([member, title]) => {
          const at = keyRotation[member]
          return (
            at !== null && (
              <Fragment key={member}>
                <dt>{title}</dt>
                <dd>
                  <Time at={at} as="dateTime" />
                  {member === 'askedAt' &&
                    keyRotation.askedByEmail !== null &&
                    ` by ${keyRotation.askedByEmail}`}
                  {member === 'askedAt' && keyRotation.isScheduled && ' for the age of its key'}
                </dd>
              </Fragment>
            )
          )
        })}
      </dl>
    </>
  )
}

function RotationAct({ device: { id, keyRotation } }: { device: Device }) {
  const workspaceId = useWorkspaceId()
  const queryClient = useQueryClient()
  const perform = usePerform('devices')
  const params = { workspaceId, deviceId: id }
  const readKeys = () => queryClient.invalidateQueries({ queryKey: ['device-keys', workspaceId] })
  const ask = async () => {
    await api.post(ROTATION, { params })
    void readKeys()
    return cancel
  }
  const cancel = async () => {
    await api.delete(ROTATION, { params })
    return undefined
  }
  const isOpen = keyRotation !== null && keyRotation.state !== 'Done'
  // A device that fetched its next key may have stored it.
  if (isOpen && keyRotation.fetchedAt !== null) return null
  return isOpen ? (
    <Button
      size="small"
      onClick={() =>
        void perform({
          text: `${id}: asked no more to replace its key`,
          send: async () => {
            await cancel()
            return async () => {
              await ask()
              return undefined
            }
          },
        })
      }
    >
      Ask no more
    </Button>
  ) : (
    <Button
      size="small"
      onClick={() => void perform({ text: `${id}: asked to replace its key`, send: ask })}
    >
      Ask it to replace its key
    </Button>
  )
}
