/**
 * Which texts may be among others: a Bloom filter over their trigrams, three bytes of UTF-8 each. Its size is a power of two
 * of bits, so that a position is the end of a hash: bit n is bit n % 8 of byte n / 8, the lowest first, as `get_bit` of
 * PostgreSQL counts them.
 */

const TRIGRAMS = 2 ** 24
const POSITIONS = 2
const BITS_OF_A_TRIGRAM = 8
const LEAST_BITS = 64
/** A filter of more texts than fit says more often that they may be there. */
const MOST_BITS = 2 ** 20

/** All trigrams of the texts that were added. One at a time: it takes 2 MiB. */
export class TrigramSet {
  private readonly seen = new Uint8Array(TRIGRAMS / 8)
  private found: number[] = []

  /** Texts have to be in the case in which they are sought. */
  add(text: string): void {
    const bytes = Buffer.from(text)
    let trigram = readFirst(bytes)
    for (let at = 2; at < bytes.length; at += 1) {
      trigram = readNext(trigram, bytes[at])
      const byte = trigram >>> 3
      const bit = 1 << (trigram & 7)
      const before = this.seen[byte] ?? 0
      if ((before & bit) === 0) {
        this.seen[byte] = before | bit
        this.found.push(trigram)
      }
    }
  }

  /** The filter of what was added since the last one. */
  take(): Buffer {
    const bits = Math.min(MOST_BITS, sizeFor(this.found.length))
    const filter = Buffer.alloc(bits / 8)
    for (const trigram of this.found) {
      this.seen[trigram >>> 3] = 0
      for (const hash of computeHashes(trigram)) {
        const position = hash & (bits - 1)
        filter[position >>> 3] = (filter[position >>> 3] ?? 0) | (1 << (position & 7))
      }
    }
    this.found = []
    return filter
  }
}

function sizeFor(trigrams: number): number {
  const least = Math.max(LEAST_BITS, trigrams * BITS_OF_A_TRIGRAM)
  return 2 ** Math.ceil(Math.log2(least))
}

const MOST_SOUGHT = 16

/**
 * Of the first trigrams of the text, modulo the size of a filter. A filter that lacks one of them has no text that contains it. A
 * text of less than three bytes has none.
 */
export function computePositions(text: string): number[] {
  const bytes = Buffer.from(text).subarray(0, MOST_SOUGHT + 2)
  let trigram = readFirst(bytes)
  const trigrams = Array.from(bytes.subarray(2), (byte) => {
    trigram = readNext(trigram, byte)
    return trigram
  })
  return trigrams.flatMap((one) => computeHashes(one))
}

const readFirst = (bytes: Uint8Array) => ((bytes[0] ?? 0) << 8) | (bytes[1] ?? 0)
const readNext = (trigram: number, byte = 0) => ((trigram << 8) | byte) & (TRIGRAMS - 1)

/** Positions in filters of any size: the lowest bits of the end of MurmurHash3 (public domain), with two seeds. */
function computeHashes(trigram: number): number[] {
  return Array.from({ length: POSITIONS }, (_, seed) => mixed(trigram + seed * TRIGRAMS))
}

function mixed(value: number): number {
  let hash = value ^ (value >>> 16)
  hash = Math.imul(hash, 0x85_eb_ca_6b)
  hash ^= hash >>> 13
  hash = Math.imul(hash, 0xc2_b2_ae_35)
  hash ^= hash >>> 16
  // What PostgreSQL has as a positive integer.
  return hash & (MOST_BITS - 1)
}
