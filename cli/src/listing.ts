/** Lists: a table for people, whole answers for programs. */
import { type Command, Option } from 'commander'
import { formatCsv } from '../../api-client/src/index.ts'
import { readPositiveInteger } from './option-values.ts'
import { formatCount, printJson, printLine } from './print.ts'
import { sanitise } from './printable.ts'
import { COMMON_OPTIONS } from './common-options.ts'
import { type ConnectionOptions, withConnection } from './session.ts'
import { type Column, writeTable } from './table.ts'
import { getTerminal } from './terminal.ts'

export interface ListOptions extends ConnectionOptions {
  csv?: boolean
  limit?: number
}

/** As much as a person reads. */
const SHOWN_ON_TERMINALS = 50

/** The options every list has. @param most the default limit of a list that has no end. */
export function withListOptions(command: Command, most?: number): Command {
  const usually =
    most === undefined ? ` (default: ${SHOWN_ON_TERMINALS} in a table on a terminal, else all)` : ''
  const limit = new Option('--limit <count>', `the largest number to list${usually}`)
  limit.argParser(readPositiveInteger)
  if (most !== undefined) limit.default(most)
  return withConnection(command.addOption(limit)).addOption(
    new Option('--csv', 'answer as CSV').conflicts(['json', 'quiet']).helpGroup(COMMON_OPTIONS),
  )
}

export function readLimit(options: ListOptions): number {
  if (options.limit !== undefined) return options.limit
  const isRead = getTerminal().stdout.isTTY === true && isForPeople(options)
  return isRead ? SHOWN_ON_TERMINALS : Number.POSITIVE_INFINITY
}

/** Whether the answer is a table with words around it. */
export function isForPeople({ json, csv, quiet }: ListOptions): boolean {
  return !json && !csv && !quiet
}

/** How many there are, where more may exist than were read. */
type Total = { count: number; isLowerBound?: boolean } | { hasMore: boolean }

interface Listing<Row> {
  rows: readonly Row[]
  columns: readonly Column<Row>[]
  /** What other commands take to name the row. */
  nameOf: (row: Row) => string
  noun: string
  nouns?: string
  /** Default: all that exist are in `rows`. */
  total?: Total
  /** What --json prints of the rows listed. */
  answer: (rows: readonly Row[]) => unknown
}

export function printListing<Row>(options: ListOptions, list: Listing<Row>): void {
  const { columns, nameOf, answer } = list
  const rows = list.rows.slice(0, readLimit(options))
  if (options.json) printJson(answer(rows))
  else if (options.csv) {
    const lines = rows.map((row) => columns.map(({ value }) => value(row)))
    getTerminal().stdout.write(formatCsv([columns.map(({ title }) => title), ...lines]))
  } else if (options.quiet) for (const row of rows) printLine(sanitise(nameOf(row)))
  else {
    if (rows.length > 0) writeTable(getTerminal().stdout, columns, rows)
    printLine(`${rows.length > 0 ? '\n' : ''}${countText(rows.length, list)}`)
  }
}

function countText<Row>(shown: number, list: Listing<Row>): string {
  const { noun, nouns = `${noun}s`, total = { count: list.rows.length } } = list
  if ('hasMore' in total)
    return total.hasMore
      ? `Showing ${formatCount(shown, noun, nouns)}; there are more: --limit`
      : shown === 0
        ? `No ${nouns}.`
        : formatCount(shown, noun, nouns)
  const { count, isLowerBound = false } = total
  if (count === 0) return `No ${nouns}.`
  if (shown >= count && !isLowerBound) return formatCount(count, noun, nouns)
  return `Showing ${shown} of ${isLowerBound ? 'more than ' : ''}${formatCount(count, noun, nouns)}`
}

interface Page {
  hasMore: boolean
}

/** Reads pages until there are more elements than wanted. */
export async function readUpTo<P extends Page, Row>(
  limit: number,
  pages: AsyncIterable<P>,
  rowsOf: (page: P) => readonly Row[],
): Promise<{ rows: Row[]; hasMore: boolean }> {
  const rows: Row[] = []
  for await (const page of pages) {
    for (const each of rowsOf(page)) rows.push(each)
    if (rows.length > limit) return { rows: rows.slice(0, limit), hasMore: true }
    if (rows.length === limit) return { rows, hasMore: page.hasMore }
  }
  return { rows, hasMore: false }
}

const LARGEST_PAGE = 1000

/** How many to ask for at once. One more than wanted shows whether there are more. */
export function choosePageSize(limit: number): number {
  return Math.min(limit + 1, LARGEST_PAGE)
}
