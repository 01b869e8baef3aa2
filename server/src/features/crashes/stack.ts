/** What makes two crashes the same one (docs/guide/crashes.md says it for people). */
import { createHash } from 'node:crypto'
import type { DeviceCrash } from '../../formats/device-messages/model.ts'

export const FRAME_KINDS = ['ProgramCounter', 'LinkRegister', 'ReturnAddress'] as const

export interface StackFrame {
  kind: (typeof FRAME_KINDS)[number]
  /** As reported. */
  address: string
  /** The address in the build to look for in its debug information; null: outside of the image. */
  lookup: string | null
}

/** Where an address lies in the source: the innermost inlined function first. */
export interface SourceLine {
  function: string | null
  file: string | null
  line: number | null
}

/** No image of a firmware is larger; what lies beyond is a shared library, somewhere else in each process. */
const IMAGE_BYTES = 2n ** 30n

/** All frames of a crash, the innermost one first. */
export function listFrames(crash: DeviceCrash): StackFrame[] {
  const { pc, lr, returnAddresses = [], loadAddress } = crash
  const base = BigInt(loadAddress ?? 0)
  const place = (kind: StackFrame['kind'], address: string): StackFrame => {
    const offset = BigInt(address) - base
    const isInside = loadAddress === undefined || (offset >= 0n && offset < IMAGE_BYTES)
    const lookup = kind === 'ProgramCounter' ? offset : findCall(offset)
    return { kind, address, lookup: isInside && lookup >= 0n ? `0x${lookup.toString(16)}` : null }
  }
  return [
    ...(pc === undefined ? [] : [place('ProgramCounter', pc)]),
    ...(lr === undefined ? [] : [place('LinkRegister', lr)]),
    ...returnAddresses.map((address) => place('ReturnAddress', address)),
  ]
}

/**
 * A return address is behind its call, which may be the last instruction of a line or of a function. One byte before it
 * lies in the call. The lowest bit is not part of it on Arm (Thumb); on other machines calls are longer than a byte.
 */
function findCall(address: bigint): bigint {
  return address - (address % 2n) - 1n
}

/** Deeper frames tell the same fault apart by who called it. */
const TOP_FRAMES = 5

/**
 * The addresses that tell a crash from others: those at the top of the stack. The link register counts where the device
 * sends no return addresses, as it is out of date inside of functions that call others. Repeated frames count once, so
 * that endless recursions are one crash at any depth.
 */
export function chooseTop(frames: readonly StackFrame[]): (string | null)[] {
  const isUnwound = frames.some(({ kind }) => kind === 'ReturnAddress')
  const counted = frames.filter(({ kind }) => !isUnwound || kind !== 'LinkRegister')
  return withoutRepeats(counted.map(({ lookup }) => lookup)).slice(0, TOP_FRAMES)
}

function withoutRepeats<One>(list: readonly One[]): One[] {
  return list.filter((one, at) => at === 0 || one !== list[at - 1])
}

export interface Stack {
  firmwareId: string | null
  reason: string
  buildId: string | null
  addresses: readonly (string | null)[]
}

/** Addresses mean something within their build alone. */
export function signStack({ firmwareId, reason, buildId, addresses }: Stack): string {
  return sign(['stack', firmwareId, reason, addresses.length > 0 ? buildId : null, ...addresses])
}

export interface GroupKey {
  signature: string
  /** Names of functions, or addresses. */
  frames: string[]
  /** The build of the addresses; null: the frames have names, or there are none. */
  buildId: string | null
}

type LinesOf = (address: string) => readonly SourceLine[] | undefined

/**
 * By names of functions, once the lines of all addresses are known and one of them has a name: the same crash in two
 * builds is one group then. Otherwise by addresses, in one build.
 */
export function groupStack(stack: Stack, linesOf: LinesOf): GroupKey {
  const { firmwareId, reason, buildId, addresses } = stack
  const names = nameFrames(addresses, linesOf)
  if (names) {
    const signature = sign(['names', firmwareId, reason, ...names])
    return { signature, frames: names, buildId: null }
  }
  return {
    signature: signStack(stack),
    frames: addresses.map((address) => address ?? OUTSIDE),
    buildId: addresses.length > 0 ? buildId : null,
  }
}

const OUTSIDE = 'outside of the image'
const UNNAMED = '?'

function nameFrames(addresses: Stack['addresses'], linesOf: LinesOf): string[] | undefined {
  const names: string[] = []
  for (const address of addresses) {
    const lines = address === null ? [] : linesOf(address)
    if (!lines) return undefined
    const functions = lines.map((line) => cleanFunction(line.function))
    for (const name of functions.length > 0 ? functions : [UNNAMED]) names.push(name)
  }
  const top = withoutRepeats(names).slice(0, TOP_FRAMES)
  return top.some((name) => name !== UNNAMED) ? top : undefined
}

/** Without what compilers add to names, as it differs from build to build: GCC's clones, Rust's hashes. */
function cleanFunction(name: string | null): string {
  const clean = (name ?? '')
    .replace(/ \[clone [^\]]*\]/g, '')
    .replace(/(\.(isra|constprop|part|cold|lto_priv|llvm)(\.\d+)?)+$/, '')
    .replace(/::h[0-9a-f]{16}$/, '')
    .trim()
  return clean === '' || clean === '??' ? UNNAMED : clean
}

function sign(parts: readonly (string | null)[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex')
}
