import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { describeWithSharedData } from '../../../test/shared-data.ts'
import { formatCpeKey } from '../../formats/advisories/keys.ts'
import type { AffectedStatement, VersionStatement } from '../../formats/advisories/model.ts'
import { parseCpe, unquote } from '../../formats/cpe.ts'
import {
  identifyPackage,
  type IdentifiableComponent,
  type PackageIdentity,
} from '../../formats/identity.ts'
import { parsePurl, formatPurlKey } from '../../formats/purl.ts'
import type { VersionScheme } from '../../formats/versions/schemes.ts'
import { decideMatch } from './verdict-precedence.ts'
import type { Candidate, Evidence } from './evidence.ts'
import { matchPackage } from './match.ts'
import { listCandidateKeys, createProductResolver } from './name-resolution.ts'

function identify(fields: Partial<IdentifiableComponent>): PackageIdentity {
  const nothing = {
    vendor: undefined,
    packageName: 'thing',
    version: undefined,
    purl: undefined,
    cpes: [],
  }
  const result = identifyPackage({ ...nothing, scope: undefined, builtFrom: undefined, ...fields })
  if (!('identity' in result)) throw new Error(result.notMatchedReason)
  return result.identity
}

const withCpe = (...names: string[]) =>
  identify({ cpes: names.map((name) => `cpe:2.3:${name}:*:*:*:*:*:*`) })

const entry = (fields: Partial<VersionStatement>): VersionStatement => ({
  status: 'affected',
  text: 'range',
  ...fields,
})

function statement(
  versions: VersionStatement[],
  fields: Partial<AffectedStatement> = {},
): AffectedStatement {
  return { scheme: 'generic', defaultStatus: 'unaffected', versions, ...fields }
}

function candidate(
  key: string,
  statements: AffectedStatement[],
  fields: Partial<Candidate> = {},
): Candidate {
  return { source: 'nvd', advisoryId: 'CVE-2024-1', affected: { key, statements }, ...fields }
}

/** What the advisories, all of one vulnerability, come to: the confidence, or why there is no match. */
function outcome(identity: PackageIdentity, ...candidates: Candidate[]): string {
  const verdicts = matchPackage(identity, candidates)
  const match = decideMatch(verdicts)
  if (match) return match.confidence
  const [first] = verdicts
  if (!first) return 'silent'
  return first.verdict === 'undecidable'
    ? `undecidable: ${first.reasons.join(', ')}`
    : first.verdict
}

it('a record nobody foresaw is undecided, and keeps no other from being read', () => {
  const broken = { ...statement([entry({ fixed: '2' })]), versions: null } as unknown
  const acme = withCpe('a:acme:thing:1.0')

  const verdicts = matchPackage(acme, [
    candidate('cpe:acme:thing', [broken as AffectedStatement], { advisoryId: 'CVE-2024-2' }),
    candidate('cpe:acme:thing', [statement([entry({ fixed: '2' })])]),
  ])

  expect(verdicts.map(({ verdict, reasons }) => [verdict, reasons])).toEqual([
    ['undecidable', ['record cannot be evaluated']],
    ['affected', []],
  ])
  expect(verdicts.map(({ failure }) => failure)).toEqual([expect.any(TypeError), undefined])
})

