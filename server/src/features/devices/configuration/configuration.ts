/** Which of a device's words about its configuration change what is known of it. */
import type { ConfigReport, LogSeverity } from '../../../formats/device-messages/model.ts'

/** Merged from all reports; what was never reported is missing. */
export type ReportedConfiguration = ConfigReport

export interface DesiredConfiguration {
  version: number
  logSeverity: LogSeverity
  /** The newest version the device has acknowledged; null: none yet. */
  acknowledgedVersion: number | null
}

export interface KnownConfiguration {
  reported: ReportedConfiguration | null
  desiredVersion: number
}

/**
 * What is reported after the report, undefined where it changes nothing: it says nothing new, or it was overtaken, as
 * the device has acknowledged a later version since. An acknowledgement of what was never desired is not taken, the
 * rest of its report is.
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
