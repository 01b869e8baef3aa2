/** Says what a long drill does; the short one of the checks is silent. */
import { setTimeout as delay } from 'node:timers/promises'

const isLong = process.env['DRILL_FAULTS'] !== undefined
const began = Date.now()

export function tell(text: string): void {
  if (!isLong) return
  const seconds = Math.round((Date.now() - began) / 1_000)
  process.stderr.write(`${String(seconds).padStart(5)} s  ${text}\n`)
}

const PAUSE_MS = 500
const SILENT_TURNS = 20

/** Waits until nothing is left. `left` says in words what is; undefined: nothing. */
export async function until(
  what: string,
  left: () => Promise<string | undefined>,
  pauseMs = PAUSE_MS,
): Promise<void> {
  for (let turn = 0; ; turn += 1) {
    const rest = await left()
    if (rest === undefined) return tell(`${what}: done`)
    if (turn % SILENT_TURNS === 0) tell(`${what}: ${rest}`)
    await delay(pauseMs)
  }
}
