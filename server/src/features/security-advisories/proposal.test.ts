/** What a draft says of each version: only what follows from decisions. */
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { ASSESSMENTS } from '../../formats/assessments.ts'
import {
  joinNames,
  type KnownFinding,
  type KnownVersion,
  proposeVulnerabilities,
} from './proposal.ts'

const CVE = 'CVE-2026-0001'
const version = (index: number, more: Partial<KnownVersion> = {}): KnownVersion => ({
  firmwareVersionId: `v${index}`,
  firmwareId: 'gateway',
  firmware: 'Gateway',
  version: `1.${index}`,
  manufacturer: '',
  productLine: null,
  purl: null,
  cpe: null,
  lineId: null,
  createdAt: new Date(Date.UTC(2026, 0, 1 + index)),
  hasComponents: true,
  securityOnly: null,
  ...more,
})
const finding = (index: number, more: Partial<KnownFinding> = {}): KnownFinding => ({
  firmwareVersionId: `v${index}`,
  vulnerabilityId: CVE,
  component: 'busybox 1.36',
  isUncertain: false,
  assessment: 'NotAssessed',
  ...more,
})

function propose(
  versions: readonly KnownVersion[],
  findings: readonly KnownFinding[],
  more: { isConfirmed?: boolean; namedIds?: ReadonlySet<string> } = {},
) {
  const [one] = proposeVulnerabilities({
    vulnerabilities: [
      { id: CVE, title: 'A flaw', isKnownExploit: false, cvssVector: null, cweId: null },
    ],
    versions,
    findings,
    isConfirmed: false,
    namedIds: new Set(),
    ...more,
  })
  const statuses = new Map(one?.statuses.map((each) => [each.firmwareVersionId, each.status]))
  return { statuses, remediations: one?.remediations ?? [] }
}

it.each`
  assessments                       | isUncertain | isConfirmed | status                  | because
  ${['Exploitable', 'NotAffected']} | ${false}    | ${false}    | ${'KnownAffected'}      | ${'one component is exploitable'}
  ${['NotAssessed', 'NotAffected']} | ${false}    | ${false}    | ${'UnderInvestigation'} | ${'nobody decided about one'}
  ${['InTriage']}                   | ${false}    | ${true}     | ${'KnownAffected'}      | ${'the case says that it can be exploited'}
  ${['NotAffected', 'Resolved']}    | ${false}    | ${false}    | ${'Fixed'}              | ${'one was resolved'}
  ${['FalsePositive']}              | ${false}    | ${true}     | ${'KnownNotAffected'}   | ${'all were decided so'}
  ${['NotAssessed']}                | ${true}     | ${true}     | ${undefined}            | ${'an uncertain match says nothing'}
  ${['Exploitable']}                | ${true}     | ${false}    | ${'KnownAffected'}      | ${'somebody confirmed it'}
`('says $status, as $because', ({ assessments, isUncertain, isConfirmed, status }) => {
  const findings = (assessments as KnownFinding['assessment'][]).map((assessment) =>
    finding(0, { assessment, isUncertain: isUncertain as boolean }),
  )

  const { statuses } = propose([version(0)], findings, { isConfirmed: isConfirmed as boolean })

  expect(statuses.get('v0')).toBe(status)
})

it('says of a version that people named what they know, although nothing is found in it', () => {
  const named = { namedIds: new Set(['v0']) }

  expect(propose([version(0), version(1)], [], named).statuses).toEqual(
    new Map([
      ['v0', 'UnderInvestigation'],
      ['v1', 'Fixed'],
    ]),
  )
  expect(propose([version(0)], [], { ...named, isConfirmed: true }).statuses.get('v0')).toBe(
    'KnownAffected',
  )
})

it('tells users of each release line to update within it, and nobody to go back', () => {
  const versions = [
    version(0, { lineId: 'lts' }),
    version(1, { lineId: 'new' }),
    version(2, { lineId: 'lts' }),
    version(3, { lineId: 'lts' }),
  ]

  const { remediations } = propose(versions, [finding(0), finding(1), finding(3)])

  expect(remediations).toEqual([
    { kind: 'VendorFix', details: 'Update to Gateway 1.2.', url: null, firmwareVersionIds: ['v0'] },
  ])
})

it.each`
  securityOnly | details
  ${true}      | ${'Update to Gateway 1.1. It mends security alone and brings no features.'}
  ${false}     | ${'Update to Gateway 1.1.'}
  ${null}      | ${'Update to Gateway 1.1.'}
`('says of a fix with security only $securityOnly: $details', ({ securityOnly, details }) => {
  const fix = version(1, { securityOnly: securityOnly as boolean | null })

  const { remediations } = propose([version(0), fix], [finding(0)])

  expect(remediations).toMatchObject([{ details: details as string }])
})

const histories = fc.array(
  fc.record({
    hasComponents: fc.boolean(),
    found: fc.array(
      fc.record({
        assessment: fc.constantFrom(...ASSESSMENTS),
        isUncertain: fc.boolean(),
      }),
      { maxLength: 2 },
    ),
  }),
  { maxLength: 6 },
)

it('never calls a version fixed or unaffected that nobody decided about, or of which nothing is known', () => {
  fc.assert(
    fc.property(histories, fc.boolean(), (history, isConfirmed) => {
      const versions = history.map(({ hasComponents }, index) => version(index, { hasComponents }))
      const findings = history.flatMap(({ found }, index) =>
        found.map((one) => finding(index, one)),
      )

      const { statuses } = propose(versions, findings, { isConfirmed })

      for (const [index, { found, hasComponents }] of history.entries()) {
        const status = statuses.get(`v${index}`)
        const isOpen = found.some(({ assessment }) =>
          ['NotAssessed', 'InTriage', 'Exploitable'].includes(assessment),
        )
        if (isOpen) expect(['Fixed', 'KnownNotAffected']).not.toContain(status)
        if (found.length === 0 && !hasComponents) expect(status).toBeUndefined()
      }
    }),
  )
})

it.each`
  names                               | text
  ${['Gateway', 'Gateway', 'Sensor']} | ${'Gateway, Sensor'}
  ${['A', 'B', 'C', 'D', 'E']}        | ${'A, B, C and 2 more'}
`('joins $names to $text', ({ names, text }) => {
  expect(joinNames(names as string[])).toBe(text)
})
