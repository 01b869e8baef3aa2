/** Stores messages of devices, from their arrival to the acknowledgement. */
import { setTimeout as delay } from 'node:timers/promises'
import { decodeDeviceMessage, detectWireFormat } from '../../formats/device-messages/decode.ts'
import { MalformedMessage } from '../../formats/device-messages/malformed.ts'
import { type DeviceMessage, isTelemetry } from '../../formats/device-messages/model.ts'
import { isDatabaseAway } from '../../platform/db/failures.ts'
import type { ConnectionEvent } from '../devices/index.ts'
import type { DeviceConnection } from './embedded/device-connection.ts'
import type { MqttDoor } from './door.ts'
import { readUpKind, type UpKind } from './topics.ts'

interface ArrivedMessage {
  topic: string
  payload: Uint8Array
}

/** Resolves when the message is stored, or dropped as malformed. Rejects when the connection has to end. */
export async function receiveMessage(
  door: MqttDoor,
  device: DeviceConnection,
  { topic, payload }: ArrivedMessage,
): Promise<void> {
  const { metrics } = door
  const kind = readUpKind(device.prefix, topic)
  if (kind === undefined) {
    metrics.messages.inc({ kind: 'none', outcome: 'foreign' })
    throw new Error('the topic belongs to another device')
  }
  const end = metrics.storing.startTimer()
  const admission = admit(door, device, payload.length)
  try {
    // Not awaited when there is nothing to wait for: messages are stored in the order of these calls.
    if (admission) await admission
    if (device.isOver && admission)
      throw new Error('the connection ended while its messages waited')
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

/**
 * Waits until the rate of the device and the bytes in process allow the message, in the order of the device's messages.
 * undefined: the message is admitted at once.
 */
function admit(door: MqttDoor, device: DeviceConnection, bytes: number): Promise<void> | undefined {
  const now = performance.now()
  const waitMs = device.bucket.take(now)
  const before = device.admission
  const admission =
    before || waitMs > 0
      ? waitForAdmission(door, device, { before, dueAt: now + waitMs, bytes })
      : door.storing.enter(bytes, device.workspaceId)
  if (!admission) return undefined
  device.admission = admission
  void admission.then(() => {
    if (device.admission === admission) device.admission = undefined
  })
  return admission
}

async function waitForAdmission(
  door: MqttDoor,
  device: DeviceConnection,
  { before, dueAt, bytes }: { before: Promise<void> | undefined; dueAt: number; bytes: number },
): Promise<void> {
  await before
  const waitMs = dueAt - performance.now()
  if (waitMs > 0 && !device.isOver) await delay(waitMs)
  await door.storing.enter(bytes, device.workspaceId)
}

async function storeMessage(
  door: MqttDoor,
  device: DeviceConnection,
  { kind, payload }: { kind: UpKind | 'unknown'; payload: Uint8Array },
): Promise<'stored' | 'malformed' | 'unknown'> {
  if (kind === 'unknown') return 'unknown'
  const message = decode(kind, payload, (fault) => logMalformed(door, device, { kind, fault }))
  if (!message) return 'malformed'
  device.encoding = detectWireFormat(payload) ?? device.encoding
  await report(door, device, message)
  return nameOutcome(message)
}

/** A list of crashes that are all malformed is stored as a count alone. */
export function nameOutcome(message: DeviceMessage): 'stored' | 'malformed' {
  const isEmpty = message.kind === 'crashes' && message.crashes.length === 0
  return isEmpty && message.faults.length > 0 ? 'malformed' : 'stored'
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

/** At debug level, as any device can cause it at any rate. */
export function logMalformed(
  { ctx }: Pick<MqttDoor, 'ctx'>,
  { workspaceId, deviceId }: Sender,
  what: { kind: UpKind; fault: string },
): void {
  ctx.log.debug({ workspaceId, deviceId, ...what }, 'a malformed message was dropped')
}

const OUTAGE_MS = 20_000
const RETRY_MS = 1_000

/** Retries while the database is away for a moment, so that devices keep their connections. */
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

/** Retries until it is stored: otherwise the device would stay connected in the database. */
export async function reportEnd(door: MqttDoor, device: DeviceConnection): Promise<void> {
  const message = { kind: 'disconnected', connectionId: device.id } as const
  await receive(door, device, { message, mayRetry: () => !door.isClosing() })
}

interface Sender {
  workspaceId: string
  deviceId: string
  client?: string | undefined
}

interface ReceivedMessage {
  message: DeviceMessage | ConnectionEvent
  /** Whether to try again while the database is away. */
  mayRetry: (waitedMs: number) => boolean
}

/**
 * Sends the reports of a device that change its row to the intake one after the other. A batch of the intake holds one
 * such report of each device, so a queue of reports of few devices would make many small batches. Metrics and logs wait
 * for the report before them, as they belong to the run that it names.
 */
export function receive(
  { ctx, doors, reports }: Pick<MqttDoor, 'ctx' | 'doors' | 'reports'>,
  { workspaceId, deviceId, client }: Sender,
  { message, mayRetry }: ReceivedMessage,
): Promise<void> {
  const whose = { workspaceId, deviceId, ...(client === undefined ? {} : { client }) }
  const received = { ...whose, door: 'Mqtt', receivedAt: ctx.now(), message } as const
  const isBarrier = !isTelemetry(message)
  const work = () => retryWhileAway(() => doors.intake.receive(received), mayRetry)
  return reports.run(`${workspaceId} ${deviceId}`, work, isBarrier)
}

async function retryWhileAway(
  attempt: () => Promise<void>,
  mayRetry: (waitedMs: number) => boolean,
): Promise<void> {
  const startedAt = performance.now()
  for (;;) {
    try {
      return await attempt()
    } catch (error) {
      if (!isDatabaseAway(error) || !mayRetry(performance.now() - startedAt)) throw error
      await delay(RETRY_MS)
    }
  }
}
