/** Writes floating-point numbers exactly, in few bits where they were decimals once or change little. */
import type { BitReader, BitWriter } from './bits.ts'
import { MOST_MAGNITUDE, readIntegers, writeIntegers } from './integers.ts'

/**
 * Decimal: each number is a whole number divided by a power of ten, as most readings of sensors are (ALP, SIGMOD 2024). Short:
 * the same, rounded to 32 bits, as a microcontroller sends it. Xor: any number, by the bits in which it differs from
 * the one before (Gorilla, VLDB 2015, section 4.1.2). Near: a decimal and some units in the last place, which adding decimals
 * up leaves.
 */
const DECIMAL = 0
const SHORT = 1
const XOR = 2
const NEAR = 3

/** Powers of ten that numbers are divided by: exact as floating-point numbers, so that the division is rounded once. */
const MOST_DIGITS = 14
/** And that they are multiplied with. */
const MOST_ZEROS = 8
const POWERS = Array.from({ length: MOST_DIGITS + 1 }, (_, digits) => Number(`1e${digits}`))
const power = (digits: number) => POWERS[digits] ?? 1

interface Decimals {
  /** Digits behind the point; less than 0: zeros before it. */
  digits: number
  integers: Float64Array
}

const scratch = new DataView(new ArrayBuffer(8))

const asIs = (value: number) => value

/** undefined: some number is no such decimal. */
function findDecimals(
  values: Float64Array,
  rounded: (value: number) => number,
): Decimals | undefined {
  let digits = 0
  const isExact = (value: number) => {
    const whole = Math.round(value * power(digits))
    return (
      Math.abs(whole) < MOST_MAGNITUDE && Object.is(rounded((whole + 0) / power(digits)), value)
    )
  }
  for (const value of values)
    while (!isExact(value)) {
      digits += 1
      if (digits > MOST_DIGITS) return undefined
    }
  // A number may need fewer digits than one before it, and be too large with as many.
  if (digits > 0 && !values.every(isExact)) return undefined
  const integers = values.map((value) => Math.round(value * power(digits)) + 0)
  return digits > 0 ? { digits, integers } : withoutZeros(integers)
}

function withoutZeros(integers: Float64Array): Decimals {
  let zeros = 0
  while (zeros < MOST_ZEROS && integers.every((one) => one % power(zeros + 1) === 0)) zeros += 1
  return {
    digits: 0 - zeros,
    integers: zeros === 0 ? integers : integers.map((one) => one / power(zeros)),
  }
}

function scaleInteger(integer: number, digits: number): number {
  return digits < 0 ? integer * power(-digits) : integer / power(digits)
}

/** More would not be shorter than the differing bits. */
const MOST_NEAR_DIGITS = 6
const MOST_UNITS = 64

interface NearDecimals extends Decimals {
  /** By how many units in the last place each number is larger than its decimal. */
  units: Float64Array
}

/** undefined: some number is farther from a decimal. */
function findNearDecimals(values: Float64Array): NearDecimals | undefined {
  for (let digits = 0; digits <= MOST_NEAR_DIGITS; digits++) {
    const integers = values.map((value) => Math.round(value * power(digits)) + 0)
    const units = values.map((value, at) => countUnits(value, (integers[at] ?? 0) / power(digits)))
    const isNear = (value: number, at: number) =>
      Math.abs(integers[at] ?? 0) < MOST_MAGNITUDE &&
      Math.abs(units[at] ?? NaN) <= MOST_UNITS &&
      Object.is(addUnits((integers[at] ?? 0) / power(digits), units[at] ?? 0), value)
    if (values.every(isNear)) return { digits, integers, units }
  }
  return undefined
}

const countUnits = (value: number, decimal: number) =>
  value === decimal ? 0 : Math.round((value - decimal) / unitOf(decimal)) + 0

const addUnits = (decimal: number, units: number) =>
  units === 0 ? decimal : decimal + units * unitOf(decimal)

/** The distance to the next larger number. It is a power of two, made of its bits: all machines find the same. */
function unitOf(value: number): number {
  scratch.setFloat64(0, value)
  const exponent = (scratch.getUint32(0) >>> 20) & 0x7ff
  if (exponent <= 52) return NaN
  scratch.setUint32(0, (exponent - 52) << 20)
  scratch.setUint32(4, 0)
  return scratch.getFloat64(0)
}

