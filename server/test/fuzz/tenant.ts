/** A workspace that has one of everything, made through the API. */
import { hash } from 'node:crypto'
import type { TestApp } from '../app.ts'
import { type Client, givenClient, matchedSboms, upload } from '../given.ts'
import { givenOfferedUpdate, givenVersionWithArtifact } from '../given-ddi.ts'
import { givenProduct } from '../given-findings.ts'
import { givenMember } from '../given-people.ts'
import { givenDeviceKey } from '../given-ddi.ts'
import { issueDeviceKey } from '../../src/features/devices/index.ts'

export interface Tenant {
  client: Client
  ids: Record<string, string>
}

type MadeIds = Record<string, string>

const ACTOR = { type: 'Operator', id: undefined, email: undefined, requestId: undefined } as const

export async function givenTenant(test: TestApp): Promise<Tenant> {
  const client = await givenClient(test)
  const { workspaceId, apiKey } = client
  const ids: MadeIds = { workspaceId, apiKey }
  Object.assign(ids, await givenFirmwareOf(test, client))
  Object.assign(ids, await givenFindingsOf(test, client, ids))
  Object.assign(ids, await givenFleetOf(test, client))
  Object.assign(ids, await givenAlertsOf(test, client))
  Object.assign(ids, await givenPeopleOf(test, client))
  return { client, ids }
}

type Asking = () => ReturnType<Client['post']>

async function answered<Answer>(ask: Asking): Promise<Answer> {
  const { statusCode, body } = await ask()
  if (statusCode >= 300) throw new Error(`not answered: ${statusCode} ${body}`)
  return JSON.parse(body) as Answer
}

const made = (ask: Asking) => answered<{ id: string; condition?: object }>(ask)

async function givenFirmwareOf(test: TestApp, client: Client): Promise<MadeIds> {
  const { firmwareVersionId, slug } = await givenVersionWithArtifact(test, client)
  const { firmware } = await answered<{ firmware: { id: string } }>(() =>
    client.get(`/firmware-versions/${firmwareVersionId}`),
  )
  const { id: firmwareId } = firmware
  const later = await made(() =>
    client.post(`/firmwares/${firmwareId}/versions`, { name: '3.0.0' }),
  )
  return { firmwareId, firmwareVersionId, slug, laterVersionId: later.id }
}

/** Findings, a decision about one, and a VEX document. */
async function givenFindingsOf(test: TestApp, client: Client, of: MadeIds): Promise<MadeIds> {
  const { firmwareVersionId = '' } = of
  const { product, cpes, cveIds } = await givenProduct(test.ctx, ['Critical', 'High', 'Low'])
  const [cveId = ''] = cveIds
  const component = { type: 'library', name: product, version: '1.0', cpe: cpes[0] }
  const others = ['b', 'c'].map((name) => ({ type: 'library', name, version: '1' }))
  const bom = { bomFormat: 'CycloneDX', specVersion: '1.6', version: 1 }
  const bytes = JSON.stringify({ ...bom, components: [component, ...others] })
  await upload(test, client, { firmwareVersionId, files: [{ name: 'a.json', bytes }] })
  const [sbom] = await matchedSboms(client, firmwareVersionId)
  const sbomId = sbom?.id ?? ''
  const { components, nextCursor } = await answered<{
    components: { id: string }[]
    nextCursor: string
  }>(() => client.post(`/sboms/${sbomId}/components/list`, { limit: 1 }))
  const path = `/firmware-versions/${firmwareVersionId}/vulnerability-findings/list`
  const findings = await answered<{ findings?: { id: string }[]; nextCursor: string }>(() =>
    client.post(path, { limit: 1 }),
  )
  const [findingId = ''] = Object.values(findings).flatMap((list) =>
    Array.isArray(list) ? list.map((one: { id: string }) => one.id) : [],
  )
  const override = { selector: { name: 'b' }, version: '2' }
  const { id: overrideId } = await made(() => client.post('/package-overrides', override))
  return {
    product,
    cveId,
    sbomId,
    findingId,
    overrideId,
    componentId: components[0]?.id ?? '',
    componentCursor: nextCursor,
    cursor: findings.nextCursor,
    cpe: cpes[0] ?? '',
  }
}

