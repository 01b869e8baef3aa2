/** Figures of a period through the API. */
import { beforeAll, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../test/app.ts'
import { type Client, givenClient } from '../../../test/given.ts'
import {
  cpeOf,
  givenDecision,
  givenMatchedSbom,
  givenProduct,
  givenRunning,
  givenVersion,
} from '../../../test/given-findings.ts'
import { givenMember } from '../../../test/given-people.ts'
import { newId } from '../../platform/ids.ts'
import type { AppContext } from '../../platform/context.ts'
import { maintainDailyCounters, maintainDailyDevices } from '../reports/index.ts'
import { recordCaseDays } from './case-days-service.ts'
import { maintainDisclosures } from './service.ts'

let test: TestApp
beforeAll(async () => {
  test = await startTestApp()
})

const DAY_MS = 86_400_000
const FIRST = Math.floor(Date.now() / DAY_MS) * DAY_MS - 60 * DAY_MS
/** Noon of a day; 0 is sixty days ago. */
const at = (day: number): AppContext => ({
  ...test.ctx,
  now: () => new Date(FIRST + (day + 0.5) * DAY_MS),
})
const dayOf = (day: number) => new Date(FIRST + day * DAY_MS).toISOString().slice(0, 10)

interface Value {
  name: string
  value: number | null
  cases: number
}
interface Figure {
  id: string
  values: Value[]
  groups: { by: string; key: string; name: string; values: Value[] }[]
  notCounted: { reason: string; count: number }[]
  knownSince: string | null
  list: string
}
interface Answer {
  isClosed: boolean
  deletedSince: number
  figures: Figure[]
}

async function read(client: Client, from: number, to: number, more = '') {
  const answer = await client.get(`/figures?from=${dayOf(from)}&to=${dayOf(to)}${more}`)
  expect([answer.statusCode, answer.body]).toEqual([200, expect.anything()])
  return answer.json<Answer>()
}
const find = ({ figures }: Answer, id: string) => {
  const found = figures.find((figure) => figure.id === id)
  if (!found) throw new Error(`There is no ${id}.`)
  return found
}
const valuesOf = (answer: Answer, id: string) =>
  Object.fromEntries(find(answer, id).values.map(({ name, value }) => [name, value]))

/** A workspace that began before the story. */
async function givenWorkspace() {
  const client = await givenClient(test)
  await test.ctx.db
    .updateTable('workspaces')
    .set({ createdAt: at(-1).now() })
    .where('id', '=', client.workspaceId)
    .execute()
  return client
}

const endDayOf = async (workspaceId: string, day: number) => {
  await maintainDailyDevices(at(day))
  await maintainDailyCounters(at(day))
  await maintainDisclosures(at(day))
  await recordCaseDays(at(day), workspaceId)
}

interface Beginning {
  client: Client
  product: string
}

/** A team to which a rule gives what the product has. */
async function givenOwners({ client, product }: Beginning) {
  const { id } = await givenMember(test, client.workspaceId, 'Engineer')
  const answer = await client.put('/owner-rules', {
    teams: [{ name: 'Boot', memberIds: [id] }],
    rules: [{ components: [`${product}*`], team: 'Boot' }],
  })
  expect([answer.statusCode, answer.body]).toEqual([200, expect.anything()])
}

/** Version 1.0 has both flaws from day 10 on; 1.1 of the same firmware, from day 20 on, has none. */
async function givenStory({
  beginsWith,
}: { beginsWith?: (beginning: Beginning) => Promise<void> } = {}) {
  const client = await givenWorkspace()
  const { workspaceId } = client
  const flaws = await givenProduct(at(10), ['Critical', 'High'], {
    publishedAt: at(10).now().toISOString(),
    at: at(10).now(),
  })
  await beginsWith?.({ client, product: flaws.product })
  const old = await givenVersion(at(5), workspaceId, [])
  const endDay = (day: number) => endDayOf(workspaceId, day)
  await endDay(6)
  await givenMatchedSbom(at(10), old, [
    { packageName: flaws.product, version: '1.0', cpes: flaws.cpes },
  ])
  await givenRunning(at(10), 10, old)
  await endDay(10)
  const [critical = '', high = ''] = flaws.cveIds
  await givenDecision(at(13), old, { vulnerabilityId: critical, assessment: 'Exploitable' })
  await givenDecision(at(12), old, { vulnerabilityId: high, assessment: 'FalsePositive' })
  await endDay(13)
  const { firmwareId } = await test.ctx.db
    .selectFrom('firmwareVersions')
    .select('firmwareId')
    .where('id', '=', old.firmwareVersionId)
    .executeTakeFirstOrThrow()
  const id = newId()
  const createdAt = at(20).now()
  await test.ctx.db
    .insertInto('firmwareVersions')
    .values({ workspaceId, id, firmwareId, name: '1.1', createdAt })
    .execute()
  const mended = { workspaceId, firmwareVersionId: id }
  await givenMatchedSbom(at(20), mended, [
    { packageName: flaws.product, version: '2.0', cpes: [cpeOf(flaws.product, '2.0')] },
  ])
  await givenRunning(at(25), 4, old)
  await givenRunning(at(25), 6, mended)
  await endDay(25)
  await givenRunning(at(30), 0, old)
  await endDay(30)
  return { client, old, mended, firmwareId, critical, high }
}

it('tells how long triage, fix and fleet took, each with the cases behind it', async () => {
  const { client, critical, high, firmwareId } = await givenStory()

  const answer = await read(client, 8, 35)

  expect(answer.isClosed).toBe(true)
  expect(valuesOf(answer, 'timeToTriage')).toEqual({ median: 2, p90: 3 })
  expect(valuesOf(answer, 'timeToFix')).toEqual({ median: 10, p90: 10 })
  expect(valuesOf(answer, 'timeToFleet')).toEqual({ half: 15, ninety: 20, ninetyNine: 20 })
  expect(valuesOf(answer, 'openCritical')).toEqual({ before: 0, end: 1, cases: 1 })
  expect(valuesOf(answer, 'decidedWithinTarget')).toEqual({ share: 100 })
  expect(valuesOf(answer, 'falsePositives')).toEqual({ count: 1, share: 50 })
  expect(find(answer, 'timeToTriage').groups).toContainEqual({
    by: 'Severity',
    key: 'Critical',
    name: 'Critical',
    values: [
      { name: 'median', title: 'Median', unit: 'Days', value: 3, cases: 1 },
      { name: 'p90', title: '90 % took at most', unit: 'Days', value: 3, cases: 1 },
    ],
  })
  const listed = await client.get(
    `/figures/timeToTriage/cases?from=${dayOf(8)}&to=${dayOf(35)}&firmwareId=${firmwareId}`,
  )
  expect(listed.json()).toMatchObject({
    totalCount: 2,
    cases: [
      {
        vulnerabilityId: critical,
        severity: 'Critical',
        days: 3,
        person: 'ann@example.com',
        owners: [],
      },
      { vulnerabilityId: high, days: 2 },
    ],
  })
})

it('says what it does not know, and never as zero', async () => {
  const { client } = await givenStory()

  const early = await read(client, 8, 11)
  const empty = await read(await givenWorkspace(), 0, 30)

  expect(valuesOf(early, 'timeToTriage')).toEqual({ median: null, p90: null })
  const said = (id: string) =>
    find(early, id).notCounted.map(({ reason, count }) => `${count} ${reason}`)
  expect(said('timeToTriage')).toEqual(['2 without a decision when the period ends'])
  expect(said('timeToFix')).toEqual(['2 without a version with a fix when the period ends'])
  expect(valuesOf(empty, 'openCritical')).toEqual({ before: null, end: null, cases: null })
  expect(valuesOf(empty, 'decidedWithinTarget')).toEqual({ share: null })
})

it('goes by the targets that held when a case was detected', async () => {
  const { client } = await givenStory()
  const before = await read(client, 8, 35)
  const settings = (await client.get('/settings')).json<object>()
  const remediationTargetDays = { Critical: 1, High: 1, Medium: 1, Low: 1 }

  const changed = await client.put('/settings', { ...settings, remediationTargetDays })

  expect([changed.statusCode, changed.body]).toEqual([200, expect.anything()])
  expect(await read(client, 8, 35)).toEqual(before)
})

it('counts from the decision to the VEX document that somebody fetched', async () => {
  const { client, old } = await givenStory()
  const today = dayOf(60)
  const fetchVex = () => client.get(`/firmware-versions/${old.firmwareVersionId}/vex`)

  expect((await fetchVex()).statusCode).toBe(200)
  await fetchVex()

  const rows = await test.ctx.db
    .selectFrom('vexPublications')
    .selectAll()
    .where('workspaceId', '=', client.workspaceId)
    .execute()
  expect(rows).toHaveLength(1)
  const answer = (await client.get(`/figures?from=${today}`)).json<Answer>()
  expect(answer.isClosed).toBe(false)
  expect(find(answer, 'timeToVex').values.map(({ cases }) => cases)).toEqual([2, 2])
})

const ACCEPTED = {
  reason: 'No shell on the device',
  owner: { id: newId(), email: 'ben@example.com' },
  until: null,
  conditions: { knownExploited: true, epssAbove: null, devicesAbove: null, fixAvailable: false },
  acceptedByEmail: 'ann@example.com',
}

it('counts what was reopened, came back, was accepted and ended, and how long VEX took', async () => {
  const { client, old, critical, high } = await givenStory()
  const vexAt = new Date(at(13).now().getTime() + 1.5 * DAY_MS)
  await test.ctx.db
    .insertInto('vexPublications')
    .values({
      workspaceId: client.workspaceId,
      firmwareVersionId: old.firmwareVersionId,
      publishedAt: vexAt,
    })
    .execute()
  await givenDecision(at(26), old, { vulnerabilityId: high, assessment: 'Exploitable' })
  const acceptance = { ...ACCEPTED, acceptedAt: at(27).now().toISOString() }
  await givenDecision(at(27), old, { vulnerabilityId: critical, ignored: true, acceptance })
  const ended = { at: at(29).now().toISOString(), causes: ['Person' as const], byEmail: null }
  await givenDecision(at(29), old, {
    vulnerabilityId: critical,
    ignored: false,
    acceptance: { ...acceptance, ended },
  })
  // Another inventory did not have the component, and the next one has it again.
  const held = await test.ctx.db
    .updateTable('firmwareVersionPackages')
    .set({ until: at(31).now() })
    .where('firmwareVersionId', '=', old.firmwareVersionId)
    .returningAll()
    .execute()
  const again = held.map((one) => ({ ...one, since: at(33).now(), until: null }))
  await test.ctx.db.insertInto('firmwareVersionPackages').values(again).execute()

  const before = await read(client, 8, 25)
  const during = await read(client, 26, 28)
  const after = await read(client, 29, 35)

  expect(valuesOf(before, 'timeToVex')).toEqual({ median: 1.5, p90: 2.5 })
  expect(valuesOf(before, 'reopened')).toEqual({ returned: 0, reopened: 0 })
  expect(valuesOf(during, 'reopened')).toEqual({ returned: 0, reopened: 1 })
  expect(valuesOf(during, 'acceptances')).toEqual({ openThen: 0, openNow: 1, ended: 0 })
  expect(valuesOf(after, 'acceptances')).toEqual({ openThen: 1, openNow: 0, ended: 1 })
  expect(valuesOf(after, 'reopened')).toEqual({ returned: 2, reopened: 1 })
  expect(find(after, 'acceptances').groups).toContainEqual(
    expect.objectContaining({ by: 'Person', key: 'ben@example.com' }),
  )
})

it('reads one release line as if the others were not there', async () => {
  const { client, old, mended, firmwareId } = await givenStory()
  await test.ctx.db
    .updateTable('firmwareVersions')
    .set({ name: '0.9' })
    .where('id', '=', old.firmwareVersionId)
    .execute()
  const lines = [
    { name: 'Old', patterns: ['^0\\.'] },
    { name: 'New', patterns: ['^1\\.'] },
  ]
  const stated = await client.put(`/firmwares/${firmwareId}/lines`, { lines })
  expect([stated.statusCode, stated.body]).toEqual([200, expect.anything()])
  expect(mended.firmwareVersionId).not.toBe(old.firmwareVersionId)

  const of = (line: string) => read(client, 8, 35, `&firmwareId=${firmwareId}&line=${line}`)
  const [oldLine, newLine] = [await of('Old'), await of('New')]

  expect(valuesOf(oldLine, 'timeToTriage')).toEqual({ median: 2, p90: 3 })
  expect(find(oldLine, 'timeToFix')).toMatchObject({
    values: [{ value: null }, { value: null }],
    notCounted: [
      { reason: 'without a version with a fix when the period ends', count: 1 },
      { count: 1 },
    ],
  })
  expect(valuesOf(newLine, 'timeToTriage')).toEqual({ median: null, p90: null })
  expect(valuesOf(newLine, 'openCritical')).toEqual({ before: null, end: 0, cases: 0 })
  const period = `from=${dayOf(8)}&to=${dayOf(35)}`
  for (const query of [`line=Old`, `line=None&firmwareId=${firmwareId}`])
    expect((await client.get(`/figures?${period}&${query}`)).statusCode).toBe(400)
})

it('answers CSV, refuses what is no period, and knows nothing of others', async () => {
  const { client, firmwareId } = await givenStory()
  const stranger = await givenWorkspace()
  const period = `from=${dayOf(8)}&to=${dayOf(35)}`

  const csv = await client.get(`/figures/export?${period}`)

  expect(csv.headers['content-type']).toBe('text/csv; charset=utf-8; header=present')
  expect(csv.body).toContain('timeToTriage,Time to triage,All,,median,2,Days,2,')
  expect((await stranger.get(`/figures?${period}&firmwareId=${firmwareId}`)).statusCode).toBe(404)
  const foreign = await read(stranger, 8, 35)
  expect(foreign.figures.flatMap(({ values }) => values.filter(({ cases }) => cases > 0))).toEqual(
    [],
  )
  for (const query of [
    '',
    'from=2026-02-30',
    `from=${dayOf(9)}&to=${dayOf(8)}`,
    `from=${dayOf(9)}&to=2999-01-01`,
    `from=2001-01-01&to=${dayOf(8)}`,
  ])
    expect((await client.get(`/figures?${query}`)).statusCode).toBe(400)
  expect((await client.get(`/figures/openCritical/cases?${period}`)).statusCode).toBe(400)
})

it('tells of each figure whose the cases were on the day, whatever owner rules say later', async () => {
  const { client, critical, high } = await givenStory({ beginsWith: givenOwners })
  const before = await read(client, 8, 35)

  await client.put('/owner-rules', { teams: [], rules: [] })
  await recordCaseDays(at(40), client.workspaceId)

  const groupOf = (answer: Answer, id: string, by: string) =>
    find(answer, id)
      .groups.filter((group) => group.by === by)
      .map(({ name, values }) => [name, ...values.map(({ value }) => value)])
  expect(groupOf(before, 'timeToTriage', 'Owner')).toEqual([['Boot', 2, 3]])
  expect(groupOf(before, 'timeToTriage', 'Person')).toEqual([['ann@example.com', 2, 3]])
  expect(groupOf(before, 'timeToFix', 'Owner')).toEqual([['Boot', 10, 10]])
  expect(groupOf(before, 'timeToFleet', 'Owner')).toEqual([['Boot', 15, 20, 20]])
  expect(groupOf(before, 'decidedWithinTarget', 'Owner')).toEqual([['Boot', 100]])
  expect(groupOf(before, 'openCritical', 'Owner')).toEqual([['Boot', 1]])
  expect(await read(client, 8, 35)).toEqual(before)
  const cases = `/figures/timeToTriage/cases?from=${dayOf(8)}&to=${dayOf(35)}`
  expect((await client.get(cases)).json()).toMatchObject({
    cases: [
      { vulnerabilityId: critical, owners: ['Boot'], person: 'ann@example.com' },
      { vulnerabilityId: high, owners: ['Boot'] },
    ],
  })
})

it('says that owners are not known of days on which nothing kept them', async () => {
  const { client } = await givenStory({ beginsWith: givenOwners })
  await test.ctx.db
    .updateTable('workspaces')
    .set({ caseDaysSince: at(13).now() })
    .where('id', '=', client.workspaceId)
    .execute()
  await test.ctx.db
    .deleteFrom('figureCaseDays')
    .where('workspaceId', '=', client.workspaceId)
    .where('sinceDay', '<', dayOf(13))
    .execute()
  await recordCaseDays(at(13), client.workspaceId)

  const { groups } = find(await read(client, 8, 35), 'timeToTriage')

  expect(groups.filter(({ by }) => by === 'Owner')).toMatchObject([
    { key: expect.stringMatching(/-/) as string, name: 'Boot', values: [{ cases: 1 }, {}] },
    { key: '?', name: 'Not known: it was not kept yet', values: [{ cases: 1 }, {}] },
  ])
})

it('goes by the target of the SSVC outcome of the day, where that ends before the one of the severity', async () => {
  const { client, critical } = await givenStory({
    beginsWith: async ({ client: { put } }) => {
      const targetDays = { Attend: 1, Act: 1, 'Track*': 1, Track: 1 }
      await put('/ssvc', { tree: 'Fleet', manyDevices: 100, products: [], cohorts: [], targetDays })
    },
  })

  const answer = await read(client, 8, 35)

  expect(valuesOf(answer, 'decidedWithinTarget')).toEqual({ share: 0 })
  const outcomes = find(answer, 'decidedWithinTarget').groups.filter(({ by }) => by === 'Outcome')
  expect(outcomes.flatMap(({ values }) => values.map(({ cases }) => cases))).toEqual([2])
  const cases = `/figures/decidedWithinTarget/cases?from=${dayOf(11)}&to=${dayOf(11)}`
  expect((await client.get(cases)).json()).toMatchObject({
    totalCount: 2,
    cases: [{ vulnerabilityId: critical, measure: 'Late' }, { measure: 'Late' }],
  })
})
