import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { AppError, type FieldError } from '../../../platform/errors.ts'
import { RULE_TYPES } from './condition.ts'
import { FREQUENCIES } from '../schedule.ts'
import { type ConditionInput, parseCondition } from './parse.ts'

const METRIC = { metric: 'temperature', operator: 'GreaterThan', threshold: 80 }

const read = (given: Partial<ConditionInput>) =>
  parseCondition({
    type: 'MetricFixedThreshold',
    evaluationFrequency: '5m',
    condition: METRIC,
    ...given,
  })

function faults(given: Partial<ConditionInput>): readonly FieldError[] {
  try {
    read(given)
  } catch (error) {
    if (error instanceof AppError) return error.errors ?? []
    throw error
  }
  return []
}

describe('a condition', () => {
  it.each`
    type                            | given                          | expected
    ${'MetricFixedThreshold'}       | ${METRIC}                      | ${{ ...METRIC, labels: {}, deploymentCohortId: null, aggregation: 'Average', groupBy: 'Device', window: '5m', delaySeconds: 0, onNoData: 'Keep' }}
    ${'NewVulnerabilityFinding'}    | ${{}}                          | ${{ severities: [], knownCisaExploit: false, onlyWhereDevicesRun: false, firmwareIds: [], watches: 'Undecided' }}
    ${'VulnerabilitySourceStale'}   | ${{ sources: ['nvd', 'nvd'] }} | ${{ sources: ['nvd'], olderThan: null }}
    ${'DeviceOffline'}              | ${{ offlineFor: '1h' }}        | ${{ deploymentCohortId: null, tags: [], offlineFor: '1h' }}
    ${'UrgentVulnerabilityFinding'} | ${{ ssvcFrom: 'Act' }}         | ${{ ssvcFrom: 'Act', onlyWhereDevicesRun: true, firmwareIds: [], watches: 'Undecided' }}
    ${'NewCrash'}                   | ${{}}                          | ${{ minimumDevices: 1, newForDays: 7, firmwareIds: [] }}
    ${'CrashRate'}                  | ${{ thresholdPercent: 2 }}     | ${{ thresholdPercent: 2, windowDays: 7, minimumDeviceDays: 50, deploymentCohortId: null, firmwareIds: [] }}
    ${'CertificateEnding'}          | ${{}}                          | ${{ daysBefore: 30, includesDevices: true }}
    ${'OldDeviceKey'}               | ${{}}                          | ${{ olderThanDays: 365, askedForDays: 14, deploymentCohortId: null }}
    ${'SupportEnding'}              | ${{}}                          | ${{ daysBefore: 180, onlyWhereDevicesRun: false }}
    ${'LicenceDenied'}              | ${{}}                          | ${{ outcomes: ['denied'], onlyWhereDevicesRun: false, firmwareIds: [] }}
    ${'ComponentSupportEnding'}     | ${{}}                          | ${{ daysBefore: 90, onlyWhereDevicesRun: true, firmwareIds: [] }}
    ${'DeploymentFailureRate'}      | ${{ thresholdPercent: 10 }}    | ${{ deploymentCohortId: null, thresholdPercent: 10, minimumFinished: 5 }}
  `(
    'of type $type is complete with its defaults',
    ({
      type,
      given,
      expected,
    }: {
      type: ConditionInput['type']
      given: object
      expected: object
    }) => {
      expect(read({ type, condition: given })).toEqual({ type, condition: expected })
    },
  )

  it.each`
    type                            | change                                         | pointer                             | words
    ${'MetricFixedThreshold'}       | ${{ threshold: '80' }}                         | ${'/condition/threshold'}           | ${'must be a number'}
    ${'MetricFixedThreshold'}       | ${{ threshold: Infinity }}                     | ${'/condition/threshold'}           | ${'too large'}
    ${'MetricFixedThreshold'}       | ${{ threshold: null }}                         | ${'/condition/threshold'}           | ${'must be a number'}
    ${'MetricFixedThreshold'}       | ${{ threshold: undefined }}                    | ${'/condition/threshold'}           | ${'is missing'}
    ${'MetricFixedThreshold'}       | ${{ operator: '>' }}                           | ${'/condition/operator'}            | ${'one of GreaterThan'}
    ${'MetricFixedThreshold'}       | ${{ metric: '' }}                              | ${'/condition/metric'}              | ${'between 1 and 128'}
    ${'MetricFixedThreshold'}       | ${{ metric: 'x'.repeat(129) }}                 | ${'/condition/metric'}              | ${'between 1 and 128'}
    ${'MetricFixedThreshold'}       | ${{ window: '0m' }}                            | ${'/condition/window'}              | ${'at least 1m'}
    ${'MetricFixedThreshold'}       | ${{ window: '3650d' }}                         | ${'/condition/window'}              | ${'at most 5h'}
    ${'MetricFixedThreshold'}       | ${{ window: '99999999d' }}                     | ${'/condition/window'}              | ${'such as 5m'}
    ${'MetricFixedThreshold'}       | ${{ window: '301m' }}                          | ${'/condition/window'}              | ${'at most 5h'}
    ${'MetricFixedThreshold'}       | ${{ window: 5 }}                               | ${'/condition/window'}              | ${'such as 5m'}
    ${'MetricFixedThreshold'}       | ${{ window: '5m ' }}                           | ${'/condition/window'}              | ${'such as 5m'}
    ${'MetricFixedThreshold'}       | ${{ delaySeconds: -1 }}                        | ${'/condition/delaySeconds'}        | ${'between 0 and 86400'}
    ${'MetricFixedThreshold'}       | ${{ delaySeconds: 0.5 }}                       | ${'/condition/delaySeconds'}        | ${'an integer'}
    ${'MetricFixedThreshold'}       | ${{ labels: { 'a b': 'c' } }}                  | ${'/condition/labels/a b'}          | ${'not a valid label name'}
    ${'MetricFixedThreshold'}       | ${{ labels: { 'a/b~': 1 } }}                   | ${'/condition/labels/a~1b~0'}       | ${'not a valid label name'}
    ${'MetricFixedThreshold'}       | ${{ labels: { a: 1 } }}                        | ${'/condition/labels/a'}            | ${'must be a string'}
    ${'MetricFixedThreshold'}       | ${{ labels: { a: 'x'.repeat(257) } }}          | ${'/condition/labels/a'}            | ${'256 characters'}
    ${'MetricFixedThreshold'}       | ${{ labels: labelBomb() }}                     | ${'/condition/labels'}              | ${'16 entries'}
    ${'MetricFixedThreshold'}       | ${{ labels: ['a'] }}                           | ${'/condition/labels'}              | ${'object of strings'}
    ${'MetricFixedThreshold'}       | ${{ colour: 'red' }}                           | ${'/condition/colour'}              | ${'not a known field'}
    ${'MetricFixedThreshold'}       | ${{ toString: 'red' }}                         | ${'/condition/toString'}            | ${'not a known field'}
    ${'MetricFixedThreshold'}       | ${{ deploymentCohortId: 5 }}                   | ${'/condition/deploymentCohortId'}  | ${'must be a string'}
    ${'NewVulnerabilityFinding'}    | ${{ severities: ['Awful'] }}                   | ${'/condition/severities/0'}        | ${'one of Critical'}
    ${'NewVulnerabilityFinding'}    | ${{ severities: 'Critical' }}                  | ${'/condition/severities'}          | ${'must be an array'}
    ${'NewVulnerabilityFinding'}    | ${{ onlyWhereDevicesRun: 1 }}                  | ${'/condition/onlyWhereDevicesRun'} | ${'true or false'}
    ${'VulnerabilitySourceStale'}   | ${{ sources: ['usenet'] }}                     | ${'/condition/sources/0'}           | ${'one of'}
    ${'VulnerabilitySourceStale'}   | ${{ olderThan: '31d' }}                        | ${'/condition/olderThan'}           | ${'at most 30d'}
    ${'DeviceOffline'}              | ${{}}                                          | ${'/condition/offlineFor'}          | ${'is missing'}
    ${'DeviceOffline'}              | ${{ offlineFor: '1h', tags: ['', 'b'] }}       | ${'/condition/tags/0'}              | ${'between 1 and 100'}
    ${'UrgentVulnerabilityFinding'} | ${{}}                                          | ${'/condition/ssvcFrom'}            | ${'is missing'}
    ${'NewCrash'}                   | ${{ newForDays: 0 }}                           | ${'/condition/newForDays'}          | ${'1'}
    ${'CrashRate'}                  | ${{}}                                          | ${'/condition/thresholdPercent'}    | ${'is missing'}
    ${'CrashRate'}                  | ${{ thresholdPercent: 2, windowDays: 91 }}     | ${'/condition/windowDays'}          | ${'between 1 and 90'}
    ${'CertificateEnding'}          | ${{ includesDevices: 'no' }}                   | ${'/condition/includesDevices'}     | ${'true or false'}
    ${'OldDeviceKey'}               | ${{ olderThanDays: 0 }}                        | ${'/condition/olderThanDays'}       | ${'integer between 1'}
    ${'SupportEnding'}              | ${{ daysBefore: 1.5 }}                         | ${'/condition/daysBefore'}          | ${'integer between 0'}
    ${'LicenceDenied'}              | ${{ outcomes: [] }}                            | ${'/condition/outcomes'}            | ${'at least one'}
    ${'LicenceDenied'}              | ${{ outcomes: ['allowed'] }}                   | ${'/condition/outcomes/0'}          | ${'must be one of'}
    ${'ComponentSupportEnding'}     | ${{ daysBefore: -1 }}                          | ${'/condition/daysBefore'}          | ${'between 0 and'}
    ${'DeploymentFailureRate'}      | ${{ thresholdPercent: 100 }}                   | ${'/condition/thresholdPercent'}    | ${'between 0 and'}
    ${'DeploymentFailureRate'}      | ${{ thresholdPercent: 5, minimumFinished: 0 }} | ${'/condition/minimumFinished'}     | ${'between 1 and'}
  `(
    'of type $type is refused at $pointer',
    ({
      type,
      change,
      pointer,
      words,
    }: {
      type: ConditionInput['type']
      change: object
      pointer: string
      words: string
    }) => {
      const base = type === 'MetricFixedThreshold' ? METRIC : {}

      const found = faults({ type, condition: { ...base, ...change } })

      expect(found.map((fault) => fault.pointer)).toEqual([pointer])
      expect(found[0]?.detail).toContain(words)
    },
  )

  it.each([null, undefined, 5, 'text', []])('is an object, not %j', (condition) => {
    expect(faults({ condition })).toEqual([{ pointer: '/condition', detail: 'must be an object' }])
  })

  it('has all its faults named at once', () => {
    const condition = { metric: 5, operator: 'x', threshold: 'y', extra: 1 }

    const pointers = faults({ condition }).map(({ pointer }) => pointer)

    expect(pointers.toSorted()).toEqual(
      ['extra', 'metric', 'operator', 'threshold'].map((name) => `/condition/${name}`),
    )
  })

  it.each`
    evaluationFrequency | longest
    ${'1m'}             | ${'1h'}
    ${'1h'}             | ${'60h'}
    ${'1d'}             | ${'30d'}
  `(
    'may look back $longest when it is evaluated every $evaluationFrequency',
    ({ evaluationFrequency, longest }: { evaluationFrequency: string; longest: string }) => {
      const minutes = { h: 60, d: 1440 }[longest.slice(-1)] ?? 1
      const beyond = `${Number(longest.slice(0, -1)) * minutes + 1}m`

      const longestFaults = faults({
        evaluationFrequency,
        condition: { ...METRIC, window: longest },
      })
      const beyondFaults = faults({ evaluationFrequency, condition: { ...METRIC, window: beyond } })

      expect([longestFaults.length, beyondFaults.length]).toEqual([0, 1])
    },
  )

  it('is refused in words or read once and for all, whatever is given', () => {
    const value = fc.oneof(
      fc.jsonValue(),
      fc.constantFrom('Average', 'GreaterThan', '5m', 80, {}, ['Critical'], 'nvd'),
    )
    const known = [
      'metric',
      'operator',
      'threshold',
      'labels',
      'window',
      'severities',
      'sources',
      'offlineFor',
      'thresholdPercent',
      'tags',
    ]
    const condition = fc.oneof(
      fc.jsonValue(),
      fc.dictionary(fc.oneof(fc.constantFrom(...known), fc.string()), value),
    )
    const given = fc.record({
      type: fc.constantFrom(...RULE_TYPES),
      evaluationFrequency: fc.constantFrom(...FREQUENCIES),
      condition,
    })

    fc.assert(
      fc.property(given, (one) => {
        if (faults(one).length > 0) return
        const first = read(one)
        expect(read({ ...one, condition: first.condition })).toEqual(first)
      }),
    )
  })
})

function labelBomb(): Record<string, string> {
  return Object.fromEntries(Array.from({ length: 17 }, (_, at) => [`l${at}`, 'x']))
}
