import { expect, it } from 'vitest'
import { cleanLine } from './plain-line.ts'

it('makes one plain line of a text and cuts it between characters', () => {
  const text = ' a\r\n\t b\u0000\u001b[31mred\u202Eright\u2028to left\u200B '

  expect(cleanLine(text, 200)).toBe('a b [31mred right to left')
  expect(cleanLine('😀'.repeat(300), 200)).toBe('😀'.repeat(200))
})
