import { expect, it } from 'vitest'
import { conditionSentence } from './rule-words.ts'

const METRIC = {
  metric: 'temperature',
  labels: {},
  deploymentCohortId: null,
  aggregation: 'Average',
  groupBy: 'Device',
  operator: 'GreaterThan',
  threshold: 80,
  window: '5m',
  delaySeconds: 0,
  onNoData: 'Keep',
} as const

it.each([
  [
    { type: 'MetricFixedThreshold', condition: METRIC },
    'temperature of each device above 80, average of 5m',
  ],
  [
    {
      type: 'MetricPercentualThreshold',
      condition: { ...METRIC, groupBy: 'None', operator: 'LessThan', threshold: -20 },
    },
    'temperature of all devices together: a change below -20 %, average of 5m',
  ],
  [
    {
      type: 'NewVulnerabilityFinding',
      condition: {
        severities: ['Critical'],
        knownCisaExploit: true,
        onlyWhereDevicesRun: true,
        firmwareIds: [],
      },
    },
    'Critical, or known exploited, where devices run it',
  ],
  [
    {
      type: 'DeviceOffline',
      condition: { deploymentCohortId: null, tags: ['lab'], offlineFor: '1h' },
    },
    'not heard of for 1h, tagged lab',
  ],
  [
    { type: 'VulnerabilitySourceStale', condition: { sources: [], olderThan: null } },
    'any source is late by its own rule',
  ],
] as const)('%j reads as what it watches', (rule, words) => {
  expect(conditionSentence(structuredClone(rule) as never)).toBe(words)
})
