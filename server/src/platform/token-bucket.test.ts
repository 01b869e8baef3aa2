import { expect, it } from 'vitest'
import { TokenBucket } from './token-bucket.ts'

it('gives the burst at once, then one after the other at the rate', () => {
  const bucket = new TokenBucket({ perMinute: 60, burst: 2 }, 0)

  const waits = [0, 0, 0, 0, 4_000].map((now) => bucket.take(now))

  expect(waits).toEqual([0, 0, 1_000, 2_000, 0])
})

it('saves up no more than the burst', () => {
  const bucket = new TokenBucket({ perMinute: 60, burst: 1 }, 0)

  expect([3_600_000, 3_600_000].map((now) => bucket.take(now))).toEqual([0, 1_000])
})

it('knows no limit at rate 0', () => {
  const bucket = new TokenBucket({ perMinute: 0, burst: 0 }, 0)

  expect(bucket.take(0)).toBe(0)
})
