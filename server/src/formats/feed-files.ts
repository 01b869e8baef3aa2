/** Streams the records of a feed file of any layout at constant memory. */
import { ElementScanner, type ElementPlace } from './advisories/json-elements.ts'
import { Pieces, type Cut } from './advisories/pieces.ts'
import { DuplicateMember, parseUniqueJson } from './duplicate-members.ts'
import type { FeedFile } from './feed-kinds.ts'

export { FEED_HEAD_BYTES, recogniseFeed, type FeedFile, type FeedSource } from './feed-kinds.ts'

interface FeedPlace {
  /** The place of the record in the file, from 1. */
  position: number
  /** In a file of lines, from 1. */
  line?: number
}

/** A record, or the fault at this place of the file. */
export type FeedItem = FeedPlace & ({ record: unknown } | { fault: string })

/** The file ends within a record. The records before it are complete; how many are missing is unknown. */
export class TruncatedFeedFile extends Error {}

/** No source publishes larger records: a larger one is an attack or another kind of file. */
const MAX_RECORD_BYTES = 16 * 1024 * 1024

/** Gives records as JSON values and CSV lines as strings. The caller undoes gzip. Throws `TruncatedFeedFile` at the end. */
export async function* readRecords(
  chunks: AsyncIterable<Uint8Array>,
  file: Pick<FeedFile, 'layout' | 'member'>,
): AsyncGenerator<FeedItem> {
  const { layout } = file
  const parse = layout === 'csv' ? (line: Uint8Array) => UTF8.decode(line) : parseUniqueJson
  if (isInLines(file)) yield* parseItems(splitLines(chunks), parse)
  else yield* parseItems(elements(chunks, elementPlace(file)), parse)
}

/** If the last line of a file cannot be parsed, the file is not complete. Lines count from 1, in a file of lines. */
export type UnparsedItem = { line?: number } & (
  | { bytes: Uint8Array; isLast?: boolean }
  | { fault: string }
)

type FeedCut = Cut & { line?: number; isLast?: boolean }

/** Gives records of JSON as their bytes, so that another process can parse them; of faults only those of the cut. */
export async function* readUnparsedRecords(
  chunks: AsyncIterable<Uint8Array>,
  place: RecordsPlace,
): AsyncGenerator<UnparsedItem> {
  const cuts = isInLines(place) ? splitLines(chunks) : elements(chunks, elementPlace(place))
  for await (const cut of cuts) {
    const item = unparsed(cut)
    if (item) yield item
  }
}

/** As `readUnparsedRecords`, for a file in memory: it needs no promise for each step. */
export function* cutUnparsedRecords(
  bytes: Uint8Array,
  place: RecordsPlace,
): Generator<UnparsedItem> {
  const text = bytes.subarray(MARK.every((byte, index) => bytes[index] === byte) ? MARK.length : 0)
  const cuts = isInLines(place) ? linesIn(text) : elementsIn(text, elementPlace(place))
  for (const cut of cuts) {
    const item = unparsed(cut)
    if (item) yield item
  }
}

type RecordsPlace = Pick<FeedFile, 'layout' | 'member'>

const isInLines = ({ layout }: RecordsPlace) => layout === 'lines' || layout === 'csv'

function elementPlace({ layout, member }: RecordsPlace): ElementPlace {
  const kind = layout === 'array' || layout === 'member' ? layout : 'values'
  return { kind, ...(member !== undefined && { member }) }
}

function unparsed(cut: FeedCut): UnparsedItem | undefined {
  if ('bytes' in cut) return isBlank(cut.bytes) ? undefined : cut
  if (cut.isLast === true) throw endsWithinRecord()
  return { fault: oversizedFault(cut.oversized), ...pickLine(cut) }
}

const pickLine = ({ line }: FeedCut) => (line === undefined ? {} : { line })

const endsWithinRecord = () => new TruncatedFeedFile('the file ends within a record')

export function parseRecord(bytes: Uint8Array): { record: unknown } | { fault: string } {
  return parsed(bytes, parseUniqueJson)
}

