/** Bytes of a device → checked messages. For any bytes, it throws nothing other than MalformedMessage. */
import { parseCbor } from './cbor.ts'
import { isObject, removeNulls } from './check.ts'
import { parseJson } from './json.ts'
import { LIMITS } from './limits.ts'
import { type Fault, malformed, MalformedMessage } from './malformed.ts'
import type { DeviceMessage } from './model.ts'
import { readMessage } from './read.ts'

export type MessageKind = DeviceMessage['kind']
export type WireFormat = 'json' | 'cbor'

/** `encoding`: as the sender stated it; else the first byte tells. */
export function decodeDeviceMessage(
  kind: MessageKind,
  bytes: Uint8Array,
  encoding?: WireFormat,
): DeviceMessage {
  const value = parse(bytes, encoding)
  return readMessage(kind, kind === 'crashes' ? value : removeNulls(value), '')
}

const SYNC_ORDER: readonly MessageKind[] = [
  'session',
  'config',
  'metrics',
  'logs',
  'crashes',
  'update',
]

/** All messages of one sync, in the order they are to be handled. No bytes: no messages. */
export function decodeSync(bytes: Uint8Array, encoding?: WireFormat): DeviceMessage[] {
  if (bytes.length === 0) return []
  const value = parse(bytes, encoding)
  if (!isObject(value)) throw malformed('must be an object')
  // Crashes are checked one by one, as a smashed stack may have left anything in them.
  const { crashes, ...others } = value
  const body: Record<string, unknown> = removeNulls(others)
  if (crashes !== null && crashes !== undefined) body['crashes'] = crashes
  const faults: Fault[] = []
  const messages: DeviceMessage[] = []
  for (const kind of SYNC_ORDER.filter((one) => Object.hasOwn(body, one)))
    try {
      messages.push(readMessage(kind, body[kind], `/${kind}`))
    } catch (error) {
      if (!(error instanceof MalformedMessage)) throw error
      for (const each of error.faults) faults.push(each)
    }
  if (faults.length > 0) throw new MalformedMessage(faults)
  return messages
}

const JSON_BEGINS: ReadonlySet<number> = new Set([0x09, 0x0a, 0x0d, 0x20, 0x5b, 0x7b, 0xef])

/**
 * By the first byte: JSON begins with white space, `{`, `[` or a byte order mark, CBOR with an array, a map or a tag.
 * All messages are arrays or objects, so that no byte begins both.
 */
export function detectWireFormat(bytes: Uint8Array): WireFormat | undefined {
  const [first] = bytes
  if (first === undefined) return undefined
  if (JSON_BEGINS.has(first)) return 'json'
  return first >= 0x80 && first <= 0xdb ? 'cbor' : undefined
}

function parse(bytes: Uint8Array, stated: WireFormat | undefined): unknown {
  if (bytes.length === 0) throw malformed('is empty')
  if (bytes.length > LIMITS.bytes) throw malformed(`is larger than ${LIMITS.bytes} bytes`)
  const encoding = stated ?? detectWireFormat(bytes)
  if (!encoding)
    throw malformed('is neither an array nor an object of JSON or CBOR, judged by its first byte')
  return encoding === 'json' ? parseJson(bytes) : parseCbor(bytes)
}
