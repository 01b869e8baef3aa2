/** What a higher slice does in the transaction that changes devices. */
import type { AppContext } from '../../platform/context.ts'
import type { Tx } from '../../platform/db/connect.ts'
import type { DeviceReport } from './reports.ts'

export interface DevicesChanged {
  workspaceId: string
  deviceIds: readonly string[]
}

export interface DeviceHooks {
  /** Cohorts' tag rules may take devices in, or let them go: their tags changed, or they are new. */
  tagsChanged: (ctx: HookContext, tx: Tx, changed: DevicesChanged) => Promise<void>
  /** Before they are deleted: what counts them stops to. */
  leaving: (ctx: HookContext, tx: Tx, changed: DevicesChanged) => Promise<void>
}

export type HookContext = Pick<
  AppContext,
  'now' | 'config' | 'log' | 'signingKey' | 'memory' | 'reactions'
>

export interface ReportBatch {
  workspaceId: string
  /**
   * In the order received. Of each device at most one that is stateful (all but metrics and logs), and its row is
   * locked.
   */
  reports: readonly DeviceReport[]
}

/** Stores what concerns it of the reports; content that names nothing is passed over. */
export type ReportListener = (ctx: HookContext, tx: Tx, batch: ReportBatch) => Promise<void>
