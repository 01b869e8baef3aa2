/** Seals of the audit log: one for each day, of all entries, once; and what the doctor makes of a log that was changed. */
import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { sql } from 'kysely'
import { beforeAll, beforeEach, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../../test/app.ts'
import { type Client, givenClient } from '../../../../test/given.ts'
import { propertyRuns } from '../../../../test/property-runs.ts'
import type { Actor } from '../../../platform/actor.ts'
import { newId } from '../../../platform/ids.ts'
import { recordAudit } from '../service.ts'
import { NO_SEAL, writeCanonical } from './canonical.ts'
import { sealChecks, sealEndedDays } from './service.ts'

const ANN: Actor = { type: 'User', id: newId(), email: 'ann@example.com', requestId: undefined }

let test: TestApp
let now = new Date('2026-11-03T10:00:00Z')
let client: Client

beforeAll(async () => {
  test = await startTestApp()
  Object.assign(test.ctx, { now: () => now })
})

beforeEach(async () => {
  at('2026-11-03T10:00:00Z')
  client = await givenClient(test)
})

const at = (time: string) => void (now = new Date(time))
const seal = () => sealEndedDays(test.ctx, new AbortController().signal)

const record = (after: object = { name: 'Line' }, tx = test.ctx.db.transaction()) =>
  tx.execute((on) =>
    recordAudit(test.ctx, on, {
      workspaceId: client.workspaceId,
      actor: ANN,
      action: 'product-line.create',
      resourceType: 'product-line',
      resourceId: newId(),
      after,
    }),
  )

interface Seal {
  day: string
  seal: string
  entryCount: number
  lateCount: number
}

const list = async (query = '') => {
  const answer = await client.get(`/audit-log/seals${query}`)
  return answer.json<{ seals: Seal[]; hasMore: boolean; unsealedCount: number }>()
}
const days = async () => (await list()).seals.map(({ day }) => day)
const check = async () => {
  const [one] = sealChecks
  if (!one) throw new Error('There is a check.')
  const options = { readsFiles: false, isDeep: false, onProgress: () => undefined }
  return one.find(test.ctx, client.workspaceId, options)
}

it('seals a day once it is over and its transactions had time to end', async () => {
  at('2026-11-04T00:14:59Z')
  await seal()
  expect(await days()).toEqual([])

  at('2026-11-04T00:15:01Z')
  await seal()
  await seal()

  expect(await days()).toEqual(['2026-11-03'])
  expect(await check()).toMatchObject({ faultCount: 0 })
})

it('computes what the design says, over the seal of the day before', async () => {
  at('2026-11-03T23:59:00Z')
  await record({ name: 'Line', z: 1, a: { ü: [1.5, null], b: '"' } })
  at('2026-11-05T12:00:00Z')
  await seal()
  const [second, first] = (await list()).seals
  const { entries } = (await client.get('/audit-log')).json<{
    entries: Record<string, unknown>[]
  }>()

  const members = ['actorEmail', 'actorId', 'actorType', 'action', 'after', 'before', 'createdAt']
  const lines = []
  for (const entry of entries.toReversed()) {
    const { rows } = await sql<{ about: object[] }>`
      select coalesce(json_agg(json_build_object('type', subject_type, 'id', subject_id, 'name', name)
        order by position, subject_type, subject_id), '[]') as about
      from audit_subjects where workspace_id = ${client.workspaceId} and entry_id = ${entry['id']}`.execute(
      test.ctx.db,
    )
    const named = [...members, 'id', 'requestId', 'resourceId', 'resourceType'].map(
      (member) => [member, entry[member] ?? null] as const,
    )
    lines.push(sortedJson({ ...Object.fromEntries(named), about: rows[0]?.about }))
  }
  const of = (day: string, previous: string, held: string[]) =>
    createHash('sha256')
      .update(
        ['plimsoll audit seal 1', client.workspaceId, day, previous, ...held]
          .map((line) => `${line}\n`)
          .join(''),
      )
      .digest('hex')

  expect(first).toMatchObject({ day: '2026-11-03', entryCount: lines.length })
  expect(first?.seal).toBe(of('2026-11-03', NO_SEAL, lines))
  expect(second?.seal).toBe(of('2026-11-04', first?.seal ?? '', []))
})

/** By a way that shares no code with the service. */
const sortedJson = (value: unknown): string =>
  JSON.stringify(value, (_name, held: unknown) =>
    typeof held === 'object' && held !== null && !Array.isArray(held)
      ? Object.fromEntries(Object.entries(held).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : held,
  )

it('seals each day of an outage by itself, also days without an entry', async () => {
  await record()
  at('2026-11-07T08:00:00Z')
  await record()

  await seal()

  expect(await days()).toEqual(['2026-11-06', '2026-11-05', '2026-11-04', '2026-11-03'])
  expect(await check()).toMatchObject({ faultCount: 0, notJudged: [] })
})

it('seals days to the end once, whichever of many workers looks', async () => {
  await record()
  at('2026-11-09T08:00:00Z')

  await Promise.all([seal(), seal(), seal(), seal()])

  expect(await days()).toHaveLength(6)
  expect(await check()).toMatchObject({ faultCount: 0 })
})

it('covers an entry whose transaction was open over midnight by the next seal, and counts it as late', async () => {
  at('2026-11-03T23:59:59Z')
  const open = await test.ctx.db.startTransaction().execute()
  const entry = { workspaceId: client.workspaceId, actor: ANN, resourceType: 'product-line' }
  await recordAudit(test.ctx, open, {
    ...entry,
    action: 'product-line.create',
    resourceId: newId(),
    after: { name: 'Late' },
  })
  at('2026-11-04T01:00:00Z')
  await seal()
  const [before] = (await list()).seals
  await open.commit().execute()
  expect(await check()).toMatchObject({ faultCount: 0 })

  at('2026-11-05T01:00:00Z')
  await seal()

  const [after, same] = (await list()).seals
  expect(same).toEqual(before)
  expect(after).toMatchObject({ day: '2026-11-04', entryCount: 1, lateCount: 1 })
  expect(await check()).toMatchObject({ faultCount: 0 })
})

it('leaves neither seal nor covered entries behind when it is ended in the middle', async () => {
  await record()
  at('2026-11-04T08:00:00Z')
  const failing = {
    now: test.ctx.now,
    db: test.ctx.db.withPlugin({
      transformQuery: ({ node }) => {
        if (node.kind === 'InsertQueryNode') throw new Error('killed')
        return node
      },
      transformResult: ({ result }) => Promise.resolve(result),
    }),
  }
  await expect(sealEndedDays(failing, new AbortController().signal)).rejects.toThrow('killed')
  expect(await days()).toEqual([])

  await seal()

  expect(await days()).toEqual(['2026-11-03'])
  expect(await check()).toMatchObject({ faultCount: 0 })
})

it('seals no day that is not over by the clock of the database, whatever the host says', async () => {
  at('2999-01-01T00:00:00Z')
  await seal()

  const [newest] = await days()
  const { rows } = await sql<{ today: string }>`
    select (now() at time zone 'UTC')::date::text as today`.execute(test.ctx.db)
  expect((newest ?? '') < (rows[0]?.today ?? '')).toBe(true)
})

const CHANGES = {
  'an entry that was changed': sql`update audit_log set actor_email = 'eve@example.com'`,
  'an entry whose content was changed': sql`update audit_log set after = '{"name":"Other"}'`,
  'an entry that was moved by a millisecond': sql`update audit_log set created_at = created_at + interval '1 ms'`,
  'an entry that was taken out of its seal': sql`update audit_log set sealed_on = null`,
  'entries that were deleted': sql`delete from audit_log`,
} as const

it.each(Object.keys(CHANGES) as (keyof typeof CHANGES)[])(
  'lets the doctor name the first day that differs: %s',
  async (name) => {
    for (const day of ['03', '04', '05']) {
      at(`2026-11-${day}T10:00:00Z`)
      await record()
    }
    at('2026-11-06T10:00:00Z')
    await seal()
    expect(await check()).toMatchObject({ faultCount: 0 })

    await sql`${CHANGES[name]} where workspace_id = ${client.workspaceId} and sealed_on = '2026-11-04'`.execute(
      test.ctx.db,
    )

    const { faultCount, faults } = await check()
    expect(faultCount).toBe(1)
    expect(faults[0]).toContain('2026-11-04 is the first day of the audit log that differs')
  },
)

it('finds a name that was changed, a seal that was changed, and one that is gone', async () => {
  await record()
  at('2026-11-06T10:00:00Z')
  await seal()
  const { workspaceId } = client
  const run = (statement: ReturnType<typeof sql>) => statement.execute(test.ctx.db)

  await run(
    sql`update audit_subjects set name = 'Eve' where workspace_id = ${workspaceId} and name = 'Line'`,
  )
  expect((await check()).faults[0]).toContain('2026-11-03 is the first day')
  await run(
    sql`update audit_subjects set name = 'Line' where workspace_id = ${workspaceId} and name = 'Eve'`,
  )
  expect(await check()).toMatchObject({ faultCount: 0 })
  await run(
    sql`update audit_seals set seal = ${NO_SEAL} where workspace_id = ${workspaceId} and day = '2026-11-05'`,
  )
  expect((await check()).faults[0]).toContain('2026-11-05 is the first day')
  await run(sql`delete from audit_seals where workspace_id = ${workspaceId} and day = '2026-11-04'`)
  expect((await check()).faults[0]).toContain('no seal between 2026-11-03 and 2026-11-05')
})

it('says how many entries of before the upgrade no seal covers, and begins after them', async () => {
  await sql`update audit_log set sealed_on = '-infinity' where workspace_id = ${client.workspaceId}`.execute(
    test.ctx.db,
  )
  const { unsealedCount } = await list()
  at('2026-11-05T10:00:00Z')
  await record()
  at('2026-11-07T10:00:00Z')
  await seal()

  expect(unsealedCount).toBeGreaterThan(0)
  expect(await days()).toEqual(['2026-11-06', '2026-11-05'])
  expect(await check()).toMatchObject({ faultCount: 0 })
})

it('lists the seals of some days', async () => {
  await record()
  at('2026-11-09T10:00:00Z')
  await seal()

  const { seals } = await list('?from=2026-11-04&to=2026-11-05')

  expect(seals.map(({ day }) => day)).toEqual(['2026-11-05', '2026-11-04'])
  expect((await client.get('/audit-log/seals?from=2026-02-30')).statusCode).toBe(400)
})

it('writes equal JSON for equal values, in whatever order members stand', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const text = writeCanonical(value)

      expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)))
      expect(writeCanonical(reversed(value))).toBe(text)
    }),
    { numRuns: propertyRuns(400) },
  )
})

function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .map(([name, held]) => [name, reversed(held)] as const)
      .toReversed(),
  )
}
