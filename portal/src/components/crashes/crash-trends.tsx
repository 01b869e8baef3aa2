/** Crashes by day: of a kind of crash, and the share of devices that did not crash, by version. */
import type { CrashGroup, CrashGroupDetail, VersionCrashes } from '@plimsoll/api-client'
import { formatCount, formatCountOf } from '../../format/counts.ts'
import { formatCalendarDay } from '../../format/dates.ts'
import { findMax } from '../extremes.ts'
import { Panel } from '../panel.tsx'
import css from './crash-trends.module.css'
import { countMissing, type DayBar, DayBars } from './day-bars.tsx'

const DAY_MS = 86_400_000

const countCrashes = (count: number) => formatCountOf(count, 'crash', 'crashes')

/** The last 14 days, in a list. */
export function RecentCrashes({ counts }: { counts: CrashGroup['recentCounts'] }) {
  const today = Date.now()
  const bars = counts.map((value, at) => ({
    day: new Date(today - (counts.length - 1 - at) * DAY_MS).toISOString().slice(0, 10),
    value,
    text: value === null ? 'not measured' : countCrashes(value),
  }))
  const sum = counts.reduce((total: number, count) => total + (count ?? 0), 0)
  return <DayBars size="small" bars={bars} label={describeBars(countCrashes(sum), bars)} />
}

function describeBars(what: string, bars: readonly DayBar[]): string {
  const missing = countMissing(bars)
  const rest = missing === 0 ? '' : `; ${formatCountOf(missing, 'day')} not measured`
  return `${what} in ${formatCountOf(bars.length, 'day')}${rest}`
}

export function GroupTrend({ days }: Pick<CrashGroupDetail, 'days'>) {
  const bars = days.map(({ day, crashCount, deviceCount, reportingDeviceCount }) => ({
    day,
    value: crashCount === 0 && reportingDeviceCount === 0 ? null : crashCount,
    text:
      crashCount === 0 && reportingDeviceCount === 0
        ? 'not measured: no device that reports crashes was heard from'
        : `${countCrashes(crashCount)} on ${formatCountOf(deviceCount, 'device')}`,
  }))
  const sum = days.reduce((total, { crashCount }) => total + crashCount, 0)
  const most = findMax(days.map(({ crashCount }) => crashCount))
  return (
    <Panel
      title="By day"
      note={`${describeBars(countCrashes(sum), bars)}; the most on a day: ${formatCount(most)}`}
    >
      <DayBars size="large" bars={bars} label={describeBars(countCrashes(sum), bars)} />
      <Axis days={days} />
      <details className={css['table']}>
        <summary>In numbers</summary>
        <table>
          <thead>
            <tr>
              <th scope="col">Day (UTC)</th>
              <th scope="col">Crashes</th>
              <th scope="col">Devices</th>
              <th scope="col">Devices that report crashes</th>
            </tr>
          </thead>
          <tbody>
            {days.toReversed().map((one) => (
              <tr key={one.day}>
                <th scope="row">{formatCalendarDay(one.day)}</th>
                <td>
                  {one.crashCount === 0 && one.reportingDeviceCount === 0
                    ? 'not measured'
                    : formatCount(one.crashCount)}
                </td>
                <td>{formatCount(one.deviceCount)}</td>
                <td>{formatCount(one.reportingDeviceCount)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </details>
    </Panel>
  )
}

function Axis({ days }: { days: readonly { day: string }[] }) {
  const [first, last] = [days[0], days.at(-1)]
  return (
    <p className={css['axis']}>
      {first && <span>{formatCalendarDay(first.day)}</span>}
      {last && <span>{formatCalendarDay(last.day)} (UTC)</span>}
    </p>
  )
}

type Trend = VersionCrashes['trends'][number]

const DAYS = 30

/** Of the days of devices in the last month those without a crash, by version. */
export function CrashFree({ trends }: Pick<VersionCrashes, 'trends'>) {
  if (trends.length === 0) return null
  const crashed = trends.flatMap(({ days }) => days.map(measureCrashed))
  // A share of a percent is seen, and a catastrophe fills the picture.
  const most = Math.max(5, findMax(crashed, 5))
  return (
    <div className={css['free']}>
      <p>
        Devices that crashed, in percent of those that report crashes, by day (UTC), over{' '}
        {formatCountOf(DAYS, 'day')}. The highest bar is {formatPercent(most)}; a dash is a day that
        was not measured.
      </p>
      <ul>
        {trends.map((trend) => (
          <FreeRow key={trend.firmwareVersion.id} trend={trend} most={most} />
        ))}
      </ul>
    </div>
  )
}

const measureCrashed = ({ crashedDeviceCount, reportingDeviceCount }: Trend['days'][number]) =>
  (100 * crashedDeviceCount) / reportingDeviceCount

const formatPercent = (value: number) =>
  `${value.toLocaleString('en', { maximumFractionDigits: value > 99 || value < 1 ? 2 : 1 })} %`

function FreeRow({ trend: { firmwareVersion, days }, most }: { trend: Trend; most: number }) {
  const byDay = new Map(days.map((day) => [day.day, day]))
  const today = Date.now()
  const bars = Array.from({ length: DAYS }, (_, at): DayBar => {
    const day = new Date(today - (DAYS - 1 - at) * DAY_MS).toISOString().slice(0, 10)
    const found = byDay.get(day)
    if (!found) return { day, value: null, text: 'not measured' }
    const { crashedDeviceCount, reportingDeviceCount } = found
    const text = `${formatCount(crashedDeviceCount)} of ${formatCountOf(reportingDeviceCount, 'device')} crashed`
    return { day, value: measureCrashed(found), text }
  })
  const sum = (key: 'crashedDeviceCount' | 'reportingDeviceCount') =>
    days.reduce((total, day) => total + day[key], 0)
  const [crashed, all] = [sum('crashedDeviceCount'), sum('reportingDeviceCount')]
  const free = formatPercent((100 * (all - crashed)) / all)
  return (
    <li>
      <code>{firmwareVersion.name}</code>
      <DayBars
        size="small"
        bars={bars}
        most={most}
        label={describeBars(`${firmwareVersion.name}: ${free} crash-free`, bars)}
      />
      <span>
        <strong>{free}</strong> crash-free, of{' '}
        {formatCountOf(all, 'day of devices', 'days of devices')}
      </span>
    </li>
  )
}
