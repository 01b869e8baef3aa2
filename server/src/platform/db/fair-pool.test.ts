/** Reads of hung-up requests end, and never the statements of others. */
import fc from 'fast-check'
import pg from 'pg'
import { expect, it } from 'vitest'
import { createTestDatabase } from '../../../test/database.ts'
import { closeAtEndOfFile } from '../../../test/end-of-file.ts'
import { propertyRuns } from '../../../test/property-runs.ts'
import { createPool } from './connect.ts'
import { type Requester, asking } from '../asking.ts'
import { createFairPool } from './fair-pool.ts'

const { connectionString } = await createTestDatabase()
const pool = createPool({ connectionString, poolSize: 1, onError: () => undefined })
closeAtEndOfFile(() => pool.end())
const fair = createFairPool(pool, { each: 1 })

/** Runs one statement as a request does. Answers its rows, or the code of its error. */
async function run(statement: string, read?: Requester['read']): Promise<unknown> {
  return asking.run({ workspaceId: 'w', ...(read && { read }) }, async () => {
    const client = await fair.connect()
    try {
      return (await client.query<object>(statement, [])).rows
    } catch (error) {
      return (error as { code?: string }).code
    } finally {
      client.release()
    }
  })
}

async function isSleeping(): Promise<boolean> {
  const client = new pg.Client({ connectionString })
  await client.connect()
  const { rowCount } = await client.query(
    `select from pg_stat_activity where datname = current_database() and wait_event = 'PgSleep'`,
  )
  await client.end()
  return rowCount === 1
}

const never = new AbortController().signal
const CANCELLED = '57014'

it('limits the statements of reads, and of reads only', async () => {
  expect(await run('select pg_sleep(60)', { statementMs: 20, hungUp: never })).toBe(CANCELLED)
  expect(await run('show statement_timeout')).toEqual([{ statement_timeout: '2min' }])
})

it('ends the statement of a client that hangs up', async () => {
  const client = new AbortController()
  const reading = run('select pg_sleep(60)', { statementMs: 60_000, hungUp: client.signal })
  await expect.poll(isSleeping).toBe(true)
  client.abort(new Error('hung up'))

  expect(await reading).toBe(CANCELLED)
})

it('leaves the queue when the client hangs up', async () => {
  const client = new AbortController()
  const working = run('select pg_sleep(0.05)')
  const waiting = run('select 1', { statementMs: 60_000, hungUp: client.signal })
  client.abort(new Error('hung up'))

  await expect(waiting).rejects.toThrow('hung up')
  await working
})

it('ends no statement of the next request on the connection, whenever the client hangs up', async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 0, max: 4_000 }), async (microseconds) => {
      const client = new AbortController()
      const reading = run('select pg_sleep(0.001)', {
        statementMs: 60_000,
        hungUp: client.signal,
      }).catch(() => undefined)
      const next = run('select 1 as one from pg_sleep(0.002)')
      const until = performance.now() + microseconds / 1000
      while (performance.now() < until) await new Promise(setImmediate)
      client.abort(new Error('hung up'))
      await reading

      expect(await next).toEqual([{ one: 1 }])
    }),
    { numRuns: propertyRuns(100) },
  )
})
