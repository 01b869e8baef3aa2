import { expect, it } from 'vitest'
import type { DesiredState } from '../devices/index.ts'
import { batchDesired } from './desired-batches.ts'

/** Answers with the number of the read. Each read waits until it is released. */
function reader() {
  const reads: { ids: readonly string[]; proceed: () => void; fail: (error: Error) => void }[] = []
  const read = async (_workspaceId: string, ids: readonly string[]) => {
    const version = reads.length + 1
    await new Promise<void>((proceed, fail) => {
      reads.push({ ids, proceed, fail })
    })
    const desired: DesiredState = {
      config: { version, logSeverity: 'Info' },
      acknowledgedVersion: null,
      update: null,
      key: null,
    }
    return new Map(ids.filter((id) => id !== 'gone').map((id) => [id, desired]))
  }
  const startedRead = async (count: number) => {
    while (reads.length < count) await new Promise(setImmediate)
    return reads[count - 1]
  }
  return { reads, read, startedRead }
}

const versionOf = (desired: DesiredState | undefined) => desired?.config.version

it('answers together those that ask while others are answered, and never with what was read before', async () => {
  const { reads, read, startedRead } = reader()
  const readDesired = batchDesired(read)

  const first = [readDesired('w', 'a'), readDesired('w', 'b')]
  const one = await startedRead(1)
  const second = [readDesired('w', 'a'), readDesired('w', 'c'), readDesired('w', 'gone')]
  one?.proceed()
  const other = await startedRead(2)
  other?.proceed()

  expect((await Promise.all(first)).map(versionOf)).toEqual([1, 1])
  expect((await Promise.all(second)).map(versionOf)).toEqual([2, 2, undefined])
  expect(reads.map(({ ids }) => ids)).toEqual([
    ['a', 'b'],
    ['a', 'c', 'gone'],
  ])
})

it('fails those of one round alone, and lets no workspace wait for another', async () => {
  const { read, startedRead } = reader()
  const readDesired = batchDesired(read)

  const failing = readDesired('w', 'a')
  const one = await startedRead(1)
  const next = readDesired('w', 'b')
  const elsewhere = readDesired('v', 'a')
  const apart = await startedRead(2)
  apart?.proceed()

  expect(versionOf(await elsewhere)).toBe(2)
  one?.fail(new Error('the database is away'))
  await expect(failing).rejects.toThrow('the database is away')
  const other = await startedRead(3)
  other?.proceed()
  expect(versionOf(await next)).toBe(3)
})
