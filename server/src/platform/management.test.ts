import { expect, it } from 'vitest'
import type pg from 'pg'
import { createTestDatabase } from '../../test/database.ts'
import { createPool } from './db/connect.ts'
import type { Queue } from './jobs/queue.ts'
import { buildManagement, type Extra } from './management.ts'

const health = { started: true, stopping: false }

function givenManagement(query: () => Promise<unknown>, extras: readonly Extra[] = []) {
  const counts = { totalCount: 1, idleCount: 0, waitingCount: 0 }
  const pool = { ...counts, options: { max: 2 }, query } as unknown as pg.Pool
  const pools = { api: pool, slow: pool, devices: pool, work: pool, health: pool, ready: pool }
  const queue = { counts: query } as unknown as Parameters<typeof buildManagement>[0]['queue']
  return buildManagement({ pools, queue }, health, extras)
}

it.each([
  ['refuses connections', () => Promise.reject(new Error('ECONNREFUSED'))],
  ['never answers', () => new Promise(() => undefined)],
])('keeps telling how it is while the database %s', async (_how, query) => {
  const app = givenManagement(query)

  const [ready, metrics, live] = await Promise.all(
    ['/health/ready', '/metrics', '/health/live'].map((url) => app.inject({ url })),
  )

  expect([ready?.statusCode, live?.statusCode]).toEqual([503, 200])
  expect(ready?.json()).toMatchObject({ checks: { database: false } })
  expect(metrics?.statusCode).toBe(200)
  expect(metrics?.body).toContain('plimsoll_database_up 0')
  expect(metrics?.body).toContain('plimsoll_database_connections{pool="api",state="total"} 1')
})

it('counts the jobs of each queue', async () => {
  const counts = [{ name: 'sboms.uploaded', queuedCount: 3, activeCount: 1, failedCount: 2 }]
  const { body } = await givenManagement(() => Promise.resolve(counts)).inject({ url: '/metrics' })

  expect(body).toContain('plimsoll_database_up 1')
  expect(body).toContain('plimsoll_jobs{queue="sboms.uploaded",state="failed"} 2')
})

it('leaves out what has no value', async () => {
  let age: number | undefined = 0
  const gauge = {
    name: 'backup_age_seconds',
    help: 'Absent: never',
    labelNames: [],
    values: () => Promise.resolve(age === undefined ? [] : [{ labels: {}, value: age }]),
  }
  const extra = { detail: 'backups', describe: () => Promise.resolve(null), gauges: [gauge] }
  const app = givenManagement(() => Promise.resolve([]), [extra])
  const linesOf = async () => {
    const { body } = await app.inject({ url: '/metrics' })
    return body.split('\n').filter((line) => line.startsWith('backup_age_seconds'))
  }

  expect(await linesOf()).toEqual(['backup_age_seconds 0'])
  age = undefined
  expect(await linesOf()).toEqual([])
})

it('is ready while a change of the schema holds up all that it tells besides', async () => {
  const { connectionString } = await createTestDatabase()
  const open = (poolSize: number) =>
    createPool({ connectionString, poolSize, onError: () => undefined })
  const [ready, details, changing] = [open(1), open(1), open(1)]
  const pools = { api: ready, slow: ready, devices: ready, work: ready, health: details, ready }
  const queue = { counts: () => Promise.resolve([]) } as unknown as Queue
  const describe = () => details.query('select from alert_rules')
  const app = buildManagement({ pools, queue }, health, [
    { detail: 'alerts', describe, gauges: [] },
  ])
  const change = await changing.connect()
  await change.query('begin; lock table alert_rules')

  const answers = [1, 2].map(() => app.inject({ url: '/health/ready' }))
  const statuses = (await Promise.all(answers)).map(({ statusCode }) => statusCode)
  await change.query('rollback')
  change.release()

  expect(statuses).toEqual([200, 200])
  await Promise.all([ready, details, changing].map((pool) => pool.end()))
})

it('survives the loss of a connection that is held but not busy', async () => {
  const { connectionString } = await createTestDatabase()
  const pool = createPool({ connectionString, poolSize: 2, onError: () => undefined })
  const held = await pool.connect()
  await held.query('begin')
  const { rows } = await held.query<{ pid: number }>('select pg_backend_pid() as pid')

  await pool.query('select pg_terminate_backend($1::int)', [rows[0]?.pid])

  await expect.poll(() => held.query('select 1').catch(String)).toMatch(/not queryable|terminated/)
  held.release(true)
  expect((await pool.query('select 1')).rowCount).toBe(1)
  await pool.end()
})