describe('version bounds', () => {
  it.each`
    version  | bounds                                        | expected
    ${'1.0'} | ${{ introduced: '1.0', fixed: '2.0' }}        | ${'High'}
    ${'2.0'} | ${{ introduced: '1.0', fixed: '2.0' }}        | ${'unaffected'}
    ${'2.0'} | ${{ introduced: '1.0', lastAffected: '2.0' }} | ${'High'}
    ${'1.0'} | ${{ introducedAfter: '1.0', fixed: '2.0' }}   | ${'unaffected'}
    ${'0.1'} | ${{ introduced: '0', fixed: '2.0' }}          | ${'High'}
    ${'1.0'} | ${{ versions: ['1.0', '1.1'] }}               | ${'High'}
    ${'1.2'} | ${{ versions: ['1.0', '1.1'] }}               | ${'unaffected'}
    ${'1.0'} | ${{ versions: ['-'] }}                        | ${'Low'}
    ${'1.0'} | ${{}}                                         | ${'Low'}
    ${'1.0'} | ${{ introduced: '0' }}                        | ${'Low'}
    ${'1.0'} | ${{ introduced: '0.5' }}                      | ${'Medium'}
    ${'1.0'} | ${{ introducedAfter: '0.5' }}                 | ${'Medium'}
  `('of $bounds make $version $expected', ({ version, bounds, expected }) => {
    const given = candidate('cpe:acme:thing', [statement([entry(bounds as object)])])

    expect(outcome(withCpe(`a:acme:thing:${String(version)}:*`), given)).toBe(expected)
  })

  it('are not needed where the maker says that all versions are affected', () => {
    const all = candidate('cpe:acme:thing', [statement([entry({})])], { source: 'cvelist' })

    expect(outcome(withCpe('a:acme:thing:1.0:*'), all)).toBe('High')
  })

  it('decide in the order of the entries', () => {
    const fixedBranch = entry({ status: 'unaffected', introduced: '5.10.50', fixed: '5.11' })
    const given = candidate('cpe:acme:thing', [
      statement([fixedBranch], { defaultStatus: 'affected' }),
    ])

    expect(outcome(withCpe('a:acme:thing:5.10.60:*'), given)).toBe('unaffected')
    expect(outcome(withCpe('a:acme:thing:5.15:*'), given)).toBe('High')
  })

  it('that cannot be compared give no verdict, not even the default', () => {
    const commits = statement([entry({ introduced: 'a'.repeat(40), fixed: 'b'.repeat(40) })], {
      scheme: 'git',
      defaultStatus: 'affected',
    })
    const given = candidate('cpe:acme:thing', [commits], { source: 'cvelist' })

    expect(outcome(withCpe('a:acme:thing:1.0:*'), given)).toBe(
      'undecidable: version cannot be compared',
    )
    const dotted = candidate('cpe:acme:thing', [statement([entry({ fixed: '2.0' })])], {
      source: 'cvelist',
    })
    expect(outcome(withCpe('a:acme:thing:1.0:*'), given, dotted)).toBe('High')
  })

  it.each`
    version          | bounds                             | expected                                     | because
    ${'TF-Mv2.3.0'}  | ${{ lastAffected: '1.3.0' }}       | ${'unaffected'}                              | ${'the tag is read'}
    ${'train202605'} | ${{ fixed: '9999.9' }}             | ${'undecidable: version cannot be compared'} | ${'a word is no version'}
    ${'train202605'} | ${{ fixed: 'train202608' }}        | ${'High'}                                    | ${'both are of one kind'}
    ${'train202605'} | ${{ versions: ['train202605'] }}   | ${'High'}                                    | ${'they are equal'}
    ${'train202605'} | ${{ versions: ['1.0', '202605'] }} | ${'undecidable: version cannot be compared'} | ${'nobody knows whether they are equal'}
    ${'1.0'}         | ${{ fixed: 'train202605' }}        | ${'undecidable: version cannot be compared'} | ${'nor does a bound of words say anything'}
  `('of $bounds make $version $expected, as $because', ({ version, bounds, expected }) => {
    const given = candidate('cpe:acme:thing', [statement([entry(bounds as object)])])

    expect(
      outcome(
        identify({ version: String(version), cpes: ['cpe:2.3:a:acme:thing:*:*:*:*:*:*:*:*'] }),
        given,
      ),
    ).toBe(expected)
  })

  it('of dotted versions say nothing about a commit', () => {
    const identity = identify({ purl: `pkg:github/acme/thing@${'a'.repeat(40)}` })
    const given = candidate('repo:github.com/acme/thing', [statement([entry({ fixed: '2.0' })])])

    expect(outcome(identity, given)).toBe('undecidable: version is a commit')
  })

  it.each(['a'.repeat(40), 'thing-1_2_3', 'v1.2.3'])(
    'in git are decided by the version list: %s',
    (listed) => {
      const commits = statement([entry({ versions: [listed] })], { scheme: 'git' })
      const given = candidate('repo:github.com/acme/thing', [commits], { source: 'osv' })
      const version = /^a+$/.test(listed) ? listed : 'v1.2.3'

      expect(outcome(identify({ purl: `pkg:github/acme/thing@${version}` }), given)).toBe('High')
      expect(outcome(identify({ purl: 'pkg:github/acme/thing@v1.2.4' }), given)).toMatch(
        /^undecidable/,
      )
    },
  )
})

