import type {
  Coverage,
  Sbom,
  VulnerabilityFinding,
  VulnerabilitySource,
} from '../../api-client/src/index.ts'
import { describe, expect, it } from 'vitest'
import { parseNotJudgedLimit } from './coverage.ts'
import { EXIT } from './exit-codes.ts'
import { isOver, judge, parseThreshold, listNeededSources } from './verdict.ts'

const NOW = new Date('2026-08-22T12:00:00.000Z')
const daysAgo = (days: number) => new Date(NOW.getTime() - days * 86_400_000).toISOString()

const CISA = { source: 'cisa' as const, dateAdded: '2026-01-01' }
const ENISA = { source: 'enisa' as const, dateAdded: '2026-01-01' }

const givenFinding = (differences: Partial<VulnerabilityFinding> = {}): VulnerabilityFinding => ({
  id: 'finding',
  cveId: 'CVE-2026-1',
  name: 'Overflow',
  componentName: 'busybox',
  componentVersion: '1.36.1',
  componentSource: null,
  severity: 'High',
  assessment: 'NotAssessed',
  ignored: false,
  isKnownCisaExploit: false,
  exploitedSources: [],
  isDisputed: false,
  assignee: null,
  owners: [],
  isPartlyUnowned: true,
  ssvcOutcome: 'Track',
  ssvcLeastOutcome: 'Track',
  commentCount: 0,
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
  replaces: null,
  componentCount: 3,
  notMatchedReasons: [],
  sizeBytes: 1,
  sha256: '0',
  createdAt: daysAgo(1),
  vulnerabilitiesParsedAt: daysAgo(1),
  failure: null,
  ...differences,
})

const givenSource = (differences: Partial<VulnerabilitySource> = {}): VulnerabilitySource => ({
  source: 'osv',
  lastAttemptAt: daysAgo(1),
  lastSuccessAt: daysAgo(1),
  recordCount: 1,
  skippedCount: 0,
  lastError: null,
  snapshotAt: null,
  skippedReasons: [],
  notice: null,
  requestedAt: null,
  lastRun: null,
  ageSeconds: 86_400,
  isStale: false,
  state: 'Current',
  nextSyncAt: null,
  phase: 'Idle',
  progress: null,
  parts: [],
  ...differences,
})

const givenCoverage = (differences: Partial<Coverage> = {}): Coverage => ({
  sbomCount: 1,
  notMatchedYet: { sbomCount: 0, packageCount: 0 },
  componentCount: 3,
  excludedCount: 0,
  judgedCount: 3,
  notJudgedCount: 0,
  unknownCount: 0,
  reasons: [],
  undecided: { componentCount: 0, recordCount: 0 },
  ...differences,
})

const judged = (differences: Partial<Parameters<typeof judge>[0]> = {}) =>
  judge({
    sboms: [givenSbom()],
    sources: [givenSource()],
    requiredSources: ['osv'],
    findings: [],
    coverage: givenCoverage(),
    maxNotJudged: { count: 50, isPercent: true },
    now: NOW,
    maxSourceAgeDays: 7,
    maxSnapshotAgeDays: undefined,
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
    expect(parseThreshold(text)).toEqual({ severities, knownExploits, outcomes: [] })
  })

  it.each([
    ['act', ['act']],
    ['Track*, kev', ['track*']],
    ['ssvc:Out-of-Cycle', ['Out-of-Cycle']],
  ])('of %s counts outcomes of SSVC: %j', (text, outcomes) => {
    expect(parseThreshold(text)).toMatchObject({ outcomes, severities: [] })
  })

  it.each(['', 'severe', 'high,'])('is not %j', (text) => {
    expect(() => parseThreshold(text)).toThrow('is not a threshold. Use one of: critical, high')
  })

  it.each`
    finding                                                         | expected | because
    ${{ severity: 'High' }}                                         | ${true}  | ${'it is at the threshold'}
    ${{ severity: 'Critical' }}                                     | ${true}  | ${'it is above'}
    ${{ severity: 'Medium' }}                                       | ${false} | ${'it is below'}
    ${{ severity: 'Low', exploitedSources: [CISA] }}                | ${true}  | ${'CISA lists it as exploited'}
    ${{ severity: 'Low', exploitedSources: [ENISA] }}               | ${true}  | ${'ENISA lists it as exploited'}
    ${{ ignored: true }}                                            | ${false} | ${'it is ignored'}
    ${{ assessment: 'NotAffected' }}                                | ${false} | ${'a person closed it'}
    ${{ assessment: 'Exploitable' }}                                | ${true}  | ${'a person confirmed it'}
    ${{ confidence: 'Low' }}                                        | ${false} | ${'the match is doubtful'}
    ${{ confidence: 'Low', assessment: 'InTriage' }}                | ${true}  | ${'a person vouches for the doubtful match'}
    ${{ confidence: 'Low', assessment: 'InTriage', ignored: true }} | ${false} | ${'it is ignored all the same'}
  `(
    '$finding counts: $expected, as $because',
    ({ finding, expected }: { finding: Partial<VulnerabilityFinding>; expected: boolean }) => {
      expect(isOver(parseThreshold('high,kev'), givenFinding(finding))).toBe(expected)
    },
  )
})

