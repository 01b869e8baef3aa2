/** Reads and writes numbers of any number of bits, the most significant bit first. */

const WORD = 2 ** 32

export class BitWriter {
  private bytes = new Uint8Array(256)
  /** Bits that are written. */
  private length = 0

  /** The lowest `width` bits of a whole number that is not negative; `width` is 32 at most. */
  write(value: number, width: number): void {
    this.reserve(width)
    let left = width
    while (left > 0) {
      const room = 8 - (this.length & 7)
      const taken = Math.min(room, left)
      const bits = (value >>> (left - taken)) & ((1 << taken) - 1)
      const at = this.length >>> 3
      this.bytes[at] = (this.bytes[at] ?? 0) | (bits << (room - taken))
      this.length += taken
      left -= taken
    }
  }

  /** As `write`, for up to 53 bits. */
  writeLong(value: number, width: number): void {
    if (width <= 32) this.write(value, width)
    else {
      this.write(Math.floor(value / WORD), width - 32)
      this.write(value % WORD, 32)
    }
  }

  /** What was written, filled up with zeros to whole bytes. The writer is empty then. */
  take(): Uint8Array {
    const used = (this.length + 7) >>> 3
    const taken = this.bytes.slice(0, used)
    this.bytes.fill(0, 0, used)
    this.length = 0
    return taken
  }

  private reserve(width: number): void {
    const needed = ((this.length + width) >>> 3) + 1
    if (needed <= this.bytes.length) return
    const larger = new Uint8Array(2 * this.bytes.length)
    larger.set(this.bytes)
    this.bytes = larger
  }
}

/** Behind the last byte it reads zeros. */
export class BitReader {
  private readonly bytes: DataView
  private at = 0

  constructor(bytes: Uint8Array) {
    const padded = new Uint8Array(bytes.length + 4)
    padded.set(bytes)
    this.bytes = new DataView(padded.buffer)
  }

  /** The next bits, without taking them; `width` is 24 at most. */
  peek(width: number): number {
    const { bytes, at } = this
    const byte = Math.min(at >>> 3, bytes.byteLength - 4)
    return (bytes.getInt32(byte) << (at & 7)) >>> (32 - width)
  }

  skip(width: number): void {
    this.at += width
  }

  /** `width` is 32 at most. */
  read(width: number): number {
    if (width === 0) return 0
    if (width <= 24) {
      const bits = this.peek(width)
      this.at += width
      return bits
    }
    const high = this.read(width - 16)
    return high * 65_536 + this.read(16)
  }

  /** As `read`, for up to 53 bits. */
  readLong(width: number): number {
    return width <= 32 ? this.read(width) : this.read(width - 32) * WORD + this.read(32)
  }
}
