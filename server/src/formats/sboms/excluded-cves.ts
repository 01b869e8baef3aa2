/**
 * `cve-exclude-list` of ESP-IDF's sbom.yml, which esp-idf-sbom writes into the comment of a package as YAML: "CVEs, which were
 * already evaluated and the package is not vulnerable". https://github.com/espressif/esp-idf-sbom, README, "Manifest File".
 */
import {
  isCycloneDxJustification,
  isOpenVexJustification,
  type VexJustification,
} from '../vex/vocabulary.ts'
import { findCveIds } from './vulnerability-ids.ts'

export interface ExcludedCve {
  id: string
  reason: string | undefined
  justification: VexJustification | undefined
}

const LIST = /^([ \t]*)cve-exclude-list:[ \t]*$/m
const ITEM = /^([ \t]*)-[ \t]+(.*)$/
const MEMBER = /^[ \t]*(cve|reason|justification)[ \t]*:[ \t]*(.*)$/
const OTHER_MEMBER = /^[ \t]*[\w-]+[ \t]*:(?:[ \t]|$)/

/** Reads block lists only, as the tool writes no others. Lines that it does not know end the list. */
export function readExcludedCves(comment: string): ExcludedCve[] {
  const start = LIST.exec(comment)
  if (!start) return []
  const indent = start[1]?.length ?? 0
  const lines = comment.slice(start.index + start[0].length).split(/\r?\n/)
  return splitItems(lines, indent).flatMap((item) => parseItem(item))
}

/** The lines of each item, the dash taken for white space. */
function splitItems(lines: readonly string[], indent: number): string[][] {
  const items: string[][] = []
  for (const line of lines) {
    if (line.trim() === '' || line.trim().startsWith('#')) continue
    const [, before, rest] = ITEM.exec(line) ?? []
    const isItem = before !== undefined && rest !== undefined && before.length >= indent
    if (isItem) items.push([rest])
    else if (line.search(/\S/) > indent) items.at(-1)?.push(line)
    else break
  }
  return items
}

function parseItem(lines: readonly string[]): ExcludedCve[] {
  const members = new Map<string, string>()
  let open: string | undefined
  for (const line of lines) {
    const [, name, value] = MEMBER.exec(line) ?? []
    if (name !== undefined && value !== undefined) {
      open = name
      members.set(name, value)
      // A text that is folded goes on in deeper lines.
    } else if (OTHER_MEMBER.test(line)) open = undefined
    else if (open !== undefined) members.set(open, `${members.get(open) ?? ''} ${line.trim()}`)
  }
  const ids = findCveIds(members.get('cve') ?? '')
  const reason = plainText(members.get('reason') ?? '')
  const word = plainText(members.get('justification') ?? '')
  const isWord = isOpenVexJustification(word) || isCycloneDxJustification(word)
  return ids.map((id) => ({
    id,
    reason: reason === '' ? undefined : reason,
    justification: isWord ? word : undefined,
  }))
}

/** Without quotes, and without the mark of a block text. */
function plainText(value: string): string {
  const text = value.replace(/^[|>][+-]?\d?(?=\s|$)/, '').trim()
  const [, single] = /^'(.*)'$/s.exec(text) ?? []
  if (single !== undefined) return single.replaceAll("''", "'")
  const [, double] = /^"(.*)"$/s.exec(text) ?? []
  return double === undefined ? text : unescaped(double)
}

/** The escapes of YAML that are also those of JSON; a text with others stays as it is. */
function unescaped(text: string): string {
  try {
    return String(JSON.parse(`"${text}"`))
  } catch (error) {
    if (error instanceof SyntaxError) return text
    throw error
  }
}
