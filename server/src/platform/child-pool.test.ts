import { getPriority } from 'node:os'
import { fileURLToPath } from 'node:url'
import { afterEach, expect, it } from 'vitest'
import { ChildFailure, ChildPool } from './child-pool.ts'

const ENTRY = fileURLToPath(new URL('../../test/child-pool-entry.ts', import.meta.url))
const pools: ChildPool[] = []

afterEach(() => {
  for (const pool of pools.splice(0)) pool.close()
})

function givenPool(size = 1, reserved = 0, niceness = 0): ChildPool {
  const idle = { heapMegabytes: 64, idleMs: 1_000 }
  const pool = new ChildPool({ entry: ENTRY, size, reserved, niceness, ...idle })
  pools.push(pool)
  return pool
}

async function collect(pool: ChildPool, task: object, seconds = 20): Promise<unknown[]> {
  const messages: unknown[] = []
  for await (const message of pool.run(task, seconds)) messages.push(message)
  return messages
}

it('yields the messages of a task in order and reuses the child', async () => {
  const pool = givenPool()

  const first = await collect(pool, { count: 3 })
  const [pid] = await collect(pool, { pid: true })
  const [again] = await collect(pool, { pid: true })

  expect(first).toEqual([0, 1, 2])
  expect(again).toBe(pid)
})

it('keeps the child from running more than one message ahead', async () => {
  const pool = givenPool()
  const made: number[] = []

  for await (const message of pool.run({ clocks: 6 }, 20)) {
    made.push(Number(message))
    await new Promise((resolve) => setTimeout(resolve, 50))
  }

  // Each message is the time when it was made: all at once, had the child not waited for its reader.
  const [first = 0] = made
  expect((made.at(-1) ?? 0) - first).toBeGreaterThanOrEqual(150)
})

it.each`
  task              | seconds | reason
  ${{ hog: true }}  | ${30}   | ${'memory'}
  ${{ spin: true }} | ${1}    | ${'time'}
  ${{ exit: 3 }}    | ${20}   | ${'crash'}
  ${{ fail: true }} | ${20}   | ${'crash'}
`(
  'tells that the child failed for $reason and goes on with another',
  async ({ task, seconds, reason }: { task: object; seconds: number; reason: string }) => {
    const pool = givenPool()

    const failure = await collect(pool, task, seconds).catch((error: unknown) => error)
    const after = await collect(pool, { count: 1 })

    expect(failure).toBeInstanceOf(ChildFailure)
    expect(failure).toMatchObject({ reason })
    expect(after).toEqual([0])
  },
)

it('hands on what the task threw', async () => {
  await expect(collect(givenPool(), { fail: true })).rejects.toThrow('a bug')
})

it('runs no more tasks at once than it has children', async () => {
  const pool = givenPool(2)

  const pids = await Promise.all([1, 2, 3, 4, 5].map(() => collect(pool, { pid: true, wait: 50 })))

  expect(new Set(pids.flat()).size).toBe(2)
})

it('ends the child of a task that is left early', async () => {
  const pool = givenPool()
  for await (const _message of pool.run({ count: 100 }, 20)) break

  expect(await collect(pool, { count: 1 })).toEqual([0])
})

it('lowers the priority of children for long tasks, which then run no short ones', async () => {
  const pool = givenPool(2, 1, 5)
  const priorityOf = async (isShort: boolean) => {
    const task = pool.run({ pid: true }, 20, { isShort })
    const { value } = await task.next()
    const priority = getPriority(Number(value))
    await task.next()
    return priority
  }

  expect(await priorityOf(false)).toBe(Math.min(19, getPriority() + 5))
  expect(await priorityOf(true)).toBe(getPriority())
  expect(await priorityOf(false)).toBe(Math.min(19, getPriority() + 5))
})

it('keeps a child for short tasks, however many long ones wait', async () => {
  const pool = givenPool(2, 1)
  const long = [pool.run({ count: 2 }, 20), pool.run({ count: 2 }, 20)] as const
  const [begun] = [await long[0].next(), long[1].next()]

  const short: unknown[] = []
  for await (const message of pool.run({ count: 2 }, 20, { isShort: true })) short.push(message)
  const waited = Promise.race([long[1].next(), Promise.resolve('still waits')])

  expect([begun.value, short]).toEqual([0, [0, 1]])
  expect(await waited).toBe('still waits')
  await long[0].return(undefined)
  await long[1].return(undefined)
})
