/** A statement as a tree of words and bracketed groups, with lists that only differ in length folded to one entry. */
import { scanSync } from 'libpg-query'

interface Word {
  text: string
  /** Stands without a space after what is before it. */
  isTight: boolean
}

export interface Group {
  open: Word
  items: Item[]
  close: string
}

export type Item = Word | Group

const CLOSING: Readonly<Record<string, string>> = { '(': ')', '[': ']' }
/** Values of a day in names of partitions and their bounds. */
const DAY_IN_NAME = /_\d{8}(?=\b|")/g
const DAY_AS_VALUE = /^'\d{4}-\d{2}-\d{2}[^']*'$/

export function isGroup(item: Item | undefined): item is Group {
  return item !== undefined && 'items' in item
}

function isSafeUnquoted(name: string): boolean {
  if (!/^[a-z_][a-z0-9_]*$/.test(name)) return false
  const kind = scanSync(name).tokens[0]?.keywordName
  return kind === 'NO_KEYWORD' || kind === 'UNRESERVED_KEYWORD'
}

/** Keywords in lower case, names without quotes where they need none, days of partitions as a placeholder. */
function plainText(text: string, isKeyword: boolean): string {
  if (isKeyword) return text.toLowerCase()
  if (DAY_AS_VALUE.test(text)) return `'day'`
  const [, name = ''] = /^"([^"]*)"$/.exec(text) ?? []
  return (isSafeUnquoted(name) ? name : text).replaceAll(DAY_IN_NAME, '_day')
}

function readWords(text: string): Word[] {
  // Positions count bytes.
  const bytes = Buffer.from(text)
  let end = 0
  let before = ''
  const words: Word[] = []
  for (const token of scanSync(text).tokens) {
    const { start, tokenName, keywordName } = token
    if (tokenName === 'SQL_COMMENT' || tokenName === 'C_COMMENT') continue
    const raw = bytes.subarray(start, token.end).toString()
    const isInside = before === '(' || before === '[' || /^[)\],;]$/.test(raw)
    const isTight = before === '' || isInside || (start === end && before !== ',')
    words.push({ text: plainText(raw, keywordName !== 'NO_KEYWORD'), isTight })
    end = token.end
    before = raw
  }
  return words.at(-1)?.text === ';' ? words.slice(0, -1) : words
}

function group(words: Iterator<Word, undefined>, close: string | undefined): Item[] {
  const items: Item[] = []
  for (let next = words.next(); !next.done; next = words.next()) {
    const word = next.value
    if (word.text === close) return items
    const closing = CLOSING[word.text]
    if (closing === undefined) items.push(word)
    else items.push({ open: word, items: group(words, closing), close: closing })
  }
  return items
}

/** In one line; every placeholder is written by `placeholder`. */
export function render(items: readonly Item[], placeholder: (text: string) => string): string {
  let line = ''
  for (const item of items) {
    const { isTight, text } = isGroup(item) ? item.open : item
    const gap = isTight || line === '' ? '' : ' '
    const inner = isGroup(item) ? render(item.items, placeholder) + item.close : ''
    line += gap + (/^\$\d+$/.test(text) ? placeholder(text) : text) + inner
  }
  return line
}

/** What two entries of a list have in common when they differ in their placeholders alone. */
function shapeOf(items: readonly Item[]): string {
  return render(items, () => '$').trim()
}

function split(items: readonly Item[], isSeparator: (item: Item) => boolean): Item[][] {
  const parts: Item[][] = [[]]
  for (const item of items)
    if (isSeparator(item)) parts.push([])
    else parts.at(-1)?.push(item)
  return parts
}

/** Leaves out each entry that looks like the one before it and has a placeholder. */
function foldEntries(items: readonly Item[], separator: string): Item[] {
  const isSeparator = (item: Item) => !isGroup(item) && item.text === separator
  const entries = split(items, isSeparator)
  const kept = entries.filter((entry, index) => {
    const shape = shapeOf(entry)
    return index === 0 || !shape.includes('$') || shape !== shapeOf(entries[index - 1] ?? [])
  })
  const between: Word = { text: separator, isTight: separator === ',' }
  return kept.flatMap((entry, index) => (index === 0 ? entry : [between, ...entry]))
}

/** The query builder writes `default` where one row lacks a column that another has. */
function withoutDefaults(row: Item): Item {
  if (!isGroup(row)) return row
  const items = row.items.map((item) =>
    !isGroup(item) && item.text === 'default' ? { ...item, text: '$0' } : item,
  )
  return { ...row, items }
}

function fold(items: readonly Item[]): Item[] {
  const folded: Item[] = items.map((item, index) => {
    if (!isGroup(item)) return item
    const before = items[index - 1]
    const word = before === undefined || isGroup(before) ? '' : before.text
    const inner = foldEntries(fold(item.items), 'or')
    return { ...item, items: word === 'in' || word === 'array' ? foldEntries(inner, ',') : inner }
  })
  const values = folded.findIndex((item) => !isGroup(item) && item.text === 'values')
  if (values === -1) return folded
  // Rows end where something else than a group or a comma follows.
  const after = folded.findIndex(
    (item, index) => index > values && !isGroup(item) && item.text !== ',',
  )
  const end = after === -1 ? folded.length : after
  const rows = foldEntries(folded.slice(values + 1, end).map(withoutDefaults), ',')
  return [...folded.slice(0, values + 1), ...rows, ...folded.slice(end)]
}

export function readStatement(text: string): Item[] {
  return fold(group(readWords(text).values() as Iterator<Word, undefined>, undefined))
}
