import fc from 'fast-check'
import { expect, it } from 'vitest'
import { formatAttachmentHeader } from './content-disposition.ts'

it.each`
  fileName                | expected
  ${'sbom.json'}          | ${`attachment; filename="sbom.json"; filename*=UTF-8''sbom.json`}
  ${'a"b\\c%41.xml'}      | ${`attachment; filename="a_b_c_41.xml"; filename*=UTF-8''a%22b%5Cc%2541.xml`}
  ${"Gerät ('5').json"}   | ${`attachment; filename="Ger_t ('5').json"; filename*=UTF-8''Ger%C3%A4t%20%28%275%27%29.json`}
  ${'a\r\nSet-Cookie: b'} | ${`attachment; filename="a__Set-Cookie: b"; filename*=UTF-8''a%0D%0ASet-Cookie%3A%20b`}
  ${'\ud800'}             | ${`attachment; filename="_"; filename*=UTF-8''%EF%BF%BD`}
`(
  'names a download $fileName',
  ({ fileName, expected }: Record<'fileName' | 'expected', string>) => {
    expect(formatAttachmentHeader(fileName)).toBe(expected)
  },
)

it('gives back every name and never leaves its header', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (fileName) => {
      const header = formatAttachmentHeader(fileName)

      const [, ascii = '', encoded = ''] =
        /^attachment; filename="([\x20-\x7e]*)"; filename\*=UTF-8''([A-Za-z0-9!#$&+.^_`|~%-]*)$/.exec(
          header,
        ) ?? []
      expect(ascii).not.toMatch(/["\\]/)
      expect(decodeURIComponent(encoded)).toBe(fileName)
    }),
  )
})
