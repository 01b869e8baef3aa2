import { expect, it } from 'vitest'
import { isOfLaterUpstream, findOtherBuilder } from './builders.ts'

it.each`
  ecosystem         | version                                 | because
  ${'Debian'}       | ${'1.22.1-9'}                           | ${'it has no mark'}
  ${'Debian'}       | ${'1.2.3-1~deb12u1'}                    | ${'Debian writes it for a version that a release gets whole'}
  ${'Debian'}       | ${'2.4.31-1+nmu2+deb8u5'}               | ${'of a non-maintainer upload'}
  ${'Debian'}       | ${'4:3.5.9-3+lenny1'}                   | ${'old updates have the name of the release'}
  ${'Debian'}       | ${'20230311+deb12u1'}                   | ${'it is native'}
  ${'Debian'}       | ${'1.6~git20131207+dfsg-1'}             | ${'the upstream part is upstream’s'}
  ${'Debian'}       | ${'9.2.3-2+b4'}                         | ${'of a rebuild without changes'}
  ${'Ubuntu'}       | ${'5:6.0.16-1ubuntu1'}                  | ${'it is Ubuntu’s'}
  ${'Ubuntu'}       | ${'17.0.9+9-1~22.04'}                   | ${'so are updates of whole versions'}
  ${'Ubuntu'}       | ${'1.21.1-1~ubuntu22.04.2'}             | ${'Go of jammy-updates is called so'}
  ${'Ubuntu'}       | ${'1.0.2g-1ubuntu4.20+esm12'}           | ${'of Ubuntu Pro'}
  ${'Ubuntu'}       | ${'3.13.0-24.46~precise1'}              | ${'kernels of later releases were called so'}
  ${'AlmaLinux'}    | ${'4.18.0-372.9.1.el8_6.alma.1'}        | ${'it is AlmaLinux’s'}
  ${'AlmaLinux'}    | ${'2.4-3.module_el8.6.0+3137+d33c3efb'} | ${'of a module'}
  ${'Rocky Linux'}  | ${'1.1-3.el8.rocky.0.1'}                | ${'it is Rocky’s'}
  ${'Oracle Linux'} | ${'5.4.17-2136.el8uek'}                 | ${'of Oracle’s own kernel'}
  ${'Oracle Linux'} | ${'1.1.1k-4.0.1.el8_5'}                 | ${'it adds a number before'}
  ${'CentOS'}       | ${'2.4.6-99.el7.centos.1'}              | ${'it is CentOS’s'}
  ${'Red Hat'}      | ${'1.2-3.el8eap'}                       | ${'of another product of Red Hat'}
  ${'SUSE'}         | ${'1.2-150400.3.6.1'}                   | ${'it has no mark'}
  ${'openSUSE'}     | ${'1.2-lp155.2.1'}                      | ${'it is of a project of openSUSE'}
  ${'Mageia'}       | ${'1.2-3.mga8.tainted'}                 | ${'of a part of Mageia'}
  ${'Red Hat'}      | ${'1.2-3.module+el9.3.0+1976+d716bdfe'} | ${'of a module'}
`('$version is a build of $ecosystem, as $because', ({ ecosystem, version }) => {
  expect(
    findOtherBuilder({ ecosystem: String(ecosystem), version: String(version) }),
  ).toBeUndefined()
})

it.each`
  ecosystem         | version                                     | mark
  ${'Debian'}       | ${'1.26.1-1~bookworm'}                      | ${'“~bookworm”'}
  ${'Debian'}       | ${'2.4.51-1+deb11u1+vendor2'}               | ${'“+vendor2”'}
  ${'Debian'}       | ${'15.5-1.pgdg120+1'}                       | ${'“.pgdg”'}
  ${'Debian'}       | ${'5:24.0.7-1~debian.12~bookworm'}          | ${'“~debian.12”'}
  ${'Debian'}       | ${'18.19.0-1nodesource1'}                   | ${'“nodesource”'}
  ${'Debian'}       | ${'1:10.11.6+maria~deb12'}                  | ${'“+maria”'}
  ${'Debian'}       | ${'8.2.7-1+0~20231123.34+debian12~1.gbpab'} | ${'“+debian12”'}
  ${'Debian'}       | ${'1:1.2.3-4+rpt1'}                         | ${'“+rpt1”'}
  ${'Debian'}       | ${'1.18.0-0ubuntu1'}                        | ${'“ubuntu1”'}
  ${'Ubuntu'}       | ${'6:7.4.1-1rl1~jammy1'}                    | ${'“rl1”'}
  ${'Ubuntu'}       | ${'5:7.0.5-1ppa1~ubuntu22.04'}              | ${'“ppa1”'}
  ${'Ubuntu'}       | ${'7.0.5-1+ppa~22.04.1'}                    | ${'“+ppa”'}
  ${'Ubuntu'}       | ${'7.0.5-1~22.04.1+ppa'}                    | ${'“+ppa”'}
  ${'Ubuntu'}       | ${'8.2.7-1+ubuntu22.04.1+deb.sury.org+1'}   | ${'“+deb.sury.org”'}
  ${'Ubuntu'}       | ${'2022.7-0ubuntu0~cloud0'}                 | ${'“~cloud0”'}
  ${'AlmaLinux'}    | ${'1:1.26.1-1.el9.ngx'}                     | ${'“.ngx”'}
  ${'CentOS'}       | ${'1:1.26.1-1.el8.ngx'}                     | ${'“.ngx”'}
  ${'Rocky Linux'}  | ${'8.2.13-1.el9.remi.8.2'}                  | ${'“.remi”'}
  ${'Red Hat'}      | ${'6.6.1-1.el9.elrepo'}                     | ${'“.elrepo”'}
  ${'Red Hat'}      | ${'15.4-1PGDG.rhel9'}                       | ${'“PGDG”'}
  ${'Red Hat'}      | ${'1.2.3-4.el9.acme.1'}                     | ${'“.acme”'}
  ${'Amazon Linux'} | ${'1.2-3.el7'}                              | ${'“.el7”'}
  ${'Amazon Linux'} | ${'1.2-3.amzn2.acme'}                       | ${'“.acme”'}
  ${'Red Hat'}      | ${'1.2-3.el9+acme1'}                        | ${'“.acme”'}
  ${'openSUSE'}     | ${'6.1.1-150500.1.pm.3'}                    | ${'“.pm”'}
  ${'openEuler'}    | ${'1.2-3.oe2203.bclinux'}                   | ${'“.bclinux”'}
`('$mark of $version is not a mark of $ecosystem', ({ ecosystem, version, mark }) => {
  const other = findOtherBuilder({ ecosystem: String(ecosystem), version: String(version) })

  expect(other?.reason).toBe(
    `${String(mark)} in its version is not a mark of ${String(ecosystem)}, so another builder’s`,
  )
})

