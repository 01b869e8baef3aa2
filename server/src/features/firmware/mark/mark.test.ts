import { expect, it } from 'vitest'
import { type MarkFacts, decideMark, listMarkReasons } from './mark.ts'

const CLEAR: MarkFacts = {
  exploited: 0,
  undecidedCritical: 0,
  undecidedHigh: 0,
  unknownSeverity: 0,
  judgedComponents: 10,
  silentComponents: 0,
  sboms: 1,
  pendingSboms: 0,
  failedSboms: 0,
  isSynced: true,
}

const SUPPORTED = {
  rule: 'NotEnded',
  ended: 0,
  endingBeforePromise: 0,
  isKnown: true,
  hasPromise: false,
} as const

it.each`
  facts                                                               | sentence
  ${{}}                                                               | ${'Clear: nothing undecided of High or above'}
  ${{ undecidedHigh: 1200 }}                                          | ${'To decide: 1,200 High without a decision'}
  ${{ exploited: 2 }}                                                 | ${'Overloaded: 2 known exploited'}
  ${{ undecidedCritical: 1, exploited: 1 }}                           | ${'Overloaded: 1 known exploited, 1 Critical without a decision'}
  ${{ sboms: 0 }}                                                     | ${'Unknown: no SBOM'}
  ${{ sboms: 2, failedSboms: 1, undecidedHigh: 1 }}                   | ${'Unknown: 1 SBOM could not be read'}
  ${{ sboms: 2, pendingSboms: 2 }}                                    | ${'Unknown: 2 SBOMs still being read'}
  ${{ judgedComponents: 297, silentComponents: 3 }}                   | ${'Unknown: nothing can be told of 3 of 300 components'}
  ${{ silentComponents: 3, undecidedHigh: 2 }}                        | ${'To decide: 2 High without a decision'}
  ${{ silentComponents: 3, exploited: 2 }}                            | ${'Overloaded: 2 known exploited'}
  ${{ judgedComponents: 0, silentComponents: 1, undecidedHigh: 2 }}   | ${'Unknown: nothing can be told of 1 of 1 components'}
  ${{ judgedComponents: 0, silentComponents: 0 }}                     | ${'Unknown: no component is known'}
  ${{ unknownSeverity: 1 }}                                           | ${'Unknown: 1 finding of unknown severity'}
  ${{ unknownSeverity: 1300, silentComponents: 3 }}                   | ${'Unknown: 1,300 findings of unknown severity, nothing can be told of 3 of 13 components'}
  ${{ unknownSeverity: 2, undecidedHigh: 2 }}                         | ${'To decide: 2 High without a decision'}
  ${{ unknownSeverity: 2, undecidedCritical: 2 }}                     | ${'Overloaded: 2 Critical without a decision'}
  ${{ unknownSeverity: 2, isSynced: false }}                          | ${'Unknown: no vulnerability source was ever read completely'}
  ${{ isSynced: false }}                                              | ${'Unknown: no vulnerability source was ever read completely'}
  ${{ isSynced: false, failedSboms: 1, exploited: 1 }}                | ${'Overloaded: 1 known exploited'}
  ${{ gate: {} }}                                                     | ${'Clear: nothing undecided of High or above'}
  ${{ exploited: 1, gate: { exploitedAcceptances: 2 } }}              | ${'Overloaded: 3 known exploited (2 accepted)'}
  ${{ gate: { urgency: { from: 'Act', count: 0 } } }}                 | ${'Clear: nothing undecided of High or above'}
  ${{ gate: { urgency: { from: 'Act', count: null } } }}              | ${'Unknown: findings as urgent as Act by SSVC are still being counted'}
  ${{ gate: { urgency: { from: 'Act', count: 1500 } } }}              | ${'Overloaded: 1,500 as urgent as Act by SSVC'}
  ${{ gate: { licences: { failing: 0, unknown: 0 } } }}               | ${'Clear: nothing undecided of High or above'}
  ${{ gate: { licences: { failing: 0, unknown: 2 } } }}               | ${'Unknown: the licence of 2 components is not known'}
  ${{ gate: { licences: null } }}                                     | ${'Unknown: licences are still being counted'}
  ${{ gate: { licences: { failing: 1, unknown: 2 } } }}               | ${'Overloaded: 1 component whose licence may not ship'}
  ${{ gate: { support: { ...SUPPORTED, ended: 2 } } }}                | ${'Overloaded: 2 components out of support'}
  ${{ gate: { support: { ...SUPPORTED, isKnown: false } } }}          | ${'Unknown: until when some components get fixes is not known'}
  ${{ gate: { support: SUPPORTED } }}                                 | ${'Clear: nothing undecided of High or above'}
  ${{ gate: { support: { ...SUPPORTED, endingBeforePromise: 1 } } }}  | ${'Clear: nothing undecided of High or above'}
  ${{ exploited: 2, supportNote: 'out of support since 2026-10-01' }} | ${'Overloaded: 2 known exploited; out of support since 2026-10-01'}
  ${{ supportNote: 'support ends in 3 days, after 2026-12-02' }}      | ${'Clear: nothing undecided of High or above; support ends in 3 days, after 2026-12-02'}
`('says "$sentence" of $facts', ({ facts, sentence }: { facts: object; sentence: string }) => {
  expect(decideMark({ ...CLEAR, ...facts }).sentence).toBe(sentence)
})

it('gives a verdict of every rule', () => {
  const facts = { exploited: 1, undecidedHigh: 3, silentComponents: 10, isSynced: false }
  const reasons = listMarkReasons({ ...CLEAR, ...facts })

  expect(reasons.map(({ rule, verdict, count }) => [rule, verdict, count])).toEqual([
    ['KnownExploited', 'Blocks', 1],
    ['UndecidedCritical', 'Passes', 0],
    ['UndecidedHigh', 'Warns', 3],
    ['UnknownSeverity', 'Passes', 0],
    ['Sboms', 'Passes', 1],
    ['Components', 'Unknown', 10],
    ['Sources', 'Unknown', 0],
  ])
})

it.each`
  facts                                                     | passing                 | because
  ${{ sboms: 0, judgedComponents: 0 }}                      | ${[]}                   | ${'there is no SBOM'}
  ${{ sboms: 1, failedSboms: 1, judgedComponents: 0 }}      | ${['Sources']}          | ${'its SBOM could not be read'}
  ${{ sboms: 1, judgedComponents: 0 }}                      | ${['Sboms', 'Sources']} | ${'it has no components'}
  ${{ sboms: 1, judgedComponents: 0, silentComponents: 4 }} | ${['Sboms', 'Sources']} | ${'nothing can be told of any component'}
`(
  'has only $passing pass, as $because',
  ({ facts, passing }: { facts: object; passing: string[] }) => {
    const reasons = listMarkReasons({ ...CLEAR, ...facts })

    expect(reasons.flatMap(({ rule, verdict }) => (verdict === 'Passes' ? [rule] : []))).toEqual(
      passing,
    )
    expect(reasons.find(({ rule }) => rule === 'KnownExploited')?.text).toMatch(/^not known/)
  },
)
