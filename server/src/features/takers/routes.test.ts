import { sql } from 'kysely'
import { beforeAll, expect, it } from 'vitest'
import { sharedTestApp, type TestApp } from '../../../test/app.ts'
import { type Client, givenClient } from '../../../test/given.ts'
import { cpeOf, givenMatchedSbom, givenProduct } from '../../../test/given-findings.ts'
import {
  givenArtifactVersions,
  givenCohort,
  givenFleet,
  givenFleetDevices,
} from '../../../test/given-fleet.ts'
import { newId } from '../../platform/ids.ts'

let test: TestApp
beforeAll(async () => {
  test = await sharedTestApp()
})

interface Running {
  cohortId?: string
  firmwareVersionId: string
  lastSeen: string | null
  client?: string
}

/** Devices that report a version, seen last as said. */
async function givenRunningDevices(
  { workspaceId }: Client,
  count: number,
  { cohortId, firmwareVersionId, lastSeen, client }: Running,
) {
  const ids = Array.from({ length: count }, () => newId())
  await givenFleetDevices(test.ctx, workspaceId, ids, cohortId === undefined ? {} : { cohortId })
  await sql`
    update devices set last_seen_at = now() - ${lastSeen}::interval, door = ${client === undefined ? 'Mqtt' : 'Ddi'},
      client = ${client ?? null}
    where workspace_id = ${workspaceId} and id = any(${ids}::text[])`.execute(test.ctx.db)
  await sql`
    insert into device_firmwares (workspace_id, device_id, slug, version, firmware_version_id, since)
    select ${workspaceId}, id, 'x', 'reported', ${firmwareVersionId}, now()
    from unnest(${ids}::text[]) as id`.execute(test.ctx.db)
}

it('counts for each fix the devices that can take it now, by cohort, and says why others cannot', async () => {
  const [client, stranger] = [await givenClient(test), await givenClient(test)]
  const { workspaceId } = client
  const { product, cveIds } = await givenProduct(test.ctx, ['High'])
  const names = ['1', '2', '3', '4'] as const
  const versions = await givenArtifactVersions(test.ctx, { workspaceId, slug: newId(), names })
  for (const name of names)
    await test.ctx.db
      .updateTable('firmwareVersions')
      .set({ createdAt: new Date(Date.now() + Number(name) * 1_000) })
      .where('workspaceId', '=', workspaceId)
      .where('name', '=', name)
      .execute()
  const hold = async (name: string, version: string) => {
    const cpes = [cpeOf(product, version)]
    const firmwareVersionId = versions[name] ?? ''
    const holding = [{ packageName: product, version, cpes }]
    await givenMatchedSbom(test.ctx, { workspaceId, firmwareVersionId }, holding)
    return firmwareVersionId
  }
  const first = await hold('1', '1.0')
  const second = await hold('2', '1.5')
  const fixed = await hold('3', '2.0')
  const newest = await hold('4', '2.1')
  // Nobody uploaded a file of it.
  await test.ctx.db
    .deleteFrom('firmwareArtifacts')
    .where('workspaceId', '=', workspaceId)
    .where('firmwareVersionId', '=', newest)
    .execute()
  const [large, small] = [await givenCohort(client), await givenCohort(client)]
  const here = { cohortId: large, firmwareVersionId: first }
  await givenRunningDevices(client, 3, { ...here, lastSeen: '1 hour' })
  await givenRunningDevices(client, 2, { ...here, lastSeen: '8 days' })
  await givenRunningDevices(client, 1, { ...here, lastSeen: null })
  await givenRunningDevices(client, 1, { ...here, firmwareVersionId: fixed, lastSeen: '1 hour' })
  await givenRunningDevices(client, 1, {
    cohortId: small,
    firmwareVersionId: second,
    lastSeen: '1 hour',
  })
  await givenRunningDevices(client, 2, { firmwareVersionId: second, lastSeen: '1 hour' })
  const deployed = await client.post(`/deployment-cohorts/${small}/deployments`, {
    name: 'under way',
    artifacts: [{ firmwareVersionId: fixed }],
  })
  expect([deployed.statusCode, deployed.body.slice(0, 300)]).toEqual([201, expect.anything()])

  const path = `/vulnerabilities/${cveIds[0] ?? ''}/fixes`
  const { fixes } = (await client.get(path)).json<{ fixes: object[] }>()

  const none = { limitedDeviceCount: 0 }
  const ofLarge = { deploymentCohort: { id: large }, isUnderWay: false, ...none }
  expect(fixes).toMatchObject([
    {
      firmwareVersion: { id: fixed, name: '3' },
      component: { name: product, version: '2.0' },
      hasArtifact: true,
      deviceCount: 9,
      cohorts: [
        { ...ofLarge, deviceCount: 6, readyDeviceCount: 3, silentDeviceCount: 3 },
        { deploymentCohort: { id: small }, isUnderWay: true, readyDeviceCount: 1, ...none },
        { deploymentCohort: null, isUnderWay: false, deviceCount: 2, readyDeviceCount: 0 },
      ],
    },
  ])
  // Of the newest version, also those that run the one with the fix.
  expect((await client.get(`/firmware-versions/${newest}/takers`)).json()).toMatchObject({
    hasArtifact: false,
    deviceCount: 10,
    cohorts: [
      { ...ofLarge, deviceCount: 7, readyDeviceCount: 4 },
      { deploymentCohort: { id: small }, isUnderWay: false },
      { deploymentCohort: null },
    ],
  })
  expect((await stranger.get(path)).json()).toEqual({ fixes: [] })
  expect((await stranger.get(`/firmware-versions/${newest}/takers`)).statusCode).toBe(404)
})

