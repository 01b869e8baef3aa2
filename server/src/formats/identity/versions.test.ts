import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { describeWithSharedData } from '../../../test/shared-data.ts'
import { NEWEST_MAJOR } from './kernel-releases.ts'
import { readRegistryVersion, readVersion } from './versions.ts'

const NONE = [
  '-128-NOTFOUND',
  'HEAD-HASH-NOTFOUND',
  '1.30.0-NOTFOUND',
  '-1',
  'unknown-1',
  '${VERSION_2}',
  '$(VERSION_2)',
  '@VERSION1@',
  '%{version2}',
  '<1.2>',
  'main-20240101',
  'master-g1234abc',
  'nightly-20240101',
  'head-1',
  '^1.2.3',
  '~1.2',
  '>= 1.2',
  '[1.2,)',
  '1.2 || 2.0',
]

describe('a text that is no version', () => {
  it.each([...NONE, 'NOTFOUND', 'n/a', 'NONE', 'v', 'HEAD', 'latest', '@VERSION@', ''])(
    '%s gives none',
    (text) => {
      expect(readVersion(text, 'thing')).toBeUndefined()
      expect(readRegistryVersion(text)).toBeUndefined()
    },
  )

  it.each([
    '0',
    '0.0',
    'v0.0.0',
    '6.6.y',
    '2.x',
    '1.2.x-custom',
    'lf-6.6.y',
    'linux4microchip-2023.04',
    '0.0.0-unknown',
    '0.0.0+unknown',
    '0.0.0-SNAPSHOT',
    '0.0.0.dev0',
    '0.0.0-1234-gabcdef1',
    '1.2.*',
    '5.15-2.2.x-imx',
    'imx_4.9.x_1.0.0',
    'v3.5-branch',
    'gcc-12-branch',
    'maint-1.2',
    'release/2.38/master',
    'OpenSSL_1_1_1-stable',
    '1_36_stable',
  ])('%s names no release', (text) => {
    expect(readVersion(text, 'thing')).toBeUndefined()
  })

  it('is a number of a maker’s SDK, of what a board starts with', () => {
    for (const name of ['u-boot', 'u-boot-ti-staging', 'optee-os', 'trusted-firmware-a'])
      expect(readVersion('08.06.00.007', name)).toBeUndefined()
    expect(readVersion('08.06.00.007', 'edge-controller')).toBe('08.06.00.007')
  })

  it.each([
    '0.0.1',
    '1.30.0-stable',
    '0.6-gabcdef1',
    '0.6-ga',
    '5.15.71-lts-5.15.y',
    '1.30.0-vendor-branch',
    '0.0.0-20230101120000-abcdef123456',
    'dev2.0',
    '1.0-unknown',
    '2.0.0-x86',
    '1.2.10',
  ])('%s is one', (text) => {
    expect(readVersion(text, 'thing')).toBe(text)
  })
})

it.each`
  text                                          | release
  ${'5.4.24'}                                   | ${'5.4.24'}
  ${'v5.15'}                                    | ${'5.15'}
  ${'1:6.1.90'}                                 | ${'6.1.90'}
  ${'7.0-rc3'}                                  | ${'7.0-rc3'}
  ${'2.6.32.71'}                                | ${'2.6.32.71'}
  ${'6.12.38+git'}                              | ${'6.12.38'}
  ${'lf-6.6.52-2.2.0'}                          | ${'6.6.52-2.2.0'}
  ${'rel_imx_5.4.24_2.1.0'}                     | ${'5.4.24_2.1.0'}
  ${'socfpga-5.4.124-lts'}                      | ${'5.4.124-lts'}
  ${'v6.1-stm32mp-r1'}                          | ${'6.1-stm32mp-r1'}
  ${'v6.1.22-linux4microchip-2023.04'}          | ${'6.1.22-linux4microchip-2023.04'}
  ${'4f5b6c7d8e9f0a1b2c3d4e5f60718293a4b5c6d7'} | ${'4f5b6c7d8e9f0a1b2c3d4e5f60718293a4b5c6d7'}
  ${'linux4microchip-2023.04'}                  | ${undefined}
  ${'linux4sam_5.8'}                            | ${undefined}
  ${'xilinx-v2022.2'}                           | ${undefined}
  ${'2022.2'}                                   | ${undefined}
  ${'09.01.00.008'}                             | ${undefined}
  ${'10.00.00.08'}                              | ${undefined}
  ${'LSDK-21.08'}                               | ${undefined}
  ${'21.08'}                                    | ${undefined}
  ${'35.4.1'}                                   | ${undefined}
  ${'8.0'}                                      | ${undefined}
  ${'stable_20240423'}                          | ${undefined}
  ${'LE.UM.4.4.1'}                              | ${undefined}
  ${'rcar-5.1.7.rc11.2'}                        | ${undefined}
  ${'rockchip-5.10-gen-rkr4'}                   | ${undefined}
  ${'6.6.y'}                                    | ${undefined}
  ${'linux-6.6.y'}                              | ${undefined}
  ${'rpi-6.1.y'}                                | ${undefined}
  ${'6'}                                        | ${undefined}
`('the kernel $text is Linux $release', ({ text, release }: Record<string, string | undefined>) => {
  for (const name of ['linux_kernel', 'linux', 'linux-yocto', 'linux-imx'])
    expect(readVersion(text, name)).toBe(release)
})

describeWithSharedData('the records of the kernel', (folder) => {
  it('know no newer major number than is plausible', () => {
    const text = gunzipSync(readFileSync(join(folder, 'cve5/linux-kernel-cna.jsonl.gz'))).toString()

    const majors = new Set<number>()
    for (const [, major] of text.matchAll(/"lessThanOrEqual": ?"(\d+)\.[\d*]/g))
      majors.add(Number(major))

    expect([...majors].filter((major) => major > NEWEST_MAJOR)).toEqual([])
    expect(majors.has(6)).toBe(true)
  })
})
