import { expect, it } from 'vitest'
import { LoginPace } from './login-pace.ts'

it('lets a workspace log in at its pace, after some at once, and refuses what would wait too long', () => {
  const pace = new LoginPace(10)
  const waits = Array.from({ length: 131 }, () => pace.waitMs('many', 0))

  expect(waits.slice(0, 30)).toEqual(Array.from({ length: 30 }, () => 0))
  expect([waits[30], waits[31], waits[129]]).toEqual([100, 200, 10_000])
  expect(waits[130]).toBeUndefined()
  expect(pace.waitMs('few', 0)).toBe(0)
  // Who was refused has taken no turn.
  expect(pace.waitMs('many', 1_000)).toBe(9_100)
})

it('has no limit where the operator set none', () => {
  const pace = new LoginPace(0)

  expect(Array.from({ length: 1_000 }, () => pace.waitMs('many', 0))).not.toContain(undefined)
})