it.each`
  ecosystem      | release  | version       | isOther
  ${'Red Hat'}   | ${'9'}   | ${'6.1.55-1'} | ${true}
  ${'Red Hat'}   | ${'5'}   | ${'1.0.3-6'}  | ${false}
  ${'Red Hat'}   | ${'9'}   | ${'6.1.55'}   | ${false}
  ${'Photon OS'} | ${'5.0'} | ${'6.1.79-2'} | ${true}
  ${'Fedora'}    | ${'39'}  | ${'15.8-3'}   | ${false}
`(
  'of $version without a mark another is the builder on $ecosystem $release: $isOther',
  ({
    isOther,
    ...facts
  }: {
    ecosystem: string
    release: string
    version: string
    isOther: boolean
  }) => {
    expect(findOtherBuilder(facts) !== undefined).toBe(isOther)
  },
)

it('knows EPEL by the vendor or the repository, as its versions have no mark', () => {
  const build = { ecosystem: 'AlmaLinux', version: '3.2-1.el9' }

  expect(findOtherBuilder({ ...build, vendor: 'Fedora Project' })?.reason).toContain(
    'Fedora Project',
  )
  expect(findOtherBuilder({ ...build, repository: 'epel-9' })?.reason).toContain('epel-9')
  expect(findOtherBuilder({ ...build, vendor: 'AlmaLinux' })).toBeUndefined()
})

it.each`
  version                | sourcesOf
  ${'8.12.1-1~bpo12+1'}  | ${'13'}
  ${'9.16.22-1~bpo10+1'} | ${'11'}
  ${'1.2-1~bpo8+1'}      | ${'9'}
  ${'1.2-1~bpo60+1'}     | ${'7'}
`('$version has the sources of Debian $sourcesOf', ({ version, sourcesOf }) => {
  const other = findOtherBuilder({ ecosystem: 'Debian', version: String(version) })

  expect(other?.sourcesOf).toBe(sourcesOf)
})

it.each`
  version               | ecosystem    | release    | fixes                      | expected
  ${'1.26.1-1'}         | ${'Debian'}  | ${'12'}    | ${['1.22.1-9+deb12u1']}    | ${true}
  ${'1.22.1-9'}         | ${'Debian'}  | ${'12'}    | ${['1.22.1-9+deb12u1']}    | ${false}
  ${'1.26.1-1~deb12u1'} | ${'Debian'}  | ${'12'}    | ${['1.22.1-9+deb12u1']}    | ${false}
  ${'1.26.1-1'}         | ${'Debian'}  | ${'12'}    | ${['1.22.1-9']}            | ${false}
  ${'1.26.1-1'}         | ${'Debian'}  | ${'13'}    | ${['1.22.1-9+deb12u1']}    | ${false}
  ${'6.1.170-1'}        | ${'Debian'}  | ${'12'}    | ${['6.1.20-2~deb12u1']}    | ${false}
  ${'5:7.0.5-1'}        | ${'Ubuntu'}  | ${'22.04'} | ${['5:6.0.16-1ubuntu1.1']} | ${true}
  ${'5:7.0.5-1ubuntu1'} | ${'Ubuntu'}  | ${'22.04'} | ${['5:6.0.16-1ubuntu1.1']} | ${false}
  ${'1:1.26.1-1.el9'}   | ${'Red Hat'} | ${'9'}     | ${['1:1.20.1-14.el9']}     | ${false}
`('$version is later than $ecosystem $release with $fixes has: $expected', (row) => {
  const { version, ecosystem, release, fixes, expected } = row as Record<
    'version' | 'ecosystem' | 'release',
    string
  > & { fixes: string[]; expected: boolean }

  expect(isOfLaterUpstream(version, { ecosystem, release }, fixes)).toBe(expected)
})
