/** What the service says to devices. */
import { encodeCbor } from './cbor.ts'
import type { Fault } from './malformed.ts'
import type { WireFormat } from './decode.ts'
import type { DesiredConfig, DesiredUpdate } from './model.ts'

export interface SyncAnswer {
  config: DesiredConfig | null
  update: DesiredUpdate | null
  /** Crashes that were malformed; absent: none. */
  errors?: readonly Fault[]
}

export function encodeDown(
  message: DesiredConfig | DesiredUpdate | SyncAnswer,
  encoding: WireFormat,
): Uint8Array {
  return encoding === 'cbor' ? encodeCbor(message) : Buffer.from(JSON.stringify(message))
}
