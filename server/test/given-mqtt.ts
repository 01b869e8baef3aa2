/** A gateway in this process, and devices that connect to it as they would. */
import mqtt, { type IClientOptions, type MqttClient } from 'mqtt'
import { Registry } from 'prom-client'
import { afterAll } from 'vitest'
import { type Config, readConfig } from '../src/config.ts'
import { type StartedGateway, startGateway } from '../src/gateway.ts'
import type { TestApp } from './app.ts'

type MqttSettings = Config['mqtt']

export function mqttSettings(overrides: Partial<MqttSettings> = {}): MqttSettings {
  return { ...readConfig({}).mqtt, host: '127.0.0.1', port: 0, ...overrides }
}

export interface TestGateway extends StartedGateway {
  port: number
  metrics: Registry
}

/** Of a test app whose configuration has `mqttSettings`. */
export async function givenGateway({ ctx, doors }: TestApp): Promise<TestGateway> {
  const metrics = new Registry()
  const gateway = await startGateway(ctx, { doors, metrics })
  const { plain = 0 } = gateway.ports
  let stopped: Promise<void> | undefined
  const stop = () => (stopped ??= gateway.stop())
  afterAll(stop)
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
  /** What the device was sent, newest last. */
  messages: { topic: string; message: unknown; retain: boolean }[]
  /** Below the device's own topics; resolves when it is acknowledged. */
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
  afterAll(() => client.endAsync(true))
  const messages: DeviceClient['messages'] = []
  client.on('message', (topic, payload, { retain }) =>
    messages.push({
      topic: topic.slice(topicsOf(device).length),
      message: JSON.parse(payload.toString()) as unknown,
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
