/**
 * A roll-out from its first device to the verdict of its phase, as the service compares it: devices come one after the other, also into the
 * cohort; their values are hours that depend on the hour before; each look is taken and paid for by the service's own code. Only the
 * database is missing. For `bench/comparison.ts`.
 */
import { createRandom } from '../server/src/formats/comparison/permutation.ts'
import { addMs, HOUR_MS, SECOND_MS } from '../server/src/formats/instants.ts'
import { calculate } from '../server/src/features/comparisons/judging-process.ts'
import { chooseConfidence, decideLook } from '../server/src/features/comparisons/look.ts'
import { decideState } from '../server/src/features/comparisons/outcome.ts'
import {
  type AskedComparison,
  listSignals,
  readComparison,
} from '../server/src/features/comparisons/plan.ts'
import type { SignalResult } from '../server/src/features/comparisons/result.ts'
import {
  addDevices,
  askJudge,
  describeSignals,
  orderDevices,
  startMeasuring,
} from '../server/src/features/comparisons/signal-results.ts'
import { measureSilence } from '../server/src/features/comparisons/silence.ts'
import { findMeasure } from '../server/src/features/comparisons/signals-service.ts'
import { placeDevices, splitDevices } from '../server/src/features/comparisons/windows.ts'
import { drawHours, HOURLY_MODELS } from './compared-hours.ts'

const BEGIN = new Date('2026-03-02T00:00:00Z')

export interface RollOutTrial {
  /** Devices whose phase begins, and devices that wait, when it begins. */
  updated: number
  waiting: number
  /** So many more join the cohort while the phase runs, and wait. */
  joining: number
  windowHours: number
  /** Over so many hours the devices take the update, most of them soon. */
  takingHours: number
  marginPercent: number
  /** What the update does, by the name of the metric. */
  update: Readonly<Record<string, number>>
  /** The share of updated devices that die within a day of their update. */
  dying?: number
  /** The share of all devices that fall silent in a week by themselves. */
  leaving?: number
}

interface SimulatedDevice {
  deviceId: string
  /** In hours since the phase began; null: it waits. */
  updatedAt: number | null
  joinedAt: number
  /** From then on nobody hears of it. */
  goneAt: number
  /** Values by metric, hour by hour from `firstHour` on. */
  hours: Map<string, Float64Array>
}

export interface RollOutOutcome {
  state: 'Worse' | 'Passed' | 'TooFew'
  looks: number
  results: SignalResult[]
}

/** Hours that are simulated before the phase begins. */
const beforeHours = ({ windowHours }: RollOutTrial) => windowHours + 2

function drawFleet(trial: RollOutTrial, random: () => number): SimulatedDevice[] {
  const { updated, waiting, joining, windowHours, takingHours } = trial
  const length = beforeHours(trial) + takingHours + 2 * windowHours + 4
  const draw = (index: number, isUpdated: boolean, joinedAt: number): SimulatedDevice => {
    // Half of the devices within a fifth of the time, the last ones at its end.
    const updatedAt = isUpdated ? takingHours * random() ** 2.3 : null
    const dies = updatedAt !== null && random() < (trial.dying ?? 0)
    const leavesAt = random() < (trial.leaving ?? 0) * (length / 168) ? random() * length : Infinity
    const hours = new Map(
      Object.entries(HOURLY_MODELS).map(([name, model]) => {
        const changedFrom = updatedAt === null ? Infinity : updatedAt + beforeHours(trial)
        const change = { factor: trial.update[name] ?? 1, from: changedFrom }
        return [name, drawHours(model, { random, length, change })] as const
      }),
    )
    return {
      deviceId: `device-${String(index).padStart(5, '0')}`,
      updatedAt,
      joinedAt,
      goneAt: Math.min(dies ? (updatedAt ?? 0) + random() * 24 : Infinity, leavesAt),
      hours,
    }
  }
  return Array.from({ length: updated + waiting + joining }, (_, index) =>
    draw(index, index < updated, index < updated + waiting ? -Infinity : random() * takingHours),
  )
}

const planOf = ({ windowHours, marginPercent }: RollOutTrial) =>
  readComparison(
    {
      windowSeconds: windowHours * 3_600,
      marginPercent,
      builtIn: ['Restarts', 'LogErrors', 'ConnectionTime', 'Crashes'],
      metrics: [
        { name: 'memory', worse: 'Higher' },
        { name: 'battery draw', worse: 'Higher' },
      ],
    } satisfies AskedComparison,
    '',
  )

