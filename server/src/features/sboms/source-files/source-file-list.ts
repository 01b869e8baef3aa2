/** A list of source files as a build writes it: one path a line. */
import {
  isCompiledSource,
  isObjectFile,
  normalizeSourcePath,
} from '../../../formats/source-paths.ts'
import { AppError } from '../../../platform/errors.ts'

const MOST_FILES = 200_000

export interface SourceFileListRead {
  /** Distinct. */
  files: string[]
  /** Lines that name no file a compiler reads: headers, make files, prose. */
  ignoredCount: number
}

const unreadable = (detail: string) => new AppError('invalid', 'source-files-invalid', detail)

/** @throws AppError where a list may not be what it has to be: a file missed here hides a true finding. */
export async function readSourceFileList(
  chunks: AsyncIterable<Uint8Array>,
): Promise<SourceFileListRead> {
  const files = new Set<string>()
  let ignoredCount = 0
  let line = 0
  for await (const text of linesOf(chunks)) {
    line += 1
    const path = text.trim()
    if (path === '') continue
    if (line === 1 && /^[[{<]/.test(path))
      throw unreadable('The body is no list of source files. Send text/plain, one path a line.')
    const file = readLine(path, line)
    if (file === undefined) ignoredCount += 1
    else files.add(file)
    if (files.size > MOST_FILES)
      throw unreadable(`The list names more than ${MOST_FILES} source files.`)
  }
  if (files.size === 0)
    throw unreadable('The list names no source file, such as drivers/net/tun.c. One path a line.')
  return { files: [...files], ignoredCount }
}

/** `dev.c:12`, `"dev.c"`, `dev.c (compiled)`: passed over, the file would be taken for one that is not compiled. */
const MORE_THAN_A_PATH = /\.(?:c|cc|cpp|cxx|s|rs|go)["'\s:,;|)]/i

function readLine(path: string, line: number): string | undefined {
  if (isObjectFile(path))
    throw unreadable(
      `Line ${line} names an object file, ${JSON.stringify(path.slice(0, 200))}. List the source files it was compiled from.`,
    )
  if (!isCompiledSource(path) && MORE_THAN_A_PATH.test(path))
    throw unreadable(
      `Line ${line} holds more than a path: ${JSON.stringify(path.slice(0, 200))}. Send one path a line.`,
    )
  if (!isCompiledSource(path)) return undefined
  const file = normalizeSourcePath(path)
  if (file === undefined)
    throw unreadable(
      `Line ${line} is no path: it is longer than 1,000 characters or holds control characters.`,
    )
  return file
}

const MOST_LINE_CHARACTERS = 65_536

/** Lines as UTF-8, whatever ends them; a byte order mark is passed over. */
async function* linesOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let rest = ''
  for await (const chunk of chunks) {
    const lines = (rest + decode(decoder, chunk)).split(/\r\n|\n|\r(?!$)/)
    rest = lines.pop() ?? ''
    if (rest.length > MOST_LINE_CHARACTERS)
      throw unreadable('A line is longer than any path. Send text/plain, one path a line.')
    yield* lines
  }
  yield* (rest + decode(decoder)).split(/\r/)
}

function decode(decoder: InstanceType<typeof TextDecoder>, chunk?: Uint8Array): string {
  try {
    return chunk ? decoder.decode(chunk, { stream: true }) : decoder.decode()
  } catch {
    throw unreadable('The list is not UTF-8 text.')
  }
}
