/** Where a rollback leads after what devices really took, through the API. */
import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { sharedTestApp, type TestApp } from '../../../../test/app.ts'
import {
  type Fleet,
  givenFleet,
  type ShownDeployment,
  wrongCounters,
} from '../../../../test/given-fleet.ts'
import { propertyRuns } from '../../../../test/property-runs.ts'

let test: TestApp
beforeAll(async () => {
  test = await sharedTestApp()
})

interface Preview {
  restored: { id: string; name: string }
  wasTaken: boolean
  deviceCount: number
  deviceCounts: Record<'reporting' | 'installing' | 'staying' | 'other' | 'unknown', number>
  artifacts: { replaces: { name: string } | null; firmwareVersion: { name: string } }[]
}

const previewOf = async (fleet: Fleet, id: string) =>
  (await fleet.client.get(`${fleet.path}/${id}/rollback-preview`)).json<Preview>()

const NONE = {
  reporting: 0,
  installing: 0,
  failed: 0,
  waiting: 0,
  cancelled: 0,
  movedOn: 0,
  left: 0,
}

const bootAll = (fleet: Fleet, ids: readonly string[], version: string) =>
  Promise.all(ids.map((id) => fleet.boots(id, version)))

const versionOf = ({ artifacts: [only] }: ShownDeployment) => only?.firmware.firmwareVersion.name

describe('after the same versions were deployed again', () => {
  it('a rollback takes devices off them, instead of bringing them to more devices', async () => {
    const fleet = await givenFleet(test, 7)
    const { deviceIds } = fleet
    await fleet.deploy('1.0')
    await bootAll(fleet, deviceIds, '1.0')
    await fleet.deploy('2.0')
    await bootAll(fleet, deviceIds.slice(0, 5), '2.0')
    const again = await fleet.deploy('2.0')

    const preview = await previewOf(fleet, again.id)
    const response = await fleet.rollBack(again.id)

    expect(preview).toMatchObject({
      wasTaken: true,
      deviceCount: 7,
      deviceCounts: { reporting: 5, installing: 0, staying: 2, other: 0, unknown: 0 },
      artifacts: [{ replaces: { name: '2.0' }, firmwareVersion: { name: '1.0' } }],
    })
    expect(response.statusCode).toBe(200)
    expect(versionOf(response.json())).toBe('1.0')
    expect(response.json<ShownDeployment>().restoresId).toBe(preview.restored.id)
  })

  it('and no others, there is nothing to roll back, and the answer says what to do', async () => {
    const fleet = await givenFleet(test, 1)
    await fleet.deploy('2.0')
    await fleet.boots('device-000', '2.0')
    const { id } = await fleet.deploy('2.0', { name: 'again' })

    const response = await fleet.rollBack(id)
    const preview = await fleet.client.get(`${fleet.path}/${id}/rollback-preview`)

    expect(response.statusCode).toBe(409)
    expect(response.json()).toMatchObject({ type: '/problems/nothing-to-roll-back' })
    expect(response.json<{ detail: string }>().detail).toMatch(
      /“to 2\.0” of \d{4}-\S+Z has the same versions\. .*create a deployment with the wanted versions/,
    )
    expect(preview.statusCode).toBe(409)
    expect(preview.json()).toMatchObject({
      type: '/problems/nothing-to-roll-back',
      detail: response.json<{ detail: string }>().detail,
    })
    expect(await fleet.deployment(id)).toMatchObject({ isActive: true, state: 'Running' })
  })
})

