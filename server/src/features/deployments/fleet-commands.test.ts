/** Random commands of users and devices, also concurrent: counters stay right, and no update gets stuck. */
import fc from 'fast-check'
import { sql } from 'kysely'
import { beforeAll, describe, expect, it } from 'vitest'
import { startTestApp, type TestApp, poolsOf } from '../../../test/app.ts'
import {
  givenArtifactVersions,
  givenCohort,
  givenFleetDevices,
  wrongCounters,
} from '../../../test/given-fleet.ts'
import { type Client, givenClient } from '../../../test/given.ts'
import { propertyRuns } from '../../../test/property-runs.ts'
import { newId } from '../../platform/ids.ts'
import type { DeviceReport } from '../devices/index.ts'
import { advanceDeployments } from './schedule/service.ts'

let test: TestApp
beforeAll(async () => {
  test = await startTestApp({ databasePools: poolsOf(16) })
})

const VERSIONS = ['1.0', '2.0', '3.0']
const DEVICES = ['a', 'b', 'c', 'd']
const COHORTS = [0, 1]

const device = fc.constantFrom(...DEVICES)
const cohort = fc.constantFrom(...COHORTS)
const version = fc.constantFrom(...VERSIONS)
const command = fc.oneof(
  fc.record({
    type: fc.constant('deploy' as const),
    cohort,
    version,
    maxAttempts: fc.integer({ min: 1, max: 2 }),
    isPhased: fc.boolean(),
    isLater: fc.boolean(),
  }),
  fc.record({ type: fc.constantFrom('rollback' as const, 'cancel', 'pause', 'resume'), cohort }),
  fc.record({ type: fc.constant('pick' as const), cohort, devices: fc.subarray(DEVICES) }),
  fc.record({ type: fc.constant('tag' as const), device, isTagged: fc.boolean() }),
  fc.record({ type: fc.constant('replace' as const), device }),
  fc.record({ type: fc.constant('boot' as const), device, version }),
  fc.record({ type: fc.constant('bootTarget' as const), device }),
  fc.record({ type: fc.constantFrom('replay' as const, 'ask', 'contact'), device }),
  fc.record({
    type: fc.constant('say' as const),
    device,
    /** Whose update it speaks of. */
    whose: device,
    state: fc.constantFrom('inProgress' as const, 'succeeded', 'failed'),
    progress: fc.option(fc.constantFrom(1, 50, 100), { nil: undefined }),
  }),
  fc.record({ type: fc.constant('silence' as const), seconds: fc.constantFrom(1, 60, 4000) }),
)
type Command = typeof command extends fc.Arbitrary<infer Value> ? Value : never

const START = new Date('2026-01-01T00:00:00Z').getTime()

class World {
  clock = START
  readonly asked = new Map<string, string>()
  readonly lastSession = new Map<string, DeviceReport['message']>()
  readonly client: Client
  readonly cohorts: readonly string[]
  readonly versions: Readonly<Record<string, string>>

  constructor(client: Client, cohorts: readonly string[], versions: Record<string, string>) {
    this.client = client
    this.cohorts = cohorts
    this.versions = versions
  }

  path(index: number): string {
    return `/deployment-cohorts/${this.cohorts[index] ?? ''}`
  }
}

async function givenWorld(): Promise<World> {
  const client = await givenClient(test)
  const { workspaceId } = client
  const gateway = { workspaceId, slug: 'gateway', names: VERSIONS }
  const versions = await givenArtifactVersions(test.ctx, gateway)
  const cohorts = [
    await givenCohort(client),
    await givenCohort(client, { tagRule: { all: ['x'] } }),
  ]
  await givenFleetDevices(test.ctx, workspaceId, DEVICES)
  return new World(client, cohorts, versions)
}

async function say(world: World, deviceId: string, message: DeviceReport['message']) {
  const { workspaceId } = world.client
  const receivedAt = new Date(world.clock)
  await test.doors.intake.receive({ workspaceId, deviceId, door: 'Http', receivedAt, message })
}

async function boot(world: World, deviceId: string, running: string): Promise<void> {
  const firmware = [{ slug: 'gateway', version: running }]
  const message = { kind: 'session' as const, session: { runId: newId(), firmware } }
  world.lastSession.set(deviceId, message)
  await say(world, deviceId, message)
}

/** The versions of active deployments, by device. */
async function targets(world: World): Promise<Map<string, string>> {
  const { rows } = await sql<{ id: string; name: string }>`
    select device.id, version.name
    from devices as device
    join deployments as deployment on deployment.workspace_id = device.workspace_id
      and deployment.cohort_id = device.cohort_id and deployment.is_active
    join deployment_artifacts as artifact on artifact.workspace_id = deployment.workspace_id
      and artifact.deployment_id = deployment.id
    join firmware_versions as version on version.workspace_id = artifact.workspace_id
      and version.id = artifact.firmware_version_id
    where device.workspace_id = ${world.client.workspaceId}`.execute(test.ctx.db)
  return new Map(rows.map(({ id, name }) => [id, name]))
}

