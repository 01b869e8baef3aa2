/** Reads a list of source files as a build writes it: one path per line. */
import {
  isCompiledSource,
  isObjectFile,
  normalizeSourcePath,
} from '../../../formats/source-paths.ts'
import { AppError } from '../../../platform/errors.ts'
import { shortenText } from '../../../formats/shorten.ts'

const MAX_FILES = 200_000

export interface SourceFileListRead {
  /** Distinct. */
  files: string[]
  /** Lines that do not name a file that is compiled: headers, make files, prose. */
  ignoredCount: number
}

const unreadable = (detail: string) => new AppError('invalid', 'source-files-invalid', detail)

/** @throws AppError if the list may be incomplete or of another form: a missing file would hide a true finding. */
export async function readSourceFileList(
  chunks: AsyncIterable<Uint8Array>,
): Promise<SourceFileListRead> {
  const files = new Set<string>()
  let ignoredCount = 0
  let line = 0
  for await (const text of splitLines(chunks)) {
    line += 1
    const path = text.trim()
    if (path === '') continue
    if (line === 1 && /^[[{<]/.test(path))
      throw unreadable(
        'The body is not a list of source files. Send text/plain, one path per line.',
      )
    const file = readLine(path, line)
    if (file === undefined) ignoredCount += 1
    else files.add(file)
    if (files.size > MAX_FILES)
      throw unreadable(`The list names more than ${MAX_FILES} source files.`)
  }
  if (files.size === 0)
    throw unreadable(
      'The list names no source file, such as drivers/net/tun.c. Send one path per line.',
    )
  return { files: [...files], ignoredCount }
}

/** `dev.c:12`, `"dev.c"`, `dev.c (compiled)`: refused, since ignoring the line would treat the file as not compiled. */
const MORE_THAN_A_PATH = /\.(?:c|cc|cpp|cxx|s|rs|go)["'\s:,;|)]/i

function readLine(path: string, line: number): string | undefined {
  if (isObjectFile(path))
    throw unreadable(
      `Line ${line} names an object file, ${JSON.stringify(shortenText(path, 200))}. List the source files it was compiled from.`,
    )
  if (!isCompiledSource(path) && MORE_THAN_A_PATH.test(path))
    throw unreadable(
      `Line ${line} holds more than a path: ${JSON.stringify(shortenText(path, 200))}. Send one path per line.`,
    )
  if (!isCompiledSource(path)) return undefined
  const file = normalizeSourcePath(path)
  if (file === undefined)
    throw unreadable(
      `Line ${line} is not a path: it has more than 1,000 characters or contains control characters.`,
    )
  return file
}

const MAX_LINE_CHARACTERS = 65_536

/** Lines of UTF-8 text with any line ends. Ignores a byte order mark. */
async function* splitLines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let rest = ''
  for await (const chunk of chunks) {
    const lines = (rest + decode(decoder, chunk)).split(/\r\n|\n|\r(?!$)/)
    rest = lines.pop() ?? ''
    if (rest.length > MAX_LINE_CHARACTERS)
      throw unreadable('A line is longer than any path. Send text/plain, one path per line.')
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