describe('the devices of a deployment', () => {
  it('are counted by what they report, whatever their updates say', async () => {
    const fleet = await givenFleet(test, 5)
    const [first = '', second = '', third = ''] = fleet.deviceIds
    const { id } = await fleet.deploy('2.0', { phases: [{ percent: 80 }, { percent: 100 }] })
    await bootAll(fleet, [first, second], '2.0')
    await fleet.client.post(`${fleet.path}/${id}/cancel`)
    const scheduled = await fleet.deploy('2.0', { startsAt: '2100-01-01T00:00:00Z' })

    const before = await fleet.deployment(scheduled.id)
    const running = await fleet.deploy('2.0')
    const offer = await fleet.desired(third)
    await fleet.reports(third, { updateId: offer?.updateId ?? '', state: 'inProgress' })
    await fleet.boots(second, '3.0')
    const after = await fleet.deployment(running.id)

    expect(before).toMatchObject({
      deviceUpdateStateCounts: { pending: 5, succeeded: 0 },
      deviceCounts: { ...NONE, reporting: 2, waiting: 3 },
    })
    expect(after).toMatchObject({
      deviceCounts: { ...NONE, reporting: 1, installing: 1, waiting: 3 },
    })
  })

  it('are those of the cohort now', async () => {
    const fleet = await givenFleet(test, 3)
    const { id } = await fleet.deploy('2.0')
    await bootAll(fleet, fleet.deviceIds, '2.0')

    await fleet.client.put(`/deployment-cohorts/${fleet.cohortId}/devices`, {
      deviceIds: fleet.deviceIds.slice(1),
    })

    expect(await fleet.deployment(id)).toMatchObject({
      deviceUpdateStateCounts: { succeeded: 3 },
      deviceCounts: { ...NONE, reporting: 2, left: 1 },
    })
  })
})

describe('the preview of a rollback', () => {
  it('counts each device once, by what it reports and what it is installing', async () => {
    const fleet = await givenFleet(test, 6)
    const [first = '', second = '', third = '', fourth = '', fifth = ''] = fleet.deviceIds
    await fleet.deploy('1.0')
    await bootAll(fleet, fleet.deviceIds.slice(0, 4), '1.0')
    await fleet.boots(fifth, '3.0')
    const { id } = await fleet.deploy('2.0')
    await bootAll(fleet, [first, second], '2.0')
    const offer = await fleet.desired(third)
    await fleet.reports(third, { updateId: offer?.updateId ?? '', state: 'inProgress' })

    const preview = await previewOf(fleet, id)

    expect(fourth).not.toBe('')
    expect(preview.deviceCounts).toEqual({
      reporting: 2,
      installing: 1,
      staying: 1,
      other: 1,
      unknown: 1,
    })
  })

  it('says when no device of the cohort has run what it restores', async () => {
    const fleet = await givenFleet(test, 2)
    await fleet.deploy('1.0')
    const { id } = await fleet.deploy('2.0')
    await bootAll(fleet, fleet.deviceIds, '2.0')

    const preview = await previewOf(fleet, id)

    expect(preview).toMatchObject({
      wasTaken: false,
      deviceCounts: { reporting: 2, installing: 0, staying: 0, other: 0, unknown: 0 },
    })
  })

  it('counts what devices report as taken, though the deployment ended before they said so', async () => {
    const fleet = await givenFleet(test, 2)
    await fleet.deploy('1.0')
    await fleet.deploy('3.0')
    const { id } = await fleet.deploy('2.0')
    await fleet.boots('device-000', '1.0')

    const preview = await previewOf(fleet, id)

    expect(preview).toMatchObject({
      restored: { name: 'to 1.0' },
      wasTaken: true,
      deviceCounts: { reporting: 0, installing: 0, staying: 1, other: 0, unknown: 1 },
    })
  })
})

