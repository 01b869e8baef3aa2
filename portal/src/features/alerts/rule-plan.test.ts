import type { AlertRule } from '@plimsoll/api-client'
import { expect, it } from 'vitest'
import { parseDurationMs, FIRST_PLAN, readPlan, writeRule } from './rule-plan.ts'

it('sends only what the type knows', () => {
  const rule = writeRule({ ...FIRST_PLAN, type: 'DeviceOffline', name: ' silent ', targets: ['t'] })

  expect(rule).toEqual({
    name: 'silent',
    description: null,
    type: 'DeviceOffline',
    evaluationFrequency: '1m',
    condition: { offlineFor: '1h', tags: [], deploymentCohortId: null },
    targets: [{ id: 't' }],
    repeatInterval: null,
    notifyResolved: true,
    notifyOwners: false,
  })
})

it.each([
  { type: 'DeviceOffline', offlineFor: '1 hour' },
  { type: 'MetricFixedThreshold', metric: '' },
  { type: 'MetricFixedThreshold', metric: 'temperature', window: 'x' },
  { type: 'MetricFixedThreshold', metric: 'temperature', labels: ['cpu'] },
  { type: 'VulnerabilitySourceStale', olderThan: '0d' },
  { type: 'DeviceOffline', repeatInterval: 'often' },
  { type: 'LicenceDenied', outcomes: [] },
] as const)('is not ready while %j', (lacking) => {
  const plan = {
    ...FIRST_PLAN,
    ...lacking,
    labels: 'labels' in lacking ? [...lacking.labels] : [],
    outcomes: 'outcomes' in lacking ? [...lacking.outcomes] : ['denied'],
  }

  expect(writeRule(plan)).toBeUndefined()
})

const METRIC = {
  metric: 'temperature',
  labels: { sensor: 'a=b' },
  deploymentCohortId: 'pilots',
  aggregation: 'Maximum',
  groupBy: 'None',
  operator: 'LessThanOrEqual',
  threshold: -3.5,
  window: '2h',
  delaySeconds: 600,
  onNoData: 'Fire',
}

it.each([
  ['MetricFixedThreshold', METRIC],
  ['MetricPercentualThreshold', METRIC],
  ['SupportEnding', { daysBefore: 30, onlyWhereDevicesRun: true }],
  ['CertificateEnding', { daysBefore: 30, includesDevices: false }],
  ['OldDeviceKey', { olderThanDays: 90, askedForDays: 3, deploymentCohortId: 'pilots' }],
  ['NewCrash', { minimumDevices: 3, newForDays: 14, firmwareIds: ['f'] }],
  [
    'CrashRate',
    {
      thresholdPercent: 3,
      windowDays: 14,
      minimumDeviceDays: 20,
      deploymentCohortId: 'c',
      firmwareIds: ['f'],
    },
  ],
  [
    'LicenceDenied',
    { outcomes: ['denied', 'unknown'], onlyWhereDevicesRun: false, firmwareIds: ['f'] },
  ],
  [
    'NewVulnerabilityFinding',
    { severities: [], knownCisaExploit: false, onlyWhereDevicesRun: false, firmwareIds: ['f'] },
  ],
  [
    'NewVulnerabilityFinding',
    {
      severities: [],
      knownCisaExploit: false,
      onlyWhereDevicesRun: true,
      firmwareIds: [],
      watches: 'Present',
    },
  ],
  ['DeviceOffline', { offlineFor: '36h', tags: ['lab'], deploymentCohortId: 'pilots' }],
  [
    'DeploymentFailureRate',
    { thresholdPercent: 12.5, minimumFinished: 3, deploymentCohortId: null },
  ],
  ['VulnerabilitySourceStale', { sources: ['nvd'], olderThan: '2d' }],
  ['VulnerabilitySourceStale', { sources: [], olderThan: null }],
] as const)('loses nothing of a %s that is opened and saved again', (type, condition) => {
  const rule = {
    name: 'Watch',
    description: 'Why',
    type,
    evaluationFrequency: '30m',
    condition,
    targets: [{ id: 't', name: 'On call', type: 'Email' }],
    repeatInterval: '4h',
    notifyResolved: false,
    notifyOwners: type === 'NewVulnerabilityFinding',
  }

  expect(writeRule(readPlan(rule as unknown as AlertRule))).toEqual({
    ...rule,
    targets: [{ id: 't' }],
  })
})

it('reads durations', () => {
  expect(['5m', '2h', '7d', ''].map((text) => parseDurationMs(text))).toEqual([
    300_000,
    7_200_000,
    604_800_000,
    Number.NaN,
  ])
})
