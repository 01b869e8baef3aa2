import { sql } from 'kysely'
import { beforeAll, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../test/app.ts'
import { newId } from '../ids.ts'
import { lockPackages, type PackageLock } from './package-locks.ts'

let test: TestApp
beforeAll(async () => {
  test = await startTestApp()
})

async function givenPackages(count: number): Promise<string[]> {
  const ids = Array.from({ length: count }, () => newId())
  await sql`
    insert into packages (id, identity, created_at)
    select id, '{"pairs": []}', now() from unnest(${ids}::uuid[]) as id`.execute(test.ctx.db)
  return ids
}

/** 'waits' where another transaction holds a lock that excludes this one. */
async function outcomeOf(ids: readonly string[], lock: PackageLock): Promise<'locks' | 'waits'> {
  const locking = test.ctx.db.transaction().execute(async (tx) => {
    await sql`set local lock_timeout = '20ms'`.execute(tx)
    await lockPackages(tx, ids, lock)
  })
  try {
    await locking
    return 'locks'
  } catch (error) {
    expect(error).toMatchObject({ code: LOCK_NOT_AVAILABLE })
    return 'waits'
  }
}
const LOCK_NOT_AVAILABLE = '55P03'

it.each<{ held: PackageLock; asked: PackageLock; expected: 'locks' | 'waits' }>([
  { held: 'shared', asked: 'shared', expected: 'locks' },
  { held: 'shared', asked: 'exclusive', expected: 'waits' },
  { held: 'exclusive', asked: 'shared', expected: 'waits' },
  { held: 'exclusive', asked: 'exclusive', expected: 'waits' },
])(
  'a package is locked $held: who asks for $asked $expected',
  async ({ held, asked, expected }) => {
    const [first = '', second = ''] = await givenPackages(2)
    const holding = await test.ctx.db.startTransaction().execute()
    await lockPackages(holding, [second], held)

    const outcome = await outcomeOf([first, second], asked)
    await holding.commit().execute()

    expect(outcome).toBe(expected)
    expect(await outcomeOf([first, second], asked)).toBe('locks')
  },
)

it('lets transactions that name the same packages in another order go on one after the other', async () => {
  const ids = await givenPackages(2_000)
  const lockAll = (named: readonly string[]) =>
    test.ctx.db.transaction().execute((tx) => lockPackages(tx, named, 'exclusive'))

  const locking = [ids, ids.toReversed(), ids.toReversed(), ids].map(lockAll)

  expect(await Promise.all(locking)).toHaveLength(4)
})
