/** RubyGems: `Gem::Version` (https://docs.ruby-lang.org/en/3.4/Gem/Version.html). */
import { compareLists, compareNumbers, compareText, orderBy, stripZeros } from './ordering.ts'

const SYNTAX = /^\s*\d+(?:\.[0-9a-z]+)*(?:-[0-9a-z-]+(?:\.[0-9a-z-]+)*)?\s*$/i
const SEGMENTS = /\d+|[a-z]+/gi

export const gem = orderBy(parse, (a, b) => compareLists(a, b, compareSegments, '0'))

/** `canonical_segments`: removes zeros at the end of the numbers, and at the end of the part from the first word on. */
function parse(text: string): readonly string[] | undefined {
  if (!SYNTAX.test(text)) return undefined
  const segments = (text.replaceAll('-', '.pre.').match(SEGMENTS) ?? []).map(segment)
  const firstWord = segments.findIndex(isWord)
  if (firstWord < 0) return withoutTrailingZeros(segments)
  return [
    ...withoutTrailingZeros(segments.slice(0, firstWord)),
    ...withoutTrailingZeros(segments.slice(firstWord)),
  ]
}

function segment(text: string): string {
  return isWord(text) ? text : stripZeros(text)
}

function isWord(text: string): boolean {
  return text > '9'
}

function withoutTrailingZeros(segments: readonly string[]): readonly string[] {
  return segments.slice(0, segments.findLastIndex((text) => text !== '0') + 1)
}

function compareSegments(a: string, b: string): number {
  if (isWord(a) !== isWord(b)) return isWord(a) ? -1 : 1
  return isWord(a) ? compareText(a, b) : compareNumbers(a, b)
}