async function givenFleetOf(test: TestApp, client: Client): Promise<MadeIds> {
  const version = await givenVersionWithArtifact(test, client)
  const { cohortId, deploymentId, ddi } = await givenOfferedUpdate(test, client, [version])
  const { _links } = await ddi.poll()
  const actionId = /deploymentBase\/(\w+)/.exec(_links['deploymentBase']?.href ?? '')?.[1] ?? ''
  const update = await test.ctx.db
    .selectFrom('deviceUpdates')
    .select('updateId')
    .where('workspaceId', '=', client.workspaceId)
    .executeTakeFirst()
  const links = await ddi.get(`/deploymentBase/${actionId}`)
  const moduleId = /softwaremodules\/([\w-]+)/.exec(links.body)?.[1] ?? ''
  const { workspaceId } = client
  const deviceId = `device-${crypto.randomUUID()}`
  await made(() => client.post('/devices', { id: deviceId }))
  const deviceKey = await givenDeviceKey(test, workspaceId, deviceId)
  const { id: deviceKeyId } = await issueDeviceKey(test.ctx, { workspaceId, actor: ACTOR })
  return {
    deploymentCohortId: cohortId,
    deploymentId,
    actionId,
    moduleId,
    fileName: encodeURIComponent(version.fileName),
    updateId: update?.updateId ?? '',
    ddiDeviceId: ddi.deviceId,
    ddiDeviceKey: ddi.deviceKey,
    deviceId,
    deviceKey,
    deviceKeyId,
  }
}

async function givenAlertsOf(test: TestApp, client: Client): Promise<MadeIds> {
  const { workspaceId } = client
  const rule = { name: 'Silent', type: 'DeviceOffline', evaluationFrequency: '1m' }
  const asked = { ...rule, condition: { offlineFor: '1h' } }
  const { id: alertRuleId, condition } = await made(() => client.post('/alert-rules', asked))
  const incidentId = crypto.randomUUID()
  await test.ctx.db
    .insertInto('alertIncidents')
    .values({
      workspaceId,
      id: incidentId,
      ruleId: alertRuleId,
      ruleName: 'Silent',
      ruleType: 'DeviceOffline',
      condition: JSON.stringify(condition),
      beganAt: new Date(),
    })
    .execute()
  await test.ctx.db
    .updateTable('alertRules')
    .set({ incidentId })
    .where('workspaceId', '=', workspaceId)
    .where('id', '=', alertRuleId)
    .execute()
  const { id: silenceId } = await made(() =>
    client.post(`/alert-incidents/${incidentId}/silence`, {
      until: new Date(Date.now() + 3_600_000),
      reason: 'Made',
    }),
  )
  const target = { name: 'Ops', type: 'Email', state: 'Enabled', emailAddresses: ['a@example.com'] }
  const { id: notificationTargetId } = await made(() =>
    client.post('/notification-targets', target),
  )
  const hook = { name: 'Chat', url: 'https://93.184.216.34/' }
  const { id: webhookId } = await made(() => client.post('/webhooks', hook))
  return { alertRuleId, incidentId, silenceId, notificationTargetId, webhookId }
}

/** An owner with a session, and what only people make. */
async function givenPeopleOf(test: TestApp, { workspaceId }: Client): Promise<MadeIds> {
  const { id: subjectId, email, browser } = await givenMember(test, workspaceId)
  const base = `/workspaces/${workspaceId}`
  const wanted = { email: `${hash('md5', email)}@example.com`, role: 'Viewer' }
  const { id: invitationId } = await made(() => browser.post(`${base}/invitations`, wanted))
  const key = { name: 'CI', scopes: ['SBOMs: read'] }
  const { id: apiKeyId } = await made(() => browser.post(`${base}/api-keys`, key))
  const sessions = (await browser.get('/me/sessions')).body
  const sessionId = /"id":"([^"]+)"/.exec(sessions)?.[1] ?? ''
  const { cookie = '' } = browser.headers
  return { subjectId, email, invitationId, apiKeyId, sessionId, cookie }
}
