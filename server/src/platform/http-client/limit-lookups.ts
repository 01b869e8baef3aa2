import type { Lookup } from './dispatchers.ts'

/** Limits the lookups that run at the same time. A lookup whose name server does not answer takes its place until it times out. */
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
