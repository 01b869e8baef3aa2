/**
 * Whether a comparison of updated devices with those that wait fires when it must, and else does not (docs/design/budgets.md):
 * `node bench/comparison.ts [RUNS [GOOD [BAD [ONLY]]]]`. It judges simulated roll-outs, good ones and those with one metric worse by a fifth, by the statistics
 * of the service; then whole roll-outs over all their looks, so many good ones and so many of each bad kind. The same numbers give the same
 * figures on every machine. ONLY is a part of the names of what is measured, such as `good` or `bad`.
 */
import {
  compareChanges,
  judgeAll,
  type MetricChanges,
} from '../server/src/formats/comparison/compare-changes.ts'
import { createRandom } from '../server/src/formats/comparison/permutation.ts'
import { countArgument, declareOnly, readBenchArguments } from './bench-arguments.ts'
import { type Circumstances, drawDevices, MODELS, USUAL } from './compared-devices.ts'
import { type RollOutOutcome, type RollOutTrial, runRollOut } from './compared-roll-outs.ts'
import { keepFigure } from './figures.ts'

const CONFIDENCE = 95
const DEVICES = 100
const WORSE_BY = 1.2
const MOST_FALSE_ALARMS = 5
const LEAST_FOUND = 90
/** These must be found with `DEVICES` in each group; others are too rare, and the table says from when on they are found. */
const MUST_FIND = new Set(['memory', 'battery draw', 'connection time', 'log errors'])

const { runs, good, bad, only } = readBenchArguments({
  runs: countArgument(400),
  good: countArgument(400),
  bad: countArgument(200),
  only: declareOnly(),
})
const isMeasured = (what: string) => only === undefined || what.includes(only)

interface Trial {
  marginPercent: number
  days: number
  devices: number
  /** Those that are updated first differ from the others. */
  updatedSize?: number
  /** What the days after the update do to all devices. */
  day?: number
}

function drawMetric(
  name: string,
  trial: Trial,
  { random, update }: { random: () => number; update: number },
): MetricChanges {
  const { marginPercent, days, devices, day = 1, updatedSize = 1 } = trial
  const usual: Circumstances = { ...USUAL, days, day }
  const model = MODELS[name]
  if (!model) throw new Error(`there is no model of ${name}`)
  return {
    kind: model.kind,
    worse: model.worse,
    marginPercent,
    updated: drawDevices(model, devices, { ...usual, update, size: updatedSize, random }),
    waiting: drawDevices(model, devices, { ...usual, random }),
  }
}

/** All metrics of one good roll-out. */
function drawRollout(trial: Trial, seed: number): MetricChanges[] {
  const random = createRandom(seed)
  return Object.keys(MODELS).map((name) => drawMetric(name, trial, { random, update: 1 }))
}

/** In how many percent of the runs any metric is called worse. */
function countFalseAlarms(trial: Trial): number {
  const alarms = listRuns().filter((seed) =>
    judgeAll(drawRollout(trial, seed), { confidencePercent: CONFIDENCE, seed }).some(
      ({ verdict }) => verdict === 'Worse',
    ),
  )
  return (100 * alarms.length) / runs
}

/**
 * In how many percent of the runs the metric is found that became worse by a fifth. It is judged at the strictest level that it has among all
 * metrics, as the others are good.
 */
function countFound(trial: Trial, worse: string): number {
  const level = (100 - CONFIDENCE) / Object.keys(MODELS).length
  const found = listRuns().filter((seed) => {
    const metric = drawMetric(worse, trial, { random: createRandom(seed), update: WORSE_BY })
    return compareChanges(metric, { confidencePercent: 100 - level, seed }).verdict === 'Worse'
  })
  return (100 * found.length) / runs
}

const listRuns = () => Array.from({ length: runs }, (_, run) => run * 7_919 + 1)

