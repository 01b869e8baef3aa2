import { expect, it } from 'vitest'
import { statementsOf } from './fixtures/cve-record.ts'

const versionEntries = (...of: object[]) =>
  statementsOf({ versions: of.map((entry) => ({ status: 'affected', ...entry })) })

it.each`
  version                                                                                                                            | expected
  ${{ version: '1.2' }}                                                                                                              | ${[{ versions: ['1.2'], text: '1.2' }]}
  ${{ version: '1.0', lessThan: '2.0' }}                                                                                             | ${[{ introduced: '1.0', fixed: '2.0', text: '>= 1.0, < 2.0' }]}
  ${{ version: '0', lessThanOrEqual: '2.0' }}                                                                                        | ${[{ lastAffected: '2.0', text: '<= 2.0' }]}
  ${{ version: 'unspecified', lessThan: 'v2.0' }}                                                                                    | ${[{ fixed: '2.0', startIsUnstated: true, text: '< v2.0' }]}
  ${{ version: '*', lessThanOrEqual: '3.4' }}                                                                                        | ${[{ lastAffected: '3.4', startIsUnstated: true, text: '<= 3.4' }]}
  ${{ version: '2.0', lessThan: '*' }}                                                                                               | ${[{ introduced: '2.0', text: '>= 2.0' }]}
  ${{ version: '2.0', lessThan: 'unspecified' }}                                                                                     | ${[{ introduced: '2.0', text: '>= 2.0, < unspecified' }]}
  ${{ version: '0', lessThan: '*' }}                                                                                                 | ${[{ text: 'all versions' }]}
  ${{ version: '5.10.3', lessThanOrEqual: '5.10.*' }}                                                                                | ${[{ introduced: '5.10.3', fixed: '5.11', fixedIsDerived: true, text: '>= 5.10.3, <= 5.10.*' }]}
  ${{ version: '1.0', lessThan: '1.*' }}                                                                                             | ${[{ introduced: '1.0', fixed: '2', fixedIsDerived: true, text: '>= 1.0, < 1.*' }]}
  ${{ version: '5.0.*', lessThan: '5.2.1' }}                                                                                         | ${[{ introduced: '5.0', fixed: '5.2.1', text: '>= 5.0.*, < 5.2.1' }]}
  ${{ version: '8.6.0', lessThanOrEqual: '8.6.0' }}                                                                                  | ${[{ versions: ['8.6.0'], text: '8.6.0' }]}
  ${{ version: '8.4.0', lessThan: '8.4.0' }}                                                                                         | ${[{ fixed: '8.4.0', startIsUnstated: true, text: '< 8.4.0' }]}
  ${{ version: 'n/a', lessThanOrEqual: '<=9.3.0' }}                                                                                  | ${[{ lastAffected: '9.3.0', startIsUnstated: true, text: '<= <=9.3.0' }]}
  ${{ version: '>= 1.0, < 2.0' }}                                                                                                    | ${[{ introduced: '1.0', fixed: '2.0', text: '>= 1.0, < 2.0' }]}
  ${{ version: '1.4', lessThan: '3.4', versionType: 'git' }}                                                                         | ${[{ introduced: '1.4', fixed: '3.4', text: '>= 1.4, < 3.4' }]}
  ${{ version: '1.0', lessThan: '2.0', changes: [{ at: '1.5', status: 'unaffected' }] }}                                             | ${[{ introduced: '1.0', fixed: '1.5', text: '>= 1.0, < 2.0' }, { status: 'unaffected', introduced: '1.5', fixed: '2.0', text: '>= 1.0, < 2.0' }]}
  ${{ version: '1.4', lessThan: '1.20', changes: [{ at: '1.19.3', status: 'unaffected' }, { at: '1.18.5', status: 'unaffected' }] }} | ${[{ status: 'unaffected', introduced: '1.18.5', fixed: '1.19', fixedIsDerived: true, text: '>= 1.18.5, < 1.19' }, { status: 'unaffected', introduced: '1.19.3', fixed: '1.20', fixedIsDerived: true, text: '>= 1.19.3, < 1.20' }, { introduced: '1.4', fixed: '1.20', text: '>= 1.4, < 1.20' }]}
  ${{ version: '1.4', lessThan: '*', changes: [{ at: '1.18.5', status: 'unaffected' }, { at: '1.19.3', status: 'unaffected' }] }}    | ${[{ status: 'unaffected', introduced: '1.18.5', fixed: '1.19', fixedIsDerived: true, text: '>= 1.18.5, < 1.19' }, { status: 'unaffected', introduced: '1.19.3', text: '>= 1.19.3' }, { introduced: '1.4', text: '>= 1.4' }]}
  ${{ version: '1.0', lessThan: '*', changes: [{ at: '3.0', status: 'affected' }, { at: '2.0', status: 'unaffected' }] }}            | ${[{ introduced: '1.0', fixed: '2.0', text: '>= 1.0' }, { status: 'unaffected', introduced: '2.0', fixed: '3.0', text: '>= 1.0' }, { introduced: '3.0', text: '>= 1.0' }]}
  ${{ version: '1.4', lessThan: '1.20', changes: [{ at: 'r1', status: 'unaffected' }, { at: '2-h1', status: 'unaffected' }] }}       | ${[{ introduced: '1.4', fixed: '1.20', text: '>= 1.4, < 1.20' }]}
`(
  'the version entry $version is read as $expected',
  ({ version, expected }: { version: object; expected: object[] }) => {
    const [statement, ...rest] = versionEntries(version)

    expect(statement?.versions).toEqual(
      expected.map((of: object) => ({ status: 'affected', ...of })),
    )
    expect(rest).toEqual([])
  },
)

