/** What belongs to another workspace is answered, on every route, like what does not exist. */
import { beforeAll, expect, it } from 'vitest'
import { startTestApp, type TestApp } from './app.ts'
import { notifyOfIncident } from './given-deliveries.ts'
import { givenArtifactVersions, givenCohort } from './given-fleet.ts'
import { issueDeviceKey } from '../src/features/devices/index.ts'
import { type Browser, givenMember } from './given-people.ts'
import { givenTarget } from './given-targets.ts'
import { givenWebhook } from './given-webhooks.ts'
import { type Client, givenClient, givenFirmwareVersion, parsedSboms, upload } from './given.ts'

let test: TestApp
let mine: Client
let theirs: Client
let myBrowser: Browser
/** Ids of the other workspace, by the name of the path parameter. */
const foreign: Record<string, string> = {}

const BOM = JSON.stringify({
  bomFormat: 'CycloneDX',
  specVersion: '1.6',
  version: 1,
  components: ['a', 'b', 'c'].map((name) => ({ type: 'library', name, version: '1' })),
})

async function givenSbom(client: Client) {
  const firmwareVersionId = await givenFirmwareVersion(client)
  await upload(test, client, { firmwareVersionId, files: [{ name: 'a.json', bytes: BOM }] })
  const [sbom] = await parsedSboms(client, firmwareVersionId)
  return { firmwareVersionId, sbomId: sbom?.id ?? '' }
}

/** A rule and an incident of it. */
async function givenAlertOf(client: Client) {
  const { workspaceId } = client
  const rule = { name: 'Silent', type: 'DeviceOffline', evaluationFrequency: '1m' }
  const created = await client.post('/alert-rules', { ...rule, condition: { offlineFor: '1h' } })
  const { id: alertRuleId } = created.json<{ id: string }>()
  const incidentId = crypto.randomUUID()
  await test.ctx.db
    .insertInto('alertIncidents')
    .values({
      workspaceId,
      id: incidentId,
      ruleId: alertRuleId,
      ruleName: 'Silent',
      ruleType: 'DeviceOffline',
      condition: '{}',
      beganAt: new Date(),
    })
    .execute()
  const silenced = await client.post(`/alert-incidents/${incidentId}/silence`, {
    until: new Date(Date.now() + 3_600_000),
    reason: 'Theirs',
  })
  return { alertRuleId, incidentId, silenceId: silenced.json<{ id: string }>().id }
}

/** Keys and an invitation, made by a member of the workspace. */
async function givenAccessOf({ workspaceId }: Client) {
  const { browser } = await givenMember(test, workspaceId)
  const base = `/workspaces/${workspaceId}`
  const wanted = { email: 'invited@example.com', role: 'Viewer' }
  const invitation = await browser.post(`${base}/invitations`, wanted)
  const key = await browser.post(`${base}/api-keys`, { name: 'CI', scopes: ['SBOMs: read'] })
  const actor = { type: 'Operator', id: undefined, email: undefined, requestId: undefined } as const
  const deviceKey = await issueDeviceKey(test.ctx, { workspaceId, actor })
  return {
    invitationId: invitation.json<{ id: string }>().id,
    apiKeyId: key.json<{ id: string }>().id,
    deviceKeyId: deviceKey.id,
  }
}

/** It waits for a worker. */
async function givenNotificationOf({ workspaceId, post }: Client, webhookId: string) {
  await notifyOfIncident(test.ctx, workspaceId, { webhookIds: [webhookId] })
  const listed = await post('/notifications/list', {})
  return listed.json<{ notifications: { id: string }[] }>().notifications[0]?.id
}

/** A proposal about a finding that somebody saw in a version of theirs. */
async function givenProposalOf({ workspaceId }: Client, firmwareVersionId: string) {
  const proposalId = crypto.randomUUID()
  await test.ctx.db
    .insertInto('decisionProposals')
    .values({
      workspaceId,
      id: proposalId,
      firmwareVersionId,
      packageId: crypto.randomUUID(),
      vulnerabilityId: 'CVE-2021-44228',
      componentName: 'a',
      assessment: 'NotAffected',
      reason: 'Theirs',
      evidence: '[]',
      proposedByType: 'ApiKey',
      proposedAt: new Date(),
      state: 'Open',
    })
    .execute()
  return proposalId
}

async function givenFleetOf(client: Client) {
  const { workspaceId } = client
  const gateway = { workspaceId, slug: 'gateway', names: ['1.0'] }
  const versions = await givenArtifactVersions(test.ctx, gateway)
  const deploymentCohortId = await givenCohort(client)
  const deployment = await client.post(`/deployment-cohorts/${deploymentCohortId}/deployments`, {
    name: 'First',
    artifacts: [{ firmwareVersionId: versions['1.0'] }],
  })
  return { deploymentCohortId, deploymentId: deployment.json<{ id: string }>().id }
}