/** `areSums`: the numbers were added up. Only where that is said may they be near decimals: points of a device are not looked at so. */
export function writeDoubles(bits: BitWriter, values: Float64Array, areSums = false): void {
  const exact = findDecimals(values, asIs)
  const decimals =
    exact ??
    (values.every((value) => Object.is(Math.fround(value), value))
      ? findDecimals(values, Math.fround)
      : undefined)
  if (decimals) {
    bits.write(exact ? DECIMAL : SHORT, 2)
    bits.write(decimals.digits + MOST_ZEROS, 5)
    writeIntegers(bits, decimals.integers)
    return
  }
  const near = areSums ? findNearDecimals(values) : undefined
  if (near) {
    bits.write(NEAR, 2)
    bits.write(near.digits + MOST_ZEROS, 5)
    writeIntegers(bits, near.integers)
    writeIntegers(bits, near.units)
    return
  }
  bits.write(XOR, 2)
  writeXor(bits, values)
}

export function readDoubles(bits: BitReader, amount: number): Float64Array {
  const kind = bits.read(2)
  if (kind === XOR) return readXor(bits, amount)
  const digits = bits.read(5) - MOST_ZEROS
  const values = readIntegers(bits, amount)
  for (let at = 0; at < amount; at++) {
    const value = scaleInteger(values[at] ?? 0, digits)
    values[at] = kind === SHORT ? Math.fround(value) : value
  }
  if (kind !== NEAR) return values
  const units = readIntegers(bits, amount)
  return values.map((value, at) => addUnits(value, units[at] ?? 0))
}

/** Of 64 bits in two words: how many at their begin are 0; 32 or more count as 31, as the number has 5 bits. */
function leadingZeros(high: number): number {
  return Math.min(31, Math.clz32(high))
}

function trailingZeros(high: number, low: number): number {
  const ofWord = (word: number) => 31 - Math.clz32(word & -word)
  return low === 0 ? 32 + ofWord(high) : ofWord(low)
}

/** The bits of a 64-bit word from `leading` on, without the last `trailing`. */
function writeMiddle(
  bits: BitWriter,
  { high, low }: { high: number; low: number },
  { leading, trailing }: { leading: number; trailing: number },
): void {
  if (trailing >= 32) bits.write(high >>> (trailing - 32), 64 - leading - trailing)
  else {
    bits.write(high, 32 - leading)
    bits.write(low >>> trailing, 32 - trailing)
  }
}

/** The first number as it is; then `0` for the same, `10` with the bits of the window before, `11` with a new window. */
export function writeXor(bits: BitWriter, values: Float64Array): void {
  let [high, low] = [0, 0]
  let window: { leading: number; trailing: number } | undefined
  for (const [at, value] of values.entries()) {
    scratch.setFloat64(0, value)
    const differing = {
      high: (scratch.getUint32(0) ^ high) >>> 0,
      low: (scratch.getUint32(4) ^ low) >>> 0,
    }
    high = scratch.getUint32(0)
    low = scratch.getUint32(4)
    if (at === 0) {
      bits.write(high, 32)
      bits.write(low, 32)
    } else if (differing.high === 0 && differing.low === 0) bits.write(0, 1)
    else {
      const leading = leadingZeros(differing.high)
      const trailing = trailingZeros(differing.high, differing.low)
      if (window && leading >= window.leading && trailing >= window.trailing) bits.write(0b10, 2)
      else {
        window = { leading, trailing }
        bits.write(0b11, 2)
        bits.write(leading, 5)
        // 64 bits are written as 0: a difference has at least one bit.
        bits.write((64 - leading - trailing) & 63, 6)
      }
      writeMiddle(bits, differing, window)
    }
  }
}

export function readXor(bits: BitReader, amount: number): Float64Array {
  const values = new Float64Array(amount)
  let [high, low] = [0, 0]
  let [leading, width] = [0, 64]
  for (let at = 0; at < amount; at++) {
    if (at === 0) {
      high = bits.read(32)
      low = bits.read(32)
    } else if (bits.read(1) === 1) {
      if (bits.read(1) === 1) {
        leading = bits.read(5)
        width = bits.read(6) || 64
      }
      const trailing = 64 - leading - width
      if (trailing >= 32) high ^= bits.read(width) << (trailing - 32)
      else {
        high ^= bits.read(32 - leading)
        low ^= bits.read(32 - trailing) << trailing
      }
    }
    scratch.setUint32(0, high)
    scratch.setUint32(4, low)
    values[at] = scratch.getFloat64(0)
  }
  return values
}