describe('a rollback and the same versions deployed again, at once', () => {
  it('never bring devices back to what was rolled back from, unless it was deployed last', async () => {
    for (let turn = 0; turn < 6; turn += 1) {
      const fleet = await givenFleet(test, 2)
      await fleet.deploy('1.0')
      await bootAll(fleet, fleet.deviceIds, '1.0')
      const bad = await fleet.deploy('2.0')
      await fleet.boots('device-000', '2.0')

      const [again, rolledBack] = await Promise.all([
        fleet.deploy('2.0'),
        fleet.rollBack(bad.id),
        ...fleet.deviceIds.map((id) => fleet.boots(id, '2.0')),
      ])

      const isFirst = rolledBack.statusCode === 200
      if (isFirst) expect(versionOf(rolledBack.json())).toBe('1.0')
      else expect(rolledBack.json()).toMatchObject({ type: '/problems/deployment-not-active' })
      expect(await fleet.deployment(again.id)).toMatchObject({ isActive: true })
      expect(versionOf((await fleet.rollBack(again.id)).json())).toBe('1.0')
      expect(await wrongCounters(test.ctx, fleet.workspaceId)).toEqual([])
    }
  })
})

const VERSIONS = ['1.0', '2.0', '3.0'] as const
type Command =
  | { type: 'deploy'; version: string }
  /** So many devices take what they are offered. */
  | { type: 'take'; devices: number }
  | { type: 'cancel' }
  | { type: 'back' }

const command: fc.Arbitrary<Command> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc
      .constantFrom(...VERSIONS)
      .map((version) => ({ type: 'deploy' as const, version })),
  },
  {
    weight: 4,
    arbitrary: fc
      .integer({ min: 1, max: 3 })
      .map((devices) => ({ type: 'take' as const, devices })),
  },
  { weight: 1, arbitrary: fc.constant({ type: 'cancel' as const }) },
  { weight: 3, arbitrary: fc.constant({ type: 'back' as const }) },
)

/** What the devices run, moved by their offers alone. */
class FleetModel {
  readonly running = new Map<string, string>()
  private readonly fleet: Fleet
  active: ShownDeployment | undefined

  constructor(fleet: Fleet) {
    this.fleet = fleet
  }

  async take(devices: number): Promise<void> {
    const version = this.active && versionOf(this.active)
    if (version === undefined) return
    for (const id of this.fleet.deviceIds.slice(0, devices)) {
      this.running.set(id, version)
      await this.fleet.boots(id, version)
    }
  }

  async rollBack(): Promise<void> {
    const { active, fleet } = this
    if (!active) return
    const left = versionOf(active) ?? ''
    const before = this.countRunning(left)
    const preview = await previewOf(fleet, active.id)
    const response = await fleet.rollBack(active.id)
    if (response.statusCode === 409) {
      expect(response.json<{ type: string }>().type).toMatch(
        /^\/problems\/(?:no-predecessor|nothing-to-roll-back)$/,
      )
      return
    }
    expect(response.statusCode).toBe(200)
    this.active = response.json<ShownDeployment>()
    expect(this.active.restoresId).toBe(preview.restored.id)
    expect(preview.deviceCounts.reporting).toBe(before)
    expect(preview.deviceCounts.staying).toBe(this.countRunning(versionOf(this.active) ?? ''))
    const counts = Object.values(preview.deviceCounts).reduce((sum, one) => sum + one, 0)
    expect(counts).toBe(fleet.deviceIds.length)
    await this.take(fleet.deviceIds.length)
    expect(this.countRunning(left)).toBe(0)
  }

  private countRunning(version: string): number {
    return [...this.running.values()].filter((one) => one === version).length
  }
}

describe('of any history of deployments', () => {
  it('a rollback leaves no device on the version that it was made from', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(command, { minLength: 4, maxLength: 12 }), async (commands) => {
        const fleet = await givenFleet(test)
        const model = new FleetModel(fleet)
        for (const one of commands) {
          if (one.type === 'deploy') model.active = await fleet.deploy(one.version)
          if (one.type === 'take') await model.take(one.devices)
          if (one.type === 'back') await model.rollBack()
          if (one.type === 'cancel' && model.active) {
            await fleet.client.post(`${fleet.path}/${model.active.id}/cancel`)
            model.active = undefined
          }
        }
        expect(await wrongCounters(test.ctx, fleet.workspaceId)).toEqual([])
      }),
      { numRuns: propertyRuns(40, 8) },
    )
  })
})
