/** What people say about an incident, and who looks after it. */
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
let findIncidentId: ReportingDevices['findIncidentId']
let path: string

beforeAll(async () => {
  test = await startTestApp()
})

beforeEach(async () => {
  ;({ clock, client, minute, findIncidentId } = await givenReportingDevices(test, ['a']))
  path = await givenIncident()
})

async function givenIncident(): Promise<string> {
  const { id } = await givenRule(client)
  await minute({ a: 90 })
  return `/alert-incidents/${await findIncidentId(id)}`
}

async function listSummaries(): Promise<string[]> {
  const log = await client.get(`/audit-log?subject=alert-incident:${path.split('/').at(-1)}`)
  return log.json<{ entries: { summary: string }[] }>().entries.map(({ summary }) => summary)
}

it('is acknowledged with a note, which stands there after the acknowledgement is taken back', async () => {
  const acknowledged = await client.post(`${path}/acknowledge`, { note: ' The fan is due ' })

  const { acknowledgedAt } = acknowledged.json<{ acknowledgedAt: string }>()
  const undone = await client.post(`${path}/acknowledge/undo`, { acknowledgedAt })

  expect(acknowledged.json()).toMatchObject({
    note: 'The fan is due',
    notedAt: clock.instant(1),
    notedByEmail: expect.stringContaining('@example.com') as string,
  })
  expect(undone.json()).toMatchObject({ acknowledgedAt: null, note: 'The fan is due' })
  expect(await listSummaries()).toEqual([
    expect.stringContaining('took back the acknowledgement'),
    expect.stringContaining('acknowledged the incident of the rule CPU temperature:'),
  ])
})

it('keeps its note when it is acknowledged without one, and another one replaces it', async () => {
  await client.put(`${path}/note`, { note: 'First' })
  const acknowledged = await client.post(`${path}/acknowledge`, {})
  clock.pass()

  const replaced = await client.put(`${path}/note`, { note: 'Second' })
  const removed = await client.put(`${path}/note`, { note: null })

  expect(acknowledged.json()).toMatchObject({ note: 'First' })
  expect(replaced.json()).toMatchObject({ note: 'Second', notedAt: test.ctx.now().toISOString() })
  expect(removed.json()).toMatchObject({ note: null })
  expect((await client.put(`${path}/note`, { note: ' ' })).statusCode).toBe(400)
  expect(await listSummaries()).toEqual([
    expect.stringContaining('took back the note'),
    expect.stringContaining(': Second'),
    expect.stringContaining('acknowledged'),
    expect.stringContaining(': First'),
  ])
})

it('is looked after by a member, until they leave', async () => {
  const ann = await givenMember(test, client.workspaceId)
  const ben = await givenMember(test, client.workspaceId)
  const list = async (filter: object) => {
    const page = await client.post('/alert-incidents/list', { filter })
    return page.json<{ incidents: object[] }>().incidents.length
  }

  const given = await client.put(`${path}/assignee`, { subjectId: ann.id })
  const listed = [
    await list({ assigneeIds: [ann.id] }),
    await list({ assigneeIds: [ben.id] }),
    await list({ assigned: true }),
    await list({ assigned: false }),
  ]
  await ben.browser.delete(`/workspaces/${client.workspaceId}/members/${ann.id}`)

  expect(given.json()).toMatchObject({ assignee: { subjectId: ann.id, email: ann.email } })
  expect(listed).toEqual([1, 0, 1, 0])
  expect((await client.get(path)).json()).toMatchObject({ assignee: null })
  expect(await list({ assigned: false })).toBe(1)
})

it('is given to nobody outside the workspace, and taken from whoever has it', async () => {
  const ann = await givenMember(test, client.workspaceId)
  const stranger = await givenClient(test)
  const { id: outside } = await givenMember(test, stranger.workspaceId)
  await client.put(`${path}/assignee`, { subjectId: ann.id })

  const refused = await client.put(`${path}/assignee`, { subjectId: outside })
  const nobody = await client.put(`${path}/assignee`, { subjectId: null })

  expect(refused.json()).toMatchObject({ status: 404, type: '/problems/member-not-found' })
  expect(nobody.json()).toMatchObject({ assignee: null })
  expect(await listSummaries()).toEqual([
    expect.stringContaining('to nobody'),
    expect.stringContaining(`to ${ann.email}`),
  ])
})

it('of another workspace takes neither note nor member', async () => {
  const stranger = await givenClient(test)

  const answers = [
    await stranger.put(`${path}/note`, { note: 'Mine' }),
    await stranger.put(`${path}/assignee`, { subjectId: null }),
    await stranger.post(`${path}/acknowledge`, { note: 'Mine' }),
  ]

  expect(answers.map(({ statusCode }) => statusCode)).toEqual([404, 404, 404])
  expect((await client.get(path)).json()).toMatchObject({ note: null, acknowledgedAt: null })
})
