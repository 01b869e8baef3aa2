import fc from 'fast-check'
import { expect, it } from 'vitest'
import { choosePath } from './safe-path.ts'

it.each([
  'https://evil.example/',
  '//evil.example',
  '/\\evil.example',
  'javascript:alert(1)',
  '',
  undefined,
])('does not lead to %s', (wanted) => {
  expect(choosePath(wanted)).toBe('/')
})

it('leads back to a page of ours', () => {
  expect(choosePath('/w/1/findings?q=a#b')).toBe('/w/1/findings?q=a#b')
})

it('never leaves this host, whatever the address says', () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      expect(new URL(choosePath(text), 'https://own.example').origin).toBe('https://own.example')
    }),
  )
})
