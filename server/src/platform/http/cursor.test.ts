import fc from 'fast-check'
import { expect, it } from 'vitest'
import { givenSigningKey } from '../../../test/given-signing-key.ts'
import { decodeCursor, encodeCursor } from './cursor.ts'

const key = givenSigningKey()
const payload = { after: ['Critical', 9.8, null, 'id'], asOf: 1_700_000_000_000 }

it('gives back what was put in', () => {
  const cursor = encodeCursor(key, ['list', 'w'], payload)

  expect(decodeCursor(key, ['list', 'w'], cursor)).toEqual(payload)
})

it('refuses a cursor of another list, filter or key', () => {
  const cursor = encodeCursor(key, ['list', 'w', { a: 1 }], payload)

  expect(() => decodeCursor(key, ['list', 'w', { a: 2 }], cursor)).toThrow(
    'is not a cursor of this list',
  )
  expect(() => decodeCursor(givenSigningKey(), ['list', 'w', { a: 1 }], cursor)).toThrow(
    'is not a cursor of this list',
  )
})

it('refuses any other text as a problem, never with a crash', () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      expect(() => decodeCursor(key, ['list'], text)).toThrow('is not a cursor of this list')
    }),
  )
})

it('has one spelling', () => {
  const cursor = encodeCursor(key, 'list', { after: ['a'], asOf: 0 })
  const spellings = [
    `${cursor}=`,
    `${cursor} `,
    `${cursor}.`,
    `${cursor.slice(0, 4)}\n${cursor.slice(4)}`,
  ]

  for (const spelling of spellings)
    expect(() => decodeCursor(key, 'list', spelling)).toThrow('/cursor')
  expect(decodeCursor(key, 'list', cursor).after).toEqual(['a'])
})
