import { expect, it } from 'vitest'
import { formatHashName, listHashNames } from './hashes.ts'

const BYTES = Buffer.alloc(32, 0xab)
const HEX = BYTES.toString('hex')

it.each`
  algorithm        | value                          | expected                   | because
  ${'sha-256'}     | ${HEX}                         | ${`sha256:${HEX}`}         | ${'OpenVEX writes it so'}
  ${'SHA-256'}     | ${HEX.toUpperCase()}           | ${`sha256:${HEX}`}         | ${'CycloneDX writes the name so, some tools the value'}
  ${'SHA256'}      | ${` ${HEX}\n`}                 | ${`sha256:${HEX}`}         | ${'SPDX 2 writes it so'}
  ${'sha256'}      | ${`sha256:${HEX}`}             | ${`sha256:${HEX}`}         | ${'some repeat the name'}
  ${'sha256'}      | ${BYTES.toString('base64')}    | ${`sha256:${HEX}`}         | ${'it is base64'}
  ${'sha256'}      | ${BYTES.toString('base64url')} | ${`sha256:${HEX}`}         | ${'it is the other base64'}
  ${'sha3_256'}    | ${HEX}                         | ${`sha3256:${HEX}`}        | ${'SPDX 3 writes it so'}
  ${'SHA3-256'}    | ${HEX}                         | ${`sha3256:${HEX}`}        | ${'it is not SHA-256'}
  ${'md5'}         | ${HEX.slice(32)}               | ${`md5:${HEX.slice(32)}`}  | ${'it is short'}
  ${'sha-1'}       | ${HEX.slice(24)}               | ${`sha1:${HEX.slice(24)}`} | ${'old tools have it'}
  ${'BLAKE2b-256'} | ${HEX}                         | ${`blake2b256:${HEX}`}     | ${'CycloneDX has it'}
  ${'x-own'}       | ${HEX}                         | ${`xown:${HEX}`}           | ${'equal values of any algorithm are equal'}
  ${'sha-256'}     | ${HEX.slice(2)}                | ${undefined}               | ${'a byte is missing'}
  ${'sha-512'}     | ${HEX}                         | ${undefined}               | ${'it is of another algorithm'}
  ${'sha-256'}     | ${''}                          | ${undefined}               | ${'there is none'}
  ${'x-own'}       | ${'ab'}                        | ${undefined}               | ${'it tells nothing apart'}
`('reads $algorithm $value as $expected, as $because', ({ algorithm, value, expected }) => {
  expect(formatHashName(String(algorithm), String(value))).toBe(expected)
})

it.each`
  of             | hashes
  ${'OpenVEX'}   | ${{ 'sha-256': HEX, md5: 7 }}
  ${'CycloneDX'} | ${[{ alg: 'SHA-256', content: HEX }]}
  ${'CSAF'}      | ${[{ algorithm: 'sha256', value: HEX }]}
  ${'SPDX 3'}    | ${[{ algorithm: 'sha256', hashValue: HEX }]}
`('reads those of $of', ({ hashes }) => {
  expect(listHashNames(hashes)).toEqual([`sha256:${HEX}`])
})
