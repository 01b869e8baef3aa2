import type { Fault } from '../../formats/device-messages/malformed.ts'
import type { DeviceMessage } from '../../formats/device-messages/model.ts'
import type { AppContext, Reaction } from '../../platform/context.ts'

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
  /** For doors that can answer: what of the message is counted and not kept, and why. It may be called more than once. */
  tellNotKept?: (fault: Fault) => void
}

/** Devices that are new or whose tags changed, or that are about to be deleted. */
export interface DevicesChanged {
  workspaceId: string
  deviceIds: readonly string[]
}

export interface ReportBatch {
  workspaceId: string
  /**
   * In the order received. Of each device at most one is stateful (all except metrics, logs and crashes), and its row is
   * locked.
   */
  reports: readonly DeviceReport[]
}

declare module '../../platform/context.ts' {
  interface Reactions {
    /** Devices are new, or their tags changed. */
    devicesTagged: Reaction<DevicesChanged>
    /** Devices are about to be deleted. */
    devicesLeaving: Reaction<DevicesChanged>
    /** Devices reported; their states are stored already. */
    reported: Reaction<ReportBatch>
    /** A question rather than a reaction: the versions in which one of the vulnerabilities is an active finding. */
    listVulnerableVersions: (
      ctx: AppContext,
      asked: { workspaceId: string; cveIds: readonly string[] },
    ) => Promise<string[]>
  }
}