/** Three standard errors of a share that is as large as accepted: what chance may add. */
const chancePercent = 3 * Math.sqrt((MOST_FALSE_ALARMS * (100 - MOST_FALSE_ALARMS)) / runs)

const GOOD: Record<string, Trial> = {
  'margin 10 %': { marginPercent: 10, days: 1, devices: DEVICES },
  'no margin': { marginPercent: 0, days: 1, devices: DEVICES },
  'no margin, 25 devices': { marginPercent: 0, days: 1, devices: 25 },
  'no margin, a day with half as much again': {
    marginPercent: 0,
    days: 1,
    devices: DEVICES,
    day: 1.5,
  },
  'no margin, half as large devices first, such a day': {
    marginPercent: 0,
    days: 1,
    devices: DEVICES,
    day: 1.5,
    updatedSize: 0.5,
  },
}

for (const [name, model] of Object.entries(MODELS)) console.log(`${name}: ${model.words}`)

console.log(`\nGood releases, ${Object.keys(MODELS).length} metrics, ${runs} roll-outs each`)
for (const [what, trial] of Object.entries(GOOD)) {
  if (!isMeasured(`judged once, ${what}`)) continue
  const percent = countFalseAlarms(trial)
  // With a margin it is far below; without one it is just what is accepted, give or take chance.
  const most = trial.marginPercent > 0 ? MOST_FALSE_ALARMS : MOST_FALSE_ALARMS + chancePercent
  keepFigure({ what: `false alarms, ${what}`, value: percent, unit: '%', most })
  if (percent > most) process.exitCode = 1
  console.log(`  ${what}: ${percent.toFixed(1)} % false alarms (at most ${most.toFixed(1)} %)`)
}

console.log(`\nOne metric worse by a fifth, ${runs} roll-outs each: found in percent`)
const judged = Object.keys(MODELS).filter((name) => isMeasured(`judged once, ${name}`))
const rows = judged.map((name) => {
  const cells = [5, 10].flatMap((marginPercent) =>
    [1, 7].map((days) => {
      const percent = countFound({ marginPercent, days, devices: DEVICES }, name)
      return [`margin ${marginPercent} %, ${days} d`, percent] as const
    }),
  )
  const week = cells.find(([what]) => what === 'margin 5 %, 7 d')?.[1] ?? 0
  const isMust = MUST_FIND.has(name)
  keepFigure({
    what: `${name}: a fifth worse is found, margin 5 %, a week, ${DEVICES} devices a group`,
    value: week,
    unit: '%',
    least: isMust ? LEAST_FOUND : undefined,
  })
  if (isMust && week < LEAST_FOUND) process.exitCode = 1
  const many = countFound({ marginPercent: 5, days: 7, devices: 1_000 }, name)
  return { metric: name, ...Object.fromEntries(cells), '1,000 devices': many }
})
console.table(rows)

/** Each device of a hundred has the update within three days; more join; the window is a week. */
const ROLL_OUT: RollOutTrial = {
  updated: DEVICES,
  waiting: DEVICES,
  joining: 20,
  windowHours: 7 * 24,
  takingHours: 72,
  marginPercent: 5,
  update: {},
  leaving: 0.01,
}

async function runAll(trial: Partial<RollOutTrial>, count: number): Promise<RollOutOutcome[]> {
  const outcomes: RollOutOutcome[] = []
  for (let run = 0; run < count; run++)
    outcomes.push(await runRollOut({ ...ROLL_OUT, ...trial }, run * 7_919 + 1))
  return outcomes
}

const percentOf = (
  outcomes: readonly RollOutOutcome[],
  isSo: (outcome: RollOutOutcome) => boolean,
): number => (100 * outcomes.filter(isSo).length) / outcomes.length
const isWorse = ({ state }: RollOutOutcome) => state === 'Worse'

