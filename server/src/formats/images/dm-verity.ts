/**
 * Hash trees of dm-verity, version 1 with SHA-256 and blocks of 4 KiB, as RAUC makes them
 * (https://docs.kernel.org/admin-guide/device-mapper/verity.html). The tree stands behind the data, its highest level first.
 */
import { createHash } from 'node:crypto'
import type { ImageBytes } from './image-bytes.ts'

const BLOCK_BYTES = 4096
const HASH_BYTES = 32

export interface VerityStatement {
  rootHash: Buffer
  salt: Buffer
  treeBytes: number
}

/** Computes the tree in one pass over the data, and compares it with the one that is there. null: all of it is right. */
export async function findVerityFault(
  image: ImageBytes,
  payloadBytes: number,
  { rootHash, salt, treeBytes }: VerityStatement,
): Promise<string | null> {
  const dataBytes = payloadBytes - treeBytes
  if (dataBytes <= 0 || dataBytes % BLOCK_BYTES !== 0 || treeBytes % BLOCK_BYTES !== 0)
    return `The manifest states a hash tree of ${treeBytes} bytes, which a payload of ${payloadBytes} bytes cannot have.`
  const levels = countBlocks(dataBytes / BLOCK_BYTES)
  if (levels.reduce((sum, blocks) => sum + blocks, 0) * BLOCK_BYTES !== treeBytes)
    return `The manifest states a hash tree of ${treeBytes} bytes, which ${dataBytes} bytes of data do not have.`
  const tree = new Tree(levels.length, salt)
  for await (const block of readBlocks(image, 0, dataBytes)) tree.addData(block)
  const { root, digests } = tree.finish()
  if (!root.equals(rootHash))
    return 'The root hash of the payload is another than the signed manifest states: it was changed or damaged.'
  let start = dataBytes
  for (const [index, blocks] of levels.toReversed().entries()) {
    const end = start + blocks * BLOCK_BYTES
    const stored = createHash('sha256')
    for await (const piece of image.stream(start, end)) stored.update(piece)
    if (digests[levels.length - 1 - index] !== stored.digest('hex'))
      return 'The hash tree behind the payload is not that of the payload: it was changed or damaged, and devices refuse it.'
    start = end
  }
  return null
}

/** The blocks of each level, the lowest first. One block of data has no tree: its hash is the root. */
function countBlocks(dataBlocks: number): number[] {
  const levels: number[] = []
  for (let blocks = dataBlocks; blocks > 1;) {
    blocks = Math.ceil((blocks * HASH_BYTES) / BLOCK_BYTES)
    levels.push(blocks)
  }
  return levels
}

async function* readBlocks(
  image: ImageBytes,
  start: number,
  end: number,
): AsyncGenerator<Uint8Array, void> {
  let rest: Uint8Array = Buffer.alloc(0)
  for await (const piece of image.stream(start, end)) {
    const bytes = rest.length === 0 ? piece : Buffer.concat([rest, piece])
    let at = 0
    for (; at + BLOCK_BYTES <= bytes.length; at += BLOCK_BYTES)
      yield bytes.subarray(at, at + BLOCK_BYTES)
    rest = bytes.subarray(at)
  }
}

interface Level {
  block: Buffer
  filled: number
  digest: ReturnType<typeof createHash>
}

/** Holds one block of each level. */
class Tree {
  private readonly levels: Level[]
  private readonly salt: Buffer
  private root: Buffer = Buffer.alloc(0)

  constructor(levelCount: number, salt: Buffer) {
    this.salt = salt
    this.levels = Array.from({ length: levelCount }, () => ({
      block: Buffer.alloc(BLOCK_BYTES),
      filled: 0,
      digest: createHash('sha256'),
    }))
  }

  addData(block: Uint8Array): void {
    this.addHash(0, this.hash(block))
  }

  finish(): { root: Buffer; digests: string[] } {
    for (const [index, { filled }] of this.levels.entries()) if (filled > 0) this.close(index)
    return { root: this.root, digests: this.levels.map(({ digest }) => digest.digest('hex')) }
  }

  private hash(block: Uint8Array): Buffer {
    return createHash('sha256').update(this.salt).update(block).digest()
  }

  /** What stands above the highest level is the root. */
  private addHash(index: number, hash: Buffer): void {
    const level = this.levels[index]
    if (!level) {
      this.root = hash
      return
    }
    hash.copy(level.block, level.filled)
    level.filled += HASH_BYTES
    if (level.filled === BLOCK_BYTES) this.close(index)
  }

  private close(index: number): void {
    const level = this.levels[index]
    if (!level) return
    level.digest.update(level.block)
    const hash = this.hash(level.block)
    level.block.fill(0)
    level.filled = 0
    this.addHash(index + 1, hash)
  }
}
