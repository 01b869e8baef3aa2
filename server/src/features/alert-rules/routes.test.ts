import { beforeAll, describe, expect, it } from 'vitest'
import { sharedTestApp, type TestApp } from '../../../test/app.ts'
import { givenRule, report, ruleBody, type ShownRule } from '../../../test/given-alert-rules.ts'
import { givenCohort, givenFleetDevices } from '../../../test/given-fleet.ts'
import { type Client, givenClient } from '../../../test/given.ts'

let test: TestApp

beforeAll(async () => {
  test = await sharedTestApp()
})

const METRIC = { metric: 'temperature', operator: 'GreaterThan', threshold: 80 }

async function givenTarget(client: Client, name = 'On call'): Promise<string> {
  const response = await client.post('/notification-targets', {
    name,
    type: 'Email',
    state: 'Enabled',
    emailAddresses: null,
  })
  return response.json<{ id: string }>().id
}

async function givenWebhook({ workspaceId }: Client): Promise<string> {
  const id = crypto.randomUUID()
  const at = test.ctx.now()
  await test.ctx.db
    .insertInto('webhooks')
    .values({
      workspaceId,
      id,
      name: 'Pager',
      url: 'https://example.com/hook',
      state: 'Enabled',
      secret: Buffer.from('secret'),
      createdAt: at,
      updatedAt: at,
    })
    .execute()
  return id
}

async function actions(client: Client, id: string): Promise<string[]> {
  const log = await client.get(`/audit-log?resourceId=${id}`)
  return log.json<{ entries: { action: string }[] }>().entries.map(({ action }) => action)
}