/** Every hour the service looks whether there is something to compare. */
export async function runRollOut(trial: RollOutTrial, seed: number): Promise<RollOutOutcome> {
  const random = createRandom(seed)
  const devices = drawFleet(trial, random)
  let [looks, lookedCount] = [0, 0]
  const end = trial.takingHours + trial.windowHours + 1
  for (let hour = 1; hour <= end; hour++) {
    const progress = countProgress(devices, trial, hour)
    const isPhaseOver = hour >= trial.takingHours
    const look = decideLook({ ...progress, looks, lookedCount, isPhaseOver })
    if (look === 'None') continue
    const results = await compare(devices, trial, { hour, seed, look, looks })
    const state = decideState(look, results)
    if (state !== 'Waiting') return { state, looks: looks + 1, results }
    looks++
    lookedCount = progress.ready
  }
  throw new Error('the phase never ended')
}

function countProgress(devices: readonly SimulatedDevice[], trial: RollOutTrial, hour: number) {
  const instants = devices.flatMap(({ updatedAt }) => updatedAt ?? [])
  const ready = instants.filter((at) => at <= hour - trial.windowHours).length
  const updated = instants.filter((at) => at <= hour).length
  return { ready, begun: 0, underWay: updated - ready, open: instants.length - updated }
}

const at = (hour: number) => addMs(BEGIN, Math.round(hour * HOUR_MS))

async function compare(
  devices: readonly SimulatedDevice[],
  trial: RollOutTrial,
  {
    hour,
    seed,
    look,
    looks,
  }: { hour: number; seed: number; look: 'Early' | 'Last'; looks: number },
): Promise<SignalResult[]> {
  const plan = planOf(trial)
  const { windowSeconds } = plan
  const now = at(hour)
  const byId = new Map(devices.map((device) => [device.deviceId, device]))
  const there = devices.filter(({ joinedAt }) => joinedAt <= hour)
  const waitingIds = there.flatMap(({ deviceId, updatedAt }) =>
    updatedAt === null ? deviceId : [],
  )
  const updated = there.flatMap(({ deviceId, updatedAt }) =>
    updatedAt !== null && updatedAt <= hour - trial.windowHours
      ? { deviceId, at: at(updatedAt) }
      : [],
  )
  const silence = measureSilence(
    there
      .filter(({ updatedAt }) => updatedAt === null || updatedAt <= hour)
      .map(({ deviceId, updatedAt, goneAt }) => ({
        deviceId,
        isUpdated: updatedAt !== null,
        at: updatedAt === null ? null : at(updatedAt),
        heardAt: at(Math.min(hour, goneAt)),
      })),
    { now, windowSeconds },
  )
  const silent = [...silence.updated, ...silence.waiting].filter(({ isSilent }) => isSilent)
  const silentIds = new Set(silent.map(({ deviceId }) => deviceId))
  const signals = listSignals(plan).map((signal) => {
    const found = startMeasuring(signal, findMeasure(signal))
    for (const { devices: part, span } of splitDevices(
      placeDevices(updated, waitingIds),
      windowSeconds,
    ))
      addDevices(found, part, {
        window: { span, windowSeconds },
        silentIds,
        valuesOf: (deviceId) => readHours(byId.get(deviceId), trial, { name: signal.name, span }),
      })
    return orderDevices(found)
  })
  const measured = { signals, silence }
  const confidencePercent = chooseConfidence(look, plan.confidencePercent, looks)
  const asked = askJudge(measured, { confidencePercent, seed, hasWaiting: waitingIds.length > 0 })
  const nothing = { db: undefined as never, write: () => Promise.resolve() }
  return describeSignals(measured, await calculate(nothing, asked), plan)
}

/** The value of a bin, as the database would sum it up. */
function readHours(
  device: SimulatedDevice | undefined,
  trial: RollOutTrial,
  { name, span }: { name: string; span: { stepSeconds: number } },
) {
  const values = device?.hours.get(name)
  const model = HOURLY_MODELS[name]
  if (!device || !values || !model) return undefined
  const bins = (span.stepSeconds * SECOND_MS) / HOUR_MS
  return (begin: number) => {
    const hour = (begin - BEGIN.getTime()) / HOUR_MS
    const first = Math.round(hour) + beforeHours(trial)
    let [sum, count] = [0, 0]
    for (let index = first; index < first + bins; index++) {
      if (index < 0 || index >= values.length || hour + index - first >= device.goneAt) continue
      sum += values[index] ?? 0
      count++
    }
    if (model.kind === 'Count') return sum
    return count === 0 ? undefined : sum / count
  }
}
