/** What a bad release does to a device that runs it: a roll-out that compares devices must notice. */
import { drawChance } from './chance.ts'
import type { SimulatedStart, SimulationOptions } from './options.ts'
import { measureMemory } from './readings.ts'

/** How much memory it uses beside a good one. */
const BAD_MEMORY = 1.2

/** Of the reports of a device. */
const WITH_ERROR = 0.3
const BEFORE_RESTART = 0.1

interface Running {
  id: string
  firmware: ReadonlyMap<string, string>
  boots: number
  sequence: number
}

interface Faults {
  error?: string
  isRestarting: boolean
}

type BadOptions = Pick<SimulationOptions, 'badRelease' | 'seed'>

function isBad({ badRelease }: BadOptions, firmware: Running['firmware']): boolean {
  return badRelease !== undefined && [...firmware.values()].includes(badRelease)
}

/** The same report of the same run has the same faults; with a good release none. */
export function drawFaults(options: BadOptions, { firmware, ...device }: Running): Faults {
  if (!isBad(options, firmware)) return { isRestarting: false }
  const { id, boots, sequence } = device
  const draw = (what: string) => drawChance(options.seed, id, boots, sequence, what)
  return {
    isRestarting: draw('restart') < BEFORE_RESTART,
    ...(draw('error') < WITH_ERROR && { error: 'watchdog: task net did not answer for 5 s' }),
  }
}

/** In megabytes, to a tenth. */
export function measureMemoryOf(
  { options, ...device }: SimulatedStart & { options: BadOptions },
  { now, firmware }: { now: Date; firmware: Running['firmware'] },
): number {
  const factor = isBad(options, firmware) ? BAD_MEMORY : 1
  return Math.round(measureMemory(device, now) * factor * 10) / 10
}
