/** Says where addresses of crashes lie in the source, by the team's own ELF file: only functions, files and lines are sent. */
import { posix } from 'node:path'
import type { Command } from 'commander'
import { ApiProblem, type CrashAddresses, type CrashLine } from '../../../api-client/src/index.ts'
import { type CodeFrame, runAddr2line } from '../crash/addr2line.ts'
import { ElfFault, readBuildId } from '../crash/build-id.ts'
import { printDone } from '../done.ts'
import { usageError } from '../failure.ts'
import { explainFileFault } from '../file-faults.ts'
import { collect } from '../option-values.ts'
import { formatCount } from '../print.ts'
import { type ConnectionOptions, openSession, type Session, withConnection } from '../session.ts'

const BUILD = '/workspaces/{workspaceId}/crash-builds/{buildId}'

interface ResolveOptions extends ConnectionOptions {
  elf: string
  buildId?: string
  addr2line: string
  stripPrefix?: string[]
  all?: boolean
  dryRun?: boolean
}

export function addCrashResolve(crash: Command): void {
  withConnection(crash.command('resolve'))
    .description('Look addresses up in an ELF file and upload functions and lines, not the file')
    .requiredOption('--elf <file>', 'the ELF file of the build, with its debug information')
    .option('--build-id <id>', 'what crashes name the build (default: as the file says)')
    .option('--addr2line <program>', 'addr2line of your toolchain', 'addr2line')
    .option('--strip-prefix <path>', 'what to leave out before names of files; repeatable', collect)
    .option('--all', 'look up again what was looked up before')
    .option('--dry-run', 'print what would be sent, and send nothing')
    .action(resolve)
}

async function resolve(options: ResolveOptions): Promise<void> {
  const { elf, stripPrefix = [], addr2line: program, all = false } = options
  const isStated = options.buildId !== undefined
  const buildId = options.buildId ?? (await readOwnBuildId(elf))
  const session = await openSession(options)
  const asked = await listAddresses(session, { buildId, all, isStated })
  const { addresses, linesAt } = asked ?? { addresses: [], linesAt: null }
  if (addresses.length === 0) {
    const answer = { buildId, lines: [], unknownCount: 0 }
    const why = asked ? 'all addresses were looked up before; --all does it again' : NO_CRASH
    printDone(options, { answer, id: buildId, text: `Build ${buildId}: ${why}` })
    return
  }
  const found = await runAddr2line({ program, elfPath: elf, addresses: addresses.map(BigInt) })
  const lines = addresses.map((address) => ({
    address,
    frames: (found.get(BigInt(address)) ?? []).slice(0, MOST_FRAMES).map(shorten(stripPrefix)),
  }))
  const unknownCount = lines.filter(({ frames }) => frames.length === 0).length
  // Once lines of the build are there, an address that it does not know is a library's or a bootloader's.
  if (unknownCount === lines.length && linesAt === null)
    throw usageError(
      `${program} knows none of the ${formatCount(lines.length, 'address', 'addresses')} of build ${buildId} in ${elf}, so nothing was sent. Is it the file of this build, with its symbols (not stripped)?`,
    )
  const told = `Build ${buildId}: ${describeCounts(lines.length - unknownCount, unknownCount)}`
  if (options.dryRun === true) {
    const text = [...lines.map(describeLine), `${told} Nothing was sent.`].join('\n')
    printDone(options, { answer: { buildId, lines, unknownCount }, id: buildId, text })
    return
  }
  const answer = await upload(session, buildId, lines)
  const moved = formatCount(answer.movedCount, 'stack has', 'stacks have')
  const text = `${told} ${moved} names of functions in place of addresses now.`
  printDone(options, { answer: { ...answer, unknownCount }, id: buildId, text })
}

const NO_CRASH = 'no device has told a crash of it, so there is nothing to look up'

/** undefined: no crash names the build, which is good news of a file and a fault in an id that somebody typed. */
async function listAddresses(
  { client, workspaceId }: Session,
  { buildId, all, isStated }: { buildId: string; all: boolean; isStated: boolean },
): Promise<CrashAddresses | undefined> {
  try {
    const params = { workspaceId, buildId }
    const query = { which: all ? ('All' as const) : ('Open' as const) }
    return await client.get(`${BUILD}/addresses`, { params, query })
  } catch (error) {
    const isMissing =
      error instanceof ApiProblem && error.problem.type === '/problems/crash-build-not-found'
    if (isMissing && !isStated) return undefined
    throw error
  }
}

/** Of functions that are inlined into each other. */
const MOST_FRAMES = 32

async function readOwnBuildId(elf: string): Promise<string> {
  const buildId = await readBuildId(elf).catch((error: unknown) => {
    if (error instanceof ElfFault) throw usageError(`Cannot use ${elf}: ${error.message}.`)
    throw usageError(`Cannot read ${elf}: ${explainFileFault(error)}.`)
  })
  if (buildId !== undefined) return buildId
  throw usageError(
    `${elf} has no build id. Link it with -Wl,--build-id, or say with --build-id what crashes name the build; plimsoll crash builds lists them.`,
  )
}

const MOST_CHARACTERS = 500

/** Paths of the machine that built it are cut; without `.` and `..`, which compilers leave in them. */
function shorten(prefixes: readonly string[]) {
  const longestFirst = prefixes.toSorted((one, other) => other.length - one.length)
  return ({ function: name, file, line }: CodeFrame): CrashLine['frames'][number] => ({
    function: name.slice(0, MOST_CHARACTERS),
    file: file && shortenPath(file, longestFirst).slice(-MOST_CHARACTERS),
    line,
  })
}

function shortenPath(file: string, prefixes: readonly string[]): string {
  const path = posix.normalize(file)
  const prefix = prefixes.find((one) => path.startsWith(one) && path.length > one.length)
  return prefix === undefined ? path : path.slice(prefix.length).replace(/^[/\\]+/, '')
}

function describeCounts(known: number, unknown: number): string {
  const found = `${formatCount(known, 'address', 'addresses')} found in the source.`
  return unknown === 0
    ? found
    : `${found} ${formatCount(unknown, 'is', 'are')} not in the debug information: perhaps code of a library or of a bootloader.`
}

function describeLine({ address, frames }: CrashLine): string {
  if (frames.length === 0) return `${address}  not in the debug information`
  const places = frames.map(({ function: name, file, line }) =>
    [name ?? '?', file === null ? '' : `${file}${line === null ? '' : `:${line}`}`]
      .join(' ')
      .trim(),
  )
  return `${address}  ${places.join(' < ')}`
}

/** The service takes so many at once. */
const MOST_LINES = 2_000

async function upload(
  { client, workspaceId }: Session,
  buildId: string,
  lines: readonly CrashLine[],
) {
  const params = { workspaceId, buildId }
  const send = (from: number) =>
    client.put(`${BUILD}/lines`, { params, body: { lines: lines.slice(from, from + MOST_LINES) } })
  let answer = await send(0)
  let { movedCount } = answer
  for (let from = MOST_LINES; from < lines.length; from += MOST_LINES) {
    answer = await send(from)
    movedCount += answer.movedCount
  }
  return { ...answer, movedCount }
}
