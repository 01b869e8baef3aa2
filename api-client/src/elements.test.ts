import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readElements } from './elements.ts'

async function* inPieces(text: string, size: number) {
  for (let at = 0; at < text.length; at += size) yield text.slice(at, at + size)
}

async function read(chunks: AsyncIterable<string>): Promise<unknown[]> {
  const elements: unknown[] = []
  for await (const element of readElements(chunks)) elements.push(JSON.parse(element))
  return elements
}

describe('the elements of a list', () => {
  it('are those of JSON.parse, however the text is cut', async () => {
    const element = fc.dictionary(fc.string(), fc.jsonValue())
    await fc.assert(
      fc.asyncProperty(fc.array(element), fc.integer({ min: 1, max: 20 }), async (list, size) => {
        const components = list.map((one) => ({ ...one }))

        const elements = await read(inPieces(JSON.stringify({ components }), size))

        expect(JSON.stringify(elements)).toBe(JSON.stringify(components))
      }),
    )
  })

  it('are not taken for all where the answer was cut off', async () => {
    const cut = '{"components":[{"a":"}"},{"b"'

    await expect(read(inPieces(cut, 100))).rejects.toThrow('The answer was cut off.')
  })
})