const GOOD_ROLL_OUTS: Record<string, Partial<RollOutTrial>> = {
  'margin 5 %': {},
  'no margin': { marginPercent: 0 },
  'no margin, a day of window': { marginPercent: 0, windowHours: 24 },
}
console.log(
  `\nWhole roll-outs, all looks, 6 signals and silence, ${good} good ones, ${bad} bad ones each`,
)
for (const [what, trial] of Object.entries(GOOD_ROLL_OUTS)) {
  if (!isMeasured(`good roll-outs, ${what}`)) continue
  const outcomes = await runAll(trial, good)
  const percent = percentOf(outcomes, isWorse)
  const spread = 3 * Math.sqrt((MOST_FALSE_ALARMS * (100 - MOST_FALSE_ALARMS)) / good)
  const most = trial.marginPercent === 0 ? MOST_FALSE_ALARMS + spread : MOST_FALSE_ALARMS
  keepFigure({ what: `false alarms over all looks, ${what}`, value: percent, unit: '%', most })
  if (percent > most) process.exitCode = 1
  const held = percentOf(outcomes, ({ state }) => state === 'TooFew')
  const looks = outcomes.reduce((sum, one) => sum + one.looks, 0) / outcomes.length
  console.log(
    `  good, ${what}: ${percent.toFixed(1)} % false alarms (at most ${most.toFixed(1)} %), ${held.toFixed(1)} % ask a person, ${looks.toFixed(1)} looks`,
  )
}

/** Names of signals, and whether a fifth must be found. */
const BAD: Record<string, { update?: Record<string, number>; dying?: number; isMust: boolean }> = {
  'memory a fifth worse': { update: { memory: WORSE_BY }, isMust: true },
  'battery draw a fifth worse': { update: { 'battery draw': WORSE_BY }, isMust: true },
  'connection time a fifth worse': { update: { ConnectionTime: WORSE_BY }, isMust: true },
  '60 log errors a day a fifth worse': { update: { LogErrors: WORSE_BY }, isMust: true },
  'a fifth of the updated devices die': { dying: 0.2, isMust: true },
}
for (const [what, { isMust, ...trial }] of Object.entries(BAD)) {
  if (!isMeasured(`bad roll-outs, ${what}`)) continue
  const outcomes = await runAll(trial, bad)
  const percent = percentOf(outcomes, isWorse)
  const least = isMust ? LEAST_FOUND : undefined
  keepFigure({ what: `found over all looks: ${what}`, value: percent, unit: '%', least })
  if (isMust && percent < LEAST_FOUND) process.exitCode = 1
  console.log(`  ${what}: found in ${percent.toFixed(1)} %`)
}

/** Of the smallest change that a good roll-out says it would have seen, how often the same roll-out sees it: nine of ten. */
console.log(`\nThe smallest change that a result names, ${runs} roll-outs each: found in percent`)
for (const name of ['memory', 'log errors, few', 'restarts', 'crashes']) {
  if (!isMeasured(`smallest change, ${name}`)) continue
  const level = (100 - CONFIDENCE) / Object.keys(MODELS).length
  const trial: Trial = { marginPercent: 5, days: 7, devices: DEVICES }
  const judgeWith = (update: number, seed: number) =>
    compareChanges(drawMetric(name, trial, { random: createRandom(seed), update }), {
      confidencePercent: 100 - level,
      seed,
    })
  const told = listRuns().flatMap((seed) => judgeWith(1, seed).smallest?.percent ?? [])
  const usual = told.toSorted((one, other) => one - other)[Math.floor(told.length / 2)]
  if (usual === undefined) {
    console.log(`  ${name}: told in devices, as hardly anything happens`)
    continue
  }
  const found = listRuns().filter(
    (seed) => judgeWith(1 + usual / 100, seed).verdict === 'Worse',
  ).length
  const percent = (100 * found) / runs
  keepFigure({ what: `${name}: the smallest change named is found`, value: percent, unit: '%' })
  console.log(`  ${name}: ${usual.toFixed(0)} % is named, and found in ${percent.toFixed(1)} %`)
}