async function activeOf(world: World, index: number): Promise<string> {
  const shown = await world.client.get(world.path(index))
  return shown.json<{ activeDeploymentId: string | null }>().activeDeploymentId ?? newId()
}

/** A user's command may be refused but must not cause an internal error. */
async function ordered(response: ReturnType<Client['post']>): Promise<void> {
  const { statusCode, body } = await response
  expect(statusCode >= 500 ? body : '').toBe('')
}

async function perform(world: World, does: Command): Promise<void> {
  const { client } = world
  switch (does.type) {
    case 'deploy':
      return ordered(deploy(world, does))
    case 'rollback':
    case 'cancel':
    case 'pause':
    case 'resume': {
      const id = await activeOf(world, does.cohort)
      return ordered(client.post(`${world.path(does.cohort)}/deployments/${id}/${does.type}`))
    }
    case 'pick': {
      const body = { deviceIds: does.devices, move: true }
      return ordered(client.put(`${world.path(does.cohort)}/devices`, body))
    }
    case 'tag':
      return ordered(client.patch(`/devices/${does.device}`, { tags: does.isTagged ? ['x'] : [] }))
    case 'replace':
      await ordered(client.delete(`/devices/${does.device}`))
      return ordered(client.post('/devices', { id: does.device }))
    case 'silence':
      world.clock += does.seconds * 1000
      return advanceDeployments(test.ctx)
    case 'boot':
    case 'bootTarget':
    case 'replay':
    case 'contact':
    case 'ask':
    case 'say':
      return act(world, does)
  }
}

function deploy(world: World, does: Command & { type: 'deploy' }) {
  const phases = [{ percent: 30, waitSeconds: 50, failureThresholdPercent: 60 }, { percent: 100 }]
  return world.client.post(`${world.path(does.cohort)}/deployments`, {
    name: does.version,
    artifacts: [{ firmwareVersionId: world.versions[does.version] }],
    maxAttempts: does.maxAttempts,
    startDeadlineSeconds: 3000,
    deviceDeadlineSeconds: 1000,
    ...(does.isPhased && { phases }),
    ...(does.isLater && { startsAt: new Date(world.clock + 30_000).toISOString() }),
  })
}

type DeviceCommand = Extract<
  Command,
  { type: 'boot' | 'bootTarget' | 'replay' | 'ask' | 'contact' | 'say' }
>

async function act(world: World, does: DeviceCommand): Promise<void> {
  const { workspaceId } = world.client
  switch (does.type) {
    case 'boot':
      return boot(world, does.device, does.version)
    case 'bootTarget':
      return boot(world, does.device, (await targets(world)).get(does.device) ?? '1.0')
    case 'replay': {
      const message = world.lastSession.get(does.device)
      return message && say(world, does.device, message)
    }
    case 'contact':
      return say(world, does.device, { kind: 'contact' })
    case 'ask': {
      const desired = await test.doors.offerDesired(workspaceId, [does.device])
      const updateId = desired.get(does.device)?.update?.updateId
      if (updateId !== undefined) world.asked.set(does.device, updateId)
      return
    }
    case 'say': {
      const updateId = world.asked.get(does.whose) ?? newId()
      const { state, progress } = does
      const update = { updateId, state, ...(progress !== undefined && { progress }) }
      return say(world, does.device, { kind: 'update', update })
    }
  }
}

/** Violated invariants of a workspace. Must be empty. */
async function contradictions({ client: { workspaceId } }: World) {
  const { rows } = await sql`
    select 'open, but not of the active deployment of its cohort' as what, updates.device_id
    from device_updates as updates
    join deployments as deployment
      on deployment.workspace_id = updates.workspace_id and deployment.id = updates.deployment_id
    join devices as device
      on device.workspace_id = updates.workspace_id and device.id = updates.device_id
    where updates.workspace_id = ${workspaceId} and updates.state in ('pending', 'inProgress')
      and (not deployment.is_active or deployment.cohort_id is distinct from device.cohort_id)
    union all
    select 'in the cohort, but passed over by its active deployment', device.id
    from devices as device
    join deployments as deployment on deployment.workspace_id = device.workspace_id
      and deployment.cohort_id = device.cohort_id and deployment.is_active
    left join device_updates as updates on updates.workspace_id = deployment.workspace_id
      and updates.deployment_id = deployment.id and updates.device_id = device.id
      and updates.state <> 'cancelled'
    where device.workspace_id = ${workspaceId} and updates.device_id is null
    union all
    select 'succeeded, but does not report the version', device.id
    from devices as device
    join deployments as deployment on deployment.workspace_id = device.workspace_id
      and deployment.cohort_id = device.cohort_id and deployment.is_active
    join device_updates as updates on updates.workspace_id = deployment.workspace_id
      and updates.deployment_id = deployment.id and updates.device_id = device.id
      and updates.state = 'succeeded'
    join deployment_artifacts as artifact on artifact.workspace_id = deployment.workspace_id
      and artifact.deployment_id = deployment.id
    left join device_firmwares as firmware on firmware.workspace_id = device.workspace_id
      and firmware.device_id = device.id and firmware.firmware_version_id = artifact.firmware_version_id
    where device.workspace_id = ${workspaceId} and firmware.device_id is null
    union all
    select 'two open updates', device_id from device_updates
    where workspace_id = ${workspaceId} and state in ('pending', 'inProgress')
    group by device_id having count(*) > 1
    union all
    select 'open and finished, or over and not', device_id from device_updates
    where workspace_id = ${workspaceId}
      and (state in ('pending', 'inProgress')) = (finished_at is not null)`.execute(test.ctx.db)
  return rows
}

