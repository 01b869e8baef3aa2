import { expect, it } from 'vitest'
import { createApiKey, isWellFormedApiKey } from './api-keys.ts'

it('makes keys that check themselves', () => {
  const key = createApiKey()

  expect(key).toMatch(/^plm_[0-9A-Za-z]{40}$/)
  expect(isWellFormedApiKey(key)).toBe(true)
})

it('never makes the same key twice', () => {
  const keys = new Set(Array.from({ length: 1000 }, createApiKey))

  expect(keys.size).toBe(1000)
})

it.each`
  key                                       | because
  ${''}                                     | ${'it is empty'}
  ${'plm_short'}                            | ${'it is too short'}
  ${`plm_${'0'.repeat(40)}`}                | ${'its checksum does not fit'}
  ${createApiKey().replace('plm_', 'ghp_')} | ${'its prefix is another'}
  ${`${createApiKey()}x`}                   | ${'it is too long'}
`('refuses $key, as $because', ({ key }: { key: string }) => {
  expect(isWellFormedApiKey(key)).toBe(false)
})

it('notices one changed character', () => {
  const key = createApiKey()
  const changed = key.slice(0, 10) + (key.charAt(10) === 'a' ? 'b' : 'a') + key.slice(11)

  expect(isWellFormedApiKey(changed)).toBe(false)
})