describe('attributes of CPE names', () => {
  const criterion = (name: string) => {
    const cpe = `cpe:2.3:${name}`
    const { version = '*' } = parseCpe(cpe) ?? {}
    return candidate('cpe:acme:thing', [
      statement([
        entry({ cpe, ...(version === '*' ? { fixed: '9.0' } : { versions: [version] }) }),
      ]),
    ])
  }

  it.each`
    own                         | criterion                                  | expected        | because
    ${'a:acme:thing:1.0:*'}     | ${'a:acme:thing:1.0:p1:*:*:*:*:*:*'}       | ${'Low'}        | ${'patches are often left out'}
    ${'a:acme:thing:1.0:*'}     | ${'a:acme:thing:1.0:rc1:*:*:*:*:*:*'}      | ${'unaffected'} | ${'who runs a candidate says so'}
    ${'a:acme:thing:1.0p1:*'}   | ${'a:acme:thing:1.0:patch1:*:*:*:*:*:*'}   | ${'High'}       | ${'NVD writes patches out'}
    ${'a:acme:thing:1.0:rc1'}   | ${'a:acme:thing:1.0:rc1:*:*:*:*:*:*'}      | ${'High'}       | ${'the update is the same'}
    ${'a:acme:thing:1.0-rc1:*'} | ${'a:acme:thing:1.0:rc1:*:*:*:*:*:*'}      | ${'High'}       | ${'the version says it'}
    ${'a:acme:thing:1.0:rc2'}   | ${'a:acme:thing:1.0:rc1:*:*:*:*:*:*'}      | ${'silent'}     | ${'the update is another'}
    ${'a:acme:thing:1.0:-'}     | ${'a:acme:thing:1.0:rc1:*:*:*:*:*:*'}      | ${'silent'}     | ${'it is the release'}
    ${'a:acme:thing:1.0:*'}     | ${'a:acme:thing:1.0:-:*:*:*:*:*:*'}        | ${'High'}       | ${'the release is meant'}
    ${'o:acme:thing:1.0:*'}     | ${'a:acme:thing:*:*:*:*:*:*:*:*'}          | ${'silent'}     | ${'the part differs'}
    ${'*:acme:thing:1.0:*'}     | ${'a:acme:thing:*:*:*:*:*:*:*:*'}          | ${'High'}       | ${'the part is not stated'}
    ${'a:acme:thing:1.0:*'}     | ${'a:acme:thing:*:*:*:*:enterprise:*:*:*'} | ${'High'}       | ${'the edition is not stated'}
    ${'a:acme:thing:1.0:*'}     | ${'a:acme:thing:*:*:*:*:*:windows:*:*'}    | ${'Low'}        | ${'nothing says that it is for Windows'}
    ${'a:acme:thing:1.0:*'}     | ${'a:acme:thing:*:*:*:*:*:node.js:*:*'}    | ${'High'}       | ${'the ecosystem is not stated'}
  `('$own meets $criterion: $expected, as $because', ({ own, criterion: name, expected }) => {
    expect(outcome(withCpe(String(own)), criterion(String(name)))).toBe(expected)
  })

  it('take a name without vendor for a product of a registry with low confidence only', () => {
    const forNode = criterion('a:acme:thing:*:*:*:*:*:node.js:*:*')

    expect(outcome(withCpe('*:*:thing:1.0:*'), forNode)).toBe('Low')
  })

  it('count where names without attributes would not', () => {
    const identity = identify({
      vendor: 'Acme',
      cpes: ['cpe:2.3:a:acme:thing:1.0:*:*:*:*:*:x86:*'],
      purl: 'pkg:generic/acme/thing@1.0',
    })

    expect(outcome(identity, criterion('a:acme:thing:*:*:*:*:*:*:arm64:*'))).toBe('silent')
  })

  it.each`
    purl                | targetSw       | expected
    ${'pkg:npm/a@1.0'}  | ${'node.js'}   | ${'Medium'}
    ${'pkg:npm/a@1.0'}  | ${'*'}         | ${'Low'}
    ${'pkg:pypi/a@1.0'} | ${'node.js'}   | ${'silent'}
    ${'pkg:npm/a@1.0'}  | ${'wordpress'} | ${'silent'}
  `('keep $purl and $targetSw apart: $expected', ({ purl, targetSw, expected }) => {
    const identity = identify({
      purl: String(purl),
      cpes: ['cpe:2.3:a:acme:thing:1.0:*:*:*:*:*:*:*'],
    })

    expect(outcome(identity, criterion(`a:acme:thing:*:*:*:*:*:${String(targetSw)}:*:*`))).toBe(
      expected,
    )
  })
})

