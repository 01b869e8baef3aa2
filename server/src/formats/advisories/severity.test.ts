import { expect, it } from 'vitest'
import type { CvssScore } from './model.ts'
import { choosePrimaryScore, decideSeverity, rateScore, parseSeverityWord } from './severity.ts'

const score = (version: string, source: string, baseScore = 5): CvssScore => ({
  version,
  source,
  baseScore,
  baseSeverity: 'MEDIUM',
  vectorString: `${version} ${source}`,
})

it.each`
  scores                                                                              | primary               | because
  ${[score('3.1', 'nvd@nist.gov'), score('4.0', 'acme')]}                             | ${'4.0 acme'}         | ${'the newest version wins'}
  ${[score('2.0', 'nvd@nist.gov'), score('3.0', 'acme')]}                             | ${'3.0 acme'}         | ${'the newest version wins'}
  ${[score('3.1', 'acme'), score('3.1', 'nvd@nist.gov')]}                             | ${'3.1 nvd@nist.gov'} | ${'NVD comes before the CNA'}
  ${[score('3.1', 'CISA-ADP'), score('3.1', 'acme')]}                                 | ${'3.1 acme'}         | ${'the CNA comes before CISA'}
  ${[score('3.1', '134c704f-9b21-4f2e-91b3-4a467353bcc0'), score('3.1', 'acme@a.b')]} | ${'3.1 acme@a.b'}     | ${'the CNA comes before CISA'}
  ${[score('3.1', 'osv:GHSA'), score('3.1', 'CISA-ADP')]}                             | ${'3.1 CISA-ADP'}     | ${'CISA comes before OSV'}
  ${[score('3.1', 'acme', 4), score('3.1', 'bcme', 8)]}                               | ${'3.1 bcme'}         | ${'of equals the higher'}
`(
  'of $scores.length scores the primary is $primary, as $because',
  ({ scores, primary }: { scores: CvssScore[]; primary: string }) => {
    expect(choosePrimaryScore(scores)?.vectorString).toBe(primary)
    expect(choosePrimaryScore(scores.toReversed())?.vectorString).toBe(primary)
  },
)

it.each`
  version  | baseScore | severity
  ${'2.0'} | ${0}      | ${'Low'}
  ${'2.0'} | ${3.9}    | ${'Low'}
  ${'2.0'} | ${6.9}    | ${'Medium'}
  ${'2.0'} | ${10}     | ${'High'}
  ${'3.1'} | ${0}      | ${'None'}
  ${'3.1'} | ${0.1}    | ${'Low'}
  ${'3.1'} | ${4}      | ${'Medium'}
  ${'3.0'} | ${7}      | ${'High'}
  ${'4.0'} | ${9}      | ${'Critical'}
`(
  '$baseScore of CVSS $version is $severity',
  ({
    version,
    baseScore,
    severity,
  }: {
    version: string
    baseScore: number
    severity: string | undefined
  }) => {
    expect(rateScore(version, baseScore)).toBe(severity)
  },
)

it('words count only where there is no score', () => {
  expect(decideSeverity([score('3.1', 'acme', 9.1)], 'Low')).toBe('Critical')
  expect(decideSeverity([], 'Low')).toBe('Low')
  expect(decideSeverity([], undefined)).toBe('Unknown')
})

it.each`
  word            | severity
  ${'MODERATE'}   | ${'Medium'}
  ${'Important'}  | ${'High'}
  ${'negligible'} | ${'Low'}
  ${'untriaged'}  | ${undefined}
`('$word means $severity', ({ word, severity }: { word: string; severity: string | undefined }) => {
  expect(parseSeverityWord(word)).toBe(severity)
})
