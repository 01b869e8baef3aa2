import fc from 'fast-check'
import { expect, it } from 'vitest'
import { propertyRuns } from '../../../test/property-runs.ts'
import { BodyDigest } from './body-digest.ts'

function digest(chunks: readonly string[], boundary = ''): string {
  const digesting = new BodyDigest(boundary)
  for (const chunk of chunks) digesting.update(Buffer.from(chunk))
  return digesting.end()
}

/** Few letters, so that beginnings of the boundary are everywhere. */
const text = fc.string({ unit: fc.constantFrom('-', 'a', 'b', '\r'), maxLength: 30 })

it('is that of the bytes, however they arrive', () => {
  fc.assert(
    fc.property(fc.array(text), fc.constantFrom('', '--a', '-b'), (chunks, boundary) => {
      expect(digest(chunks, boundary)).toBe(digest([chunks.join('')], boundary))
    }),
    { numRuns: propertyRuns(300) },
  )
})

it('does not depend on the boundary, and on all else', () => {
  fc.assert(
    fc.property(fc.array(text, { minLength: 2 }), text, (parts, other) => {
      const sent = (boundary: string) => digest([parts.join(boundary)], boundary)
      expect(sent('XYZ1')).toBe(sent('XYZ2'))
      const [first = ''] = parts
      if (other !== first)
        expect(digest([[other, ...parts.slice(1)].join('XYZ1')], 'XYZ1')).toBe(
          digest([[other, ...parts.slice(1)].join('')]),
        )
    }),
    { numRuns: propertyRuns(300) },
  )
  expect(digest(['a'])).not.toBe(digest(['b']))
})