async function* parseItems(
  cuts: AsyncGenerator<FeedCut>,
  parse: (bytes: Uint8Array) => unknown,
): AsyncGenerator<FeedItem> {
  let position = 0
  for await (const cut of cuts) {
    if ('bytes' in cut && isBlank(cut.bytes)) continue
    position++
    const item = parseItem(cut, position, parse)
    if ('fault' in item && cut.isLast === true) throw endsWithinRecord()
    yield item
  }
}

function parseItem(
  cut: FeedCut,
  position: number,
  parse: (bytes: Uint8Array) => unknown,
): FeedItem {
  const place = { position, ...pickLine(cut) }
  return 'oversized' in cut
    ? { ...place, fault: oversizedFault(cut.oversized) }
    : { ...place, ...parsed(cut.bytes, parse) }
}

function oversizedFault(bytes: number): string {
  return `the record has ${bytes} bytes, more than ${MAX_RECORD_BYTES}`
}

function parsed(
  bytes: Uint8Array,
  parse: (bytes: Uint8Array) => unknown,
): { record: unknown } | { fault: string } {
  try {
    return { record: parse(bytes) }
  } catch (error) {
    if (error instanceof DuplicateMember)
      return { fault: 'the record has two members of one name in an object' }
    // A TypeError comes from the decoder, a SyntaxError from the JSON parser.
    return {
      fault: error instanceof TypeError ? 'the record is not UTF-8' : 'the record is not JSON',
    }
  }
}

const UTF8 = new TextDecoder('utf-8', { fatal: true })

function isBlank(bytes: Uint8Array): boolean {
  return bytes.every((byte) => byte <= 0x20)
}

async function* elements(
  chunks: AsyncIterable<Uint8Array>,
  place: ElementPlace,
): AsyncGenerator<Cut> {
  const scanner = new ElementScanner(place, MAX_RECORD_BYTES)
  for await (const chunk of withoutMark(chunks)) yield* scanner.push(chunk)
  yield* lastElements(scanner)
}

function* elementsIn(text: Uint8Array, place: ElementPlace): Generator<Cut> {
  const scanner = new ElementScanner(place, MAX_RECORD_BYTES)
  yield* scanner.push(text)
  yield* lastElements(scanner)
}

function lastElements(scanner: ElementScanner): Cut[] {
  const last = scanner.end()
  if (scanner.isOpen) throw new TruncatedFeedFile('the file ends within a record or list')
  return last
}

/** The last line has no line feed and may be incomplete. */
export async function* splitLines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<FeedCut> {
  const pieces = new Pieces(MAX_RECORD_BYTES)
  let line = 0
  for await (const chunk of withoutMark(chunks))
    for (const cut of wholeLines(chunk, pieces)) yield { ...cut, line: ++line }
  if (!pieces.isEmpty) yield { ...lastLine(pieces), line: ++line }
}

function* linesIn(text: Uint8Array): Generator<FeedCut> {
  const pieces = new Pieces(MAX_RECORD_BYTES)
  let line = 0
  for (const cut of wholeLines(text, pieces)) yield { ...cut, line: ++line }
  if (!pieces.isEmpty) yield { ...lastLine(pieces), line: ++line }
}

const LINE_FEED = 0x0a

/** Keeps what follows the last line feed. */
function* wholeLines(chunk: Uint8Array, pieces: Pieces): Generator<Cut> {
  let start = 0
  for (let end = chunk.indexOf(LINE_FEED); end >= 0; end = chunk.indexOf(LINE_FEED, start)) {
    yield pieces.cut(chunk.subarray(start, end))
    start = end + 1
  }
  pieces.keep(chunk.subarray(start))
}

const lastLine = (pieces: Pieces) => ({ ...pieces.cut(new Uint8Array()), isLast: true })

/** Removes the byte order mark, which is not part of JSON and may be split over two chunks. */
async function* withoutMark(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let read = 0
  for await (const chunk of chunks) {
    let skip = 0
    while (read + skip < MARK.length && chunk[skip] === MARK[read + skip]) skip++
    read = read + skip < MARK.length && skip === chunk.length ? read + skip : MARK.length
    if (skip < chunk.length) yield skip === 0 ? chunk : chunk.subarray(skip)
  }
}

const MARK = [0xef, 0xbb, 0xbf]
