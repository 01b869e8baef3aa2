/** The roll-outs of the year. */
import { CRASHES_MORE } from './crashes.ts'
import { CRASHING } from './fleet.ts'
import type { RollOut } from './story.ts'

/** On the first day and the second one: fewer stragglers. */
const TWICE = [
  [0, 0.95],
  [1, 0.96],
] as const

const FULL = 'download stopped: no space left on /data'

const TEN_HOURS = 10 * 3_600
const TWENTY_HOURS = 2 * TEN_HOURS

export const ROLL_OUTS: readonly RollOut[] = [
  { slug: 'display', region: 'all', version: '5.1.0', day: '2025-12-04', rounds: TWICE },
  { slug: 'gateway', region: 'eu', version: '4.0.1', day: '2025-12-15' },
  {
    slug: 'sensor-node',
    region: 'eu',
    version: '1.8.0',
    day: '2025-12-17',
    rounds: TWICE,
  },
  {
    slug: 'sensor-node',
    region: 'us',
    version: '1.8.0',
    day: '2026-01-07',
    rounds: TWICE,
  },
  {
    slug: 'sensor-node',
    region: 'apac',
    version: '1.8.0',
    day: '2026-01-14',
    rounds: TWICE,
  },
  { slug: 'gateway', region: 'eu', version: '4.1.0', day: '2026-01-28' },
  { slug: 'gateway', region: 'us', version: '4.1.0', day: '2026-01-29' },
  { slug: 'gateway', region: 'apac', version: '4.1.0', day: '2026-02-03' },
  { slug: 'display', region: 'all', version: '5.2.0', day: '2026-02-20', rounds: TWICE },
  {
    slug: 'sensor-node',
    region: 'eu',
    version: '1.9.0',
    day: '2026-03-18',
    rounds: TWICE,
  },
  {
    slug: 'sensor-node',
    region: 'us',
    version: '1.9.0',
    day: '2026-03-25',
    rounds: TWICE,
  },
  { slug: 'gateway', region: 'eu', version: '4.2.0', day: '2026-03-23' },
  { slug: 'gateway', region: 'us', version: '4.2.0', day: '2026-04-13' },
  {
    slug: 'gateway',
    region: 'apac',
    version: '4.2.0',
    day: '2026-04-29',
    rounds: [[0, 0.9]],
  },
  { slug: 'gateway', region: 'eu', version: '4.2.1', day: '2026-05-05', failing: 0.01 },
  { slug: 'gateway', region: 'us', version: '4.2.1', day: '2026-05-07', failing: 0.03 },
  {
    slug: 'gateway',
    region: 'apac',
    version: '4.2.1',
    day: '2026-05-12',
    failing: 0.45,
    reason: FULL,
    rounds: [[0, 0.95]],
  },
  { slug: 'display', region: 'all', version: '5.3.0', day: '2026-05-08', rounds: TWICE },
  {
    slug: 'sensor-node',
    region: 'eu',
    version: '2.0.0',
    day: '2026-05-20',
    rounds: TWICE,
  },
  {
    slug: 'sensor-node',
    region: 'us',
    version: '2.0.0',
    day: '2026-05-27',
    rounds: TWICE,
  },
  {
    slug: 'sensor-node',
    region: 'apac',
    version: '2.0.0',
    day: '2026-06-10',
    rounds: TWICE,
  },
  {
    slug: 'gateway',
    region: 'eu',
    version: '4.3.0',
    day: '2026-06-24',
    failing: 0.62,
    reason: 'modem did not register within 300 s; booted the other slot',
    rounds: [
      [0, 0.95],
      [1, 0.9],
    ],
  },
  { slug: 'gateway', region: 'eu', version: '4.3.1', day: '2026-07-08' },
  { slug: 'gateway', region: 'us', version: '4.3.1', day: '2026-07-15' },
  { slug: 'gateway', region: 'eu', version: '4.4.0', day: '2026-09-16' },
  {
    slug: 'sensor-node',
    region: 'eu',
    version: '2.1.0',
    day: '2026-09-24',
    rounds: TWICE,
  },
  { slug: 'gateway', region: 'us', version: '4.4.0', day: '2026-09-30' },
  { slug: 'display', region: 'all', version: '5.4.0', day: '2026-10-06', rounds: TWICE },
  {
    slug: 'sensor-node',
    region: 'us',
    version: '2.1.0',
    day: '2026-10-08',
    rounds: TWICE,
  },
  {
    slug: 'gateway',
    region: 'apac',
    version: '4.4.0',
    day: '2026-10-20',
    failing: 0.45,
    reason: FULL,
    rounds: [
      [0, 0.95],
      [29, 0.9],
    ],
  },
  {
    slug: 'sensor-node',
    region: 'apac',
    version: '2.1.0',
    day: '2026-11-09',
    rounds: [
      [0, 0.9],
      [1, 0.4],
    ],
  },
  {
    slug: CRASHING,
    region: 'eu',
    version: CRASHES_MORE.version,
    day: CRASHES_MORE.day,
    // It crashes (crashes.ts), which the comparison finds on the day after.
    phases: [
      {
        percent: 40,
        waitSeconds: TWENTY_HOURS,
        failureThresholdPercent: 20,
        comparison: { windowSeconds: TWENTY_HOURS, metrics: [], builtIn: ['Crashes'] },
      },
      { percent: 100, failureThresholdPercent: 20 },
    ],
    rounds: TWICE,
  },
  {
    slug: 'gateway',
    region: 'eu',
    version: '4.5.0',
    day: '2026-11-22',
    // The third begins some time before the start (plot.ts), the last ones 5 and 15 minutes after it.
    phases: [
      { percent: 10, waitSeconds: TEN_HOURS, failureThresholdPercent: 20 },
      { percent: 30, waitSeconds: 3_600, failureThresholdPercent: 20 },
      { percent: 60, waitSeconds: 57 * 60, failureThresholdPercent: 20 },
      { percent: 80, waitSeconds: 600, failureThresholdPercent: 20 },
      { percent: 100, failureThresholdPercent: 20 },
    ],
    rounds: [[0, 1]],
  },
]
