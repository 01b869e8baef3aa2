/** One round trip of a device: what it says is stored, what is desired of it is the answer. */
import { decodeSync, type Encoding } from '../../formats/device-messages/decode.ts'
import type { SyncAnswer } from '../../formats/device-messages/encode.ts'
import { MalformedMessage } from '../../formats/device-messages/malformed.ts'
import { AppError, notFound } from '../../platform/errors.ts'
import type { DeviceDoors, DeviceReport } from '../devices/index.ts'
import type { Ask } from './asking.ts'

export type Sender = Pick<DeviceReport, 'workspaceId' | 'deviceId' | 'client' | 'receivedAt'>

interface Body {
  bytes: Uint8Array
  encoding: Encoding | undefined
}

/** Where what devices say goes, and what is desired of them comes from. */
export interface SyncDoor {
  intake: Pick<DeviceDoors['intake'], 'receive'>
  ask: Ask
}

export async function syncDevice(
  { intake, ask }: SyncDoor,
  sender: Sender,
  body: Body,
): Promise<SyncAnswer> {
  const messages = decode(body)
  for (const together of stagesOf(messages))
    await Promise.all(
      together.map((message) => intake.receive({ ...sender, door: 'Http', message })),
    )
  return readDesired(ask, sender)
}

/** All of the body or nothing: it is understood before any of it is stored. */
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
 * What goes to the intake at once: each stateful message with the metrics and logs after it. The next one waits, as the
 * intake takes one of a device at a time, and would part the batches of all devices at the second.
 */
function stagesOf(messages: readonly DeviceReport['message'][]): DeviceReport['message'][][] {
  const stages: DeviceReport['message'][][] = []
  for (const message of messages) {
    const isTelemetry = message.kind === 'metrics' || message.kind === 'logs'
    const last = stages.at(-1)
    if (isTelemetry && last) last.push(message)
    else stages.push([message])
  }
  return stages
}

async function readDesired(ask: Ask, { workspaceId, deviceId }: Sender): Promise<SyncAnswer> {
  const desired = await ask(workspaceId, deviceId)
  // Deleted since it was let in.
  if (!desired) throw notFound('device', deviceId)
  const { config, acknowledgedVersion, update } = desired
  return { config: config.version === acknowledgedVersion ? null : config, update }
}
