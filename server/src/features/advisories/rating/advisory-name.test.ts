import { expect, it } from 'vitest'
import { chooseAdvisoryName, type NameParts } from './advisory-name.ts'

interface Named {
  title: string | undefined
  description: string | undefined
  expected: string | undefined
}

it.each`
  title            | description                                       | expected
  ${'The title'}   | ${'Words. More.'}                                 | ${'The title'}
  ${' two\nlines'} | ${undefined}                                      | ${'two lines'}
  ${'  '}          | ${'First one. Second one.'}                       | ${'First one.'}
  ${undefined}     | ${'Before 1.2.3. After that all is well.'}        | ${'Before 1.2.3.'}
  ${undefined}     | ${'Foo v1.2 by Bar Inc. is bad, e.g. This. More'} | ${'Foo v1.2 by Bar Inc. is bad, e.g. This.'}
  ${undefined}     | ${'no end'}                                       | ${'no end'}
  ${undefined}     | ${'In the kernel:\n\nnet: fix it\n\nDetails. X.'} | ${'In the kernel: net: fix it Details.'}
  ${undefined}     | ${''}                                             | ${undefined}
  ${undefined}     | ${undefined}                                      | ${undefined}
`(
  'of title $title and description $description the name is $expected',
  ({ title, description, expected }: Named) => {
    expect(chooseAdvisoryName({ title, description })).toBe(expected)
  },
)

it('cuts a name that is longer than a line of a list', () => {
  const name = chooseAdvisoryName({ title: 'long '.repeat(1_000), description: undefined })

  expect(name).toHaveLength(300)
  expect(name).toMatch(/…$/)
})

it.each`
  id                       | aliases           | upstream                        | title                                                | description                                                                                                                               | expected                                         | because
  ${'ALSA-2024:1'}         | ${[]}             | ${['CVE-2024-37891']}           | ${'Moderate: fence-agents security update'}          | ${'The fence-agents packages provide scripts. More.'}                                                                                     | ${undefined}                                     | ${'it is an update of another package'}
  ${'RHSA-2024:1'}         | ${['CVE-2024-1']} | ${[]}                           | ${'Red Hat Security Advisory: curl security update'} | ${undefined}                                                                                                                              | ${undefined}                                     | ${'it mends what it names'}
  ${'DSA-5000-1'}          | ${['CVE-2024-1']} | ${[]}                           | ${'openssl - security update'}                       | ${undefined}                                                                                                                              | ${undefined}                                     | ${'it mends what it names'}
  ${'SUSE-SU-2024:1-1'}    | ${[]}             | ${['CVE-2024-1', 'CVE-2024-2']} | ${'Security update for python3'}                     | ${undefined}                                                                                                                              | ${undefined}                                     | ${'it mends what it names'}
  ${'ALSA-2024:2'}         | ${[]}             | ${[]}                           | ${'Moderate: thing security update'}                 | ${undefined}                                                                                                                              | ${'Moderate: thing security update'}             | ${'it names nothing else'}
  ${'UBUNTU-CVE-2024-1'}   | ${[]}             | ${['CVE-2024-1']}               | ${undefined}                                         | ${'A flaw in curl. More.'}                                                                                                                | ${'A flaw in curl.'}                             | ${'it is the record of one vulnerability'}
  ${'GHSA-1111-2222-3333'} | ${['CVE-2024-1']} | ${[]}                           | ${'urllib3 keeps a header'}                          | ${undefined}                                                                                                                              | ${'urllib3 keeps a header'}                      | ${'it is about the flaw'}
  ${'CVE-2024-1'}          | ${[]}             | ${[]}                           | ${undefined}                                         | ${'In the Linux kernel, the following vulnerability has been resolved:\n\nnetlabel: fix out-of-bounds memory accesses\n\nThere are two.'} | ${'netlabel: fix out-of-bounds memory accesses'} | ${'the subject tells something'}
  ${'CVE-2024-1'}          | ${[]}             | ${[]}                           | ${undefined}                                         | ${'Issue summary: Checking long keys is slow.\n\nImpact summary: DoS.'}                                                                   | ${'Checking long keys is slow.'}                 | ${'the words before it tell nothing'}
`('the name of $id is $expected, as $because', ({ expected, ...advisory }) => {
  expect(chooseAdvisoryName(advisory as NameParts)).toBe(expected)
})
