const QUOTE = 34
const BACKSLASH = 92
const BRACKETS = new Map([
  ['{'.charCodeAt(0), 1],
  ['['.charCodeAt(0), 1],
  ['}'.charCodeAt(0), -1],
  [']'.charCodeAt(0), -1],
])

/** Inside the object and its list. */
const LIST_DEPTH = 2

/**
 * The texts of the objects in `{"name":[…]}`, each as soon as it has arrived. The whole answer may exceed the longest
 * possible string.
 */
export async function* readElements(chunks: AsyncIterable<string>): AsyncGenerator<string> {
  const brackets = new Brackets()
  let depth = 0
  let incomplete = ''
  for await (const chunk of chunks) {
    let from = 0
    for (let at = 0; at < chunk.length; at++) {
      const step = brackets.take(chunk.charCodeAt(at))
      if (step === 1 && depth === LIST_DEPTH) from = at
      depth += step
      if (step === -1 && depth === LIST_DEPTH) {
        yield incomplete + chunk.slice(from, at + 1)
        incomplete = ''
      }
    }
    if (depth > LIST_DEPTH) incomplete += chunk.slice(from)
  }
  if (depth !== 0) throw new Error('The answer was cut off.')
}

/** Tells brackets of the text from those inside of strings. */
class Brackets {
  #isInString = false
  #isEscaped = false

  /** 1 where a bracket opens, -1 where one closes, else 0. */
  take(char: number): number {
    if (this.#isInString) {
      this.#isInString = this.#isEscaped || char !== QUOTE
      this.#isEscaped = !this.#isEscaped && char === BACKSLASH
      return 0
    }
    this.#isInString = char === QUOTE
    return BRACKETS.get(char) ?? 0
  }
}
