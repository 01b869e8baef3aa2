import { beforeAll, describe, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../test/app.ts'
import {
  counts,
  givenBinaries,
  givenFleet,
  type ShownDeployment,
  wrongCounters,
} from '../../../test/given-fleet.ts'
import { givenProduct, givenVersion } from '../../../test/given-findings.ts'
import { givenClient, givenFirmwareVersion } from '../../../test/given.ts'

let test: TestApp

interface UpdatesOfDevice {
  deviceUpdates: object[]
  nextCursor: string
  hasMore: boolean
}

beforeAll(async () => {
  test = await startTestApp()
})

describe('a deployment', () => {
  it('counts every device of the cohort as pending', async () => {
    const fleet = await givenFleet(test)

    const created = await fleet.client.post(fleet.path, {
      name: 'Gateway 2.0',
      artifacts: [{ firmwareVersionId: fleet.versions['2.0'] }],
    })

    expect(created.statusCode).toBe(201)
    const shown = created.json<ShownDeployment>()
    expect(shown).toMatchObject({
      name: 'Gateway 2.0',
      deploymentCohortId: fleet.cohortId,
      isActive: true,
      state: 'Running',
      phase: 0,
      predecessorId: null,
      artifacts: [
        {
          order: 0,
          firmware: {
            isMain: true,
            slug: 'gateway',
            firmwareVersion: {
              id: fleet.versions['2.0'],
              name: '2.0',
              firmware: { name: 'gateway' },
            },
          },
        },
      ],
      deviceUpdateStateCounts: counts({ pending: 3 }),
      failureReasons: [],
      gate: { mode: 'Warn', critical: 0, knownExploited: 0, acknowledgement: null },
    })
    expect((await fleet.client.get(`${fleet.path}/${shown.id}`)).json()).toEqual(shown)
    const cohort = await fleet.client.get(`/deployment-cohorts/${fleet.cohortId}`)
    expect(cohort.json()).toMatchObject({ deviceCount: 3, activeDeploymentId: shown.id })
  })

  it('takes the place of the active one, whose open updates are cancelled', async () => {
    const fleet = await givenFleet(test)
    const first = await fleet.deploy('1.0')
    await fleet.boots('device-000', '1.0')

    const second = await fleet.deploy('2.0')

    expect(second).toMatchObject({ predecessorId: first.id, isActive: true })
    expect(await fleet.deployment(first.id)).toMatchObject({
      isActive: false,
      state: 'Superseded',
      stateReason: 'superseded by "to 2.0"',
      deviceUpdateStateCounts: counts({ succeeded: 1, cancelled: 2 }),
    })
    const listed = (await fleet.client.get(`${fleet.path}?limit=1`)).json<{
      deployments: ShownDeployment[]
      nextCursor: string
      hasMore: boolean
    }>()
    expect(listed).toMatchObject({ hasMore: true, deployments: [{ id: second.id }] })
    const rest = await fleet.client.get(
      `${fleet.path}?cursor=${encodeURIComponent(listed.nextCursor)}`,
    )
    expect(rest.json()).toMatchObject({ hasMore: false, deployments: [{ id: first.id }] })
    const ofDevice = (
      await fleet.client.get('/devices/device-000/updates?limit=1')
    ).json<UpdatesOfDevice>()
    expect(ofDevice).toMatchObject({
      hasMore: true,
      deviceUpdates: [
        {
          state: 'pending',
          deployment: {
            id: second.id,
            cohort: { id: fleet.cohortId },
            firmwareVersions: [{ id: fleet.versions['2.0'], firmware: { name: 'gateway' } }],
          },
        },
      ],
    })
    const older = await fleet.client.get(
      `/devices/device-000/updates?cursor=${encodeURIComponent(ofDevice.nextCursor)}`,
    )
    expect(older.json()).toMatchObject({
      hasMore: false,
      deviceUpdates: [{ state: 'succeeded', deployment: { id: first.id, name: 'to 1.0' } }],
    })
    expect((await fleet.client.get('/devices/device-999/updates')).statusCode).toBe(404)
    expect(await wrongCounters(test.ctx, fleet.workspaceId)).toEqual([])
  })

  it('is taken by a device: offered, installed, and succeeded once it reports the version', async () => {
    const fleet = await givenFleet(test)
    await fleet.boots('device-001', '1.0')
    const { id } = await fleet.deploy('2.0')

    const offer = await fleet.desired('device-001')
    if (!offer || !('artifacts' in offer)) throw new Error('nothing was offered')
    const { updateId } = offer
    await fleet.reports('device-001', { updateId, state: 'inProgress', progress: 40 })
    const midway = await fleet.update(id, 'device-001')
    await fleet.reports('device-001', { updateId, state: 'succeeded' })
    const installed = await fleet.update(id, 'device-001')
    const whileInstalled = await fleet.desired('device-001')
    const before = await fleet.client.get('/devices/device-001')
    await fleet.boots('device-001', '2.0')
    const updated = await fleet.client.get('/devices/device-001')

    expect(offer).toMatchObject({
      deploymentId: id,
      artifacts: [{ order: 0, slug: 'gateway', version: '2.0', isMain: true, size: 1000 }],
    })
    expect(offer.artifacts[0]?.url).toContain(`/updates/${updateId}/artifacts/gateway-2.0.bin?`)
    expect(midway).toMatchObject({ state: 'inProgress', progress: 40, installedAt: null })
    expect(installed).toMatchObject({ state: 'inProgress', progress: 100 })
    expect(whileInstalled).toBeNull()
    const succeeded = await fleet.update(id, 'device-001')
    expect(succeeded).toMatchObject({ state: 'succeeded', reason: null })
    expect(before.json()).toMatchObject({ lastUpdatedAt: null })
    expect(updated.json()).toMatchObject({ lastUpdatedAt: succeeded?.finishedAt })
    expect(await fleet.counts(id)).toEqual(counts({ pending: 2, succeeded: 1 }))
    expect(await fleet.desired('device-001')).toBeNull()
  })

  it('fails on a device that comes back with the old version, with that reason', async () => {
    const fleet = await givenFleet(test, 1)
    await fleet.boots('device-000', '1.0')
    const { id } = await fleet.deploy('2.0')
    const offer = await fleet.desired('device-000')
    await fleet.reports('device-000', { updateId: offer?.updateId ?? '', state: 'succeeded' })

    await fleet.boots('device-000', '1.0')

    expect(await fleet.update(id, 'device-000')).toMatchObject({
      state: 'failed',
      reason: 'fell back to gateway 1.0',
    })
    expect(await fleet.deployment(id)).toMatchObject({
      deviceUpdateStateCounts: counts({ failed: 1 }),
      failureReasons: [{ reason: 'fell back to gateway 1.0', count: 1 }],
    })
  })

  it('succeeds at the next contact of a device that runs the version already', async () => {
    const fleet = await givenFleet(test, 1)
    await fleet.boots('device-000', '2.0')
    const { id, deviceUpdateStateCounts } = await fleet.deploy('2.0')

    const desired = await fleet.desired('device-000')

    expect(deviceUpdateStateCounts).toEqual(counts({ pending: 1 }))
    expect(desired).toBeNull()
    expect(await fleet.counts(id)).toEqual(counts({ succeeded: 1 }))
  })

  it.each`
    artifacts                                                      | pointer                             | because
    ${[]}                                                          | ${'/artifacts'}                     | ${'it holds nothing'}
    ${[{ firmwareVersionId: 'x' }]}                                | ${'/artifacts/0/firmwareVersionId'} | ${'no version has the id'}
    ${[{ firmwareVersionId: crypto.randomUUID() }]}                | ${'/artifacts/0/firmwareVersionId'} | ${'no version has the UUID'}
    ${[{ of: '1.0' }, { of: '2.0' }]}                              | ${'/artifacts/1/firmwareVersionId'} | ${'a device runs one version of a firmware'}
    ${[{ of: '1.0', isMain: true }, { of: 'boot', isMain: true }]} | ${'/artifacts/1/isMain'}            | ${'one is the main one'}
  `(
    'is refused, as $because',
    async ({
      artifacts,
      pointer,
    }: {
      artifacts: { of?: string; firmwareVersionId?: string; isMain?: boolean }[]
      pointer: string
    }) => {
      const fleet = await givenFleet(test, 1)
      const boot = await givenFirmwareVersion(fleet.client)
      const response = await fleet.client.post(fleet.path, {
        name: 'Refused',
        artifacts: artifacts.map(({ of, ...artifact }) =>
          of === undefined
            ? artifact
            : { firmwareVersionId: of === 'boot' ? boot : fleet.versions[of], ...artifact },
        ),
      })

      expect(response.statusCode).toBe(400)
      expect(response.json()).toMatchObject({ errors: [{ pointer }] })
    },
  )

  it('is refused for a version without a binary', async () => {
    const fleet = await givenFleet(test, 1)
    const firmwareVersionId = await givenFirmwareVersion(fleet.client)

    const response = await fleet.client.post(fleet.path, {
      name: 'Nothing to hand out',
      artifacts: [{ firmwareVersionId }],
    })

    expect(response.statusCode).toBe(409)
    expect(response.json()).toMatchObject({ type: '/problems/artifact-missing' })
    expect((await fleet.client.get(fleet.path)).json()).toMatchObject({ deployments: [] })
  })

  it.each`
    phases                                | pointer
    ${[{ percent: 50 }]}                  | ${'/phases/0/percent'}
    ${[{ percent: 50 }, { percent: 50 }]} | ${'/phases/1/percent'}
    ${[{ percent: 0 }, { percent: 100 }]} | ${'/phases/0/percent'}
  `('is refused with the phases $phases', async ({ phases, pointer }: Record<string, unknown>) => {
    const fleet = await givenFleet(test, 1)
    const artifacts = [{ firmwareVersionId: fleet.versions['1.0'] }]

    const response = await fleet.client.post(fleet.path, { name: 'Refused', artifacts, phases })

    expect(response.statusCode).toBe(400)
    expect(response.json()).toMatchObject({ errors: [{ pointer }] })
  })

  it('of dangerous firmware needs a reason where the gate blocks, and a roll back does not', async () => {
    const fleet = await givenFleet(test, 1)
    const { ctx } = test
    const { workspaceId, client } = fleet
    const { product, cpes } = await givenProduct(ctx, ['Critical'])
    const component = { packageName: product, cpes }
    const { firmwareVersionId } = await givenVersion(ctx, workspaceId, [component])
    await givenBinaries(ctx, workspaceId, [[firmwareVersionId, 'holey.bin']])
    await ctx.db
      .updateTable('workspaces')
      .set({ releaseGate: 'Block' })
      .where('id', '=', workspaceId)
      .execute()
    const body = { name: 'Holey', artifacts: [{ firmwareVersionId }] }

    const refused = await client.post(fleet.path, body)
    const acknowledgement = { reason: 'The hole is behind the firewall' }
    const created = await client.post(fleet.path, { ...body, acknowledgement })
    const { id } = await fleet.deploy('2.0')
    const rollback = await fleet.rollBack(id)

    expect(refused.statusCode).toBe(409)
    expect(refused.json()).toMatchObject({
      type: '/problems/release-gate',
      detail: expect.stringMatching(
        /^The firmware has 1 critical finding without a decision\. To deploy it nevertheless, give a reason/,
      ) as unknown,
    })
    const gate = { mode: 'Block', critical: 1, acknowledgement }
    expect(created.json()).toMatchObject({ gate })
    expect(rollback.json()).toMatchObject({ gate: { ...gate, acknowledgement: null } })
    const log = await client.get(`/audit-log?resourceId=${created.json<ShownDeployment>().id}`)
    expect(log.json()).toMatchObject({ entries: [{ after: { gate } }] })
  })

  it('is cancelled once; devices that work on it are told until they say they stopped', async () => {
    const fleet = await givenFleet(test, 2)
    const { id } = await fleet.deploy('2.0')
    const offer = await fleet.desired('device-000')
    const updateId = offer?.updateId ?? ''
    await fleet.reports('device-000', { updateId, state: 'inProgress' })

    const cancelled = await fleet.client.post(`${fleet.path}/${id}/cancel`)
    const again = await fleet.client.post(`${fleet.path}/${id}/cancel`)

    expect(cancelled.json()).toMatchObject({
      state: 'Cancelled',
      isActive: false,
      deviceUpdateStateCounts: counts({ cancelled: 2 }),
    })
    expect(again.statusCode).toBe(409)
    expect(again.json()).toMatchObject({ type: '/problems/deployment-not-active' })
    expect(await fleet.desired('device-000')).toEqual({ updateId, cancel: true })
    expect(await fleet.desired('device-001')).toBeNull()
    await fleet.reports('device-000', { updateId, state: 'failed', reason: 'stopped' })
    expect(await fleet.desired('device-000')).toBeNull()
    expect(await fleet.counts(id)).toEqual(counts({ cancelled: 2 }))
  })

  it('pauses for devices that have not begun', async () => {
    const fleet = await givenFleet(test, 2)
    const { id } = await fleet.deploy('2.0')
    const updateId = (await fleet.desired('device-000'))?.updateId ?? ''
    await fleet.reports('device-000', { updateId, state: 'inProgress' })

    const paused = await fleet.client.post(`${fleet.path}/${id}/pause`)

    expect(paused.json()).toMatchObject({ state: 'Paused', isActive: true })
    expect(await fleet.desired('device-000')).toMatchObject({ updateId })
    expect(await fleet.desired('device-001')).toBeNull()
    await fleet.client.post(`${fleet.path}/${id}/resume`)
    expect(await fleet.desired('device-001')).toMatchObject({ deploymentId: id })
  })

  it('lets a device try again as often as asked, each time under a new id', async () => {
    const fleet = await givenFleet(test, 1)
    const { id } = await fleet.deploy('2.0', { maxAttempts: 2 })
    const first = await fleet.desired('device-000')
    await fleet.reports('device-000', {
      updateId: first?.updateId ?? '',
      state: 'failed',
      reason: 'flash worn',
    })
    const between = await fleet.update(id, 'device-000')
    const second = await fleet.desired('device-000')
    await fleet.reports('device-000', { updateId: first?.updateId ?? '', state: 'succeeded' })
    await fleet.reports('device-000', { updateId: second?.updateId ?? '', state: 'failed' })

    expect(between).toMatchObject({ state: 'pending', attempt: 2, reason: 'flash worn' })
    expect(second?.updateId).not.toBe(first?.updateId)
    expect(await fleet.update(id, 'device-000')).toMatchObject({
      state: 'failed',
      attempt: 2,
      reason: 'the device gave no reason',
    })
  })

  it('ignores reports of updates that are over, unknown or of another device', async () => {
    const fleet = await givenFleet(test, 2)
    const { id } = await fleet.deploy('2.0')
    const own = (await fleet.desired('device-000'))?.updateId ?? ''
    await fleet.boots('device-000', '2.0')

    await fleet.reports('device-000', { updateId: own, state: 'failed' })
    await fleet.reports('device-001', { updateId: own, state: 'failed' })
    await fleet.reports('device-001', { updateId: crypto.randomUUID(), state: 'failed' })
    await fleet.reports('device-001', { updateId: 'no id at all', state: 'succeeded' })

    expect(await fleet.counts(id)).toEqual(counts({ pending: 1, succeeded: 1 }))
  })

  it('shows nothing of it to another workspace', async () => {
    const fleet = await givenFleet(test, 1)
    const { id } = await fleet.deploy('2.0')
    const other = await givenClient(test)

    const answers = [
      await other.get(`/deployment-cohorts/${fleet.cohortId}`),
      await other.get(fleet.path),
      await other.get(`${fleet.path}/${id}`),
      await other.post(`${fleet.path}/${id}/cancel`),
      await other.post(`${fleet.path}/${id}/rollback`),
      await other.post(`${fleet.path}/${id}/device-updates/list`, {}),
    ]

    for (const { statusCode } of answers) expect(statusCode).toBe(404)
    expect((await other.get('/deployment-cohorts')).json()).toEqual({ deploymentCohorts: [] })
    expect(await fleet.deployment(id)).toMatchObject({ isActive: true })
  })

  it('is written into the audit log with all that changes it', async () => {
    const fleet = await givenFleet(test, 1)
    const { id } = await fleet.deploy('2.0')
    for (const change of ['pause', 'resume', 'cancel'])
      await fleet.client.post(`${fleet.path}/${id}/${change}`)

    const log = await fleet.client.get(`/audit-log?resourceId=${id}`)

    const { entries } = log.json<{ entries: { action: string }[] }>()
    expect(entries.map(({ action }) => action)).toEqual([
      'deployment.cancel',
      'deployment.resume',
      'deployment.pause',
      'deployment.create',
    ])
  })
})