describe('confidence', () => {
  const below2 = [statement([entry({ fixed: '2.0' })])]

  it.each`
    identity                                         | key                       | expected    | because
    ${withCpe('a:acme:thing:1.0:*')}                 | ${'cpe:acme:thing'}       | ${'High'}   | ${'vendor and product are those of the criterion'}
    ${withCpe('*:*:thing:1.0:*')}                    | ${'cpe:acme:thing'}       | ${'Medium'} | ${'no vendor is stated'}
    ${withCpe('a:acme:thing:1.0:*')}                 | ${'name:acme/thing'}      | ${'Medium'} | ${'the record has words only'}
    ${withCpe('a:acme:thing:1.0:*')}                 | ${'cpe:*:thing'}          | ${'Medium'} | ${'the record has no vendor'}
    ${identify({ version: '1.0' })}                  | ${'cpe:acme:thing'}       | ${'Medium'} | ${'the records know one product of the name'}
    ${identify({ vendor: 'Acme', version: '1.0' })}  | ${'name:acme/thing'}      | ${'Low'}    | ${'there are but names'}
    ${identify({ vendor: 'Other', version: '1.0' })} | ${'cpe:acme:thing'}       | ${'silent'} | ${'another vendor is named'}
    ${withCpe('*:*:busybox:1.0:*')}                  | ${'cpe:busybox:busybox'}  | ${'High'}   | ${'the alias table names the vendor'}
    ${withCpe('a:openssl:openssl:1.0:*')}            | ${'name:openssl/openssl'} | ${'High'}   | ${'the alias table knows the record’s names'}
  `('is $expected where $because', ({ identity, key, expected }) => {
    expect(outcome(identity as PackageIdentity, candidate(String(key), below2))).toBe(expected)
  })

  it.each`
    platforms                                                               | expected
    ${[['cpe:2.3:h:acme:board:-:*:*:*:*:*:*:*']]}                           | ${'High'}
    ${[['cpe:2.3:o:acme:os:1.0:*:*:*:*:*:*:*']]}                            | ${'Low'}
    ${[['cpe:2.3:o:linux:linux_kernel:-:*:*:*:*:*:*:*']]}                   | ${'High'}
    ${[['cpe:2.3:o:linux:linux_kernel:2.6.18:*:*:*:*:*:*:*']]}              | ${'Low'}
    ${[['cpe:2.3:o:a:b:*:*:*:*:*:*:*:*', 'cpe:2.3:h:a:b:-:*:*:*:*:*:*:*']]} | ${'High'}
  `('is $expected on $platforms', ({ platforms, expected }) => {
    const given = candidate('cpe:acme:thing', [
      statement([entry({ fixed: '2.0' })], { platforms: platforms as string[][] }),
    ])

    expect(outcome(withCpe('a:acme:thing:1.0:*'), given)).toBe(expected)
  })
})

