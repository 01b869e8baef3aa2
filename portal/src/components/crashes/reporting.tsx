/** How far a number of crashes can be trusted: devices that do not report them may crash unseen. */
import type { CrashReporting, VersionCrashes } from '@plimsoll/api-client'
import { formatCount, formatCountOf } from '../../format/counts.ts'
import { Tag } from '../tag.tsx'
import css from './crashes.module.css'

/** "From 40 devices that report crashes; 60 do not, and may crash unseen." */
export function Reporting({ of }: { of: CrashReporting }) {
  const isPartial = of.otherDeviceCount > 0 || of.reportingDeviceCount === 0
  return (
    <p className={css['reporting']}>
      {isPartial && (
        <Tag tone="warn">{of.reportingDeviceCount === 0 ? 'not measured' : 'in part'}</Tag>
      )}{' '}
      {describeReporting(of)}{' '}
      {isPartial && (
        <a href="/docs/guide/crashes.html#which-devices-report-crashes">
          Which devices report crashes
        </a>
      )}
    </p>
  )
}

export function describeReporting({
  reportingDeviceCount,
  otherDeviceCount,
  unknownDeviceCount,
}: CrashReporting): string {
  if (reportingDeviceCount + otherDeviceCount === 0)
    return 'No device runs it that could report a crash.'
  const before = describeUnknown(unknownDeviceCount)
  if (reportingDeviceCount === 0)
    return `${formatCountOf(otherDeviceCount, 'device does', 'devices do')} not report crashes, and may crash unseen.${before}`
  const reporting = `From ${formatCountOf(reportingDeviceCount, 'device that reports crashes', 'devices that report crashes')}`
  if (otherDeviceCount === 0) return `${reporting}: all of them.`
  return `${reporting}; ${formatCount(otherDeviceCount)} ${otherDeviceCount === 1 ? 'does' : 'do'} not, and may crash unseen.${before}`
}

/** Of those that do not report crashes. */
function describeUnknown(count: number): string {
  if (count === 0) return ''
  return count === 1
    ? ' One of them did before, and nobody knows whether it still does.'
    : ` ${formatCount(count)} of them did before, and nobody knows whether they still do.`
}

type Obstacle = NonNullable<VersionCrashes['crashGroups'][number]['unknownBecause']>

/** Why nobody can tell whether a crash is new. */
export const NOT_COMPARED: Record<Obstacle, string> = {
  LinesMissing: 'the build has no lines',
  NotMeasured: 'no device with an earlier version reported crashes',
}
