import { expect, it } from 'vitest'
import { InOrder } from './in-order.ts'

function givenWork() {
  const started: string[] = []
  const ends = new Map<string, PromiseWithResolvers<void>>()
  const order = new InOrder()
  const run = (key: string, name: string, isBarrier = true) => {
    const end = Promise.withResolvers<void>()
    ends.set(name, end)
    const work = () => {
      started.push(name)
      return end.promise
    }
    return order.run(key, work, isBarrier)
  }
  return {
    started,
    run,
    end: (name: string) => ends.get(name)?.resolve(),
    fail: (name: string) => ends.get(name)?.reject(new Error('no')),
  }
}

it('begins at once what waits for nobody', () => {
  const { started, run } = givenWork()

  void run('a', 'first')
  void run('b', 'other')
  void run('a', 'second')

  expect(started).toEqual(['first', 'other'])
})

it('goes on when the one before is done, also where that failed', async () => {
  const { started, run, end, fail } = givenWork()
  const first = run('a', 'first')
  const second = run('a', 'second')
  void run('a', 'third')

  fail('first')
  await expect(first).rejects.toThrow('no')
  await Promise.resolve()
  end('second')
  await second
  await Promise.resolve()

  expect(started).toEqual(['first', 'second', 'third'])
})

it('lets what is no barrier go side by side, but never past one', () => {
  const { started, run } = givenWork()

  void run('a', 'metrics 1', false)
  void run('a', 'metrics 2', false)
  void run('a', 'session')
  void run('a', 'metrics 3', false)

  expect(started).toEqual(['metrics 1', 'metrics 2', 'session'])
})
