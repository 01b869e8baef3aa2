/** Refuses packets by the length in their header, before they are buffered (MQTT 3.1.1, section 2.2.3). */
export class FramingGuard {
  /** The most bytes of a packet after its fixed header. */
  limit: number
  /** Bytes of the current packet that are still to come. */
  private awaited = 0
  /** Bytes of the fixed header seen so far. */
  private headerBytes = 0
  private length = 0

  constructor(limit: number) {
    this.limit = limit
  }

  /** False: the bytes begin a packet that is too large, or whose length is malformed. */
  accepts(bytes: Uint8Array): boolean {
    let position = 0
    while (position < bytes.length) {
      if (this.awaited > 0) {
        const taken = Math.min(this.awaited, bytes.length - position)
        this.awaited -= taken
        position += taken
      } else if (!this.acceptsHeaderByte(bytes[position] ?? 0)) {
        return false
      } else {
        position += 1
      }
    }
    return true
  }

  private acceptsHeaderByte(byte: number): boolean {
    this.headerBytes += 1
    if (this.headerBytes === 1) {
      this.length = 0
      return true
    }
    this.length += (byte & 127) * 128 ** (this.headerBytes - 2)
    if (this.length > this.limit) return false
    if (byte < 128) {
      this.awaited = this.length
      this.headerBytes = 0
      return true
    }
    // The length has four bytes at most.
    return this.headerBytes < 5
  }
}
