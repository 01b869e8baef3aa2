import { expect, it } from 'vitest'
import { formatCpeKey, nameKey, repoKey } from './keys.ts'

it.each`
  address                                                               | key
  ${'https://github.com/curl/curl'}                                     | ${'repo:github.com/curl/curl'}
  ${'https://www.GitHub.com/Curl/curl.git'}                             | ${'repo:github.com/curl/curl'}
  ${'git+https://github.com/curl/curl.git#main'}                        | ${'repo:github.com/curl/curl'}
  ${'git://git@gitlab.com:gitlab-org/gitlab.git'}                       | ${undefined}
  ${'git@github.com:curl/curl.git'}                                     | ${'repo:github.com/curl/curl'}
  ${'ssh://git@github.com:22/curl/curl.git'}                            | ${'repo:github.com/curl/curl'}
  ${'https://github.com/curl/curl/tree/master/lib'}                     | ${'repo:github.com/curl/curl'}
  ${'https://gitlab.com/group/sub/project/-/releases'}                  | ${'repo:gitlab.com/group/sub/project'}
  ${'https://git.kernel.org/pub/scm/linux/kernel/git/stable/linux.git'} | ${'repo:git.kernel.org/pub/scm/linux/kernel/git/stable/linux'}
  ${'https://github.com/OpenNMS'}                                       | ${undefined}
  ${'https://git.zabbix.com/'}                                          | ${undefined}
  ${'not an address'}                                                   | ${undefined}
  ${`https://github.com/${'a'.repeat(3000)}/b`}                         | ${undefined}
`('$address is $key', ({ address, key }: { address: string; key: string | undefined }) => {
  expect(repoKey(address)).toBe(key)
})

it.each`
  vendor                 | product              | key
  ${'The GNU C Library'} | ${'glibc'}           | ${'name:the_gnu_c_library/glibc'}
  ${'wolfSSL Inc.'}      | ${'wolfSSL'}         | ${'name:wolfssl/wolfssl'}
  ${'Acme Co., Ltd.'}    | ${'Widget'}          | ${'name:acme/widget'}
  ${'Inc'}               | ${'Widget'}          | ${'name:inc/widget'}
  ${'n/a'}               | ${'libfoo++'}        | ${'name:*/libfoo++'}
  ${undefined}           | ${'Widget (Server)'} | ${'name:*/widget_server'}
  ${'Acme'}              | ${'N/A'}             | ${undefined}
  ${'Acme'}              | ${'***'}             | ${undefined}
  ${'Acme'}              | ${'x'.repeat(1000)}  | ${undefined}
`(
  '$product of $vendor is $key',
  ({
    vendor,
    product,
    key,
  }: {
    vendor: string | undefined
    product: string
    key: string | undefined
  }) => {
    expect(nameKey(vendor, product)).toBe(key)
  },
)

it('a CPE product of any vendor is one, any product of a vendor is none', () => {
  expect(formatCpeKey('*', 'BusyBox')).toBe('cpe:*:busybox')
  expect(formatCpeKey('acme', '*')).toBeUndefined()
  expect(formatCpeKey('-', 'widget')).toBeUndefined()
})
