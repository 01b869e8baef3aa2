import type { AppContext, Reaction } from '../../platform/context.ts'
import type { DeviceReport } from './reports.ts'

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
