import { Compile } from 'typebox/compile'
import { parseCbor } from '../formats/device-messages/cbor.ts'
import { detectWireFormat } from '../formats/device-messages/decode.ts'
import type { DesiredConfig, DesiredKey, DesiredUpdate } from '../formats/device-messages/model.ts'
import {
  DesiredConfigWire,
  DesiredKeyWire,
  DesiredUpdateWire,
} from '../formats/device-messages/schemas.ts'

const config = Compile(DesiredConfigWire)
const update = Compile(DesiredUpdateWire)
const key = Compile(DesiredKeyWire)

/** Throws for a message that a device could not read, which is a fault of the service. */
export function checkConfig(value: unknown): DesiredConfig {
  return config.Parse(value)
}

export function checkUpdate(value: unknown): DesiredUpdate {
  return update.Parse(value)
}

export function checkKey(value: unknown): DesiredKey {
  return key.Parse(value)
}

export function parseDown(bytes: Uint8Array): unknown {
  if (detectWireFormat(bytes) === 'cbor') return parseCbor(bytes)
  return JSON.parse(Buffer.from(bytes).toString())
}
