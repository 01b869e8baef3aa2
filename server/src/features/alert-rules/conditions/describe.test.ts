import { expect, it } from 'vitest'
import type { RuleType } from './condition.ts'
import { describeCondition, describeDuration, formatElapsed, formatNumber } from './describe.ts'
import { parseCondition } from './parse.ts'

const NAMES = new Map([
  ['c1', 'Field test'],
  ['f1', 'Gateway'],
  ['f2', 'Sensor'],
])
const METRIC = { metric: 'temperature', operator: 'GreaterThan', threshold: 80 }

it.each`
  type                            | condition                                                                                                        | words
  ${'MetricFixedThreshold'}       | ${METRIC}                                                                                                        | ${'Average of temperature over 5 minutes is above 80, on each device'}
  ${'MetricFixedThreshold'}       | ${{ ...METRIC, groupBy: 'None', aggregation: 'Sum', operator: 'LessThanOrEqual' }}                               | ${'Sum of temperature over 5 minutes is at or below 80, over all devices'}
  ${'MetricFixedThreshold'}       | ${{ ...METRIC, labels: { sensor: 'cpu', core: '0' }, deploymentCohortId: 'c1' }}                                 | ${'Average of temperature where sensor is cpu and core is 0 over 5 minutes is above 80, on each device of the cohort Field test'}
  ${'MetricFixedThreshold'}       | ${{ ...METRIC, window: '1h', aggregation: 'Count', deploymentCohortId: 'gone' }}                                 | ${'Number of points of temperature over 1 hour is above 80, on each device of a cohort that is gone'}
  ${'MetricPercentualThreshold'}  | ${{ ...METRIC, operator: 'LessThan', threshold: -20 }}                                                           | ${'Average of temperature over 5 minutes, as a change against the 5 minutes before, is below −20 %, on each device'}
  ${'NewVulnerabilityFinding'}    | ${{}}                                                                                                            | ${'A finding is new in a firmware version, until somebody decides on it'}
  ${'NewVulnerabilityFinding'}    | ${{ severities: ['Critical', 'High'], knownCisaExploit: true, onlyWhereDevicesRun: true }}                       | ${'A finding of severity Critical or High or known to be exploited is new in a firmware version that devices run, until somebody decides on it'}
  ${'NewVulnerabilityFinding'}    | ${{ firmwareIds: ['f1', 'f2'] }}                                                                                 | ${'A finding is new in a firmware version of Gateway or Sensor, until somebody decides on it'}
  ${'NewVulnerabilityFinding'}    | ${{ watches: 'Present' }}                                                                                        | ${'A finding is new in a firmware version, until it is closed or gone'}
  ${'VulnerabilitySourceStale'}   | ${{}}                                                                                                            | ${'A vulnerability source was not updated for longer than the service allows'}
  ${'VulnerabilitySourceStale'}   | ${{ sources: ['nvd', 'kev'], olderThan: '2d' }}                                                                  | ${'The vulnerability source nvd or kev was not updated for 2 days'}
  ${'ComponentSupportEnding'}     | ${{}}                                                                                                            | ${'The support of a component in a firmware version that devices run ends within 90 days'}
  ${'UrgentVulnerabilityFinding'} | ${{ ssvcFrom: 'Act', firmwareIds: ['f1'] }}                                                                      | ${'A finding in a firmware version of Gateway that devices run is Act or more urgent by SSVC, until somebody decides on it'}
  ${'ComponentSupportEnding'}     | ${{ daysBefore: 0, onlyWhereDevicesRun: false, firmwareIds: ['f1'] }}                                            | ${'The support of a component in a firmware version of Gateway has ended'}
  ${'SupportEnding'}              | ${{}}                                                                                                            | ${'The support of a product line, a release line or a firmware ends within 180 days'}
  ${'NewCrash'}                   | ${{}}                                                                                                            | ${'A firmware version crashes as no earlier one did, first seen within 7 days'}
  ${'NewCrash'}                   | ${{ minimumDevices: 3, newForDays: 1 }}                                                                          | ${'A firmware version crashes on at least 3 devices as no earlier one did, first seen within 1 day'}
  ${'CrashRate'}                  | ${{ thresholdPercent: 2 }}                                                                                       | ${'Devices with a firmware version crash on more than 2 % of their days within 7 days, once 50 days of devices are known'}
  ${'CrashRate'}                  | ${{ thresholdPercent: 0.5, windowDays: 1, minimumDeviceDays: 9, deploymentCohortId: 'c1', firmwareIds: ['f1'] }} | ${'Devices of the cohort Field test with a firmware version of Gateway crash on more than 0.5 % of their days today, once 9 days of devices are known'}
  ${'CertificateEnding'}          | ${{}}                                                                                                            | ${'A trusted certificate, an issuer of device certificates or the certificate of a device ends within 30 days'}
  ${'CertificateEnding'}          | ${{ daysBefore: 0, includesDevices: false }}                                                                     | ${'A trusted certificate or an issuer of device certificates has ended'}
  ${'OldDeviceKey'}               | ${{}}                                                                                                            | ${'A key of a device, or of all devices, is older than 365 days, or a device was asked 14 days ago to replace its key and goes on with the old one'}
  ${'OldDeviceKey'}               | ${{ olderThanDays: 1, askedForDays: 1, deploymentCohortId: 'c1' }}                                               | ${'A key of a device of the cohort Field test is older than 1 day, or a device of the cohort Field test was asked 1 day ago to replace its key and goes on with the old one'}
  ${'SupportEnding'}              | ${{ daysBefore: 0, onlyWhereDevicesRun: true }}                                                                  | ${'The support of a product line, a release line or a firmware that devices run has ended'}
  ${'LicenceDenied'}              | ${{}}                                                                                                            | ${'The licence of a component in a firmware version that devices run, or in the newest of a line, is denied'}
  ${'LicenceDenied'}              | ${{ outcomes: ['denied', 'unknown', 'notListed'], onlyWhereDevicesRun: true, firmwareIds: ['f1'] }}              | ${'The licence of a component in a firmware version of Gateway that devices run is denied, unknown or in no list'}
  ${'DeviceOffline'}              | ${{ offlineFor: '1h' }}                                                                                          | ${'A device was not heard from for 1 hour'}
  ${'DeviceOffline'}              | ${{ offlineFor: '90m', tags: ['a', 'b'], deploymentCohortId: 'c1' }}                                             | ${'A device tagged a and b of the cohort Field test was not heard from for 90 minutes'}
  ${'DeploymentFailureRate'}      | ${{ thresholdPercent: 12.5 }}                                                                                    | ${'More than 12.5 % of updates fail in a deployment, once 5 devices have finished, or it stops itself'}
  ${'DeploymentFailureRate'}      | ${{ thresholdPercent: 10, minimumFinished: 1, deploymentCohortId: 'c1' }}                                        | ${'More than 10 % of updates fail in a deployment of the cohort Field test, once 1 device has finished, or it stops itself'}
`(
  'says $words',
  ({ type, condition, words }: { type: RuleType; condition: object; words: string }) => {
    const rule = parseCondition({ type, evaluationFrequency: '5m', condition })

    expect(describeCondition(rule, NAMES)).toBe(words)
  },
)

it.each`
  value          | words
  ${0}           | ${'0'}
  ${-3}          | ${'−3'}
  ${81.23456789} | ${'81.2346'}
  ${1 / 3}       | ${'0.333333'}
  ${1e21}        | ${'1e+21'}
  ${123456789}   | ${'123456789'}
`('writes $value as $words', ({ value, words }: { value: number; words: string }) => {
  expect(formatNumber(value)).toBe(words)
})

it.each`
  ms            | words
  ${0}          | ${'less than a minute'}
  ${60_000}     | ${'1 minute'}
  ${3_900_000}  | ${'1 hour 5 minutes'}
  ${86_400_000} | ${'1 day'}
  ${93_720_000} | ${'1 day 2 hours'}
`('says $ms ms as $words', ({ ms, words }: { ms: number; words: string }) => {
  expect(formatElapsed(ms)).toBe(words)
})

it('says lengths in the unit they were given in', () => {
  expect(['1m', '90m', '1h', '7d'].map(describeDuration)).toEqual([
    '1 minute',
    '90 minutes',
    '1 hour',
    '7 days',
  ])
})