async function expectRight(world: World): Promise<void> {
  expect(await wrongCounters(test.ctx, world.client.workspaceId)).toEqual([])
  expect(await contradictions(world)).toEqual([])
}

async function stateCounts(world: World): Promise<Record<string, number>> {
  const { rows } = await sql<{ state: string; devices: number }>`
    select updates.state, count(*)::int as devices
    from devices as device
    join deployments as deployment on deployment.workspace_id = device.workspace_id
      and deployment.cohort_id = device.cohort_id and deployment.is_active
    join device_updates as updates on updates.workspace_id = deployment.workspace_id
      and updates.deployment_id = deployment.id and updates.device_id = device.id
    where device.workspace_id = ${world.client.workspaceId}
    group by updates.state`.execute(test.ctx.db)
  return Object.fromEntries(rows.map(({ state, devices }) => [state, devices]))
}

/** From any state, deadlines finish every open update, and a device that reports the version succeeds. */
async function expectNoDeadEnd(world: World): Promise<void> {
  for (let look = 0; look < 8; look += 1) {
    for (const index of COHORTS) await perform(world, { type: 'resume', cohort: index })
    await perform(world, { type: 'silence', seconds: 4000 })
  }
  const afterSilence = await stateCounts(world)
  expect([afterSilence['pending'], afterSilence['inProgress']]).toEqual([undefined, undefined])
  const wanted = await targets(world)
  for (const [id, name] of wanted) await boot(world, id, name)
  expect(await stateCounts(world)).toEqual(wanted.size === 0 ? {} : { succeeded: wanted.size })
  await expectRight(world)
}

const tallied = { succeeded: 0, failed: 0, rolledBack: 0 }

async function tally({ client }: World): Promise<void> {
  const { rows } = await sql<typeof tallied>`
    select coalesce(sum(succeeded), 0)::int as succeeded, coalesce(sum(failed), 0)::int as failed,
      count(rollback_of_id)::int as rolled_back
    from deployments where workspace_id = ${client.workspaceId}`.execute(test.ctx.db)
  tallied.succeeded += rows[0]?.succeeded ?? 0
  tallied.failed += rows[0]?.failed ?? 0
  tallied.rolledBack += rows[0]?.rolledBack ?? 0
}

/** Two cohorts with devices and with a deployment to roll back to. */
const beginning: Command[] = [
  { type: 'pick', cohort: 0, devices: ['a', 'b', 'c'] },
  { type: 'tag', device: 'd', isTagged: true },
  ...COHORTS.flatMap((index) =>
    ['1.0', '2.0'].map((name) => ({
      type: 'deploy' as const,
      cohort: index,
      version: name,
      maxAttempts: 2,
      isPhased: false,
      isLater: false,
    })),
  ),
  ...DEVICES.map((id) => ({ type: 'ask' as const, device: id })),
]

/** Few random commands may hold no roll-back that is accepted. */
const takenBack: Command[][] = [
  [{ type: 'bootTarget', device: 'a' }],
  ...[1, 2].map((): Command[] => [
    { type: 'say', device: 'b', whose: 'b', state: 'failed', progress: undefined },
  ]),
  [{ type: 'rollback', cohort: 0 }],
]

async function run(rounds: readonly (readonly Command[])[]): Promise<void> {
  const world = await givenWorld()
  test.ctx.now = () => new Date(world.clock)
  for (const does of beginning) await perform(world, does)
  for (const round of rounds) {
    await Promise.all(round.map((does) => perform(world, does)))
    await expectRight(world)
  }
  await tally(world)
  await expectNoDeadEnd(world)
}

describe('a fleet under random commands', () => {
  it('keeps its counters and its word, one command after the other', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(
          command.map((does) => [does]),
          { minLength: 10, maxLength: 30 },
        ),
        run,
      ),
      { numRuns: propertyRuns(15, 6), examples: [[takenBack]], endOnFailure: true },
    )
  }, 300_000)

  it('keeps them when commands run side by side', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(command, { minLength: 2, maxLength: 8 }), { minLength: 3, maxLength: 6 }),
        run,
      ),
      { numRuns: propertyRuns(15, 6), endOnFailure: true },
    )
    expect(Object.entries(tallied).filter(([, count]) => count === 0)).toEqual([])
  }, 300_000)
})
