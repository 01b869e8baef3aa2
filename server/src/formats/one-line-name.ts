/** Names that people give to things. A name is one line, because lists, terminals and the subjects of mails show it. */
import { invalid } from '../platform/errors.ts'

const NAME_CHARACTERS = 200

const CONTROLS_AND_SEPARATORS = /[\p{Cc}\p{Zl}\p{Zp}]/u

/**
 * Format characters are invisible, and some reverse the direction of text. U+200C and U+200D are allowed between visible
 * characters: Persian and Indic scripts need them, and so do emoji.
 */
const FORMAT_CHARACTER =
  /(?![\u200c\u200d])\p{Cf}|(?<![^\p{C}\p{Z}])[\u200c\u200d]|[\u200c\u200d](?![^\p{C}\p{Z}])/u

/** Why a text cannot be a name; undefined: it can. */
export function faultOfName(text: string): string | undefined {
  const name = text.trim()
  if (name === '') return 'The name is empty.'
  if (name.length > NAME_CHARACTERS) return `The name is longer than ${NAME_CHARACTERS} characters.`
  if (CONTROLS_AND_SEPARATORS.test(name)) return 'The name has a line break or a control character.'
  if (FORMAT_CHARACTER.test(name)) return 'The name has an invisible character.'
  return undefined
}

/** The name without spaces around it; throws `invalid` at the pointer when the text cannot be a name. */
export function readName(text: string, pointer = '/name'): string {
  const fault = faultOfName(text)
  if (fault !== undefined) throw invalid(fault, pointer)
  return text.trim()
}
