/** Work of one key goes one after the other, in the order it came; that of others does not wait for it. */
export class InOrder {
  private readonly last = new Map<string, Promise<void>>()

  /** `isBarrier`: what comes later waits for it. Other work waits only where something is under way. */
  run(key: string, work: () => Promise<void>, isBarrier: boolean): Promise<void> {
    const before = this.last.get(key)
    if (!before && !isBarrier) return work()
    const done = before ? before.then(work, work) : work()
    this.last.set(key, done)
    const forget = () => {
      if (this.last.get(key) === done) this.last.delete(key)
    }
    void done.then(forget, forget)
    return done
  }
}
