/** Messages of devices, from their arrival to the answer that they are stored. */
import { setTimeout as delay } from 'node:timers/promises'
import { decodeDeviceMessage, encodingOf } from '../../formats/device-messages/decode.ts'
import { MalformedMessage } from '../../formats/device-messages/malformed.ts'
import type { DeviceMessage } from '../../formats/device-messages/model.ts'
import { isDatabaseAway } from '../../platform/db/connect.ts'
import type { ConnectionEvent } from '../devices/index.ts'
import type { DeviceConnection } from './embedded/device-connection.ts'
import type { MqttDoor } from './door.ts'
import { upKindOf, type UpKind } from './topics.ts'

interface Arrived {
  topic: string
  payload: Uint8Array
}

/** Resolves when the message is stored, or can never be; rejects when the connection has to end. */
export async function receiveMessage(
  door: MqttDoor,
  device: DeviceConnection,
  { topic, payload }: Arrived,
): Promise<void> {
  const { metrics } = door
  const kind = upKindOf(device.prefix, topic)
  if (kind === undefined) {
    metrics.messages.inc({ kind: 'none', outcome: 'foreign' })
    throw new Error('a topic of somebody else')
  }
  const end = metrics.storing.startTimer()
  const turn = takeTurn(door, device, payload.length)
  try {
    // Not awaited when it is its turn at once: the order of messages is that of these calls.
    if (turn) await turn
    if (device.isOver && turn) throw new Error('the connection ended while its messages waited')
    const outcome = await storeMessage(door, device, { kind, payload })
    metrics.messages.inc({ kind, outcome })
  } catch (error) {
    metrics.messages.inc({ kind, outcome: 'failed' })
    throw error
  } finally {
    door.storing.leave(payload.length)
    end()
  }
}

/** Its rate, then the room there is; in the order of its messages. */
function takeTurn(
  door: MqttDoor,
  device: DeviceConnection,
  bytes: number,
): Promise<void> | undefined {
  const now = performance.now()
  const waitMs = device.bucket.take(now)
  const before = device.turn
  const turn =
    before || waitMs > 0
      ? waitForTurn(door, device, { before, dueAt: now + waitMs, bytes })
      : door.storing.enter(bytes)
  if (!turn) return undefined
  device.turn = turn
  void turn.then(() => {
    if (device.turn === turn) device.turn = undefined
  })
  return turn
}

async function waitForTurn(
  door: MqttDoor,
  device: DeviceConnection,
  { before, dueAt, bytes }: { before: Promise<void> | undefined; dueAt: number; bytes: number },
): Promise<void> {
  await before
  const waitMs = dueAt - performance.now()
  if (waitMs > 0 && !device.isOver) await delay(waitMs)
  await door.storing.enter(bytes)
}

async function storeMessage(
  door: MqttDoor,
  device: DeviceConnection,
  { kind, payload }: { kind: UpKind | 'unknown'; payload: Uint8Array },
): Promise<'stored' | 'malformed' | 'unknown'> {
  if (kind === 'unknown') return 'unknown'
  const message = decode(kind, payload, (fault) => told(door, device, { kind, fault }))
  if (!message) return 'malformed'
  device.encoding = encodingOf(payload) ?? device.encoding
  await report(door, device, message)
  return 'stored'
}

/** undefined: malformed. */
export function decode(
  kind: UpKind,
  payload: Uint8Array,
  onMalformed: (fault: string) => void,
): DeviceMessage | undefined {
  try {
    return decodeDeviceMessage(kind, payload)
  } catch (error) {
    if (!(error instanceof MalformedMessage)) throw error
    onMalformed(error.message)
    return undefined
  }
}

/** For who looks for the fault; any device can cause it at any rate. */
export function told(
  { ctx }: Pick<MqttDoor, 'ctx'>,
  { workspaceId, deviceId }: Sender,
  what: { kind: UpKind; fault: string },
): void {
  ctx.log.debug({ workspaceId, deviceId, ...what }, 'a malformed message was dropped')
}

const OUTAGE_MS = 20_000
const RETRY_MS = 1_000

/** A database that is away for a moment costs devices no connection. */
export async function report(
  door: MqttDoor,
  device: DeviceConnection,
  message: DeviceMessage | ConnectionEvent,
): Promise<void> {
  device.reportedAt = performance.now()
  const mayRetry = (waitedMs: number) => waitedMs < OUTAGE_MS && !device.isOver
  await receive(door, device, { message, mayRetry })
}

export async function reportConnected(door: MqttDoor, device: DeviceConnection): Promise<void> {
  const { gatewayId } = door
  await report(door, device, { kind: 'connected', connectionId: device.id, gatewayId })
}

/** Tried until it is stored: else the device would be taken for connected. */
export async function reportEnd(door: MqttDoor, device: DeviceConnection): Promise<void> {
  const message = { kind: 'disconnected', connectionId: device.id } as const
  await receive(door, device, { message, mayRetry: () => !door.isClosing() })
}

interface Sender {
  workspaceId: string
  deviceId: string
  client?: string | undefined
}

interface Receiving {
  message: DeviceMessage | ConnectionEvent
  /** While the database is away. */
  mayRetry: (waitedMs: number) => boolean
}

/**
 * One report of a device that changes its row at a time: a batch holds one of each device, and reports of many that
 * come in turns would make batches of one. What it measures and logs belongs to the run it last spoke of, so that
 * nothing overtakes.
 */
export function receive(
  { ctx, doors, reports }: Pick<MqttDoor, 'ctx' | 'doors' | 'reports'>,
  { workspaceId, deviceId, client }: Sender,
  { message, mayRetry }: Receiving,
): Promise<void> {
  const whose = { workspaceId, deviceId, ...(client === undefined ? {} : { client }) }
  const received = { ...whose, door: 'Mqtt', receivedAt: ctx.now(), message } as const
  const isBarrier = message.kind !== 'metrics' && message.kind !== 'logs'
  const work = () => riding(() => doors.intake.receive(received), mayRetry)
  return reports.run(`${workspaceId} ${deviceId}`, work, isBarrier)
}

async function riding(
  attempt: () => Promise<void>,
  mayRetry: (waitedMs: number) => boolean,
): Promise<void> {
  const begun = performance.now()
  for (;;) {
    try {
      return await attempt()
    } catch (error) {
      if (!isDatabaseAway(error) || !mayRetry(performance.now() - begun)) throw error
      await delay(RETRY_MS)
    }
  }
}
