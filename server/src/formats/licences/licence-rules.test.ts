import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { findRuleFault, judgeLicence, LICENCE_OUTCOMES } from './licence-rules.ts'

const RULES = {
  allow: ['MIT', 'Apache-2.0', 'GPL-2.0-or-later WITH Classpath-exception-2.0', 'LicenseRef-acme'],
  deny: ['GPL-3.0-or-later', 'AGPL-3.0-only'],
  review: ['LGPL-2.1-or-later', 'MPL-2.0'],
}

interface Row {
  expression: string | undefined
  outcome: string
  chosen: string[]
}

describe('an expression', () => {
  it.each`
    expression                                             | outcome        | chosen
    ${'MIT'}                                               | ${'allowed'}   | ${['MIT']}
    ${'GPL-3.0-only'}                                      | ${'denied'}    | ${['GPL-3.0-only']}
    ${'GPL-3.0-or-later'}                                  | ${'denied'}    | ${['GPL-3.0-or-later']}
    ${'LGPL-2.1-only'}                                     | ${'review'}    | ${['LGPL-2.1-only']}
    ${'BSD-3-Clause'}                                      | ${'notListed'} | ${['BSD-3-Clause']}
    ${'GPL-3.0-only OR MIT'}                               | ${'allowed'}   | ${['MIT']}
    ${'MPL-2.0 OR GPL-3.0-only'}                           | ${'review'}    | ${['MPL-2.0']}
    ${'GPL-3.0-only AND MIT'}                              | ${'denied'}    | ${['GPL-3.0-only', 'MIT']}
    ${'(MIT OR GPL-3.0-only) AND (Apache-2.0 OR MPL-2.0)'} | ${'allowed'}   | ${['MIT', 'Apache-2.0']}
    ${'GPL-2.0-or-later WITH Classpath-exception-2.0'}     | ${'allowed'}   | ${['GPL-2.0-or-later WITH Classpath-exception-2.0']}
    ${'GPL-2.0-only WITH Classpath-exception-2.0'}         | ${'allowed'}   | ${['GPL-2.0-only WITH Classpath-exception-2.0']}
    ${'GPL-2.0-or-later'}                                  | ${'notListed'} | ${['GPL-2.0-or-later']}
    ${'AGPL-3.0-or-later'}                                 | ${'notListed'} | ${['AGPL-3.0-or-later']}
    ${'LicenseRef-acme'}                                   | ${'allowed'}   | ${['LicenseRef-acme']}
    ${'LicenseRef-other'}                                  | ${'notListed'} | ${['LicenseRef-other']}
    ${'Apache-2.0+'}                                       | ${'allowed'}   | ${['Apache-2.0+']}
    ${'NOASSERTION'}                                       | ${'unknown'}   | ${[]}
    ${'NONE'}                                              | ${'unknown'}   | ${[]}
    ${'The MIT License'}                                   | ${'unknown'}   | ${[]}
    ${undefined}                                           | ${'unknown'}   | ${[]}
  `('$expression is $outcome, by $chosen', ({ expression, outcome, chosen }: Row) => {
    const verdict = judgeLicence(expression, RULES)

    expect(verdict).toMatchObject({ outcome, chosen })
    expect(verdict.reasons).not.toEqual([])
  })

  it('of 10,000 characters is unknown, and says so', () => {
    const long = Array.from({ length: 1_500 }, () => 'MIT').join(' OR ')

    expect(judgeLicence(long, RULES)).toEqual({
      outcome: 'unknown',
      chosen: [],
      reasons: [`The expression has ${long.length} characters; at most 5000 are read`],
    })
    const deep = `${'('.repeat(200)}MIT${')'.repeat(200)}`
    expect(judgeLicence(deep, RULES).reasons).toEqual([
      'The expression nests more than 100 levels deep',
    ])
    const chain = Array.from({ length: 700 }, () => 'MIT').join(' OR ')
    expect(judgeLicence(chain, RULES).outcome).toBe('allowed')
  })

  it('is allowed where only some are denied and no rule names it', () => {
    const rules = { allow: [], deny: ['GPL-3.0-only'], review: [] }

    expect(judgeLicence('BSD-3-Clause', rules).outcome).toBe('allowed')
    expect(judgeLicence('GPL-3.0-only', rules).outcome).toBe('denied')
  })

  it('is judged as its parts say: OR by the best, AND by the worst', () => {
    const leaf = fc.constantFrom(
      'MIT',
      'GPL-3.0-only',
      'MPL-2.0',
      'BSD-3-Clause',
      'LicenseRef-acme',
    )
    const tree = fc.letrec<{ one: string; all: string }>((tie) => ({
      one: leaf,
      all: fc.oneof(
        { maxDepth: 4 },
        leaf,
        fc
          .tuple(tie('all'), fc.constantFrom('AND', 'OR'), tie('all'))
          .map((parts) => `(${parts.join(' ')})`),
      ),
    })).all
    const rank = (text: string) => LICENCE_OUTCOMES.indexOf(judgeLicence(text, RULES).outcome)
    fc.assert(
      fc.property(tree, tree, (one, other) => {
        expect(rank(`(${one}) OR (${other})`)).toBe(Math.min(rank(one), rank(other)))
        expect(rank(`(${one}) AND (${other})`)).toBe(Math.max(rank(one), rank(other)))
      }),
    )
  })
})

it('finds what is wrong with a rule', () => {
  expect(findRuleFault('MIT')).toBeUndefined()
  expect(findRuleFault('MIT OR GPL-2.0-only')).toContain('names one licence')
  expect(findRuleFault('Mitt')).toContain('not an SPDX licence expression')
})
