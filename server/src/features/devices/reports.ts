import type { DeviceMessage } from '../../formats/device-messages/model.ts'

export const DOORS = ['Mqtt', 'Http', 'Ddi'] as const
export type Door = (typeof DOORS)[number]

/** What a gateway notices by itself. */
export type ConnectionEvent =
  | { kind: 'connected'; connectionId: string; gatewayId: string }
  | { kind: 'disconnected'; connectionId: string }
  /** It asked what is desired, or answered a ping, without saying anything else. */
  | { kind: 'contact' }
  /** hawkBit's configData and feedback, in our words; `unconfirmed`: its word that it installed them. */
  | {
      kind: 'running'
      firmware: readonly { slug: string; version: string }[]
      attributes?: Readonly<Record<string, string>>
      /** Names of those it has no longer. */
      attributesGone?: readonly string[]
      unconfirmed: boolean
    }

export interface DeviceReport {
  workspaceId: string
  deviceId: string
  door: Door
  /** What its client calls itself: a user agent. */
  client?: string
  receivedAt: Date
  message: DeviceMessage | ConnectionEvent
}
