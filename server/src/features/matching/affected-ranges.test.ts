import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { AffectedStatement, VersionStatement } from '../../formats/advisories/model.ts'
import { listAffectedRanges } from './affected-ranges.ts'
import { evaluateStatement } from './evaluate-statement.ts'

const statement = (
  defaultStatus: AffectedStatement['defaultStatus'],
  ...versions: Partial<VersionStatement>[]
): AffectedStatement => ({
  scheme: 'kernel',
  defaultStatus,
  versions: versions.map((entry) => ({ status: 'unaffected', text: '', ...entry })),
})

const shown = (of: AffectedStatement) =>
  listAffectedRanges(of).map(({ introduced, introducedAfter, fixed, lastAffected, versions }) =>
    [
      introduced && `>= ${introduced}`,
      introducedAfter && `> ${introducedAfter}`,
      fixed && `< ${fixed}`,
      lastAffected && `<= ${lastAffected}`,
      versions?.join(' '),
    ]
      .filter((part) => part !== undefined)
      .join(' '),
  )

/** As the kernel's records are: affected from 3.8, repaired in two stable branches and in 6.13. */
const KERNEL = statement(
  'affected',
  { status: 'affected', versions: ['3.8'] },
  { introduced: '0', fixed: '3.8' },
  { introduced: '5.10.50', fixed: '5.11', fixedIsDerived: true },
  { introduced: '6.12.40', fixed: '6.13', fixedIsDerived: true },
  { introduced: '6.13' },
)

describe('the affected ranges', () => {
  it.each`
    of                                                                                           | ranges                                       | because
    ${KERNEL}                                                                                    | ${['>= 3.8 < 5.10.50', '>= 5.11 < 6.12.40']} | ${'what is repaired is left out'}
    ${statement('affected')}                                                                     | ${['']}                                      | ${'every version is affected'}
    ${statement('affected', { introduced: '2.0' })}                                              | ${['< 2.0']}                                 | ${'only the end is known'}
    ${statement('affected', { introducedAfter: '1.0', lastAffected: '2.0' })}                    | ${['<= 1.0', '> 2.0']}                       | ${'bounds may be part of a range'}
    ${statement('affected', { fixed: '2.0' }, { introduced: '1.0', fixed: '1.5' })}              | ${['>= 2.0']}                                | ${'a range may lie in another'}
    ${statement('affected', { introduced: '0' })}                                                | ${[]}                                        | ${'nothing is left'}
    ${statement('affected', { status: 'affected', versions: ['1.0'] }, { fixed: '2.0' })}        | ${['>= 2.0', '1.0']}                         | ${'one of the unaffected is affected'}
    ${statement('affected', { introduced: 'no version' }, { status: 'affected', fixed: '2.0' })} | ${['< 2.0']}                                 | ${'what has no order is not turned round'}
    ${statement('unaffected', { status: 'affected', fixed: '2.0' }, { introduced: '2.0' })}      | ${['< 2.0']}                                 | ${'they are said outright'}
  `('are $ranges, as $because', ({ of, ranges }) => {
    expect(shown(of as AffectedStatement)).toEqual(ranges)
  })

  it('hold exactly the versions the statement affects', () => {
    const version = fc.constantFrom('1', '2', '3', '4', '5')
    const bound = fc.option(version, { nil: undefined })
    const range = fc
      .record({ introduced: bound, introducedAfter: bound, fixed: bound, lastAffected: bound })
      .map((bounds): Partial<VersionStatement> => {
        const { introduced, introducedAfter, fixed, lastAffected } = bounds
        return {
          ...(introducedAfter === undefined ? introduced && { introduced } : { introducedAfter }),
          ...(fixed === undefined ? lastAffected && { lastAffected } : { fixed }),
        }
      })
    const isAffected = (of: AffectedStatement, at: string) => {
      const subject = { version: at, cpe: undefined, ecosystems: new Set<string>() }
      const outcome = evaluateStatement(of, subject, {
        key: 'cpe:acme:thing',
        criterionOf: () => undefined,
      })
      return outcome.verdict === 'affected'
    }

    fc.assert(
      fc.property(fc.array(range, { maxLength: 4 }), (ranges) => {
        const given = statement('affected', ...ranges)
        const turned: AffectedStatement = {
          ...given,
          defaultStatus: 'unaffected',
          versions: listAffectedRanges(given),
        }
        for (const at of ['0.5', '1', '1.5', '2', '2.5', '3', '3.5', '4', '4.5', '5', '6'])
          // A statement without entries speaks of no version.
          expect(turned.versions.length > 0 && isAffected(turned, at)).toBe(isAffected(given, at))
      }),
    )
  })
})
