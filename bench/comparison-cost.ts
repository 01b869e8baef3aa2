/**
 * What one comparison of 2,000 updated and 2,000 waiting devices by ten metrics over a week costs the worker and the processes that work for
 * it, and for how long it holds up the worker's other work (docs/design/budgets.md): `node bench/comparison-cost.ts [DEVICES]`. Of larger roll-outs the service reads as many.
 * The database is left out: a worker waits for it, and does other work meanwhile.
 */
import { performance } from 'node:perf_hooks'
import { setImmediate } from 'node:timers/promises'
import { deserialize, serialize } from 'node:v8'
import { addMs, HOUR_MS } from '../server/src/formats/instants.ts'
import { createRandom } from '../server/src/formats/comparison/permutation.ts'
import { calculate } from '../server/src/features/comparisons/judging-process.ts'
import { listSignals, readComparison } from '../server/src/features/comparisons/plan.ts'
import {
  addDevices,
  askJudge,
  describeSignals,
  orderDevices,
  startMeasuring,
} from '../server/src/features/comparisons/signal-results.ts'
import { measureSilence } from '../server/src/features/comparisons/silence.ts'
import { placeDevices, splitDevices } from '../server/src/features/comparisons/windows.ts'
import { countArgument, readBenchArguments } from './bench-arguments.ts'
import { keepFigure } from './figures.ts'

const MOST_BLOCKING_MS = 100
const METRICS = 10
const WINDOW_HOURS = 7 * 24
const BEGIN = new Date('2026-03-02T00:00:00Z')
const NOW = addMs(BEGIN, 2 * WINDOW_HOURS * HOUR_MS)

const { devices: count } = readBenchArguments({ devices: countArgument(2_000) })
const random = createRandom(1)
const plan = readComparison(
  {
    windowSeconds: WINDOW_HOURS * 3_600,
    metrics: Array.from({ length: METRICS }, (_, index) => ({
      name: `metric ${index}`,
      worse: 'Higher' as const,
    })),
  },
  '',
)
const idOf = (group: string, index: number) => `${group}-${String(index).padStart(6, '0')}`
const updated = Array.from({ length: count }, (_, index) => ({
  deviceId: idOf('updated', index),
  at: addMs(BEGIN, Math.floor(random() * 72) * HOUR_MS + 60_000),
}))
const waitingIds = Array.from({ length: count }, (_, index) => idOf('waiting', index))

let longest = 0
let total = 0
let elsewhere = 0
/** What runs without giving way, in time of the processor, as other programs may run. */
function measure<Answer>(work: () => Answer): Answer {
  const begin = process.cpuUsage()
  const answer = work()
  const { user, system } = process.cpuUsage(begin)
  const spent = (user + system) / 1_000
  longest = Math.max(longest, spent)
  total += spent
  return answer
}

/** What runs in a process of its own. */
function measureElsewhere<Answer>(work: () => Answer): Answer {
  const begin = performance.now()
  const answer = work()
  elsewhere += performance.now() - begin
  return answer
}

const silence = measure(() =>
  measureSilence(
    [
      ...updated.map((device) => ({ ...device, isUpdated: true, heardAt: NOW })),
      ...waitingIds.map((deviceId) => ({ deviceId, isUpdated: false, at: null, heardAt: NOW })),
    ],
    { now: NOW, windowSeconds: plan.windowSeconds },
  ),
)
const placed = measure(() => placeDevices(updated, waitingIds))
const signals = []
for (const signal of listSignals(plan)) {
  const found = startMeasuring(signal, 'Level')
  for (const { devices, span } of splitDevices(placed, plan.windowSeconds)) {
    // As the rows of the database: a text and a number for each bin.
    const bins = Math.ceil((span.to.getTime() - span.from.getTime()) / 1_000 / span.stepSeconds)
    const rows = devices.flatMap(({ deviceId }) =>
      Array.from({ length: bins }, (_, bin) => ({
        deviceId,
        time: addMs(span.from, bin * span.stepSeconds * 1_000).toISOString(),
        value: 100 + 10 * random(),
      })),
    )
    measureElsewhere(() => {
      const byDevice = Map.groupBy(rows, ({ deviceId }) => deviceId)
      addDevices(found, devices, {
        window: { span, windowSeconds: plan.windowSeconds },
        silentIds: new Set(),
        valuesOf: (deviceId) => {
          const own = byDevice.get(deviceId) ?? []
          const known = new Map(own.map(({ time, value }) => [Date.parse(time), value]))
          return (begin) => known.get(begin)
        },
      })
    })
    await setImmediate()
  }
  const answer = measureElsewhere(() => serialize(orderDevices(found)))
  signals.push(measure(() => deserialize(answer) as typeof found))
}
const measured = { signals, silence }
const asked = measure(() =>
  structuredClone(askJudge(measured, { confidencePercent: 95, seed: 1, hasWaiting: true })),
)
const judgeBegin = performance.now()
const judged = await calculate({ db: undefined as never, write: () => Promise.resolve() }, asked)
const judgeSeconds = (performance.now() - judgeBegin) / 1_000
const results = measure(() => describeSignals(measured, judged, plan))
const text = measure(() => JSON.stringify(results))

const megabytes = process.memoryUsage().rss / 1e6
keepFigure({
  what: 'comparison: the worker is held up at once',
  value: longest,
  unit: 'ms',
  most: MOST_BLOCKING_MS,
})
keepFigure({ what: 'comparison: the judging process works', value: judgeSeconds, unit: 's' })
if (longest > MOST_BLOCKING_MS) process.exitCode = 1
console.log(`${count} updated and ${count} waiting devices, ${METRICS} metrics, a week:`)
console.log(
  `  worker: ${longest.toFixed(0)} ms at once at most (at most ${MOST_BLOCKING_MS} ms), ${(total / 1_000).toFixed(1)} s in all`,
)
console.log(
  `  measuring processes: ${(elsewhere / 1_000).toFixed(1)} s; judging process: ${judgeSeconds.toFixed(1)} s; all in one process here: ${megabytes.toFixed(0)} MB; the row has ${(text.length / 1_000).toFixed(0)} kB`,
)
