import { describe, expect, it } from 'vitest'
import { EXIT } from './exit-codes.ts'
import type { Finding } from './findings.ts'
import { isOver, judge, parseThreshold, type Source, sourcesBehind } from './verdict.ts'
import type { Sbom } from './wait.ts'

const NOW = new Date('2026-08-22T12:00:00.000Z')
const daysAgo = (days: number) => new Date(NOW.getTime() - days * 86_400_000).toISOString()

const givenFinding = (differences: Partial<Finding> = {}): Finding => ({
  id: 'finding',
  cveId: 'CVE-2026-1',
  name: 'Overflow',
  componentName: 'busybox',
  componentVersion: '1.36.1',
  severity: 'High',
  assessment: 'NotAssessed',
  ignored: false,
  isKnownCisaExploit: false,
  detectedAt: daysAgo(1),
  cvssScore: 8.1,
  epssScore: null,
  confidence: 'High',
  recheckReason: null,
  affectedDeviceCount: 0,
  ...differences,
})

const givenSbom = (differences: Partial<Sbom> = {}): Sbom => ({
  id: 'sbom',
  fileName: 'image.spdx.json',
  format: 'Spdx3JsonLd',
  specVersion: '3.0.1',
  parsingState: 'Succeeded',
  parsingError: null,
  warnings: [],
  componentCount: 3,
  notMatchedReasons: [],
  sizeBytes: 1,
  sha256: '0',
  createdAt: daysAgo(1),
  vulnerabilitiesParsedAt: daysAgo(1),
  ...differences,
})

const givenSource = (differences: Partial<Source> = {}): Source => ({
  source: 'osv',
  lastAttemptAt: daysAgo(1),
  lastSuccessAt: daysAgo(1),
  recordCount: 1,
  skippedCount: 0,
  lastError: null,
  snapshotAt: null,
  skippedReasons: [],
  notice: null,
  ageSeconds: 86_400,
  isStale: false,
  nextSyncAt: null,
  phase: 'Idle',
  progress: null,
  parts: [],
  ...differences,
})

const judged = (differences: Partial<Parameters<typeof judge>[0]> = {}) =>
  judge({
    sboms: [givenSbom()],
    sources: [givenSource()],
    requiredSources: ['osv'],
    findings: [],
    undecided: { components: 0, records: 0 },
    now: NOW,
    maxSourceAgeDays: 7,
    allowStaleSources: false,
    ...differences,
  })

describe('a threshold', () => {
  it.each([
    ['critical', ['Critical'], false],
    ['high', ['Critical', 'High'], false],
    ['critical,high,kev', ['Critical', 'High'], true],
    ['Low, unknown', ['Critical', 'High', 'Medium', 'Low', 'Unknown'], false],
    ['none', ['Critical', 'High', 'Medium', 'Low', 'None'], false],
    ['unknown', ['Unknown'], false],
    ['kev', [], true],
  ])('of %s counts %j and known exploits: %s', (text, severities, knownExploits) => {
    expect(parseThreshold(text)).toEqual({ severities, knownExploits })
  })

  it.each(['', 'severe', 'high,'])('is not %j', (text) => {
    expect(() => parseThreshold(text)).toThrow('is not a threshold. Use one of: critical, high')
  })

  it.each`
    finding                                                         | expected | because
    ${{ severity: 'High' }}                                         | ${true}  | ${'it is at the threshold'}
    ${{ severity: 'Critical' }}                                     | ${true}  | ${'it is above'}
    ${{ severity: 'Medium' }}                                       | ${false} | ${'it is below'}
    ${{ severity: 'Low', isKnownCisaExploit: true }}                | ${true}  | ${'it is exploited'}
    ${{ ignored: true }}                                            | ${false} | ${'it is ignored'}
    ${{ assessment: 'NotAffected' }}                                | ${false} | ${'a person closed it'}
    ${{ assessment: 'Exploitable' }}                                | ${true}  | ${'a person confirmed it'}
    ${{ confidence: 'Low' }}                                        | ${false} | ${'the match is doubtful'}
    ${{ confidence: 'Low', assessment: 'InTriage' }}                | ${true}  | ${'a person vouches for the doubtful match'}
    ${{ confidence: 'Low', assessment: 'InTriage', ignored: true }} | ${false} | ${'it is ignored all the same'}
  `(
    '$finding counts: $expected, as $because',
    ({ finding, expected }: { finding: Partial<Finding>; expected: boolean }) => {
      expect(isOver(parseThreshold('high,kev'), givenFinding(finding))).toBe(expected)
    },
  )
})