it.each`
  version                                           | reason
  ${{ version: 'n/a' }}                             | ${'no version is stated'}
  ${{ version: '0' }}                               | ${'version 0 without an end'}
  ${{ version: 'n/a', lessThanOrEqual: 'n/a' }}     | ${'no version is stated'}
  ${{ version: '10.0.0', lessThan: 'publication' }} | ${'not understood: publication'}
  ${{ version: 'r8p0', lessThan: 'r32p0' }}         | ${'not understood: r8p0'}
  ${{ version: '0', lessThan: '2019 SP1' }}         | ${'not understood: 2019 SP1'}
  ${{ version: '>= 1.0', lessThan: '> 2.0' }}       | ${'not understood: > 2.0'}
  ${{ version: 'Kernel' }}                          | ${'not understood: Kernel'}
`(
  'the version entry $version gives no verdict: $reason',
  ({ version, reason }: { version: object; reason: string }) => {
    expect(versionEntries(version)).toEqual([
      {
        scheme: 'generic',
        defaultStatus: 'unknown',
        versions: [],
        vendor: 'Acme',
        packageName: 'Widget',
        undecidable: reason,
      },
    ])
  },
)

it('one entry that is not understood leaves the others in force and the default unknown', () => {
  const [decided, undecidable] = statementsOf({
    defaultStatus: 'unaffected',
    versions: [
      { version: '1.0', status: 'affected' },
      { version: 'see notes', status: 'affected' },
    ],
  })

  expect(decided).toMatchObject({ defaultStatus: 'unknown', versions: [{ versions: ['1.0'] }] })
  expect(undecidable).toMatchObject({ undecidable: 'not understood: see notes' })
})

it('an entry that is not understood but says what the default says leaves the default in force', () => {
  const [decided] = statementsOf({
    defaultStatus: 'unaffected',
    versions: [
      { version: '1.0', status: 'affected' },
      { version: 'see notes', status: 'unaffected' },
    ],
  })

  expect(decided).toMatchObject({ defaultStatus: 'unaffected' })
})

it('an absent default is unknown, and no entry at all says nothing', () => {
  expect(
    statementsOf({ versions: [{ version: '1.0', status: 'affected' }] })[0]?.defaultStatus,
  ).toBe('unknown')
  expect(statementsOf({})).toEqual([])
  expect(statementsOf({ defaultStatus: 'affected' })).toMatchObject([
    { defaultStatus: 'affected', versions: [] },
  ])
})

it('several open ends speak of their own branches', () => {
  const [statement] = versionEntries(
    { version: '5.6.43 and prior' },
    { version: '8.0.15 and prior' },
    { version: '5.7.25 and prior' },
  )

  expect(statement?.versions).toMatchObject([
    { lastAffected: '5.6.43' },
    { lastAffected: '8.0.15', introduced: '5.8' },
    { lastAffected: '5.7.25', introduced: '5.7' },
  ])
  expect(statement?.versions[0]).not.toHaveProperty('introduced')
})

it('an unaffected beginning is cut out of the affected one', () => {
  const [statement] = versionEntries(
    { version: '8.4.0', lessThan: '8.4.0' },
    { version: '7.9.1', lessThan: '7.9.1', status: 'unaffected' },
  )

  expect(statement?.versions).toMatchObject([
    { status: 'affected', introduced: '7.9.1', fixed: '8.4.0' },
    { status: 'unaffected', fixed: '7.9.1' },
  ])
})

it.each`
  versionType  | versions            | scheme
  ${'semver'}  | ${['1.0.0']}        | ${'semver'}
  ${'semver'}  | ${['1.1.1q_weird']} | ${'generic'}
  ${'maven'}   | ${['1.0-beta']}     | ${'maven'}
  ${'custom'}  | ${['1.0']}          | ${'generic'}
  ${'Release'} | ${['1.0']}          | ${'generic'}
`(
  '$versionType with $versions is compared as $scheme',
  ({
    versionType,
    versions,
    scheme,
  }: {
    versionType: string
    versions: string[]
    scheme: string
  }) => {
    const [statement] = statementsOf({
      versions: versions.map((version: string) => ({
        version,
        lessThan: '9',
        status: 'affected',
        versionType,
      })),
    })

    expect(statement?.scheme).toBe(scheme)
  },
)
