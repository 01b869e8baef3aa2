/**
 * Nothing accepted is lost, whatever is killed, stands still or is away, and whenever. A short drill; `npm run drill` makes
 * it as long as one likes (docs/design/survival.md).
 */
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { CHECKS } from '../src/admin/doctor.ts'
import { drawChance } from '../src/simulator/chance.ts'
import { listFaults } from './doctor.ts'
import { type Fault, FAULTS, KILLS, makeFault, reasonAgainst } from './drill/faults.ts'
import { givenKeys, type Installation, startInstallation } from './drill/installation.ts'
import * as kept from './drill/kept.ts'
import { publishFlaws } from './drill/knowledge.ts'
import { startLoad } from './drill/load.ts'
import { tell } from './drill/progress.ts'
import { givenWorld } from './drill/world.ts'
import { endProcess, runAdmin } from './service-process.ts'

const SEED = process.env['DRILL_SEED'] ?? '1'
const COUNT = Number(process.env['DRILL_FAULTS'] ?? FAULTS.length)
const MOST_MINUTES = Number(process.env['DRILL_MINUTES'] ?? Infinity)
/** In a long drill, more than half of the faults are kills. */
const OFTEN: readonly Fault[] = COUNT > FAULTS.length ? [...KILLS, ...FAULTS] : FAULTS

let installation: Installation
beforeAll(async () => {
  installation = await startInstallation(
    process.env['DRILL_DISK'],
    (feeds) => void publishFlaws(feeds, 1),
  )
})
afterAll(() => installation.end())

/** Each of them as often as the others, in an order that depends on the seed. */
function faultAt(index: number): Fault {
  const round = Math.floor(index / OFTEN.length)
  const order = OFTEN.map((fault, at) => ({ fault, place: drawChance(SEED, round, at) }))
  const sorted = order.toSorted((one, other) => one.place - other.place)
  return sorted[index % OFTEN.length]?.fault ?? 'service'
}

/** Only we end processes of the service: it has to survive the end of everything else. */
function expectRunning({ service, worker }: Installation): void {
  for (const { child, output } of [service, worker])
    if (child.exitCode !== null || child.signalCode !== null)
      throw new Error(`ended by itself: ${output().slice(-5_000)}`)
}

async function hurt(): Promise<void> {
  const done = new Map<string, number>()
  const endsAt = performance.now() + MOST_MINUTES * 60_000
  for (let index = 0; index < COUNT && performance.now() < endsAt; index += 1) {
    await delay(300 + 700 * drawChance(SEED, 'pause', index))
    const fault = faultAt(index)
    const reason = reasonAgainst(fault, installation)
    expectRunning(installation)
    const outcome =
      reason === undefined
        ? await makeFault(fault, installation, drawChance(SEED, 'length', index))
        : `not done: ${reason}`
    const counted = `${fault} ${outcome}`
    done.set(counted, (done.get(counted) ?? 0) + 1)
    tell(`${index + 1} of ${COUNT}: ${counted}`)
  }
  for (const outcome of [...done.keys()].toSorted()) tell(`${done.get(outcome)} × ${outcome}`)
}

it(
  `keeps all that was accepted during ${COUNT} faults (seed ${SEED})`,
  { timeout: 300_000 + COUNT * 30_000 },
  async () => {
    const stopping = new AbortController()
    const keys = await givenKeys(installation)
    const versions = 2 + Math.floor(COUNT / 10)
    const { signal } = stopping
    const world = await givenWorld({ installation, keys, stopping: signal }, versions)
    const { accepted, someOfEach, ended } = startLoad(world)
    await someOfEach()
    await hurt()
    stopping.abort()
    await ended
    await kept.hurry(installation)

    kept.expectSboms(await kept.settledSboms(world), accepted)
    await kept.expectLastBuild(world, accepted)
    await kept.expectDecisions(world, accepted)
    await kept.expectDeployments(world, accepted)
    await kept.expectPoints(world, accepted)
    await kept.expectRules(world, accepted)
    await kept.expectDelivered(installation, accepted)
    // Sources are due now: they are fetched at the next start.
    await installation.execute(
      'update vulnerability_sources set next_sync_at = now(), claimed_until = null',
    )
    expectRunning(installation)
    await endProcess(installation.worker.child, 'SIGKILL')
    await installation.killService()
    await kept.expectFindings(world, accepted)
    await kept.expectFiles(installation, accepted)
    expect(await installation.beside((ctx) => listFaults(ctx, CHECKS))).toEqual([])
    expect(await runAdmin(installation.settings, 'doctor', '--no-files')).toMatchObject({ code: 0 })
  },
)
