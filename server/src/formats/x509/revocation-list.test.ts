import { spawnSync } from 'node:child_process'
import { X509Certificate } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { givenAuthority } from '../../../test/given-certificates.ts'
import {
  encodeExtension,
  encodeNumber,
  type ListOptions,
  makeRevocationList,
  OIDS,
} from '../../../test/given-revocation-list.ts'
import { propertyRuns } from '../../../test/property-runs.ts'
import { readSerial } from './certificate.ts'
import { parseRevocationList, RefusedRevocationList } from './revocation-list.ts'

const isMissing = spawnSync('which', ['openssl']).status !== 0
if (isMissing) process.stderr.write('revocation-list.test.ts is skipped: no openssl\n')

describe.skipIf(isMissing)('a list of revoked certificates', () => {
  const authority = isMissing ? undefined : givenAuthority('Factory One')
  const made = (options: ListOptions = {}) => {
    if (!authority) throw new Error('no authority')
    return makeRevocationList(authority, options)
  }
  const parse = (pem: string) => parseRevocationList(pem, new X509Certificate(authority?.pem ?? ''))
  const serialsOf = (serials: readonly string[]) =>
    parse(made({ serials })).revoked.map(({ serial }) => serial)

  it.each`
    bytes       | serial     | because
    ${'7f'}     | ${'7f'}    | ${'it is positive'}
    ${'00ff'}   | ${'ff'}    | ${'the zero says that it is positive'}
    ${'0000ff'} | ${'ff'}    | ${'authorities write zeros that DER does not allow'}
    ${'00'}     | ${'0'}     | ${'zero is a number'}
    ${'81'}     | ${'-7f'}   | ${'it is negative, as OpenSSL prints it'}
    ${'ff'}     | ${'-1'}    | ${'minus one has no zeros in front'}
    ${'80'}     | ${'-80'}   | ${'the least of one byte is negative'}
    ${'ff0080'} | ${'-ff80'} | ${'it is negative with three bytes'}
  `('reads the serial number $bytes as $serial, as $because', ({ bytes, serial }) => {
    expect(serialsOf([String(bytes)])).toEqual([serial])
  })

  it.each`
    text        | serial
    ${'-7F'}    | ${'-7f'}
    ${'-01'}    | ${'-1'}
    ${'00:FF'}  | ${'ff'}
    ${'0x00ff'} | ${'ff'}
    ${'-0x80'}  | ${'-80'}
    ${'-00'}    | ${'0'}
    ${'--1'}    | ${undefined}
    ${'1-1'}    | ${undefined}
  `('reads $text, as people write it, as $serial', ({ text, serial }) => {
    expect(readSerial(String(text))).toBe(serial)
  })

  it('takes 100,000 entries, the first and the last among them', () => {
    const serials = Array.from({ length: 100_000 }, (_, index) =>
      (0x10_00_00_00 + index).toString(16).padEnd(40, '0'),
    )

    const { revoked } = parse(made({ serials }))

    expect(revoked).toHaveLength(100_000)
    expect([revoked.at(0)?.serial, revoked.at(-1)?.serial]).toEqual([serials[0], serials.at(-1)])
  })

  it('is refused when it is a delta or of a part, whether it says so critically or not', () => {
    for (const isCritical of [true, false]) {
      const delta = encodeExtension(OIDS.deltaIndicator, { isCritical, value: encodeNumber(1) })
      const part = encodeExtension(OIDS.distributionPoint, {
        isCritical,
        value: Buffer.from('3003820100', 'hex'),
      })

      expect(() => parse(made({ extensions: [delta] }))).toThrow('it is a delta')
      expect(() => parse(made({ extensions: [part] }))).toThrow('of a part of the certificates')
    }
  })

  it('is refused when an entry is of another authority, and taken when it tells a reason', () => {
    const entry = (oid: string, isCritical: boolean) => ({
      serials: ['01'],
      entryExtensions: [encodeExtension(oid, { isCritical, value: Buffer.from('0a0101', 'hex') })],
    })

    expect(() => parse(made(entry(OIDS.certificateIssuer, true)))).toThrow('2.5.29.29')
    expect(parse(made(entry(OIDS.reason, true))).revoked).toHaveLength(1)
    expect(parse(made(entry(OIDS.reason, false))).revoked).toHaveLength(1)
  })

  it('is refused when it bears the name of another authority, though the key is the same', () => {
    const name = givenAuthority('Factory Two')

    expect(() => parse(made({ name }))).toThrow('an authority with another name')
  })

  it('is taken when its name is written in other letters', () => {
    const name = givenAuthority('FACTORY   one')

    expect(parse(made({ name })).revoked).toEqual([])
  })

  it('is refused in words, and not by a fault of ours, when any part of it is changed or missing', () => {
    const pem = made({ serials: ['01', '00ff', '81'] })
    const der = Buffer.from(pem.replaceAll(/-----[A-Z0-9 ]+-----|\s/g, ''), 'base64')
    const issuer = new X509Certificate(authority?.pem ?? '')

    fc.assert(
      fc.property(
        fc.nat(der.length - 1),
        fc.integer({ min: 1, max: 255 }),
        fc.boolean(),
        (at, change, isCut) => {
          const bytes = isCut ? der.subarray(0, at) : Buffer.from(der)
          if (!isCut) bytes[at] = (bytes[at] ?? 0) ^ change
          expect(() => parseRevocationList(bytes, issuer)).toThrow(RefusedRevocationList)
        },
      ),
      { numRuns: propertyRuns(500) },
    )
  })
})
