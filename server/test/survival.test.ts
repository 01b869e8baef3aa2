/**
 * Nothing accepted is lost, whatever is killed, stands still or is away, and whenever. A short drill; `npm run drill` makes
 * it as long as one likes (docs/design/survival.md).
 */
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { CHECKS } from '../src/admin/doctor.ts'
import { confirmAsOperator } from '../src/features/notification-targets/index.ts'
import { chance } from '../src/simulator/chance.ts'
import { listFaults } from './doctor.ts'
import { type Fault, FAULTS, KILLS, makeFault, reasonAgainst } from './drill/faults.ts'
import { givenKeys, type Installation, startInstallation, TESTER } from './drill/installation.ts'
import * as kept from './drill/kept.ts'
import { publishFlaws } from './drill/knowledge.ts'
import { call, startLoad, type World } from './drill/load.ts'
import { tell } from './drill/progress.ts'
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
  const order = OFTEN.map((fault, at) => ({ fault, place: chance(SEED, round, at) }))
  const sorted = order.toSorted((one, other) => one.place - other.place)
  return sorted[index % OFTEN.length]?.fault ?? 'service'
}

async function made<Body>(answer: ReturnType<typeof call<Body>>): Promise<Body> {
  const given = await answer
  if (given?.status !== 201) throw new Error(`not made: ${JSON.stringify(given)}`)
  return given.body
}

type Started = Pick<World, 'installation' | 'keys'>

async function givenVersion(of: Started, firmwareId: string, name: string): Promise<string> {
  const path = `/firmwares/${firmwareId}/versions`
  const { id } = await made(call<{ id: string }>(of, 'POST', path, { name }))
  const { workspaceId, apiKey } = of.keys
  const address = `/workspaces/${workspaceId}/firmware-versions/${id}/artifact`
  await fetch(`${of.installation.service.url}${address}`, {
    method: 'PUT',
    headers: {
      authorization: `Bearer ${apiKey}`,
      'content-type': 'application/octet-stream',
    },
    body: `binary of ${name}`,
  })
  return id
}

const ON_CALL = 'on-call@example.com'

/** Whom alert rules notify: an address and a webhook. */
async function givenTargets(of: Started): Promise<string[]> {
  const { workspaceId } = of.keys
  const { beside, gates } = of.installation
  const target = { name: 'On call', type: 'Email', state: 'Enabled', emailAddresses: [ON_CALL] }
  const mailed = await made(call<{ id: string }>(of, 'POST', '/notification-targets', target))
  await beside((ctx) =>
    confirmAsOperator(ctx, { workspaceId, emailAddress: ON_CALL, actor: TESTER }),
  )
  const url = `http://127.0.0.1:${gates.webhooks.port}/`
  const called = await made(call<{ id: string }>(of, 'POST', '/webhooks', { name: 'Chat', url }))
  return [mailed.id, called.id]
}

async function givenWorld(stopping: AbortSignal): Promise<World> {
  const of = { installation, keys: await givenKeys(installation) }
  const firmware = await made(call<{ id: string }>(of, 'POST', '/firmwares', { slug: 'drill' }))
  const firmwareVersionIds: string[] = []
  for (let number = 1; number <= 2 + COUNT / 10; number += 1)
    firmwareVersionIds.push(await givenVersion(of, firmware.id, String(number)))
  const cohort = { name: 'all', tagRule: null }
  const { id: cohortId } = await made(
    call<{ id: string }>(of, 'POST', '/deployment-cohorts', cohort),
  )
  return { ...of, firmwareVersionIds, cohortId, targetIds: await givenTargets(of), stopping }
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
    await delay(300 + 700 * chance(SEED, 'pause', index))
    const fault = faultAt(index)
    const reason = reasonAgainst(fault, installation)
    expectRunning(installation)
    const outcome =
      reason === undefined
        ? await makeFault(fault, installation, chance(SEED, 'length', index))
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
    const world = await givenWorld(stopping.signal)
    const { accepted, ended } = startLoad(world)
    await hurt()
    stopping.abort()
    await ended
    await kept.hurry(installation)

    kept.expectSboms(await kept.settledSboms(world), accepted)
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
