/** Who may work at once. Those who wait are served owner by owner, so that one with many requests holds up nobody else. */

export interface TurnLimits {
  /** Turns at once, of all owners together. */
  all: number
  /** Turns at once of one owner. */
  each: number
  /** How long to wait for a turn. */
  waitMs: number
}

/** No turn came in time. `owner`: the owner had all its turns; `all`: others had them. */
export class NoTurn extends Error {
  override readonly name = 'NoTurn'
  readonly limit: 'owner' | 'all'

  constructor(limit: 'owner' | 'all') {
    super(`no turn in time (${limit})`)
    this.limit = limit
  }
}

interface Waiter {
  begin: () => void
}

export class Turns {
  private readonly limits: TurnLimits
  private count = 0
  private readonly running = new Map<string, number>()
  /** In the order in which owners are served: who was served goes to the end. */
  private readonly waiting = new Map<string, Waiter[]>()

  constructor(limits: TurnLimits) {
    this.limits = limits
  }

  /** Waits for a turn, until the signal. The result ends the turn; throws NoTurn, or the reason of the signal. */
  take(owner: string, signal?: AbortSignal): Promise<() => void> {
    if (signal?.aborted !== true && this.isFree(owner)) return Promise.resolve(this.begin(owner))
    return new Promise((resolve, reject) => {
      signal?.throwIfAborted()
      const giveUp = (reason: Error) => {
        settle()
        this.forget(owner, waiter)
        reject(reason)
      }
      const leave = () => giveUp(signal?.reason as Error)
      const settle = () => {
        clearTimeout(timer)
        signal?.removeEventListener('abort', leave)
      }
      const waiter = {
        begin: () => {
          settle()
          resolve(this.begin(owner))
        },
      }
      const timer = setTimeout(
        () => giveUp(new NoTurn(this.countOf(owner) >= this.limits.each ? 'owner' : 'all')),
        this.limits.waitMs,
      )
      signal?.addEventListener('abort', leave)
      const others = this.waiting.get(owner)
      if (others) others.push(waiter)
      else this.waiting.set(owner, [waiter])
    })
  }

  private countOf(owner: string): number {
    return this.running.get(owner) ?? 0
  }

  private isFree(owner: string): boolean {
    return this.count < this.limits.all && this.countOf(owner) < this.limits.each
  }

  private begin(owner: string): () => void {
    this.move(owner, 1)
    let isOver = false
    return () => {
      if (isOver) return
      isOver = true
      this.move(owner, -1)
      this.beginNext()
    }
  }

  private move(owner: string, by: 1 | -1): void {
    this.count += by
    const count = this.countOf(owner) + by
    if (count === 0) this.running.delete(owner)
    else this.running.set(owner, count)
  }

  private beginNext(): void {
    for (const [owner, waiters] of this.waiting) {
      if (!this.isFree(owner)) continue
      const first = waiters.shift()
      this.waiting.delete(owner)
      if (waiters.length > 0) this.waiting.set(owner, waiters)
      first?.begin()
      return
    }
  }

  private forget(owner: string, waiter: Waiter): void {
    const left = (this.waiting.get(owner) ?? []).filter((other) => other !== waiter)
    if (left.length > 0) this.waiting.set(owner, left)
    else this.waiting.delete(owner)
  }
}
