/** A value over the size limit was let go while it was read. */
export type Cut = { bytes: Uint8Array } | { oversized: number }

/** The bytes of one value, which may come in many chunks, up to a limit. */
export class Pieces {
  readonly #maxBytes: number
  #kept: Uint8Array[] = []
  #length = 0

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  get isEmpty(): boolean {
    return this.#length === 0
  }

  keep(piece: Uint8Array): void {
    this.#length += piece.length
    if (this.#length > this.#maxBytes) this.#kept = []
    else if (piece.length > 0) this.#kept.push(piece)
  }

  /** The whole value, of which this is the last piece. */
  cut(last: Uint8Array): Cut {
    const length = this.#length + last.length
    const kept = this.#kept
    this.#kept = []
    this.#length = 0
    if (length > this.#maxBytes) return { oversized: length }
    const [only] = last.length > 0 ? [last] : kept
    const isWhole = kept.length + Math.sign(last.length) <= 1
    return { bytes: isWhole ? (only ?? last) : joined([...kept, last], length) }
  }
}

function joined(pieces: readonly Uint8Array[], length: number): Uint8Array {
  const whole = new Uint8Array(length)
  let at = 0
  for (const piece of pieces) {
    whole.set(piece, at)
    at += piece.length
  }
  return whole
}
