/** Normalises the spaces, quotes, placeholders and lengths of lists of a statement. */
import { type Group, isGroup, type Item, readStatement, render } from './tokens.ts'

const WIDTH = 100
const CLAUSES = new Set(
  `with select insert update delete merge values from where having limit offset returning union except intersect set
  join left right full inner cross`.split(/\s+/),
)
/** Begin a clause only before one of these. */
const BEFORE: Readonly<Record<string, RegExp>> = {
  group: /^by$/,
  order: /^by$/,
  for: /^(update|share|no|key)$/,
  on: /^conflict$/,
  do: /^(update|nothing)$/,
}
/** Belong to the word before them. */
const AFTER: Readonly<Record<string, RegExp>> = {
  from: /^(delete|distinct)$/,
  update: /^(for|do|on|key|no)$/,
  select: /^(all|distinct|union|except|intersect)$/,
  join: /^(left|right|full|inner|cross|outer)$/,
  left: /^\($/,
}

function textOf(item: Item | undefined): string {
  if (item === undefined) return ''
  return isGroup(item) ? item.open.text : item.text
}

function beginsClause(items: readonly Item[], index: number): boolean {
  const word = textOf(items[index])
  const next = textOf(items[index + 1])
  const before = BEFORE[word]
  if (before !== undefined) return before.test(next)
  if (!CLAUSES.has(word) || (next === '(' && /^(left|right)$/.test(word))) return false
  // "with ordinality", "with time zone"
  if (word === 'with' && index > 0) return false
  return AFTER[word]?.test(textOf(items[index - 1])) !== true
}

function clausesOf(items: readonly Item[]): Item[][] {
  const clauses: Item[][] = []
  for (const [index, item] of items.entries())
    if (clauses.length === 0 || beginsClause(items, index)) clauses.push([item])
    else clauses.at(-1)?.push(item)
  return clauses
}

/** What a line is not broken within, unless it is longer than a line itself. */
function unitsOf(items: readonly Item[]): Item[][] {
  const units: Item[][] = [[]]
  for (const item of items) {
    const text = isGroup(item) ? '' : item.text
    if (text === 'and' || text === 'or' || text === 'when' || text === 'else') units.push([item])
    else units.at(-1)?.push(item)
    if (text === ',') units.push([])
  }
  return units.filter((unit) => unit.length > 0)
}

class Lines {
  readonly lines: string[] = []
  #line = ''
  readonly #indent: number
  readonly #placeholder: (text: string) => string

  constructor(indent: number, placeholder: (text: string) => string) {
    this.#indent = indent
    this.#placeholder = placeholder
  }

  #begin(indent: number): void {
    if (this.#line.trim() !== '') this.lines.push(this.#line)
    this.#line = ' '.repeat(indent)
  }

  #fits(text: string): boolean {
    return this.#line.length + 1 + text.length <= WIDTH
  }

  #append(text: string, isTight: boolean): void {
    this.#line += isTight || this.#line.trim() === '' ? text : ` ${text}`
  }

  #isTight(unit: readonly Item[]): boolean {
    const [first] = unit
    return first !== undefined && (isGroup(first) ? first.open : first).isTight
  }

  #group({ open, items, close }: Group): void {
    this.#append(open.text, open.isTight)
    const indent = this.#line.length - this.#line.trimStart().length
    this.lines.push(this.#line)
    for (const each of layOut(items, indent + 2, this.#placeholder)) this.lines.push(each)
    this.#line = ' '.repeat(indent) + close
  }

  /** One clause, its further lines indented. */
  clause(items: readonly Item[]): void {
    this.#begin(this.#indent)
    for (const unit of unitsOf(items)) {
      const text = render(unit, (placeholder) => placeholder)
      if (!this.#fits(text) && this.#line.trim() !== '') this.#begin(this.#indent + 2)
      if (this.#fits(text)) this.#append(render(unit, this.#placeholder), this.#isTight(unit))
      else this.#broken(unit)
    }
  }

  #broken(unit: readonly Item[]): void {
    for (const item of unit) {
      const text = render([item], (placeholder) => placeholder)
      if (isGroup(item) && !this.#fits(text)) {
        this.#group(item)
        continue
      }
      const { isTight } = isGroup(item) ? item.open : item
      if (!this.#fits(text) && !isTight) this.#begin(this.#indent + 2)
      this.#append(render([item], this.#placeholder), isTight)
    }
  }

  end(): string[] {
    this.#begin(0)
    return this.lines
  }
}

function layOut(items: readonly Item[], indent: number, placeholder: (text: string) => string) {
  const width = render(items, (text) => text).length
  if (indent + width <= WIDTH) return [' '.repeat(indent) + render(items, placeholder)]
  const lines = new Lines(indent, placeholder)
  for (const clause of clausesOf(items)) lines.clause(clause)
  return lines.end()
}

export function formatStatement(text: string): string {
  let last = 0
  const placeholder = () => `$${(last += 1)}`
  return layOut(readStatement(text), 0, placeholder).join('\n')
}
