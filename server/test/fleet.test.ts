/**
 * From finding to device and back: 200 devices run a version with a critical finding, take the fixed one in phases, and
 * are rolled back, while the gateway is killed; the counters are those of the rows at every look.
 */
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Simulation, startSimulation } from '../src/simulator/simulation.ts'
import { createTestDatabase } from './database.ts'
import { givenFolder, kevCatalogue, nvdPage } from './given-feeds.ts'
import {
  endProcess,
  freePort,
  runAdmin,
  type ServiceProcess,
  type ServiceSettings,
  startServiceProcess,
} from './service-process.ts'

const DEVICES = 200
const CVE = 'CVE-2026-11111'
const dataDir = mkdtempSync(join(tmpdir(), 'plimsoll-fleet-'))

let database: pg.Pool
let api: ServiceProcess
let gateway: ServiceProcess
let apiSettings: ServiceSettings
let gatewaySettings: ServiceSettings
let mqttUrl: string
let workspace: { workspaceId: string; apiKey: string }
let simulation: Simulation | undefined

beforeAll(async () => {
  const { connectionString } = await createTestDatabase()
  database = new pg.Pool({ connectionString, max: 2 })
  const [mqttPort, gatewayPort] = [await freePort(), await freePort()]
  mqttUrl = `mqtt://127.0.0.1:${mqttPort}`
  const env = {
    DATABASE_URL: connectionString,
    PLIMSOLL_DATABASE_POOL_SIZE: '10',
    PLIMSOLL_LOG_LEVEL: 'warn',
    // Where devices are sent for artifacts.
    PLIMSOLL_PUBLIC_URL: `http://127.0.0.1:${gatewayPort}`,
    PLIMSOLL_MQTT_PORT: String(mqttPort),
    PLIMSOLL_DEVICE_REQUESTS_PER_MINUTE: '0',
  }
  const node = async (roles: string, port: number) => ({
    dataDir,
    port,
    managementPort: await freePort(),
    env,
    args: ['--roles', roles],
  })
  apiSettings = await node('api,worker', await freePort())
  gatewaySettings = await node('gateway', gatewayPort)
  api = await startServiceProcess(apiSettings)
  gateway = await startServiceProcess(gatewaySettings)
}, 120_000)

afterAll(async () => {
  await simulation?.stop()
  await endProcess(api.child, 'SIGTERM')
  await endProcess(gateway.child, 'SIGTERM')
  await database.end()
  rmSync(dataDir, { recursive: true, force: true })
}, 60_000)

async function admin<Answer>(...args: string[]): Promise<Answer> {
  const { code, stdout, stderr } = await runAdmin(apiSettings, ...args, '--json')
  if (code !== 0) throw new Error(stderr)
  return JSON.parse(stdout) as Answer
}