beforeAll(async () => {
  test = await startTestApp()
  await test.startWorker()
  mine = await givenClient(test)
  theirs = await givenClient(test)
  myBrowser = (await givenMember(test, mine.workspaceId)).browser
  const { firmwareVersionId, sbomId } = await givenSbom(theirs)
  const version = await theirs.get(`/firmware-versions/${firmwareVersionId}`)
  const firmwareId = version.json<{ firmware: { id: string } }>().firmware.id
  const [member] = (await theirs.get('/members')).json<{ subjectId: string }[]>()
  const findingId = Buffer.concat([
    Buffer.from(firmwareVersionId.replaceAll('-', ''), 'hex'),
    Buffer.from(sbomId.replaceAll('-', ''), 'hex'),
    Buffer.from('CVE-2021-44228'),
  ]).toString('base64url')
  const subjectId = member?.subjectId ?? ''
  const override = { selector: { name: 'a' }, version: '2' }
  await theirs.post('/devices', { id: 'their-device' })
  const { id: overrideId } = (await theirs.post('/package-overrides', override)).json<{
    id: string
  }>()
  const fleet = await givenFleetOf(theirs)
  const target = await givenTarget(theirs, ['ops@example.com'])
  const webhook = await givenWebhook(theirs, 'https://93.184.216.34/')
  Object.assign(foreign, {
    ...fleet,
    ...(await givenAlertOf(theirs)),
    ...(await givenAccessOf(theirs)),
    firmwareVersionId,
    sbomId,
    firmwareId,
    subjectId,
    findingId,
    overrideId,
    proposalId: await givenProposalOf(theirs, firmwareVersionId),
    deviceId: 'their-device',
    notificationTargetId: target.id,
    webhookId: webhook.id,
    notificationId: await givenNotificationOf(theirs, webhook.id),
  })
})

interface Body {
  schema?: { examples?: object[] }
  example?: object
  /** Where there are several. */
  examples?: Record<string, { value: object }>
}

interface Operation {
  description?: string
  security?: Record<string, unknown>[]
  parameters?: {
    in: string
    name: string
    required?: boolean
    example?: string
    /** One of a few words has a schema by name, where an id is any text. */
    schema?: { $ref?: string; enum?: string[] }
  }[]
  requestBody?: { content: Record<string, Body> }
}

function operationsWithIds() {
  // The doors of devices lie beside: they ask for a device's key first.
  const paths = Object.entries(test.app.swagger().paths ?? {}).filter(([path]) =>
    path.startsWith('/workspaces/'),
  )
  return paths.flatMap(([path, methods]) =>
    Object.entries(methods as Record<string, Operation>).flatMap(([method, operation]) => {
      const { requestBody, security, parameters = [], description = '' } = operation
      const asked = parameters.filter((one) => one.in === 'query' && one.required)
      const query = asked.map(({ name, example = '' }) => [name, example])
      const needsPerson = !!security || description.includes('other keys are refused')
      const [, parameter] = /\{(\w+)\}.*\{(\w+)\}/.exec(path)?.slice(1) ?? []
      const media = requestBody?.content['application/json']
      const [several] = Object.values(media?.examples ?? {})
      const example = media?.example ?? several?.value ?? media?.schema?.examples?.[0]
      const body = media && (example ?? {})
      const { schema } = parameters.find(({ name }) => name === parameter) ?? {}
      const isWord = (schema?.$ref ?? schema?.enum) !== undefined
      return parameter === undefined || isWord
        ? []
        : [{ method, path, parameter, query, body, sends: !!requestBody, needsPerson }]
    }),
  )
}

it('answers ids of another workspace like ids of nothing, with the same words', async () => {
  const operations = operationsWithIds()
  const absent = crypto.randomUUID()

  for (const { method, path, parameter, query, body, sends, needsPerson } of operations) {
    const credentials = needsPerson
      ? { ...myBrowser.headers, 'sec-fetch-site': 'same-origin' }
      : { authorization: `Bearer ${mine.apiKey}` }
    const ask = async (id: string) => {
      const type = body ? 'application/json' : 'application/octet-stream'
      const response = await test.app.inject({
        method: method.toUpperCase() as 'GET',
        url: path
          .replace('{workspaceId}', mine.workspaceId)
          .replace(`{${parameter}}`, id)
          .replaceAll(/\{(\w+)\}/g, (_, name: string) => foreign[name] ?? name),
        query: Object.fromEntries(query) as Record<string, string>,
        headers: { ...credentials, ...(sends && { 'content-type': type }) },
        ...(sends && { payload: body ?? BOM }),
      })
      return [response.statusCode, response.body.replaceAll(id, 'ID')]
    }
    const id = foreign[parameter] ?? `no-id-for-${parameter}`

    const answer = await ask(id)

    expect([method, path, answer[0]]).toEqual([method, path, 404])
    expect([method, path, ...answer]).toEqual([method, path, ...(await ask(absent))])
  }
  expect(operations.length).toBeGreaterThan(14)
  expect((await theirs.get(`/firmware-versions/${foreign['firmwareVersionId']}`)).statusCode).toBe(
    200,
  )
  expect((await theirs.get('/members')).json()).toHaveLength(2)
})

