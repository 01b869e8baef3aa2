import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { createSha256 } from './sha256.ts'

it('hashes as everybody does, however the bytes are cut into pieces', () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 200 }), { maxLength: 10 }), (pieces) => {
      const hash = createSha256()
      for (const piece of pieces) hash.update(piece)

      expect(hash.digest()).toBe(createHash('sha256').update(Buffer.concat(pieces)).digest('hex'))
    }),
  )
})

it.each([0, 55, 56, 63, 64, 119, 120, 1_000_000])('hashes %i bytes', (length) => {
  const bytes = new Uint8Array(length).fill(0x61)
  const hash = createSha256()
  hash.update(bytes)

  expect(hash.digest()).toBe(createHash('sha256').update(bytes).digest('hex'))
})
