/** The member names at the beginning of a JSON text that may be cut anywhere. */

export interface JsonOutline {
  /** Paths down to the third level, `vulnerabilities/[]/cve`, with the value where it is a string. */
  names: ReadonlyMap<string, string>
  isArray: boolean
  /** Whether the first value ends with the first line: one value per line. */
  isFirstLineWhole: boolean
}

const MAX_LEVEL = 3

/** The position of the reader: the open containers, and the last name. */
class Outline {
  readonly names = new Map<string, string>()
  readonly #path: string[] = []
  readonly #isObject: boolean[] = []
  #name = ''

  get isInObject(): boolean {
    return this.#isObject.at(-1) === true
  }

  takeString(text: string, isName: boolean): void {
    if (isName) this.#name = text
    if (this.#path.length >= MAX_LEVEL) return
    const at = [...this.#path, this.#name].join('/')
    if (isName && !this.names.has(at)) this.names.set(at, '')
    else if (!isName && this.names.get(at) === '') this.names.set(at, text)
  }

  open(isObject: boolean): void {
    if (this.#isObject.length > 0) this.#path.push(this.isInObject ? this.#name : '[]')
    this.#isObject.push(isObject)
  }

  /** Whether the first value ends here. */
  close(): boolean {
    this.#isObject.pop()
    this.#path.pop()
    return this.#isObject.length === 0
  }
}

export function outlineJson(text: string): JsonOutline {
  const outline = new Outline()
  const lineEnd = text.indexOf('\n')
  const token = /"([^"\\]*(?:\\.[^"\\]*)*)"|[{}[\]:,]/gs
  let end: number | undefined
  for (let match = token.exec(text); match !== null; match = token.exec(text)) {
    const [sign, string] = match
    const { lastIndex } = token
    if (string !== undefined) {
      const isName = outline.isInObject && /^\s*:/.test(text.slice(lastIndex, lastIndex + 8))
      outline.takeString(string, isName)
    } else if (sign === '{' || sign === '[') outline.open(sign === '{')
    else if ((sign === '}' || sign === ']') && outline.close()) {
      end = lastIndex
      break
    }
  }
  const isFirstLineWhole = lineEnd < 0 || (end !== undefined && end <= lineEnd)
  return { names: outline.names, isArray: text.startsWith('['), isFirstLineWhole }
}
