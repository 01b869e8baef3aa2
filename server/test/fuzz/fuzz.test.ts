/**
 * Whatever is sent, the service answers it as its description says. Some thousand cases, four times as many in
 * `npm run test:deep`; `npm run fuzz` tries as many as one likes (docs/design/fuzz.md). Cases that found a fault are kept in `cases` and tried first.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { cpuUsage, memoryUsage } from 'node:process'
import { beforeAll, expect, it } from 'vitest'
import { createPartitions } from '../../src/features/telemetry/retention/service.ts'
import { listFaults } from '../doctor.ts'
import { closeAtEndOfFile } from '../end-of-file.ts'
import { propertyRuns } from '../property-runs.ts'
import { ddiDoor } from './ddi.ts'
import { deviceDoor } from './devices.ts'
import { CASES, type Door, storeCase, type StoredCase, textOf, type DoorOutcome } from './door.ts'
import { feedDoor } from './feeds.ts'
import { httpDoor } from './http.ts'
import { mqttDoor } from './mqtt.ts'
import { restDoor } from './rest.ts'
import { sbomDoor } from './sboms.ts'
import { vexDoor } from './vex.ts'
import { startWatchdog, type Watchdog } from './watchdog.ts'
import { startWorld, type World } from './world.ts'

const DOORS = {
  rest: restDoor,
  sbom: sbomDoor,
  vex: vexDoor,
  feeds: feedDoor,
  devices: deviceDoor,
  mqtt: mqttDoor,
  ddi: ddiDoor,
  http: httpDoor,
} satisfies Record<string, (world: World) => Door>
type DoorName = keyof typeof DOORS

/** Of all cases: the more expensive a door's cases are, the fewer. */
const SHARES: Record<DoorName, number> = {
  rest: 0.17,
  sbom: 0.16,
  vex: 0.17,
  feeds: 0.16,
  devices: 0.2,
  mqtt: 0.02,
  ddi: 0.06,
  http: 0.06,
}

const SEED = Number(process.env['FUZZ_SEED'] ?? 1)
const COUNT = Number(process.env['FUZZ_CASES'] ?? propertyRuns(10_000))
const MINUTES = Number(process.env['FUZZ_MINUTES'] ?? 0)
const DOOR = process.env['FUZZ_DOOR'] ?? 'all'
/** Of what stays in memory after the run. */
const MOST_BYTES = 512 * 1024 * 1024
const MINUTE_MS = 60_000
/** A reader that takes longer for a case hangs, also on a busy machine. */
const MOST_STILL_MS = MINUTE_MS
/** It ends by itself. */
const ENDLESS = { timeout: 0 }

let world: World
let doors: Record<DoorName, Door>
let watchdog: Watchdog
beforeAll(async () => {
  watchdog = startWatchdog(MOST_STILL_MS)
  closeAtEndOfFile(watchdog.end)
  world = await startWorld()
  doors = Object.fromEntries(
    Object.entries(DOORS).map(([name, open]) => [name, open(world)]),
  ) as typeof doors
})

const kept = existsSync(CASES) ? readdirSync(CASES).filter((name) => name.endsWith('.json')) : []

it('meets no fault again', async () => {
  for (const file of kept) {
    const { door, case: one } = JSON.parse(readFileSync(join(CASES, file), 'utf8')) as StoredCase
    const end = watchdog.begin(file, one)
    const again = await doors[door as DoorName].tryAgain(one).then(
      () => undefined,
      (error: unknown) => `${file}: ${textOf(error)}`,
    )
    end()
    expect(again).toBeUndefined()
  }
})

it(
  `answers ${COUNT.toLocaleString('en')} cases of seed ${SEED} as it should`,
  ENDLESS,
  async () => {
    const names = (Object.keys(DOORS) as DoorName[]).filter(
      (name) => DOOR === 'all' || name === DOOR,
    )
    const before = memoryUsage()
    const until = MINUTES > 0 ? performance.now() + MINUTES * MINUTE_MS : undefined
    const tried = await Promise.all(
      names.map(async (name) => {
        const share = DOOR === 'all' ? SHARES[name] : 1
        const cases = until === undefined ? Math.round(COUNT * share) : Number.MAX_SAFE_INTEGER
        return doors[name].tryCases({
          name,
          seed: SEED * 1_000_003,
          cases,
          onFault: keep,
          watch: watchdog.begin,
          ...(until && { until }),
        })
      }),
    )
    const after = memoryUsage()

    if (process.env['FUZZ_SEED'] !== undefined) tell(tried)
    expect(tried.flatMap(({ faults }) => faults.map(({ fault }) => fault))).toEqual([])
    // As workers do each hour.
    await createPartitions(world.test.ctx)
    expect(await listFaults(world.test.ctx)).toEqual([])
    expect(bytesOf(after) - bytesOf(before)).toBeLessThan(MOST_BYTES)
  },
)

const bytesOf = ({ heapUsed, external }: NodeJS.MemoryUsage) => heapUsed + external

/** At once, so that a run that is ended keeps what it has found. */
function keep(found: StoredCase): void {
  process.stdout.write(`${found.door}: ${found.fault}\n${storeCase(found)}\n`)
}

function tell(tried: readonly DoorOutcome[]): void {
  for (const { name, cases, faults, seconds } of tried)
    process.stdout.write(
      `${name.padEnd(8)} ${cases} cases, ${faults.length} faults, ${seconds.toFixed(1)} s\n`,
    )
  const { user, system } = cpuUsage()
  process.stdout.write(`processor time of this process: ${((user + system) / 1e6).toFixed(1)} s\n`)
}