describe('records that know better', () => {
  const debian = (release: string) =>
    identify({
      purl: `pkg:deb/debian/openssl@1.1.1n-0+deb11u3${release}`.replace('+', '%2B'),
      cpes: ['cpe:2.3:a:openssl:openssl:1.1.1n:*:*:*:*:*:*:*'],
    })
  const nvd = candidate('cpe:openssl:openssl', [
    statement([entry({ fixed: '1.1.1o' })], { scheme: 'openssl' }),
  ])
  const fixedInDebian = (fixed: string) =>
    candidate(
      'purl:deb/debian/openssl',
      [statement([entry({ introduced: '0', fixed })], { scheme: 'deb', distro: 'Debian:11' })],
      {
        source: 'osv',
        advisoryId: 'DSA-1',
      },
    )

  it.each`
    release                | fixed                 | expected        | because
    ${'?distro=debian-11'} | ${'1.1.1n-0+deb11u2'} | ${'unaffected'} | ${'the distribution has patched it'}
    ${'?distro=debian-11'} | ${'1.1.1n-0+deb11u4'} | ${'High'}       | ${'the distribution has not patched it yet'}
    ${'?distro=debian-12'} | ${'1.1.1n-0+deb11u2'} | ${'Medium'}     | ${'silence about another release is no verdict'}
  `('of a distribution: $expected, as $because', ({ release, fixed, expected }) => {
    const verdict = outcome(debian(String(release)), fixedInDebian(String(fixed)), nvd)

    expect(verdict).toBe(expected)
  })

  it.each`
    fields                                                                                           | product              | expected    | because
    ${{ purl: 'pkg:deb/debian/a@1.0-1?upstream=thing', cpes: ['a:acme:thing:1.0-1:*'] }}             | ${'acme:thing'}      | ${'Medium'} | ${'it may have been repaired'}
    ${{ purl: 'pkg:deb/debian/a@1.0-1', cpes: ['a:acme:thing:1.0-1:*'] }}                            | ${'acme:thing'}      | ${'Low'}    | ${'without a source the CPE is a guess'}
    ${{ version: '1.0-1.el8', cpes: ['a:acme:thing:1.0:*'] }}                                        | ${'acme:thing'}      | ${'Medium'} | ${'its version says that a distribution built it'}
    ${{ purl: 'pkg:rpm/redhat/a@1.0-1.el8', cpes: ['a:acme:thing:1.0:*', 'a:thing:thing:1.0:*'] }}   | ${'thing:thing'}     | ${'Low'}    | ${'the vendor is a guess'}
    ${{ purl: 'pkg:deb/debian/a@1.0-1', cpes: ['a:acme:openssl:1.0:*', 'a:openssl:openssl:1.0:*'] }} | ${'openssl:openssl'} | ${'Medium'} | ${'the alias table knows the product'}
  `(
    'of upstream say of a distribution’s build: $expected, as $because',
    ({ fields, product, expected }) => {
      const { cpes, ...others } = fields as Partial<IdentifiableComponent>
      const identity = identify({
        ...others,
        cpes: (cpes ?? []).map((name) => `cpe:2.3:${name}:*:*:*:*:*:*`),
      })
      const upstream = candidate(`cpe:${String(product)}`, [statement([entry({ fixed: '1.1' })])])

      expect(outcome(identity, upstream)).toBe(expected)
    },
  )

  it('say nothing of a package that does not state its release', () => {
    const identity = identify({ purl: 'pkg:deb/debian/openssl@1.1.1n-0' })

    expect(outcome(identity, fixedInDebian('1.1.1n-1'))).toBe(
      'undecidable: distribution release not stated',
    )
  })

  it('are none of a purl that belongs to no registry', () => {
    const identity = identify({
      purl: 'pkg:generic/thing@1.0',
      cpes: ['cpe:2.3:a:acme:thing:1.0:*:*:*:*:*:*:*'],
    })
    const fuzzed = candidate('purl:generic/thing', [statement([entry({ fixed: '0.9' })])], {
      source: 'osv',
    })

    const nvdSays = candidate('cpe:acme:thing', [statement([entry({ fixed: '2.0' })])])
    expect(outcome(identity, fuzzed, nvdSays)).toBe('High')
  })

  it.each`
    stated                                                  | vendor    | expected
    ${[]}                                                   | ${'acme'} | ${'High'}
    ${[]}                                                   | ${'*'}    | ${'Low'}
    ${[entry({ status: 'unaffected', introduced: '4.0' })]} | ${'*'}    | ${'Medium'}
    ${[entry({ status: 'unaffected', versions: ['4.0'] })]} | ${'*'}    | ${'Low'}
    ${[entry({})]}                                          | ${'acme'} | ${'High'}
    ${[entry({})]}                                          | ${'*'}    | ${'Low'}
    ${[entry({ fixed: '4.0' })]}                            | ${'*'}    | ${'Medium'}
  `('of a CNA that states $stated about vendor $vendor: $expected', (row) => {
    const { stated, vendor, expected } = row as { stated: VersionStatement[] } & Record<
      string,
      string
    >
    const cnaSays = candidate(
      'cpe:acme:thing',
      [statement(stated, { defaultStatus: 'affected' })],
      { source: 'cvelist' },
    )

    expect(outcome(withCpe(`a:${vendor}:thing:3.0:*`), cnaSays)).toBe(expected)
  })

  it('bound what NVD leaves open', () => {
    const open = candidate('cpe:acme:thing', [statement([entry({})])])
    const bounded = candidate('cpe:acme:thing', [statement([entry({ fixed: '2.0' })])], {
      source: 'cvelist',
    })

    expect(outcome(withCpe('a:acme:thing:3.0:*'), open)).toBe('Low')
    expect(outcome(withCpe('a:acme:thing:3.0:*'), open, bounded)).not.toBe('Low')
    expect(outcome(withCpe('a:acme:thing:1.0:*'), open, bounded)).toBe('High')
  })

  it.each`
    cna                                    | expected        | because
    ${{ introduced: '1.0', fixed: '2.0' }} | ${'unaffected'} | ${'the maker says where it ends'}
    ${{ versions: ['1.0'] }}               | ${'Medium'}     | ${'a version or two are no bounds'}
  `('close what NVD leaves open at the end: $expected, as $because', ({ cna, expected }) => {
    const open = candidate('cpe:acme:thing', [statement([entry({ introduced: '0.5' })])])
    const maker = candidate('cpe:acme:thing', [statement([entry(cna as object)])], {
      source: 'cvelist',
    })

    expect(outcome(withCpe('a:acme:thing:3.0:*'), open)).toBe('Medium')
    expect(outcome(withCpe('a:acme:thing:3.0:*'), maker, open)).toBe(expected)
  })

  it('do not silence another source that bounds the versions otherwise', () => {
    const nvdSays = candidate('cpe:acme:thing', [statement([entry({ fixed: '4.0' })])])
    const cnaSays = candidate('cpe:acme:thing', [statement([entry({ fixed: '2.0' })])], {
      source: 'cvelist',
    })

    expect(outcome(withCpe('a:acme:thing:3.0:*'), nvdSays, cnaSays)).toBe('High')
  })
})

