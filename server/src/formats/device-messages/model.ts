/** What devices and the service say to each other (docs/guide/device-protocol.md); the same objects behind every door. */

import type { Fault } from './malformed.ts'

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

/** Addresses are hexadecimal, as `0x800abcd`: lower case, without leading zeros. */
export interface DeviceCrash {
  /** What happened, in the words of the device: HardFault, assert, watchdog, SIGSEGV. */
  reason: string
  /** The firmware that crashed; absent: the only one that the device runs. */
  slug?: string
  /** The program counter. */
  pc?: string
  /** The link register. */
  lr?: string
  /** From the innermost call outwards. */
  returnAddresses?: readonly string[]
  /** Where the image was loaded to; absent: the addresses are those of the build. */
  loadAddress?: string
  thread?: string
  buildId?: string
  timestamp?: Date
  /** Counts up within a run: a crash that is sent twice is counted once. */
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
  /** Each crash is read by itself: `faults` names those that are malformed. */
  | {
      kind: 'crashes'
      crashes: readonly DeviceCrash[]
      /** Crashes that could not be read. */
      malformedCount: number
      /** A crash may have several. */
      faults: readonly Fault[]
    }
  | { kind: 'update'; update: UpdateReport }

/** Frequent messages that do not change the row of the device. */
export function isTelemetry({ kind }: { kind: string }): boolean {
  return kind === 'metrics' || kind === 'logs' || kind === 'crashes'
}

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

/** The device is to fetch its next key by POST to `url`, with its present key. */
export interface DesiredKey {
  rotate: true
  url: string
}