describe('an alert rule', () => {
  it('is created, shown, replaced and deleted, all of it audited', async () => {
    const client = await givenClient(test)
    const [target, webhook] = [await givenTarget(client), await givenWebhook(client)]

    const created = await client.post(
      '/alert-rules',
      ruleBody({
        name: ' Hot ',
        targets: [{ id: webhook }, { id: target }],
        repeatInterval: '240m',
      }),
    )
    const rule = created.json<ShownRule>()
    const shown = await client.get(`/alert-rules/${rule.id}`)
    const listed = await client.get('/alert-rules')
    const replaced = await client.put(
      `/alert-rules/${rule.id}`,
      ruleBody({ name: 'Hotter', notifyResolved: false }),
    )
    const deleted = await client.delete(`/alert-rules/${rule.id}`)

    expect(created.statusCode).toBe(201)
    expect(rule).toMatchObject({
      name: 'Hot',
      description: null,
      state: 'Enabled',
      type: 'MetricFixedThreshold',
      evaluationFrequency: '1m',
      condition: { ...METRIC, labels: {}, aggregation: 'Average', window: '1m' },
      conditionText: expect.stringMatching(
        /^Average of temperature over 1 minute is above /,
      ) as string,
      targets: [
        { id: webhook, name: 'Pager', type: 'Webhook' },
        { id: target, name: 'On call', type: 'Email' },
      ],
      repeatInterval: '4h',
      notifyResolved: true,
      hasFiringAlert: false,
      incidentId: null,
      evaluations: [],
    })
    expect(shown.json()).toEqual(rule)
    // Similar names are only suggested for a single rule; here no name is similar.
    expect(listed.json()).toEqual([rule])
    expect(replaced.json()).toMatchObject({
      name: 'Hotter',
      targets: [],
      repeatInterval: null,
      notifyResolved: false,
    })
    expect(deleted.statusCode).toBe(204)
    expect((await client.get(`/alert-rules/${rule.id}`)).statusCode).toBe(404)
    expect((await client.get('/alert-rules')).json()).toEqual([])
    expect(await actions(client, rule.id)).toEqual([
      'alert-rule.delete',
      'alert-rule.update',
      'alert-rule.create',
    ])
  })

  it('is enabled and disabled as often as one likes, and audited when it changes', async () => {
    const client = await givenClient(test)
    const { id } = await givenRule(client, { state: 'Disabled' })

    const answers = []
    for (const verb of ['disable', 'enable', 'enable', 'disable'])
      answers.push(await client.post(`/alert-rules/${id}/${verb}`))

    expect(answers.map(({ statusCode }) => statusCode)).toEqual([200, 200, 200, 200])
    const rules = answers.map((answer) => answer.json<ShownRule>())
    expect(rules.map(({ state }) => state)).toEqual(['Disabled', 'Enabled', 'Enabled', 'Disabled'])
    expect(rules.map(({ nextEvaluationAt }) => nextEvaluationAt === null)).toEqual([
      true,
      false,
      false,
      true,
    ])
    expect(await actions(client, id)).toEqual([
      'alert-rule.disable',
      'alert-rule.enable',
      'alert-rule.create',
    ])
  })

  it('keeps its state when it is replaced by one that says nothing of it', async () => {
    const client = await givenClient(test)
    const { id } = await givenRule(client, { state: 'Disabled' })

    const replaced = await client.put(`/alert-rules/${id}`, ruleBody())

    expect(replaced.json()).toMatchObject({ state: 'Disabled', nextEvaluationAt: null })
  })

  it('stays what type it is', async () => {
    const client = await givenClient(test)
    const { id } = await givenRule(client)

    const response = await client.put(
      `/alert-rules/${id}`,
      ruleBody({ type: 'MetricPercentualThreshold' }),
    )

    expect(response.json()).toMatchObject({ status: 400, errors: [{ pointer: '/type' }] })
  })

  it.each`
    more                                                            | pointer
    ${{ name: undefined }}                                          | ${''}
    ${{ name: '  ' }}                                               | ${'/name'}
    ${{ name: 'x'.repeat(201) }}                                    | ${'/name'}
    ${{ name: 'Hot\r\nBcc: all@example.com' }}                      | ${'/name'}
    ${{ name: 'Hot\u202Etoh' }}                                     | ${'/name'}
    ${{ name: 'Hot\u0000' }}                                        | ${'/name'}
    ${{ state: 'Paused' }}                                          | ${'/state'}
    ${{ type: 'Metric' }}                                           | ${'/type'}
    ${{ evaluationFrequency: '2m' }}                                | ${'/evaluationFrequency'}
    ${{ condition: { ...METRIC, threshold: 'hot' } }}               | ${'/condition/threshold'}
    ${{ condition: { ...METRIC, deploymentCohortId: 'x' } }}        | ${'/condition/deploymentCohortId'}
    ${{ condition: { ...METRIC, metric: 'a\u0000' } }}              | ${'/condition/metric'}
    ${{ condition: [] }}                                            | ${'/condition'}
    ${{ targets: [{ id: 'nobody' }] }}                              | ${'/targets/0/id'}
    ${{ targets: [{ id: crypto.randomUUID() }] }}                   | ${'/targets/0/id'}
    ${{ targets: Array.from({ length: 21 }, () => ({ id: 'a' })) }} | ${'/targets'}
    ${{ repeatInterval: '0m' }}                                     | ${'/repeatInterval'}
    ${{ repeatInterval: '1m', evaluationFrequency: '5m' }}          | ${'/repeatInterval'}
    ${{ repeatInterval: '31d' }}                                    | ${'/repeatInterval'}
    ${{ size: 1 }}                                                  | ${'/size'}
  `('is refused with $more', async ({ more, pointer }: { more: object; pointer: string }) => {
    const client = await givenClient(test)

    const response = await client.post('/alert-rules', ruleBody(more))

    expect(response.statusCode).toBe(400)
    const { errors } = response.json<{ errors: { pointer: string }[] }>()
    expect(errors.map((error) => error.pointer)).toContain(pointer)
  })

  it.each(['1e999', '-1e999', 'NaN', '"NaN"'])(
    'has a finite threshold, not %s',
    async (threshold) => {
      const client = await givenClient(test)
      const { id } = await givenRule(client)
      const body = JSON.stringify(ruleBody()).replace('"threshold":80', `"threshold":${threshold}`)

      const response = await client.put(`/alert-rules/${id}`, body)

      expect(response.statusCode).toBe(400)
    },
  )

  it('is refused with a condition of a thousand levels', async () => {
    const client = await givenClient(test)
    const depth = 100_000
    const { id } = await givenRule(client)
    const nested = `${'['.repeat(depth)}${']'.repeat(depth)}`
    const body = JSON.stringify(ruleBody()).replace('"threshold":80', `"threshold":${nested}`)

    const response = await client.put(`/alert-rules/${id}`, body)

    expect(response.statusCode).toBe(400)
  })

  it('names firmwares and cohorts that are there', async () => {
    const client = await givenClient(test)
    const stranger = await givenClient(test)
    const [mine, theirs] = [await givenCohort(client), await givenCohort(stranger)]
    const named = (deploymentCohortId: string) =>
      client.post('/alert-rules', ruleBody({ condition: { ...METRIC, deploymentCohortId } }))
    const firmwareIds = [crypto.randomUUID()]

    const accepted = await named(mine.toUpperCase())
    const refused = await named(theirs)
    const unknown = await client.post(
      '/alert-rules',
      ruleBody({ type: 'NewVulnerabilityFinding', condition: { firmwareIds } }),
    )

    expect(accepted.json()).toMatchObject({ condition: { deploymentCohortId: mine } })
    expect(refused.json()).toMatchObject({ errors: [{ pointer: '/condition/deploymentCohortId' }] })
    expect(unknown.json()).toMatchObject({ errors: [{ pointer: '/condition/firmwareIds/0' }] })
  })

  it('names a target once', async () => {
    const client = await givenClient(test)
    const id = await givenTarget(client)

    const response = await client.post('/alert-rules', ruleBody({ targets: [{ id }, { id }] }))

    expect(response.json()).toMatchObject({ status: 400, errors: [{ pointer: '/targets/1/id' }] })
  })

  it('is one of a thousand at the most', async () => {
    const client = await givenClient(test)
    const rule = await givenRule(client)
    const row = await test.ctx.db
      .selectFrom('alertRules')
      .selectAll()
      .where('id', '=', rule.id)
      .executeTakeFirstOrThrow()
    const condition = JSON.stringify(row.condition)
    const more = Array.from({ length: 999 }, () => ({ ...row, condition, id: crypto.randomUUID() }))
    await test.ctx.db.insertInto('alertRules').values(more).execute()

    const response = await client.post('/alert-rules', ruleBody())

    expect(response.json()).toMatchObject({ status: 409, type: '/problems/too-many-alert-rules' })
    expect((await client.get('/alert-rules')).json()).toHaveLength(1000)
  })
})

