/** How far a number of crashes can be trusted: silence of devices that do not report them says nothing. */
import { formatCount } from '../print.ts'

interface Reporting {
  reportingDeviceCount: number
  otherDeviceCount: number
  unknownDeviceCount: number
}

/** "40 devices report crashes; 60 do not, and may crash unseen (2 of them did before)" */
export function describeReporting({
  reportingDeviceCount,
  otherDeviceCount,
  unknownDeviceCount,
}: Reporting): string {
  if (reportingDeviceCount + otherDeviceCount === 0) return 'no device could report a crash'
  const verb = (count: number) => (count === 1 ? 'reports' : 'report')
  const reporting = `${formatCount(reportingDeviceCount, 'device')} ${verb(reportingDeviceCount)} crashes`
  if (otherDeviceCount === 0) return reporting
  const others = `${otherDeviceCount} ${otherDeviceCount === 1 ? 'does' : 'do'} not, and may crash unseen`
  const unknown = unknownDeviceCount === 0 ? '' : ` (${unknownDeviceCount} of them did before)`
  return `${reporting}; ${others}${unknown}`
}

/** Why a crash cannot be compared with those of earlier versions. */
export const OBSTACLES = {
  LinesMissing: 'not compared, as lines of the build are missing',
  NotMeasured: 'not compared, as no device with an earlier version reported crashes',
} as const
