/** Asks addr2line of binutils, the one of the team's own toolchain, which lines of code stand at addresses. */
import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'
import { usageError } from '../failure.ts'

/** One function that runs at an address. Of several the first was inlined into the second, and so on. */
export interface CodeFrame {
  function: string
  file: string | null
  line: number | null
}

/** By address. Those of which addr2line knows no function have no frames. */
export function parseAddr2line(output: string): Map<bigint, CodeFrame[]> {
  const found = new Map<bigint, CodeFrame[]>()
  let frames: CodeFrame[] = []
  let name: string | undefined
  for (const line of output.split(/\r?\n/)) {
    if (/^0x[0-9a-f]+$/i.test(line)) {
      frames = []
      name = undefined
      found.set(BigInt(line), frames)
    } else if (name === undefined) {
      if (line !== '') name = line
    } else {
      if (name !== NOT_KNOWN) frames.push({ function: name, ...parseLocation(line) })
      name = undefined
    }
  }
  return found
}

const NOT_KNOWN = '??'

function parseLocation(location: string): Pick<CodeFrame, 'file' | 'line'> {
  const [, file = NOT_KNOWN, line] =
    /^(.*):(\d+|\?)(?: \(discriminator \d+\))?$/.exec(location) ?? []
  if (file === NOT_KNOWN) return { file: null, line: null }
  const number = Number(line)
  return { file, line: Number.isInteger(number) && number > 0 ? number : null }
}

interface Lookup {
  /** A name that is found in PATH, or a path. */
  program: string
  elfPath: string
  addresses: readonly bigint[]
}

/** All of them by one run, as most of its time goes into reading the debug information. */
export async function runAddr2line({
  program,
  elfPath,
  addresses,
}: Lookup): Promise<Map<bigint, CodeFrame[]>> {
  // In the language of the C locale, so that what is not known is "??".
  const child = spawn(program, ['-e', elfPath, '-a', '-f', '-i', '-C'], {
    env: { ...process.env, LC_ALL: 'C' },
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once('error', (error) => reject(explainStart(program, error)))
    child.once('close', resolve)
  })
  // It may end before it has read all: its exit code says why.
  child.stdin.on('error', () => undefined)
  child.stdin.end(addresses.map((address) => `0x${address.toString(16)}\n`).join(''))
  const [status, output, faults] = await Promise.all([
    ended,
    text(child.stdout),
    text(child.stderr),
  ])
  if (status !== 0) {
    const first = faults.split('\n').find((line) => line !== '') ?? `it ended with ${status}`
    throw usageError(`${program} failed: ${first}. ${OWN_TOOLCHAIN}`)
  }
  return parseAddr2line(output)
}

const OWN_TOOLCHAIN =
  'With --addr2line you name that of your toolchain, such as arm-none-eabi-addr2line.'

function explainStart(program: string, error: Error): Error {
  if ('code' in error && error.code === 'ENOENT')
    return usageError(
      `There is no ${program} here. It belongs to binutils (apt install binutils, or binutils-arm-none-eabi). ${OWN_TOOLCHAIN}`,
    )
  return usageError(`${program} cannot be started: ${error.message}`)
}
