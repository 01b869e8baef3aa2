import { expect, it } from 'vitest'
import { normaliseDistribution, findUnknownDistribution } from './distro.ts'

it.each`
  stated                                   | distribution
  ${'Debian:11'}                           | ${'Debian:11'}
  ${'Debian:6.0'}                          | ${'Debian:6'}
  ${'Ubuntu:22.04:LTS'}                    | ${'Ubuntu:22.04'}
  ${'Ubuntu:Pro:18.04:LTS'}                | ${'Ubuntu:18.04'}
  ${'Alpine:v3.19'}                        | ${'Alpine:3.19'}
  ${'AlmaLinux:8'}                         | ${'AlmaLinux:8'}
  ${'SUSE:Linux Enterprise Server 15 SP4'} | ${'SUSE:15.4'}
  ${'wolfi'}                               | ${'Wolfi'}
  ${'openEuler:22.03-LTS-SP3'}             | ${'openEuler:22.03.3'}
  ${'openEuler:22.03-LTS'}                 | ${'openEuler:22.03'}
  ${'openSUSE:Leap Micro 5.5'}             | ${'openSUSE:5.5'}
`('records of $stated are of $distribution', ({ stated, distribution }) => {
  expect(normaliseDistribution(String(stated))).toBe(distribution)
})

it.each`
  distro                                         | known                         | unknown
  ${{ ecosystem: 'Debian', release: '11' }}      | ${['Debian:11']}              | ${undefined}
  ${{ ecosystem: 'Debian', release: '11' }}      | ${['Debian:12', 'Alpine:11']} | ${'Debian 11'}
  ${{ ecosystem: 'Debian' }}                     | ${['Debian:12']}              | ${undefined}
  ${{ ecosystem: 'Debian' }}                     | ${['Alpine:3.19']}            | ${'Debian'}
  ${{ ecosystem: 'Wolfi', release: '20230201' }} | ${['Wolfi']}                  | ${undefined}
  ${{ ecosystem: 'OpenWrt', release: '23.05' }}  | ${[]}                         | ${undefined}
  ${undefined}                                   | ${[]}                         | ${undefined}
`('of $distro, where records of $known are known, $unknown is unknown', (row) => {
  const { distro, known, unknown } = row as {
    distro: { ecosystem: string; release?: string } | undefined
    known: string[]
    unknown: string | undefined
  }

  expect(findUnknownDistribution(distro, new Set(known))).toBe(unknown)
})
