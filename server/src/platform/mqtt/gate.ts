/** Admits work while its weight fits the capacity. The rest waits: that of one owner in order, owners by turns. */
export interface Gate {
  /** undefined: it is admitted at once. Otherwise resolves when it is admitted. */
  enter: (weight: number, owner?: string) => Promise<void> | undefined
  leave: (weight: number) => void
  /** How much waits, of one owner or of all. */
  waiting: (owner?: string) => number
}

interface Queue {
  items: { weight: number; letIn: () => void }[]
  /** The index of the first that waits. */
  first: number
}

/** Work that is heavier than the capacity is admitted alone. What does not fit yet is overtaken by nobody. */
export function createGate(capacity: number): Gate {
  /** In the order in which owners are served: who was served goes to the end. */
  const queues = new Map<string, Queue>()
  let inside = 0
  let waiting = 0

  const fits = (weight: number) => inside === 0 || inside + weight <= capacity

  function letNextIn(): void {
    for (const [owner, queue] of queues) {
      const next = queue.items[queue.first]
      if (!next || !fits(next.weight)) return
      inside += next.weight
      waiting -= 1
      queue.first += 1
      queues.delete(owner)
      if (queue.first < queue.items.length) queues.set(owner, queue)
      if (queue.first > 1_000) queue.first -= queue.items.splice(0, queue.first).length
      next.letIn()
    }
  }

  return {
    enter: (weight, owner = '') => {
      if (waiting === 0 && fits(weight)) {
        inside += weight
        return undefined
      }
      return new Promise((letIn) => {
        waiting += 1
        const queue = queues.get(owner)
        if (queue) queue.items.push({ weight, letIn })
        else queues.set(owner, { items: [{ weight, letIn }], first: 0 })
      })
    },
    leave: (weight) => {
      inside -= weight
      letNextIn()
    },
    waiting: (owner) => {
      if (owner === undefined) return waiting
      const queue = queues.get(owner)
      return queue ? queue.items.length - queue.first : 0
    },
  }
}
