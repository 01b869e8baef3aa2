/** Devices with hawkBit clients. */
import { createKey, hashKey } from '../src/features/auth/index.ts'
import { newId } from '../src/platform/ids.ts'
import type { TestApp } from './app.ts'
import type { Client } from './given.ts'
import { putArtifact } from './given-artifacts.ts'

/** A key of the fleet, or of one device. */
export async function givenDeviceKey(
  { ctx }: Pick<TestApp, 'ctx'>,
  workspaceId: string,
  deviceId?: string,
): Promise<string> {
  const deviceKey = createKey('plmd_')
  await ctx.db
    .insertInto('deviceKeys')
    .values({
      workspaceId,
      id: newId(),
      deviceId: deviceId ?? null,
      name: 'test',
      keyHash: hashKey(deviceKey),
      createdAt: ctx.now(),
    })
    .execute()
  return deviceKey
}

export interface VersionWithArtifact {
  firmwareVersionId: string
  slug: string
  version: string
  fileName: string
  bytes: Buffer
}

export async function givenVersionWithArtifact(
  test: TestApp,
  client: Client,
  {
    slug = `fw-${crypto.randomUUID()}`,
    version = '2.0.0',
    fileName = 'image v2.swu',
    bytes,
  }: Partial<VersionWithArtifact> = {},
): Promise<VersionWithArtifact> {
  const listed = (await client.get('/firmwares')).json<{
    firmwares: { id: string; slug: string }[]
  }>()
  const known = listed.firmwares.find((one) => one.slug === slug)
  const make = async (path: string, body: object) => {
    const made = await client.post(path, body)
    if (made.statusCode !== 201) throw new Error(`${path}: ${made.statusCode} ${made.body}`)
    return made.json<{ id: string }>()
  }
  const { id } = known ?? (await make('/firmwares', { slug, name: `Firmware ${slug}` }))
  const { id: firmwareVersionId } = await make(`/firmwares/${id}/versions`, { name: version })
  const content = bytes ?? Buffer.from(`${slug} ${version} `.repeat(500))
  const sent = { firmwareVersionId, bytes: content, query: { fileName } }
  const response = await putArtifact(test, client, sent)
  if (response.statusCode !== 201) throw new Error(response.body)
  return { firmwareVersionId, slug, version, fileName, bytes: content }
}

export interface DdiClient {
  deviceId: string
  deviceKey: string
  base: string
  get: (path: string, headers?: Record<string, string>) => ReturnType<typeof send>
  head: (path: string) => ReturnType<typeof send>
  post: (path: string, body?: object | string) => ReturnType<typeof send>
  put: (path: string, body: object | string) => ReturnType<typeof send>
  poll: () => Promise<PollAnswer>
}

export interface PollAnswer {
  config: { polling: { sleep: string } }
  _links: Record<string, { href: string } | undefined>
}

interface DdiRequest {
  method: 'GET' | 'HEAD' | 'POST' | 'PUT'
  url: string
  headers: Record<string, string>
  payload?: object | string | undefined
}

function send({ app }: TestApp, { payload, headers, ...rest }: DdiRequest) {
  const type = payload === undefined ? {} : { 'content-type': 'application/json;charset=UTF-8' }
  return app.inject({
    ...rest,
    headers: { ...type, ...headers },
    ...(payload === undefined ? {} : { payload }),
  })
}

export function ddiClient(
  test: TestApp,
  {
    workspaceId,
    deviceId,
    deviceKey,
  }: { workspaceId: string; deviceId: string; deviceKey: string },
  { scheme = 'TargetToken', userAgent = 'libcurl-agent/1.0' } = {},
): DdiClient {
  const base = `/${workspaceId}/controller/v1/${deviceId}`
  const authorization = `${scheme} ${deviceKey}`
  const call =
    (method: DdiRequest['method']) =>
    (path: string, payload?: object | string, headers: Record<string, string> = {}) =>
      send(test, {
        method,
        url: path.startsWith('/') || path === '' ? base + path : new URL(path).pathname,
        headers: { authorization, 'user-agent': userAgent, ...headers },
        payload,
      })
  return {
    deviceId,
    deviceKey,
    base,
    get: (path, headers) => call('GET')(path, undefined, headers),
    head: call('HEAD'),
    post: call('POST'),
    put: call('PUT'),
    poll: async () => (await call('GET')('')).json<PollAnswer>(),
  }
}

/** A registered device without an update. */
export async function givenDdiDevice(test: TestApp, { workspaceId }: Client): Promise<DdiClient> {
  const deviceId = `device-${crypto.randomUUID()}`
  const createdAt = test.ctx.now()
  await test.ctx.db
    .insertInto('devices')
    .values({ workspaceId, id: deviceId, createdAt, effectiveLogSeverity: 'Info' })
    .execute()
  const deviceKey = await givenDeviceKey(test, workspaceId, deviceId)
  return ddiClient(test, { workspaceId, deviceId, deviceKey })
}

/** A device alone in its cohort, with an update to these versions, and its client. */
export async function givenOfferedUpdate(
  test: TestApp,
  client: Client,
  versions: readonly VersionWithArtifact[],
  options: object = {},
) {
  const ddi = await givenDdiDevice(test, client)
  const cohort = await client.post('/deployment-cohorts', { name: crypto.randomUUID() })
  const { id: cohortId } = cohort.json<{ id: string }>()
  await client.put(`/deployment-cohorts/${cohortId}/devices`, { deviceIds: [ddi.deviceId] })
  const deploymentId = await deploy(client, cohortId, { versions, ...options })
  return { cohortId, deploymentId, ddi }
}

export async function deploy(
  client: Client,
  cohortId: string,
  { versions, ...options }: { versions: readonly VersionWithArtifact[] },
): Promise<string> {
  const artifacts = versions.map(({ firmwareVersionId }) => ({ firmwareVersionId }))
  const response = await client.post(`/deployment-cohorts/${cohortId}/deployments`, {
    name: 'rollout',
    artifacts,
    ...options,
  })
  if (response.statusCode !== 201) throw new Error(response.body)
  return response.json<{ id: string }>().id
}

export async function updateOf(
  { ctx }: TestApp,
  workspaceId: string,
  deviceId: string,
): Promise<{
  state: string
  reason: string | null
  progress: number | null
  unconfirmed: boolean
}> {
  return ctx.db
    .selectFrom('deviceUpdates')
    .select(['state', 'reason', 'progress', 'unconfirmed', 'installedAt'])
    .where('workspaceId', '=', workspaceId)
    .where('deviceId', '=', deviceId)
    .orderBy('number', 'desc')
    .limit(1)
    .executeTakeFirstOrThrow()
}

export async function runningOf({ ctx }: TestApp, workspaceId: string, deviceId: string) {
  return ctx.db
    .selectFrom('deviceFirmwares')
    .select(['slug', 'version', 'confirmed', 'firmwareVersionId'])
    .where('workspaceId', '=', workspaceId)
    .where('deviceId', '=', deviceId)
    .orderBy('slug')
    .execute()
}
