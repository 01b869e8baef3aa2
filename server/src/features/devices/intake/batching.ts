/** Collects items of a group for a moment, so that they are handled in one batch. */
import { setTimeout as delay } from 'node:timers/promises'

export interface WaitingItem<Item> {
  item: Item
  resolve: () => void
  reject: (error: unknown) => void
}

export interface BatchingOptions<Item> {
  /** Each group has at most one batch under way. */
  groupOf: (item: Item) => string
  /** Which of the waiting items form the next batch: at least one. The others keep their order. */
  together: (items: readonly Item[]) => readonly boolean[]
  /** Has to resolve or reject every item. */
  handle: (group: string, waiting: readonly WaitingItem<Item>[]) => Promise<void>
  lingerMs: number
  /**
   * After a batch of `from` to `to` items its group rests as long as the batch took, at most `mostMs`. Many small batches
   * cost more than few larger ones, and half of the time is left to others. Below, one client waits for each answer.
   */
  rest: { from: number; to: number; mostMs: number }
  /** The number of batches under way, of all groups. */
  concurrency: number
}

export interface Batcher<Item> {
  /** Resolves when the item is handled. */
  add: (item: Item) => Promise<void>
  /** The number of items that wait or are being handled; of one group, those that wait. */
  pending: (group?: string) => number
  /** Resolves when no item waits. */
  drain: () => Promise<void>
}

export function startBatching<Item>(options: BatchingOptions<Item>): Batcher<Item> {
  const { groupOf, together, handle, lingerMs, rest, concurrency } = options
  const queues = new Map<string, WaitingItem<Item>[]>()
  const idle: string[] = []
  const runs = new Set<Promise<void>>()
  let pending = 0
  let working = 0

  function begin(): void {
    while (working < concurrency) {
      const group = idle.shift()
      if (group === undefined) return
      working += 1
      const run = runGroup(group).finally(() => {
        runs.delete(run)
        begin()
      })
      runs.add(run)
    }
  }

  async function runGroup(group: string): Promise<void> {
    const startedAt = performance.now()
    const count = await runBatch(group)
    working -= 1
    begin()
    const tookMs = performance.now() - startedAt
    if (count >= rest.from && count <= rest.to) await delay(Math.min(rest.mostMs, tookMs))
    if ((queues.get(group)?.length ?? 0) > 0) idle.push(group)
    else queues.delete(group)
  }

  /** Answers how many items it had. */
  async function runBatch(group: string): Promise<number> {
    await delay(lingerMs)
    const waiting = queues.get(group) ?? []
    const goes = together(waiting.map(({ item }) => item))
    const batch = waiting.filter((_, index) => goes[index])
    queues.set(
      group,
      waiting.filter((_, index) => goes[index] !== true),
    )
    await handle(group, batch)
    pending -= batch.length
    return batch.length
  }

  return {
    add: (item) =>
      new Promise((resolve, reject) => {
        const group = groupOf(item)
        const queue = queues.get(group)
        pending += 1
        const waiting = { item, resolve, reject }
        if (queue) return void queue.push(waiting)
        queues.set(group, [waiting])
        idle.push(group)
        begin()
      }),
    pending: (group) => (group === undefined ? pending : (queues.get(group)?.length ?? 0)),
    drain: async () => {
      while (runs.size > 0) await Promise.all(runs)
    },
  }
}
