/**
 * Writes whole numbers by what a simple prediction leaves of them: the fixed predictors of FLAC (RFC 9639, section 9.2.5) of
 * the orders 0 to 2, and Exp-Golomb codes of order k for the residuals (ITU-T H.264, section 9.1).
 */
import type { BitReader, BitWriter } from './bits.ts'

/** Numbers beyond it are not taken: their residuals and the bits of these have to be exact. */
export const MOST_MAGNITUDE = 2 ** 48

/** The number of bits of a whole number that is not negative; 0 has none. */
function bitLength(value: number): number {
  return value < 2 ** 32 ? 32 - Math.clz32(value) : 64 - Math.clz32(Math.floor(value / 2 ** 32))
}

/** 0, 1, -1, 2, -2, … become 0, 1, 2, 3, 4, … (ITU-T H.264, section 9.1.1). */
const unsigned = (value: number) => (value > 0 ? 2 * value - 1 : -2 * value)
const signed = (code: number) => (code % 2 === 1 ? (code + 1) / 2 : 0 - code / 2)

/** An Exp-Golomb code of order k of a whole number that is not negative. */
export function writeExpGolomb(bits: BitWriter, value: number, k: number): void {
  if (value < 2 ** 30 && k < 30) {
    const width = codeLength(value, k)
    const code = (1 << k) + value
    if (width <= 31 && code < 2 ** 31) {
      // The prefix is (value >> k) + 1, and what follows are the last k bits.
      bits.write(code, width)
      return
    }
  }
  const step = 2 ** k
  const prefix = Math.floor(value / step) + 1
  const length = bitLength(prefix)
  bits.writeLong(0, length - 1)
  bits.writeLong(prefix, length)
  bits.writeLong(value % step, k)
}

/** Codes of up to so many bits are read in one piece. */
const SHORT = 24

export function readExpGolomb(bits: BitReader, k: number): number {
  const next = bits.peek(SHORT)
  const zeros = Math.clz32(next) - (32 - SHORT)
  const width = 2 * zeros + 1 + k
  if (width <= SHORT) {
    bits.skip(width)
    // The prefix, then k bits: the value and 2 ** k.
    return (next >>> (SHORT - width)) - (1 << k)
  }
  let many = 0
  while (bits.peek(1) === 0) {
    many += 1
    if (many > 64) throw new RangeError('packed points end too early')
    bits.skip(1)
  }
  return (bits.readLong(many + 1) - 1) * 2 ** k + bits.readLong(k)
}

function codeLength(value: number, k: number): number {
  if (value < 2 ** 30 && k < 30) return 63 - 2 * Math.clz32((value >> k) + 1) + k
  return 2 * bitLength(Math.floor(value / 2 ** k) + 1) - 1 + k
}

/** How numbers are predicted. */
interface Prediction {
  order: number
  /** Of order 0 the middle value, of order 1 the middle difference, which the residuals are relative to. */
  bias: number
  /** The differences of this order: one for each number but the first `order`. */
  residuals: Float64Array
}

function differences(values: Float64Array): Float64Array {
  const made = new Float64Array(Math.max(0, values.length - 1))
  for (let at = 0; at < made.length; at++) made[at] = (values[at + 1] ?? 0) - (values[at] ?? 0)
  return made
}

function* listPredictions(values: Float64Array): Generator<Prediction> {
  yield { order: 0, ...centred(values) }
  const first = differences(values)
  yield { order: 1, ...centred(first) }
  if (values.length > 2) yield { order: 2, bias: 0, residuals: differences(first) }
}

type MeasuredPrediction = Prediction & { k: number; length: number }

function bestPrediction(values: Float64Array): MeasuredPrediction {
  let best: MeasuredPrediction | undefined
  for (const prediction of listPredictions(values)) {
    const measured = { ...prediction, ...bestK(prediction.residuals) }
    if (!best || measured.length < best.length) best = measured
    if (best.length === 0) break
  }
  return best ?? { order: 0, bias: 0, residuals: values, k: NO_RESIDUALS, length: 0 }
}

function centred(values: Float64Array): { bias: number; residuals: Float64Array } {
  const bias = values.toSorted()[values.length >> 1] ?? 0
  return { bias, residuals: values.map((value) => value - bias) }
}

/** Stands for k where all residuals are 0: none is written. */
const NO_RESIDUALS = 63
const K_BITS = 6

/** The k for which the codes of the residuals are about the shortest, and their length. */
function bestK(residuals: Float64Array): { k: number; length: number } {
  const codes = residuals.map(unsigned)
  let sum = 0
  for (const code of codes) sum += code
  if (sum === 0) return { k: NO_RESIDUALS, length: 0 }
  const guess = bitLength(Math.floor(sum / residuals.length))
  let best = { k: 0, length: Infinity }
  for (let k = Math.max(0, guess - 3); k <= guess; k++) {
    let length = 0
    for (const code of codes) length += codeLength(code, k)
    if (length < best.length) best = { k, length }
  }
  return best
}

/** The parameter k for the numbers before the residuals, which are few and of any size. */
const HEAD_K = 8

export function writeIntegers(bits: BitWriter, values: Float64Array): void {
  const { order, bias, residuals, k } = bestPrediction(values)
  const head = [values[0] ?? 0, (values[1] ?? 0) - (values[0] ?? 0)].slice(0, order)
  bits.write(order, 2)
  bits.write(k, K_BITS)
  for (const one of order < 2 ? [...head, bias] : head) writeExpGolomb(bits, unsigned(one), HEAD_K)
  if (k === NO_RESIDUALS) return
  for (const one of residuals) writeExpGolomb(bits, unsigned(one), k)
}

export function readIntegers(bits: BitReader, amount: number): Float64Array {
  const order = bits.read(2)
  const k = bits.read(K_BITS)
  const read = () => signed(readExpGolomb(bits, HEAD_K))
  const values = new Float64Array(amount)
  if (order === 0) {
    const bias = read()
    readResiduals(bits, values, { begin: 0, k })
    for (let at = 0; at < amount; at++) values[at] = bias + (values[at] ?? 0)
    return values
  }
  let value = read()
  let step = read()
  readResiduals(bits, values, { begin: order, k })
  if (amount > 0) values[0] = value
  if (order === 1) {
    for (let at = 1; at < amount; at++) values[at] = value += step + (values[at] ?? 0)
    return values
  }
  if (amount > 1) values[1] = value += step
  for (let at = 2; at < amount; at++) values[at] = value += step += values[at] ?? 0
  return values
}

/** Fills `into` from `begin` on. This is where the time of reading goes, so short codes are read without a call for each part. */
function readResiduals(
  bits: BitReader,
  into: Float64Array,
  { begin, k }: { begin: number; k: number },
): void {
  if (k === NO_RESIDUALS) return
  for (let at = begin; at < into.length; at++) {
    const next = bits.peek(SHORT)
    const width = 2 * (Math.clz32(next) - (32 - SHORT)) + 1 + k
    if (width > SHORT) {
      into[at] = signed(readExpGolomb(bits, k))
    } else {
      bits.skip(width)
      const code = (next >>> (SHORT - width)) - (1 << k)
      into[at] = (code & 1) === 1 ? (code + 1) >> 1 : 0 - (code >> 1)
    }
  }
}
