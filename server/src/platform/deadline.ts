/** Time limits of a wait for somebody's answer. */

export interface Deadline {
  signal: AbortSignal
  /** Ends the wait, so that nothing is aborted. */
  end: () => void
}

/**
 * Aborts after the time, but not before what has arrived meanwhile was read. A process that was stopped for a while, or a
 * machine that slept, finds the timer and the answer waiting, and Node.js runs timers before it reads sockets.
 */
export function startDeadline(ms: number): Deadline {
  const controller = new AbortController()
  let late: NodeJS.Immediate | undefined
  // The first immediate comes after what waits was read, the second after what that led to.
  const timer = setTimeout(() => {
    late = setImmediate(() => {
      late = setImmediate(() => controller.abort())
    })
  }, ms)
  const end = () => {
    clearTimeout(timer)
    clearImmediate(late)
  }
  return { signal: controller.signal, end }
}