describe('evidence', () => {
  const versions = fc.constantFrom('0.9', '1.0', '1.0-rc1', '1.5', '2.0', '10.0', 'a'.repeat(40))
  const bound = fc.option(versions, { nil: undefined })
  const anyEntry = fc
    .record({
      status: fc.constantFrom('affected', 'unaffected', 'unknown' as const),
      introduced: bound,
      fixed: bound,
      lastAffected: bound,
      versions: fc.option(fc.array(versions, { minLength: 1, maxLength: 8 }), { nil: undefined }),
      cpe: fc.option(
        fc
          .constantFrom(
            'a:acme:thing:*:*:*:*:*:*:*:*',
            'a:acme:thing:*:rc1:*:*:*:*:*:*',
            'a:acme:thing:*:*:*:*:*:windows:*:*',
          )
          .map((name) => `cpe:2.3:${name}`),
        { nil: undefined },
      ),
    })
    .map(
      (fields) =>
        ({
          ...Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)),
          text: 'range',
        }) as VersionStatement,
    )
  const anyStatement = fc.record({
    scheme: fc.constantFrom('generic', 'semver', 'git', 'deb' as const),
    defaultStatus: fc.constantFrom('affected', 'unaffected', 'unknown' as const),
    versions: fc.array(anyEntry, { maxLength: 4 }),
    platforms: fc.constantFrom<string[][]>([], [['cpe:2.3:o:acme:os:-:*:*:*:*:*:*:*']]),
  })
  const anyCandidate = fc
    .record({
      key: fc.constantFrom('cpe:acme:thing', 'cpe:*:thing', 'name:acme/thing', 'purl:npm/thing'),
      source: fc.constantFrom('nvd', 'cvelist', 'osv' as const),
      statements: fc.array(anyStatement, { minLength: 1, maxLength: 3 }),
    })
    .map(({ key, source, statements }) => candidate(key, statements, { source }))
  const anyIdentity = fc
    .tuple(versions, fc.constantFrom('a:acme:thing', '*:*:thing'), fc.constantFrom('*', 'rc1', '-'))
    .map(([version, name, update]) =>
      identify({
        cpes: [`cpe:2.3:${name}:${version}:${update}:*:*:*:*:*:*`],
        purl: `pkg:npm/thing@${version}`,
      }),
    )

  const shown = ({ verdict, confidence, identifier, key }: Evidence) => ({
    verdict,
    confidence,
    identifier,
    key,
  })

  it('evaluated again gives the same verdict', () => {
    fc.assert(
      fc.property(anyIdentity, anyCandidate, (identity, given) => {
        for (const evidence of matchPackage(identity, [given]).flatMap(
          (verdict) => verdict.evidence,
        )) {
          const replayed = matchPackage(identity, [
            candidate(evidence.key, [evidence.statement], { source: evidence.source }),
          ]).flatMap((verdict) => verdict.evidence)
          expect(replayed.map(shown)).toContainEqual(shown(evidence))
        }
      }),
    )
  })

  it('and its order do not depend on the order of the advisories', () => {
    fc.assert(
      fc.property(anyIdentity, fc.array(anyCandidate, { maxLength: 4 }), (identity, candidates) => {
        const forth = decideMatch(matchPackage(identity, candidates))
        const back = decideMatch(matchPackage(identity, candidates.toReversed()))
        expect(back).toEqual(forth)
      }),
    )
  })
})

