/** Devices with what they report, their configuration, and roll-outs to them. */
import mqtt from 'mqtt'
import { type Caller, made } from './caller.ts'
import { type Installation, until } from './installation.ts'
import type { Software } from './software.ts'

export interface Fleet {
  /** Of all devices of the workspace. */
  deviceKey: string
  cohortId: string
  taggedCohortId: string
  /** The first roll-out, the one that was rolled back, the rollback. */
  deploymentIds: [string, string, string]
}

export const deviceCaller = (caller: Caller, deviceKey: string): Caller => ({
  ...caller,
  headers: { authorization: `Bearer ${deviceKey}` },
})

interface DesiredUpdate {
  updateId: string
}

export const sync = (device: Caller, id: string, message: object) =>
  made<{ config: { version: number } | null; update: DesiredUpdate | null }>(
    device,
    `/device/v1/${device.workspaceId}/${id}/sync`,
    message,
  )

export const session = (runId: string, version: string, slug = 'beacon') => ({
  session: { runId, firmware: [{ slug, version }], attributes: { board: 'rev-c', flash: 4096 } },
})

export async function makeFleet(
  installation: Installation,
  caller: Caller,
  software: Software,
): Promise<Fleet> {
  const { workspaceId } = caller
  const key = (...more: string[]) =>
    installation.admin('device-key', 'create', '--workspace', workspaceId, ...more)
  const { deviceKey = '' } = await key()
  await registerDevices(caller)
  const { deviceKey: ownKey = '' } = await key('--device', 'lamp-1')
  const device = deviceCaller(caller, deviceKey)
  await sync(deviceCaller(caller, ownKey), 'lamp-1', session('boot-1', '1.0.0'))
  for (const id of ['lamp-2', 'lamp-3', 'found-1'])
    await sync(device, id, session('boot-1', '1.0.0'))
  await sync(device, 'lamp-4', session('boot-1', '0.9.0-field'))
  await reportByMqtt(installation, { workspaceId, deviceKey })
  await pollAsHawkbit(device)
  await configure(caller, device)
  const cohorts = await makeCohorts(caller)
  const deploymentIds = await rollOut(caller, device, { ...cohorts, software })
  return { deviceKey, ...cohorts, deploymentIds }
}

async function registerDevices(caller: Caller): Promise<void> {
  await made(caller, '{ws}/devices', {
    id: 'lamp-1',
    description: 'North tower:\ttab, \\N',
    tags: ['lamp', 'north'],
    attributes: { site: 'north', height: 41.5, manned: false },
  })
  const devices = ['lamp-2', 'lamp-3', 'lamp-4', 'spare-1', 'valve-1'].map((id) => ({
    id,
    tags: [id.split('-')[0] ?? ''],
  }))
  await made(caller, '{ws}/devices/import', { devices })
}

async function reportByMqtt(
  { mqttPort }: Installation,
  { workspaceId, deviceKey }: { workspaceId: string; deviceKey: string },
): Promise<void> {
  const client = await mqtt.connectAsync(`mqtt://127.0.0.1:${mqttPort}`, {
    clientId: 'valve-1',
    username: `${workspaceId}:valve-1`,
    password: deviceKey,
  })
  const up = `plimsoll/v1/${workspaceId}/valve-1/up`
  const send = (kind: string, message: object) =>
    client.publishAsync(`${up}/${kind}`, JSON.stringify(message), { qos: 1 })
  await send('session', { runId: 'boot-1', firmware: [{ slug: 'modem', version: '7' }] })
  await send('metrics', [{ name: 'pressure', value: 2.5, sequence: 1 }])
  await client.endAsync()
}

async function pollAsHawkbit(device: Caller): Promise<void> {
  const key = (device.headers['authorization'] ?? '').replace('Bearer ', '')
  const hawkbit = { ...device, headers: { authorization: `GatewayToken ${key}` } }
  const base = `/${device.workspaceId}/controller/v1/spare-1`
  await made(hawkbit, base)
  await made(
    hawkbit,
    `${base}/configData`,
    { data: { version: '1.0.0', hw: 'a' } },
    { method: 'PUT' },
  )
}

async function configure(caller: Caller, device: Caller): Promise<void> {
  await made(
    caller,
    '{ws}/devices/lamp-2/configuration/desired',
    { logSeverity: 'Debug' },
    { method: 'PUT' },
  )
  await made(caller, '{ws}/device-configuration-changes', {
    deviceIds: ['lamp-1', 'lamp-3'],
    logSeverity: 'Warning',
  })
  const { config } = await sync(device, 'lamp-2', {})
  await sync(device, 'lamp-2', {
    config: {
      logSeverity: 'Debug',
      compiledLogSeverity: 'Debug',
      acknowledgedDesiredConfigurationVersion: config?.version ?? 0,
    },
  })
}

