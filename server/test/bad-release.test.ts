/** Simulated devices take a release in phases that compare them: a bad one stops, a good one goes on. */
import { afterEach, beforeAll, expect, it } from 'vitest'
import { compareDeployments } from '../src/features/comparisons/index.ts'
import { advanceDeployments } from '../src/features/deployments/index.ts'
import { newId } from '../src/platform/ids.ts'
import { type Simulation, startSimulation } from '../src/simulator/simulation.ts'
import { givenVersionWithArtifact } from './given-ddi.ts'
import { givenSimulatedService } from './given-simulation.ts'

const HALF_HOUR_MS = 1_800_000
const WINDOW_SECONDS = 6 * 3_600
const DEVICES = 44

let service: Awaited<ReturnType<typeof givenSimulatedService>>
let clock: Date
let simulation: Simulation | undefined

beforeAll(async () => {
  service = await givenSimulatedService()
  clock = new Date()
  service.test.ctx.now = () => clock
})

afterEach(() => simulation?.stop())

/** All devices report every half hour of so many hours. */
async function live(hours: number): Promise<void> {
  for (let half = 0; half < 2 * hours; half++) {
    clock = new Date(clock.getTime() + HALF_HOUR_MS)
    await Promise.all(simulation?.devices.map((device) => device.report()) ?? [])
  }
}

interface Comparison {
  phases: { state: string; results: { name: string; verdict: string }[] }[]
}

async function rollOut(badRelease: string | undefined) {
  const { test, client, at } = service
  const { slug, firmwareVersionId } = await givenVersionWithArtifact(test, client)
  simulation = startSimulation({
    ...at,
    prefix: `sim-${newId()}-`,
    firmware: { [slug]: '1.0.0' },
    devices: DEVICES,
    rate: 1_000,
    metricsSeconds: 0,
    updateSeconds: 0,
    rebootSeconds: 0,
    isDownloading: false,
    outcomes: { success: 1, failure: 0, fallback: 0, silence: 0 },
    badRelease,
  })
  await simulation.started
  await live(WINDOW_SECONDS / 3_600 + 1)
  const cohort = await client.post('/deployment-cohorts', { name: newId() })
  const path = `/deployment-cohorts/${cohort.json<{ id: string }>().id}`
  const deviceIds = simulation.devices.map(({ id }) => id)
  await client.put(`${path}/devices`, { deviceIds })
  const created = await client.post(`${path}/deployments`, {
    name: 'To 2.0.0',
    artifacts: [{ firmwareVersionId }],
    phases: [
      {
        percent: 50,
        waitSeconds: 3_600,
        comparison: {
          windowSeconds: WINDOW_SECONDS,
          // So that chance does not stop the good one.
          marginPercent: 10,
          metrics: [{ name: 'memory.used', worse: 'Higher' }],
          builtIn: ['Restarts', 'LogErrors'],
        },
      },
      { percent: 100 },
    ],
  })
  const deployment = `${path}/deployments/${created.json<{ id: string }>().id}`
  const read = async <Answer>(which: string) => (await client.get(which)).json<Answer>()
  // They run it once they have booted.
  await expect
    .poll(() => read<object>(deployment))
    .toMatchObject({ deviceUpdateStateCounts: { succeeded: DEVICES / 2 } })
  await live(WINDOW_SECONDS / 3_600 + 1)
  await compareDeployments(test.ctx)
  await advanceDeployments(test.ctx)
  const { phases } = await read<Comparison>(`${deployment}/comparison`)
  const { state, phase, stateReason } = await read<{
    state: string
    phase: number
    stateReason: string | null
  }>(deployment)
  const verdicts = Object.fromEntries(
    phases[0]?.results.map(({ name, verdict }) => [name, verdict]) ?? [],
  )
  return { state, phase, stateReason, verdicts }
}

it('stops a bad release in its first phase, as its devices use more memory, restart and log errors', async () => {
  const { stateReason, ...found } = await rollOut('2.0.0')

  expect(found).toEqual({
    state: 'Stopped',
    phase: 0,
    verdicts: {
      Silence: 'NotWorse',
      Restarts: 'Worse',
      LogErrors: 'Worse',
      'memory.used': 'Worse',
    },
  })
  expect(stateReason).toMatch(/memory\.used: updated devices (19|20|21) % more than waiting ones/)
})

it('lets a good release go on to all devices', async () => {
  expect(await rollOut(undefined)).toMatchObject({
    state: 'Running',
    phase: 1,
    verdicts: {
      Silence: 'NotWorse',
      Restarts: 'NotWorse',
      LogErrors: 'NotWorse',
      'memory.used': 'NotWorse',
    },
  })
})