it('finds candidates by every spelling of a name', () => {
  const resolve = createProductResolver([
    { key: 'cpe:acme:thing', records: 3 },
    { key: 'name:acme/thing', records: 1 },
  ])

  expect(listCandidateKeys(withCpe('*:*:thing:1.0:*'), resolve)).toEqual([
    'cpe:acme:thing',
    'name:acme/thing',
    'purl:generic/thing',
  ])
  expect(listCandidateKeys(withCpe('a:acme:thing:1.0:*'), resolve)).toEqual([
    'cpe:*:thing',
    'cpe:acme:thing',
    'name:*/thing',
    'name:acme/thing',
  ])
})

interface Vector {
  source: string
  range: {
    versionStartIncluding?: string
    versionStartExcluding?: string
    versionEndIncluding?: string
    versionEndExcluding?: string
  } | null
  target: string
  matches: boolean
}

const SCHEMES: Record<string, VersionScheme> = {
  maven: 'maven',
  npm: 'npm',
  nuget: 'nuget',
  composer: 'composer',
  deb: 'deb',
  rpm: 'rpm',
  apk: 'apk',
}
/** How OSV names the release a purl's qualifier states. */
const OSV_RELEASE: Record<string, string> = {
  debian: 'Debian',
  ubuntu: 'Ubuntu',
  alpine: 'Alpine',
  rhel: 'Red Hat',
  redhat: 'Red Hat',
  centos: 'CentOS',
  bullseye: 'Debian',
}

