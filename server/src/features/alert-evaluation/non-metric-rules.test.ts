import { sql } from 'kysely'
import { beforeEach, describe, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../test/app.ts'
import {
  firingSeries,
  HOUR,
  MINUTE,
  statuses,
  underClock,
} from '../../../test/given-non-metric-rules.ts'
import { givenCohort, givenFleet, givenFleetDevices } from '../../../test/given-fleet.ts'
import { type Client, givenClient } from '../../../test/given.ts'
import type {
  DeviceOfflineCondition,
  FailureRateCondition,
  SourceStaleCondition,
} from '../alert-rules/index.ts'

let test: TestApp
let client: Client
let workspaceId: string
let clock: ReturnType<typeof underClock>
beforeEach(async () => {
  test ??= await startTestApp()
  client = await givenClient(test)
  ;({ workspaceId } = client)
  clock = underClock(test)
})

const firing = async (ruleId: string) =>
  (await firingSeries(test, ruleId)).map(({ series }) => series)

async function lowestAndHighest(ruleId: string) {
  return test.ctx.db
    .selectFrom('alertEvaluations')
    .select(['seriesCount', 'valueCount', 'lowest', 'highest'])
    .where('ruleId', '=', ruleId)
    .orderBy('scheduledAt', 'desc')
    .executeTakeFirst()
}

describe('a rule about stale vulnerability sources', () => {
  const ruleOf = (condition: Partial<SourceStaleCondition> = {}) =>
    clock.rule(workspaceId, {
      type: 'VulnerabilitySourceStale',
      condition: { sources: [], olderThan: null, ...condition },
    })

  async function came(...sources: string[]): Promise<void> {
    await sql`
      insert into vulnerability_sources (source, last_success_at)
      select source, ${test.ctx.now()} from unnest(${sources}::text[]) as source
      on conflict (source) do update set last_success_at = excluded.last_success_at`.execute(
      test.ctx.db,
    )
  }
  beforeEach(async () => {
    await sql`delete from vulnerability_sources`.execute(test.ctx.db)
    test.ctx.config.feeds.sources = ['cvelist', 'nvd', 'osv', 'kev', 'epss']
  })

  it('fires for each that is older than the service allows, until it comes', async () => {
    await came('cvelist', 'osv', 'kev', 'epss')
    clock.pass(47 * HOUR)
    await came('nvd')
    const rule = await ruleOf()
    await clock.evaluateAfter()
    const before = await firing(rule)
    await clock.evaluateAfter(HOUR)
    const between = await firingSeries(test, rule)

    await came('osv', 'kev', 'cvelist', 'epss')
    await clock.evaluateAfter()

    expect(before).toEqual([])
    expect(between.map(({ label }) => label)).toEqual(['CVE List', 'EPSS', 'CISA KEV', 'OSV'])
    expect(between[0]?.value).toBe(48.02)
    expect(await statuses(test, rule)).toEqual(['Ok', 'Firing', 'Ok'])
  })

  it('uses its own age limit, and watches only the sources it names', async () => {
    await came('nvd', 'osv')
    const rule = await ruleOf({ sources: ['nvd'], olderThan: '30m' })
    await clock.evaluateAfter(30 * MINUTE)
    const before = await firing(rule)

    await clock.evaluateAfter()

    expect(before).toEqual([])
    expect(await firing(rule)).toEqual(['nvd'])
    expect(await lowestAndHighest(rule)).toMatchObject({ seriesCount: 1, valueCount: 1 })
  })

  it('fires for a named one that never came or is switched off, and leaves others that are off', async () => {
    await came('nvd', 'osv')
    test.ctx.config.feeds.sources = ['osv', 'kev']
    const named = await ruleOf({ sources: ['nvd', 'osv', 'kev'], olderThan: '7d' })
    const all = await ruleOf({ olderThan: '7d' })

    await clock.evaluateAfter()

    expect(await firingSeries(test, named)).toEqual([
      { series: 'kev', label: 'CISA KEV', value: null },
      { series: 'nvd', label: 'NVD', value: 0.02 },
    ])
    expect(await firing(all)).toEqual(['kev'])
  })

  it('fires for nothing where no source is switched on', async () => {
    test.ctx.config.feeds.sources = []
    const rule = await ruleOf()

    await clock.evaluateAfter()

    expect(await statuses(test, rule)).toEqual(['Ok'])
  })
})

describe('a rule about devices that are offline', () => {
  const ruleOf = (condition: Partial<DeviceOfflineCondition> = {}) =>
    clock.rule(workspaceId, {
      type: 'DeviceOffline',
      condition: { deploymentCohortId: null, tags: [], offlineFor: '1h', ...condition },
    })
  const seen = (deviceId: string, of = workspaceId) =>
    test.doors.intake.receive({
      workspaceId: of,
      deviceId,
      door: 'Http',
      receivedAt: test.ctx.now(),
      message: { kind: 'contact' },
    })

  it('fires when one was not seen for long, until it is seen again, and never for one nobody saw', async () => {
    await givenFleetDevices(test.ctx, workspaceId, ['gone', 'here', 'never'])
    await seen('gone')
    const rule = await ruleOf()
    await clock.evaluateAfter(HOUR)
    const before = await firing(rule)
    await seen('here')
    await clock.evaluateAfter()
    const between = await firingSeries(test, rule)
    const told = await lowestAndHighest(rule)

    await seen('gone')
    await clock.evaluateAfter()

    expect(before).toEqual([])
    expect(between).toEqual([{ series: 'gone', label: null, value: 61 }])
    expect(told).toEqual({ seriesCount: 1, valueCount: 1, lowest: 61, highest: 61 })
    expect(await statuses(test, rule)).toEqual(['Ok', 'Firing', 'Ok'])
  })

  it('does not fire for a connected device that sends nothing', async () => {
    await givenFleetDevices(test.ctx, workspaceId, ['silent'])
    await seen('silent')
    await sql`update devices set connected = true where workspace_id = ${workspaceId}`.execute(
      test.ctx.db,
    )
    const rule = await ruleOf()

    await clock.evaluateAfter(3 * HOUR)

    expect(await firing(rule)).toEqual([])
  })

  it('watches only its cohort, and only devices that have all of its tags', async () => {
    const cohortId = await givenCohort(client)
    const tags = ['outdoor', 'north']
    await givenFleetDevices(test.ctx, workspaceId, ['a'], { cohortId, tags })
    await givenFleetDevices(test.ctx, workspaceId, ['b'], { tags: ['outdoor'] })
    for (const device of ['a', 'b']) await seen(device)
    const [cohort, both, one] = [
      await ruleOf({ deploymentCohortId: cohortId }),
      await ruleOf({ tags }),
      await ruleOf({ tags: ['outdoor'], offlineFor: '2h' }),
    ]
    await clock.evaluateAfter(90 * MINUTE)
    const early = [await firing(cohort), await firing(both), await firing(one)]

    await clock.evaluateAfter(HOUR)

    expect(early).toEqual([['a'], ['a'], []])
    expect(await firing(one)).toEqual(['a', 'b'])
  })

  it('is of one workspace', async () => {
    const other = (await test.givenWorkspace()).workspaceId
    await givenFleetDevices(test.ctx, other, ['gone'])
    await seen('gone', other)
    const rule = await ruleOf()

    await clock.evaluateAfter(3 * HOUR)

    expect(await firing(rule)).toEqual([])
    expect(await statuses(test, rule)).toEqual(['Ok'])
  })
})

describe('a rule about failing deployments', () => {
  const ruleOf = (of: string, condition: Partial<FailureRateCondition> = {}) =>
    clock.rule(of, {
      type: 'DeploymentFailureRate',
      condition: {
        deploymentCohortId: null,
        thresholdPercent: 25,
        minimumFinished: 3,
        ...condition,
      },
    })

  it('fires once enough devices ended and too many of them failed, until the roll-out is another', async () => {
    const fleet = await givenFleet(test, 5)
    const { id } = await fleet.deploy('2.0', {
      phases: [{ percent: 100, failureThresholdPercent: 40 }],
    })
    const rule = await ruleOf(fleet.workspaceId)
    const others = await ruleOf(workspaceId)
    const elsewhere = await ruleOf(fleet.workspaceId, {
      deploymentCohortId: await givenCohort(fleet.client),
    })
    const fail = async (deviceId: string) => {
      const updateId = (await fleet.desired(deviceId))?.updateId ?? ''
      await fleet.reports(deviceId, { updateId, state: 'failed', reason: 'broken' })
    }
    await fail('device-000')
    await fleet.boots('device-001', '2.0')
    await clock.evaluateAfter()
    const early = await firing(rule)
    await fleet.boots('device-002', '2.0')
    await clock.evaluateAfter()
    const firingNow = await firingSeries(test, rule)
    await fleet.deploy('3.0')
    await clock.evaluateAfter()

    expect(early).toEqual([])
    expect(firingNow.map(({ series }) => series)).toEqual([id])
    expect(firingNow[0]?.label).toMatch(/^to 2\.0, /)
    expect(firingNow[0]?.value).toBeCloseTo(100 / 3)
    expect(await statuses(test, rule)).toEqual(['Ok', 'Firing', 'Ok'])
    expect([await firing(others), await firing(elsewhere)]).toEqual([[], []])
  })

  it('fires for a deployment that stopped itself, however few have finished, until it goes on', async () => {
    const fleet = await givenFleet(test, 4)
    const { id } = await fleet.deploy('2.0', {
      phases: [{ percent: 50, successThresholdPercent: 100 }, { percent: 100 }],
    })
    const rule = await ruleOf(fleet.workspaceId, { thresholdPercent: 99 })
    const first = (await fleet.updates(id)).find(({ releasedAt }) => releasedAt !== null)
    const deviceId = first?.deviceId ?? ''
    const updateId = (await fleet.desired(deviceId))?.updateId ?? ''
    await fleet.reports(deviceId, { updateId, state: 'failed', reason: 'broken' })
    await clock.evaluateAfter()
    const running = await firing(rule)

    await sql`update deployments set state = 'Stopped' where id = ${id}`.execute(test.ctx.db)
    await clock.evaluateAfter()
    const stopped = await firingSeries(test, rule)
    await fleet.client.post(`${fleet.path}/${id}/device-updates/retry`, {})
    await clock.evaluateAfter()

    expect(running).toEqual([])
    expect(stopped).toMatchObject([{ series: id, value: 100 }])
    expect(await statuses(test, rule)).toEqual(['Ok', 'Firing', 'Ok'])
  })

  it('does not fire for a rate that equals the threshold', async () => {
    const fleet = await givenFleet(test, 4)
    const { id } = await fleet.deploy('2.0')
    await sql`update deployments set failed = 1, succeeded = 3 where id = ${id}`.execute(
      test.ctx.db,
    )
    const rule = await ruleOf(fleet.workspaceId)

    await clock.evaluateAfter()

    expect(await firing(rule)).toEqual([])
    expect(await lowestAndHighest(rule)).toMatchObject({ valueCount: 1, lowest: 25, highest: 25 })
  })
})
