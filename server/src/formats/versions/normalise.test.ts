import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isCommit, normaliseVersion, stripPackaging } from './normalise.ts'
import type { VersionScheme } from './schemes.ts'

describe('normaliseVersion', () => {
  it.each`
    text                                | version            | because
    ${'v1.2.3'}                         | ${'1.2.3'}         | ${'of the v prefix'}
    ${'V10.4.3'}                        | ${'10.4.3'}        | ${'FreeRTOS writes it large'}
    ${'v5'}                             | ${'5'}             | ${'one number is a version'}
    ${'v2.0-rc1'}                       | ${'2.0-rc1'}       | ${'the stage stays'}
    ${'v5rc1'}                          | ${'5rc1'}          | ${'the stage stays'}
    ${'n4.4.1'}                         | ${'4.4.1'}         | ${'FFmpeg tags with n'}
    ${'=1.2.3'}                         | ${'1.2.3'}         | ${'npm writes it so'}
    ${'version 1.2.3'}                  | ${'1.2.3'}         | ${'people write it so'}
    ${'hostap_2_11'}                    | ${'2.11'}          | ${'hostap tags so'}
    ${'curl-7_72_0'}                    | ${'7.72.0'}        | ${'curl tags so'}
    ${'VER-2-10-3'}                     | ${'2.10.3'}        | ${'FreeType tags so'}
    ${'openssl-3.0.7'}                  | ${'3.0.7'}         | ${'OpenSSL 3 tags so'}
    ${'OpenSSL_1_0_2k'}                 | ${'1.0.2k'}        | ${'OpenSSL 1 tagged so'}
    ${'openssl-3.0.0-alpha1'}           | ${'3.0.0-alpha1'}  | ${'the stage stays'}
    ${'R_2_4_9'}                        | ${'2.4.9'}         | ${'Expat tags so'}
    ${'zephyr-v3.7.0'}                  | ${'3.7.0'}         | ${'Zephyr tags so'}
    ${'TF-Mv2.3.0'}                     | ${'2.3.0'}         | ${'Trusted Firmware-M tags so'}
    ${'dev2.0'}                         | ${'dev2.0'}        | ${'the v is part of the word'}
    ${'mbedtls-3.6.0'}                  | ${'3.6.0'}         | ${'Mbed TLS tags so'}
    ${'lts-v2.8.6'}                     | ${'2.8.6'}         | ${'Trusted Firmware-A tags so'}
    ${'STABLE-2_1_3_RELEASE'}           | ${'2.1.3'}         | ${'lwIP tags so'}
    ${'V_9_3_P1'}                       | ${'9.3p1'}         | ${'OpenSSH tags so'}
    ${'DROPBEAR_2022.83'}               | ${'2022.83'}       | ${'Dropbear tags so'}
    ${'version-3.45.1'}                 | ${'3.45.1'}        | ${'SQLite tags so'}
    ${'1_36_1'}                         | ${'1.36.1'}        | ${'BusyBox tags so'}
    ${'v5.7.0-stable'}                  | ${'5.7.0'}         | ${'wolfSSL tags so'}
    ${'u-boot-2023.04'}                 | ${'2023.04'}       | ${'the name may have a hyphen'}
    ${'json-c-0.17-20230812'}           | ${'0.17-20230812'} | ${'only the name goes'}
    ${'refs/tags/v1.2.3'}               | ${'1.2.3'}         | ${'of the path'}
    ${'release/1.2.3'}                  | ${'1.2.3'}         | ${'of the path'}
    ${'@scope/name@1.2.3'}              | ${'1.2.3'}         | ${'monorepos tag so'}
    ${'2.38+gitAUTOINC+1f94b35dcb-r0'}  | ${'2.38'}          | ${'Yocto adds the revision'}
    ${'2.38+gitAUTOINC+1f94b35_aa3ed9'} | ${'2.38'}          | ${'or several'}
    ${'6.6.21+git0+7c8a1b2c3d'}         | ${'6.6.21'}        | ${'Yocto adds a counter'}
    ${'1.9+gitX'}                       | ${'1.9'}           | ${'SPDX of Yocto leaves it out'}
    ${'v1.9+git-r0'}                    | ${'1.9'}           | ${'both forms may meet'}
    ${' 1.2 '}                          | ${'1.2'}           | ${'white space is none of it'}
  `(
    'makes $version of $text, as $because',
    ({ text, version }: { text: string; version: string }) => {
      expect(normaliseVersion(text)).toBe(version)
    },
  )

  it.each([
    '1.2.3',
    '1.0.2zg',
    '2024a',
    '20230101',
    '1:9.6p1-3ubuntu13.5',
    '1.36.1-r2',
    '1.2.0_p1',
    '8u292',
    '1.8.0_292',
    '0.0~git20210101',
    '0.1+git20220101.abcdef0-1',
    '4.18.0-553.el8_10',
    '1.7-17.module+el8.3.0+6804+157bd82e',
    '0.5.11+git20200708+dd9ef66-5',
    '1.0.0-SNAPSHOT',
    '1.0.0.Final',
    '2.0.0-stable.1',
    'V200R019C00',
    'alpha-1.2',
    'build-1.20',
    'dev-main',
    'r5',
    'master',
    'unknown',
    'sha256:0123456789abcdef',
    '',
    '-',
    '4f5b6c7d8e9f0a1b2c3d4e5f60718293a4b5c6d7',
  ])('leaves %s alone', (text) => {
    expect(normaliseVersion(text)).toBe(text)
  })

  it('takes any text', () => {
    const piece = fc.constantFrom(
      'v',
      '1',
      '2',
      '.',
      '_',
      '-',
      '+',
      'git',
      'a',
      'rc',
      'R',
      '/',
      '@',
      ' ',
      'AUTOINC',
    )
    const text = fc.oneof(
      fc.string(),
      fc.array(piece, { maxLength: 10 }).map((parts) => parts.join('')),
    )

    fc.assert(
      fc.property(text, (any) => {
        expect(typeof normaliseVersion(any)).toBe('string')
      }),
    )
  })
})

