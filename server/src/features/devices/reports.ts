import type { DeviceMessage } from '../../formats/device-messages/model.ts'

export const DOORS = ['Mqtt', 'Http', 'Ddi'] as const
export type Door = (typeof DOORS)[number]

/** Reports that a door makes on behalf of a device. */
export type ConnectionEvent =
  | { kind: 'connected'; connectionId: string; gatewayId: string }
  | { kind: 'disconnected'; connectionId: string }
  /** The device asked for its desired state or answered a ping, and reported nothing else. */
  | { kind: 'contact' }
  /** hawkBit's configData and feedback. `unconfirmed`: the client stated that it installed them, not that they run. */
  | {
      kind: 'running'
      firmware: readonly { slug: string; version: string }[]
      attributes?: Readonly<Record<string, string>>
      /** Names of attributes that it does not have any more. */
      attributesGone?: readonly string[]
      unconfirmed: boolean
    }

export interface DeviceReport {
  workspaceId: string
  deviceId: string
  door: Door
  /** The user agent of its client. */
  client?: string
  receivedAt: Date
  message: DeviceMessage | ConnectionEvent
}