it('tells the devices of each release line the newest fix of their line, else the newest of all', async () => {
  const client = await givenClient(test)
  const { workspaceId } = client
  const { cveIds, product: name } = await givenProduct(test.ctx, ['High'])
  const names = ['2.0', '3.0', '4.0', '2.1', '3.1'] as const
  const versions = await givenArtifactVersions(test.ctx, { workspaceId, slug: newId(), names })
  for (const [place, one] of names.entries()) {
    const firmwareVersionId = versions[one] ?? ''
    await test.ctx.db
      .updateTable('firmwareVersions')
      .set({ createdAt: new Date(Date.now() + place * 1_000) })
      .where('id', '=', firmwareVersionId)
      .execute()
    const version = one.endsWith('.0') ? '1.0' : '2.0'
    const holding = { packageName: name, version, cpes: [cpeOf(name, version)] }
    await givenMatchedSbom(test.ctx, { workspaceId, firmwareVersionId }, [holding])
  }
  const { firmware } = (await client.get(`/firmware-versions/${versions['2.0']}`)).json<{
    firmware: { id: string }
  }>()
  const lines = ['2', '3', '4'].map((line) => ({ name: line, patterns: [`^${line}`] }))
  await client.put(`/firmwares/${firmware.id}/lines`, { lines })
  const running = { lastSeen: '1 hour' }
  await givenRunningDevices(client, 3, { ...running, firmwareVersionId: versions['2.0'] ?? '' })
  await givenRunningDevices(client, 2, { ...running, firmwareVersionId: versions['3.0'] ?? '' })
  await givenRunningDevices(client, 2, { ...running, firmwareVersionId: versions['4.0'] ?? '' })

  const { fixes } = (await client.get(`/vulnerabilities/${cveIds[0] ?? ''}/fixes`)).json<{
    fixes: { firmwareVersion: { name: string }; deviceCount: number }[]
  }>()

  expect(fixes.map((fix) => [fix.firmwareVersion.name, fix.deviceCount])).toEqual([
    ['3.1', 4],
    ['2.1', 3],
  ])
})

it('lists the deployments of a version to all cohorts, the active one first', async () => {
  const fleet = await givenFleet(test)
  const { client, cohortId, versions, deviceIds } = fleet
  const { id: first } = await fleet.deploy('2.0')
  await fleet.boots(deviceIds[0] ?? '', '2.0')
  await fleet.deploy('3.0')
  const { id: again } = await fleet.deploy('2.0')
  const path = `/firmware-versions/${versions['2.0'] ?? ''}/deployments`

  const listed = (await client.get(path)).json<{ deployments: object[]; hasMore: boolean }>()

  expect(listed.hasMore).toBe(false)
  expect(listed.deployments).toMatchObject([
    { id: again, isActive: true, deploymentCohort: { id: cohortId }, deviceCount: 3 },
    { id: first, isActive: false, state: 'Superseded', succeededCount: 1, isRollback: false },
  ])
  expect((await (await givenClient(test)).get(path)).statusCode).toBe(404)
})
