/** Owners are told of findings that begin to fire: one mail a member a run; what belongs to nobody goes to the targets of the rule. */
import { sql } from 'kysely'
import { beforeAll, beforeEach, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../../test/app.ts'
import { type GivenProduct, givenProduct, givenVersion } from '../../../../test/given-findings.ts'
import { underClock } from '../../../../test/given-non-metric-rules.ts'
import { givenMember, type Person } from '../../../../test/given-people.ts'
import { confirmByLink, givenTarget } from '../../../../test/given-targets.ts'
import { type Client, givenClient } from '../../../../test/given.ts'
import { MINUTE_MS } from '../../../formats/instants.ts'
import { takeMails } from '../../mails/index.ts'
import { sendFindingOwnerMail, tellFindingOwners } from './service.ts'

let test: TestApp
let client: Client
let clock: ReturnType<typeof underClock>
let ann: Person
let ben: Person
let boot: GivenProduct
let net: GivenProduct
let targetId: string
let webhookId: string
const sent: { to: string; subject: string; text: string }[] = []

beforeAll(async () => {
  test = await startTestApp()
  test.ctx.mailer = {
    send: (mail: { to: string; subject: string; text: string }) => {
      sent.push(mail)
      return Promise.resolve({
        outcome: 'Taken',
        answer: '250',
        isRecipientRefused: false,
        mayHaveArrived: true,
      })
    },
  } as never
})

beforeEach(async () => {
  clock = underClock(test)
  client = await givenClient(test)
  ann = await givenMember(test, client.workspaceId)
  ben = await givenMember(test, client.workspaceId)
  boot = await givenProduct(test.ctx, ['Critical', 'High'])
  net = await givenProduct(test.ctx, ['Medium'])
  const address = `${crypto.randomUUID()}@example.com`
  targetId = (await givenTarget(client, [address])).id
  await confirmByLink(test, client.workspaceId, address)
  const webhook = await client.post('/webhooks', { name: 'ops', url: 'https://example.com/hook' })
  webhookId = webhook.json<{ id: string }>().id
  sent.length = 0
})

const giveTo = async (rules: object[], teams: object[] = []) => {
  const answer = await client.put('/owner-rules', { teams, rules })
  expect([answer.statusCode, answer.body]).toEqual([200, expect.anything()])
}

async function givenRule(more: object = {}): Promise<{ id: string; warnings: string[] }> {
  const answer = await client.post('/alert-rules', {
    name: 'New findings',
    type: 'NewVulnerabilityFinding',
    evaluationFrequency: '1m',
    condition: { severities: [], knownCisaExploit: false, onlyWhereDevicesRun: false },
    targets: [{ id: targetId }, { id: webhookId }],
    notifyOwners: true,
    ...more,
  })
  expect([answer.statusCode, answer.body]).toEqual([201, expect.anything()])
  return answer.json()
}

async function givenNewVersion(products = [boot, net]): Promise<string> {
  const components = products.map(({ product, cpes }) => ({
    packageName: product,
    version: '1.0',
    cpes,
  }))
  return (await givenVersion(test.ctx, client.workspaceId, components)).firmwareVersionId
}

/** Sends what waits in the queue, as the worker does. */
async function sendPlanned(): Promise<void> {
  const { rows } = await sql<{ data: Parameters<typeof sendFindingOwnerMail>[1] }>`
    delete from pgboss.job where name = 'finding-owner-mail' and state < 'active'
      and data ->> 'workspaceId' = ${client.workspaceId} returning data`.execute(test.ctx.db)
  const { signal } = new AbortController()
  for (const { data } of rows) await sendFindingOwnerMail(test.ctx, data, signal)
}

async function tell(): Promise<void> {
  await tellFindingOwners(test.ctx)
  clock.pass(MINUTE_MS)
  await tellFindingOwners(test.ctx)
  await tellFindingOwners(test.ctx)
  await sendPlanned()
}

/** What targets and webhooks are told, with the number of findings. */
async function notified() {
  const { rows } = await sql<{ to: string; event: string; count: number }>`
    select case when address is null then 'webhook' else 'target' end as "to", notice ->> 'event' as event,
      (notice #>> '{data,firingSeriesCount}')::int as count
    from notifications where workspace_id = ${client.workspaceId} and kind = 'Incident'
    order by created_at, 1`.execute(test.ctx.db)
  return rows
}

/** What each member was told. */
const subjects = () =>
  sent.map(({ to, subject }) => `${to}: ${subject.replace(/ in .*/, '')}`).toSorted()

it('tells each member by one mail of what is theirs, targets of what is nobody’s, and webhooks of all', async () => {
  await giveTo(
    [{ components: [boot.product], team: 'Boot' }],
    [{ name: 'Boot', memberIds: [ann.id, ben.id] }],
  )
  await givenRule()
  await givenRule({ name: 'Again', targets: [] })
  await givenNewVersion()

  await clock.evaluateAfter()
  await tell()

  expect(subjects()).toEqual(
    [ann, ben].map(({ email }) => `${email}: 2 new findings are yours`).toSorted(),
  )
  for (const cveId of boot.cveIds) expect(sent[0]?.text).toContain(`${cveId} in ${boot.product}`)
  expect(sent[0]?.text).toContain('Again, New findings')
  expect(sent[0]?.text).not.toContain(net.cveIds[0])
  expect(await notified()).toEqual([
    { to: 'webhook', event: 'Fired', count: 3 },
    { to: 'target', event: 'Fired', count: 1 },
  ])
})

it('tells an assignee in place of the owner, and nobody of what was decided meanwhile', async () => {
  await giveTo([{ memberId: ann.id }])
  await givenRule()
  await givenNewVersion()
  const path = `/vulnerabilities/${net.cveIds[0]}/assignee`
  const assigned = await client.put(path, { subjectId: ben.id })
  expect([assigned.statusCode, assigned.body]).toEqual([200, expect.anything()])
  await clock.evaluateAfter()
  const decided = await client.post('/vulnerability-findings/bulk-assess', {
    filter: { cveIds: [boot.cveIds[0]] },
    assessment: 'InTriage',
  })
  expect([decided.statusCode, decided.body]).toEqual([200, expect.anything()])
  await clock.evaluateAfter()

  await tell()

  expect(subjects()).toEqual(
    [`${ann.email}: 1 new finding is yours`, `${ben.email}: 1 new finding is yours`].toSorted(),
  )
  expect((await notified()).map(({ to }) => to)).toEqual(['webhook'])
})

it('tells once of each finding, and again of what is new later', async () => {
  await giveTo([{ memberId: ann.id }])
  await givenRule()
  await givenNewVersion([boot])
  await clock.evaluateAfter()
  await tell()
  await clock.evaluateAfter()
  await tell()
  await givenNewVersion([net])
  await clock.evaluateAfter()
  await tell()

  expect(subjects()).toEqual([
    `${ann.email}: 1 new finding is yours`,
    `${ann.email}: 2 new findings are yours`,
  ])
})

it('tells nobody while the rule is silenced, and owners afterwards', async () => {
  await giveTo([{ memberId: ann.id }])
  const { id } = await givenRule()
  await givenNewVersion([boot])
  await clock.evaluateAfter()
  const rule = (await client.get(`/alert-rules/${id}`)).json<{ incidentId: string }>()
  const silenced = await client.post(`/alert-incidents/${rule.incidentId}/silence`, {
    covers: 'Rule',
    until: new Date(test.ctx.now().getTime() + 60 * MINUTE_MS).toISOString(),
    reason: 'Known',
  })
  expect([silenced.statusCode, silenced.body]).toEqual([201, expect.anything()])

  await tell()
  const early = sent.length
  clock.pass(60 * MINUTE_MS)
  await tell()

  expect(early).toBe(0)
  expect(subjects()).toEqual([`${ann.email}: 2 new findings are yours`])
})

it('gives targets what belongs to members who left, and warns of a rule without a target', async () => {
  await giveTo([{ memberId: ann.id }])
  await givenRule()
  await givenNewVersion([boot])
  await clock.evaluateAfter()
  expect((await client.delete(`/members/${ann.id}`)).statusCode).toBe(204)

  await tell()
  const { warnings } = await givenRule({ name: 'Bare', targets: [] })

  expect(sent).toEqual([])
  expect(await notified()).toEqual([
    { to: 'webhook', event: 'Fired', count: 2 },
    { to: 'target', event: 'Fired', count: 2 },
  ])
  expect(warnings).toEqual(['Without a target nobody is told of findings that have no owner.'])
})

it('holds the mail of a member over the bound, and tells the others of the team once', async () => {
  await giveTo([{ team: 'Boot' }], [{ name: 'Boot', memberIds: [ann.id, ben.id] }])
  await givenRule()
  await givenNewVersion([boot])
  await clock.evaluateAfter()
  const { workspaceId } = client
  const mail = { kind: 'Colleague' as const, workspaceId, addresses: [ann.email] }
  await test.ctx.db.transaction().execute(async (tx) => {
    while ((await takeMails(test.ctx, tx, mail)) === undefined);
  })

  await tell()
  const early = subjects()
  await tell()
  clock.pass(60 * MINUTE_MS)
  await tell()

  expect(early).toEqual([`${ben.email}: 2 new findings are yours`])
  expect(subjects()).toEqual(
    [ann, ben].map(({ email }) => `${email}: 2 new findings are yours`).toSorted(),
  )
})

it('is refused for rules that are not about findings', async () => {
  const answer = await client.post('/alert-rules', {
    name: 'Silent',
    type: 'DeviceOffline',
    evaluationFrequency: '1m',
    condition: { offlineFor: '1h' },
    notifyOwners: true,
  })

  expect(answer.statusCode).toBe(400)
  expect(answer.json()).toMatchObject({ errors: [{ pointer: '/notifyOwners' }] })
})
