/** Files with one byte changed: whatever is signed of them, none may still be taken for the one that was signed. */
import { ContentInfo, SignedData } from '@peculiar/asn1-cms'
import { AsnConvert } from '@peculiar/asn1-schema'
import fc from 'fast-check'
import { expect } from 'vitest'
import { isDeep } from './property-runs.ts'

interface Place {
  start: number
  /** Not included. */
  end: number
}

interface SignedFile {
  bytes: Buffer
  /** Left out: all of it. */
  places?: readonly Place[]
  judge: (changed: Buffer) => Promise<{ state: string }>
  /** Why a file may still be verified with the byte at this place changed; nothing: it may not. */
  nameUncovered?: (at: number) => string
}

export async function refuseChangedBytes({
  bytes,
  places = [{ start: 0, end: bytes.length }],
  judge,
  nameUncovered = () => '',
}: SignedFile): Promise<void> {
  // What is refused whatever was changed would tell nothing.
  expect((await judge(bytes)).state).toBe('Verified')
  await tryChangedBytes({ bytes, places }, async (changed, at) => {
    const { state } = await judge(changed)
    if (nameUncovered(at) === '') expect([at, state]).not.toEqual([at, 'Verified'])
  })
}

export async function tryChangedBytes(
  { bytes, places }: { bytes: Buffer; places: readonly Place[] },
  check: (changed: Buffer, at: number) => Promise<void>,
): Promise<void> {
  const anywhere = fc.oneof(
    ...places.map(({ start, end }) => fc.integer({ min: start, max: end - 1 })),
  )
  await fc.assert(
    fc.asyncProperty(anywhere, fc.integer({ min: 1, max: 255 }), async (at, difference) => {
      const changed = Buffer.from(bytes)
      changed.writeUInt8(changed.readUInt8(at) ^ difference, at)
      await check(changed, at)
    }),
    { numRuns: isDeep ? 3_000 : 60 },
  )
}

/** What of a message of CMS no signature covers, by the names of RFC 5652; nothing: the byte is covered. */
export function nameUncoveredOfCms(message: Buffer, at: number): string {
  if (at < 0 || at >= message.length) return ''
  const signed = AsnConvert.parse(AsnConvert.parse(message, ContentInfo).content, SignedData)
  const [signer] = [...signed.signerInfos]
  const locate = (part: object | undefined) => {
    const bytes = Buffer.from(AsnConvert.serialize(part))
    return { start: message.indexOf(bytes), length: bytes.length }
  }
  const digests = locate(signed.digestAlgorithms)
  const signerVersion = message.indexOf(Buffer.from('020101', 'hex'), locate(signer).start)
  if (at >= digests.start - 3 && at < digests.start + digests.length)
    return 'version and digestAlgorithms of SignedData'
  return at >= signerVersion && at < signerVersion + 3 ? 'version of SignerInfo' : ''
}
