/** Stores messages that devices publish at an external broker. All nodes share them; each is acknowledged when it is stored. */
import { Type } from 'typebox'
import { Compile } from 'typebox/compile'
import { deriveUuid } from '../../../formats/content-uuid.ts'
import { isUuid } from '../../../platform/ids.ts'
import type { IncomingMessage } from '../../../platform/mqtt/broker-client.ts'
import { isDeviceId } from '../../devices/index.ts'
import type { MqttDoor } from '../door.ts'
import { decode, logMalformed, nameOutcome, receive } from '../service.ts'
import { CONNECTION, type DeviceName, readUpTopic } from '../topics.ts'

export type ExternalDoor = Pick<
  MqttDoor,
  'ctx' | 'doors' | 'metrics' | 'gatewayId' | 'reports' | 'isClosing'
>

type Outcome = 'stored' | 'malformed' | 'unknown' | 'foreign'

/** Resolves when the message is stored or cannot be stored. A topic that names no device is dropped. */
export async function takeReport(door: ExternalDoor, message: IncomingMessage): Promise<void> {
  const from = readUpTopic(message.topic)
  // The leading node handles the connection topics, as they are retained.
  if (from?.kind === CONNECTION) return
  await counting(door, from?.kind ?? 'none', async () => {
    if (!from || !isDevice(from)) return 'foreign'
    if (from.kind === 'unknown' || from.kind === CONNECTION) return 'unknown'
    const { kind } = from
    const decoded = decode(kind, message.payload, (fault) =>
      logMalformed(door, from, { kind, fault }),
    )
    if (!decoded) return 'malformed'
    await receive(door, named(from), { message: decoded, mayRetry: () => !door.isClosing() })
    return nameOutcome(decoded)
  })
}

/** Stores the state of a connection, when it changes and when this node begins to lead. */
export async function takeConnection(door: ExternalDoor, message: IncomingMessage): Promise<void> {
  const from = readUpTopic(message.topic)
  // An empty payload clears the retained message.
  if (from?.kind !== CONNECTION || message.payload.length === 0) return
  await counting(door, CONNECTION, async () => {
    if (!isDevice(from)) return 'foreign'
    const state = readConnectionState(message.payload, from.deviceId)
    if (!state) return 'malformed'
    const { connected, connectionId } = state
    const { gatewayId } = door
    const event = connected
      ? ({ kind: 'connected', connectionId, gatewayId } as const)
      : ({ kind: 'disconnected', connectionId } as const)
    await receive(door, named(from), { message: event, mayRetry: () => !door.isClosing() })
    return 'stored'
  })
}

function isDevice({ workspaceId, deviceId }: DeviceName): boolean {
  return isUuid(workspaceId) && isDeviceId(deviceId)
}

function named({ workspaceId, deviceId }: DeviceName): DeviceName {
  return { workspaceId: workspaceId.toLowerCase(), deviceId }
}

async function counting(
  { ctx, metrics }: ExternalDoor,
  kind: string,
  work: () => Promise<Outcome>,
): Promise<void> {
  const end = metrics.storing.startTimer()
  try {
    metrics.messages.inc({ kind, outcome: await work() })
  } catch (error) {
    // Acknowledged nevertheless: otherwise the broker would send it again and again.
    ctx.log.error({ err: error, kind }, 'storing a message of a device failed')
    metrics.messages.inc({ kind, outcome: 'failed' })
  } finally {
    end()
  }
}

/** A device publishes this when it connects, and as its will. */
const ConnectionState = Compile(
  Type.Object({
    connected: Type.Boolean(),
    /** Identifies the connection, so that a late will of an older connection does not end a newer one. */
    connection: Type.Optional(Type.String({ maxLength: 128 })),
  }),
)

/** undefined: malformed. */
function readConnectionState(
  payload: Uint8Array,
  deviceId: string,
): { connected: boolean; connectionId: string } | undefined {
  try {
    const state: unknown = JSON.parse(Buffer.from(payload).toString('utf8'))
    if (!ConnectionState.Check(state)) return undefined
    const { connected, connection = '' } = state
    return { connected, connectionId: deriveUuid(`${deviceId}\n${connection}`) }
  } catch {
    return undefined
  }
}
