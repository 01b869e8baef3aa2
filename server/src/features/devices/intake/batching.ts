/** Reports of one workspace wait a moment for each other, so that they share transactions. */
import { setTimeout as delay } from 'node:timers/promises'

export interface Waiting<Item> {
  item: Item
  resolve: () => void
  reject: (error: unknown) => void
}

export interface BatchingOptions<Item> {
  /** Of items of one group at most one batch is under way. */
  groupOf: (item: Item) => string
  /** Which of those that wait go together, at least one; the others keep their order. */
  together: (items: readonly Item[]) => readonly boolean[]
  /** Settles every item it is given. */
  handle: (group: string, waiting: readonly Waiting<Item>[]) => Promise<void>
  lingerMs: number
  /** Batches under way at once, of all groups. */
  concurrency: number
}

export interface Batching<Item> {
  /** Resolves when the item was handled. */
  add: (item: Item) => Promise<void>
  /** How many wait or are being handled. */
  pending: () => number
  /** Resolves when nothing waits any more. */
  drain: () => Promise<void>
}

export function startBatching<Item>(options: BatchingOptions<Item>): Batching<Item> {
  const { groupOf, together, handle, lingerMs, concurrency } = options
  const queues = new Map<string, Waiting<Item>[]>()
  const idle: string[] = []
  const runs = new Set<Promise<void>>()
  let pending = 0

  function begin(): void {
    while (runs.size < concurrency) {
      const group = idle.shift()
      if (group === undefined) return
      const run = runGroup(group).finally(() => {
        runs.delete(run)
        begin()
      })
      runs.add(run)
    }
  }

  async function runGroup(group: string): Promise<void> {
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
    if ((queues.get(group)?.length ?? 0) > 0) idle.push(group)
    else queues.delete(group)
  }

  return {
    add: (item) =>
      new Promise((resolve, reject) => {
        const group = groupOf(item)
        const queue = queues.get(group)
        pending += 1
        if (queue) {
          queue.push({ item, resolve, reject })
          return
        }
        queues.set(group, [{ item, resolve, reject }])
        idle.push(group)
        begin()
      }),
    pending: () => pending,
    drain: async () => {
      while (runs.size > 0) await Promise.all(runs)
    },
  }
}
