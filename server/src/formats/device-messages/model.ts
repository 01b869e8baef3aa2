/** What devices and the service say to each other (docs/guide/device-protocol.md); the same objects behind every door. */

export const LOG_SEVERITIES = ['Debug', 'Info', 'Warning', 'Error', 'Critical'] as const
export type LogSeverity = (typeof LOG_SEVERITIES)[number]

export interface SessionMessage {
  /** Names one run of the device, from boot to the next; any text, never used again. */
  runId: string
  /** All it runs; what is left out runs no longer. Absent: `buildId` tells. */
  firmware?: readonly { slug: string; version: string }[]
  buildId?: string
  attributes?: Readonly<Record<string, string | number | boolean>>
}

export interface ConfigReport {
  logSeverity?: LogSeverity
  compiledLogSeverity?: LogSeverity
  acknowledgedDesiredConfigurationVersion?: number
}

export interface MetricPoint {
  name: string
  labels?: Readonly<Record<string, string>>
  value?: number
  /** In place of `value`. */
  aggregate?: { sum: number; count: number; min: number; max: number }
  timestamp?: Date
  /** Counts up within a run and series: a point sent twice is stored once. */
  sequence?: number
  runId?: string
}

export interface LogLine {
  severity: LogSeverity
  message: string
  labels?: Readonly<Record<string, string>>
  timestamp?: Date
  sequence?: number
  runId?: string
}

export interface UpdateReport {
  updateId: string
  state: 'inProgress' | 'succeeded' | 'failed'
  /** Percent. */
  progress?: number
  reason?: string
}

export type DeviceMessage =
  | { kind: 'session'; session: SessionMessage }
  | { kind: 'config'; config: ConfigReport }
  | { kind: 'metrics'; points: readonly MetricPoint[] }
  | { kind: 'logs'; lines: readonly LogLine[] }
  | { kind: 'update'; update: UpdateReport }

export interface DesiredConfig {
  version: number
  logSeverity: LogSeverity
}

export interface OfferedArtifact {
  /** Install in this order, counted from 0. */
  order: number
  slug: string
  version: string
  isMain: boolean
  url: string
  /** Bytes. */
  size: number
  sha256: string
  /** undefined: the full image of the version. */
  role?: string
  /** Of a delta: the version it begins with. */
  baseVersion?: string
}

export type DesiredUpdate =
  | { updateId: string; deploymentId: string; artifacts: OfferedArtifact[] }
  | { updateId: string; cancel: true }
