/** SHA-256 (FIPS 180-4) of bytes that come piece by piece: browsers hash whole texts only, and only where there is TLS. */

const BLOCK = 64
const ROUNDS = 64
/** The length in bits stands in the last 8 bytes. */
const LENGTH_BYTES = 8
const WORD = 2 ** 32

/** The first 32 bits of the fraction of a root. */
const fractionOf = (root: number) => Math.floor((root % 1) * WORD)

function listPrimes(count: number): number[] {
  const primes: number[] = []
  for (let next = 2; primes.length < count; next += 1)
    if (primes.every((prime) => next % prime !== 0)) primes.push(next)
  return primes
}

const PRIMES = listPrimes(ROUNDS)
const CONSTANTS = Uint32Array.from(PRIMES, (prime) => fractionOf(Math.cbrt(prime)))
const START = Uint32Array.from(PRIMES.slice(0, 8), (prime) => fractionOf(Math.sqrt(prime)))

interface Sha256 {
  update: (bytes: Uint8Array) => void
  /** Hexadecimal; nothing can be added any more. */
  digest: () => string
}

export function createSha256(): Sha256 {
  const state = START.slice()
  const words = new Uint32Array(ROUNDS)
  const rest = new Uint8Array(BLOCK)
  let restBytes = 0
  let length = 0
  const update = (bytes: Uint8Array) => {
    length += bytes.length
    let at = 0
    if (restBytes > 0) {
      at = Math.min(BLOCK - restBytes, bytes.length)
      rest.set(bytes.subarray(0, at), restBytes)
      restBytes += at
      if (restBytes < BLOCK) return
      mix(state, words, rest, 0)
    }
    for (; at + BLOCK <= bytes.length; at += BLOCK) mix(state, words, bytes, at)
    rest.set(bytes.subarray(at))
    restBytes = bytes.length - at
  }
  return {
    update,
    digest: () => {
      const bits = length * 8
      const end = new Uint8Array(
        restBytes < BLOCK - LENGTH_BYTES ? BLOCK - restBytes : 2 * BLOCK - restBytes,
      )
      end[0] = 0x80
      const view = new DataView(end.buffer)
      view.setUint32(end.length - LENGTH_BYTES, Math.floor(bits / WORD))
      view.setUint32(end.length - LENGTH_BYTES / 2, bits % WORD)
      update(end)
      return Array.from(state, (word) => word.toString(16).padStart(8, '0')).join('')
    },
  }
}

const turn = (word: number, by: number) => (word >>> by) | (word << (32 - by))
const read = (words: Uint32Array, index: number) => words[index] ?? 0

/** FIPS 180-4, section 6.2.2. */
function mix(state: Uint32Array, words: Uint32Array, bytes: Uint8Array, at: number): void {
  expand(words, new DataView(bytes.buffer, bytes.byteOffset + at, BLOCK))
  let [a, b, c, d] = [read(state, 0), read(state, 1), read(state, 2), read(state, 3)]
  let [e, f, g, h] = [read(state, 4), read(state, 5), read(state, 6), read(state, 7)]
  for (let round = 0; round < ROUNDS; round += 1) {
    const choice = (e & f) ^ (~e & g)
    const turned = turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)
    const first = (h + turned + choice + read(CONSTANTS, round) + read(words, round)) | 0
    const majority = (a & b) ^ (a & c) ^ (b & c)
    const second = (turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + majority
    h = g
    g = f
    f = e
    e = (d + first) | 0
    d = c
    c = b
    b = a
    a = (first + second) | 0
  }
  const mixed = [a, b, c, d, e, f, g, h]
  for (let index = 0; index < mixed.length; index += 1)
    state[index] = read(state, index) + (mixed[index] ?? 0)
}

function expand(words: Uint32Array, block: DataView): void {
  for (let index = 0; index < BLOCK / 4; index += 1) words[index] = block.getUint32(index * 4)
  for (let index = BLOCK / 4; index < ROUNDS; index += 1) {
    const [early, late] = [read(words, index - 15), read(words, index - 2)]
    const first = turn(early, 7) ^ turn(early, 18) ^ (early >>> 3)
    const second = turn(late, 17) ^ turn(late, 19) ^ (late >>> 10)
    words[index] = read(words, index - 16) + first + read(words, index - 7) + second
  }
}
