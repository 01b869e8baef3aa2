/** The device protocol as an AsyncAPI 3.0 document (https://www.asyncapi.com/docs/reference/specification/v3.0.0). */
import type { TSchema } from 'typebox'
import { EXAMPLES } from './examples.ts'
import {
  ConfigReportWire,
  CrashesWire,
  DesiredConfigWire,
  DesiredKeyWire,
  DesiredUpdateWire,
  LogsWire,
  MetricsWire,
  SessionWire,
  SyncAnswerWire,
  SyncWire,
  UpdateReportWire,
} from './schemas.ts'

interface MessageDescription {
  title: string
  payload: TSchema
  examples: readonly unknown[]
}

const UP: Readonly<Record<string, MessageDescription>> = {
  session: { title: 'Session', payload: SessionWire, examples: [EXAMPLES.session] },
  config: {
    title: 'Reported configuration',
    payload: ConfigReportWire,
    examples: [EXAMPLES.configUp],
  },
  metrics: { title: 'Metrics', payload: MetricsWire, examples: [EXAMPLES.metrics] },
  logs: { title: 'Logs', payload: LogsWire, examples: [EXAMPLES.logs] },
  crashes: { title: 'Crashes', payload: CrashesWire, examples: [EXAMPLES.crashes] },
  update: {
    title: 'State of an update',
    payload: UpdateReportWire,
    examples: [EXAMPLES.updateUp, EXAMPLES.updateFailed],
  },
}

const DOWN: Readonly<Record<string, MessageDescription>> = {
  config: {
    title: 'Desired configuration',
    payload: DesiredConfigWire,
    examples: [EXAMPLES.configDown],
  },
  update: {
    title: 'Desired update',
    payload: DesiredUpdateWire,
    examples: [EXAMPLES.updateDown, EXAMPLES.updateCancelled],
  },
  key: {
    title: 'Request to replace the key',
    payload: DesiredKeyWire,
    examples: [EXAMPLES.keyDown],
  },
}

const SYNC: Readonly<Record<string, MessageDescription>> = {
  sync: { title: 'Sync', payload: SyncWire, examples: [EXAMPLES.sync] },
  syncAnswer: {
    title: 'Answer of a sync',
    payload: SyncAnswerWire,
    examples: [EXAMPLES.syncAnswer],
  },
}

const prefixed = (prefix: string, messages: Readonly<Record<string, MessageDescription>>) =>
  Object.entries(messages).map(([kind, described]) => {
    const name = `${prefix}${kind.charAt(0).toUpperCase()}${kind.slice(1)}`
    return { kind, name, described }
  })

const BROKERS = [{ $ref: '#/servers/mqtt' }, { $ref: '#/servers/mqtts' }]
const PARAMETERS = {
  workspaceId: { description: 'The id of the workspace' },
  deviceId: {
    description:
      'The name of the device: 1 to 128 of A–Z a–z 0–9 . _ -, beginning with a letter or digit',
  },
}

export function describeDeviceMessages() {
  const up = prefixed('up', UP)
  const down = prefixed('down', DOWN)
  const sync = Object.entries(SYNC).map(([name, described]) => ({ name, described }))
  const all = [...up, ...down, ...sync]
  return {
    asyncapi: '3.0.0',
    info: {
      title: 'Plimsoll device protocol',
      version: '1.0.0',
      description:
        'What devices and the service say to each other. Every message may be JSON or CBOR (RFC 8949); its first byte shows which. CBOR may state times with tag 0 or 1. Unknown members are ignored, and null is the same as absent. docs/guide/device-protocol.md explains the order of messages.',
      license: { name: 'Apache-2.0' },
    },
    defaultContentType: 'application/json',
    servers: servers(),
    channels: {
      ...Object.fromEntries(up.map((one) => [one.name, topic('up', one)])),
      ...Object.fromEntries(down.map((one) => [one.name, topic('down', one)])),
      sync: syncChannel(),
    },
    operations: {
      ...Object.fromEntries(up.map(({ name }) => [`receive-${name}`, operation('receive', name)])),
      ...Object.fromEntries(down.map(({ name }) => [`send-${name}`, operation('send', name)])),
      'receive-sync': syncOperation(),
    },
    components: {
      messages: Object.fromEntries(all.map(({ name, described }) => [name, message(described)])),
      securitySchemes: securitySchemes(),
    },
  }
}

function message({ title, payload, examples }: MessageDescription) {
  return { title, payload, examples: examples.map((one) => ({ payload: one })) }
}

function topic(direction: 'up' | 'down', { kind, name }: { kind: string; name: string }) {
  return {
    address: `plimsoll/v1/{workspaceId}/{deviceId}/${direction}/${kind}`,
    servers: BROKERS,
    parameters: PARAMETERS,
    messages: { [name]: { $ref: `#/components/messages/${name}` } },
  }
}

function operation(action: 'receive' | 'send', name: string) {
  return {
    action,
    channel: { $ref: `#/channels/${name}` },
    messages: [{ $ref: `#/channels/${name}/messages/${name}` }],
    bindings: { mqtt: { qos: 1, retain: action === 'send' } },
  }
}

function syncChannel() {
  return {
    address: '/device/v1/{workspaceId}/{deviceId}/sync',
    servers: [{ $ref: '#/servers/http' }],
    parameters: PARAMETERS,
    messages: {
      sync: { $ref: '#/components/messages/sync' },
      syncAnswer: { $ref: '#/components/messages/syncAnswer' },
    },
  }
}

function syncOperation() {
  return {
    action: 'receive',
    channel: { $ref: '#/channels/sync' },
    messages: [{ $ref: '#/channels/sync/messages/sync' }],
    bindings: { http: { method: 'POST' } },
    reply: {
      channel: { $ref: '#/channels/sync' },
      messages: [{ $ref: '#/channels/sync/messages/syncAnswer' }],
    },
  }
}

function servers() {
  const user = [{ $ref: '#/components/securitySchemes/deviceUser' }]
  return {
    mqtt: {
      host: 'plimsoll.example:1883',
      protocol: 'mqtt',
      protocolVersion: '3.1.1',
      security: user,
    },
    mqtts: {
      host: 'plimsoll.example:8883',
      protocol: 'mqtts',
      protocolVersion: '3.1.1',
      security: user,
    },
    http: {
      host: 'plimsoll.example',
      protocol: 'https',
      security: [{ $ref: '#/components/securitySchemes/deviceKey' }],
    },
  }
}

function securitySchemes() {
  return {
    deviceUser: {
      type: 'userPassword',
      description: 'User name {workspaceId}:{deviceId}, password a device key',
    },
    deviceKey: { type: 'http', scheme: 'bearer', description: 'A device key' },
  }
}
