import { readdirSync } from 'node:fs'
import { getPriority, tmpdir } from 'node:os'
import { text } from 'node:stream/consumers'
import { pathToFileURL } from 'node:url'
import { resolve } from 'node:path'
import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { sharedTestApp } from '../../test/app.ts'
import type { TriedCalculation } from '../../test/calculation.ts'
import { closeAtEndOfFile } from '../../test/end-of-file.ts'
import { type Requester, asking } from './asking.ts'
import { Calculators } from './calculators.ts'

const { ctx, connectionString } = await sharedTestApp()
const MODULE = pathToFileURL(resolve(import.meta.dirname, '../../test/calculation.ts'))
const answer = (asked: TriedCalculation) => ctx.calculators.answer(MODULE, asked)
const failureOf = (asked: TriedCalculation) =>
  answer(asked).then(
    () => undefined,
    (error: unknown) => error,
  )
const reading = (read: Partial<NonNullable<Requester['read']>>): Requester => ({
  workspaceId: '',
  read: { statementMs: 20_000, hungUp: new AbortController().signal, ...read },
})

it('calculates in another process, which lets the service go first', async () => {
  const { sum, pid } = (await answer({ kind: 'add', numbers: [1, 2, 3] })) as Record<string, number>

  expect(sum).toBe(6)
  expect(pid).not.toBe(process.pid)
  expect(getPriority(pid)).toBe(Math.min(19, getPriority() + 5))
})

it('gives its process of an own database server the same priority', async () => {
  const calculators = new Calculators({ connectionString, isOwnServer: true })
  closeAtEndOfFile(() => calculators.close())
  await calculators.answer(MODULE, { kind: 'add', numbers: [] })

  const { rows } = await sql<{ pid: number }>`
    select pid from pg_stat_activity
    where datname = current_database() and application_name = 'plimsoll-calculator'`.execute(ctx.db)
  const lowered = Math.min(19, getPriority() + 5)
  expect(rows.filter(({ pid }) => getPriority(pid) === lowered)).toHaveLength(1)
})

it('hands over a long text, and leaves no file behind', async () => {
  const files = () => readdirSync(tmpdir()).filter((name) => name.startsWith('plimsoll-answer-'))
  const before = files()

  const written = await ctx.calculators.text(MODULE, { kind: 'write', lines: 20_000 })

  expect(files().filter((name) => !before.includes(name))).toEqual([])
  const lines = Array.from({ length: 20_000 }, (_, line) => `line ${line} ä\n`)
  expect((await text(written)) === lines.join('')).toBe(true)
})

it('throws what the calculation refuses, and goes on in the same process', async () => {
  const first = await answer({ kind: 'add', numbers: [] })

  expect(await failureOf({ kind: 'refuse' })).toMatchObject({
    name: 'AppError',
    kind: 'invalid',
    message: 'Too much.',
    errors: [{ pointer: '/condition', detail: 'Too much.' }],
  })
  expect(await answer({ kind: 'add', numbers: [] })).toEqual(first)
})

it('says that the calculation ended when its process does, and calculates on', async () => {
  expect(await failureOf({ kind: 'end' })).toMatchObject({
    kind: 'unavailable',
    code: 'calculation-ended',
  })
  expect(await answer({ kind: 'add', numbers: [1] })).toMatchObject({ sum: 1 })
})

it('ends with the request: its process, and soon its statement', async () => {
  const client = new AbortController()
  const mark = crypto.randomUUID()
  const running = () =>
    sql<{ pid: number }>`
      select pid from pg_stat_activity
      where query like '%pg_sleep%' and state = 'active'
        and application_name = 'plimsoll-calculator'`.execute(ctx.db)
  const asked = asking.run(reading({ hungUp: client.signal }), () =>
    failureOf({ kind: 'sleep', mark, seconds: 60 }),
  )
  await expect.poll(async () => (await running()).rows.length).toBe(1)

  client.abort(new Error('the client left'))

  expect(await asked).toMatchObject({ message: 'the client left' })
  await expect.poll(async () => (await running()).rows.length).toBe(0)
})

it('limits statements as those of the request', async () => {
  const failure = await asking.run(reading({ statementMs: 50 }), () =>
    failureOf({ kind: 'sleep', mark: 'limited', seconds: 60 }),
  )

  // As of any statement: it is answered with 503 `took-too-long`.
  expect(failure).toMatchObject({ code: '57014' })
})
