/** What is done to many incidents at once, and taken back as a whole. */
import { beforeAll, beforeEach, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../../test/app.ts'
import {
  givenReportingDevices,
  givenRule,
  type ReportingDevices,
} from '../../../../test/given-alert-rules.ts'
import { givenMember } from '../../../../test/given-people.ts'
import { type Client, givenClient } from '../../../../test/given.ts'

let test: TestApp
let clock: ReportingDevices['clock']
let client: Client
let minute: ReportingDevices['minute']

beforeAll(async () => {
  test = await startTestApp()
})

/** Three rules are firing. */
beforeEach(async () => {
  ;({ clock, client, minute } = await givenReportingDevices(test, ['a']))
  for (const name of ['One', 'Two', 'Three']) await givenRule(client, { name })
  await minute({ a: 90 })
  clock.pass()
})

const BULK = '/alert-incidents/bulk-handle'
const OPEN = { isOpen: true }

interface Handled {
  matched: number
  changed: number
  alertIncidentBatchId: string | null
}

interface Shown {
  id: string
  alertRule: { name: string }
  acknowledgedAt: string | null
  note: string | null
  assignee: { subjectId: string } | null
  silencedUntil: string | null
}

async function handle(body: object): Promise<Handled> {
  return (await client.post(BULK, { filter: OPEN, ...body })).json<Handled>()
}

async function undo({ alertIncidentBatchId }: Handled) {
  return (await client.post(`${BULK}/${alertIncidentBatchId}/undo`)).json<object>()
}

async function list(): Promise<Record<string, Shown>> {
  const page = await client.post('/alert-incidents/list', { filter: OPEN })
  const { incidents } = page.json<{ incidents: Shown[] }>()
  return Object.fromEntries(incidents.map((one) => [one.alertRule.name, one]))
}

async function pathOf(name: string): Promise<string> {
  return `/alert-incidents/${(await list())[name]?.id}`
}

const listNotes = async () => Object.values(await list()).map(({ note }) => note)

it('says before how many would change, and changes nothing then', async () => {
  await client.post(`${await pathOf('One')}/acknowledge`, {})

  const dry = await handle({ acknowledge: { note: 'Hall 2' }, dryRun: true })
  const refused = await client.post(BULK, { filter: OPEN, acknowledge: {}, expectedChanged: 3 })

  expect(dry).toEqual({ matched: 3, changed: 2, alertIncidentBatchId: null })
  expect(refused.json()).toMatchObject({ status: 409, type: '/problems/alert-incidents-changed' })
  expect(Object.values(await list()).filter((one) => one.acknowledgedAt !== null)).toHaveLength(1)
  expect(await listNotes()).toEqual([null, null, null])
})

it('acknowledges all that match with a note, and gives back what was there before', async () => {
  await client.put(`${await pathOf('Two')}/note`, { note: 'Before' })
  clock.pass()

  const done = await handle({ acknowledge: { note: ' Hall 2 ' }, expectedChanged: 3 })
  const notes = await listNotes()
  clock.pass()
  await client.put(`${await pathOf('Three')}/note`, { note: 'Newer' })
  const back = await undo(done)

  const after = await list()
  expect(done).toMatchObject({ matched: 3, changed: 3 })
  expect(notes).toEqual(['Hall 2', 'Hall 2', 'Hall 2'])
  expect(back).toEqual({ restored: 3, left: 0 })
  expect(Object.values(after).map((one) => one.acknowledgedAt)).toEqual([null, null, null])
  expect([after['One']?.note, after['Two']?.note, after['Three']?.note]).toEqual([
    null,
    'Before',
    'Newer',
  ])
})

it('takes all back although time goes on while it is done', async () => {
  const stopped = test.ctx.now
  test.ctx.now = () => {
    clock.pass(1)
    return stopped()
  }

  const done = await handle({ acknowledge: { note: 'Hall 2' } })

  expect(await undo(done)).toEqual({ restored: 3, left: 0 })
  expect(await listNotes()).toEqual([null, null, null])
})

it('leaves an acknowledgement that somebody took back and gave again since', async () => {
  const done = await handle({ acknowledge: {} })
  const path = await pathOf('One')
  const { acknowledgedAt } = (await client.get(path)).json<Shown>()
  await client.post(`${path}/acknowledge/undo`, { acknowledgedAt })
  clock.pass()
  await client.post(`${path}/acknowledge`, {})

  const back = await undo(done)
  const again = await client.post(`${BULK}/${done.alertIncidentBatchId}/undo`)

  expect(back).toEqual({ restored: 2, left: 1 })
  expect((await list())['One']?.acknowledgedAt).toBe(test.ctx.now().toISOString())
  expect(again.json()).toMatchObject({
    status: 409,
    type: '/problems/alert-incident-batch-undone',
  })
})

it('gives all to a member, and back to whoever had each', async () => {
  const ann = await givenMember(test, client.workspaceId)
  const ben = await givenMember(test, client.workspaceId)
  await client.put(`${await pathOf('One')}/assignee`, { subjectId: ben.id })
  await client.put(`${await pathOf('Two')}/assignee`, { subjectId: ann.id })

  const done = await handle({ assign: { subjectId: ann.id } })
  const given = Object.values(await list()).map(({ assignee }) => assignee?.subjectId)
  await client.put(`${await pathOf('Three')}/assignee`, { subjectId: ben.id })
  const back = await undo(done)

  const after = await list()
  expect(done).toMatchObject({ matched: 3, changed: 2 })
  expect(given).toEqual([ann.id, ann.id, ann.id])
  expect(back).toEqual({ restored: 1, left: 1 })
  expect(['One', 'Two', 'Three'].map((name) => after[name]?.assignee?.subjectId)).toEqual([
    ben.id,
    ann.id,
    ben.id,
  ])
})

it('silences all, and ends only those silences', async () => {
  const until = new Date(test.ctx.now().getTime() + 3_600_000).toISOString()
  const done = await handle({ silence: { until, reason: 'Hall 2', covers: 'Rule' } })
  const silenced = Object.values(await list()).map(({ silencedUntil }) => silencedUntil)

  const back = await undo(done)

  expect(silenced).toEqual([until, until, until])
  expect(back).toEqual({ restored: 3, left: 0 })
  expect(Object.values(await list()).map((one) => one.silencedUntil)).toEqual([null, null, null])
})

it('tells in the audit log what was done to how many', async () => {
  const path = await pathOf('One')
  await undo(await handle({ acknowledge: { note: 'Hall 2' } }))

  const log = await client.get(`/audit-log?subject=${path.slice(1).replace('s/', ':')}`)
  const all = await client.get('/audit-log?limit=1')

  const summaries = (answer: typeof log) =>
    answer.json<{ entries: { summary: string }[] }>().entries.map(({ summary }) => summary)
  expect(summaries(log)[0]).toMatch(/acknowledged 3 incidents \(.*\): Hall 2$/)
  expect(summaries(all)[0]).toMatch(/took back the acknowledgement of 3 incidents$/)
})

it('is one act on one selection, of this workspace', async () => {
  const [{ id } = { id: '' }] = Object.values(await list())
  const stranger = await givenClient(test)
  const named = { alertIncidentIds: [id] }

  const answers = [
    await client.post(BULK, { filter: OPEN }),
    await client.post(BULK, { filter: OPEN, acknowledge: {}, assign: { subjectId: null } }),
    await client.post(BULK, { acknowledge: {} }),
    await client.post(BULK, { ...named, filter: OPEN, acknowledge: {} }),
  ]
  const foreign = await stranger.post(BULK, { ...named, acknowledge: {} })
  const own = await client.post(BULK, { ...named, acknowledge: {} })
  const { alertIncidentBatchId } = own.json<Handled>()
  const undone = await stranger.post(`${BULK}/${alertIncidentBatchId}/undo`)

  expect(answers.map(({ statusCode }) => statusCode)).toEqual([400, 400, 400, 400])
  expect(foreign.json()).toMatchObject({ matched: 0, changed: 0 })
  expect(own.json()).toMatchObject({ matched: 1, changed: 1 })
  expect(undone.statusCode).toBe(404)
})
