import { expect, it } from 'vitest'
import { isPublicAddress } from './addresses.ts'
import { findProxy } from './proxies.ts'
import { retryAfterMs } from './retry-delay.ts'

it.each`
  address                   | isPublic
  ${'93.184.216.34'}        | ${true}
  ${'2606:2800:220:1::1'}   | ${true}
  ${'172.32.0.1'}           | ${true}
  ${'172.31.255.255'}       | ${false}
  ${'10.1.2.3'}             | ${false}
  ${'127.8.8.8'}            | ${false}
  ${'169.254.169.254'}      | ${false}
  ${'100.100.100.200'}      | ${false}
  ${'0.0.0.0'}              | ${false}
  ${'255.255.255.255'}      | ${false}
  ${'::1'}                  | ${false}
  ${'::'}                   | ${false}
  ${'::127.0.0.1'}          | ${false}
  ${'::ffff:0:127.0.0.1'}   | ${false}
  ${'3fff::1'}              | ${false}
  ${'::ffff:127.0.0.1'}     | ${false}
  ${'::ffff:93.184.216.34'} | ${true}
  ${'64:ff9b::7f00:1'}      | ${false}
  ${'fd00:ec2::254'}        | ${false}
  ${'fe80::1'}              | ${false}
  ${'2002:7f00:1::'}        | ${false}
  ${'not an address'}       | ${false}
`(
  '$address is public: $isPublic',
  ({ address, isPublic }: { address: string; isPublic: boolean }) => {
    expect(isPublicAddress(address)).toBe(isPublic)
  },
)

it.each`
  url                             | none                 | isProxied
  ${'https://nvd.nist.gov/feeds'} | ${[]}                | ${true}
  ${'https://nvd.nist.gov/feeds'} | ${['*']}             | ${false}
  ${'https://nvd.nist.gov/feeds'} | ${['nist.gov']}      | ${false}
  ${'https://nvd.nist.gov/feeds'} | ${['.nist.gov']}     | ${false}
  ${'https://nvd.nist.gov/feeds'} | ${['*.nist.gov']}    | ${false}
  ${'https://nvd.nist.gov/feeds'} | ${['ist.gov']}       | ${true}
  ${'https://nvd.nist.gov/feeds'} | ${['nist.gov:443']}  | ${false}
  ${'https://nvd.nist.gov/feeds'} | ${['nist.gov:8443']} | ${true}
  ${'https://mirror:8443/nvd'}    | ${['mirror:8443']}   | ${false}
  ${'https://[fd00::1]/nvd'}      | ${['fd00::1']}       | ${false}
`(
  '$url with NO_PROXY $none is proxied: $isProxied',
  ({ url, none, isProxied }: { url: string; none: string[]; isProxied: boolean }) => {
    const proxies = { http: undefined, https: 'http://proxy:3128', none }

    expect(findProxy(new URL(url), proxies) !== undefined).toBe(isProxied)
  },
)

it('reads what Retry-After asks for, in seconds or as a date', () => {
  const now = Date.parse('2026-01-01T00:00:00Z')

  expect(retryAfterMs('120', now)).toBe(120_000)
  expect(retryAfterMs('Thu, 01 Jan 2026 00:01:00 GMT', now)).toBe(60_000)
  expect(retryAfterMs('Wed, 31 Dec 2025 00:00:00 GMT', now)).toBe(0)
  expect(retryAfterMs('soon', now)).toBeUndefined()
  expect(retryAfterMs(undefined, now)).toBeUndefined()
})
