/** One sync of a device: stores its messages, then answers with what is desired of it. */
import { decodeSync, type WireFormat } from '../../formats/device-messages/decode.ts'
import type { SyncAnswer } from '../../formats/device-messages/encode.ts'
import { type Fault, MalformedMessage } from '../../formats/device-messages/malformed.ts'
import { isTelemetry } from '../../formats/device-messages/model.ts'
import { AppError, notFound } from '../../platform/errors.ts'
import type { DeviceDoors, DeviceReport } from '../devices/index.ts'
import type { ReadDesired } from './desired-batches.ts'

export type Sender = Pick<DeviceReport, 'workspaceId' | 'deviceId' | 'client' | 'receivedAt'>

interface Body {
  bytes: Uint8Array
  encoding: WireFormat | undefined
}

/** Takes the reports of devices, and reads what is desired of them. */
export interface SyncDoor {
  intake: Pick<DeviceDoors['intake'], 'receive'>
  readDesired: ReadDesired
}

export async function syncDevice(
  { intake, readDesired }: SyncDoor,
  sender: Sender,
  body: Body,
): Promise<SyncAnswer> {
  const messages = decode(body)
  const notKept = new Map<string, Fault>()
  const tellNotKept = (fault: Fault) => void notKept.set(fault.detail, fault)
  for (const together of groupIntoStages(messages))
    await Promise.all(
      together.map((message) => intake.receive({ ...sender, door: 'Http', message, tellNotKept })),
    )
  const answer = await answerDesired(readDesired, sender)
  const malformed = messages.flatMap((message) =>
    message.kind === 'crashes' ? message.faults : [],
  )
  const errors = [...malformed, ...notKept.values()]
  return errors.length > 0 ? { ...answer, errors } : answer
}

/** Decodes the whole body before any of it is stored. */
function decode({ bytes, encoding }: Body): DeviceReport['message'][] {
  try {
    const messages = decodeSync(bytes, encoding)
    return messages.length > 0 ? messages : [{ kind: 'contact' }]
  } catch (error) {
    if (!(error instanceof MalformedMessage)) throw error
    throw new AppError('invalid', 'device-message-malformed', error.message, error.faults)
  }
}

/**
 * Groups messages that go to the intake together: a stateful message with the metrics, logs and crashes after it. The intake takes
 * one stateful message of a device per batch; a second one would end the batch for all devices.
 */
function groupIntoStages(
  messages: readonly DeviceReport['message'][],
): DeviceReport['message'][][] {
  const stages: DeviceReport['message'][][] = []
  for (const message of messages) {
    const last = stages.at(-1)
    if (isTelemetry(message) && last) last.push(message)
    else stages.push([message])
  }
  return stages
}

async function answerDesired(
  readDesired: ReadDesired,
  { workspaceId, deviceId }: Sender,
): Promise<SyncAnswer> {
  const desired = await readDesired(workspaceId, deviceId)
  // The device was deleted after authentication.
  if (!desired) throw notFound('device', deviceId)
  const { config, acknowledgedVersion, update, key } = desired
  const kept = config.version === acknowledgedVersion
  return { config: kept ? null : config, update, ...(key && { key }) }
}
