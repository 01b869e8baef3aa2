/** Reads many small files, such as the 300,000 of the CVE List. */
import { closeSync, openSync, readSync } from 'node:fs'
import { open } from 'node:fs/promises'

/** Larger files are read as streams. */
const SMALL = 1024 * 1024
/** Reading a file that the system has in memory takes a tenth of it, and now and then much more where the processors are busy. */
const SLOW_MS = 0.3
const AHEAD_BYTES = 64 * 1024

/** After a slow group so many are read ahead before the next one is timed. */
const AHEAD_GROUPS = 64

/**
 * Reading a small file at once takes a tenth of the time of a stream, and a buffer that each of them uses spares the collector
 * 300,000 buffers. But where files come from the disk, waiting for one after another would take most of an import: then the
 * files of the next group are read at the same time, while those of this one are parsed, after which the system has them in
 * memory.
 */
export class SmallFiles {
  readonly #buffer = Buffer.allocUnsafeSlow(SMALL)
  /** What is read ahead is thrown away. */
  readonly #ahead = Buffer.allocUnsafeSlow(AHEAD_BYTES)
  /** The number of files of the group that is timed. */
  #length = 0
  #spentMs = 0
  #groupsAhead = 0
  #coming: Promise<unknown> | undefined

  /** Call it before the files of a group are read. */
  async begin(group: readonly string[], next: readonly string[]): Promise<void> {
    // The mean: a disk that fetches several files at once is slow for some of them only.
    const areSlow = this.#spentMs > this.#length * SLOW_MS
    this.#length = group.length
    this.#spentMs = 0
    if (areSlow) this.#groupsAhead = AHEAD_GROUPS
    if (this.#groupsAhead === 0) return
    await (this.#coming ?? this.#readAhead(group))
    this.#coming = --this.#groupsAhead > 0 ? this.#readAhead(next) : undefined
  }

  /** Undefined for a file that is larger than `SMALL` or cannot be read. The bytes change when the next file is read. */
  read(path: string): Uint8Array | undefined {
    const begunAt = performance.now()
    try {
      const file = openSync(path, 'r')
      try {
        return this.#take(file)
      } finally {
        closeSync(file)
      }
    } catch {
      // The stream of the file reports the failure.
      return undefined
    } finally {
      this.#spentMs += performance.now() - begunAt
    }
  }

  #take(file: number): Uint8Array | undefined {
    for (let end = 0; end < SMALL;) {
      const count = readSync(file, this.#buffer, end, SMALL - end, end)
      if (count === 0) return this.#buffer.subarray(0, end)
      end += count
    }
    return undefined
  }

  #readAhead(group: readonly string[]): Promise<unknown> {
    return Promise.all(group.map((path) => this.#readOneAhead(path)))
  }

  async #readOneAhead(path: string): Promise<void> {
    try {
      const handle = await open(path)
      await handle.read(this.#ahead, 0, AHEAD_BYTES, 0).finally(() => handle.close())
    } catch {
      // Whoever opens the file reports it.
    }
  }
}
