/** Time limits of a wait for somebody's answer. */

export interface Deadline {
  signal: AbortSignal
  /** Ends the wait, so that nothing is aborted. */
  end: () => void
}

const STEP_MS = 1_000
/** A timer that is later than this is that of a process that was stopped, or of a machine that slept. */
const STOPPED_MS = 1_000
const AFTER_STOP_MS = 5_000

/**
 * Aborts after the time, but not before what has arrived meanwhile was read. A process that was stopped for a while, or a
 * machine that slept, finds the timer and the answer waiting, and Node.js runs timers before it reads sockets.
 *
 * The time of such a stop does not count. What was to be sent before leaves only afterwards, and who takes it needs a moment to answer.
 */
export function startDeadline(ms: number): Deadline {
  const controller = new AbortController()
  let timer: NodeJS.Timeout | undefined
  let late: NodeJS.Immediate | undefined
  const wait = (left: number) => {
    const step = Math.min(STEP_MS, left)
    const beganAt = performance.now()
    timer = setTimeout(() => {
      const passed = performance.now() - beganAt
      const wasStopped = passed > step + STOPPED_MS
      const then = wasStopped ? Math.max(left - step, Math.min(ms, AFTER_STOP_MS)) : left - passed
      if (then > 0) return wait(then)
      // The first immediate comes after what waits was read, the second after what that led to.
      late = setImmediate(() => {
        late = setImmediate(() => controller.abort())
      })
    }, step)
  }
  wait(ms)
  const end = () => {
    clearTimeout(timer)
    clearImmediate(late)
  }
  return { signal: controller.signal, end }
}
