/** The keys of a simulated device as its flash holds them: the next one is stored beside the present one before it is used. */
import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { retryUntilDone, RequestRefused } from './retrying.ts'

export interface StoredKeys {
  present: string
  /** Fetched, and not accepted yet. */
  next?: string | undefined
}

export class OwnKeys {
  private stored: StoredKeys
  private readonly store: (keys: StoredKeys) => void

  constructor(stored: StoredKeys, store: (keys: StoredKeys) => void = () => undefined) {
    this.stored = stored
    this.store = store
  }

  /** With which it asks now: the next one first. */
  get current(): string {
    return this.stored.next ?? this.stored.present
  }

  get hasNext(): boolean {
    return this.stored.next !== undefined
  }

  /** The service answered it. Whether it is a new key that takes the place of the present one. */
  accept(deviceKey: string): boolean {
    if (deviceKey !== this.stored.next) return false
    this.keep({ present: deviceKey })
    return true
  }

  /** The service refused it. Whether there is another one to try. */
  refuse(deviceKey: string): boolean {
    if (deviceKey !== this.stored.next) return false
    this.keep({ present: this.stored.present })
    return true
  }

  /** Fetches the next key with the present one; asks again where the answer is lost. Whether it got one. */
  async fetchNext(url: string, signal: AbortSignal): Promise<boolean> {
    const { present } = this.stored
    const next = await retryUntilDone(signal, async () => {
      const headers = { authorization: `Bearer ${present}` }
      const answer = await fetch(url, { method: 'POST', headers, signal })
      if (!answer.ok) throw new RequestRefused(answer, await answer.text())
      return ((await answer.json()) as { deviceKey: string }).deviceKey
    })
    if (next === undefined) return false
    this.keep({ present, next })
    return true
  }

  private keep(keys: StoredKeys): void {
    this.store(keys)
    this.stored = keys
  }
}

const LINE = /^(\S+) (plmd_\S+)(?: (plmd_\S+))?$/

/** Lines of a device and its keys; later ones count. Throws for a line that is none. */
export function readKeyFile(path: string): Map<string, StoredKeys> {
  const keys = new Map<string, StoredKeys>()
  if (!existsSync(path)) throw new Error(`there is no file ${path}`)
  for (const [index, line] of readFileSync(path, 'utf8').split('\n').entries()) {
    if (line.trim() === '') continue
    const [, id, present, next] = LINE.exec(line.trim()) ?? []
    if (id === undefined || present === undefined)
      throw new Error(`line ${index + 1} of ${path} is not DEVICE KEY`)
    keys.set(id, next === undefined ? { present } : { present, next })
  }
  return keys
}

/** One line more, on disk when it returns: a device that is killed goes on with what it has. */
export function appendKeys(path: string, deviceId: string, { present, next }: StoredKeys): void {
  appendFileSync(
    path,
    `${[deviceId, present, ...(next === undefined ? [] : [next])].join(' ')}\n`,
    {
      flush: true,
    },
  )
}
