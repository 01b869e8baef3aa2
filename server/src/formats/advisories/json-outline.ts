/** The member names at the beginning of a JSON text that may be cut anywhere. */

export interface JsonOutline {
  /** Paths down to the third level, `vulnerabilities/[]/cve`, with the value where it is a string. */
  names: ReadonlyMap<string, string>
  isArray: boolean
  /** Whether the first value ends with the first line: one value per line. */
  isFirstLineWhole: boolean
}

const MAX_LEVEL = 3

export function outlineJson(text: string): JsonOutline {
  const names = new Map<string, string>()
  const path: string[] = []
  const isObject: boolean[] = []
  const lineEnd = text.indexOf('\n')
  let name = ''
  let isFirstLineWhole = lineEnd < 0
  const token = /"([^"\\]*(?:\\.[^"\\]*)*)"|[{}[\]:,]/gs
  for (let match = token.exec(text); match !== null; match = token.exec(text)) {
    const [sign, string] = match
    if (string !== undefined) {
      const isName =
        isObject.at(-1) === true && /^\s*:/.test(text.slice(token.lastIndex, token.lastIndex + 8))
      if (isName) name = string
      const at = [...path, name].join('/')
      if (path.length < MAX_LEVEL && isName && !names.has(at)) names.set(at, '')
      else if (path.length < MAX_LEVEL && !isName && names.get(at) === '') names.set(at, string)
    } else if (sign === '{' || sign === '[') {
      path.push(...(isObject.length === 0 ? [] : [isObject.at(-1) === true ? name : '[]']))
      isObject.push(sign === '{')
    } else if (sign === '}' || sign === ']') {
      isObject.pop()
      path.pop()
      if (isObject.length > 0) continue
      isFirstLineWhole ||= token.lastIndex <= lineEnd
      break
    }
  }
  return { names, isArray: text.startsWith('['), isFirstLineWhole }
}
