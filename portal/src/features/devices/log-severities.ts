import type { LogSeverity } from './queries.ts'

/** Least first. */
export const LOG_SEVERITIES: readonly LogSeverity[] = [
  'Debug',
  'Info',
  'Warning',
  'Error',
  'Critical',
]
