import { expect, it } from 'vitest'
import { projectAddress, projectAddressOfReference } from './project-address.ts'

it.each`
  address                                                                              | expected
  ${'https://github.com/curl/curl/issues/1'}                                           | ${'github.com/curl/curl'}
  ${'git+https://github.com/Curl/curl.git@v8'}                                         | ${'github.com/curl/curl'}
  ${'git@github.com:curl/curl.git'}                                                    | ${'github.com/curl/curl'}
  ${'https://raw.githubusercontent.com/curl/curl/master/README'}                       | ${'github.com/curl/curl'}
  ${'https://github.com/advisories/GHSA-aaaa-bbbb-cccc'}                               | ${undefined}
  ${'https://gitlab.freedesktop.org/dbus/dbus/-/issues/418'}                           | ${'gitlab.freedesktop.org/dbus/dbus'}
  ${'https://git.kernel.org/pub/scm/linux/kernel/git/torvalds/linux.git/commit/?id=1'} | ${'kernel.org/linux'}
  ${'git://git.kernel.org/pub/scm/linux/kernel/git/stable/linux.git'}                  | ${'kernel.org/linux'}
  ${'https://git.kernel.org/cgit/utils/dtc/dtc/commit/?id=1'}                          | ${'kernel.org/dtc'}
  ${'https://sourceware.org/git/gitweb.cgi?p=binutils-gdb.git;h=1'}                    | ${'sourceware.org/binutils-gdb'}
  ${'git://sourceware.org/git/binutils-gdb.git'}                                       | ${'sourceware.org/binutils-gdb'}
  ${'https://android.googlesource.com/platform/external/libavc/+/1'}                   | ${'android.googlesource.com/libavc'}
  ${'http://sourceforge.net/p/giflib/bugs/1/'}                                         | ${'sourceforge.net/giflib'}
  ${'https://giflib.sourceforge.net/'}                                                 | ${'sourceforge.net/giflib'}
  ${'https://downloads.sourceforge.net/project/giflib/giflib-5.tar.gz'}                | ${'sourceforge.net/giflib'}
  ${'http://savannah.nongnu.org/projects/freetype'}                                    | ${'savannah.gnu.org/freetype'}
  ${'https://git.savannah.gnu.org/cgit/freetype/freetype2.git/commit/?id=1'}           | ${'savannah.gnu.org/freetype'}
  ${'https://www.gnu.org/software/tar/'}                                               | ${'gnu.org/tar'}
  ${'https://www.gnu.org/'}                                                            | ${undefined}
  ${'https://curl.se/docs/CVE-2023-38545.html'}                                        | ${'curl.se'}
  ${'NOASSERTION'}                                                                     | ${undefined}
  ${'https://10.0.0.1/a.git'}                                                          | ${undefined}
`('$address is $expected', ({ address, expected }: Record<'address' | 'expected', string>) => {
  expect(projectAddress(address)).toBe(expected)
  if (address.includes('://')) expect(projectAddressOfReference(address)).toBe(expected)
})