describe('isCommit', () => {
  it.each`
    text                                          | expected
    ${'4f5b6c7d8e9f0a1b2c3d4e5f60718293a4b5c6d7'} | ${true}
    ${'4F5B6C7D8E9F0A1B2C3D4E5F60718293A4B5C6D7'} | ${true}
    ${'0'.repeat(64)}                             | ${true}
    ${'4f5b6c7'}                                  | ${false}
    ${'1.2.3'}                                    | ${false}
    ${''}                                         | ${false}
  `('is $expected for $text', ({ text, expected }: { text: string; expected: boolean }) => {
    expect(isCommit(text)).toBe(expected)
  })
})

describe('upstreamVersion', () => {
  it.each`
    scheme      | text                          | upstream
    ${'deb'}    | ${'1:9.6p1-3ubuntu13.5'}      | ${'9.6p1'}
    ${'deb'}    | ${'2:1.3.dfsg+really1.3.1-1'} | ${'1.3.1'}
    ${'deb'}    | ${'3.0.11-1~deb12u2'}         | ${'3.0.11'}
    ${'deb'}    | ${'1.2'}                      | ${'1.2'}
    ${'deb'}    | ${'1:1.3.dfsg-3.1'}           | ${'1.3'}
    ${'rpm'}    | ${'1:3.0.7-27.el9'}           | ${'3.0.7'}
    ${'apk'}    | ${'1.36.1-r15'}               | ${'1.36.1'}
    ${'alpm'}   | ${'1:1.3.1-2'}                | ${'1.3.1'}
    ${'semver'} | ${'1.0.0-1'}                  | ${'1.0.0-1'}
  `(
    'of $text in $scheme is $upstream',
    ({ scheme, text, upstream }: { scheme: VersionScheme; text: string; upstream: string }) => {
      expect(stripPackaging(scheme, text)).toBe(upstream)
    },
  )
})
