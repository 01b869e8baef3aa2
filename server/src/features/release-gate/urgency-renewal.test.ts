/** Counts of urgent findings follow all that they depend on, however it changes; until they do, no version is clear because of them. */
import { sql } from 'kysely'
import { beforeAll, beforeEach, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../test/app.ts'
import { importRecords } from '../../../test/field-cases.ts'
import { SHALLOW } from '../../../test/doctor.ts'
import { cveRecord, givenFolder, kevCatalogue, nvdPage } from '../../../test/given-feeds.ts'
import { cpeOf, givenVersion, refreshKept } from '../../../test/given-findings.ts'
import { givenCohort } from '../../../test/given-fleet.ts'
import { givenSyncingDevice } from '../../../test/given-device-sync.ts'
import { type Client, givenClient } from '../../../test/given.ts'
import { newId } from '../../platform/ids.ts'
import { importFeeds } from '../advisories/index.ts'
import { gateChecks } from './checks-service.ts'
import { assessGate } from './service.ts'
import { keepUrgency } from './urgency-service.ts'

let test: TestApp
let now = new Date()
/** Makes ids and times different. */
let places = 0
let cohortId = ''

/** What CISA's container of a CVE record says. */
const published = (...[exploitation, automatable, impact]: string[]) => ({
  providerMetadata: { orgId: 'x', shortName: 'CISA-ADP' },
  metrics: [
    {
      other: {
        type: 'ssvc',
        content: {
          options: [
            { Exploitation: exploitation },
            { Automatable: automatable },
            { 'Technical Impact': impact },
          ],
        },
      },
    },
  ],
})
const QUIET = published('none', 'no', 'partial')
const ACTIVE = published('active', 'yes', 'total')

interface World {
  client: Client
  cveId: string
  firmwareVersionId: string
  firmwareId: string
}
let world: World

beforeAll(async () => {
  test = await startTestApp()
  test.ctx.now = () => now
})

/** A version with one component and one finding, of which nothing is urgent by itself. */
beforeEach(async () => {
  const client = await givenClient(test)
  const product = `widget-${newId()}`
  const cveId = `CVE-2026-${1000 + places++}`
  const nvd = nvdPage([{ id: cveId, score: 3.1, fixed: { [`acme:${product}`]: '2.0' } }])
  await importRecords(test, givenFolder({ 'nvd.json': nvd }))
  await publish(cveId, QUIET)
  const { firmwareVersionId } = await givenVersion(test.ctx, client.workspaceId, [
    { packageName: product, version: '1.0', cpes: [cpeOf(product, '1.0')] },
  ])
  const read = await client.get(`/firmware-versions/${firmwareVersionId}`)
  const firmwareId = read.json<{ firmware: { id: string } }>().firmware.id
  world = { client, cveId, firmwareVersionId, firmwareId }
  await client.patch('/settings', { releaseGate: 'Block' })
})

/** As an operator imports a folder. */
async function publish(cveId: string, adp: object): Promise<void> {
  const dateUpdated = new Date(Date.UTC(2026, 1, 1, 0, places++)).toISOString()
  const record = cveRecord({ id: cveId, dateUpdated })
  const containers = { ...record.containers, adp: [adp] }
  const files = { [`cves/${cveId}.json`]: { ...record, containers } }
  await importRecords(test, givenFolder(files))
}

async function state(stated: object): Promise<void> {
  const response = await world.client.patch('/ssvc', stated)
  expect([response.statusCode, response.body]).toEqual([200, expect.anything()])
}

const knowProduct = (missionPrevalence: string, publicWellBeing: string) =>
  state({ products: [{ firmwareId: world.firmwareId, missionPrevalence, publicWellBeing }] })

/** A device that says that it runs the version. */
async function report(deviceId: string): Promise<void> {
  const device = await givenSyncingDevice(test, world.client.workspaceId, deviceId)
  const firmware = [{ slug: world.firmwareId, version: '1.0' }]
  expect((await device.sync({ session: { runId: 'run-1', firmware } })).statusCode).toBe(200)
}

/** A cohort of one device that runs the version. */
async function givenRunningIn(exposure: string): Promise<void> {
  await knowProduct('Minimal', 'Minimal')
  await report('gw-1')
  cohortId = await givenCohort(world.client)
  await putInCohort('gw-1')
  await state({ cohorts: [{ cohortId, exposure }] })
}

async function putInCohort(...deviceIds: string[]): Promise<void> {
  const path = `/deployment-cohorts/${cohortId}/devices`
  expect((await world.client.put(path, { deviceIds })).statusCode).toBe(200)
}

async function assess(assessment: string): Promise<void> {
  const listed = await world.client.post('/vulnerability-findings/list', {})
  const { findings } = listed.json<{ findings: { firmwareVersions: { findingId: string }[] }[] }>()
  const id = findings[0]?.firmwareVersions[0]?.findingId
  const path = `/vulnerability-findings/${id}/assessments`
  expect((await world.client.post(path, { assessment })).statusCode).toBe(200)
}

/** All that the service does by itself within six minutes. */
async function settle(): Promise<void> {
  now = new Date(now.getTime() + 6 * 60_000)
  await refreshKept(test.ctx, world.client)
  await keepUrgency(test.ctx)
}

async function readMark(): Promise<string> {
  const version = await world.client.get(`/firmware-versions/${world.firmwareVersionId}`)
  return version.json<{ mark: { sentence: string } }>().mark.sentence
}

async function isBlocked(): Promise<boolean> {
  const { client, firmwareVersionId } = world
  const asked = { workspaceId: client.workspaceId, firmwareVersionIds: [firmwareVersionId] }
  return (await assessGate(test.ctx, asked)).blocked
}

interface Change {
  from: string
  given?: () => Promise<unknown>
  change: () => Promise<unknown>
}

const importKev = () => {
  const released = `2026-02-01T00:${String(places++).padStart(2, '0')}:00.000Z`
  // Packages are matched by it later.
  const path = givenFolder({ 'kev.json': kevCatalogue([world.cveId], released) })
  return importFeeds(test.ctx, { path })
}

const importEuList = () => {
  const euvdId = world.cveId.replace('CVE', 'EUVD')
  const entry = { cveId: world.cveId, euvdId, dateAdded: '2026-02-01', sources: ['eukev_kev'] }
  return importRecords(test, givenFolder({ 'euvd.json': [entry] }))
}

const givenUrgentInSmall = async () => {
  await publish(world.cveId, ACTIVE)
  await givenRunningIn('Small')
}
const givenTwoForMany = async () => {
  await givenRunningIn('Open')
  await state({ manyDevices: 2 })
}

const CHANGES: Record<string, Change> = {
  'a record that says that it is exploited': {
    from: 'Act',
    change: () => publish(world.cveId, ACTIVE),
  },
  'the catalogue of CISA': { from: 'Attend', change: importKev },
  'the list of the EU': { from: 'Attend', change: importEuList },
  'another product': {
    from: 'Act',
    given: async () => {
      await publish(world.cveId, ACTIVE)
      await knowProduct('Minimal', 'Minimal')
    },
    change: () => knowProduct('Essential', 'Irreversible'),
  },
  'another exposure of a cohort': {
    from: 'Attend',
    given: givenUrgentInSmall,
    change: () => state({ cohorts: [{ cohortId, exposure: 'Open' }] }),
  },
  'a device that leaves its cohort': {
    from: 'Attend',
    given: givenUrgentInSmall,
    change: () => putInCohort(),
  },
  'one more device': {
    from: 'Track*',
    given: givenTwoForMany,
    change: () => report('gw-2'),
  },
  'another number of devices that are many': {
    from: 'Track*',
    given: givenTwoForMany,
    change: () => state({ manyDevices: 1 }),
  },
  'another tree': {
    from: 'Attend',
    given: givenUrgentInSmall,
    change: () => state({ tree: 'Cisa' }),
  },
  'a decision that is taken back': {
    from: 'Act',
    given: async () => {
      await publish(world.cveId, ACTIVE)
      await assess('NotAffected')
    },
    change: () => assess('NotAssessed'),
  },
}

const clear = 'Clear: nothing undecided of High or above'
/** Devices that move are counted in time. */
const COUNTED_IN_TIME = new Set(['a device that leaves its cohort'])

it.each(Object.entries(CHANGES))(
  'follows %s, and is not clear meanwhile',
  async (name, { from, given, change }) => {
    await given?.()
    await state({ gateFrom: from })
    await settle()
    expect([await readMark(), await isBlocked()]).toEqual([clear, false])

    await change()
    const meanwhile = await readMark()
    await settle()

    if (!COUNTED_IN_TIME.has(name)) expect(meanwhile).not.toBe(clear)
    expect(await readMark()).toContain(`1 as urgent as ${from} by SSVC`)
    expect(await isBlocked()).toBe(true)
  },
)

it('keeps what is counted when the likelihood of exploits changes, which no tree asks for', async () => {
  await state({ gateFrom: 'Act' })
  await settle()
  await sql`
    update firmware_version_urgency set urgent_count = 7 where workspace_id = ${world.client.workspaceId}`.execute(
    test.ctx.db,
  )

  await importRecords(
    test,
    givenFolder({
      'epss.csv': `#model_version:v1,score_date:2026-01-01T00:00:00+0000\ncve,epss,percentile\n${world.cveId},0.9,0.99\n`,
    }),
  )

  expect(await readMark()).toBe('Overloaded: 7 as urgent as Act by SSVC')
})

it('counts the other workspaces where one cannot be counted', async () => {
  await state({ gateFrom: 'Act' })
  const broken = world.client
  await broken.post('/vulnerability-findings/list', {})
  await sql`
    update ssvc_settings set tree = '99' where workspace_id = ${broken.workspaceId}`.execute(
    test.ctx.db,
  )
  const other = await givenClient(test)
  await other.patch('/ssvc', { gateFrom: 'Act' })
  await givenVersion(test.ctx, other.workspaceId, [])
  await refreshKept(test.ctx, other)

  await expect(keepUrgency(test.ctx)).rejects.toThrow('some workspaces were not counted')

  const { rows } = await sql<{ urgentCount: number }>`
    select urgent_count from firmware_version_urgency where workspace_id = ${other.workspaceId}`.execute(
    test.ctx.db,
  )
  expect(rows).toEqual([{ urgentCount: 0 }])
  await sql`
    update ssvc_settings set tree = 'Fleet' where workspace_id = ${broken.workspaceId}`.execute(
    test.ctx.db,
  )
})

it('is counted again by the doctor, who has what is wrong counted anew', async () => {
  await state({ gateFrom: 'Act' })
  await settle()
  const { workspaceId } = world.client
  const [check] = gateChecks
  const examine = () => check?.find(test.ctx, workspaceId, SHALLOW)
  const sound = await examine()
  await sql`update firmware_version_urgency set urgent_count = 7 where workspace_id = ${workspaceId}`.execute(
    test.ctx.db,
  )

  const wrong = await examine()
  await check?.repair?.(test.ctx, workspaceId, SHALLOW)

  expect([sound?.faultCount, wrong?.faultCount]).toEqual([0, 1])
  expect(wrong?.faults).toEqual([
    `firmware version ${world.firmwareVersionId} is kept with 7 urgent findings instead of 0`,
  ])
  expect([(await examine())?.faultCount, await readMark()]).toEqual([0, clear])
})
