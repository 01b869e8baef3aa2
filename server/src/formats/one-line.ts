/** Texts that stand on one line: names in lists and subjects, answers of other servers. */

/**
 * Control characters, characters that hide or turn text, and line breaks. The two joiners (U+200C, U+200D) are not among
 * them: scripts such as Persian and emoji need them.
 */
const NOT_IN_NAMES = /(?![\u200c\u200d])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u
const VISIBLE = /[^\p{C}\p{Z}]/u

/** Why a text cannot be a name that people read on one line; undefined when it can. */
export function faultOfName(name: string): string | undefined {
  if (NOT_IN_NAMES.test(name))
    return 'The name holds a line break or another character that cannot be seen.'
  return VISIBLE.test(name) ? undefined : 'The name holds no character that can be seen.'
}

const NOT_ON_A_LINE = /(?:(?![\u200c\u200d])\p{C}|\p{Z})+/gu

/**
 * The text on one line of at most `most` characters, with an ellipsis where it is cut. Spaces stand for everything that
 * would control a terminal, hide text or turn its direction.
 */
export function oneLine(text: string, most: number): string {
  // Four times the limit is enough to look at, however long the text is.
  const line = text
    .slice(0, most * 4)
    .replaceAll(NOT_ON_A_LINE, ' ')
    .trim()
  if (line.length <= most && text.length <= most * 4) return line
  return `${line
    .slice(0, most - 1)
    .replace(/[\ud800-\udbff]$/, '')
    .trimEnd()}…`
}
