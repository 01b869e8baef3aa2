import { afterEach, beforeAll, expect, it } from 'vitest'
import type { TestApp } from '../../test/app.ts'
import type { Client } from '../../test/given.ts'
import { givenVersionWithArtifact } from '../../test/given-ddi.ts'
import { givenSimulatedService } from '../../test/given-simulation.ts'
import { newId } from '../platform/ids.ts'
import type { SimulationOptions } from './options.ts'
import { type Simulation, startSimulation } from './simulation.ts'

let test: TestApp
let client: Client
let at: Pick<SimulationOptions, 'url' | 'mqttUrl' | 'deviceKey' | 'workspaceId'>
let simulation: Simulation | undefined

beforeAll(async () => {
  const service = await givenSimulatedService()
  ;({ test, client, at } = service)
})

afterEach(() => simulation?.stop())

/** Four devices, two at each door, that are asked to go from 1.0.0 to 2.0.0. */
async function givenDeployment(options: Partial<SimulationOptions>) {
  const { slug, firmwareVersionId } = await givenVersionWithArtifact(test, client)
  simulation = startSimulation({
    ...at,
    prefix: `sim-${newId()}-`,
    firmware: { [slug]: '1.0.0' },
    door: 'mixed',
    devices: 4,
    rate: 1_000,
    metricsSeconds: 0,
    pollSeconds: 0.2,
    updateSeconds: 0.1,
    rebootSeconds: 0.1,
    ...options,
  })
  await simulation.started
  const cohort = await client.post('/deployment-cohorts', { name: newId() })
  const path = `/deployment-cohorts/${cohort.json<{ id: string }>().id}`
  const deviceIds = simulation.devices.map(({ id }) => id)
  await client.put(`${path}/devices`, { deviceIds })
  const body = { name: 'To 2.0.0', artifacts: [{ firmwareVersionId }] }
  const { id } = (await client.post(`${path}/deployments`, body)).json<{ id: string }>()
  const deployment = `${path}/deployments/${id}`
  const read = async () => (await client.get(deployment)).json<object>()
  return { slug, deployment, read, counts: simulation.counts }
}

const NONE = { success: 0, failure: 0, fallback: 0, silence: 0 }

it.each`
  outcome       | states               | updates                           | running    | because
  ${'success'}  | ${{ succeeded: 4 }}  | ${{ succeeded: 4, downloads: 4 }} | ${'2.0.0'} | ${'they boot it'}
  ${'failure'}  | ${{ failed: 4 }}     | ${{ failed: 4, downloads: 4 }}    | ${'1.0.0'} | ${'simulated: the image could not be written'}
  ${'fallback'} | ${{ failed: 4 }}     | ${{ fellBack: 4, downloads: 4 }}  | ${'1.0.0'} | ${'fell back to'}
  ${'silence'}  | ${{ inProgress: 4 }} | ${{ silent: 4, downloads: 0 }}    | ${'1.0.0'} | ${'they begin'}
`(
  'ends updates in $outcome where that is their fate',
  async ({ outcome, states, updates, running, because }: Row) => {
    const given = await givenDeployment({ outcomes: { ...NONE, [outcome]: 1 } })

    await expect.poll(given.read).toMatchObject({ deviceUpdateStateCounts: states })

    await expect.poll(() => given.counts().updates).toMatchObject({ offered: 4, ...updates })
    expect(given.counts().running).toEqual({ [`${given.slug}=${running}`]: 4 })
    if (states['failed'] !== undefined)
      expect(JSON.stringify(await given.read())).toContain(because)
  },
)

interface Row {
  outcome: keyof typeof NONE
  states: Record<string, number>
  updates: Record<string, number>
  running: string
  because: string
}

it('leaves an update that is cancelled', async () => {
  const { read, counts, deployment, slug } = await givenDeployment({
    updateSeconds: 60,
    outcomes: { ...NONE, success: 1 },
  })
  await expect.poll(read).toMatchObject({ deviceUpdateStateCounts: { inProgress: 4 } })
  // A link ends with its update: a download under way then would be a failure of its own.
  await expect.poll(() => counts().updates.downloads).toBe(4)

  await client.post(`${deployment}/cancel`)

  await expect.poll(() => counts().updates.cancelled).toBe(4)
  expect(await read()).toMatchObject({ deviceUpdateStateCounts: { cancelled: 4 } })
  expect(counts().running).toEqual({ [`${slug}=1.0.0`]: 4 })
})

it('takes artifacts as downloaded where it is told so', async () => {
  const given = await givenDeployment({ isDownloading: false, outcomes: { ...NONE, success: 1 } })

  await expect.poll(given.read).toMatchObject({ deviceUpdateStateCounts: { succeeded: 4 } })

  expect(given.counts().updates.downloads).toBe(0)
})
