import type { Lookup } from './dispatchers.ts'

/** So many at once, the others in turn: one whose name server never answers holds its place until the system gives up. */
export function limitLookups(lookup: Lookup, most: number): Lookup {
  const waiting: (() => void)[] = []
  let running = 0
  const next = () => {
    running -= 1
    waiting.shift()?.()
  }
  return (hostname, options, callback) => {
    const begin = () => {
      running += 1
      lookup(hostname, options, (error, addresses) => {
        next()
        callback(error, addresses)
      })
    }
    if (running < most) begin()
    else waiting.push(begin)
  }
}
