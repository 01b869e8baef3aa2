/** What devices say at an external broker: shared among all nodes, acknowledged when it is stored. */
import { isUuid } from '../../../platform/ids.ts'
import type { IncomingMessage } from '../../../platform/mqtt/broker-client.ts'
import { isDeviceId } from '../../devices/index.ts'
import { readConnectionState } from './connection-state.ts'
import type { MqttDoor } from '../door.ts'
import { decode, receive, told } from '../service.ts'
import { CONNECTION, type DeviceName, readUpTopic } from '../topics.ts'

export type ExternalDoor = Pick<
  MqttDoor,
  'ctx' | 'doors' | 'metrics' | 'gatewayId' | 'reports' | 'isClosing'
>

type Outcome = 'stored' | 'malformed' | 'unknown' | 'foreign'

/** Resolves when it is stored or never can be. What a broker lets through under a wrong name names no device here. */
export async function takeReport(door: ExternalDoor, message: IncomingMessage): Promise<void> {
  const from = readUpTopic(message.topic)
  // Of connections the node is told that leads: there they are retained.
  if (from?.kind === CONNECTION) return
  await counting(door, from?.kind ?? 'none', async () => {
    if (!from || !isDevice(from)) return 'foreign'
    if (from.kind === 'unknown' || from.kind === CONNECTION) return 'unknown'
    const { kind } = from
    const decoded = decode(kind, message.payload, (fault) => told(door, from, { kind, fault }))
    if (!decoded) return 'malformed'
    await receive(door, named(from), { message: decoded, mayRetry: () => !door.isClosing() })
    return 'stored'
  })
}

/** The state of a connection, when it changes and as retained when this node begins to lead. */
export async function takeConnection(door: ExternalDoor, message: IncomingMessage): Promise<void> {
  const from = readUpTopic(message.topic)
  // An empty one takes back what was retained.
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
    // It would come again, and fail again, for ever.
    ctx.log.error({ err: error, kind }, 'a message of a device could not be stored')
    metrics.messages.inc({ kind, outcome: 'failed' })
  } finally {
    end()
  }
}