describe('the list of rules', () => {
  it('is of one state where one is asked for', async () => {
    const client = await givenClient(test)
    const enabled = await givenRule(client)
    const disabled = await givenRule(client, { state: 'Disabled' })
    const idsOf = async (query: string) =>
      (await client.get(`/alert-rules${query}`)).json<ShownRule[]>().map(({ id }) => id)

    expect(await idsOf('')).toEqual([enabled.id, disabled.id])
    expect(await idsOf('?state=Enabled')).toEqual([enabled.id])
    expect(await idsOf('?state=Disabled')).toEqual([disabled.id])
    expect((await client.get('/alert-rules?state=Paused')).json()).toMatchObject({
      status: 400,
      errors: [{ pointer: '/query/state' }],
    })
  })
})

describe('warnings', () => {
  it('name metrics that are near one nobody reports', async () => {
    const client = await givenClient(test)
    await givenFleetDevices(test.ctx, client.workspaceId, ['a'])
    await report(test, client.workspaceId, { metric: 'cpu.temperature', values: { a: 20 } })
    await report(test, client.workspaceId, { metric: 'humidity', values: { a: 20 } })

    const { id, warnings } = await givenRule(client)
    await report(test, client.workspaceId, { values: { a: 20 } })
    const later = await client.get(`/alert-rules/${id}`)

    expect(warnings).toEqual([
      'No device has reported the metric temperature so far. Did you mean cpu.temperature?',
    ])
    expect(later.json()).toMatchObject({ warnings: [] })
  })

  it('tell of a cohort that is gone', async () => {
    const client = await givenClient(test)
    const deploymentCohortId = await givenCohort(client)
    const condition = { offlineFor: '1h', deploymentCohortId }
    const { id } = await givenRule(client, { type: 'DeviceOffline', condition })

    await client.delete(`/deployment-cohorts/${deploymentCohortId}`)
    const { warnings } = (await client.get(`/alert-rules/${id}`)).json<ShownRule>()

    expect(warnings.join()).toContain('was deleted')
  })

  it('tell of windows beyond what is kept', async () => {
    const client = await givenClient(test)
    await test.ctx.db
      .updateTable('workspaces')
      .set({ metricRetentionDays: 7 })
      .where('id', '=', client.workspaceId)
      .execute()

    const { warnings } = await givenRule(client, {
      type: 'MetricPercentualThreshold',
      evaluationFrequency: '1d',
      condition: { ...METRIC, window: '4d' },
    })

    expect(warnings.join()).toContain('7 days for which the workspace keeps metrics')
  })
})

