/** A gateway in this process, and devices with real MQTT clients. */
import mqtt, { type IClientOptions, type MqttClient } from 'mqtt'
import { Registry } from 'prom-client'
import { type Config, readConfig } from '../src/config/config.ts'
import { type StartedGateway, startGateway } from '../src/gateway.ts'
import type { TestApp } from './app.ts'
import { closeAtEndOfFile } from './end-of-file.ts'
import { givenDeviceKey } from './given-ddi.ts'

type MqttSettings = Config['mqtt']

export function mqttSettings(overrides: Partial<MqttSettings> = {}): MqttSettings {
  return { ...readConfig({}).mqtt, host: '127.0.0.1', port: 0, ...overrides }
}

export interface TestGateway extends StartedGateway {
  port: number
  metrics: Registry
}

/** Starts the gateway of a test app whose configuration has `mqttSettings`. */
export async function givenGateway({ ctx, doors }: TestApp): Promise<TestGateway> {
  const metrics = new Registry()
  const gateway = await startGateway(ctx, { doors, metrics })
  const { plain = 0 } = gateway.ports
  let stopped: Promise<void> | undefined
  const stop = () => (stopped ??= gateway.stop())
  closeAtEndOfFile(stop)
  return { ...gateway, stop, port: plain, metrics }
}

export interface MqttDevice {
  port: number
  workspaceId: string
  deviceId: string
  deviceKey: string
}

export interface DeviceClient {
  client: MqttClient
  /** Messages that the device received, newest last. */
  messages: { topic: string; message: unknown; retain: boolean }[]
  /** Publishes below the device's own topics; resolves when acknowledged. */
  publish: (topic: string, message: unknown) => Promise<unknown>
}

export function topicsOf({ workspaceId, deviceId }: Pick<MqttDevice, 'workspaceId' | 'deviceId'>) {
  return `plimsoll/v1/${workspaceId}/${deviceId}/`
}

/** Rejects with the return code of the broker when it is refused. */
export async function connectDevice(
  device: MqttDevice,
  options: IClientOptions = {},
): Promise<DeviceClient> {
  const client = await mqtt.connectAsync(`mqtt://127.0.0.1:${device.port}`, {
    username: `${device.workspaceId}:${device.deviceId}`,
    password: device.deviceKey,
    reconnectPeriod: 0,
    ...options,
  })
  client.on('error', () => undefined)
  closeAtEndOfFile(() => client.endAsync(true))
  const messages: DeviceClient['messages'] = []
  client.on('message', (topic, payload, { retain }) =>
    messages.push({
      topic: topic.slice(topicsOf(device).length),
      message: payload.length === 0 ? null : (JSON.parse(payload.toString()) as unknown),
      retain,
    }),
  )
  return {
    client,
    messages,
    publish: (topic, message) =>
      client.publishAsync(
        `${topicsOf(device)}${topic}`,
        typeof message === 'string' ? message : JSON.stringify(message),
        { qos: 1 },
      ),
  }
}

/** Registered, with a key of its own. */
export async function givenMqttDevice(
  test: TestApp,
  port: number,
  whose: { workspaceId: string; deviceId?: string },
): Promise<MqttDevice> {
  const { workspaceId, deviceId = `device-${crypto.randomUUID()}` } = whose
  await test.ctx.db
    .insertInto('devices')
    .values({
      workspaceId,
      id: deviceId,
      runIds: [],
      createdAt: new Date(),
      effectiveLogSeverity: 'Info',
    })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  const deviceKey = await givenDeviceKey(test, workspaceId, deviceId)
  return { port, workspaceId, deviceId, deviceKey }
}

export async function deviceRow(
  { ctx }: TestApp,
  { workspaceId, deviceId }: { workspaceId: string; deviceId: string },
) {
  return ctx.db
    .selectFrom('devices')
    .select(['connected', 'gatewayId', 'runIds', 'client', 'door'])
    .where('workspaceId', '=', workspaceId)
    .where('id', '=', deviceId)
    .executeTakeFirstOrThrow()
}

export function sessionOf(runId: string) {
  return { runId, firmware: [{ slug: 'gateway', version: '1.0.0' }] }
}

/** Resolves at a reset as well as at a proper end. */
export async function connectionEnded({ client }: DeviceClient): Promise<void> {
  if (client.connected)
    await new Promise((resolve) => client.once('close', () => resolve(undefined)))
}