/** The vector's record as the feeds' records arrive here. */
function candidateOf({ source, range }: Vector): Candidate | undefined {
  const bounds = {
    ...(range?.versionStartIncluding !== undefined && { introduced: range.versionStartIncluding }),
    ...(range?.versionStartExcluding !== undefined && {
      introducedAfter: range.versionStartExcluding,
    }),
    ...(range?.versionEndIncluding !== undefined && { lastAffected: range.versionEndIncluding }),
    ...(range?.versionEndExcluding !== undefined && { fixed: range.versionEndExcluding }),
  }
  if (source.startsWith('pkg:')) {
    const purl = parsePurl(source)
    if (!purl) return undefined
    const distro = purl.qualifiers['distro']
    const [name = '', release = name] = distro?.split('-') ?? []
    const fields = {
      scheme: SCHEMES[purl.type] ?? 'generic',
      ...(distro !== undefined && { distro: `${OSV_RELEASE[name] ?? name}:${release}` }),
    }
    const exact = purl.version === undefined || range ? bounds : { versions: [purl.version] }
    return candidate(formatPurlKey(purl), [statement([entry(exact)], fields)], { source: 'osv' })
  }
  const name = parseCpe(source)
  const key = name && formatCpeKey(unquote(name.vendor), unquote(name.product))
  if (!name || key === undefined) return undefined
  const isPrefix = /^\d+\.\*$/.test(name.version)
  const prefix = { introduced: '1', fixed: '2' }
  const exact = name.version === '*' ? bounds : isPrefix ? prefix : { versions: [name.version] }
  return candidate(key, [statement([entry({ ...exact, cpe: source })])])
}

function matchesVector(vector: Vector): boolean {
  const isPurl = vector.target.startsWith('pkg:')
  const nothing = {
    vendor: undefined,
    packageName: 'thing',
    version: undefined,
    scope: undefined,
    builtFrom: undefined,
  }
  const identified = identifyPackage({
    ...nothing,
    purl: isPurl ? vector.target : undefined,
    cpes: isPurl ? [] : [vector.target],
  })
  const given = candidateOf(vector)
  if (!given || !('identity' in identified)) return false
  return outcome(identified.identity, given) in { High: 1, Medium: 1, Low: 1 }
}

/** Vectors of another tool that decide otherwise than docs/design/matching.md, by number. */
const DEVIATIONS: Record<string, { numbers: number[]; because: string }[]> = {
  'dependency-track-matching.json': [
    {
      numbers: [3, 28, 34, 43, 90, 104, 119, 143, 146, 148, 155],
      because: 'the component states no version, so it is not matched and says so',
    },
    { numbers: [18, 27, 142, 144], because: 'a criterion of every product is no key' },
    { numbers: [41], because: 'nor is one of no vendor' },
    {
      numbers: [51, 133, 138, 145],
      because: 'a criterion of version - may mean any version: a match of low confidence',
    },
  ],
  'dependency-track-purl-matching.json': [
    {
      numbers: [21, 29],
      because: 'a record of one release says nothing of a package that states none',
    },
    { numbers: [31], because: 'a release nobody knows is none of the package' },
  ],
}

describeWithSharedData('the matching vectors of another tool', (folder) => {
  it.each(Object.keys(DEVIATIONS))('%s agree but for the deviations that are meant', (file) => {
    const path = join(folder, 'conformance/cpe', file)
    const vectors = JSON.parse(readFileSync(path, 'utf8')) as Vector[]

    const differing = vectors.flatMap((vector, number) =>
      matchesVector(vector) === vector.matches ? [] : [number],
    )

    expect(differing).toEqual(
      (DEVIATIONS[file] ?? []).flatMap(({ numbers }) => numbers).toSorted((a, b) => a - b),
    )
  })
})
