/** Debian: deb-version(7), https://manpages.debian.org/trixie/dpkg-dev/deb-version.7.en.html. */
import {
  compareNumbers,
  endOfRun,
  isDigitCode,
  isLetterCode,
  orderBy,
  stripZeros,
} from './ordering.ts'

interface DebVersion {
  epoch: string
  upstream: string
  revision: string
}

export const deb = orderBy(parse, compare)

/** dpkg refuses white space and an epoch that is not a number. Texts that dpkg only warns of are compared. */
function parse(text: string): DebVersion | undefined {
  if (text === '' || /\s/.test(text)) return undefined
  const colon = text.indexOf(':')
  const epoch = colon < 0 ? '0' : text.slice(0, colon)
  if (!/^\d+$/.test(epoch)) return undefined
  const rest = text.slice(colon + 1)
  const hyphen = rest.lastIndexOf('-')
  const upstream = hyphen < 0 ? rest : rest.slice(0, hyphen)
  if (upstream === '') return undefined
  return { epoch: stripZeros(epoch), upstream, revision: hyphen < 0 ? '' : rest.slice(hyphen + 1) }
}

function compare(a: DebVersion, b: DebVersion): number {
  return (
    compareNumbers(a.epoch, b.epoch) ||
    compareParts(a.upstream, b.upstream) ||
    compareParts(a.revision, b.revision)
  )
}

const isNotDigitCode = (code: number) => !isDigitCode(code)

/** Alternates between words and numbers, and begins with a word. */
function compareParts(a: string, b: string): number {
  let i = 0
  let j = 0
  while (i < a.length || j < b.length) {
    const wordOfA = endOfRun(a, i, isNotDigitCode)
    const wordOfB = endOfRun(b, j, isNotDigitCode)
    const words = compareWords(a.slice(i, wordOfA), b.slice(j, wordOfB))
    if (words !== 0) return words
    i = endOfRun(a, wordOfA, isDigitCode)
    j = endOfRun(b, wordOfB, isDigitCode)
    const numbers = compareNumbers(stripZeros(a.slice(wordOfA, i)), stripZeros(b.slice(wordOfB, j)))
    if (numbers !== 0) return numbers
  }
  return 0
}

function compareWords(a: string, b: string): number {
  if (a === b) return 0
  const length = Math.max(a.length, b.length)
  for (let i = 0; i < length; i++) {
    const order = weight(a, i) - weight(b, i)
    if (order !== 0) return order
  }
  return 0
}

const AFTER_LETTERS = 0x10000

/** The order is: tilde, end of the text, letters, all other characters. */
function weight(word: string, index: number): number {
  if (index >= word.length) return 0
  const code = word.charCodeAt(index)
  if (code === 126) return -1
  return isLetterCode(code) ? code : code + AFTER_LETTERS
}
