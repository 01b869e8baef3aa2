/** What notices say of rules whose series are in firmware versions, or are ends of support. */
import { expect, it } from 'vitest'
import { writeIncidentNotice } from './notice.ts'

const firmwareIds: string[] = []
const SUPPORT = {
  type: 'ComponentSupportEnding' as const,
  condition: { daysBefore: 90, onlyWhereDevicesRun: true, firmwareIds },
}
const LICENCE = {
  type: 'LicenceDenied' as const,
  condition: { outcomes: ['denied' as const], onlyWhereDevicesRun: false, firmwareIds },
}

const ENDING = { daysBefore: 90, onlyWhereDevicesRun: true }

it.each`
  rule       | value | title                                   | item
  ${SUPPORT} | ${12} | ${'Watch: firing on OpenSSL in Sensor'} | ${{ value: '12 d', path: '/w/w1/versions/v1' }}
  ${LICENCE} | ${2}  | ${'Watch: firing on OpenSSL in Sensor'} | ${{ value: '2 components', path: '/w/w1/versions/v1?tab=licences' }}
  ${LICENCE} | ${1}  | ${'Watch: firing on OpenSSL in Sensor'} | ${{ value: '1 component', path: '/w/w1/versions/v1?tab=licences' }}
`(
  'says $item of a rule of the type $rule.type, and leads to the version',
  ({ rule, value, title, item }) => {
    const at = new Date('2026-11-30T10:00:00Z')
    const series = [
      {
        series: 'v1/key',
        label: 'OpenSSL in Sensor',
        value: value as number,
        since: at.toISOString(),
      },
    ]
    const incident = {
      id: 'i1',
      workspaceId: 'w1',
      workspaceName: 'Acme',
      ruleId: 'r1',
      rule: { ...(rule as typeof LICENCE), name: 'Watch' },
      beganAt: at,
      endedAt: null,
      endedCause: null,
      seriesCount: 1,
      firingCount: 1,
      series,
    }

    const notice = writeIncidentNotice(incident, { event: 'Fired', at, names: new Map() })

    expect(notice).toMatchObject({ title: title as string, items: [item] })
  },
)

it.each`
  series                                  | path
  ${'product-line/p1/ended/2026-12-01'}   | ${'/w/w1/product-lines/p1'}
  ${'firmware/f1/ending/2026-12-01'}      | ${'/w/w1/firmware/f1'}
  ${'firmware/f1/release-line/l1/ending'} | ${'/w/w1/firmware/f1'}
`('leads from the end of support $series to the page that states it', ({ series, path }) => {
  const at = new Date('2026-11-30T10:00:00Z')
  const rule = { name: 'Watch', type: 'SupportEnding' as const, condition: ENDING }
  const one = { series: series as string, label: 'product line Pump', value: 2, since: '' }
  const incident = {
    id: 'i1',
    workspaceId: 'w1',
    workspaceName: 'Acme',
    ruleId: 'r1',
    rule,
    beganAt: at,
    endedAt: null,
    endedCause: null,
    seriesCount: 2,
    firingCount: 2,
    series: [one],
  }

  const notice = writeIncidentNotice(incident, { event: 'Fired', at, names: new Map() })

  expect(notice.title).toBe('Watch: firing on 2 support periods')
  expect(notice.items).toMatchObject([{ value: '2 d', path: path as string }])
})
