/** What was rolled out and is of a product line is kept; all else is deleted as ever. */
import { sql } from 'kysely'
import { beforeAll, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../test/app.ts'
import { type Fleet, givenFleet } from '../../../test/given-fleet.ts'
import { parsedSboms, upload } from '../../../test/given.ts'
import { sweepReplacedSboms } from '../sboms/index.ts'

let test: TestApp
let fleet: Fleet
let firmwareId: string
let now = new Date()

beforeAll(async () => {
  test = await startTestApp()
  Object.assign(test.ctx, { now: () => now })
})

const at = (time: string) => void (now = new Date(time))

/** The version 1.0 was rolled out on 1 March 2026, from a cohort that is gone since. */
async function givenRolledOut(line: object | undefined) {
  at('2026-03-01T10:00:00Z')
  fleet = await givenFleet(test, 0)
  const version = (await fleet.client.get(`/firmware-versions/${rolledOut()}`)).json<{
    firmware: { id: string }
  }>()
  firmwareId = version.firmware.id
  const { id } = await fleet.deploy('1.0')
  expect((await fleet.client.post(`${fleet.path}/${id}/cancel`)).statusCode).toBe(200)
  const gone = await fleet.client.delete(`/deployment-cohorts/${fleet.cohortId}`)
  expect(gone.statusCode).toBe(204)
  if (!line) return
  const named = {
    name: `Line ${crypto.randomUUID()}`,
    manufacturer: 'Acme',
    firmwareIds: [firmwareId],
  }
  expect((await fleet.client.post('/product-lines', { ...named, ...line })).statusCode).toBe(201)
}

const rolledOut = () => fleet.versions['1.0'] ?? ''
const retention = async () =>
  (await fleet.client.get(`/firmware-versions/${rolledOut()}/retention`)).json<{
    retained: { until: string; productLine: { name: string } }[]
  }>().retained
const deleteVersion = (id = rolledOut()) => fleet.client.delete(`/firmware-versions/${id}`)

it.each([
  ['ten years from its first roll-out', {}, '2036-03-01T10:00:00.000Z'],
  ['the end of support', { supportEndsIn: '2040-02' }, '2040-03-01T00:00:00.000Z'],
  ['ten years from its first roll-out', { supportEndsIn: '2030-02' }, '2036-03-01T10:00:00.000Z'],
  ['ten years from the market', { firstPlacedOn: '2027-02-28' }, '2037-02-28T00:00:00.000Z'],
])('keeps a version until %s, where that is latest', async (_reason, line, until) => {
  await givenRolledOut(line)
  expect(await retention()).toMatchObject([{ until }])
  const day = until.slice(0, 10)

  at(new Date(Date.parse(until) - 1).toISOString())
  const refused = await deleteVersion()
  expect(refused.statusCode).toBe(409)
  expect(refused.json()).toMatchObject({ type: '/problems/retained' })
  expect(refused.json<{ detail: string }>().detail).toContain(`kept until ${day}`)

  at(until)
  expect(await retention()).toEqual([])
  expect((await deleteVersion()).statusCode).toBe(204)
})

it('keeps its firmware, SBOM and artifact, too, and lets what was never rolled out go', async () => {
  await givenRolledOut({})
  const files = [
    { name: 'bom.json', bytes: JSON.stringify({ bomFormat: 'CycloneDX', specVersion: '1.6' }) },
  ]
  await upload(test, fleet.client, { firmwareVersionId: rolledOut(), files })
  await test.startWorker()
  const [sbom] = await parsedSboms(fleet.client, rolledOut())
  const paths = [
    `/firmwares/${firmwareId}`,
    `/sboms/${sbom?.id ?? ''}`,
    `/firmware-versions/${rolledOut()}/artifact`,
  ]

  for (const path of paths)
    expect([path, (await fleet.client.delete(path)).json()]).toMatchObject([
      path,
      { status: 409, type: '/problems/retained' },
    ])
  expect((await fleet.client.get(`/firmwares/${firmwareId}/retention`)).json()).toMatchObject({
    retained: [{ firmwareVersionId: rolledOut() }],
  })
  expect((await deleteVersion(fleet.versions['2.0'])).statusCode).toBe(204)
})

it('deletes without a product line what was rolled out, as ever', async () => {
  await givenRolledOut(undefined)

  expect(await retention()).toEqual([])
  expect((await deleteVersion()).statusCode).toBe(204)
})

const lines = async () =>
  (await fleet.client.get('/product-lines')).json<{
    productLines: { id: string; name: string }[]
  }>().productLines

it('keeps what was rolled out as long where its firmware leaves the line, and by the dates of the line once it is back', async () => {
  await givenRolledOut({ supportEndsIn: '2040-02' })
  const [line] = await lines()
  const path = `/product-lines/${line?.id ?? ''}`
  const until = '2040-03-01T00:00:00.000Z'

  expect((await fleet.client.patch(path, { firmwareIds: [] })).statusCode).toBe(200)
  expect(await retention()).toMatchObject([
    { until, isInLine: false, productLine: { name: line?.name } },
  ])
  expect((await deleteVersion()).json()).toMatchObject({ status: 409, type: '/problems/retained' })
  expect((await deleteVersion(fleet.versions['2.0'])).statusCode).toBe(204)

  await fleet.client.patch(path, { firmwareIds: [firmwareId], supportEndsIn: '2039-02' })
  expect(await retention()).toMatchObject([{ until: '2039-03-01T00:00:00.000Z', isInLine: true }])
})

it('keeps what was rolled out as long where its line is deleted, or the firmware moves to a line that keeps it shorter', async () => {
  await givenRolledOut({ supportEndsIn: '2040-02' })
  const [line] = await lines()

  expect((await fleet.client.delete(`/product-lines/${line?.id ?? ''}`)).statusCode).toBe(204)
  const other = { name: 'Other', manufacturer: 'Acme', firmwareIds: [firmwareId] }
  expect((await fleet.client.post('/product-lines', other)).statusCode).toBe(201)

  expect(await retention()).toMatchObject([
    { until: '2040-03-01T00:00:00.000Z', isInLine: false, productLine: { name: line?.name } },
  ])
  at('2040-03-01T00:00:00Z')
  expect(await retention()).toEqual([])
})

it('keeps the file of a replaced SBOM beyond the days of the workspace', async () => {
  await givenRolledOut({})
  const { workspaceId } = fleet
  const replaced = async (firmwareVersionId: string) => {
    await sql`
      insert into replaced_sboms (workspace_id, id, firmware_version_id, file_name, parsing_state, component_count, size_bytes,
        sha256, created_at, replaced_at, replaced_by)
      values (${workspaceId}, gen_random_uuid(), ${firmwareVersionId}, 'old.json', 'Succeeded', 0, 1, 'x',
        '2026-03-01', '2026-03-02', gen_random_uuid())`.execute(test.ctx.db)
  }
  await replaced(rolledOut())
  await replaced(fleet.versions['2.0'] ?? '')
  const left = async () => {
    const query = test.ctx.db.selectFrom('replacedSboms').select('firmwareVersionId')
    return (await query.where('workspaceId', '=', workspaceId).execute()).map(
      ({ firmwareVersionId }) => firmwareVersionId,
    )
  }

  at('2035-01-01T00:00:00Z')
  await sweepReplacedSboms(test.ctx)
  expect(await left()).toEqual([rolledOut()])

  at('2036-03-02T00:00:00Z')
  await sweepReplacedSboms(test.ctx)
  expect(await left()).toEqual([])
})
