/** Messages of devices in JSON and CBOR: through the reader of all doors, and as syncs over HTTP. */
import { encode } from 'cborg'
import fc from 'fast-check'
import {
  decodeDeviceMessage,
  decodeSync,
  type WireFormat,
  type MessageKind,
} from '../../src/formats/device-messages/decode.ts'
import { EXAMPLES } from '../../src/formats/device-messages/examples.ts'
import { MalformedMessage } from '../../src/formats/device-messages/malformed.ts'
import { SyncWire } from '../../src/formats/device-messages/schemas.ts'
import { bytesOf, type StoredBytes, stored } from './bytes.ts'
import { type Door, Fault, openDoor } from './door.ts'
import { fitting, type Known, type Schema } from './from-schema.ts'
import { jsonBytes, mutated, spoiled } from './mutations.ts'
import { refuseUnstorable, refuseVague } from './sboms.ts'
import { ask, type World } from './world.ts'

interface DeviceCase {
  /** As a sync over HTTP. */
  isSent: boolean
  kind: MessageKind
  encoding: WireFormat
  contentType: string
  bytes: StoredBytes
}

const KINDS = ['session', 'config', 'metrics', 'logs', 'update'] as const
const nothing: Known = () => undefined
/** As plain JSON schema. */
const syncSchema = JSON.parse(JSON.stringify(SyncWire)) as Schema
const examples = fc.constantFrom<unknown>(
  EXAMPLES.sync,
  { session: EXAMPLES.session, metrics: EXAMPLES.metrics, logs: EXAMPLES.logs },
  { config: EXAMPLES.configUp, update: { ...EXAMPLES.updateUp, updateId: '{{helper.updateId}}' } },
)
const syncs = mutated(fc.oneof(fitting(syncSchema, nothing), examples))

/** Parts of CBOR that no encoder of ours writes (RFC 8949, appendix F). */
const RAW = [
  '9bffffffffffffffff',
  'bbffffffffffffffff',
  '5bffffffffffffffff',
  '9fff',
  'bf6161ff',
  '7f61c3ff',
  'a1f6f6',
  'a26161016161',
  'fb7ff8000000000000',
  'f97c00',
  'c249ffffffffffffffffff',
  'd81c80',
  'd9d9f7a0',
  '1c',
  'ff',
  `${'81'.repeat(400)}01`,
  `${'a16161'.repeat(400)}01`,
  '3bffffffffffffffff',
  'a11bffffffffffffffff00',
] as const

const cbor = fc
  .tuple(syncs, fc.option(fc.tuple(fc.nat(), fc.constantFrom(...RAW)), { freq: 5 }))
  .map(([value, part]) => {
    const bytes = Buffer.from(encode(value))
    if (part === null) return bytes
    const place = part[0] % (bytes.length + 1)
    const raw = Buffer.from(part[1], 'hex')
    return Buffer.concat([bytes.subarray(0, place), raw, bytes.subarray(place + 1)])
  })

const SENT_SHARE = 9

const cases: fc.Arbitrary<DeviceCase> = fc
  .constantFrom<WireFormat[]>('json', 'cbor')
  .chain((encoding) =>
    fc.record(
      {
        isSent: fc.nat(SENT_SHARE).map((one) => one === 0),
        kind: fc.constantFrom(...KINDS),
        encoding: fc.constant(encoding),
        contentType: fc.oneof(
          { arbitrary: fc.constant(`application/${encoding}`), weight: 9 },
          fc.constantFrom(
            '',
            'text/plain',
            'application/octet-stream',
            'application/json;charset=x',
          ),
        ),
        bytes:
          encoding === 'json'
            ? spoiled(syncs.map(jsonBytes), 5)
            : cbor.map((bytes) => stored(bytes)),
      },
      { noNullPrototype: true },
    ),
  )

export function deviceDoor(world: World): Door {
  return openDoor({
    cases,
    run: async ({ isSent, kind, encoding, contentType, bytes }) => {
      const sent = bytesOf(bytes)
      const read = decoded(() => decodeSync(sent, encoding))
      decoded(() => [decodeDeviceMessage(kind, sent)])
      for (const message of read) decoded(() => [decodeDeviceMessage(message.kind, again(message))])
      if (!isSent) return
      const { status } = await ask(world, {
        method: 'POST',
        url: '/device/v1/{{helper.workspaceId}}/{{helper.deviceId}}/sync',
        headers: {
          authorization: 'Bearer {{helper.deviceKey}}',
          ...(contentType !== '' && { 'content-type': contentType }),
        },
        body: bytes,
        isBinary: encoding === 'cbor',
      })
      const isTaken = read.length > 0 && contentType === `application/${encoding}`
      if (isTaken && status !== 200 && status !== 503)
        throw new Fault(`${status} to a sync that can be read`)
    },
  })
}

/** A message on its own: the bytes of its part. */
const again = (message: object): Buffer => jsonBytes(message)

function decoded<Message extends object>(read: () => Message[]): Message[] {
  try {
    const messages = read()
    refuseUnstorable(messages)
    return messages
  } catch (error) {
    if (!(error instanceof MalformedMessage)) throw error
    refuseVague(error.message)
    if (error.faults.length === 0) throw new Fault('malformed without a fault')
    return []
  }
}