async function call<Answer>(
  method: 'GET' | 'POST' | 'PUT',
  path: string,
  body?: object | Buffer,
): Promise<Answer> {
  const isFile = Buffer.isBuffer(body)
  const response = await fetch(`${api.url}/workspaces/${workspace.workspaceId}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${workspace.apiKey}`,
      ...(body && { 'content-type': isFile ? 'application/octet-stream' : 'application/json' }),
    },
    ...(body && { body: isFile ? new Uint8Array(body) : JSON.stringify(body) }),
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`)
  return (text === '' ? undefined : JSON.parse(text)) as Answer
}

interface CreatedResource {
  id: string
}

/** A version with an SBOM, matched, and a binary. */
async function givenVersion(firmwareId: string, name: string, widget: string): Promise<string> {
  const { id } = await call<CreatedResource>('POST', `/firmwares/${firmwareId}/versions`, { name })
  const bom = {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    components: [
      {
        type: 'library',
        name: 'widget',
        version: widget,
        cpe: `cpe:2.3:a:acme:widget:${widget}:*:*:*:*:*:*:*`,
      },
    ],
  }
  const bytes = Buffer.from(JSON.stringify(bom))
  await call('POST', `/firmware-versions/${id}/sboms?fileName=${name}.json`, bytes)
  await call('PUT', `/firmware-versions/${id}/artifact?fileName=${name}.bin`, randomBytes(150_000))
  await until(async () => {
    const { sboms } = await call<{ sboms: { vulnerabilitiesParsedAt: string | null }[] }>(
      'GET',
      `/firmware-versions/${id}/sboms`,
    )
    return sboms.length === 1 && sboms.every((sbom) => sbom.vulnerabilitiesParsedAt !== null)
  })
  return id
}

async function until(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo())) await delay(100)
}

interface Finding {
  id: string
  cveId: string
  severity: string
  affectedDeviceCount: number
}

async function findingsOf(firmwareVersionId: string): Promise<Finding[]> {
  const path = `/firmware-versions/${firmwareVersionId}/vulnerability-findings/list`
  return (await call<{ findings: Finding[] }>('POST', path, {})).findings
}

interface VulnerableVersion {
  firmwareVersionId: string
  vulnerabilitySummary: { affectedDeviceCount: number; totalActiveIssues: number }
}

async function affectedDevices(firmwareVersionId: string): Promise<number> {
  const versions = await call<VulnerableVersion[]>('GET', '/vulnerable-firmware-versions')
  const version = versions.find((one) => one.firmwareVersionId === firmwareVersionId)
  return version?.vulnerabilitySummary.affectedDeviceCount ?? -1
}

interface Deployment {
  id: string
  isActive: boolean
  state: string
  phase: number
  artifacts: { firmware: { firmwareVersion: { id: string } } }[]
  deviceUpdateStateCounts: Record<
    'pending' | 'inProgress' | 'succeeded' | 'failed' | 'cancelled',
    number
  >
}

/** Counters and rows in one statement, and so at one instant. */
async function disagreements(): Promise<unknown[]> {
  const { rows } = await database.query<object>(
    `with running as (
       select firmware_version_id, connected, count(*)::int as devices
       from device_firmwares as firmware
       join devices on devices.workspace_id = firmware.workspace_id and devices.id = firmware.device_id
       where firmware.workspace_id = $1 and firmware_version_id is not null
       group by firmware_version_id, connected
     ), counted as (
       select firmware_version_id, connected, sum(devices)::int as devices
       from firmware_version_device_counts where workspace_id = $1
       group by firmware_version_id, connected having sum(devices) <> 0
     ), updates as (
       select deployment_id as id,
         count(*) filter (where state = 'pending')::int as pending,
         count(*) filter (where state = 'inProgress')::int as in_progress,
         count(*) filter (where state = 'succeeded')::int as succeeded,
         count(*) filter (where state = 'failed')::int as failed,
         count(*) filter (where state = 'cancelled')::int as cancelled
       from device_updates where workspace_id = $1 group by deployment_id
     ), deployment as (
       select id, pending, in_progress, succeeded, failed, cancelled
       from deployments where workspace_id = $1
     )
     select 'devices' as what, row_to_json(running.*) as rows, row_to_json(counted.*) as counters
     from running full join counted using (firmware_version_id, connected)
     where running.devices is distinct from counted.devices
     union all
     select 'updates', row_to_json(updates.*), row_to_json(deployment.*)
     from updates full join deployment using (id)
     where updates is distinct from row(deployment.id, deployment.pending, deployment.in_progress,
       deployment.succeeded, deployment.failed, deployment.cancelled)`,
    [workspace.workspaceId],
  )
  return rows
}

interface WatchedDeployment {
  deployment: Deployment
  affected: number[]
}

/** Looks until no update is open; `onLook` is told how far it is. */
async function watch(
  cohortId: string,
  deploymentId: string,
  { versionId, onLook = () => Promise.resolve() }: WatchOptions,
): Promise<WatchedDeployment> {
  const affected: number[] = []
  for (;;) {
    affected.push(await affectedDevices(versionId))
    expect(await disagreements()).toEqual([])
    const path = `/deployment-cohorts/${cohortId}/deployments/${deploymentId}`
    const deployment = await call<Deployment>('GET', path)
    await onLook(deployment)
    expect(deployment.state).toBe('Running')
    const { pending, inProgress } = deployment.deviceUpdateStateCounts
    if (pending + inProgress === 0) {
      affected.push(await affectedDevices(versionId))
      return { deployment, affected }
    }
    await delay(150)
  }
}

interface WatchOptions {
  versionId: string
  onLook?: (deployment: Deployment) => Promise<void>
}

it('takes a fleet off a vulnerable version and back, with right counters at every look', async () => {
  workspace = await admin('bootstrap', '--workspace', 'Fleet', '--owner', 'a@example.com')
  const folder = givenFolder({
    'nvdcve-2.0-2026.json': nvdPage([
      { id: CVE, score: 9.8, description: 'A flaw', fixed: { 'acme:widget': '2.0' } },
    ]),
    'kev.json': kevCatalogue([CVE], '2026-08-01T00:00:00.000Z'),
  })
  const imported = await runAdmin(apiSettings, 'feeds', 'import', folder)
  expect(imported.code).toBe(0)
  const firmware = await call<CreatedResource>('POST', '/firmwares', { slug: 'gateway' })
  const vulnerable = await givenVersion(firmware.id, '1.0.0', '1.3')
  const fixed = await givenVersion(firmware.id, '1.0.1', '2.0')
  expect(await findingsOf(vulnerable)).toMatchObject([{ cveId: CVE, severity: 'Critical' }])
  expect(await findingsOf(fixed)).toEqual([])
  expect(await affectedDevices(vulnerable)).toBe(0)

  // 200 devices come, half by MQTT, half by HTTP.
  const {
    id: _id,
    updatedAt: _updatedAt,
    ...settings
  } = await call<Record<string, unknown>>('GET', '/settings')
  await call('PUT', '/settings', { ...settings, deviceAutoRegistration: true })
  const { deviceKey } = await admin<{ deviceKey: string }>(
    'device-key',
    'create',
    '--workspace',
    workspace.workspaceId,
  )
  simulation = startSimulation({
    workspaceId: workspace.workspaceId,
    deviceKey,
    url: gateway.url,
    mqttUrl,
    devices: DEVICES,
    door: 'mixed',
    rate: 200,
    firmware: { gateway: '1.0.0' },
    outcomes: { success: 88, failure: 6, fallback: 6, silence: 0 },
    seed: 'fleet',
    pollSeconds: 1,
    updateSeconds: 1,
    rebootSeconds: 0.5,
    metricsSeconds: 5,
  })
  const { counts, devices } = simulation
  await simulation.started
  expect(counts()).toMatchObject({ started: DEVICES, troubles: 0 })
  expect(await affectedDevices(vulnerable)).toBe(DEVICES)
  expect(await findingsOf(vulnerable)).toMatchObject([{ affectedDeviceCount: DEVICES }])
  expect(await disagreements()).toEqual([])

  // What they run already needs no download.
  const cohort = await call<CreatedResource>('POST', '/deployment-cohorts', { name: 'Everybody' })
  const deploymentsPath = `/deployment-cohorts/${cohort.id}/deployments`
  const deviceIds = devices.map(({ id }) => id)
  await call('PUT', `/deployment-cohorts/${cohort.id}/devices`, { deviceIds })
  const first = await call<Deployment>('POST', deploymentsPath, {
    name: 'Gateway 1.0.0',
    artifacts: [{ firmwareVersionId: vulnerable }],
  })
  const settled = await watch(cohort.id, first.id, { versionId: vulnerable })
  expect(settled.deployment.deviceUpdateStateCounts).toMatchObject({ succeeded: DEVICES })
  expect(counts().updates.downloads).toBe(0)

  // The fixed version, in phases; the gateway is killed in the middle.
  const second = await call<Deployment>('POST', deploymentsPath, {
    name: 'Gateway 1.0.1',
    artifacts: [{ firmwareVersionId: fixed }],
    phases: [
      { percent: 10, waitSeconds: 1, failureThresholdPercent: 90 },
      { percent: 100, failureThresholdPercent: 90 },
    ],
  })
  expect(second.deviceUpdateStateCounts).toMatchObject({ pending: DEVICES })
  let killedAt: Deployment['deviceUpdateStateCounts'] | undefined
  const kill = async ({ deviceUpdateStateCounts: at, phase }: Deployment) => {
    if (phase === 0) expect(at.pending).toBeGreaterThanOrEqual(DEVICES * 0.9)
    if (killedAt || at.inProgress < 20 || at.succeeded < 10) return
    killedAt = at
    await endProcess(gateway.child, 'SIGKILL')
    gateway = await startServiceProcess(gatewaySettings)
  }
  const fixing = await watch(cohort.id, second.id, { versionId: vulnerable, onLook: kill })
  const fixedCounts = fixing.deployment.deviceUpdateStateCounts
  const { 'gateway=1.0.0': left = 0, 'gateway=1.0.1': updated = 0 } = counts().running
  expect(killedAt?.inProgress).toBeGreaterThan(0)
  expect(fixing.affected).toEqual(fixing.affected.toSorted((one, other) => other - one))
  expect(new Set(fixing.affected).size).toBeGreaterThan(3)
  expect(fixing.affected.at(-1)).toBe(left)
  expect(fixedCounts).toMatchObject({ succeeded: updated, failed: left, cancelled: 0 })
  expect(left).toBe(counts().updates.failed + counts().updates.fellBack)
  expect(left).toBeGreaterThan(5)
  expect(updated + left).toBe(DEVICES)

  // And back, in one call, knowing what comes back by it.
  const preview = await call<object>('GET', `${deploymentsPath}/${second.id}/rollback-preview`)
  expect(preview).toMatchObject({
    deviceCount: DEVICES,
    introduced: { count: 1, knownExploited: 1, findings: [{ cveId: CVE, severity: 'Critical' }] },
    removed: { count: 0 },
  })
  const back = await call<Deployment>('POST', `${deploymentsPath}/${second.id}/rollback`)
  expect(back).toMatchObject({
    isActive: true,
    artifacts: [{ firmware: { firmwareVersion: { id: vulnerable } } }],
  })
  const rolling = await watch(cohort.id, back.id, { versionId: vulnerable })
  const { 'gateway=1.0.0': returned = 0, 'gateway=1.0.1': stayed = 0 } = counts().running
  expect(rolling.affected).toEqual(rolling.affected.toSorted((one, other) => one - other))
  expect(rolling.affected.at(-1)).toBe(returned)
  expect(await findingsOf(vulnerable)).toMatchObject([{ affectedDeviceCount: returned }])
  expect(returned).toBeGreaterThan(left)
  expect(rolling.deployment.deviceUpdateStateCounts).toMatchObject({
    succeeded: returned,
    failed: stayed,
  })
  expect(await disagreements()).toEqual([])
  // None but that of the gateway that was away, if anyone asked it meanwhile.
  expect(counts().lastTrouble ?? 'closed').toMatch(/ECONN|closed|other side/)
  expect(api.output() + gateway.output()).not.toMatch(/"level":(50|60)/)
})
