import { sql } from 'kysely'
import { beforeAll, describe, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../../test/app.ts'
import { type Client, givenClient } from '../../../../test/given.ts'
import {
  cpeOf,
  givenDecision,
  givenMatchedSbom,
  givenProduct,
  givenRunning,
} from '../../../../test/given-findings.ts'
import { givenCohort as givenCohortOf } from '../../../../test/given-fleet.ts'
import type { GivenComponent } from '../../../../test/given-inventory.ts'
import { newId } from '../../../platform/ids.ts'

let test: TestApp
let client: Client
beforeAll(async () => {
  test = await startTestApp()
  client = await givenClient(test)
})

interface Findings {
  count: number
  knownExploited: number
  countsBySeverity: { severity: string; count: number }[]
  findings: { cveId: string; deviceCount: number; firmwareVersionId: string }[]
}
interface Preview {
  deviceCount: number
  artifacts: {
    replaces: { name: string } | null
    notReportingCount: number
    running: {
      firmwareVersion: { id: string } | null
      deviceCount: number
      removed: Findings | null
      introduced: Findings | null
    }[]
  }[]
  net: Record<'removed' | 'introduced', Findings> &
    Record<'before' | 'after', Findings['countsBySeverity']>
  gate: { mode: string; critical: number; knownExploited: number; blocked: boolean }
}
interface RollbackPreview extends Preview {
  introduced: Findings
  removed: Findings
  restored: { id: string; endedAt: string }
  lastUses: object[]
}

/** Versions of one firmware, each with components and an artifact. */
async function givenVersions<Name extends string>(versions: Record<Name, GivenComponent[]>) {
  const { ctx } = test
  const { workspaceId } = client
  const slug = `fw-${newId()}`
  const { id: firmwareId } = (await client.post('/firmwares', { slug })).json<{ id: string }>()
  const ids = {} as Record<Name, string>
  for (const [name, components] of Object.entries(versions) as [Name, GivenComponent[]][]) {
    const made = await client.post(`/firmwares/${firmwareId}/versions`, { name })
    const firmwareVersionId = made.json<{ id: string }>().id
    ids[name] = firmwareVersionId
    await givenMatchedSbom(ctx, { workspaceId, firmwareVersionId }, components)
    await ctx.db
      .insertInto('firmwareArtifacts')
      .values({
        workspaceId,
        firmwareVersionId,
        blobId: newId(),
        fileName: `${name}.bin`,
        sizeBytes: 1,
        sha256: 'x',
        sha1: 'x',
        md5: 'x',
        createdAt: ctx.now(),
      })
      .execute()
  }
  return { slug, ids }
}

const givenCohort = () => givenCohortOf(client)

/** Devices of a cohort that report a version, which may be unknown. */
async function givenDevices(
  cohortId: string,
  { slug, version, count }: { slug: string; version: string | undefined; count: number },
): Promise<void> {
  const { workspaceId } = client
  const run = newId()
  const ids = Array.from({ length: count }, (_, index) => `${run}-${index}`)
  await sql`
    insert into devices (workspace_id, id, cohort_id, created_at, effective_log_severity)
    select ${workspaceId}, id, ${cohortId}, now(), 'Info' from unnest(${ids}::text[]) as id`.execute(
    test.ctx.db,
  )
  if (version === '') return
  await sql`
    insert into device_firmwares (workspace_id, device_id, slug, version, firmware_version_id, since)
    select ${workspaceId}, id, ${slug}, 'reported', ${version ?? null}, now()
    from unnest(${ids}::text[]) as id`.execute(test.ctx.db)
}

async function deploy(cohortId: string, name: string, ...firmwareVersionIds: string[]) {
  const artifacts = firmwareVersionIds.map((firmwareVersionId) => ({ firmwareVersionId }))
  const path = `/deployment-cohorts/${cohortId}/deployments`
  const made = await client.post(path, { name, artifacts })
  expect(made.statusCode).toBe(201)
  return made.json<{ id: string }>().id
}

async function preview(cohortId: string, firmwareVersionIds: string[], query = '') {
  const artifacts = firmwareVersionIds.map((firmwareVersionId) => ({ firmwareVersionId }))
  const path = `/deployment-cohorts/${cohortId}/deployments/preview${query}`
  const response = await client.post(path, { artifacts })
  return { statusCode: response.statusCode, ...response.json<Preview>() }
}

const at = (cohortId: string, deploymentId: string) =>
  `/deployment-cohorts/${cohortId}/deployments/${deploymentId}/rollback-preview`
const cves = ({ findings }: Findings) => findings.map(({ cveId }) => cveId)
const of = (counts: Findings['countsBySeverity'], severity: string) =>
  counts.find((one) => one.severity === severity)?.count

/** `old` has vulnerabilities that `fixed` does not have; `fixed` adds a component with another one. */
async function givenFix() {
  const { ctx } = test
  const old = await givenProduct(ctx, ['Critical', 'High', 'Medium'])
  const exploited = await givenProduct(ctx, ['Low'], { isKnownExploit: true })
  const fresh = await givenProduct(ctx, ['Medium'])
  const part = (product: string, version: string) => ({
    packageName: product,
    version,
    cpes: [cpeOf(product, version)],
  })
  const versions = await givenVersions({
    old: [part(old.product, '1.0'), part(exploited.product, '1.0')],
    fixed: [part(old.product, '2.0'), part(exploited.product, '2.0'), part(fresh.product, '1.0')],
  })
  return { ...versions, old, exploited, fresh }
}

describe('the preview of a deployment', () => {
  it('tells what goes and what comes for the versions that devices run, and for all of them', async () => {
    const { ids, slug, old, exploited, fresh } = await givenFix()
    const cohort = await givenCohort()
    await givenDevices(cohort, { slug, version: ids.old, count: 3 })
    await givenDevices(cohort, { slug, version: ids.fixed, count: 2 })
    await givenDevices(cohort, { slug, version: undefined, count: 1 })
    await givenDevices(cohort, { slug, version: '', count: 4 })

    const { deviceCount, artifacts, net, gate } = await preview(cohort, [ids.fixed])

    const sortWorstFirst = [...exploited.cveIds, ...old.cveIds]
    expect(deviceCount).toBe(10)
    expect(artifacts).toHaveLength(1)
    const [artifact] = artifacts
    expect(artifact).toMatchObject({ replaces: null, notReportingCount: 4 })
    expect(artifact?.running.map((one) => [one.firmwareVersion?.id, one.deviceCount])).toEqual([
      [ids.old, 3],
      [ids.fixed, 2],
      [undefined, 1],
    ])
    const [outdated, current, unknown] = artifact?.running ?? []
    expect(outdated?.removed && cves(outdated.removed)).toEqual(sortWorstFirst)
    expect(outdated?.introduced && cves(outdated.introduced)).toEqual(fresh.cveIds)
    expect([current?.removed?.count, current?.introduced?.count]).toEqual([0, 0])
    expect([unknown?.removed, unknown?.introduced]).toEqual([null, null])
    expect(net.removed).toMatchObject({ count: 4, knownExploited: 1 })
    expect(net.removed.findings.map((one) => one.deviceCount)).toEqual([3, 3, 3, 3])
    expect(cves(net.introduced)).toEqual(fresh.cveIds)
    expect([of(net.before, 'Critical'), of(net.after, 'Critical')]).toEqual([3, 0])
    expect([of(net.before, 'Medium'), of(net.after, 'Medium')]).toEqual([3 + 2, 5])
    expect(gate).toMatchObject({ mode: 'Warn', critical: 0, knownExploited: 0, blocked: false })
  })

  it('counts active findings only', async () => {
    const { ids, slug, old, exploited } = await givenFix()
    const cohort = await givenCohort()
    await givenDevices(cohort, { slug, version: ids.old, count: 1 })
    const [critical = ''] = old.cveIds
    const version = { workspaceId: client.workspaceId, firmwareVersionId: ids.old }
    const decision = { vulnerabilityId: critical, assessment: 'NotAffected' as const }
    await givenDecision(test.ctx, version, decision)

    const { net } = await preview(cohort, [ids.fixed])

    expect(cves(net.removed)).toEqual([...exploited.cveIds, ...old.cveIds.slice(1)])
  })

  it('lists as many findings as asked for, and counts all', async () => {
    const { ids, slug } = await givenFix()
    const cohort = await givenCohort()
    await givenDevices(cohort, { slug, version: ids.old, count: 1 })

    const { net } = await preview(cohort, [ids.fixed], '?limit=1')

    expect(net.removed.count).toBe(4)
    expect(net.removed.findings).toHaveLength(1)
  })

  it('adds up several firmwares', async () => {
    const [app, boot] = [await givenFix(), await givenFix()]
    const cohort = await givenCohort()
    await givenDevices(cohort, { slug: app.slug, version: app.ids.old, count: 2 })
    await givenDevices(cohort, { slug: boot.slug, version: boot.ids.old, count: 1 })

    const { artifacts, net } = await preview(cohort, [app.ids.fixed, boot.ids.fixed])

    expect(artifacts.map(({ notReportingCount }) => notReportingCount)).toEqual([1, 2])
    expect(net.removed).toMatchObject({ count: 8, knownExploited: 2 })
    expect(of(net.before, 'Critical')).toBe(3)
  })

  it('tells of an empty cohort, too', async () => {
    const { ids } = await givenFix()

    const { deviceCount, net, artifacts } = await preview(await givenCohort(), [ids.old])

    expect([deviceCount, net.removed.count, artifacts[0]?.running]).toEqual([0, 0, []])
  })

  it('needs a cohort and versions of the workspace', async () => {
    const { ids } = await givenFix()
    const cohort = await givenCohort()
    const other = await givenClient(test)
    const artifacts = [{ firmwareVersionId: ids.fixed }]

    expect((await preview('none', [ids.fixed])).statusCode).toBe(404)
    expect((await preview(cohort, [newId()])).statusCode).toBe(400)
    expect((await preview(cohort, [ids.old, ids.fixed])).statusCode).toBe(400)
    expect((await preview(cohort, [])).statusCode).toBe(400)
    const path = `/deployment-cohorts/${cohort}/deployments/preview`
    expect((await other.post(path, { artifacts })).statusCode).toBe(404)
  })
})

describe('the preview of a roll back', () => {
  it('tells what would come back, and when that was last in use', async () => {
    const { ids, slug, old, exploited, fresh } = await givenFix()
    const cohort = await givenCohort()
    await givenDevices(cohort, { slug, version: ids.fixed, count: 2 })
    const first = await deploy(cohort, 'first', ids.old)
    const second = await deploy(cohort, 'second', ids.fixed)

    const response = await client.get(at(cohort, second))

    expect(response.statusCode).toBe(200)
    const body = response.json<RollbackPreview>()
    expect(body).toMatchObject({ deployment: { id: second }, restored: { id: first } })
    expect(Date.parse(body.restored.endedAt)).toBeLessThanOrEqual(Date.now())
    expect(cves(body.introduced)).toEqual([...exploited.cveIds, ...old.cveIds])
    expect(cves(body.removed)).toEqual(fresh.cveIds)
    expect(body.introduced.findings[0]).toMatchObject({
      firmwareVersionId: ids.old,
      deviceCount: 2,
    })
    expect(body.artifacts[0]?.replaces).toMatchObject({ name: 'fixed' })
    expect(cves(body.net.introduced)).toEqual(cves(body.introduced))
    expect([of(body.net.before, 'Critical'), of(body.net.after, 'Critical')]).toEqual([0, 2])
    expect(body.gate).toMatchObject({ critical: 1, knownExploited: 1 })
    expect(body.lastUses).toEqual([
      {
        firmwareVersionId: ids.old,
        isActive: false,
        endedAt: body.restored.endedAt,
        runningDeviceCount: 0,
      },
    ])
  })

  it('is refused as the roll back is', async () => {
    const { ids } = await givenFix()
    const cohort = await givenCohort()
    const first = await deploy(cohort, 'first', ids.old)

    const without = await client.get(at(cohort, first))
    const second = await deploy(cohort, 'second', ids.fixed)
    const over = await client.get(at(cohort, first))
    const elsewhere = await client.get(at(await givenCohort(), second))
    const other = await givenClient(test)

    expect([without.statusCode, over.statusCode, elsewhere.statusCode]).toEqual([409, 409, 404])
    expect(without.json()).toMatchObject({ type: '/problems/no-predecessor' })
    expect(over.json()).toMatchObject({ type: '/problems/deployment-not-active' })
    expect((await other.get(at(cohort, second))).statusCode).toBe(404)
    expect((await client.get(at(cohort, 'none'))).statusCode).toBe(404)
    expect((await client.get(at(cohort, second))).statusCode).toBe(200)
  })
})

describe('what if', () => {
  const ask = (changes: object[]) => client.post('/exposure/what-if', { changes })
  const byWorst = (exposure: { byWorst: { worst: string; devices: number }[] }) =>
    Object.fromEntries(
      exposure.byWorst.flatMap(({ worst, devices }) => (devices > 0 ? [[worst, devices]] : [])),
    )

  it('cohorts ran other versions: all devices are told by their worst, before and after', async () => {
    client = await givenClient(test)
    const { ids, slug, old, exploited, fresh } = await givenFix()
    const [east, west] = [await givenCohort(), await givenCohort()]
    for (const cohort of [east, west])
      await givenDevices(cohort, { slug, version: ids.old, count: 3 })
    await givenRunning(test.ctx, 6, {
      workspaceId: client.workspaceId,
      firmwareVersionId: ids.old,
    })
    await givenDevices(east, { slug, version: undefined, count: 1 })
    await givenDevices(east, { slug, version: '', count: 2 })

    const none = await ask([{ deploymentCohortId: west, firmwareVersionIds: [ids.old] }])
    const one = await ask([{ deploymentCohortId: east, firmwareVersionIds: [ids.fixed] }])
    const both = await ask(
      [east, west].map((deploymentCohortId) => ({
        deploymentCohortId,
        firmwareVersionIds: [ids.fixed],
      })),
    )

    interface Answer {
      before: {
        byWorst: { worst: string; devices: number }[]
        exploited: number
        deviceCount: number
      }
      after: Answer['before']
      changes: { deviceCount: number }[]
      net: Preview['net']
    }
    const [same, partly, all] = [none, one, both].map((response) => response.json<Answer>())
    expect(same?.after).toEqual(same?.before)
    expect(byWorst(partly?.before ?? { byWorst: [] })).toEqual({ Critical: 6, NotJudged: 3 })
    expect(byWorst(partly?.after ?? { byWorst: [] })).toEqual({
      Critical: 3,
      Medium: 4,
      NotJudged: 2,
    })
    expect([partly?.before.exploited, partly?.after.exploited]).toEqual([6, 3])
    expect(byWorst(all?.after ?? { byWorst: [] })).toEqual({ Medium: 7, NotJudged: 2 })
    expect(all?.after.exploited).toBe(0)
    expect(all?.changes.map(({ deviceCount }) => deviceCount)).toEqual([6, 3])
    expect(all && cves(all.net.removed)).toEqual([...exploited.cveIds, ...old.cveIds])
    expect(all?.net.removed.findings.map(({ deviceCount }) => deviceCount)).toEqual([6, 6, 6, 6])
    expect(all && cves(all.net.introduced)).toEqual(fresh.cveIds)
  })

  it('refuses cohorts and versions that are not there, and those named twice', async () => {
    const { ids } = await givenFix()
    const cohort = await givenCohort()
    const change = { deploymentCohortId: cohort, firmwareVersionIds: [ids.old] }
    const other = await givenClient(test)

    const unknown = await ask([{ ...change, firmwareVersionIds: [ids.old, newId(), ids.fixed] }])
    const twice = await ask([change, change])
    const foreign = await other.post('/exposure/what-if', { changes: [change] })

    expect(unknown.json()).toMatchObject({
      errors: [
        { pointer: '/changes/0/firmwareVersionIds/1' },
        { pointer: '/changes/0/firmwareVersionIds/2' },
      ],
    })
    expect(twice.json()).toMatchObject({ errors: [{ pointer: '/changes/1/deploymentCohortId' }] })
    expect(foreign.statusCode).toBe(400)
    expect((await ask([{ ...change, deploymentCohortId: newId() }])).statusCode).toBe(404)
    expect((await ask([])).statusCode).toBe(400)
  })
})

describe('what cannot be taken', () => {
  interface Obstacle {
    kind: string
    blocks: boolean
    deviceCount: number
    deviceIds: string[]
  }
  const obstaclesOf = async (cohortId: string, ...ids: string[]) => {
    const answer = await preview(cohortId, ids)
    return (answer as unknown as { obstacles: Obstacle[] }).obstacles
  }

  it('is told with its devices, and whether it blocks', async () => {
    const { slug, ids } = await givenVersions({ one: [], bare: [] })
    const { ids: other } = await givenVersions({ one: [] })
    const { workspaceId } = client
    const cohortId = await givenCohort()
    await givenDevices(cohortId, { slug, version: ids.one, count: 2 })
    await givenDevices(cohortId, { slug: 'elsewhere', version: undefined, count: 25 })
    await givenDevices(cohortId, { slug, version: '', count: 1 })
    await sql`
      update devices set last_seen_at = now() where workspace_id = ${workspaceId} and cohort_id = ${cohortId}
        and id in (select device_id from device_firmwares where workspace_id = ${workspaceId})`.execute(
      test.ctx.db,
    )
    await sql`
      update devices set door = 'Ddi', client = 'rauc-hawkbit-c-agent/1.0'
      where workspace_id = ${workspaceId} and id in (
        select device_id from device_firmwares where workspace_id = ${workspaceId} and firmware_version_id = ${ids.one})`.execute(
      test.ctx.db,
    )
    await sql`
      delete from firmware_artifacts where workspace_id = ${workspaceId} and firmware_version_id = ${ids.bare}`.execute(
      test.ctx.db,
    )

    const single = await obstaclesOf(cohortId, ids.one)
    const several = await obstaclesOf(cohortId, ids.one, other.one)
    const bare = await obstaclesOf(cohortId, ids.bare)

    expect(single).toMatchObject([
      { kind: 'OtherFirmware', blocks: false, deviceCount: 25 },
      { kind: 'NeverSeen', blocks: false, deviceCount: 1 },
    ])
    expect(single[0]?.deviceIds).toHaveLength(20)
    expect(several[0]).toMatchObject({ kind: 'ClientLimit', blocks: true, deviceCount: 2 })
    expect(several[0]?.deviceIds).toHaveLength(2)
    expect(bare[0]).toMatchObject({ kind: 'ArtifactMissing', blocks: true, deviceCount: 28 })
  })
})
