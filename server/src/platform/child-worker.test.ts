import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { ChildWorker } from './child-worker.ts'

const ENTRY = fileURLToPath(new URL('../../test/child-worker-entry.ts', import.meta.url))

let child: ChildWorker

beforeEach(() => {
  child = new ChildWorker({ entry: ENTRY, heapMegabytes: 64 })
})
afterEach(() => {
  child.close()
})

it('answers questions in their order, in one process', async () => {
  const asked = [1, 2, 3].map((question) => child.ask(question))
  expect(child.pending).toBe(3)

  const answers = (await Promise.all(asked)) as [number, number][]

  expect(answers.map(([question]) => question)).toEqual([1, 2, 3])
  expect(new Set(answers.map(([, pid]) => pid)).size).toBe(1)
  expect(child.pending).toBe(0)
})

it('hands on what was thrown, and answers the next question', async () => {
  const [failed, next] = await Promise.allSettled([child.ask('fail'), child.ask(1)])

  expect(failed).toMatchObject({ status: 'rejected' })
  expect(String(failed.status === 'rejected' && failed.reason)).toContain('a bug')
  expect(next).toMatchObject({ status: 'fulfilled' })
})

it('fails all open questions when the child ends', async () => {
  const asked = await Promise.allSettled([child.ask('exit'), child.ask(1)])

  expect(asked.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
})
