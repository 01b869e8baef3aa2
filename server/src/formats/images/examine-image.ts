/** Recognises an image by its content and reads what it states and how it is signed. Nothing of it is run or mounted. */
import { createHash } from 'node:crypto'
import { isCpio } from './cpio.ts'
import { checkDetached, type DetachedSignature } from './detached-signature.ts'
import type { ImageBytes } from './image-bytes.ts'
import {
  describeImage,
  type ImageFacts,
  ImageFault,
  type ImageFormat,
  type ImageHash,
  ImageObstacle,
} from './image-facts.ts'
import { limitTries, type LimitedKeys } from './key-tries.ts'
import { examineMcuboot, readByteOrder } from './mcuboot.ts'
import { examineMender, isMender } from './mender.ts'
import type { KeysAtHand } from './public-keys.ts'
import { examineRauc, findBundle } from './rauc.ts'
import { examineSwupdate, isSwupdate } from './swupdate.ts'
import { recogniseUnchecked } from './unchecked-formats.ts'

/** Facts that an earlier version found are found again. */
export const EXAMINER_VERSION = 5

const START_BYTES = 2048

interface Recognised {
  format: ImageFormat
  examine: () => Promise<ImageFacts>
}

/** Never throws for what the image is; errors of reading it pass. */
export async function examineImage(
  image: ImageBytes,
  keys: KeysAtHand,
  detached: readonly DetachedSignature[] = [],
): Promise<ImageFacts> {
  const limited = limitTries(keys, 'files')
  const facts = await examineContent(image, limited)
  const beside = await checkDetached(image, detached, limited)
  return {
    ...facts,
    signatures: [
      ...facts.signatures,
      ...beside.map((one) => ({ ...one, isBeside: true as const })),
    ],
    hashes: [...(await hashFile(image)), ...(facts.fault === null ? (facts.hashes ?? []) : [])],
  }
}

const HASHES = ['sha256', 'sha384', 'sha512']

async function hashFile(image: ImageBytes): Promise<ImageHash[]> {
  const running = HASHES.map((name) => createHash(name))
  for await (const piece of image.stream(0, image.size))
    for (const hash of running) hash.update(piece)
  return running.map((hash) => ({ of: null, value: hash.digest('hex') }))
}

async function examineContent(image: ImageBytes, keys: LimitedKeys): Promise<ImageFacts> {
  const { format, examine } = await recognise(image, keys)
  try {
    return await examine()
  } catch (error) {
    if (error instanceof ImageFault) return describeImage(format, { fault: error.message })
    if (error instanceof ImageObstacle) return describeImage(format, { obstacle: error.message })
    throw error
  }
}

async function recognise(image: ImageBytes, keys: LimitedKeys): Promise<Recognised> {
  const start = await image.read(0, START_BYTES)
  const order = readByteOrder(start)
  if (order) return { format: 'MCUboot', examine: () => examineMcuboot(image, order, keys) }
  if (isCpio(start) && (await isSwupdate(image, start)))
    return { format: 'SWUpdate', examine: () => examineSwupdate(image, keys) }
  if (isMender(start)) return { format: 'Mender', examine: () => examineMender(image, keys) }
  const bundle = await findBundle(image)
  if (bundle) return { format: 'RAUC', examine: () => examineRauc(image, bundle, keys) }
  const other = recogniseUnchecked(start) ?? describeImage('NotKnown', {})
  return { format: other.format, examine: () => Promise.resolve(other) }
}
