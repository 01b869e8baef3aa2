/** Many devices that talk to a service as real ones do; for people (`npm run simulate`), tests and benchmarks. */
import { setTimeout as delay } from 'node:timers/promises'
import { addMs, DAY_MS } from '../formats/instants.ts'
import { drawChance } from './chance.ts'
import { SimulatedDevice } from './device.ts'
import {
  DEFAULTS,
  type RequiredOption,
  type SimulatedStart,
  type SimulationOptions,
} from './options.ts'
import { type SimulationCounts, Tally } from './tally.ts'

export interface Simulation {
  devices: readonly SimulatedDevice[]
  /** Resolves when all devices are on and have reported what they run. */
  started: Promise<void>
  counts: () => SimulationCounts
  stop: () => Promise<void>
}

type GivenOptions = Partial<SimulationOptions> & Pick<SimulationOptions, RequiredOption>

export function startSimulation(given: GivenOptions): Simulation {
  const options: SimulationOptions = { ...DEFAULTS, ...given }
  const end = new AbortController()
  const tally = new Tally()
  const simulationId = crypto.randomUUID().slice(0, 8)
  const shared = { options, simulationId, tally, signal: end.signal }
  const devices = listStarts(options).map(
    (start, index) =>
      new SimulatedDevice({ ...shared, ...start, door: createDoor(options, index) }),
  )
  const lives: Promise<void>[] = []
  const started = switchOn()

  async function switchOn(): Promise<void> {
    const starts: Promise<void>[] = []
    const startedAt = performance.now()
    for (const [index, device] of devices.entries()) {
      const dueMs = (index / options.rate) * 1_000 - (performance.now() - startedAt)
      if (dueMs > 0) await delay(dueMs, undefined, { signal: end.signal }).catch(() => undefined)
      if (end.signal.aborted) break
      const start = switchOnOne(device)
      starts.push(start)
      lives.push(start.then(() => live(device, options, { tally, signal: end.signal })))
    }
    await Promise.all(starts)
  }

  async function switchOnOne(device: SimulatedDevice): Promise<void> {
    try {
      await device.switchOn()
      tally.started += 1
    } catch (error) {
      if (!end.signal.aborted) tally.trouble(error)
    }
  }

  return {
    devices,
    started,
    counts: () => countAll(devices, tally),
    stop: async () => {
      end.abort()
      await started
      await Promise.all(devices.map((device) => device.switchOff()))
      await Promise.all([...lives, ...devices.map((device) => device.settled())])
    },
  }
}

function listStarts({
  fleet,
  devices,
  sick,
  prefix,
  firmware,
}: SimulationOptions): readonly SimulatedStart[] {
  if (fleet.length > 0) return fleet
  const fanFailedAt = addMs(new Date(), -DAY_MS)
  return Array.from({ length: devices }, (_, index) => {
    const id = `${prefix}${String(index + 1).padStart(5, '0')}`
    return { id, firmware, ...(index < sick && { fanFailedAt }) }
  })
}

function createDoor({ door }: SimulationOptions, index: number) {
  if (door !== 'mixed') return door
  return index % 2 === 0 ? 'mqtt' : 'http'
}

/** Sends metrics at intervals; a device whose last metrics are still under way skips one. */
async function live(
  device: SimulatedDevice,
  { metricsSeconds, seed }: SimulationOptions,
  { tally, signal }: { tally: Tally; signal: AbortSignal },
): Promise<void> {
  if (metricsSeconds === 0) return
  // Spreads the devices over the interval.
  let waitMs = metricsSeconds * 1_000 * drawChance(seed, device.id, 'metrics')
  while (!signal.aborted && !device.isSilent) {
    await delay(waitMs, undefined, { signal }).catch(() => undefined)
    waitMs = metricsSeconds * 1_000
    if (signal.aborted) return
    await device.report().catch((error: unknown) => tally.trouble(error))
  }
}

function countAll(devices: readonly SimulatedDevice[], tally: Tally): SimulationCounts {
  const running: Record<string, number> = {}
  for (const { firmware } of devices)
    for (const [slug, version] of firmware) {
      const name = `${slug}=${version}`
      running[name] = (running[name] ?? 0) + 1
    }
  const { started, sessions, metrics, crashes, configurations, updates, troubles, lastTrouble } =
    tally
  return {
    devices: devices.length,
    started,
    connected: devices.filter(({ isConnected }) => isConnected).length,
    sessions,
    metrics,
    crashes,
    configurations,
    updates: { ...updates },
    keys: { ...tally.keys },
    running,
    troubles,
    lastTrouble,
  }
}
