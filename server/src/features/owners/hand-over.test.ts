/** What a member looks after is counted before the member is removed, and another may take all of it. */
import { expect, it } from 'vitest'
import { sharedTestApp } from '../../../test/app.ts'
import { givenProduct, givenVersion } from '../../../test/given-findings.ts'
import { givenMember } from '../../../test/given-people.ts'
import { type Client, givenClient } from '../../../test/given.ts'
import { newId } from '../../platform/ids.ts'

const test = await sharedTestApp()

/** Ann has an accepted risk, two assigned vulnerabilities, an incident, a rule, and two teams, one with ben. */
async function givenDuties() {
  const client = await givenClient(test)
  const { workspaceId } = client
  const [ann, ben] = [await givenMember(test, workspaceId), await givenMember(test, workspaceId)]
  const { product, cpes, cveIds } = await givenProduct(test.ctx, ['Critical', 'High', 'Low'])
  const component = { packageName: product, version: '1.0', cpes }
  await givenVersion(test.ctx, workspaceId, [component])
  const accepted = await client.post('/vulnerability-findings/bulk-ignore', {
    filter: { cveIds: [cveIds[0]] },
    ignored: true,
    acceptance: { ownerId: ann.id, until: '2099-01-01T00:00:00.000Z' },
  })
  expect(accepted.json()).toMatchObject({ changed: 1 })
  for (const cveId of cveIds.slice(1)) {
    const assigned = await client.put(`/vulnerabilities/${cveId}/assignee`, { subjectId: ann.id })
    expect(assigned.statusCode).toBe(200)
  }
  const incidentId = await givenIncident(client, ann.id)
  const rules = await client.put('/owner-rules', {
    teams: [
      { name: 'Alone', memberIds: [ann.id] },
      { name: 'Both', memberIds: [ann.id, ben.id] },
    ],
    rules: [
      { components: ['u-boot'], memberId: ann.id },
      { components: ['a'], team: 'Alone' },
      { components: ['b'], memberId: ben.id },
    ],
  })
  expect(rules.statusCode).toBe(200)
  return { client, ann, ben, cveIds, incidentId }
}

async function givenIncident({ workspaceId }: Client, assigneeId: string): Promise<string> {
  const [id, now] = [newId(), new Date()]
  await test.ctx.db
    .insertInto('alertIncidents')
    .values({
      workspaceId,
      id,
      ruleId: newId(),
      ruleName: 'Silent',
      ruleType: 'DeviceOffline',
      condition: JSON.stringify({ offlineFor: '1h', tags: [], deploymentCohortId: null }),
      beganAt: now,
      assigneeId,
    })
    .execute()
  return id
}

const DUTIES = {
  acceptedRisks: 1,
  vulnerabilities: 2,
  incidents: 1,
  ownerRules: 1,
  teams: 2,
  teamsWithoutOthers: 1,
}
const NOTHING = Object.fromEntries(Object.keys(DUTIES).map((name) => [name, 0]))

const readDuties = async (client: Client, { id }: { id: string }) =>
  (await client.get(`/members/${id}/duties`)).json<object>()

const listActs = async (client: Client) => {
  const { entries } = (await client.get('/audit-log?limit=20')).json<{
    entries: { action: string }[]
  }>()
  return entries.map(({ action }) => action)
}

it('counts what a member looks after, and nothing of others', async () => {
  const { client, ann, ben } = await givenDuties()

  const other = await givenClient(test)

  expect(await readDuties(client, ann)).toEqual(DUTIES)
  expect(await readDuties(client, ben)).toEqual({ ...NOTHING, ownerRules: 1, teams: 1 })
  expect((await other.get(`/members/${ann.id}/duties`)).statusCode).toBe(404)
  expect((await client.get('/members/me/duties')).statusCode).toBe(400)
})

it('hands all of it to another in the transaction that removes the member, and audits each part', async () => {
  const { client, ann, ben, cveIds, incidentId } = await givenDuties()

  const removed = await client.delete(`/members/${ann.id}?handOverTo=${ben.id}`)

  expect([removed.statusCode, removed.body]).toEqual([204, ''])
  expect(await readDuties(client, ben)).toEqual({
    ...DUTIES,
    ownerRules: 2,
    teamsWithoutOthers: 2,
  })
  const owners = (await client.get('/owner-rules')).json<{
    teams: { name: string; memberIds: string[] }[]
    rules: { owner: { name: string }; vacancy: string | null }[]
  }>()
  expect(owners.teams).toMatchObject([
    { name: 'Alone', memberIds: [ben.id] },
    { name: 'Both', memberIds: [ben.id] },
  ])
  expect(owners.rules.map(({ owner, vacancy }) => [owner.name, vacancy])).toEqual([
    [ben.email, null],
    ['Alone', null],
    [ben.email, null],
  ])
  const incident = await client.get(`/alert-incidents/${incidentId}`)
  expect(incident.json()).toMatchObject({ assignee: { email: ben.email } })
  expect(await listActs(client)).toEqual(
    expect.arrayContaining([
      'member.remove',
      'acceptance.hand-over',
      'alert-incident.assign',
      'owner-rules.update',
      'vulnerability.bulk-assign',
    ]),
  )
  const { entries } = (await client.get('/audit-log?limit=20')).json<{
    entries: { action: string; after: object }[]
  }>()
  expect(entries.find(({ action }) => action === 'vulnerability.bulk-assign')?.after).toMatchObject(
    {
      assignee: ben.email,
      cveIds: cveIds.slice(1).toSorted(),
    },
  )
})

it('leaves everything without an owner where nobody takes it', async () => {
  const { client, ann, ben } = await givenDuties()

  await client.delete(`/members/${ann.id}`)

  expect(await readDuties(client, ben)).toEqual({
    ...NOTHING,
    ownerRules: 1,
    teams: 1,
    teamsWithoutOthers: 1,
  })
})

it.each([
  ['the member who leaves', ({ ann }: { ann: string }) => ann],
  ['nobody of the workspace', () => newId()],
])('is refused with %s as heir, and changes nothing', async (_, heirOf) => {
  const { client, ann } = await givenDuties()

  const refused = await client.delete(`/members/${ann.id}?handOverTo=${heirOf({ ann: ann.id })}`)

  expect(refused.statusCode).toBe(400)
  expect(await readDuties(client, ann)).toEqual(DUTIES)
})

it('needs the scopes of all that it changes', async () => {
  const { client, ann, ben } = await givenDuties()
  const key = await test.givenKey(client.workspaceId, [
    'Workspace members: write',
    'Vulnerabilities: write',
    'Alerts: write',
  ])

  const refused = await test.app.inject({
    method: 'DELETE',
    url: `/workspaces/${client.workspaceId}/members/${ann.id}?handOverTo=${ben.id}`,
    headers: { authorization: `Bearer ${key}` },
  })

  expect(refused.statusCode).toBe(403)
  expect(await readDuties(client, ann)).toEqual(DUTIES)
})