describe('the sources behind a threshold', () => {
  it('are those of advisories, and the catalogue of known exploits where it counts', () => {
    const advisories = ['cvelist', 'nvd', 'osv']

    expect(sourcesBehind(parseThreshold('high'))).toEqual(advisories)
    expect(sourcesBehind(parseThreshold('high,kev'))).toEqual([...advisories, 'kev'])
  })
})

describe('a verdict', () => {
  it('is good where all is known and nothing counts', () => {
    expect(judged()).toEqual({ exitCode: EXIT.ok, reasons: [], warnings: [] })
  })

  it('says how many findings of what severity there are', () => {
    const findings = [
      givenFinding({ severity: 'Critical' }),
      givenFinding({ isKnownCisaExploit: true }),
    ]

    expect(judged({ findings })).toMatchObject({
      exitCode: EXIT.findings,
      reasons: [
        { text: '2 findings over the threshold: 1 Critical, 1 High; 1 known to be exploited.' },
      ],
    })
  })

  it.each([
    ['no SBOM', { sboms: [] }, EXIT.noComponents, 'has no SBOM'],
    [
      'an SBOM without components',
      { sboms: [givenSbom({ componentCount: 0 })] },
      EXIT.noComponents,
      'image.spdx.json has no components',
    ],
    [
      'a failed SBOM',
      { sboms: [givenSbom({ parsingState: 'Failed', parsingError: 'It is a picture.' })] },
      EXIT.sbomFailed,
      'It is a picture.',
    ],
    [
      'a source the service does not list',
      { sources: [] },
      EXIT.sourceStale,
      'osv was never read completely',
    ],
    [
      'a source never read',
      { sources: [givenSource({ lastSuccessAt: null })] },
      EXIT.sourceStale,
      'osv was never read completely',
    ],
    [
      'a source read too long ago',
      { sources: [givenSource({ lastSuccessAt: daysAgo(7.5), lastError: 'HTTP 503' })] },
      EXIT.sourceStale,
      'osv was last read completely 7 days ago (2026-08-15T00:00:00.000Z). Its last error: HTTP 503',
    ],
  ])('is that of %s before that of findings', (_what, facts, exitCode, text) => {
    const verdict = judged({ findings: [givenFinding()], ...facts })

    expect(verdict.exitCode).toBe(exitCode)
    expect(verdict.reasons[0]?.text).toContain(text)
    expect(verdict.reasons.at(-1)?.exitCode).toBe(EXIT.findings)
  })

  it('only warns of old sources where they are allowed', () => {
    const sources = [givenSource({ lastSuccessAt: null })]

    const verdict = judged({ sources, allowStaleSources: true })

    expect(verdict).toMatchObject({ exitCode: EXIT.ok, reasons: [] })
    expect(verdict.warnings).toEqual(['The source osv was never read completely.'])
  })

  it('admits a source as old as allowed', () => {
    expect(judged({ sources: [givenSource({ lastSuccessAt: daysAgo(7) })] }).exitCode).toBe(EXIT.ok)
  })

  it('leaves out sources that have no part in it', () => {
    const sources = [givenSource(), givenSource({ source: 'epss', lastSuccessAt: null })]

    expect(judged({ sources })).toMatchObject({ exitCode: EXIT.ok, warnings: [] })
  })

  it('warns where what was read lately is itself old', () => {
    const sources = [givenSource({ snapshotAt: daysAgo(30) })]

    expect(judged({ sources })).toMatchObject({
      exitCode: EXIT.ok,
      warnings: [`The source osv was read as of ${daysAgo(30)}.`],
    })
  })

  it('warns of what could not be looked up or compared', () => {
    const sboms = [
      givenSbom({
        notMatchedReasons: [
          { reason: 'version missing', count: 2 },
          { reason: 'unknown ecosystem', count: 1 },
        ],
      }),
    ]

    const { warnings, exitCode } = judged({ sboms, undecided: { components: 1, records: 12 } })

    expect(exitCode).toBe(EXIT.ok)
    expect(warnings).toEqual([
      '3 components of image.spdx.json cannot be looked up: version missing (2), unknown ecosystem (1).',
      '12 records could not be compared with 1 component they name; components list --json says why.',
    ])
  })
})