async function makeCohorts(caller: Caller) {
  const { id: cohortId } = await made(
    caller,
    '{ws}/deployment-cohorts',
    { name: 'Field test', description: 'Two lamps that somebody watches' },
    { headers: { 'idempotency-key': 'field-test-1' } },
  )
  await made(
    caller,
    `{ws}/deployment-cohorts/${cohortId}/devices`,
    { deviceIds: ['lamp-1', 'lamp-2', 'lamp-3', 'spare-1'] },
    { method: 'PUT' },
  )
  const { id: taggedCohortId } = await made(caller, '{ws}/deployment-cohorts', {
    name: 'Other lamps',
    tagRule: { all: ['lamp'], none: ['north'] },
  })
  return { cohortId, taggedCohortId }
}

interface RollOut {
  cohortId: string
  taggedCohortId: string
  software: Software
}

/** One that all take, one that fails somewhere and is rolled back, and one that waits for its time. */
async function rollOut(
  caller: Caller,
  device: Caller,
  { cohortId, taggedCohortId, software: { versions } }: RollOut,
): Promise<[string, string, string]> {
  const [, second, third] = versions
  const path = `{ws}/deployment-cohorts/${cohortId}/deployments`
  const { id: first } = await made(caller, path, {
    name: 'Beacon 1.1.0',
    artifacts: [{ firmwareVersionId: second, isMain: true }],
  })
  for (const id of ['lamp-1', 'lamp-2'])
    await update(device, id, { runId: 'boot-2', version: '1.1.0' })
  const { id: failing } = await made(caller, path, {
    name: 'Beacon 1.2.0',
    artifacts: [{ firmwareVersionId: third }],
    maxAttempts: 1,
    phases: [{ percent: 100, failureThresholdPercent: 90 }],
  })
  await made(caller, `${path}/${failing}/pause`, undefined, { method: 'POST' })
  await made(caller, `${path}/${failing}/resume`, undefined, { method: 'POST' })
  await update(device, 'lamp-1', { runId: 'boot-3', version: '1.2.0' })
  await update(device, 'lamp-2', { reason: 'sha256 of beacon differs' })
  const { id: rollback } = await made(caller, `${path}/${failing}/rollback`, undefined, {
    method: 'POST',
  })
  await update(device, 'lamp-1', { runId: 'boot-4', version: '1.1.0' })
  await made(caller, `{ws}/deployment-cohorts/${taggedCohortId}/deployments`, {
    name: 'Some day',
    artifacts: [{ firmwareVersionId: second }],
    startsAt: '2099-01-01T00:00:00.000Z',
    maintenanceWindow: { from: '02:00', until: '04:30', utcOffset: '+02:00' },
  })
  return [first, failing, rollback]
}

type Outcome = { runId: string; version: string } | { reason: string }

/** A device takes what it is offered, as the next request after the release may not tell yet. */
async function update(device: Caller, id: string, outcome: Outcome): Promise<void> {
  let updateId: string | undefined
  await until(`an update of ${id}`, async () => {
    updateId = (await sync(device, id, {})).update?.updateId
    return updateId !== undefined
  })
  await sync(device, id, { update: { updateId, state: 'inProgress', progress: 40 } })
  if ('reason' in outcome)
    await sync(device, id, { update: { updateId, state: 'failed', reason: outcome.reason } })
  else await sync(device, id, session(outcome.runId, outcome.version))
}

const HOUR_MS = 3_600_000
const MINUTE_MS = 60_000

/** Points and lines of some hours that are over, and of this one; some arrive late. */
export async function reportTelemetry(caller: Caller, deviceKey: string): Promise<void> {
  const device = deviceCaller(caller, deviceKey)
  const thisHour = Math.floor(Date.now() / HOUR_MS) * HOUR_MS
  const timeOf = (hoursAgo: number, minute: number) =>
    new Date(thisHour - hoursAgo * HOUR_MS + minute * MINUTE_MS).toISOString()
  for (const [index, id] of ['lamp-1', 'lamp-2'].entries()) {
    const runId = 'boot-1'
    const metrics = [30, 5, 4, 3].flatMap((hoursAgo) =>
      [1, 20, 40].flatMap((minute) => {
        const sequence = (40 - hoursAgo) * 60 + minute
        const timestamp = timeOf(hoursAgo, minute)
        const value = 20 + index + hoursAgo + minute / 60
        return [
          { name: 'temperature', labels: { sensor: 'lens' }, value, timestamp, sequence },
          { name: 'turns', sum: 12 * value, count: 12, min: 1, max: value, timestamp, sequence },
        ]
      }),
    )
    await sync(device, id, { metrics: { runId, points: metrics } })
    const logs = [30, 4, 3].flatMap((hoursAgo) =>
      (['Info', 'Warning', 'Error'] as const).map((severity, line) => ({
        severity,
        message: `${severity === 'Error' ? 'lamp did not turn' : 'lamp turns'} (${hoursAgo})`,
        labels: { module: 'motor' },
        timestamp: timeOf(hoursAgo, 10 + line),
        sequence: (40 - hoursAgo) * 10 + line,
      })),
    )
    await sync(device, id, { logs: { runId, lines: logs } })
  }
}

/** The workspace is warned of lenses above 60 degrees. */
export const reportLens = (caller: Caller, deviceKey: string, value: number) =>
  sync(deviceCaller(caller, deviceKey), 'lamp-1', {
    metrics: [{ name: 'temperature', labels: { sensor: 'lens' }, value }],
  })
