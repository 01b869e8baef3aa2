/** A builder's suffix hides no finding. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { propertyRuns } from '../../../test/property-runs.ts'
import type { AffectedStatement, VersionStatement } from '../../formats/advisories/model.ts'
import { identifyPackage } from '../../formats/identity.ts'
import { matchPackage } from './match.ts'
import { decideMatch } from './verdict-precedence.ts'

const CPE = 'cpe:2.3:a:acme:widget:*:*:*:*:*:*:*:*'
const COMPONENT = {
  packageName: 'widget',
  vendor: undefined,
  purl: undefined,
  scope: undefined,
  builtFrom: undefined,
}

type Rule = Pick<AffectedStatement, 'scheme' | 'defaultStatus' | 'versions'>

/** `surely clear` is the verdict that must not come from a suffix. */
function judged(
  version: string,
  rule: Rule,
  cpe = CPE,
): 'High' | 'Medium' | 'Low' | 'undecided' | 'clear' {
  const key = cpe.split(':').slice(3, 5).join(':')
  const { identity } = identifyPackage({ ...COMPONENT, version, cpes: [cpe] }) as {
    identity: Parameters<typeof matchPackage>[0]
  }
  const affected = { key: `cpe:${key}`, statements: [rule] }
  const verdicts = matchPackage(identity, [{ source: 'cvelist', advisoryId: 'CVE-1', affected }])
  const match = decideMatch(verdicts)
  if (match) return match.confidence
  return verdicts.some(({ verdict }) => verdict === 'unaffected') ? 'clear' : 'undecided'
}

const affectedIn = (versions: Partial<VersionStatement>, more: Partial<Rule> = {}): Rule => ({
  scheme: 'generic',
  defaultStatus: 'unaffected',
  versions: [{ status: 'affected', text: 'as stated', ...versions }],
  ...more,
})

/** What builders add to a release; none names a later one. */
const SUFFIXES =
  `-dirty +dirty _dirty ~dirty .dirty -r0 -r1 -r12 .r5 -r0.3 -g1234567 -0-g1234567 -5-gabcdef1 -00012-gabcdef12
  -5-gabcdef1-dirty -custom -vendor.3 -openwrt -esp32 -espressif -idf -ncs1 -ncs1-2 -linux4microchip-2022.04 -xilinx-v2022.2
  -stm32mp-r1 -yocto-standard -rt26 -cip44 -android14-11 +git +git0+1a2b3c4d5e +gitAUTOINC+6a2c1b9f3e _git20160909 -git
  +quic1 +mcuboot -lts -1 -99 +1 _1 -20240101 +20240101 -LTS-Patch-2 p1 -p1 -mycompany-2.1 ~bpo11 ~jammy -local -tz
  _custom.7 -debug -fips -SE -build7 -b -0 -stable -release -RELEASE -final -ga ^1 ^20240101git1a2b3c4 #5 :1 ,r1 @abcdef1 /5`
    .split(/\s+/)
    .concat(' patched', ' (2020-01-01 10:00:00 UTC) multi-call binary.', ' (Mar 03 2023)')

const RELEASES = ['1.30.0', '2022.01', '3.6.0', '9.3', '1.0.2k', '2.4', '1.9.5p2', '20230930']

const rulesFor = (release: string): Rule[] => [
  affectedIn({ lastAffected: release }),
  affectedIn({ introduced: '0', lastAffected: release }),
  affectedIn({ introduced: release, lastAffected: release }),
  affectedIn({ introduced: release, fixed: `${release}.9` }),
  affectedIn({ versions: [release] }),
  affectedIn({ versions: ['0.1', release, '99'] }),
  affectedIn({ introduced: release }),
  affectedIn({ versions: [release] }, { scheme: 'git' }),
  affectedIn({ fixed: `${release}.9` }, { scheme: /[a-z]/.test(release) ? 'generic' : 'semver' }),
  affectedIn(
    { introduced: release, fixed: `${release}.9` },
    { scheme: /[a-z]/.test(release) ? 'generic' : 'semver' },
  ),
  {
    scheme: 'generic',
    defaultStatus: 'affected',
    versions: [{ status: 'unaffected', introducedAfter: release, text: 'later' }],
  },
  {
    scheme: 'generic',
    defaultStatus: 'affected',
    versions: [{ status: 'unaffected', introduced: `${release}.9`, text: 'later' }],
  },
]

describe('a suffix that names no later release', () => {
  it('never makes an affected release surely clear', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...RELEASES),
        fc.constantFrom(...SUFFIXES),
        fc.boolean(),
        fc.nat(),
        (release, suffix, isInCpe, index) => {
          fc.pre(/^[\d.]+$/.test(release) || !/^[a-z]/.test(suffix))
          const rules = rulesFor(release)
          const rule = rules[index % rules.length] ?? affectedIn({})
          const version = `${release}${suffix}`
          const quoted = version.replace(/[^\w.-]/g, '\\$&')
          const cpe = isInCpe ? CPE.replace('widget:*', `widget:${quoted}`) : CPE

          expect(judged(release, rule)).toBe('High')
          expect(['High', 'Medium']).toContain(judged(version, rule, cpe))
        },
      ),
      { numRuns: propertyRuns(3000) },
    )
  })

  it('makes a repaired release no finding', () => {
    fc.assert(
      fc.property(fc.constantFrom(...RELEASES), fc.constantFrom(...SUFFIXES), (release, suffix) => {
        // A tilde may come before the release.
        fc.pre(!suffix.startsWith('~') && (/^[\d.]+$/.test(release) || !/^[a-z]/.test(suffix)))
        for (const scheme of ['generic', 'semver'] as const)
          if (scheme === 'generic' || !/[a-z]/.test(release))
            expect(judged(release + suffix, affectedIn({ fixed: release }, { scheme }))).toBe(
              'clear',
            )
      }),
      { numRuns: propertyRuns(500) },
    )
  })
})

