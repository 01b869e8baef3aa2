/** Admits work in order while its weight fits the capacity. The rest waits. */
export interface Gate {
  /** undefined: it is admitted at once. Otherwise resolves when it is admitted. */
  enter: (weight: number) => Promise<void> | undefined
  leave: (weight: number) => void
  waiting: () => number
}

/** Work that is heavier than the capacity is admitted alone. */
export function createGate(capacity: number): Gate {
  const queue: { weight: number; letIn: () => void }[] = []
  let first = 0
  let inside = 0

  const fits = (weight: number) => inside === 0 || inside + weight <= capacity

  function letNextIn(): void {
    for (let next = queue[first]; next && fits(next.weight); next = queue[first]) {
      inside += next.weight
      first += 1
      next.letIn()
    }
    if (first > 1_000 || first === queue.length) {
      queue.splice(0, first)
      first = 0
    }
  }

  return {
    enter: (weight) => {
      if (queue.length === first && fits(weight)) {
        inside += weight
        return undefined
      }
      return new Promise((resolve) => queue.push({ weight, letIn: resolve }))
    },
    leave: (weight) => {
      inside -= weight
      letNextIn()
    },
    waiting: () => queue.length - first,
  }
}