describe('the sources behind a threshold', () => {
  it('are those of advisories, and the catalogue of known exploits where it counts', () => {
    const advisories = ['cvelist', 'nvd', 'osv']

    expect(listNeededSources(parseThreshold('high'))).toEqual(advisories)
    expect(listNeededSources(parseThreshold('high,kev'))).toEqual([...advisories, 'kev'])
  })
})

describe('a verdict', () => {
  it('is good where all is known and nothing counts', () => {
    expect(judged()).toEqual({ exitCode: EXIT.ok, reasons: [], warnings: [] })
  })

  it('says how many findings of what severity there are', () => {
    const findings = [
      givenFinding({ severity: 'Critical' }),
      givenFinding({ exploitedSources: [CISA] }),
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

  it('fails while packages are not matched yet, whatever may be not judged', () => {
    const coverage = givenCoverage({ notMatchedYet: { sbomCount: 0, packageCount: 2 } })

    const verdict = judged({ coverage, maxNotJudged: { count: 100, isPercent: true } })

    expect(verdict.exitCode).toBe(EXIT.notJudged)
    expect(verdict.reasons[0]?.text).toContain('Not matched yet: 2 packages.')
  })

  it('warns of what cannot be told, and fails where that is too much', () => {
    const coverage = givenCoverage({
      judgedCount: 5,
      notJudgedCount: 3,
      excludedCount: 1,
      reasons: [
        { reason: 'version missing', count: 2, isExcluded: false },
        { reason: 'unknown ecosystem', count: 1, isExcluded: false },
        { reason: 'scope build', count: 1, isExcluded: true },
      ],
      undecided: { componentCount: 1, recordCount: 12 },
    })
    const gap =
      'Nothing can be told of 3 of 8 components: version missing (2), unknown ecosystem (1).'
    const records =
      '12 records could not be compared with 1 component they name; findings why says why.'

    const tolerated = judged({ coverage })
    const byNumber = judged({ coverage, maxNotJudged: { count: 2, isPercent: false } })
    const byShare = judged({ coverage, maxNotJudged: { count: 25, isPercent: true } })

    expect(tolerated).toMatchObject({ exitCode: EXIT.ok, warnings: [gap, records] })
    expect(byNumber).toMatchObject({
      exitCode: EXIT.notJudged,
      reasons: [{ text: `${gap} --max-not-judged allows 2.` }],
      warnings: [records],
    })
    expect(byShare.exitCode).toBe(EXIT.notJudged)
  })

  it('fails by default where less than half was judged, before it looks at findings', () => {
    const coverage = givenCoverage({ judgedCount: 5, notJudgedCount: 6 })

    const { exitCode } = judged({ coverage, findings: [givenFinding()] })

    expect(exitCode).toBe(EXIT.notJudged)
  })

  it('fails on old data of a source only where an age is given', () => {
    const sources = [givenSource({ snapshotAt: daysAgo(90) })]
    const text = `The source osv is 90 days old: it was read as of ${daysAgo(90)}.`

    expect(judged({ sources })).toMatchObject({ exitCode: EXIT.ok, warnings: [text] })
    expect(judged({ sources, maxSnapshotAgeDays: 30 })).toMatchObject({
      exitCode: EXIT.sourceStale,
      reasons: [{ text }],
      warnings: [],
    })
    expect(judged({ sources, maxSnapshotAgeDays: 100 })).toMatchObject({
      exitCode: EXIT.ok,
      warnings: [],
    })
  })
})

it.each([
  ['10', { count: 10, isPercent: false }],
  ['0', { count: 0, isPercent: false }],
  ['12.5%', { count: 12.5, isPercent: true }],
])('reads the limit %s', (text, expected) => {
  expect(parseNotJudgedLimit(text)).toEqual(expected)
})

it.each(['', '-1', '1.5', '101%', 'half'])('refuses the limit %j', (text) => {
  expect(() => parseNotJudgedLimit(text)).toThrow('Write a number of components')
})
