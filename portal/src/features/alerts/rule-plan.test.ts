import { expect, it } from 'vitest'
import { FIRST_PLAN, ruleOf } from './rule-plan.ts'

it('sends only what the type knows', () => {
  const rule = ruleOf({ ...FIRST_PLAN, type: 'DeviceOffline', name: ' silent ', targets: ['t'] })

  expect(rule).toEqual({
    name: 'silent',
    type: 'DeviceOffline',
    evaluationFrequency: '1m',
    condition: { offlineFor: '1h', tags: [] },
    targets: [{ id: 't' }],
  })
})

it.each([
  { type: 'DeviceOffline', offlineFor: '1 hour' },
  { type: 'MetricFixedThreshold', metric: '' },
  { type: 'MetricFixedThreshold', metric: 'temperature', window: 'x' },
  { type: 'VulnerabilitySourceStale', olderThan: '0d' },
] as const)('is not ready while %j', (lacking) => {
  expect(ruleOf({ ...FIRST_PLAN, ...lacking })).toBeUndefined()
})
