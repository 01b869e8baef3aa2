/** Runs the work of one key in the order it arrived. Work of other keys does not wait for it. */
export class InOrder {
  private readonly last = new Map<string, Promise<void>>()

  /** With `isBarrier`, later work of the key waits for this work. All work waits for the barriers before it. */
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
