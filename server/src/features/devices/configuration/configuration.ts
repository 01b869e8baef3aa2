/** Merges reports of a device about its configuration. */
import type { ConfigReport, LogSeverity } from '../../../formats/device-messages/model.ts'

/** Merged from all reports. Fields that were never reported are missing. */
export type ReportedConfiguration = ConfigReport

export interface DesiredConfiguration {
  version: number
  logSeverity: LogSeverity
  /** The newest version that the device has acknowledged. null: none yet. */
  acknowledgedVersion: number | null
  /** Whether it is asked to fetch its next key, and has not used one yet. */
  isAskedForKey: boolean
}

export const LEVELS = ['Device', 'Cohort', 'Workspace'] as const

interface Levels {
  /** The device's own value. */
  logSeverity: LogSeverity | null
  cohort: { logSeverity: LogSeverity | null } | null
  defaultLogSeverity: LogSeverity
}

/** The value in force, and who sets it: the device before its cohort before the workspace. */
export function decideLogLevel({ logSeverity, cohort, defaultLogSeverity }: Levels): {
  level: (typeof LEVELS)[number]
  logSeverity: LogSeverity
} {
  if (logSeverity !== null) return { level: 'Device', logSeverity }
  const ofCohort = cohort?.logSeverity ?? null
  if (ofCohort !== null) return { level: 'Cohort', logSeverity: ofCohort }
  return { level: 'Workspace', logSeverity: defaultLogSeverity }
}

export interface KnownConfiguration {
  reported: ReportedConfiguration | null
  desiredVersion: number
}

/**
 * The reported configuration after the report. undefined: the report has nothing new, or is late, as the device has
 * acknowledged a later version since. An acknowledgement of a version that was never desired is ignored; the rest of its
 * report counts.
 */
export function mergeReport(
  { reported, desiredVersion }: KnownConfiguration,
  report: ConfigReport,
): ReportedConfiguration | undefined {
  const { acknowledgedDesiredConfigurationVersion: acknowledged, ...values } = report
  const before = reported?.acknowledgedDesiredConfigurationVersion ?? 0
  if (acknowledged !== undefined && acknowledged < before) return undefined
  const isTaken = acknowledged !== undefined && acknowledged <= desiredVersion
  const after: ReportedConfiguration = {
    ...reported,
    ...values,
    ...(isTaken && { acknowledgedDesiredConfigurationVersion: acknowledged }),
  }
  return reported && isSame(reported, after) ? undefined : after
}

function isSame(one: ReportedConfiguration, other: ReportedConfiguration): boolean {
  return (
    one.logSeverity === other.logSeverity &&
    one.compiledLogSeverity === other.compiledLogSeverity &&
    one.acknowledgedDesiredConfigurationVersion === other.acknowledgedDesiredConfigurationVersion
  )
}