it.each`
  version          | product                   | lastAffected   | verdict
  ${'1.30.1'}      | ${'acme:widget'}          | ${'1.30.0'}    | ${'clear'}
  ${'1.30.0a'}     | ${'acme:widget'}          | ${'1.30.0'}    | ${'clear'}
  ${'9.3p1'}       | ${'openbsd:openssh'}      | ${'9.3'}       | ${'clear'}
  ${'9.3p1-r0'}    | ${'openbsd:openssh'}      | ${'9.3p1'}     | ${'Medium'}
  ${'9.3p2'}       | ${'openbsd:openssh'}      | ${'9.3p1'}     | ${'clear'}
  ${'9.11.3-P1'}   | ${'isc:bind'}             | ${'9.11.3'}    | ${'clear'}
  ${'1.30.0-r5'}   | ${'acme:widget'}          | ${'1.30.0-r3'} | ${'clear'}
  ${'1.30.0-r2'}   | ${'acme:widget'}          | ${'1.30.0-r3'} | ${'High'}
  ${'7.0.10-34'}   | ${'acme:widget'}          | ${'7.0.10-33'} | ${'clear'}
  ${'1.30.0p2'}    | ${'acme:widget'}          | ${'1.30.0p1'}  | ${'clear'}
  ${'3.5.99'}      | ${'zephyrproject:zephyr'} | ${'3.5.0'}     | ${'Medium'}
  ${'3.5.99-ncs1'} | ${'zephyrproject:zephyr'} | ${'3.5'}       | ${'Medium'}
  ${'3.5.99-ncs1'} | ${'zephyrproject:zephyr'} | ${'3.4.0'}     | ${'clear'}
  ${'3.5.99'}      | ${'acme:widget'}          | ${'3.5.0'}     | ${'clear'}
`(
  '$version of $product is $verdict where $lastAffected is the last affected one',
  ({ version, product, lastAffected, verdict }: Record<string, string>) => {
    const cpe = CPE.replace('acme:widget', product ?? '')

    expect(judged(version ?? '', affectedIn({ lastAffected: lastAffected ?? '' }), cpe)).toBe(
      verdict,
    )
  },
)

it.each(['1.30.0-rc1', '1.30.0-beta2', '1.30.0-dev', '1.30.0~rc1', '1.30.0-SNAPSHOT'])(
  '%s is a stage, and none of the release',
  (version) => {
    expect(judged(version, affectedIn({ versions: ['1.30.0'] }))).toBe('clear')
    expect(judged(version, affectedIn({ fixed: '1.30.0' }))).toBe('High')
  },
)

it.each`
  version      | rule                                         | verdict        | because
  ${'2.40'}    | ${affectedIn({ introduced: '2021-05-18' })}  | ${'undecided'} | ${'a date is no number'}
  ${'2.40'}    | ${affectedIn({ fixed: '2023-03-01' })}       | ${'undecided'} | ${'a date is no number'}
  ${'2.40'}    | ${affectedIn({ fixed: '20230301' })}         | ${'undecided'} | ${'a date is no number'}
  ${'2023.02'} | ${affectedIn({ fixed: '2023-03-01' })}       | ${'High'}      | ${'years compare'}
  ${'2.40'}    | ${affectedIn({ fixed: '2.39-28.fc40' })}     | ${'undecided'} | ${'a build of Fedora is no release'}
  ${'2.2'}     | ${affectedIn({ fixed: '2.39-28.fc40' })}     | ${'High'}      | ${'it is older than what was repaired'}
  ${'1.2.3'}   | ${affectedIn({ fixed: '1.2.3-4ubuntu0.2' })} | ${'undecided'} | ${'a build of Ubuntu is no release'}
  ${'2.40'}    | ${affectedIn({ versions: ['2023-03-01'] })}  | ${'undecided'} | ${'a date is no number'}
`(
  '$version is $verdict, as $because',
  ({ version, rule, verdict }: { version: string; rule: Rule; verdict: string }) => {
    expect(judged(version, rule)).toBe(verdict)
  },
)

it('takes 6.6 for no version of a product that writes months', () => {
  const rule = affectedIn({ versions: ['6.06'] })

  const monthly = CPE.replace('acme:widget', 'nixos:nixos')

  expect(judged('6.6', rule, monthly)).toBe('undecided')
  expect(judged('6.06', rule, monthly)).toBe('High')
  expect(judged('6.6', rule)).toBe('High')
})