it('refuses a cursor of another workspace, SBOM or list', async () => {
  const { sbomId, firmwareVersionId } = await givenSbom(mine)
  const other = await givenSbom(mine)
  const first = await theirs.post(`/sboms/${foreign['sbomId']}/components/list`, { limit: 1 })
  const { nextCursor: cursor } = first.json<{ nextCursor: string }>()
  const own = await mine.post(`/sboms/${sbomId}/components/list`, { limit: 1 })
  const { nextCursor: ownCursor } = own.json<{ nextCursor: string }>()

  const answers = [
    await mine.post(`/sboms/${sbomId}/components/list`, { cursor }),
    await mine.post(`/sboms/${other.sbomId}/components/list`, { cursor: ownCursor }),
    await mine.get(`/audit-log?cursor=${encodeURIComponent(ownCursor)}`),
    await mine.post(`/firmware-versions/${firmwareVersionId}/vulnerability-findings/list`, {
      cursor: ownCursor,
    }),
  ]

  for (const answer of answers)
    expect(answer.json()).toMatchObject({ status: 400, type: '/problems/invalid-cursor' })
  const again = await mine.post(`/sboms/${sbomId}/components/list`, { cursor: ownCursor })
  expect(again.statusCode).toBe(200)
})

it('opens nothing but its own file with a content link', async () => {
  const { sbomId } = await givenSbom(mine)
  const { contentSasLink } = (await mine.get(`/sboms/${sbomId}/content`)).json<{
    contentSasLink: string
  }>()
  const { pathname, search } = new URL(contentSasLink)
  const open = async (path: string) => (await test.app.inject({ url: path })).statusCode
  const stretched = search.replace(/expires=(\d+)/, (_, time) => `expires=${Number(time) + 1}`)

  expect(await open(pathname + search)).toBe(200)
  expect(await open(pathname + stretched)).toBe(403)
  expect(await open(pathname.replace(sbomId, foreign['sbomId'] ?? '') + search)).toBe(403)
  expect(await open(pathname.replace(mine.workspaceId, theirs.workspaceId) + search)).toBe(403)
})

it('has keys that begin with the workspace on every table of tenants, and none the other way', async () => {
  const { rows } = await test.ctx.pool.query<{ table: string; constraint: string; first: string }>(`
    select index.indrelid::regclass::text as table, index.indexrelid::regclass::text as constraint,
      (select attname from pg_attribute where attrelid = index.indrelid and attnum = index.indkey[0]) as first
    from pg_index as index
    join pg_class as class on class.oid = index.indrelid and class.relnamespace = 'public'::regnamespace
    where index.indisunique and exists (select from pg_attribute
      where attrelid = class.oid and attname = 'workspace_id')`)
  // Found by hash or code, before anybody knows the workspace.
  const isGlobal = (table: string) =>
    ['api_keys', 'device_issuer_keys', 'terminal_logins'].includes(table)
  const tenant = rows.filter(({ table }) => !isGlobal(table))
  const references = await test.ctx.pool.query<{
    name: string
    by: string
    to: string
    first: string
  }>(`
    select conname as name, conrelid::regclass::text as by, confrelid::regclass::text as to,
      (select attname from pg_attribute where attrelid = conrelid and attnum = conkey[1]) as first
    from pg_constraint where contype = 'f' and connamespace = 'public'::regnamespace`)
  const tenants = new Set(tenant.map(({ table }) => table))
  const between = references.rows.filter(({ to }) => tenants.has(to))
  const triggers = await test.ctx.pool.query(
    `select from pg_trigger where not tgisinternal and tgrelid in
      (select oid from pg_class where relnamespace = 'public'::regnamespace)`,
  )

  expect(tenants.size).toBeGreaterThan(8)
  expect(tenant.filter(({ first }) => first !== 'workspace_id')).toEqual([])
  expect(between.filter(({ by, first }) => !tenants.has(by) || first !== 'workspace_id')).toEqual(
    [],
  )
  expect(triggers.rowCount).toBe(0)
})
