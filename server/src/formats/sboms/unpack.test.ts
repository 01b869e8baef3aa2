import { constants, gzipSync, zstdCompressSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { DEFAULT_SBOM_LIMITS, type SbomLimits } from './limits.ts'
import { parseSbom } from './parse.ts'
import { tarOf } from '../../../test/tar-of.ts'
import { unpack } from './unpack.ts'

const KIBIBYTE = 1024
const SBOM = JSON.stringify({ bomFormat: 'CycloneDX', specVersion: '1.6', components: [] })

function unpacked(file: Uint8Array, limits: Partial<SbomLimits> = {}): string {
  const result = unpack(file, { ...DEFAULT_SBOM_LIMITS, ...limits })
  if (result.kind === 'archive') throw new Error('an archive')
  return Buffer.from(result.bytes).toString()
}

describe('compression', () => {
  const skippable = Buffer.from([0x50, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 1, 2, 3])

  it.each`
    file                            | bytes
    ${'as it is'}                   | ${Buffer.from('abc')}
    ${'gzip'}                       | ${gzipSync('abc')}
    ${'gzip of several members'}    | ${Buffer.concat([gzipSync('ab'), gzipSync('c')])}
    ${'zstd'}                       | ${zstdCompressSync('abc')}
    ${'zstd of several frames'}     | ${Buffer.concat([zstdCompressSync('a'), zstdCompressSync('b'), zstdCompressSync('c')])}
    ${'zstd with skippable frames'} | ${Buffer.concat([skippable, zstdCompressSync('ab'), skippable, zstdCompressSync('c')])}
    ${'zstd in gzip'}               | ${gzipSync(zstdCompressSync('abc'))}
  `('$file is undone', ({ bytes }: { bytes: Buffer }) => {
    expect(unpacked(bytes)).toBe('abc')
  })

  it.each`
    file                       | bytes                                                              | message
    ${'cut off gzip'}          | ${gzipSync(SBOM).subarray(0, 40)}                                  | ${'The gzip compression ends too early: the file is cut off.'}
    ${'cut off zstd'}          | ${zstdCompressSync(SBOM).subarray(0, 20)}                          | ${'The zstd compression ends too early: the file is cut off.'}
    ${'broken gzip'}           | ${Buffer.from(gzipSync(SBOM)).fill(0x55, 12, 20)}                  | ${/^The gzip compression is broken: .+\.$/}
    ${'broken zstd'}           | ${Buffer.concat([zstdCompressSync(SBOM), Buffer.from('garbage')])} | ${'The zstd compression is broken: no frame follows the first.'}
    ${'compressed four times'} | ${gzipSync(gzipSync(gzipSync(gzipSync('abc'))))}                   | ${'The file is compressed more than 3 times.'}
  `('$file fails', ({ bytes, message }: { bytes: Buffer; message: string }) => {
    expect(() => unpacked(bytes)).toThrow(message)
  })

  it('refuses a zstd window that claims 128 MiB', () => {
    const wide = zstdCompressSync(Buffer.alloc(2 ** 25, 'ab'), {
      params: { [constants.ZSTD_c_windowLog]: 27 },
    })

    expect(() => unpacked(wide)).toThrow('needs a window above 8 MiB')
  })

  it.each([gzipSync, zstdCompressSync])('refuses a bomb of %o', (compress) => {
    const bomb = compress(Buffer.alloc(32 * KIBIBYTE * KIBIBYTE))

    expect(() => unpacked(bomb)).toThrow(
      expect.objectContaining({
        code: 'too-large',
        message: 'The file expands to more than 200 times its size, as a decompression bomb does.',
      }),
    )
  })

  it('counts the frames of a bomb together', () => {
    const frames = Array.from({ length: 64 }, () =>
      zstdCompressSync(Buffer.alloc(KIBIBYTE * KIBIBYTE)),
    )

    expect(() => unpacked(Buffer.concat(frames))).toThrow('decompression bomb')
  })

  it('lets a small repetitive file pass', () => {
    expect(unpacked(gzipSync(Buffer.alloc(900 * KIBIBYTE, 'a')))).toHaveLength(900 * KIBIBYTE)
  })

  it.each([
    Buffer.alloc(5_000),
    gzipSync(Buffer.alloc(5_000)),
    zstdCompressSync(Buffer.alloc(5_000)),
  ])('refuses more bytes than allowed, compressed or not', (bytes) => {
    expect(() => unpacked(bytes, { decompressedBytes: 4_000 })).toThrow(
      'The file is larger than 4000 bytes when decompressed.',
    )
  })
})

describe('a tar archive', () => {
  const spdx = (name: string, more: object = {}) =>
    JSON.stringify({
      spdxVersion: 'SPDX-2.2',
      documentNamespace: `https://example.com/${name}`,
      packages: [{ SPDXID: `SPDXRef-${name}`, name, downloadLocation: 'NONE' }],
      ...more,
    })

  it.each`
    wrapper    | wrap
    ${'plain'} | ${(bytes: Buffer) => bytes}
    ${'gzip'}  | ${(bytes: Buffer) => gzipSync(bytes)}
    ${'zstd'}  | ${(bytes: Buffer) => zstdCompressSync(bytes)}
  `('of SPDX documents is one SBOM ($wrapper)', ({ wrap }: { wrap: (bytes: Buffer) => Buffer }) => {
    const archive = tarOf({
      'a.spdx.json': spdx('a'),
      'b.spdx.json': spdx('b'),
      'index.json': '{"documents": []}',
    })

    const document = parseSbom(wrap(archive))

    expect(document.components.map(({ packageName }) => packageName)).toEqual(['a', 'b'])
    expect(document.format).toBe('Spdx2Json')
  })

  it('passes over what is not an SBOM, and says so', () => {
    const document = parseSbom(tarOf({ 'a.json': spdx('a'), README: 'Hello', 'empty.txt': '' }))

    expect(document.warnings).toContain(
      'File in the archive that is not an SBOM, passed over: "README" and 1 more.',
    )
  })

  it('takes long names of any length', () => {
    const name = `${'long/'.repeat(60)}a.json`

    expect(() => parseSbom(tarOf({ [name]: '{"spdxVersion": 3}' }))).toThrow(
      /^In the archive's file "long\/long\/.*…": The value of spdxVersion is not a text/,
    )
  })

  it.each`
    archive                   | bytes                                                  | message
    ${'without an SBOM'}      | ${tarOf({ README: 'Hello' })}                          | ${'The tar archive holds no SBOM.'}
    ${'of several formats'}   | ${tarOf({ a: spdx('a'), b: SBOM })}                    | ${'The archive mixes formats: "b" is CycloneDxJson, the documents before it are Spdx2Json.'}
    ${'with broken JSON'}     | ${tarOf({ a: '{"spdxVersion": }' })}                   | ${'In the archive\'s file "a": The JSON is broken. Line 1, column 17: expected a value, found "}".'}
    ${'that is cut off'}      | ${tarOf({ a: spdx('a') }).subarray(0, 600)}            | ${'The tar archive ends too early: the file is cut off.'}
    ${'with a broken header'} | ${tarOf({ a: spdx('a'), b: 'x' }).fill(7, 1030, 1040)} | ${'The tar archive is broken: no header at byte 1024.'}
  `('$archive fails', ({ bytes, message }: { bytes: Buffer; message: string }) => {
    expect(() => parseSbom(bytes)).toThrow(message)
  })

  it('counts values and components of all its documents together', () => {
    const archive = tarOf({ a: spdx('a'), b: spdx('b'), c: spdx('c') })

    expect(() => parseSbom(archive, { ...DEFAULT_SBOM_LIMITS, components: 2 })).toThrow(
      'The document declares more than 2 components.',
    )
    expect(() => parseSbom(archive, { ...DEFAULT_SBOM_LIMITS, values: 20 })).toThrow(
      'The document holds more than 20 values.',
    )
  })
})
