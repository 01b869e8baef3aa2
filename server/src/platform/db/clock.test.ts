import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createTestDatabase } from '../../../test/database.ts'
import { readDatabaseTime, SharedClock } from './clock.ts'
import { createPool } from './connect.ts'

const HOUR_MS = 3_600_000
let pool: ReturnType<typeof createPool>

beforeAll(async () => {
  const { connectionString } = await createTestDatabase()
  pool = createPool({ connectionString, poolSize: 2, onError: () => undefined })
})
afterAll(() => pool.end())

const ask = () => readDatabaseTime(pool)

it.each([0, HOUR_MS, -48 * HOUR_MS])(
  'tells the time of the database on a node whose clock is %d ms off',
  async (offMs) => {
    const clock = new SharedClock(() => Date.now() + offMs)
    await clock.set(ask)

    const [before, told, after] = [await ask(), clock.now(), await ask()]

    // The database tells whole milliseconds, and the first answer took a while.
    expect(told.getTime()).toBeGreaterThan(before.getTime() - 500)
    expect(told.getTime()).toBeLessThan(after.getTime() + 500)
  },
)

it('is right again after the clock of the node stood still or ran ahead', async () => {
  let aheadMs = 0
  const clock = new SharedClock(() => performance.now() + aheadMs)
  await clock.set(ask)
  for (const next of [HOUR_MS, -HOUR_MS]) {
    aheadMs = next
    await clock.set(ask)

    expect(Math.abs(clock.now().getTime() - (await ask()).getTime())).toBeLessThan(1_000)
  }
})

it('does not move when an answer tells nothing new, and never further than it tells', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.record({ wayThere: fc.nat(500), wayBack: fc.nat(500) }), { minLength: 1 }),
      async (answers) => {
        let elapsed = 1_000
        const trueOffset = 1_700_000_000_000
        const clock = new SharedClock(() => elapsed)
        let errorMs = Infinity
        for (const { wayThere, wayBack } of answers) {
          await clock.set(() => {
            elapsed += wayThere
            const at = new Date(elapsed + trueOffset)
            elapsed += wayBack
            return Promise.resolve(at)
          })
          const error = Math.abs(clock.now().getTime() - (elapsed + trueOffset))
          expect(error).toBeLessThanOrEqual(Math.max(wayThere, wayBack) + 1)
          expect(error).toBeLessThanOrEqual(errorMs + 1)
          errorMs = error
        }
      },
    ),
  )
})