describe('a rule of another workspace', () => {
  it('is not found', async () => {
    const [mine, theirs] = [await givenClient(test), await givenClient(test)]
    const { id } = await givenRule(theirs)
    const path = `/alert-rules/${id}`

    const answers = [
      await mine.get(path),
      await mine.put(path, ruleBody()),
      await mine.delete(path),
      await mine.post(`${path}/enable`),
      await mine.post(`${path}/disable`),
      await mine.get(`${path}/evaluations`),
      await mine.get('/alert-rules/no-id'),
    ]

    for (const answer of answers)
      expect(answer.json()).toMatchObject({ status: 404, type: '/problems/alert-rule-not-found' })
    expect((await mine.get('/alert-rules')).json()).toEqual([])
    expect((await theirs.get(path)).json()).toMatchObject({ state: 'Enabled' })
  })

  it('cannot use the targets of this one', async () => {
    const [mine, theirs] = [await givenClient(test), await givenClient(test)]
    const id = await givenTarget(theirs)

    const response = await mine.post('/alert-rules', ruleBody({ targets: [{ id }] }))

    expect(response.json()).toMatchObject({ status: 400, errors: [{ pointer: '/targets/0/id' }] })
  })
})

it('requires the scope of the request', async () => {
  const client = await givenClient(test)
  const { id } = await givenRule(client)
  const apiKey = await test.givenKey(client.workspaceId, ['Alerts: read'])
  const ask = (method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string) =>
    test.app.inject({
      method,
      url: `/workspaces/${client.workspaceId}${path}`,
      headers: { authorization: `Bearer ${apiKey}` },
      ...(method === 'GET' || method === 'DELETE' ? {} : { payload: ruleBody() }),
    })

  const statuses = [
    await ask('GET', '/alert-rules'),
    await ask('GET', `/alert-rules/${id}`),
    await ask('GET', `/alert-rules/${id}/evaluations`),
    await ask('POST', '/alert-rules'),
    await ask('PUT', `/alert-rules/${id}`),
    await ask('DELETE', `/alert-rules/${id}`),
    await ask('POST', `/alert-rules/${id}/enable`),
    await ask('POST', `/alert-rules/${id}/disable`),
  ].map(({ statusCode }) => statusCode)

  expect(statuses).toEqual([200, 200, 200, 403, 403, 403, 403, 403])
})

it('outlives its targets', async () => {
  const client = await givenClient(test)
  const [kept, gone] = [await givenTarget(client, 'Kept'), await givenTarget(client, 'Gone')]
  const { id } = await givenRule(client, { targets: [{ id: gone }, { id: kept }] })

  await client.delete(`/notification-targets/${gone}`)

  const { targets } = (await client.get(`/alert-rules/${id}`)).json<ShownRule>()
  expect(targets.map(({ name }) => name)).toEqual(['Kept'])
})
