/** Images of MCUboot as imgtool makes them, and with faults that it does not make. */
import { constants, createHash, createPublicKey, type KeyObject, sign } from 'node:crypto'

export interface McubootOptions {
  version?: readonly [number, number, number, number]
  body?: Buffer
  securityCounter?: number
  flags?: number
  /** Signs with each of these. */
  keys?: readonly KeyObject[]
  /** Further TLVs, before the others. */
  unguarded?: readonly (readonly [number, Buffer])[]
  guarded?: readonly (readonly [number, Buffer])[]
}

const HASH = 0x10
const KEY_HASH = 0x01

export function makeMcubootImage({
  version: [major, minor, revision, build] = [2, 4, 1, 0],
  body = Buffer.alloc(3_000, 0x5a),
  securityCounter,
  flags = 0,
  keys = [],
  unguarded = [],
  guarded = [],
}: McubootOptions = {}): Buffer {
  const counter = Buffer.alloc(4)
  if (securityCounter !== undefined) counter.writeUInt32LE(securityCounter)
  const held = securityCounter === undefined ? guarded : [[0x50, counter] as const, ...guarded]
  const list = held.length > 0 ? makeTlvs(0x6908, held) : Buffer.alloc(0)
  const header = Buffer.alloc(32)
  header.writeUInt32LE(0x96f3b83d, 0)
  header.writeUInt16LE(32, 8)
  header.writeUInt16LE(list.length, 10)
  header.writeUInt32LE(body.length, 12)
  header.writeUInt32LE(flags, 16)
  header.writeUInt8(major, 20)
  header.writeUInt8(minor, 21)
  header.writeUInt16LE(revision, 22)
  header.writeUInt32LE(build, 24)
  const signed = Buffer.concat([header, body, list])
  const digest = createHash('sha256').update(signed).digest()
  const signatures = keys.flatMap((key) => [
    [KEY_HASH, hashKey(key)] as const,
    signImage(key, signed, digest),
  ])
  return Buffer.concat([signed, makeTlvs(0x6907, [...unguarded, [HASH, digest], ...signatures])])
}

function makeTlvs(magic: number, tlvs: readonly (readonly [number, Buffer])[]): Buffer {
  const records = tlvs.map(([type, value]) => {
    const header = Buffer.alloc(4)
    header.writeUInt16LE(type, 0)
    header.writeUInt16LE(value.length, 2)
    return Buffer.concat([header, value])
  })
  const info = Buffer.alloc(4)
  info.writeUInt16LE(magic, 0)
  info.writeUInt16LE(4 + Buffer.concat(records).length, 2)
  return Buffer.concat([info, ...records])
}

function hashKey(key: KeyObject): Buffer {
  const type = key.asymmetricKeyType === 'rsa' ? 'pkcs1' : 'spki'
  const der = createPublicKey(key).export({ type, format: 'der' })
  return createHash('sha256').update(der).digest()
}

function signImage(key: KeyObject, signed: Buffer, digest: Buffer): readonly [number, Buffer] {
  if (key.asymmetricKeyType === 'ed25519') return [0x24, sign(null, digest, key)]
  if (key.asymmetricKeyType === 'ec') return [0x22, sign('sha256', signed, key)]
  const padding = { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 32 }
  const isLong = key.asymmetricKeyDetails?.modulusLength === 3072
  return [isLong ? 0x23 : 0x20, sign('sha256', signed, { key, ...padding })]
}
