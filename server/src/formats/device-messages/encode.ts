/** What the service says to devices. */
import { encodeCbor } from './cbor.ts'
import type { Fault } from './malformed.ts'
import type { WireFormat } from './decode.ts'
import type { DesiredConfig, DesiredKey, DesiredUpdate } from './model.ts'

export interface SyncAnswer {
  config: DesiredConfig | null
  update: DesiredUpdate | null
  /** Crashes that were malformed; absent: none. */
  errors?: readonly Fault[]
  key?: DesiredKey
}

export function encodeDown(
  message: DesiredConfig | DesiredUpdate | DesiredKey | SyncAnswer | { deviceKey: string },
  encoding: WireFormat,
): Uint8Array {
  return encoding === 'cbor' ? encodeCbor(message) : Buffer.from(JSON.stringify(message))
}
